# %% [markdown]
# # 13 Transformers

# %%
#| export
import copy
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinytorch.activations import gelu, relu, softmax
from tinytorch.attention import MultiheadAttention, causal_mask, scaled_dot_product_attention, unbind
from tinytorch.autograd import no_grad
from tinytorch.dataloader import Dataset
from tinytorch.embeddings import Embedding
from tinytorch.layers import Dropout, Linear, Module, ModuleDict, ModuleList, Parameter, normal_, zeros_
from tinytorch.losses import cross_entropy
from tinytorch.tensor import Function, Generator, Tensor, arange, cat, later, multinomial, ones, wrap, zeros


# %%
#| export
def row_mean(x, y):
    """The mean of each row of x · y, (N, 1). For arrays it is a dot product a row, and no array of the products is made."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return (x * y).mean(axis=1, keepdims=True)
    return np.vecdot(x, y)[:, None] / x.shape[1]


# %%
#| export
def normalise(rows, eps):
    """Bring each row to mean 0 and deviation 1 (Ba et al., 2016).

    n = (x - mean) / √(variance + eps), the variance being the mean of (x - mean)²

    Args:
        rows: (N, D), an array or a Tensor: use what both have.
        eps: what keeps a constant row from being divided by zero.

    Returns:
        The normalised rows (N, D), and 1/√(variance + eps), (N, 1).

    >>> normalise(np.float32([[1, 3]]), 0.0)[0]
    array([[-1.,  1.]], dtype=float32)
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    inverse = (row_mean(centred, centred) + eps) ** -0.5
    return centred * inverse, inverse


# %%
#| export
def normalise_backward(n, inverse, grad):
    """Compute the gradient of rows from that of their normalised values.

    dx = (g - mean(g) - n mean(g n)) / √(variance + eps), the means taken over each row

    Args:
        n, inverse: what `normalise` returned for the rows, (N, D) and (N, 1); arrays or Tensors.
        grad: g (N, D), the gradient of n.

    Returns:
        The gradient of the rows, (N, D), a new array: none of the three is changed.
    """
    return (grad - grad.mean(axis=1, keepdims=True) - n * row_mean(grad, n)) * inverse


# %%
#| export
def rms_normalise(rows, eps):
    """Divide each row by its root mean square (Zhang and Sennrich, 2019).

    n = x / √(mean(x²) + eps)

    Args:
        rows: (N, D), an array or a Tensor.
        eps: what keeps a row of zeros from being divided by zero.

    Returns:
        The normalised rows (N, D), and 1/√(mean(x²) + eps), (N, 1).

    >>> rms_normalise(np.float32([[3, 4]]), 0.0)[0].round(4)
    array([[0.8485, 1.1314]], dtype=float32)
    """
    inverse = (row_mean(rows, rows) + eps) ** -0.5
    return rows * inverse, inverse


#| export
def rms_normalise_backward(n, inverse, grad):
    """Compute the gradient of rows from that of their normalised values, as `normalise_backward` does.

    dx = (g - n mean(g n)) / √(mean(x²) + eps)
    """
    return (grad - n * row_mean(grad, n)) * inverse


# %%
#| export
class LayerNormalization(Function):
    """Normalise rows of `width` entries, then stretch and shift the entries: n · weight + bias."""

    rule, backward_rule = staticmethod(normalise), staticmethod(normalise_backward)

    @classmethod
    def forward(cls, ctx, x, weight, bias, width, eps):
        ctx.save_for_backward(x, weight)
        ctx.width, ctx.eps, ctx.bias_shape = width, eps, None if bias is None else bias.shape
        rows = x.reshape(x.size // width, width)  # (N, D)
        output = np.empty_like(rows)
        for block in row_blocks(rows):
            normal, _ = cls.rule(rows[block], eps)
            if weight is not None:
                normal *= weight.reshape(width)
            output[block] = normal if bias is None else np.add(normal, bias.reshape(width), out=normal)
        return output.reshape(x.shape)

    @classmethod
    def backward(cls, ctx, grad):
        x, weight = ctx.saved_tensors
        shape = math.prod(x.shape) // ctx.width, ctx.width
        rows, grad = x.reshape(shape), grad.reshape(shape)
        grad_bias = None if ctx.bias_shape is None else grad.sum(axis=0).reshape(ctx.bias_shape)
        if isinstance(grad, Tensor):  # for second derivatives: all rows at once, on Tensors
            grad_x, grad_weight = cls.gradients(rows, grad, weight, ctx.eps)
            grad_x = grad_x.reshape(x.shape)
        else:
            grad_x = np.empty(x.shape, x.dtype)
            found, grad_weight = grad_x.reshape(shape), None if weight is None else np.zeros_like(weight)
            for block in row_blocks(rows):
                found[block], part = cls.gradients(rows[block], grad[block], weight, ctx.eps)
                grad_weight = part if part is None else grad_weight + part
        return grad_x, grad_weight, grad_bias

    @classmethod
    def gradients(cls, rows, grad, weight, eps):
        """What some rows send back: the gradients of x and, if there is one, of the weight."""
        n, inverse = cls.rule(rows, eps)
        if weight is None:
            return cls.backward_rule(n, inverse, grad), None
        grad_weight = (grad * n).sum(axis=0).reshape(weight.shape)
        return cls.backward_rule(n, inverse, grad * weight.reshape(rows.shape[1])), grad_weight


def row_blocks(rows):
    """Slices of rows (N, D) of half a megabyte or so: what is made of one is still in the cache when it is used."""
    step = max(1, 2**17 // rows.shape[1])
    return [slice(start, start + step) for start in range(0, max(len(rows), 1), step)]


class RMSNormalization(LayerNormalization):
    """The same with the root mean square, and no bias."""

    rule, backward_rule = staticmethod(rms_normalise), staticmethod(rms_normalise_backward)


# %%
#| export
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Normalise over the last dimensions, which are `normalized_shape`; see `LayerNormalization.forward`."""
    width = check_norm("layer_norm", input, normalized_shape, weight, bias)
    return LayerNormalization.apply(input, weight, bias, width=width, eps=eps)


def check_norm(name, input, normalized_shape, weight=None, bias=None):
    """The number of entries to normalise together; PyTorch's refusals of shapes and types that do not fit."""
    if not isinstance(normalized_shape, (tuple, list)):
        kind = type(normalized_shape).__name__
        raise TypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {kind}"
        )
    shape = list(normalized_shape)
    if not shape:
        raise RuntimeError(
            f"Expected normalized_shape to be at least 1-dimensional, but got normalized_shape = {shape}"
        )
    for title, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and list(parameter.shape) != shape:
            raise RuntimeError(
                f"Expected {title} to be of same shape as normalized_shape, "
                f"but got {title} of shape {list(parameter.shape)} and normalized_shape = {shape}"
            )
    if list(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [*, {', '.join(map(str, shape))}], "
            f"but got input of size{list(input.shape)}"
        )
    if not input.is_floating_point():
        raise NotImplementedError(f"{name} is not implemented for {input.dtype}")
    return math.prod(shape)


class Norm(Module):
    """What LayerNorm and RMSNorm share: the shape of a row, a gain for each entry, and how they are printed."""

    def __init__(self, normalized_shape, eps, elementwise_affine, bias, device, dtype):
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.eps, self.elementwise_affine = eps, elementwise_affine
        options = {"device": device, "dtype": dtype}
        gain = Parameter(ones(*self.normalized_shape, **options)) if elementwise_affine else None
        self.register_parameter("weight", gain)
        if bias is not None:
            shift = (
                Parameter(zeros(*self.normalized_shape, **options)) if elementwise_affine and bias else None
            )
            self.register_parameter("bias", shift)

    def extra_repr(self):
        text = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{text}, bias={self.bias is not None}" if "bias" in self._parameters else text


class LayerNorm(Norm):
    """Bring the entries of each row to mean 0 and deviation 1, then stretch and shift them by learned amounts.

    Args:
        normalized_shape: the last dimensions, which are a row; an int for the last one.
        eps: what is added to the variance.
        elementwise_affine: whether there is a weight (ones at first), and with `bias` a bias (zeros).

    >>> LayerNorm(3)(tensor([[1.0, 2.0, 3.0]])).detach()
    tensor([[-1.2247,  0.0000,  1.2247]])
    """

    def __init__(
        self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None
    ):
        super().__init__(normalized_shape, eps, elementwise_affine, bias, device, dtype)

    def forward(self, input):
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


# %%
#| export
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root mean square over the last dimensions, which are `normalized_shape`; eps is the dtype's by default."""
    width = check_norm("rms_norm", input, normalized_shape, weight)
    eps = float(np.finfo(input.array.dtype).eps) if eps is None else eps
    return RMSNormalization.apply(input, weight, None, width=width, eps=eps)


class RMSNorm(Norm):
    """Divide each row by its root mean square, then stretch its entries by learned amounts. See `LayerNorm`."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__(normalized_shape, eps, elementwise_affine, None, device, dtype)

    def forward(self, input):
        return rms_norm(input, self.normalized_shape, self.weight, self.eps)


# %%
#| export
@dataclass
class GPTConfig:
    """The sizes of a GPT; as they stand, those of the smallest GPT-2."""

    vocab_size: int = 50257
    block_size: int = 1024  # the longest sequence
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.1
    bias: bool = True
    layer_norm_epsilon: float = 1e-5


# %%
#| export
class CausalSelfAttention(Module):
    """Let each position look at itself and at those before it, with several heads.

    `c_attn` makes queries, keys and values in one product, 3C numbers for each position: first all queries, then all
    keys, then all values, each head by head. `c_proj` mixes what the heads found.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError(f"{config.n_embd} entries cannot be shared by {config.n_head} heads")
        self.n_head, self.dropout = config.n_head, config.dropout
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.resid_dropout = Dropout(config.dropout)

    def forward(self, x, cache=None):
        """Attend; `cache`, from module 18, adds the keys and values of positions that were seen in earlier calls.

        Args:
            x: (B, T, C).
            cache: None, or an object whose `update(k, v)` takes k and v (B, H, T, d) and returns those of all S positions.
        """
        B, T, C = x.shape
        packed = self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head)
        q, k, v = (part.transpose(1, 2) for part in unbind(packed, 2))  # (B, H, T, d)
        y = self.attend(q, k, v, cache)
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))

    def attend(self, q, k, v, cache):
        """Causal attention of the last T positions to all S."""
        if cache is not None:
            k, v = cache.update(k, v)
        T, S = q.shape[-2], k.shape[-2]
        mask = None if T in (1, S) else wrap(causal_mask(range(S - T, S), range(S), q.array.dtype))
        dropout_p = self.dropout if self.training else 0.0
        return scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal=T == S)


# %%
#| export
class MLP(Module):
    """Work on each position alone: out to four times the width, through gelu (tanh), and back.

    Its layers are `c_fc`, `c_proj` and `dropout`, in the order of use.

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        self.c_fc = Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.c_proj = Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = Dropout(config.dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(gelu(self.c_fc(x), approximate="tanh")))


# %%
#| export
class Block(Module):
    """Attention, then an MLP; each reads a normalised copy of the stream and adds what it found to the stream itself.

    x = x + attn(ln_1(x)),  x = x + mlp(ln_2(x))

    Shape: (B, T, C) to (B, T, C).
    """

    def __init__(self, config):
        super().__init__()
        norm = {"eps": config.layer_norm_epsilon, "bias": config.bias}
        self.ln_1, self.attn = LayerNorm(config.n_embd, **norm), CausalSelfAttention(config)
        self.ln_2, self.mlp = LayerNorm(config.n_embd, **norm), MLP(config)

    def forward(self, x, cache=None):
        """`cache` is for the attention."""
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))


# %%
#| export
def filter_logits(logits, top_k=None, top_p=None):
    """Rule out unlikely tokens, by giving them the logit -inf.

    Args:
        logits: a Tensor (B, V).
        top_k: keep the k largest of each row, and whatever equals the k-th; None keeps all.
        top_p: then keep, of the rest, the fewest most likely tokens whose probabilities reach p together; at least one.

    Returns:
        A new Tensor (B, V).

    >>> filter_logits(tensor([[1.0, 3.0, 2.0]]), top_k=2)
    tensor([[-inf, 3., 2.]])
    """
    if top_k is not None:
        smallest = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None:
        ordered = logits.sort(descending=True).values
        probabilities = softmax(ordered, -1)
        before = probabilities.cumsum(-1) - probabilities  # of the tokens that are likelier
        kept = (before < top_p).sum(-1, keepdim=True).clamp(min=1)
        logits = logits.masked_fill(logits < ordered.gather(-1, kept - 1), -math.inf)
    return logits


# %%
#| export
def next_token(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draw a token for each row of logits.

    Args:
        logits: a Tensor (B, V).
        temperature: what the logits are divided by; with 0 the most likely token is taken.
        top_k, top_p: as for `filter_logits`.
        generator: where the random numbers come from; None for the global one.

    Returns:
        Tokens (B, 1), int64.

    >>> next_token(tensor([[0.0, 9.0, 1.0]]), temperature=0)
    tensor([[1]])
    """
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    probabilities = softmax(filter_logits(logits / temperature, top_k, top_p), -1)
    return multinomial(probabilities, 1, generator=generator)


# %%
#| export
@no_grad()
def generate(
    model, idx, max_new_tokens, temperature=1.0, top_k=None, top_p=None, stop=None, generator=None, cache=None
):
    """Continue sequences, one token at a time.

    Args:
        model: a GPT.
        idx: the tokens so far, (B, T), T at least 1.
        max_new_tokens: how many to add at most.
        temperature, top_k, top_p, generator: as for `next_token`.
        stop: a token, or several, after which a sequence is complete; it is filled up with that token while others go on.
        cache: from module 18: what remembers keys and values; `cache.unseen(window)` are the tokens that it has not seen.

    Returns:
        The tokens with those that were added, (B, T + n).
    """
    ends = [] if stop is None else [stop] if isinstance(stop, int) else list(stop)
    finished = np.zeros((len(idx), 1), bool)
    for _ in range(max_new_tokens):
        window = idx[:, -model.config.block_size :]
        hidden = model.hidden(window if cache is None else cache.unseen(window), cache)
        token = next_token(model.lm_head(hidden[:, -1]), temperature, top_k, top_p, generator)
        if ends:
            token = wrap(np.where(finished, idx.array[:, -1:], token.array))
            finished |= np.isin(token.array, ends)
        idx = cat([idx, token], 1)
        if finished.all():
            break
    return idx


# %%
#| export
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")


def gpt2_state(tensors):
    """Rename the tensors of a GPT-2 checkpoint to those of a `GPT`.

    - "transformer." is put before names that lack it;
    - the weights named in TRANSPOSED are (in, out) there, and (out, in) here;
    - the buffers `attn.bias` and `attn.masked_bias`, which hold no weights but the mask, are left out;
    - the head, "lm_head.weight", is the table "transformer.wte.weight", whether or not the checkpoint has it.

    Args:
        tensors: a dict from names to arrays.

    Returns:
        A dict from a GPT's names to arrays.
    """
    state = {}
    for name, array in tensors.items():
        name = name.removeprefix("transformer.")
        if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
            continue
        state[f"transformer.{name}"] = array.T if name.endswith(TRANSPOSED) else array
    state["lm_head.weight"] = state["transformer.wte.weight"]
    return state


# %%
#| export
class GPT(Module):
    """A decoder that continues text: GPT-2's architecture, under GPT-2's names (Radford et al., 2019).

    Token and position embeddings, `n_layer` blocks, a last LayerNorm, and a head that is the token table again.

    Shape: tokens (B, T) to logits (B, T, vocab_size), T at most `config.block_size`.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = ModuleDict(
            {
                "wte": Embedding(config.vocab_size, config.n_embd),
                "wpe": Embedding(config.block_size, config.n_embd),
                "drop": Dropout(config.dropout),
                "h": ModuleList([Block(config) for _ in range(config.n_layer)]),
                "ln_f": LayerNorm(config.n_embd, config.layer_norm_epsilon, bias=config.bias),
            }
        )
        self.lm_head = Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.transformer.wte.weight
        self.apply(self.initialise)

    def initialise(self, module):
        """GPT-2's start: deviation 0.02, less for what adds to the stream, since 2 n_layer such terms add up; no biases."""
        if isinstance(module, (Linear, Embedding)):
            normal_(module.weight, std=0.02)
            if getattr(module, "bias", None) is not None:
                zeros_(module.bias)
        elif isinstance(module, (CausalSelfAttention, MLP)):  # after the layers that are in it
            normal_(module.c_proj.weight, std=0.02 / math.sqrt(2 * self.config.n_layer))

    def forward(self, idx, cache=None):
        """The logits of the token after each position."""
        return self.lm_head(self.hidden(idx, cache))

    def hidden(self, idx, cache=None):
        """What the head reads: tokens (B, T) to (B, T, C).

        Raises:
            ValueError: if the sequence is longer than `config.block_size`.
        """
        start = 0 if cache is None else cache.length
        end = start + idx.shape[1]
        if end > self.config.block_size:
            raise ValueError(
                f"a sequence of {end} tokens is longer than block_size, {self.config.block_size}"
            )
        x = self.transformer.wte(idx) + self.transformer.wpe(arange(start, end))  # (B, T, C)
        x = self.transformer.drop(x)
        for number, block in enumerate(self.transformer.h):
            x = block(x, None if cache is None else cache.layers[number])
        return self.transformer.ln_f(x)

    def generate(
        self, idx, max_new_tokens, temperature=1.0, top_k=None, top_p=None, stop=None, seed=None, generator=None, use_cache=False
    ):  # fmt: skip
        """Continue the tokens idx (B, T), without dropout; see `generate`. A `seed` stands for a generator of its own."""
        generator = generator if seed is None else Generator().manual_seed(seed)
        cache = later("kv_cache").KVCache.for_model(self, len(idx)) if use_cache else None
        training = self.training
        self.eval()
        try:
            return generate(self, idx, max_new_tokens, temperature, top_k, top_p, stop, generator, cache)
        finally:
            self.train(training)

    @classmethod
    def from_pretrained(cls, path, dropout=0.1):
        """A GPT with the weights of a GPT-2 checkpoint: a folder with config.json and model.safetensors, or that file.

        Raises:
            FileNotFoundError: if one of the two is missing.
            ValueError: if the configuration asks for what this GPT does not do.
            RuntimeError: if the file is damaged, or its tensors do not fit the configuration.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = Path(path)
        path = path / "model.safetensors" if path.is_dir() else path
        sizes = json.loads(path.with_name("config.json").read_text(encoding="utf-8"))
        if sizes.get("activation_function", "gelu_new") != "gelu_new":
            raise ValueError(f"GPT-2's activation is gelu_new, not {sizes['activation_function']}")
        same = {name: sizes[name] for name in ("vocab_size", "n_layer", "n_head", "n_embd")}
        epsilon = sizes.get("layer_norm_epsilon", 1e-5)
        model = cls(
            GPTConfig(**same, block_size=sizes["n_positions"], dropout=dropout, layer_norm_epsilon=epsilon)
        )
        try:
            tensors = load_file(path)
        except SafetensorError as error:
            raise RuntimeError(f"{path} is no whole safetensors file: {error}") from None
        model.load_state_dict({name: wrap(array) for name, array in gpt2_state(tensors).items()})
        return model


# %%
#| export
def next_token_loss(logits, targets):
    """The mean cross-entropy of logits (B, T, V) for the tokens (B, T) that come next, in nats."""
    return cross_entropy(logits.flatten(0, 1), targets.flatten())


class TokenBlocks(Dataset):
    """Every piece of `block_size` tokens of a text, each with the tokens that follow one place later."""

    def __init__(self, ids, block_size):
        if len(ids) <= block_size:
            raise ValueError(f"a text of {len(ids)} tokens has no piece of {block_size} tokens and one more")
        self.ids, self.block_size = ids, block_size

    def __len__(self):
        return len(self.ids) - self.block_size

    def __getitem__(self, start):
        piece = self.ids[start : start + self.block_size + 1]
        return piece[:-1], piece[1:]


# %%
#| export
def bigram_loss(ids, held_out, vocab_size):
    """Measure how well the frequencies of pairs predict the next token: the cross-entropy that a GPT has to beat.

    p(b | a) = (count of ab in ids + 1) / (count of a followed by anything + vocab_size)

    Args:
        ids: the tokens that are counted, an int array (N,).
        held_out: the tokens that are predicted, an int array (M,), M at least 2.
        vocab_size: how many tokens there are.

    Returns:
        The mean of -ln p over the pairs of `held_out`, a float, in nats.

    >>> round(bigram_loss(np.array([0, 1, 0, 1]), np.array([0, 1]), 2), 4)  # p(1 | 0) = (2 + 1) / (2 + 2)
    0.2877
    """
    counts = np.ones((vocab_size, vocab_size))
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    chances = counts / counts.sum(axis=1, keepdims=True)
    return float(-np.log(chances[held_out[:-1], held_out[1:]]).mean())


# %% [markdown]
# ## The rest of the family


# %%
#| export
class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each with a residual connection and a LayerNorm (Vaswani et al., 2017).

    Args:
        d_model, nhead: the length of the vectors, and the number of heads.
        dim_feedforward: the width between the two linear layers.
        dropout: the chance with which weights and outputs are dropped while training.
        activation: "relu", "gelu", or a function.
        norm_first: normalise what is read (pre-norm), in place of the sum (post-norm, the original).
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=relu,
        layer_norm_eps=1e-05,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **options)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **options)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = {"relu": relu, "gelu": gelu}[activation]
        self.activation = activation

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """src (T, B, E), or (B, T, E) with `batch_first`, to the same shape; masks as MultiheadAttention's."""
        masks = src_mask, src_key_padding_mask, is_causal
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *masks)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, *masks))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]  # fmt: skip
        return self.dropout1(x)

    def _ff_block(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after the other, and a norm at the end if one is given."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """See `TransformerEncoderLayer.forward`."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)
