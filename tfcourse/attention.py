"""Attention: a soft look-up, and the masks that restrict which keys it may use.

Letters, here and throughout the package: ``B`` batch, ``T`` queries, ``S`` keys, ``D`` model width,
``C`` width of another sequence, ``H`` heads, ``G`` heads of keys and values, ``K`` width of queries
and keys, ``Dv`` width of values. Row vectors: a token is a row, so ``Q = X W_Q``. Masks are
boolean, ``True`` = may be attended to.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from tfcourse.arguments import (
    at_least_one,
    axes,
    check_look_up,
    check_mask,
    check_numbers,
    check_probability,
    check_shapes,
    check_tensors,
    same_batch,
    tracing,
    width,
)
from tfcourse.positions import Positions, Start


def scaled_dot_product_attention(
    q: Float[Tensor, "*#batch T K"],
    k: Float[Tensor, "*#shared S K"],
    v: Float[Tensor, "*#shared S Dv"],
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
    bias: Float[Tensor, "*#batch #T #S"] | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
    enable_gqa: bool = False,
    fused: bool = False,
) -> tuple[Float[Tensor, "*heads T Dv"], Float[Tensor, "*heads T S"] | None]:
    r"""Average the values, weighted by how well each query matches the keys.

    .. math:: O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    The softmax runs over the keys, so each row of weights sums to 1. A query that may attend to
    nothing gets zero weights and a zero output, never NaN. Shapes that do not fit, a mask that is
    not boolean, and a window without ``causal`` raise ``ValueError``.

    Parameters
    ----------
    q, k, v:
        Queries ``(..., T, K)``, keys ``(..., S, K)`` and values ``(..., S, Dv)``; leading axes
        broadcast.
    mask:
        Boolean ``(..., T, S)``, ``True`` = may be attended to; ``None`` allows all. Keys and values
        that it hides must still be finite: 0 times infinity is NaN, and it depends on the path
        whether the output or only a gradient shows it.
    causal, window:
        Whether a query may attend only to its own and earlier positions, and to how many of them,
        its own included (sliding-window attention); see :func:`causal_mask`. Combines with
        ``mask``.
    bias:
        Added to the scores, for example by relative positions.
    scale:
        Factor for the scores; defaults to :math:`1/\sqrt{d_k}`.
    dropout:
        Fraction of the weights set to zero; the others are scaled up to compensate.
    enable_gqa:
        Whether ``k`` and ``v`` may have fewer heads than ``q``, on the axis before the last two:
        ``(..., G, S, K)``, where ``G`` divides ``H``. Each serves a group of ``H / G`` heads in a
        row (grouped-query attention).
    fused:
        ``False`` follows the formula line by line. ``True`` hands the same computation to PyTorch's
        fused kernel, which never stores the weights.

    Returns
    -------
    output, weights
        ``(..., T, Dv)`` and ``(..., T, S)``, the weights as they were before dropout; on the fused
        path they are ``None``. Half-precision inputs give weights in float32, in which scores are
        computed.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.1; UCB "Computing self attention"; UW "Scaled dot product";
    224N section 3.4, equation (32).
    """
    if enable_gqa:
        k, v = share_heads(q, k, v)
    check_look_up(q, k, v, mask, bias)
    if scale is None:
        scale = q.shape[-1] ** -0.5
    if window is not None:
        if not causal:
            raise ValueError(f"window must be None without causal, got {window}")
        band = causal_mask(q.shape[-2], k.shape[-2], window, device=q.device)
        mask, causal = band if mask is None else mask & band, False
    if fused:
        return _fused_attention(q, k, v, mask, causal, bias, scale, dropout), None

    # Half precision is too coarse for scores, and float16 ends at 65,504.
    precise = torch.promote_types(q.dtype, torch.float32)
    scores = (q.to(precise) * scale) @ k.to(precise).mT  # Q K^T / sqrt(d_k)   (..., T, S)
    if bias is not None:
        scores = scores + bias
    if causal:
        mask = _and_causal(mask, scores.shape[-2], scores.shape[-1], scores.device)
    output, weights = average_by_scores(scores, v.to(precise), mask, dropout=dropout)
    return output.to(v.dtype), weights


def share_heads(
    q: Float[Tensor, "*batch H T K"],
    k: Float[Tensor, "*shared G S K"],
    v: Float[Tensor, "*shared G S Dv"],
) -> tuple[Float[Tensor, "*shared H S K"], Float[Tensor, "*shared H S Dv"]]:
    """Keys and values with as many heads as the queries: each is repeated for its group of heads.

    Numbers of heads that do not divide that of the queries raise ``ValueError``.
    """
    check_tensors(q=q, k=k, v=v)
    heads = [x.shape[-3] if x.dim() > 2 else 0 for x in (q, k, v)]
    if not all(heads) or any(heads[0] % G for G in heads[1:]):
        raise ValueError(
            "with enable_gqa, q must be (..., H, T, K), and k and v (..., G, S, width) with a G "
            f"that divides H: q is {tuple(q.shape)}, k is {tuple(k.shape)}, v is {tuple(v.shape)}"
        )
    H, G, of_v = heads
    return k.repeat_interleave(H // G, dim=-3), v.repeat_interleave(H // of_v, dim=-3)


def average_by_scores(
    scores: Float[Tensor, "*#batch T S"],
    v: Float[Tensor, "*#batch S Dv"],
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    dropout: float = 0.0,
) -> tuple[Float[Tensor, "*batch T Dv"], Float[Tensor, "*batch T S"]]:
    r"""Turn scores into weights, and average the values with them.

    .. math:: A' = \operatorname{softmax}(A), \qquad O = A' V

    All kinds of attention end like this; they differ in how they compute scores. ``mask`` is
    ``True`` where a key may be attended to. ``dropout`` is the fraction of weights set to zero; the
    returned weights are those before it. A mask that is not boolean or does not broadcast raises
    ``ValueError``.
    """
    if mask is not None:
        batch = torch.broadcast_shapes(scores.shape[:-2], v.shape[:-2])
        check_mask(mask, (*batch, *scores.shape[-2:]))
        # The lowest finite number replaces -inf: it gives the same weights, and a row with nothing
        # to attend to produces no NaN, in the output or in the gradient.
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)  # over the keys                      (..., T, S)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # changes only the empty rows
    kept = F.dropout(weights, dropout) if dropout else weights
    return kept @ v, weights  # O = A' V                                   (..., T, Dv)


def _fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    causal: bool,
    bias: Tensor | None,
    scale: float,
    dropout: float,
) -> Float[Tensor, "*batch T Dv"]:
    """Use PyTorch's fused kernel; empty rows give zeros whichever kernel it picks."""
    T, S = q.shape[-2], k.shape[-2]
    if causal and T == 1:
        causal = False  # the last position may attend to every key
    if mask is None and bias is None and (T == S or not causal):
        return F.scaled_dot_product_attention(
            q, k, v, dropout_p=dropout, is_causal=causal, scale=scale
        )
    if causal:
        mask = _and_causal(mask, T, S, q.device)
    empty = None if mask is None else ~mask.any(dim=-1, keepdim=True)  # queries without any key
    allowed = mask if mask is None or empty is None else mask | empty
    if bias is not None:
        added = bias.to(q.dtype)
        allowed = added if allowed is None else added.masked_fill(~allowed, -torch.inf)
    output = F.scaled_dot_product_attention(
        q, k, v, attn_mask=allowed, dropout_p=dropout, scale=scale
    )
    return output if empty is None else output.masked_fill(empty, 0.0)


def _and_causal(mask: Tensor | None, T: int, S: int, device: torch.device) -> Tensor:
    """Combine ``mask`` with the causal mask."""
    causal = causal_mask(T, S, device=device)
    return causal if mask is None else mask & causal


def causal_mask(
    T: int,
    S: int | None = None,
    window: int | None = None,
    *,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "T S"]:
    r"""Mask that lets each position attend to itself and to earlier ones: :math:`j \le i`.

    With more keys than queries, the queries are the last ``T`` of ``S`` positions, as when a cache
    holds the earlier ones. With a ``window``, a query may attend to that many positions, its own
    included: :math:`i - w < j \le i`. Fewer keys than queries raise ``ValueError``.

    Notes
    -----
    224N section 2.4, equation (21); UW "Looking into the Future"; UBC section 2.2. The window:
    Beltagy et al. 2020, section 3.1; Jiang et al. 2023 (Mistral), section 2.
    """
    S = T if S is None else S
    if S < T:
        raise ValueError(f"S must be at least T={T}, got {S}")
    mask = torch.ones(T, S, dtype=torch.bool, device=device).tril(diagonal=S - T)
    if window is None:
        return mask
    at_least_one(window=window)
    return mask.triu(diagonal=S - T - window + 1)


def padding_mask(lengths: Int[Tensor, " B"], S: int) -> Bool[Tensor, "B 1 S"]:
    """Mask that hides the padding that makes a batch rectangular.

    ``lengths`` counts the real tokens of each sequence, which come first, and ``S`` is the padded
    length. The mask is the same for every query, so it broadcasts over ``T`` and combines with a
    causal mask by ``&``. A length that is negative or greater than ``S`` raises ``ValueError``.
    """
    axes("lengths", lengths, "B")
    if not tracing() and lengths.numel() and not 0 <= int(lengths.min()) <= int(lengths.max()) <= S:
        raise ValueError(f"lengths must lie between 0 and S={S}, got {lengths.tolist()}")
    return (torch.arange(S, device=lengths.device) < lengths[:, None])[:, None, :]


def affine(
    x: Float[Tensor, "*batch I"],
    W: Float[Tensor, "I O"],
    b: Float[Tensor, " O"] | None = None,
) -> Float[Tensor, "*batch O"]:
    """``x W + b`` of row vectors, ``W`` of ``(d_in, d_out)``, ``b`` of ``(d_out,)`` or ``None``."""
    if b is not None and x.dim() == 2:
        return torch.addmm(b, x, W)  # what PyTorch makes of the line below, without its views
    return F.linear(x, W.T, b)  # one kernel; PyTorch expects W transposed


class SelfAttention(nn.Module):
    r"""One head of self-attention: a sequence attends to itself.

    .. math:: Q = X W_Q \qquad K = X W_K \qquad V = X W_V \qquad
              O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    d_model:
        Width of the tokens, ``D``.
    d_k, d_v:
        Widths of queries and keys, and of values and hence the output. They may differ; both
        default to ``d_model``.
    bias:
        Whether each projection adds a learned bias vector; the lectures' do not.

    Attributes
    ----------
    W_Q, W_K, W_V:
        ``(D, d_k)``, ``(D, d_k)`` and ``(D, d_v)``: row vectors, so ``Q = X W_Q``.

    Notes
    -----
    UCB "Self-Attention" (the sizes 100 and 37); UBC section 2.2; UW "The Matrices Form of
    Self-Attention"; 224N section 2.1; KA "Self Attention".
    """

    b_Q: nn.Parameter | None
    b_K: nn.Parameter | None
    b_V: nn.Parameter | None

    def __init__(
        self, d_model: int, d_k: int | None = None, d_v: int | None = None, *, bias: bool = False
    ) -> None:
        super().__init__()
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        at_least_one(d_model=d_model, d_k=d_k, d_v=d_v)
        self.W_Q = nn.Parameter(torch.empty(d_model, d_k))
        self.W_K = nn.Parameter(torch.empty(d_model, d_k))
        self.W_V = nn.Parameter(torch.empty(d_model, d_v))
        self.b_Q = nn.Parameter(torch.zeros(d_k)) if bias else None
        self.b_K = nn.Parameter(torch.zeros(d_k)) if bias else None
        self.b_V = nn.Parameter(torch.zeros(d_v)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise with variance 1/D: unit-variance tokens give unit-variance queries."""
        for weight in (self.W_Q, self.W_K, self.W_V):
            nn.init.normal_(weight, std=weight.shape[0] ** -0.5)

    def project(
        self, x: Float[Tensor, "*batch T D"]
    ) -> tuple[
        Float[Tensor, "*batch T K"], Float[Tensor, "*batch T K"], Float[Tensor, "*batch T Dv"]
    ]:
        """Queries, keys and values of the tokens ``x``."""
        q, k, v = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        if self.b_Q is not None and self.b_K is not None and self.b_V is not None:
            q, k, v = q + self.b_Q, k + self.b_K, v + self.b_V
        return q, k, v

    def forward(
        self,
        x: Float[Tensor, "*batch T D"],
        mask: Bool[Tensor, "*#batch #T #T"] | None = None,
        *,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "*batch T Dv"], Float[Tensor, "*batch T T"] | None]:
        """Let every token attend to those that ``mask`` allows; return the output and the weights.

        See :func:`scaled_dot_product_attention`. Tokens of the wrong width raise ``ValueError``.
        """
        width("x", x, d_model=len(self.W_Q))
        return scaled_dot_product_attention(*self.project(x), mask, fused=fused)

    def extra_repr(self) -> str:
        """The widths, for ``print(module)``."""
        (d_model, d_k), d_v = self.W_Q.shape, self.W_V.shape[1]
        return f"d_model={d_model}, d_k={d_k}, d_v={d_v}, bias={self.b_Q is not None}"


def split_heads(x: Shaped[Tensor, "B T HK"], num_heads: int) -> Shaped[Tensor, "B H T K"]:
    """Give heads stored side by side an axis of their own, which then acts like a batch axis."""
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"the width of x must be divisible by num_heads={num_heads}, got {D}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Shaped[Tensor, "B H T K"]) -> Shaped[Tensor, "B T HK"]:
    """The inverse of :func:`split_heads`: concatenate the heads' outputs."""
    return x.transpose(1, 2).flatten(2)


class KeyValueCache:
    """The keys and values of one layer, in memory that is allocated once.

    Without it, a model that generates token by token recomputes every earlier key at each step. It
    is for generation, not training: keys are written in place, so no gradient flows through it;
    call the model under :func:`torch.no_grad`. It holds at most ``max_length`` tokens; ``length``
    counts those held so far and is the position of the next one. Memory is allocated at the first
    :meth:`append`, with the dtype and device of what is appended.
    """

    def __init__(self, max_length: int) -> None:
        at_least_one(max_length=max_length)
        self.max_length, self.length = max_length, 0
        self._k: Tensor | None = None
        self._v: Tensor | None = None

    def append(
        self, k: Float[Tensor, "B G T K"], v: Float[Tensor, "B G T Dv"]
    ) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """Add the keys and values of new tokens, and return those of all tokens so far.

        Raises ``ValueError`` if they exceed ``max_length`` or differ in shape from those held.
        """
        start, new = self.length, k.shape[-2]
        stop = start + new
        if stop > self.max_length:
            raise ValueError(f"the cache must hold {stop} tokens, max_length is {self.max_length}")
        if self._k is None or self._v is None:
            # One position more than is ever filled, so that the view is never the whole memory,
            # which has other strides: a compiled step would need another graph for the last token.
            # Zeros, since what a mask hides must be finite: a static step reads all positions.
            self._k = k.new_zeros(*k.shape[:-2], self.max_length + 1, k.shape[-1])
            self._v = v.new_zeros(*v.shape[:-2], self.max_length + 1, v.shape[-1])
        places_k, places_v = self._k.narrow(-2, start, new), self._v.narrow(-2, start, new)
        if k.shape != places_k.shape or v.shape != places_v.shape:
            check_shapes(k=(k, places_k.shape), v=(v, places_v.shape))
        places_k.copy_(k)
        places_v.copy_(v)
        self.length = stop
        return self._k.narrow(-2, 0, stop), self._v.narrow(-2, 0, stop)

    def held(self) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """The keys and values of all tokens so far; raises ``ValueError`` if there are none yet."""
        if self._k is None or self._v is None:
            raise ValueError("the cache must hold at least one token, it is empty")
        return self._k.narrow(-2, 0, self.length), self._v.narrow(-2, 0, self.length)

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        """Keep these rows of the batch: beam search drops some hypotheses and duplicates others."""
        if self._k is None or self._v is None:
            return
        for name in ("_k", "_v"):
            old = getattr(self, name)
            held = old[rows, ..., : self.length, :]  # the unused memory is not copied
            if len(rows) != len(old):
                setattr(self, name, old.new_zeros(len(rows), *old.shape[1:]))
            getattr(self, name)[..., : self.length, :] = held


class MultiHeadAttention(nn.Module):
    r"""Attention with ``H`` heads, over the sequence itself or over another one.

    .. math:: \text{head}_h = \operatorname{softmax}\!\left(
                  \frac{X W_Q^h (C W_K^h)^\top}{\sqrt{d_k}}\right) C W_V^h \qquad
              O = [\text{head}_1; \dots; \text{head}_H]\, W_O

    where ``C`` is ``X`` in self-attention, and the other sequence in cross-attention. The columns
    of one matrix hold the queries, keys and values of all heads, so one product and a reshape
    compute them all.

    Parameters
    ----------
    d_model, num_heads:
        Width of the tokens and of the output, ``D``, and number of heads, ``H``.
    num_kv_heads:
        Number of key and value heads, each shared by a group of query heads (grouped-query
        attention). Defaults to ``num_heads`` and must divide it.
    d_k, d_v:
        Widths of a head's queries and keys, and of its values; default ``d_model / num_heads``.
    d_context:
        Width of the other sequence in cross-attention; defaults to ``d_model``.
    bias, dropout:
        Whether each projection adds a bias vector; fraction of weights set to zero in training.
    positions:
        Any scheme of :mod:`tfcourse.positions` (those added to the tokens have no effect here).
        Only for self-attention: there are no distances between two sequences.
    scale:
        Factor for the scores; defaults to ``1 / sqrt(d_k)``.
    q_norm, k_norm:
        Applied to each head's queries and keys ``(B, H, T, d_k)`` before they are rotated, such as
        ``RMSNorm(d_k)``; by default, nothing is.
    window:
        With ``causal``, how many tokens a query may attend to, itself included; by default, all.
        Only for self-attention.

    Attributes
    ----------
    W_QKV, W_O, b_QKV, b_O:
        ``(D, H d_k + G d_k + G d_v)`` and ``(H d_v, D)``, the parameters; their bias vectors, or
        ``None``.
    W_KV:
        ``None`` if ``d_context`` is ``d_model``. If not, ``(C, G d_k + G d_v)``, and ``W_QKV``
        holds only the queries' columns.
    W_Q, W_K, W_V:
        Views of these parameters, for reading and, under :func:`torch.no_grad`, writing in place.
        They have no ``grad`` of their own: it is in the same columns of the parameter's.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.2; UW "Multi-head Attention in Matrices", "Cross-Attention
    Details"; UBC section 4; 224N sections 3.1 and 3.7; UCB "Multihead attention". Grouped queries:
    Ainslie et al. 2023. Normalised queries and keys: Henry et al. 2020; Dehghani et al. 2023.
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
        q_norm: nn.Module | None = None,
        k_norm: nn.Module | None = None,
        window: int | None = None,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        d_context = d_model if d_context is None else d_context
        at_least_one(
            d_model=d_model, num_heads=num_heads, num_kv_heads=num_kv_heads, d_context=d_context
        )
        check_probability(dropout=dropout)
        check_numbers(scale=1 if scale is None else scale)
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
        self.positions, self.q_norm, self.k_norm = positions, q_norm, k_norm
        #: Numbers of columns for the queries, the keys and the values.
        self.widths = [num_heads * d_k, num_kv_heads * d_k, num_kv_heads * d_v]
        if d_context == d_model:
            self.W_QKV = nn.Parameter(torch.empty(d_model, sum(self.widths)))
            self.W_KV = None
        else:
            self.W_QKV = nn.Parameter(torch.empty(d_model, num_heads * d_k))
            self.W_KV = nn.Parameter(torch.empty(d_context, num_kv_heads * (d_k + d_v)))
        self.W_O = nn.Parameter(torch.empty(num_heads * d_v, d_model))
        self.b_QKV = nn.Parameter(torch.empty(sum(self.widths))) if bias else None
        self.b_O = nn.Parameter(torch.empty(d_model)) if bias else None
        self.reset_parameters()

    W_KV: nn.Parameter | None
    b_QKV: nn.Parameter | None
    b_O: nn.Parameter | None

    def reset_parameters(self) -> None:
        """Reinitialise: weights as Glorot and Bengio do, bias vectors to zero."""
        for W in (self.W_Q, self.W_K, self.W_V, self.W_O):
            draw_into(W, nn.init.xavier_uniform_)
        for b in (self.b_QKV, self.b_O):
            if b is not None:
                nn.init.zeros_(b)

    @property
    def W_Q(self) -> Tensor:  # noqa: N802
        """The queries' columns of ``W_QKV``."""
        return self.W_QKV[:, : self.widths[0]]

    @property
    def W_K(self) -> Tensor:  # noqa: N802
        """The keys' columns of ``W_QKV`` or, if the context has another width, of ``W_KV``."""
        q, k, _ = self.widths
        return self.W_QKV[:, q : q + k] if self.W_KV is None else self.W_KV[:, :k]

    @property
    def W_V(self) -> Tensor:  # noqa: N802
        """The values' columns of ``W_QKV`` or, if the context has another width, of ``W_KV``."""
        q, k, _ = self.widths
        return self.W_QKV[:, q + k :] if self.W_KV is None else self.W_KV[:, k:]

    def separate(self, name: str, tensor: Tensor) -> dict[str, Tensor]:
        """The columns of a parameter, or of its gradient, for queries, keys and values.

        ``"b_QKV"`` gives ``b_Q``, ``b_K`` and ``b_V``; a parameter that holds only one thing, such
        as ``"W_O"``, comes back under its own name.
        """
        kind, letters = name[:2], "Q" if name == "W_QKV" and self.W_KV is not None else name[2:]
        if not set(letters) <= set("QKV"):
            return {name: tensor}
        widths = dict(zip("QKV", self.widths, strict=True))
        columns = tensor.split([widths[letter] for letter in letters], dim=-1)
        return {kind + letter: part for letter, part in zip(letters, columns, strict=True)}

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        context: Float[Tensor, "B S C"] | None = None,
        mask: Bool[Tensor, "*#batch #T #N"] | None = None,
        *,
        causal: bool = False,
        cache: KeyValueCache | None = None,
        position_ids: Int[Tensor, "B T"] | None = None,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B H T S"] | None]:
        """Let every token of ``x`` attend to ``context`` or, without one, to ``x`` itself.

        The weights, ``(B, H, T, S)``, are ``None`` on the fused path. An input without a batch
        axis, a wrong width or mask, or a context for a layer with positions raises ``ValueError``.

        Parameters
        ----------
        mask, causal, fused:
            As for :func:`scaled_dot_product_attention`. A mask with three axes applies to all
            heads; with a cache, its last axis covers all tokens so far.
        cache:
            Holds the keys and values of earlier tokens; those of ``x`` are appended. With a context
            it holds the context's, which do not grow: the first call computes them and later calls
            reuse them.
        position_ids:
            Position of each token of ``x``, for schemes that rotate queries and keys; by default
            they follow the cached tokens.
        """
        if context is not None and self.positions is not None:
            raise ValueError("positions must be None in a layer that attends to a context")
        axes("x", x, "B T D", d_model=self.d_model)
        check_tensors(mask=mask)
        bias = None
        if context is None:
            if self.W_KV is not None:
                width("context", x, d_context=self.d_context)
            start: Start = 0 if cache is None else cache.length
            if position_ids is not None:
                check_shapes(position_ids=(position_ids, x.shape[:2]))
                start = position_ids
            q, k, v = self._split(affine(x, self.W_QKV, self.b_QKV))
            q, k = _normalised(q, self.q_norm), _normalised(k, self.k_norm)
            if self.positions is not None:
                q, k = self.positions.rotate(q, start), self.positions.rotate(k, start)
            if cache is not None:
                k, v = cache.append(k, v)  # (B, G, S, K), (B, G, S, Dv)
            total = x.shape[1] if cache is None else cache.length
            if self.positions is not None:
                bias = self.positions.bias(q, total)
            if k.shape[-2] < total:  # a rolling cache has forgotten the first tokens
                mask, bias = self._of_last_keys(k.shape[-2], total, x.shape[1], mask, bias)
        else:
            axes("context", context, "B S C", d_context=self.d_context)
            same_batch(x=x, context=context)
            W_Q, W_KV, b_Q, b_KV = self._for_context()
            q = _normalised(split_heads(affine(x, W_Q, b_Q), self.num_heads), self.q_norm)
            if cache is not None and cache.length:
                k, v = cache.held()
                if k.shape[-2] != context.shape[1]:
                    raise ValueError(
                        f"cache must hold the {context.shape[1]} tokens of the context, "
                        f"it holds {k.shape[-2]}"
                    )
            else:
                k, v = affine(context, W_KV, b_KV).split(self.widths[1:], dim=-1)
                k = _normalised(split_heads(k, self.num_kv_heads), self.k_norm)
                v = split_heads(v, self.num_kv_heads)
                if cache is not None:
                    cache.append(k, v)
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]  # the same for every head
        heads, weights = scaled_dot_product_attention(
            q, k, v, mask,
            bias=bias, causal=causal, scale=self.scale,
            window=self.window if context is None else None,
            dropout=self.dropout if self.training else 0.0,
            enable_gqa=self.num_kv_heads != self.num_heads, fused=fused,
        )  # fmt: skip
        rows = merge_heads(heads).flatten(0, 1)  # one view here instead of two in the product
        return affine(rows, self.W_O, self.b_O).view_as(x), weights

    def _split(self, qkv: Tensor) -> tuple[Tensor, ...]:
        """Queries ``(B, H, T, K)``, keys ``(B, G, T, K)`` and values ``(B, G, T, Dv)``."""
        heads = [self.num_heads, self.num_kv_heads, self.num_kv_heads]
        if self.widths[1] == self.widths[2]:  # all heads have one width: one reshape for all
            return split_heads(qkv, sum(heads)).split_with_sizes(heads, dim=1)
        return tuple(map(split_heads, qkv.split_with_sizes(self.widths, dim=-1), heads))

    def _of_last_keys(
        self, S: int, total: int, T: int, mask: Tensor | None, bias: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        """The columns of the mask and of the bias for the last ``S`` of ``total`` keys."""
        if self.window is None or min(total, T + self.window - 1) > S:
            raise ValueError(
                f"cache must return all keys within the layer's window of {self.window}, "
                f"it returned {S} of {total} for {T} queries"
            )
        if mask is not None and mask.shape[-1] not in (1, total):
            raise ValueError(f"mask must cover all {total} tokens so far, got {tuple(mask.shape)}")
        mask = None if mask is None else mask[..., -S:]
        return mask, None if bias is None else bias[..., -S:]

    def _for_context(self) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        """The matrices for ``x`` and for the context, and their bias vectors."""
        widths = [self.widths[0], self.widths[1] + self.widths[2]]
        W = self.W_QKV.split(widths, dim=1) if self.W_KV is None else (self.W_QKV, self.W_KV)
        b = (None, None) if self.b_QKV is None else self.b_QKV.split(widths)
        return *W, *b

    def extra_repr(self) -> str:
        """The sizes, for ``print(module)``."""
        H, G = self.num_heads, self.num_kv_heads
        groups = f", num_kv_heads={G}" if G != H else ""
        return f"d_model={self.d_model}, num_heads={H}{groups}, d_k={self.d_k}"


def _normalised(x: Tensor, norm: nn.Module | None) -> Tensor:
    return x if norm is None else norm(x)


@torch.no_grad()
def draw_into(W: Tensor, draw: Callable[[Tensor], Tensor]) -> None:
    """Reinitialise a matrix, which may be part of another one, by ``draw``."""
    # In memory of its own: for a part of a matrix PyTorch would draw other numbers.
    W.copy_(draw(torch.empty_like(W, memory_format=torch.contiguous_format)))
