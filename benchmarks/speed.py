"""The rows of the speed table: small programs over a namespace `torch`, run with ours and with PyTorch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    name: str
    wanted: float | None  # our time over PyTorch's
    setup: Callable  # takes the namespace, returns the step to be timed
    kernels: bool = False  # ours with the kernels of module 17 in place


ROWS: list[Row] = []


def row(name, wanted=None, kernels=False):
    """Add the decorated setup to the table."""

    def add(setup):
        ROWS.append(Row(name, wanted, setup, kernels))
        return setup

    return add


def numbers(torch, *shape, grad=True, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return torch.tensor(array, requires_grad=grad)


def forward_and_backward(function, inputs, cotangent):
    """A step that runs a function forward and backward with a fixed cotangent."""

    def step():
        for x in inputs:
            x.grad = None
        function(*inputs).backward(cotangent)

    return step


def chain(torch, shape):
    x = torch.ones(shape, requires_grad=True)

    def forward():
        y = x
        for _ in range(1000):
            y = y * 1.0001
        return y

    return x, forward


for shape in ((), (8,)):

    @row(f"tape: 1,000 operations on {shape}, forward", 1.0)
    def tape_forward(torch, shape=shape):
        _, forward = chain(torch, shape)
        return forward

    @row(f"tape: 1,000 operations on {shape}, backward", 0.7)
    def tape_backward(torch, shape=shape):
        x, forward = chain(torch, shape)
        y, cotangent = forward(), torch.ones(shape)

        def step():
            x.grad = None
            y.backward(cotangent, retain_graph=True)

        return step


@row("MLP 784-128-10, batch 64, Adam step", 0.9)
def mlp(torch):
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = numbers(torch, 64, 784, grad=False), torch.arange(64) % 10

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


@row("linear 1024 x 1024, batch 256", 1.05)
def linear(torch):
    inputs = [numbers(torch, *shape, seed=i) for i, shape in enumerate([(256, 1024), (1024, 1024), (1024,)])]
    return forward_and_backward(torch.nn.functional.linear, inputs, numbers(torch, 256, 1024, grad=False))


ELEMENTWISE = {
    "add": (lambda torch, x, y: x + y, None),
    "mul": (lambda torch, x, y: x * y, None),
    "div": (lambda torch, x, y: x / y, None),
    "maximum": (lambda torch, x, y: torch.maximum(x, y), None),
    "cube": (lambda torch, x, y: x**3, None),
    "exp": (lambda torch, x, y: torch.exp(x), None),
    "relu": (lambda torch, x, y: torch.relu(x), None),
    "sigmoid": (lambda torch, x, y: torch.sigmoid(x), None),
    "tanh": (lambda torch, x, y: torch.tanh(x), None),
    "silu": (lambda torch, x, y: torch.nn.functional.silu(x), None),
    "softplus": (lambda torch, x, y: torch.nn.functional.softplus(x), None),
    "gelu": (lambda torch, x, y: torch.nn.functional.gelu(x), None),
    "gelu (tanh)": (lambda torch, x, y: torch.nn.functional.gelu(x, approximate="tanh"), 1.0),
    "softmax": (lambda torch, x, y: torch.softmax(x, -1), 2.5),
    "max along a dimension": (lambda torch, x, y: x.max(1).values, None),
}
for name, (function, wanted) in ELEMENTWISE.items():

    @row(f"{name} (1024, 1024)", wanted)
    def elementwise(torch, function=function):
        x, y = numbers(torch, 1024, 1024), numbers(torch, 1024, 1024, seed=1)
        cotangent = numbers(torch, *function(torch, x, y).shape, grad=False, seed=2)
        return forward_and_backward(lambda x, y: function(torch, x, y), [x, y], cotangent)


@row("cross-entropy (1024, 50257)", 0.5)
def cross_entropy(torch):
    logits, labels = numbers(torch, 1024, 50257), torch.arange(1024) * 49
    loss = torch.nn.functional.cross_entropy
    return forward_and_backward(lambda x: loss(x, labels), [logits], torch.tensor(1.0))


@row("attention (4, 8, 256, 64)", 1.5)
def attention(torch):
    inputs = [numbers(torch, 4, 8, 256, 64, seed=i) for i in range(3)]
    function = torch.nn.functional.scaled_dot_product_attention
    return forward_and_backward(function, inputs, numbers(torch, 4, 8, 256, 64, grad=False))


@row("layer norm (32, 256, 512)", 4.0)
def layer_norm(torch):
    inputs = [numbers(torch, 32, 256, 512), numbers(torch, 512, seed=1), numbers(torch, 512, seed=2)]
    cotangent = numbers(torch, 32, 256, 512, grad=False, seed=3)
    return forward_and_backward(
        lambda x, w, b: torch.nn.functional.layer_norm(x, (512,), w, b), inputs, cotangent
    )


@row("embedding (8, 128) into (50257, 256)", 3.5)
def embedding(torch):
    indices = torch.tensor(np.random.default_rng(0).integers(0, 50257, (8, 128)))
    function = torch.nn.functional.embedding
    return forward_and_backward(
        lambda weight: function(indices, weight),
        [numbers(torch, 50257, 256)],
        numbers(torch, 8, 128, 256, grad=False),
    )


def gpt_parts(torch, width, heads, length, vocabulary):
    """A GPT of 4 layers by PyTorch's modules: a module with its parameters, and a function from tokens to logits."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.c_fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            B, T, C = x.shape
            parts = self.c_attn(self.ln_1(x)).split(width, 2)
            q, k, v = (part.view(B, T, heads, C // heads).transpose(1, 2) for part in parts)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.c_proj(y.transpose(1, 2).reshape(B, T, C))
            return x + self.out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))

    torch.manual_seed(0)
    tokens, positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
    blocks, norm = nn.Sequential(*[Block() for _ in range(4)]), nn.LayerNorm(width)

    def logits(x):
        return norm(blocks(tokens(x) + positions(torch.arange(length, device=x.device)))) @ tokens.weight.T

    return nn.ModuleList([tokens, positions, blocks, norm]), logits


@row("GPT step: 4 layers, 128 wide, 4 heads, 128 tokens, batch 8, AdamW", 1.8)
def gpt(torch):
    model, logits = gpt_parts(torch, 128, 4, 128, 256)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = torch.tensor(np.random.default_rng(0).integers(0, 256, (8, 129)))
    x, y = text[:, :-1], text[:, 1:]

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits(x).flatten(0, 1), y.flatten()).backward()
        optimizer.step()

    return step


@row("GPT: 256 tokens written with a cache, 4 layers, 128 wide, 4 heads", 0.8)
def generation(torch):
    layers, width, heads, length, vocabulary = 4, 128, 4, 257, 256
    torch.manual_seed(0)
    start = torch.tensor([[1]])
    if torch.__name__ == "tinytorch":
        config = torch.GPTConfig(vocabulary, length, layers, heads, width, dropout=0.0)
        model = torch.GPT(config).eval()
        return lambda: model.generate(start, 256, temperature=0, use_cache=True)
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.c_fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.cache = torch.empty(2, 1, heads, length, width // heads)

        def forward(self, x, t):
            parts = self.c_attn(self.ln_1(x)).split(width, 2)
            q, k, v = (part.view(1, 1, heads, width // heads).transpose(1, 2) for part in parts)
            self.cache[0, :, :, t : t + 1], self.cache[1, :, :, t : t + 1] = k, v
            y = F.scaled_dot_product_attention(q, *self.cache[:, :, :, : t + 1])
            x = x + self.c_proj(y.transpose(1, 2).reshape(1, 1, width))
            return x + self.out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))

    tokens, positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
    blocks, norm = nn.ModuleList([Block() for _ in range(layers)]), nn.LayerNorm(width)

    @torch.no_grad()
    def step():
        idx = start
        for t in range(256):
            x = tokens(idx[:, -1:]) + positions(torch.arange(t, t + 1))
            for block in blocks:
                x = block(x, t)
            idx = torch.cat([idx, (norm(x[:, -1]) @ tokens.weight.T).argmax(-1, keepdim=True)], 1)

    return step


for channels, filters, wanted in ((3, 16, 1.2), (16, 32, 2.5)):

    @row(f"conv {channels} to {filters}, 3x3, 16 images 32x32", wanted)
    def conv(torch, channels=channels, filters=filters):
        shapes = (16, channels, 32, 32), (filters, channels, 3, 3), (filters,)
        inputs = [numbers(torch, *shape, seed=i) for i, shape in enumerate(shapes)]
        return forward_and_backward(
            lambda x, weight, bias: torch.nn.functional.conv2d(x, weight, bias, padding=1),
            inputs,
            numbers(torch, 16, filters, 32, 32, grad=False),
        )


SIXTEEN = (16, 16, 32, 32)


@row("max pool 2x2, 16 channels, 16 images 32x32", 0.5)
def max_pool(torch):
    function = lambda x: torch.nn.functional.max_pool2d(x, 2)
    return forward_and_backward(
        function, [numbers(torch, *SIXTEEN)], numbers(torch, 16, 16, 16, 16, grad=False)
    )


@row("batch norm, 16 channels, 16 images 32x32")
def batch_norm(torch):
    def function(x, weight, bias):
        return torch.nn.functional.batch_norm(x, None, None, weight, bias, training=True)

    inputs = [numbers(torch, *shape) for shape in (SIXTEEN, (16,), (16,))]
    return forward_and_backward(function, inputs, numbers(torch, *SIXTEEN, grad=False, seed=1))


@row("RMS norm (32, 256, 512)")
def rms_norm(torch):
    inputs = [numbers(torch, 32, 256, 512), numbers(torch, 512, seed=1)]
    function = lambda x, w: torch.nn.functional.rms_norm(x, (512,), w, 1e-5)
    return forward_and_backward(function, inputs, numbers(torch, 32, 256, 512, grad=False, seed=3))


@row("cross-entropy (8192, 65)")
def small_cross_entropy(torch):
    logits, labels = numbers(torch, 8192, 65), torch.arange(8192) % 65
    loss = torch.nn.functional.cross_entropy
    return forward_and_backward(lambda x: loss(x, labels), [logits], torch.tensor(1.0))


for vocabulary in (256, 32768):

    @row(f"embedding's gradient, (8, 128) into ({vocabulary}, 256)", 3.5)
    def embedding_gradient(torch, vocabulary=vocabulary):
        indices = torch.tensor(np.random.default_rng(0).integers(0, vocabulary, (8, 128)))
        weight, cotangent = numbers(torch, vocabulary, 256), numbers(torch, 8, 128, 256, grad=False)
        rows = torch.nn.functional.embedding(indices, weight)

        def step():
            weight.grad = None
            rows.backward(cotangent, retain_graph=True)

        return step


for size in (262_144, 4_194_304):

    @row(f"AdamW, {size:,} weights, against PyTorch's fused")
    def adamw(torch, size=size):
        parameter = numbers(torch, size)
        parameter.grad = numbers(torch, size, grad=False, seed=1)
        options = {} if torch.__name__ == "tinytorch" else {"fused": True}
        return torch.optim.AdamW([parameter], lr=1e-3, **options).step


@row("int8 product, batch 1, 4096 x 4096, against float32")
def int8_product(torch):
    x, weight = (np.random.default_rng(0).integers(-127, 128, shape) for shape in ((1, 4096), (4096, 4096)))
    if torch.__name__ != "tinytorch":
        x, weight = (torch.tensor(a.astype(np.float32)) for a in (x, weight))
        return lambda: x @ weight.T
    x, weight = (torch.tensor(a.astype(np.int8)) for a in (x, weight))
    return lambda: torch.quantization.IntegerProduct.apply(x, weight)


# The same rows with the kernels of module 17, and what is wanted of them, which some rows miss. A leaf's .grad is a copy of
# what arrives (module 06), where PyTorch keeps the array: a third of the step in the rows of the large cross-entropy and of
# max pooling, a quarter in layer norm.
WITH_KERNELS = {
    "exp (1024, 1024)": 1.0,
    "sigmoid (1024, 1024)": 1.0,
    "tanh (1024, 1024)": 1.0,
    "silu (1024, 1024)": 1.0,
    "softplus (1024, 1024)": 1.0,
    "gelu (1024, 1024)": 1.0,
    "gelu (tanh) (1024, 1024)": 0.5,
    "softmax (1024, 1024)": 0.95,
    "layer norm (32, 256, 512)": 0.9,
    "RMS norm (32, 256, 512)": 0.9,
    "cross-entropy (1024, 50257)": 0.25,
    "cross-entropy (8192, 65)": 0.9,
    "embedding's gradient, (8, 128) into (256, 256)": 0.8,
    "embedding's gradient, (8, 128) into (32768, 256)": 0.8,
    "AdamW, 262,144 weights, against PyTorch's fused": 0.9,
    "AdamW, 4,194,304 weights, against PyTorch's fused": 0.9,
    "int8 product, batch 1, 4096 x 4096, against float32": 0.35,
    "max pool 2x2, 16 channels, 16 images 32x32": 0.1,
    "batch norm, 16 channels, 16 images 32x32": 0.9,
    "conv 3 to 16, 3x3, 16 images 32x32": 0.8,
    "conv 16 to 32, 3x3, 16 images 32x32": 1.2,
    "attention (4, 8, 256, 64)": 1.0,
    "GPT step: 4 layers, 128 wide, 4 heads, 128 tokens, batch 8, AdamW": 1.1,
    "GPT: 256 tokens written with a cache, 4 layers, 128 wide, 4 heads": 1.0,
}
ROWS += [
    Row(f"kernels: {plain.name}", WITH_KERNELS[plain.name], plain.setup, kernels=True)
    for plain in list(ROWS)
    if plain.name in WITH_KERNELS
]
