"""More rows of the speed table: recurrent layers, convolutions of small images, and whole steps of small models.

Each is measured as it is and with the kernels of module 17, and is wanted under twice PyTorch's time; the step of the
GPT that `make milestone gpt` trains, with kernels, in PyTorch's time.
"""

import numpy as np

from benchmarks.speed import ROWS, Row, forward_and_backward, numbers

WANTED = 2.0


def row(name, with_kernels=WANTED):
    """Add the decorated setup to the table twice, without and with kernels."""

    def add(setup):
        ROWS.append(Row(name, WANTED, setup))
        ROWS.append(Row(f"kernels: {name}", with_kernels, setup, kernels=True))
        return setup

    return add


def training(torch, model, loss_of, make=None):
    """A step that computes a loss and its gradients, and moves the parameters."""
    optimizer = (make or (lambda parameters: torch.optim.SGD(parameters, lr=1e-4)))(model.parameters())

    def step():
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()

    return step


RECURRENT = {
    "RNN": ("RNN", {}),
    "LSTM": ("LSTM", {}),
    "GRU": ("GRU", {}),
    "LSTM, bidirectional": ("LSTM", {"bidirectional": True}),
}
for name, (kind, options) in RECURRENT.items():

    @row(f"{name}: 32 steps of 32 sequences, 128 wide, SGD step")
    def recurrent(torch, kind=kind, options=options):
        torch.manual_seed(0)
        x = numbers(torch, 32, 32, 128, grad=False)
        return training(
            torch, getattr(torch.nn, kind)(128, 128, **options), lambda model: model(x)[0].square().mean()
        )


CONVOLUTIONS = {  # images (N, C, H, W), filters (O, C/groups, kh, kw), padding, groups
    "depthwise conv 3x3, 64 channels, 16 images 16x16": ((16, 64, 16, 16), (64, 1, 3, 3), 1, 64),
    "conv 64 to 64 in 4 groups, 3x3, 16 images 16x16": ((16, 64, 16, 16), (64, 16, 3, 3), 1, 4),
    "conv 16 to 16, 3x3, 32 images 8x8": ((32, 16, 8, 8), (16, 16, 3, 3), 1, 1),
    "conv 6 to 16, 5x5, 32 images 14x14": ((32, 6, 14, 14), (16, 6, 5, 5), 0, 1),
}
for name, (images, filters, padding, groups) in CONVOLUTIONS.items():

    @row(name)
    def conv(torch, images=images, filters=filters, padding=padding, groups=groups):
        shapes = images, filters, filters[:1]
        inputs = [numbers(torch, *shape, seed=i) for i, shape in enumerate(shapes)]
        function = lambda x, weight, bias: torch.nn.functional.conv2d(
            x, weight, bias, padding=padding, groups=groups
        )
        shape = function(*inputs).shape
        return forward_and_backward(function, inputs, numbers(torch, *shape, grad=False, seed=3))


@row("batch norm, 32 channels, 32 images 8x8")
def batch_norm(torch):
    norm, x = torch.nn.BatchNorm2d(32), numbers(torch, 32, 32, 8, 8)
    return forward_and_backward(norm, [x], numbers(torch, 32, 32, 8, 8, grad=False, seed=1))


@row("ResNet step: blocks of 16, 32, 64 channels, 16 images 32x32, SGD with momentum")
def resnet(torch):
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, below, channels, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(below, channels, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
            self.bn1, self.bn2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
            self.shortcut = nn.Sequential()
            if stride > 1:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(below, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)
                )

        def forward(self, x):
            output = F.relu(self.bn1(self.conv1(x)))
            return F.relu(self.bn2(self.conv2(output)) + self.shortcut(x))

    torch.manual_seed(0)
    stem = nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()
    blocks = Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2)
    model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    x, y = numbers(torch, 16, 3, 32, 32, grad=False), torch.arange(16) % 10
    loss_of = lambda model: F.cross_entropy(model(x), y)
    return training(torch, model, loss_of, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9))


@row("MobileNetV2 step: two blocks of 16 channels, 6 times wider inside, 16 images 16x16")
def mobile_net(torch):
    nn = torch.nn

    class InvertedResidual(nn.Module):
        def __init__(self, channels, wider):
            super().__init__()
            inside = channels * wider
            self.conv = nn.Sequential(
                *(nn.Conv2d(channels, inside, 1, bias=False), nn.BatchNorm2d(inside), nn.ReLU6()),
                *(nn.Conv2d(inside, inside, 3, 1, 1, groups=inside, bias=False), nn.BatchNorm2d(inside)),
                *(nn.ReLU6(), nn.Conv2d(inside, channels, 1, bias=False), nn.BatchNorm2d(channels)),
            )

        def forward(self, x):
            return x + self.conv(x)

    torch.manual_seed(0)
    model, x = nn.Sequential(InvertedResidual(16, 6), InvertedResidual(16, 6)), numbers(torch, 16, 16, 16, 16)
    return training(torch, model, lambda model: model(x).square().mean())


@row("embedding's gradient, (32, 8) into (65, 65)")
def embedding_gradient(torch):
    indices = torch.tensor(np.random.default_rng(0).integers(0, 65, (32, 8)))
    return forward_and_backward(
        lambda weight: torch.nn.functional.embedding(indices, weight),
        [numbers(torch, 65, 65)],
        numbers(torch, 32, 8, 65, grad=False, seed=1),
    )


@row("bigram model step: 65 characters, 32 pieces of 8, AdamW")
def bigram(torch):
    torch.manual_seed(0)
    text = torch.tensor(np.random.default_rng(0).integers(0, 65, (32, 9)))
    x, y = text[:, :-1], text[:, 1:]
    loss_of = lambda model: torch.nn.functional.cross_entropy(model(x).view(256, 65), y.reshape(256))
    make = lambda parameters: torch.optim.AdamW(parameters, lr=1e-3)
    return training(torch, torch.nn.Embedding(65, 65), loss_of, make)


@row(
    "GPT step of modern parts: 4 layers, 128 wide, dropout 0.1, 64 tokens, batch 12, 1,024 pieces, AdamW", 1.0
)
def modern_gpt(torch):
    """The step of `make milestone gpt`."""
    nn, F = torch.nn, torch.nn.functional
    width, heads, groups, inner, length, vocabulary = 128, 4, 2, 344, 64, 1024
    d = width // heads
    angles = torch.arange(length).float()[:, None] / 10000.0 ** (torch.arange(0, d, 2).float() / d)
    cos, sin = angles.cos(), angles.sin()

    def turned(x):
        first, second = x.chunk(2, -1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.RMSNorm(width, 1e-5), nn.RMSNorm(width, 1e-5)
            self.c_attn = nn.Linear(width, (heads + 2 * groups) * d, bias=False)
            self.c_proj = nn.Linear(width, width, bias=False)
            self.c_fc, self.out = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width, bias=False)
            self.drop = nn.Dropout(0.1)

        def forward(self, x):
            B, T, C = x.shape
            packed = self.c_attn(self.ln_1(x)).view(B, T, -1, d).split([heads, groups, groups], 2)
            q, k, v = (part.transpose(1, 2) for part in packed)
            y = F.scaled_dot_product_attention(
                turned(q), turned(k), v, dropout_p=0.1, is_causal=True, enable_gqa=True
            )
            x = x + self.drop(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))
            gate, up = self.c_fc(self.ln_2(x)).chunk(2, -1)
            return x + self.drop(self.out(F.silu(gate) * up))

    torch.manual_seed(0)
    if torch.__name__ == "tinytorch":
        config = torch.GPTConfig(
            vocabulary, length, 4, heads, width, 0.1, bias=False, rms_norm=True, rotary=True,
            n_kv_head=groups, gated=True, n_inner=inner,
        )  # fmt: skip
        model = torch.GPT(config)
        logits = model
    else:
        tokens, blocks = nn.Embedding(vocabulary, width), [Block() for _ in range(4)]
        model = nn.Sequential(tokens, nn.Dropout(0.1), *blocks, nn.RMSNorm(width, 1e-5))
        logits = lambda x: model(x) @ tokens.weight.T
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = torch.tensor(np.random.default_rng(0).integers(0, vocabulary, (12, length + 1)))
    x, y = text[:, :-1], text[:, 1:]

    def step():
        optimizer.zero_grad()
        F.cross_entropy(logits(x).flatten(0, 1), y.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step
