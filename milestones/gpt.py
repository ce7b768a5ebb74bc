"""2017, the transformer: a GPT learns to write like Python's own documentation.

A. Vaswani et al., "Attention Is All You Need", NeurIPS 2017; A. Radford et al., "Language Models are Unsupervised
Multitask Learners", 2019.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import optim
from tinytorch.utils.data import DataLoader, RandomSampler, TensorDataset

LENGTH, BATCH, STEPS, EPOCHS = 32, 32, 45, 6
FOLDER = Path(__file__).parents[1] / "build" / "milestones"
PICTURE = FOLDER / "gpt.png"
PROMPT = "The "


class Samples(torch.Callback):
    """After each epoch, print the loss and what the model writes by then."""

    def on_epoch_end(self, trainer):
        text = written(trainer.model, 80)
        print(f"after {trainer.step:3} steps, {trainer.logs['val_loss']:.3f} nats: {text!r}", flush=True)


def characters():
    """The text as a tensor of one token for each character, cut into what is learned and what is held out; the alphabet."""
    text = torch.PythonDocs().text
    alphabet = sorted(set(text))
    numbers = {character: number for number, character in enumerate(alphabet)}
    ids = torch.tensor([numbers[character] for character in text])
    return ids[:-20000], ids[-20000:], alphabet


TRAIN, HELD_OUT, ALPHABET = characters()


def written(model, count):
    """What the model writes after PROMPT."""
    start = torch.tensor([[ALPHABET.index(character) for character in PROMPT]])
    ids = model.generate(start, count, temperature=0.7, top_p=0.95, seed=2017)
    return "".join(ALPHABET[number] for number in ids[0].tolist())


def new_trainer(*callbacks):
    """A model that has learned nothing, and what is to train it."""
    config = torch.GPTConfig(len(ALPHABET), LENGTH, n_layer=2, n_head=4, n_embd=96, dropout=0.0)
    model = torch.GPT(config)
    optimizer = optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.95), weight_decay=0.1)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=STEPS * EPOCHS, pct_start=0.1)
    return torch.Trainer(
        model, optimizer, torch.next_token_loss, schedule,
        clip_norm=1.0, callbacks=callbacks, scheduler_every="step",
    )  # fmt: skip


def batches():
    """Pieces of the text, from anywhere in it: STEPS batches are an epoch."""
    pieces = torch.TokenBlocks(TRAIN, LENGTH)
    return DataLoader(
        pieces, BATCH, sampler=RandomSampler(pieces, replacement=True, num_samples=STEPS * BATCH)
    )


def held_out():
    """The last 20,000 characters of the text, which nobody has counted or trained on, piece after piece."""
    whole = (len(HELD_OUT) - 1) // LENGTH * LENGTH
    x, y = HELD_OUT[:whole].view(-1, LENGTH), HELD_OUT[1 : whole + 1].view(-1, LENGTH)
    return DataLoader(TensorDataset(x, y), batch_size=64)


def attention_of(model, idx):
    """The attention weights of the first block, (heads, T, T)."""
    block = model.transformer.h[0]
    B, T = idx.shape
    x = block.ln_1(model.transformer.wte(idx) + model.transformer.wpe(torch.arange(T)))
    q, k, _ = block.attn.c_attn(x).view(B, T, 3, block.attn.n_head, -1).permute(2, 0, 3, 1, 4).unbind(0)
    future = torch.ones(T, T).triu(1).bool()
    scores = (q @ k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    return torch.softmax(scores.masked_fill(future, -torch.inf), -1)[0]


def draw(trainer, bigram):
    """The course of the training beside the bigrams, and where the first block's heads look."""
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 2.2])
    rows, axes = trainer.history.rows, left.subplots()
    for key, label in (("loss", "training"), ("val_loss", "held out")):
        axes.plot([STEPS * row["epoch"] for row in rows], [row[key] for row in rows], ".-", label=label)
    axes.axhline(bigram, color="tab:red", label="bigrams, held out")
    axes.set(xlabel="step", ylabel="nats for a character", title="Python's documentation")
    axes.legend()
    text = HELD_OUT[:28]
    labels = [ALPHABET[number].replace("\n", "¶") for number in text.tolist()]
    with torch.no_grad():
        weights = attention_of(trainer.model, text.unsqueeze(0))
    right.suptitle("Where the heads of the first block look")
    for head, axes in zip(weights[:3].numpy(), right.subplots(1, 3), strict=True):
        axes.imshow(head, cmap="viridis")
        axes.set_xticks(range(len(labels)), labels, fontsize=5)
        axes.set_yticks(range(len(labels)), labels, fontsize=5)
    figure.savefig(PICTURE, dpi=120)


def learn():
    """Train, stop after the first epoch, go on in a new trainer from the file; say whether nothing was lost by it."""
    checkpoint = FOLDER / "gpt.safetensors"
    trainer = new_trainer(Samples())
    trainer.fit(batches(), held_out(), epochs=1)
    torch.save(trainer.state_dict(), checkpoint)
    trainer.callbacks.remove(next(c for c in trainer.callbacks if isinstance(c, Samples)))
    trainer.fit(batches(), epochs=2)  # as if nobody had stopped it
    resumed = new_trainer(Samples())
    resumed.load_state_dict(torch.load(checkpoint))
    resumed.fit(batches(), held_out(), epochs=2)
    pairs = zip(trainer.model.parameters(), resumed.model.parameters(), strict=True)
    exact = all(torch.equal(a, b) for a, b in pairs)
    resumed.fit(batches(), held_out(), epochs=EPOCHS)
    return resumed, exact


def main():
    torch.manual_seed(2017)
    FOLDER.mkdir(parents=True, exist_ok=True)
    bigram = torch.bigram_loss(TRAIN.numpy(), HELD_OUT.numpy(), len(ALPHABET))
    print(f"{len(TRAIN)} characters to learn from; bigrams need {bigram:.3f} nats for one that is held out")
    trainer, exact = learn()
    loss = trainer.history.rows[-1]["val_loss"]
    torch.save(trainer.model.state_dict(), FOLDER / "gpt-model.safetensors")
    loaded = torch.GPT(trainer.model.config)
    loaded.load_state_dict(torch.load(FOLDER / "gpt-model.safetensors"))
    text = written(loaded, 400)
    same = text == written(trainer.model, 400)
    print(f"resumed from the file as if never stopped: {exact}; loaded and writing the same: {same}")
    print(text)
    draw(trainer, bigram)
    print(f"held out: {loss:.3f} nats, {1 - loss / bigram:.1%} less than bigrams need")
    print(f"picture: {PICTURE}")
    if not (loss < bigram and exact and same):
        sys.exit("a loss below that of bigrams, an exact resumption and a faithful file were wanted")


if __name__ == "__main__":
    main()
