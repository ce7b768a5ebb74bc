"""MultiheadAttention, made of `project` and `multi_head_attention`: weights, masks, learned extra keys."""

from types import SimpleNamespace

from tinytorch.attention import additive_mask, multi_head_attention, project
from tinytorch.layers import Linear, Module, Parameter, constant_, linear, xavier_normal_, xavier_uniform_
from tinytorch.tensor import cat, empty, wrap, zeros

__all__ = ["MultiheadAttention", "NonDynamicallyQuantizableLinear", "multi_head_attention_forward"]


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear; MultiheadAttention's last layer carries this name in PyTorch."""


class MultiheadAttention(Module):
    """Project queries, keys and values, attend with several heads, project the result.

    From Vaswani et al. (2017), section 3.2.

    Args:
        embed_dim: E, the length of the vectors; num_heads divides it.
        dropout: the chance with which a weight is dropped while training.
        bias: whether the projections have one.
        add_bias_kv: add a learned key and value to every sequence; add_zero_attn: add a zero key and value.
        kdim, vdim: the lengths of keys and values, where they are not E.
        batch_first: tensors are (B, T, E) in place of (T, B, E).

    Shape: (T, B, E), (S, B, kdim) and (S, B, vdim) to (T, B, E) and weights (B, T, S); B first with
        `batch_first`.

    >>> attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> output, weights = attention(*[torch.zeros(4, 5, 8)] * 3)
    >>> output.shape, weights.shape
    (torch.Size([4, 5, 8]), torch.Size([4, 5, 5]))
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} "
                f"and num_heads={num_heads} instead"
            )
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.embed_dim, self.num_heads, self.head_dim = (embed_dim, num_heads, embed_dim // num_heads)
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"
        self.kdim, self.vdim = (embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim)
        self.dropout, self.batch_first, self.add_zero_attn = (dropout, batch_first, add_zero_attn)
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        packed = Parameter(empty(3 * embed_dim, embed_dim, **options)) if self._qkv_same_embed_dim else None
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            separate = Parameter(empty(embed_dim, width, **options)) if packed is None else None
            self.register_parameter(f"{name}_proj_weight", separate)
        self.register_parameter("in_proj_weight", packed)
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, **options)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **options)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(
                name, Parameter(empty(1, 1, embed_dim, **options)) if add_bias_kv else None
            )
        self._reset_parameters()

    def _reset_parameters(self):
        """Draw the projections by Glorot and Bengio's rule; biases are zero."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            xavier_normal_(self.bias_k)
            xavier_normal_(self.bias_v)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        """Attend from `query` to `key` and `value`.

        Args:
            query, key, value: (T, B, E), (S, B, kdim), (S, B, vdim); B first with `batch_first`; one sequence
                may come without B.
            key_padding_mask: (B, S): True, or -inf, where a key is padding.
            need_weights: whether the weights are returned too; attention is faster without.
            attn_mask: (T, S) or (B·H, T, S): True where a query must not look, or numbers to be added.
            average_attn_weights: return the mean of the heads' weights, not each.
            is_causal: a hint that `attn_mask` is the causal one, which must be given all the same.

        Returns:
            The output, shaped as the query, and the weights (B, T, S), or (B, H, T, S), or None.
        """
        batched = check_multi_head(self, query, key, value, key_padding_mask, attn_mask, is_causal)
        q, k, v = self._project(query, key, value, batched)  # (B, T, E), (B, S, E) twice
        hinted = is_causal and key_padding_mask is None and not need_weights and self.bias_k is None
        hinted = hinted and not self.add_zero_attn
        mask = None if hinted else merge_masks(attn_mask, key_padding_mask, q, k, self.num_heads)
        k, v, mask = self._extend(k, v, mask)
        dropout_p = self.dropout if self.training else 0.0
        output, weights = multi_head_attention(
            q, k, v, self.num_heads, self._mix, mask, dropout_p, need_weights, hinted
        )
        if need_weights and average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            return output.squeeze(1), weights if weights is None else weights.squeeze(0)
        return output.transpose(0, 1) if self.batch_first else output, weights

    def _project(self, query, key, value, batched):
        """The heads' queries, keys and values, batch first."""
        orders = {id(x): self._batch_first_of(x, batched) for x in (query, key, value)}
        inputs = [orders[id(x)] for x in (query, key, value)]
        if self._qkv_same_embed_dim:
            return project(*inputs, self.in_proj_weight, self.in_proj_bias)
        matrices = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [linear(x, W, b) for x, W, b in zip(inputs, matrices, biases)]

    def _batch_first_of(self, x, batched):
        """A tensor as (B, T, E), whatever order it came in."""
        if not batched:
            return x.unsqueeze(0)
        return x if self.batch_first else x.transpose(0, 1)

    def _mix(self, joined):
        """The last layer, of (T, B, E) in memory too, so that a dropout behind it draws as PyTorch's."""
        return self.out_proj(joined.transpose(0, 1))

    def _extend(self, k, v, mask):
        """Keys, values and mask with the learned and the zero pair behind them, if the module has them."""
        more = [(self.bias_k, self.bias_v)] if self.bias_k is not None else []
        more += [(zeros(1, 1, self.embed_dim, dtype=k.dtype),) * 2] if self.add_zero_attn else []
        for extra_k, extra_v in more:
            k = cat([k, extra_k.expand(len(k), 1, self.embed_dim)], 1)
            v = cat([v, extra_v.expand(len(v), 1, self.embed_dim)], 1)
            mask = None if mask is None else cat([mask, zeros(*mask.shape[:-1], 1, dtype=mask.dtype)], -1)
        return k, v, mask


class WithWeights(SimpleNamespace):
    """What MultiheadAttention computes with weights that are no module's."""

    forward, _batch_first_of = MultiheadAttention.forward, MultiheadAttention._batch_first_of
    _mix, _extend = MultiheadAttention._mix, MultiheadAttention._extend
    batch_first = False

    def _project(self, query, key, value, batched):
        """The heads' queries, keys and values, batch first; keys and values may have been given."""
        q, *projected = MultiheadAttention._project(self, query, key, value, batched)
        split = [None if x is None else x.unflatten(0, (-1, self.num_heads)) for x in self.static]
        return q, *[x if s is None else s.transpose(1, 2).flatten(2) for x, s in zip(projected, split)]


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """Compute what MultiheadAttention does, with the weights that are given; batch second.

    Args:
        query, key, value: (T, B, E), (S, B, kdim), (S, B, vdim); one sequence may come without B.
        embed_dim_to_check: E; num_heads: H, which divides it.
        in_proj_weight: (3E, E), queries' rows first; with `use_separate_proj_weight`, `q_proj_weight` and its
            kin take its place.
        static_k, static_v: (B·H, S, E/H), in place of keys and values that are projected.

    Returns:
        The output, shaped as the query, and the weights (B, T, S), or (B, H, T, S), or None.

    Raises:
        AssertionError: for shapes that do not go together, and a weight that is missing.

    >>> weights = torch.eye(4).repeat(3, 1), None, None, None, False, 0.0, torch.eye(4), None
    >>> inputs = [torch.ones(3, 1, 4)] * 3
    >>> output, _ = torch.nn.functional.multi_head_attention_forward(*inputs, 4, 2, *weights)
    >>> output[0]
    tensor([[1., 1., 1., 1.]])
    """
    separate = {
        "q_proj_weight": q_proj_weight,
        "k_proj_weight": k_proj_weight,
        "v_proj_weight": v_proj_weight,
    }
    needed = separate if use_separate_proj_weight else {"in_proj_weight": in_proj_weight}
    for name, weight in needed.items():
        assert weight is not None, (
            f"use_separate_proj_weight is {use_separate_proj_weight} but {name} is None"
        )
    assert embed_dim_to_check % num_heads == 0, (
        f"embed_dim {embed_dim_to_check} not divisible by num_heads {num_heads}"
    )
    assert (bias_k is None) == (bias_v is None), "bias_k and bias_v go together"
    assert bias_k is None or static_k is static_v is None, "bias cannot be added to static key or value."
    k, v = [key.shape[-1], value.shape[-1]] if use_separate_proj_weight else [embed_dim_to_check] * 2
    module = WithWeights(
        embed_dim=embed_dim_to_check,
        num_heads=num_heads,
        kdim=k,
        vdim=v,
        in_proj_weight=in_proj_weight,
        in_proj_bias=in_proj_bias,
        bias_k=bias_k,
        bias_v=bias_v,
        add_zero_attn=add_zero_attn,
        dropout=dropout_p,
        training=training,
        out_proj=lambda joined: linear(joined, out_proj_weight, out_proj_bias),
        static=(static_k, static_v),
        _qkv_same_embed_dim=not use_separate_proj_weight,
        **separate,
    )
    options = key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal
    return module.forward(query, key, value, *options)


def merge_masks(attn_mask, key_padding_mask, q, k, num_heads):
    """Both masks as one that is added to scores (B, H, T, S), or None. In both, True must not be seen."""
    merged = None
    if attn_mask is not None:
        merged = blocked_to_added(attn_mask, q)
        if merged.dim() == 3:
            merged = merged.unflatten(0, (-1, num_heads))
    if key_padding_mask is not None:
        padding = blocked_to_added(key_padding_mask, q).reshape(len(k), 1, 1, -1)
        merged = padding if merged is None else merged + padding
    return merged


def blocked_to_added(mask, like):
    """A mask of what must not be seen as one to be added; one of numbers as it is."""
    assert mask.is_floating_point() or mask.dtype.name == "bool", (
        "only bool and floating types of attn_mask are supported"
    )
    return mask if mask.is_floating_point() else wrap(additive_mask(~mask.array, like.array.dtype))


def check_multi_head(module, query, key, value, key_padding_mask, attn_mask, is_causal):
    """Whether there is a batch dimension; AssertionError or RuntimeError for what does not go together."""
    assert query.dim() in (2, 3), (
        f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
    )
    batched, kind = query.dim() == 3, "3-D" if query.dim() == 3 else "2-D"
    assert key.dim() == value.dim() == query.dim(), (
        f"For {kind} query, expected key and value to be {kind} but found {key.dim()}-D and {value.dim()}-D"
    )
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    check_widths(module, query, key, value)
    batch, position = (0, 1) if module.batch_first and batched else (1, 0)
    B = query.shape[batch] if batched else 1
    if batched and key.shape[batch] != B:
        raise RuntimeError(f"the queries are of {B} sequences, keys and values of {key.shape[batch]}")
    T, S, H = query.shape[position], key.shape[position], module.num_heads
    if key_padding_mask is not None:
        expected = (B, S) if batched else (S,)
        assert key_padding_mask.shape == expected, (
            f"Expected key_padding_mask of shape {expected}, but got {tuple(key_padding_mask.shape)}"
        )
    if attn_mask is not None:
        assert attn_mask.dim() in (2, 3), f"expected a 2-D or 3-D attn_mask but found {attn_mask.dim()}-D"
        expected = (T, S) if attn_mask.dim() == 2 else (B * H, T, S)
        if attn_mask.shape != expected:
            error = RuntimeError if batched else AssertionError
            found = attn_mask.shape
            raise error(f"The shape of the {len(found)}D attn_mask is {found}, but should be {expected}.")
    return batched


def check_widths(module, query, key, value):
    """AssertionError for queries, keys and values whose vectors are not those of the projections."""
    assert query.shape[-1] == module.embed_dim, (
        f"was expecting embedding dimension of {module.embed_dim}, but got {query.shape[-1]}"
    )
    if module._qkv_same_embed_dim:
        assert key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}"
        return
    assert key.shape[:-1] == value.shape[:-1], (
        f"key's sequence and batch dims {key.shape[:-1]} do not match value's {value.shape[:-1]}"
    )
    for name, x, width in (("key", key, module.kdim), ("value", value, module.vdim)):
        assert x.shape[-1] == width, f"expecting {name}s of width {width}, but got {x.shape[-1]}"
