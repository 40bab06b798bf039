"""Several heads: attention many times over, each head with its own queries, keys and values."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.affine import affine
from tfcourse.arguments import at_least_one, axes, check_probability, width
from tfcourse.attention.cache import KeyValueCache
from tfcourse.attention.dot_product import scaled_dot_product_attention
from tfcourse.attention.parts import Part, join_parts
from tfcourse.positions import Positions


class MultiHeadAttention(nn.Module):
    r"""Attention with ``H`` heads, over the sequence itself or over another one.

    .. math:: \text{head}_h = \operatorname{softmax}\!\left(
                  \frac{X W_Q^h (C W_K^h)^\top}{\sqrt{d_k}}\right) C W_V^h \qquad
              O = [\text{head}_1; \dots; \text{head}_H]\, W_O

    where ``C`` is ``X`` in self-attention, and the other sequence in cross-attention. The heads lie
    side by side in the columns of one matrix, and queries, keys and values side by side in a wider
    one, so all of them are one product and a reshape.

    Parameters
    ----------
    d_model:
        Width of the tokens, ``D``, and of the output.
    num_heads:
        Number of heads, ``H``.
    num_kv_heads:
        Number of heads of keys and values, which groups of query heads share (grouped-query
        attention); ``num_heads`` unless given. It must divide ``num_heads``.
    d_k, d_v:
        Width of a head's queries and keys, and of its values; ``d_model / num_heads`` unless given.
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
    W_QKV, W_O:
        ``(D, H d_k + G d_k + G d_v)`` and ``(H d_v, D)``, the parameters.
    W_KV:
        ``None``. If ``d_context`` is not ``d_model``, ``(C, G d_k + G d_v)``, and ``W_QKV`` holds
        the queries' columns alone.
    b_QKV, b_O:
        Their vectors, or ``None``.
    W_Q, W_K, W_V, b_Q, b_K, b_V:
        Views of these parameters, to be read and, under :func:`torch.no_grad`, written. They have
        no ``grad`` of their own: it is in the same columns of the parameter's.

    Raises
    ------
    ValueError
        If the sizes do not go together.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.2; UW "Multi-head Attention in Matrices", "Cross-Attention
    Details"; UBC section 4; 224N sections 3.1 and 3.7; UCB "Multihead attention". Grouped queries:
    Ainslie et al. 2023.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
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
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        d_context = d_model if d_context is None else d_context
        at_least_one(
            d_model=d_model, num_heads=num_heads, num_kv_heads=num_kv_heads, d_context=d_context
        )
        check_probability(dropout=dropout)
        if num_heads % num_kv_heads:
            raise ValueError(f"num_kv_heads must divide num_heads={num_heads}, got {num_kv_heads}")
        if (d_k is None or d_v is None) and d_model % num_heads:
            raise ValueError(
                f"d_model must be divisible by num_heads={num_heads} unless d_k and d_v are given, "
                f"got {d_model}"
            )
        d_k = d_model // num_heads if d_k is None else d_k
        d_v = d_model // num_heads if d_v is None else d_v
        at_least_one(d_k=d_k, d_v=d_v, window=1 if window is None else window)
        self.d_model, self.d_context, self.d_k = d_model, d_context, d_k
        self.scale, self.window = scale, window
        self.num_heads, self.num_kv_heads, self.dropout = num_heads, num_kv_heads, dropout
        self.positions = positions
        #: The columns that are the queries', the keys' and the values'.
        self.widths = [num_heads * d_k, num_kv_heads * d_k, num_kv_heads * d_v]
        if d_context == d_model:
            self.W_QKV = nn.Parameter(torch.empty(d_model, sum(self.widths)))
            self.register_parameter("W_KV", None)
        else:
            self.W_QKV = nn.Parameter(torch.empty(d_model, num_heads * d_k))
            self.W_KV = nn.Parameter(torch.empty(d_context, num_kv_heads * (d_k + d_v)))
        self.W_O = nn.Parameter(torch.empty(num_heads * d_v, d_model))
        b_QKV, b_O = (
            nn.Parameter(torch.empty(size)) if bias else None
            for size in (sum(self.widths), d_model)
        )
        self.register_parameter("b_QKV", b_QKV)
        self.register_parameter("b_O", b_O)
        self.reset_parameters()

    W_Q, W_K, W_V = Part(), Part(), Part()
    b_Q, b_K, b_V = Part(), Part(), Part()

    def reset_parameters(self) -> None:
        """Draw the weights anew after Glorot and Bengio; the vectors start at zero."""
        for W in (self.W_Q, self.W_K, self.W_V, self.W_O):
            _draw(W, nn.init.xavier_uniform_)
        for b in (self.b_QKV, self.b_O):
            if b is not None:
                nn.init.zeros_(b)

    def parts(self) -> dict[str, tuple[str, slice]]:
        """For each of ``W_Q`` to ``b_V`` the parameter that holds it, and in which columns."""
        q, k, v = self.widths
        Q, K, V = slice(q), slice(q, q + k), slice(q + k, q + k + v)
        found = {"W_Q": ("W_QKV", Q), "W_K": ("W_QKV", K), "W_V": ("W_QKV", V)}
        if self.W_KV is not None:
            found |= {"W_K": ("W_KV", slice(k)), "W_V": ("W_KV", slice(k, k + v))}
        if self.b_QKV is not None:
            found |= {"b_Q": ("b_QKV", Q), "b_K": ("b_QKV", K), "b_V": ("b_QKV", V)}
        return found

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
        width("x", x, d_model=self.d_model)
        bias = None
        if context is None:
            width("context", x, d_context=self.d_context)
            start = 0 if cache is None else cache.length
            start = start if position_ids is None else position_ids
            q, k, v = affine(x, self.W_QKV, self.b_QKV).split(self.widths, dim=-1)
            q = split_heads(q, self.num_heads)  # (B, H, T, K)
            k, v = (
                split_heads(k, self.num_kv_heads),
                split_heads(v, self.num_kv_heads),
            )  # (B, G, T, ...)
            if self.positions is not None:
                q, k = self.positions.rotate(q, start), self.positions.rotate(k, start)
            if cache is not None:
                k, v = cache.append(k, v)  # (B, G, S, K), (B, G, S, Dv)
            if self.positions is not None:
                bias = self.positions.bias(q, k.shape[-2])
        else:
            axes("context", context, "B S C")
            width("context", context, d_context=self.d_context)
            W_Q, W_KV, b_Q, b_KV = self._for_context()
            q = split_heads(affine(x, W_Q, b_Q), self.num_heads)
            if cache is not None and cache.length:
                k, v = cache.held()
            else:
                k, v = affine(context, W_KV, b_KV).split(self.widths[1:], dim=-1)
                k, v = split_heads(k, self.num_kv_heads), split_heads(v, self.num_kv_heads)
                if cache is not None:
                    cache.append(k, v)
        if self.num_kv_heads != self.num_heads:  # each group's keys and values serve several heads
            each = self.num_heads // self.num_kv_heads
            k, v = k.repeat_interleave(each, dim=1), v.repeat_interleave(each, dim=1)
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]  # the same for every head
        heads, weights = scaled_dot_product_attention(
            q, k, v, mask,
            bias=bias, causal=causal, scale=self.scale,
            window=self.window if context is None else None,
            dropout=self.dropout if self.training else 0.0, fused=fused,
        )  # fmt: skip
        return affine(merge_heads(heads), self.W_O, self.b_O), weights

    def _for_context(self) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        """What multiplies ``x``, what multiplies the context, and their vectors."""
        widths = [self.widths[0], self.widths[1] + self.widths[2]]
        W = self.W_QKV.split(widths, dim=1) if self.W_KV is None else (self.W_QKV, self.W_KV)
        b = (None, None) if self.b_QKV is None else self.b_QKV.split(widths)
        return *W, *b

    def _load_from_state_dict(self, state_dict, prefix, *rest) -> None:
        """Weights as they are stored today, or as older versions stored them, one by one."""
        wanted = [prefix + name for name in ("W_QKV", "W_KV", "b_QKV") if name in self.state_dict()]
        joined = join_parts(state_dict, wanted)
        if joined.keys() != state_dict.keys():
            state_dict.clear()
            state_dict.update(joined)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def extra_repr(self) -> str:
        """The sizes, for ``print(module)``."""
        groups = (
            f", num_kv_heads={self.num_kv_heads}" if self.num_kv_heads != self.num_heads else ""
        )
        return f"d_model={self.d_model}, num_heads={self.num_heads}{groups}, d_k={self.d_k}"


def draw_matrices(module: nn.Module, draw: Callable[[Tensor], Tensor]) -> None:
    """Draw every matrix in ``module`` anew, and W_Q, W_K and W_V as three matrices.

    Parameters
    ----------
    module:
        Changed in place. What has one axis or none is left alone.
    draw:
        Fills a matrix that it is given, such as :func:`torch.nn.init.xavier_uniform_`.
    """
    for part in module.modules():
        if isinstance(part, MultiHeadAttention):
            found = (part.W_Q, part.W_K, part.W_V, part.W_O)
        else:
            found = tuple(part.parameters(recurse=False))
        for W in found:
            if W.dim() > 1:
                _draw(W, draw)


@torch.no_grad()
def _draw(W: Tensor, draw: Callable[[Tensor], Tensor]) -> None:
    # Into memory of its own: into a part of a matrix PyTorch draws other numbers.
    W.copy_(draw(torch.empty_like(W, memory_format=torch.contiguous_format)))


def split_heads(x: Float[Tensor, "B T HK"], num_heads: int) -> Float[Tensor, "B H T K"]:
    """Heads that lie side by side become an axis of their own, which then is like a batch axis."""
    if x.shape[-1] % num_heads:
        raise ValueError(
            f"the width of x must be divisible by num_heads={num_heads}, got {x.shape[-1]}"
        )
    return x.view(*x.shape[:2], num_heads, x.shape[-1] // num_heads).transpose(1, 2)


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
        If the layer has positions, or the mask is not one for all heads.
    """
    if layer.positions is not None:
        raise ValueError("layer must have no positions for the loop over heads")
    if mask is not None and mask.dim() > 3:
        raise ValueError(f"mask must be one for all heads, got shape {tuple(mask.shape)}")
    context = x if context is None else context
    H, G = layer.num_heads, layer.num_kv_heads
    d_k, d_v = layer.W_Q.shape[1] // H, layer.W_O.shape[0] // H
    outputs = []
    for h in range(H):
        g = h * G // H  # the group of keys and values that head h shares
        columns, k_columns = slice(h * d_k, (h + 1) * d_k), slice(g * d_k, (g + 1) * d_k)
        v_columns = slice(g * d_v, (g + 1) * d_v)
        q = affine(x, layer.W_Q[:, columns], _part(layer.b_Q, columns))
        k = affine(context, layer.W_K[:, k_columns], _part(layer.b_K, k_columns))
        v = affine(context, layer.W_V[:, v_columns], _part(layer.b_V, v_columns))
        outputs.append(scaled_dot_product_attention(q, k, v, mask, causal=causal)[0])
    return affine(torch.cat(outputs, dim=-1), layer.W_O, layer.b_O)


def _part(b: Tensor | None, columns: slice) -> Tensor | None:
    return None if b is None else b[columns]
