"""A GPT with the weights of a GGUF file: Llama's architecture is that of a GPT with five switches on."""

import copy
import itertools
from dataclasses import replace

import numpy as np

from tinytorch.given.tensor.devices import later
from tinytorch.given.tokenizer.gguf import Stored, read_gguf
from tinytorch.layers import Identity, Linear, ModuleList, Parameter
from tinytorch.tensor import wrap
from tinytorch.transformer import Block, GPTConfig

__all__ = []

# A block's layers, and the tensors of the file whose rows they are, one below the other.
LAYERS = {
    "attn.c_attn": ("attn_q", "attn_k", "attn_v"),
    "attn.c_proj": ("attn_output",),
    "mlp.c_fc": ("ffn_gate", "ffn_up"),
    "mlp.c_proj": ("ffn_down",),
}


def gpt_of_gguf(cls, path, bits):
    """A model of the class `cls`, in evaluation mode; see `GPT.from_pretrained`."""
    if bits not in (4, 8, 32):
        raise ValueError(f"weights have 4, 8 or 32 bits, not {bits}")
    facts, tensors = read_gguf(path)
    try:
        config = config_of(facts)
        model = bare(cls, config)
        parts = model.transformer
        for number, block in enumerate(parts.h):
            names = ("attn_norm", "ffn_norm", *itertools.chain(*LAYERS.values()))
            fill(block, {name: tensors[f"blk.{number}.{name}.weight"] for name in names}, config, bits)
        gain(parts.ln_f, tensors["output_norm.weight"])
        model.lm_head = layer_of(tensors["token_embd.weight"], bits)  # one table for both ends
    except KeyError as error:
        raise RuntimeError(f"{path} lacks {error.args[0]}") from None
    if isinstance(model.lm_head, Linear):
        parts.wte.weight, parts.wte.num_embeddings = model.lm_head.weight, config.vocab_size
    else:
        parts.wte = later("quantization").GroupedEmbedding(model.lm_head)
    return model.eval()


def config_of(facts):
    """The sizes given by a file."""
    if facts["general.architecture"] != "llama":
        raise ValueError(f"the architecture is {facts['general.architecture']}; llama can be read")
    sizes = {key.removeprefix("llama."): value for key, value in facts.items()}
    return GPTConfig(
        vocab_size=sizes.get("vocab_size", len(facts["tokenizer.ggml.tokens"])),
        block_size=sizes["context_length"],
        n_layer=sizes["block_count"],
        n_head=sizes["attention.head_count"],
        n_kv_head=sizes["attention.head_count_kv"],
        n_embd=sizes["embedding_length"],
        n_inner=sizes["feed_forward_length"],
        layer_norm_epsilon=sizes["attention.layer_norm_rms_epsilon"],
        rotary_base=sizes["rope.freq_base"],
        **{"dropout": 0.0, "bias": False, "rms_norm": True, "rotary": True, "gated": True},
    )


def bare(cls, config):
    """A model without the weights that a file brings, so that none are drawn; blocks share their angles."""
    model, block = cls(replace(config, n_layer=0, vocab_size=1)), Block(config)
    for place in LAYERS:
        put(block, place, Identity())
    shared = {id(block.attn.rotary): block.attn.rotary}
    model.transformer.h = ModuleList([copy.deepcopy(block, dict(shared)) for _ in range(config.n_layer)])
    model.config = config
    return model


def fill(block, tensors, config, bits):
    """Give a block the file's weights; the rows of a head's queries and keys are `halved`."""
    gain(block.ln_1, tensors["attn_norm"])
    gain(block.ln_2, tensors["ffn_norm"])
    heads = {"attn_q": config.n_head, "attn_k": config.n_kv_head}
    for place, names in LAYERS.items():
        stored = [tensors[name] for name in names]
        if len({one.kind for one in stored}) > 1:
            raise ValueError(f"{' and '.join(names)} are stored as different kinds")
        rows = [
            halved(one.blocks, heads[name]) if name in heads else one.blocks
            for name, one in zip(names, stored)
        ]
        layer = layer_of(Stored(stored[0].kind, np.concatenate(rows)), bits)
        if (layer.out_features, layer.in_features) != sizes_of(config)[place]:
            raise RuntimeError(f"{', '.join(names)} do not have the sizes given by the file")
        put(block, place, layer)


def sizes_of(config):
    """The (rows, columns) of each layer of a block."""
    wide, heads = config.n_embd, config.n_head + 2 * config.n_kv_head
    return {
        "attn.c_attn": (wide // config.n_head * heads, wide),
        "attn.c_proj": (wide, wide),
        "mlp.c_fc": (2 * config.n_inner, wide),
        "mlp.c_proj": (wide, config.n_inner),
    }


def halved(rows, heads):
    """Rows in which the two that are turned together are neighbours, with those of each head in two halves.

    Rotary positions turn entries j and j + d/2 of a head of d (module 11); a file has them side by side.
    """
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return pairs.swapaxes(1, 2).reshape(rows.shape)


def layer_of(stored, bits):
    """A layer with the weights of a tensor's blocks: as they are, in int8 by rows, or in float32."""
    if stored.kind == "F32":
        return dense(stored.blocks.view("<f4")[..., 0])
    quantization = later("quantization")
    kinds = {"Q4_1": (quantization.Int4Linear, 4), "Q8_0": (quantization.Int8Linear, 8)}
    kind, size = kinds[stored.kind]
    layer = kind.from_blocks(stored.blocks)
    if bits == 32:
        return dense(layer.weights())
    return layer if bits <= size else quantization.QuantizedLinear(dense(layer.weights()))


def dense(weight):
    """A Linear without a bias whose weight is this array, without drawing numbers."""
    layer = Linear(1, 1, bias=False)
    layer.out_features, layer.in_features = weight.shape
    layer.weight = Parameter(wrap(np.array(weight, np.float32, copy=None)))
    return layer


def put(block, place, layer):
    """Set one of a block's layers, such as "mlp.c_fc"."""
    part, _, name = place.partition(".")
    setattr(getattr(block, part), name, layer)


def gain(norm, stored):
    """Give a norm its gain, which a file has in float32."""
    norm.weight = Parameter(wrap(np.array(stored.blocks.view("<f4").reshape(norm.weight.shape))))
