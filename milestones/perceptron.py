"""1958, the perceptron: one neuron that learns, by its mistakes alone, to tell two handwritten digits apart.

F. Rosenblatt, "The Perceptron: A Probabilistic Model for Information Storage and Organization in the Brain",
Psychological Review 65 (1958). His machine looked through 20 x 20 photocells; here they are 8 x 8 pixels.
"""

from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch

NO, YES = 5, 8
PICTURE = Path(__file__).parents[1] / "build" / "milestones" / "perceptron.png"


def two_digits(train):
    """The images of two digits, flat and with a constant 1 for the bias, and -1 or 1 for each."""
    images, labels = torch.Digits(train=train).tensors()
    chosen = (labels == NO) | (labels == YES)
    x = images[chosen].flatten(1)  # (N, 64)
    x = torch.cat([x, torch.ones(len(x), 1)], dim=1)  # (N, 65)
    return x, torch.where(labels[chosen] == YES, 1.0, -1.0)


def learn(x, y, epochs=100):
    """The perceptron rule: after a mistake, add the example to the weights, or subtract it."""
    weight, mistakes = torch.zeros(x.shape[1]), []
    while len(mistakes) < epochs and mistakes[-1:] != [0]:
        mistakes.append(0)
        for i in torch.randperm(len(x)).tolist():
            if (y[i] * (weight @ x[i])).item() <= 0:
                weight += y[i] * x[i]
                mistakes[-1] += 1
    return weight, mistakes


def draw(weight, mistakes):
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(range(1, len(mistakes) + 1), mistakes, ".-")
    left.set(xlabel="epoch", ylabel="mistakes", title="Learning ends when no mistake is left")
    pixels = weight[:-1].reshape(8, 8).numpy()
    shown = right.imshow(pixels, cmap="RdBu", vmin=-abs(pixels).max(), vmax=abs(pixels).max())
    right.set(xticks=[], yticks=[], title=f"What the neuron looks for: {NO} (red) or {YES} (blue)")
    figure.colorbar(shown)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    torch.manual_seed(1958)
    x, y = two_digits(train=True)
    weight, mistakes = learn(x, y)
    held_out, answers = two_digits(train=False)
    right = ((held_out @ weight) * answers > 0).sum().item()
    draw(weight, mistakes)
    print(f"{len(x)} digits, {NO} or {YES}: {len(mistakes)} epochs until no mistake is left")
    print(f"held out: {right} of {len(answers)} right, {right / len(answers):.1%}")
    print(f"picture: {PICTURE}")


if __name__ == "__main__":
    main()
