"""PyTorch's encoder, TransformerEncoderLayer and TransformerEncoder, made of attention and norms."""

import copy

from tinytorch.activations import gelu, relu
from tinytorch.attention import MultiheadAttention
from tinytorch.given.transformer.normalization import LayerNorm
from tinytorch.layers import Dropout, Linear, Module, ModuleList

__all__ = ["TransformerEncoder", "TransformerEncoderLayer"]


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each with a residual connection and a LayerNorm.

    From Vaswani et al. (2017).

    Args:
        d_model, nhead: the length of the vectors, and the number of heads.
        dim_feedforward: the width between the two linear layers.
        dropout: the chance with which weights and outputs are dropped while training.
        activation: "relu", "gelu", or a function.
        norm_first: normalise what is read (pre-norm), in place of the sum (post-norm, the original).

    Shape: (T, B, E) to (T, B, E); B first with `batch_first`.

    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, dim_feedforward=16, batch_first=True)
    >>> layer(torch.zeros(4, 5, 8)).shape
    torch.Size([4, 5, 8])
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
        self.activation = activation_of(activation)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """src (T, B, E), or (B, T, E) with `batch_first`, to that shape; masks as MultiheadAttention's."""
        masks = src_mask, src_key_padding_mask, is_causal
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *masks)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, *masks))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        """Attention among the positions of x."""
        return self.dropout1(attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x):
        """The network for each position alone."""
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after the other, and a norm at the end if one is given.

    Shape: (T, B, E) to (T, B, E); B first with `batch_first`.

    >>> encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16), num_layers=2)
    >>> encoder(torch.zeros(5, 4, 8)).shape
    torch.Size([5, 4, 8])
    """

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """See `TransformerEncoderLayer.forward`."""
        for layer in self.layers:
            src = layer(
                src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal)
            )
        return src if self.norm is None else self.norm(src)


def attended(attention, x, memory, attn_mask, key_padding_mask, is_causal):
    """What the positions of x find in memory, without the weights."""
    masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
    return attention(x, memory, memory, need_weights=False, **masks)[0]


def copies(layer, number):
    """A list of copies of a layer: equal at first, each with its own parameters."""
    return ModuleList([copy.deepcopy(layer) for _ in range(number)])


def activation_of(activation):
    """The function that "relu" or "gelu" names; a function as it is."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return relu if activation == "relu" else gelu
