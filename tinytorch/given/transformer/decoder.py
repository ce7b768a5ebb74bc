"""PyTorch's decoder, and the transformer of 2017: an encoder, and a decoder that attends to its output."""

from tinytorch.activations import relu
from tinytorch.attention import MultiheadAttention
from tinytorch.given.transformer.encoder import (
    TransformerEncoder,
    TransformerEncoderLayer,
    activation_of,
    attended,
    copies,
)
from tinytorch.given.transformer.normalization import LayerNorm
from tinytorch.layers import Dropout, Linear, Module, xavier_uniform_
from tinytorch.tensor import full, triu

__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer"]


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's output, and a feed-forward network (Vaswani et al., 2017).

    Each has a residual connection and a LayerNorm. See `TransformerEncoderLayer` for the arguments.

    Shape: (T, B, E) and memory (S, B, E) to (T, B, E); B first with `batch_first`.

    >>> layer = torch.nn.TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
    >>> layer(torch.zeros(5, 4, 8), torch.zeros(7, 4, 8)).shape
    torch.Size([5, 4, 8])
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
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **options)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **options)
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))
        self.activation = activation_of(activation)

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        """tgt (T, B, E) and memory (S, B, E), B first with `batch_first`, to tgt's shape.

        The masks are MultiheadAttention's: those of `tgt` for the attention among its positions, those of
        `memory` for the attention to it.
        """
        masks = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        memory = memory, memory_mask, memory_key_padding_mask, memory_is_causal
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *masks)
            x = x + self._mha_block(self.norm2(x), *memory)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *masks))
        x = self.norm2(x + self._mha_block(x, *memory))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        """Attention among the positions of x."""
        return self.dropout1(attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        """Attention from x to the encoder's output."""
        return self.dropout2(attended(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x):
        """The network for each position alone."""
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoder(Module):
    """`num_layers` copies of a decoder layer, one after the other, and a norm at the end if one is given.

    Shape: (T, B, E) and memory (S, B, E) to (T, B, E); B first with `batch_first`.

    >>> decoder = torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer(8, 2, 16), num_layers=2)
    >>> decoder(torch.zeros(5, 4, 8), torch.zeros(7, 4, 8)).shape
    torch.Size([5, 4, 8])
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        """See `TransformerDecoderLayer.forward`."""
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder of one sequence, and a decoder of another that attends to it (Vaswani et al., 2017).

    Args:
        d_model, nhead: the length of the vectors, and the number of heads.
        num_encoder_layers, num_decoder_layers: how many layers each has.
        custom_encoder, custom_decoder: modules in their place.

    Shape: (S, B, E) and (T, B, E) to (T, B, E); B first with `batch_first`.

    >>> model = torch.nn.Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16)
    >>> model(torch.zeros(7, 4, 8), torch.zeros(5, 4, 8)).shape
    torch.Size([5, 4, 8])
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation=relu,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-05,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        switches = {"batch_first": batch_first, "norm_first": norm_first}
        sizes = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps

        def norm():
            return LayerNorm(d_model, layer_norm_eps, **options)

        if custom_encoder is None:
            layer = TransformerEncoderLayer(*sizes, **switches, **options)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*sizes, **switches, **options)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        """src (S, B, E) and tgt (T, B, E), B first with `batch_first`, or both without B, to tgt's shape."""
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """Return the causal mask (sz, sz) that is added: 0 up to the diagonal, -inf above it.

        >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return triu(full((sz, sz), float("-inf"), dtype=dtype, device=device), 1)

    def _reset_parameters(self):
        """Draw every matrix by Glorot and Bengio's rule."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                xavier_uniform_(parameter)
