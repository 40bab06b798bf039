"""Scaled dot-product attention, and the masks that say what may be looked up."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tfcourse.arguments import at_least_one, axes


def scaled_dot_product_attention(
    q: Float[Tensor, "*#batch T K"],
    k: Float[Tensor, "*#batch S K"],
    v: Float[Tensor, "*#batch S Dv"],
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
    bias: Float[Tensor, "*#batch #T #S"] | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
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
    causal:
        Whether a query may look at its own place and at earlier ones only, as
        :func:`causal_mask` says; combines with ``mask``.
    window:
        With ``causal``, how many places a query may look at, its own among them (sliding-window
        attention); all of them unless given.
    bias:
        Added to the scores, broadcast over ``(..., T, S)``; relative positions come in here.
    scale:
        What the scores are multiplied by; :math:`1/\sqrt{d_k}` unless given.
    dropout:
        Share of the weights set to zero, the others growing to make up for it.
    fused:
        ``False`` follows the formula line by line and gives the weights. ``True`` hands the same
        computation to PyTorch's fused kernel, which never stores the weights.

    Returns
    -------
    output, weights
        ``(..., T, Dv)`` and ``(..., T, S)``, the weights as they were before dropout; on the fused
        path they are ``None``.

    Raises
    ------
    ValueError
        If widths or lengths do not fit, the mask is not boolean, mask or bias do not broadcast, or
        a window is given without ``causal``.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.1; UCB "Computing self attention"; UW "Scaled dot product";
    224N section 3.4, equation (32).
    """
    _check_inputs(q, k, v, mask, bias)
    if scale is None:
        scale = q.shape[-1] ** -0.5
    if window is not None:
        if not causal:
            raise ValueError(f"window must be None without causal, got {window}")
        band = causal_mask(q.shape[-2], k.shape[-2], window, device=q.device)
        mask, causal = band if mask is None else mask & band, False
    if fused:
        return _fused_attention(q, k, v, mask, causal, bias, scale, dropout), None

    scores = q @ k.transpose(-2, -1) * scale  # Q K^T / sqrt(d_k)          (..., T, S)
    if bias is not None:
        scores = scores + bias
    if causal:
        mask = _and_causal(mask, *scores.shape[-2:], scores.device)
    return average_by_scores(scores, v, mask, dropout=dropout)


def average_by_scores(
    scores: Float[Tensor, "*#batch T S"],
    v: Float[Tensor, "*#batch S Dv"],
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    dropout: float = 0.0,
) -> tuple[Float[Tensor, "*batch T Dv"], Float[Tensor, "*batch T S"]]:
    r"""Turn scores into weights, and average the values with them.

    .. math:: A' = \operatorname{softmax}(A), \qquad O = A' V

    All kinds of attention end like this; they differ in how they score.

    Parameters
    ----------
    scores:
        ``(..., T, S)``, how well each query matches each key.
    v:
        Values ``(..., S, Dv)``.
    mask:
        Boolean, broadcast over ``(..., T, S)``; ``True`` = may be attended to.
    dropout:
        Share of the weights set to zero.

    Returns
    -------
    output, weights
        ``(..., T, Dv)`` and ``(..., T, S)``, the weights as they were before dropout.

    Raises
    ------
    ValueError
        If the mask is not boolean or does not broadcast.
    """
    if mask is not None:
        batch = torch.broadcast_shapes(scores.shape[:-2], v.shape[:-2])
        _check_mask(mask, (*batch, *scores.shape[-2:]))
        # The lowest finite number stands for -inf: it gives the same weights,
        # and a row with nothing to attend to makes no NaN on the way, nor in the gradient.
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
    """The same by PyTorch's fused kernel; empty rows give zeros whichever kernel it picks."""
    T, S = q.shape[-2], k.shape[-2]
    if causal and T == 1:
        causal = False  # the last place of all may look at every key
    if mask is None and bias is None and (T == S or not causal):
        return F.scaled_dot_product_attention(
            q, k, v, dropout_p=dropout, is_causal=causal, scale=scale
        )
    if causal:
        mask = _and_causal(mask, T, S, q.device)
    some = None if mask is None else mask.any(dim=-1, keepdim=True)  # has the query any key?
    allowed = mask if mask is None or some is None else mask | ~some
    if bias is not None:
        added = bias.to(q.dtype)
        allowed = added if allowed is None else added.masked_fill(~allowed, -torch.inf)
    output = F.scaled_dot_product_attention(
        q, k, v, attn_mask=allowed, dropout_p=dropout, scale=scale
    )
    return output if some is None else output.masked_fill(~some, 0.0)


def _and_causal(mask: Tensor | None, T: int, S: int, device: torch.device) -> Tensor:
    """``mask`` and the causal mask together."""
    causal = causal_mask(T, S, device=device)
    return causal if mask is None else mask & causal


def _check_inputs(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, bias: Tensor | None
) -> None:
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"q and k must have the same width, or no dot product can be taken: "
            f"q is {tuple(q.shape)}, k is {tuple(k.shape)}"
        )
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"k and v must have one row for each key: k is {tuple(k.shape)}, v is {tuple(v.shape)}"
        )
    if mask is None and bias is None:
        return
    batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    full = (*batch, q.shape[-2], k.shape[-2])
    if mask is not None:
        _check_mask(mask, full)
    if bias is not None:
        _check_broadcast("bias", bias, full)


def _check_mask(mask: Tensor, full: tuple[int, ...]) -> None:
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask must be boolean with True = may be attended to, got {mask.dtype}; "
            "an additive mask becomes one by `mask == 0`, a 0/1 mask by `mask.bool()`"
        )
    _check_broadcast("mask", mask, full)


def _check_broadcast(name: str, added: Tensor, full: tuple[int, ...]) -> None:
    try:
        fits = torch.broadcast_shapes(added.shape, full) == full
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(f"{name} must broadcast to {full}, got {tuple(added.shape)}")


def causal_mask(
    T: int,
    S: int | None = None,
    window: int | None = None,
    *,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "T S"]:
    r"""Each position may attend to itself and to what came before: :math:`j \le i`.

    Parameters
    ----------
    T:
        Number of queries.
    S:
        Number of keys, ``T`` unless given. With more keys than queries the queries are the last
        ``T`` of ``S`` positions, as when a cache holds the earlier ones.
    window:
        How many positions a query may attend to, its own among them: :math:`i - w < j \le i`. All
        unless given.
    device:
        Where the mask is made.

    Returns
    -------
    mask
        ``(T, S)``, ``True`` on and below the diagonal, and with a window in a band alone.

    Raises
    ------
    ValueError
        If ``S`` is less than ``T``, so that the first queries would stand before the first key, or
        ``window`` is below 1.

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
        If ``lengths`` is not ``(B,)``, or a length is negative or greater than ``S``.
    """
    axes("lengths", lengths, "B")
    if not tracing() and lengths.numel() and not 0 <= int(lengths.min()) <= int(lengths.max()) <= S:
        raise ValueError(f"lengths must lie between 0 and S={S}, got {lengths.tolist()}")
    return (torch.arange(S, device=lengths.device) < lengths[:, None])[:, None, :]


def tracing() -> bool:
    """Whether ``torch.compile`` or ``torch.export`` is recording this call.

    What is recorded serves other values and sizes too, so nothing may depend on them.
    """
    return torch.compiler.is_compiling()
