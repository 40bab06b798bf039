"""Several heads: attention many times over, each head with its own queries, keys and values."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, axes, share, width
from tfcourse.attention.cache import KeyValueCache
from tfcourse.attention.dot_product import scaled_dot_product_attention, tracing
from tfcourse.positions import Positions


class MultiHeadAttention(nn.Module):
    r"""Attention with ``H`` heads, over the sequence itself or over another one.

    .. math:: \text{head}_h = \operatorname{softmax}\!\left(
                  \frac{X W_Q^h (C W_K^h)^\top}{\sqrt{d_k}}\right) C W_V^h \qquad
              O = [\text{head}_1; \dots; \text{head}_H]\, W_O

    where ``C`` is ``X`` in self-attention, and the other sequence in cross-attention. The heads lie
    side by side in the columns of one matrix, so all of them are one product and a reshape.

    Parameters
    ----------
    d_model:
        Width of the tokens, ``D``, and of the output.
    heads:
        Number of heads, ``H``.
    kv_heads:
        Number of heads of keys and values, which groups of query heads share (grouped-query
        attention); ``heads`` unless given. It must divide ``heads``.
    d_k, d_v:
        Width of a head's queries and keys, and of its values; ``d_model / heads`` unless given.
    d_context:
        Width of the other sequence in cross-attention; ``d_model`` unless given.
    bias:
        Whether each projection adds a learned vector.
    dropout:
        Share of weights set to zero in training.
    positions:
        How places are told: any scheme of :mod:`tfcourse.positions`. Schemes that add to the tokens
        are the model's business and change nothing here. Only for self-attention: between two
        sequences there are no distances.
    scale:
        The number scores are multiplied by; ``1 / sqrt(d_k)`` unless given.
    window:
        With ``causal``, how many tokens a query may look at, itself among them; all unless given.
        Only for self-attention.

    Attributes
    ----------
    W_Q, W_K, W_V, W_O:
        ``(D, H d_k)``, ``(C, G d_k)``, ``(C, G d_v)`` and ``(H d_v, D)``.
    b_Q, b_K, b_V, b_O:
        Their vectors, or ``None``.

    Raises
    ------
    ValueError
        Where the sizes do not go together.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.2; UW "Multi-head Attention in Matrices", "Cross-Attention
    Details"; UBC section 4; 224N sections 3.1 and 3.7; UCB "Multihead attention". Grouped queries:
    Ainslie et al. 2023.
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        *,
        kv_heads: int | None = None,
        d_k: int | None = None,
        d_v: int | None = None,
        d_context: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        positions: Positions | None = None,
        scale: float | None = None,
        window: int | None = None,
    ) -> None:
        super().__init__()
        kv_heads = heads if kv_heads is None else kv_heads
        d_context = d_model if d_context is None else d_context
        at_least_one(d_model=d_model, heads=heads, kv_heads=kv_heads, d_context=d_context)
        share(dropout=dropout)
        if heads % kv_heads:
            raise ValueError(f"kv_heads must divide heads={heads}, got {kv_heads}")
        if (d_k is None or d_v is None) and d_model % heads:
            raise ValueError(
                f"d_model must be divisible by heads={heads} unless d_k and d_v are given, "
                f"got {d_model}"
            )
        d_k = d_model // heads if d_k is None else d_k
        d_v = d_model // heads if d_v is None else d_v
        at_least_one(d_k=d_k, d_v=d_v, window=1 if window is None else window)
        self.scale, self.window = scale, window
        self.heads, self.kv_heads, self.dropout = heads, kv_heads, dropout
        self.positions = positions
        self.W_Q = nn.Parameter(torch.empty(d_model, heads * d_k))
        self.W_K = nn.Parameter(torch.empty(d_context, kv_heads * d_k))
        self.W_V = nn.Parameter(torch.empty(d_context, kv_heads * d_v))
        self.W_O = nn.Parameter(torch.empty(heads * d_v, d_model))
        for letter in "QKVO":
            size = getattr(self, f"W_{letter}").shape[1]
            b = nn.Parameter(torch.empty(size)) if bias else None
            self.register_parameter(f"b_{letter}", b)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew after Glorot and Bengio; the vectors start at zero."""
        for letter in "QKVO":
            nn.init.xavier_uniform_(getattr(self, f"W_{letter}"))
            if (b := getattr(self, f"b_{letter}")) is not None:
                nn.init.zeros_(b)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        context: Float[Tensor, "B S C"] | None = None,
        mask: Bool[Tensor, "*#batch #T #S"] | None = None,
        *,
        causal: bool = False,
        cache: KeyValueCache | None = None,
        position_ids: Int[Tensor, "B T"] | None = None,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B H T S"] | None]:
        """Let every token of ``x`` look at ``context``, or at the tokens of ``x`` themselves.

        Parameters
        ----------
        x:
            Tokens that ask, ``(B, T, D)``.
        context:
            Tokens that are asked, ``(B, S, C)``; ``x`` unless given.
        mask:
            Boolean, ``True`` = may be attended to, broadcast over ``(B, T, S)``, or over
            ``(B, H, T, S)`` where it has four axes.
        causal:
            Whether a token may look at itself and at earlier ones only; combines with ``mask``.
        cache:
            Holds the keys and values of earlier tokens; those of ``x`` are added to it. With a
            context it holds those of the context, which does not grow: they are computed at the
            first call and read at the later ones.
        position_ids:
            Where each token of ``x`` stands, ``(B, T)``, for positions that turn queries and keys;
            they follow those the cache holds unless given.
        fused:
            ``False`` follows the formula and gives the weights; ``True`` hands the same to
            PyTorch's fused kernel.

        Returns
        -------
        output, weights
            ``(B, T, D)`` and ``(B, H, T, S)``; on the fused path the weights are ``None``.

        Raises
        ------
        ValueError
            If ``x`` or ``context`` does not have three axes, a width or the mask does not fit, or a
            layer with positions is given a context.
        """
        if context is not None and self.positions is not None:
            raise ValueError("positions must be None in a layer that attends to a context")
        axes("x", x, "B T D")
        if context is not None:
            axes("context", context, "B S C")
        width("x", x, d_model=len(self.W_Q))
        width("context", x if context is None else context, d_context=len(self.W_K))
        bias = None
        if context is None:
            start = 0 if cache is None else cache.length
            start = start if position_ids is None else position_ids
            q, k, v = self._project(x, "QKV")  # (B, H, T, K), (B, G, T, K), (B, G, T, Dv)
            if self.positions is not None:
                q, k = self.positions.rotate(q, start), self.positions.rotate(k, start)
            if cache is not None:
                k, v = cache.append(k, v)
            if self.positions is not None:
                bias = self.positions.bias(q, k.shape[-2])
        else:
            (q,) = self._project(x, "Q")
            if cache is not None and cache.length:
                k, v = cache.held()
            else:
                k, v = self._project(context, "KV")
                if cache is not None:
                    cache.append(k, v)
        if self.kv_heads != self.heads:  # each group's keys and values serve several heads
            each = self.heads // self.kv_heads
            k, v = k.repeat_interleave(each, dim=1), v.repeat_interleave(each, dim=1)
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]  # the same for every head
        heads, weights = scaled_dot_product_attention(
            q, k, v, mask,
            bias=bias, causal=causal, scale=self.scale,
            window=self.window if context is None else None,
            dropout=self.dropout if self.training else 0.0, fused=fused,
        )  # fmt: skip
        return _linear(merge_heads(heads), self.W_O, self.b_O), weights

    def _project(self, x: Tensor, letters: str) -> list[Tensor]:
        """Queries, keys or values of ``x``, as the letters say: ``x W + b``, split into heads."""
        W = [getattr(self, f"W_{letter}") for letter in letters]
        b = [getattr(self, f"b_{letter}") for letter in letters]
        if len(W) > 1 and not tracing() and x.shape[0] * x.shape[1] > len(W[0]):
            # The matrices side by side are one matrix, as the heads in each of them are: one
            # product is quicker than three. For few tokens the copying would cost more than that.
            # A traced graph serves any number of tokens, so the choice cannot depend on it.
            all_b = None if b[0] is None else torch.cat(b)
            parts = _linear(x, torch.cat(W, dim=1), all_b).split([w.shape[1] for w in W], dim=-1)
        else:
            parts = [_linear(x, *each) for each in zip(W, b, strict=True)]
        heads = [self.heads if letter == "Q" else self.kv_heads for letter in letters]
        return [split_heads(*each) for each in zip(parts, heads, strict=True)]

    def extra_repr(self) -> str:
        """The sizes, for ``print(module)``."""
        d_model, all_heads = self.W_Q.shape
        groups = f", kv_heads={self.kv_heads}" if self.kv_heads != self.heads else ""
        return f"d_model={d_model}, heads={self.heads}{groups}, d_k={all_heads // self.heads}"


def split_heads(x: Float[Tensor, "B T HK"], heads: int) -> Float[Tensor, "B H T K"]:
    """Heads that lie side by side become an axis of their own, which then is like a batch axis."""
    if x.shape[-1] % heads:
        raise ValueError(f"the width of x must be divisible by heads={heads}, got {x.shape[-1]}")
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "B H T K"]) -> Float[Tensor, "B T HK"]:
    """The inverse of :func:`split_heads`: the heads' outputs side by side."""
    return x.transpose(1, 2).flatten(2)


def multi_head_by_loop(
    layer: MultiHeadAttention,
    x: Float[Tensor, "B T D"],
    context: Float[Tensor, "B S C"] | None = None,
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    causal: bool = False,
) -> Float[Tensor, "B T D"]:
    """The output of ``layer`` by a loop over its heads, as the lectures write it.

    To be read, and for tests: without dropout, and for layers without positions.

    Raises
    ------
    ValueError
        Where the layer has positions, or the mask is not one for all heads.
    """
    if layer.positions is not None:
        raise ValueError("layer must have no positions for the loop over heads")
    if mask is not None and mask.dim() > 3:
        raise ValueError(f"mask must be one for all heads, got shape {tuple(mask.shape)}")
    context = x if context is None else context
    H, G = layer.heads, layer.kv_heads
    d_k, d_v = layer.W_Q.shape[1] // H, layer.W_O.shape[0] // H
    outputs = []
    for h in range(H):
        g = h * G // H  # the group of keys and values that head h shares
        columns, k_columns = slice(h * d_k, (h + 1) * d_k), slice(g * d_k, (g + 1) * d_k)
        v_columns = slice(g * d_v, (g + 1) * d_v)
        q = _linear(x, layer.W_Q[:, columns], _part(layer.b_Q, columns))
        k = _linear(context, layer.W_K[:, k_columns], _part(layer.b_K, k_columns))
        v = _linear(context, layer.W_V[:, v_columns], _part(layer.b_V, v_columns))
        outputs.append(scaled_dot_product_attention(q, k, v, mask, causal=causal)[0])
    return _linear(torch.cat(outputs, dim=-1), layer.W_O, layer.b_O)


def _linear(x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
    """``x W + b``, row vectors."""
    return nn.functional.linear(x, W.T, b)


def _part(b: Tensor | None, columns: slice) -> Tensor | None:
    return None if b is None else b[columns]
