"""Attention: a soft look-up, and the masks that say what may be looked up.

Letters, here and everywhere: ``B`` batch, ``T`` queries, ``S`` keys, ``D`` model width, ``K`` width
of queries and keys, ``Dv`` width of values. Row vectors: a token is a row, so ``Q = X W_Q``.
Masks are boolean, ``True`` = may be attended to.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def scaled_dot_product_attention(
    q: Float[Tensor, "*#batch T K"],
    k: Float[Tensor, "*#batch S K"],
    v: Float[Tensor, "*#batch S Dv"],
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    scale: float | None = None,
    fused: bool = False,
) -> tuple[Float[Tensor, "*batch T Dv"], Float[Tensor, "*batch T S"] | None]:
    r"""Look up each query among the keys and average the values by how well they match.

    .. math:: O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    The softmax runs over the keys, so each row of weights sums to 1. A query that may attend to
    nothing gets weights of zero and an output of zero, never NaN.

    Parameters
    ----------
    q, k, v:
        Queries ``(..., T, K)``, keys ``(..., S, K)`` and values ``(..., S, Dv)``; leading axes
        broadcast.
    mask:
        Boolean, broadcast over ``(..., T, S)``; ``True`` = may be attended to. ``None`` allows all.
    scale:
        What the scores are multiplied by; :math:`1/\sqrt{d_k}` unless given.
    fused:
        ``False`` follows the formula line by line and gives the weights. ``True`` hands the same
        computation to PyTorch's fused kernel, which never stores the weights.

    Returns
    -------
    output, weights
        ``(..., T, Dv)`` and ``(..., T, S)``; on the fused path the weights are ``None``.

    Raises
    ------
    ValueError
        Where widths or lengths do not fit, or the mask is not boolean or does not broadcast.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.1; UCB "Computing self attention"; UW "Scaled dot product";
    224N section 3.4, equation (32).
    """
    _check_inputs(q, k, v, mask)
    if scale is None:
        scale = q.shape[-1] ** -0.5
    if fused:
        return _fused_attention(q, k, v, mask, scale), None

    scores = q @ k.transpose(-2, -1) * scale  # Q K^T / sqrt(d_k)          (..., T, S)
    if mask is not None:
        # The lowest finite number stands for -inf: it gives the same weights,
        # and a row with nothing to attend to makes no NaN on the way, nor in the gradient.
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)  # over the keys                      (..., T, S)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # changes only the empty rows
    return weights @ v, weights  # O = A' V                                (..., T, Dv)


def _fused_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float
) -> Float[Tensor, "*batch T Dv"]:
    """The same by PyTorch's fused kernel; empty rows give zeros whichever kernel it picks."""
    if mask is None:
        return F.scaled_dot_product_attention(q, k, v, scale=scale)
    some = mask.any(dim=-1, keepdim=True)  # has the query anything to attend to?
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some, scale=scale)
    return output.masked_fill(~some, 0.0)


def _check_inputs(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"q and k must have the same width, or no dot product can be taken: "
            f"q is {tuple(q.shape)}, k is {tuple(k.shape)}"
        )
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"k and v must have one row for each key: k is {tuple(k.shape)}, v is {tuple(v.shape)}"
        )
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask must be boolean with True = may be attended to, got {mask.dtype}; "
            "an additive mask becomes one by `mask == 0`, a 0/1 mask by `mask.bool()`"
        )
    batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    full = (*batch, q.shape[-2], k.shape[-2])
    try:
        fits = torch.broadcast_shapes(mask.shape, full) == full
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(f"mask must broadcast to {full}, got {tuple(mask.shape)}")


def causal_mask(
    T: int, S: int | None = None, *, device: torch.device | str | None = None
) -> Bool[Tensor, "T S"]:
    r"""Each position may attend to itself and to what came before: :math:`j \le i`.

    Parameters
    ----------
    T:
        Number of queries.
    S:
        Number of keys, ``T`` unless given. With more keys than queries the queries are the last
        ``T`` of ``S`` positions, as when a cache holds the earlier ones.
    device:
        Where the mask is made.

    Returns
    -------
    mask
        ``(T, S)``, ``True`` on and below the diagonal.

    Raises
    ------
    ValueError
        Where ``S`` is less than ``T``: the first queries would stand before the first key.

    Notes
    -----
    224N section 2.4, equation (21); UW "Looking into the Future"; UBC section 2.2.
    """
    S = T if S is None else S
    if S < T:
        raise ValueError(f"S must be at least T={T}, got {S}")
    return torch.ones(T, S, dtype=torch.bool, device=device).tril(diagonal=S - T)


def padding_mask(lengths: Int[Tensor, " B"], S: int) -> Bool[Tensor, "B 1 S"]:
    """Only real tokens may be attended to, not the padding that makes a batch rectangular.

    Parameters
    ----------
    lengths:
        ``(B,)``, the number of real tokens of each sequence, which stand first.
    S:
        The padded length.

    Returns
    -------
    mask
        ``(B, 1, S)``: the same keys for every query, so it broadcasts over ``T`` and combines with
        a causal mask by ``&``.

    Raises
    ------
    ValueError
        Where a length is below 0 or above ``S``.
    """
    if lengths.numel() and not 0 <= int(lengths.min()) <= int(lengths.max()) <= S:
        raise ValueError(f"lengths must lie between 0 and S={S}, got {lengths.tolist()}")
    return (torch.arange(S, device=lengths.device) < lengths[:, None])[:, None, :]


class SelfAttention(nn.Module):
    r"""One head of self-attention: a sequence looks itself up.

    .. math:: Q = X W_Q \qquad K = X W_K \qquad V = X W_V \qquad
              O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    d_model:
        Width of the tokens, ``D``.
    d_k:
        Width of queries and keys; ``d_model`` unless given.
    d_v:
        Width of values, and so of the output; ``d_model`` unless given. It need not equal ``d_k``.
    bias:
        Whether each projection adds a learned vector; the lectures' do not.

    Attributes
    ----------
    W_Q, W_K, W_V:
        ``(D, d_k)``, ``(D, d_k)`` and ``(D, d_v)``: row vectors, so ``Q = X W_Q``.

    Raises
    ------
    ValueError
        Where a width is not positive.

    Notes
    -----
    UCB "Self-Attention" (the sizes 100 and 37); UBC section 2.2; UW "The Matrices Form of
    Self-Attention"; 224N section 2.1; KA "Self Attention".
    """

    def __init__(
        self, d_model: int, d_k: int | None = None, d_v: int | None = None, *, bias: bool = False
    ) -> None:
        super().__init__()
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        for name, width in (("d_model", d_model), ("d_k", d_k), ("d_v", d_v)):
            if width < 1:
                raise ValueError(f"{name} must be at least 1, got {width}")
        self.W_Q = nn.Parameter(torch.empty(d_model, d_k))
        self.W_K = nn.Parameter(torch.empty(d_model, d_k))
        self.W_V = nn.Parameter(torch.empty(d_model, d_v))
        for letter, width in (("Q", d_k), ("K", d_k), ("V", d_v)):
            b = nn.Parameter(torch.zeros(width)) if bias else None
            self.register_parameter(f"b_{letter}", b)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew, variance 1/D: tokens of variance 1 give queries of variance 1."""
        for weight in (self.W_Q, self.W_K, self.W_V):
            nn.init.normal_(weight, std=weight.shape[0] ** -0.5)

    def project(
        self, x: Float[Tensor, "*batch T D"]
    ) -> tuple[
        Float[Tensor, "*batch T K"], Float[Tensor, "*batch T K"], Float[Tensor, "*batch T Dv"]
    ]:
        """Queries, keys and values of the tokens ``x``."""
        q, k, v = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        if self.b_Q is not None:
            q, k, v = q + self.b_Q, k + self.b_K, v + self.b_V
        return q, k, v

    def forward(
        self,
        x: Float[Tensor, "*batch T D"],
        mask: Bool[Tensor, "*#batch #T #T"] | None = None,
        *,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "*batch T Dv"], Float[Tensor, "*batch T T"] | None]:
        """Let every token look at the tokens that ``mask`` allows.

        Parameters
        ----------
        x:
            Tokens, ``(B, T, D)``; any leading axes, or none.
        mask:
            Boolean, broadcast over ``(B, T, T)``; ``True`` = may be attended to.
        fused:
            As in :func:`scaled_dot_product_attention`.

        Returns
        -------
        output, weights
            ``(B, T, d_v)`` and ``(B, T, T)``; on the fused path the weights are ``None``.

        Raises
        ------
        ValueError
            Where the last axis of ``x`` is not ``d_model``, or the mask does not fit.
        """
        if x.shape[-1] != self.W_Q.shape[0]:
            raise ValueError(
                f"x must have d_model={self.W_Q.shape[0]} numbers for each token, "
                f"got {x.shape[-1]} (x is {tuple(x.shape)})"
            )
        return scaled_dot_product_attention(*self.project(x), mask, fused=fused)

    def extra_repr(self) -> str:
        """The widths, for ``print(module)``."""
        (d_model, d_k), d_v = self.W_Q.shape, self.W_V.shape[1]
        return f"d_model={d_model}, d_k={d_k}, d_v={d_v}, bias={self.b_Q is not None}"
