r"""Flash attention for reading: attention tile by tile, without ever storing the scores.

The formula makes a matrix of scores ``(T, S)`` and keeps the weights for the backward pass. Here at
most one tile of it exists at a time, and two ideas make that exact:

*A softmax can be computed piece by piece.* For one query, keep the largest score so far :math:`m`,
the sum :math:`\ell = \sum_j e^{s_j - m}` and the sum :math:`o = \sum_j e^{s_j - m} v_j`. When a
tile brings a larger score :math:`m'`, both sums become correct again when multiplied by
:math:`e^{m - m'}`. After the last tile the output is :math:`o / \ell`.

*The weights need not be kept.* With the log-sum-exp :math:`L = m + \log \ell` of each query, one
number, the backward pass recomputes any tile of weights: :math:`P = e^{S - L}`.

This file is slow, as Python loops are: it shows the algorithm; ``triton_flash.py`` is the same
algorithm on a GPU, and ``scaled_dot_product_attention(..., fused=True)`` is PyTorch's own.

Letters: ``T`` queries, ``S`` keys, ``K`` width of queries and keys, ``Dv`` width of values; ``i``
is the first query of a tile and ``j`` its first key. In the formulas of the backward pass
:math:`S` is the matrix of scores and :math:`P` that of the weights, as in the papers.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from tfcourse.arguments import at_least_one, check_look_up
from tfcourse.attention import share_heads

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def flash_attention(
    q: Float[Tensor, "*#batch T K"],
    k: Float[Tensor, "*#shared S K"],
    v: Float[Tensor, "*#shared S Dv"],
    *,
    causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    block_q: int = 64,
    block_k: int = 64,
) -> Float[Tensor, "*heads T Dv"]:
    r"""Attention in memory that grows with the length, not with its square.

    .. math:: O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Equal to :func:`tfcourse.attention.scaled_dot_product_attention` up to rounding, in the values
    and in the gradients; it cannot return the weights, since they never exist all at once. For the
    backward pass it stores the inputs, the output and one number per query. Inputs that do not fit
    raise ``ValueError``.

    Parameters
    ----------
    q, k, v:
        Of one dtype: float16, bfloat16, float32 or float64. Leading axes broadcast. Half-precision
        inputs are multiplied and summed in float32.
    causal, scale, enable_gqa:
        As in that function; tiles in which nothing may be attended to are skipped.
    block_q, block_k:
        Number of queries and keys in a tile. The lengths need not be multiples of them. They affect
        only rounding and memory use.

    Notes
    -----
    Dao et al. 2022 (arXiv 2205.14135), section 3.1; the order of the loops is that of
    FlashAttention-2, Dao 2023 (arXiv 2307.08691), algorithms 1 and 2. The running softmax is from
    Milakov and Gimelshein 2018 (arXiv 1805.02867).
    """
    if enable_gqa:
        k, v = share_heads(q, k, v)
    q, k, v, scale = prepare_inputs(q, k, v, causal, scale, block_q, block_k)
    # Autocast would round the scores here and not in the backward pass: the tiles set their own.
    with torch.autocast(q.device.type, enabled=False):
        return _FlashAttention.apply(q, k, v, causal, scale, block_q, block_k)


class _FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        causal: bool,
        scale: float,
        block_q: int,
        block_k: int,
    ) -> Tensor:
        T, S = q.shape[-2], k.shape[-2]
        precise = torch.promote_types(q.dtype, torch.float32)
        output = q.new_empty(*q.shape[:-1], v.shape[-1])
        L = q.new_empty(*q.shape[:-1], 1, dtype=precise)

        for i in range(0, T, block_q):
            q_i = q[..., i : i + block_q, :].to(precise)
            m_i = q_i.new_full((*q_i.shape[:-1], 1), -math.inf)  # the largest score so far
            l_i = torch.zeros_like(m_i)  # the sum of exp(s - m)
            o_i = q_i.new_zeros(*q_i.shape[:-1], v.shape[-1])  # the sum of exp(s - m) v

            # The tile's last query is position i + block_q - 1 + S - T: no key after it is seen.
            stop = min(i + block_q + S - T, S) if causal else S
            for j in range(0, stop, block_k):
                k_j = k[..., j : j + block_k, :].to(precise)
                v_j = v[..., j : j + block_k, :].to(precise)
                s = _scores(q_i, k_j, scale, i + S - T - j if causal else None)
                m_new = torch.maximum(m_i, s.amax(dim=-1, keepdim=True))
                p = torch.exp(s - m_new)  # the weights of the tile, not yet divided
                correction = torch.exp(m_i - m_new)  # what was summed relative to the old largest
                l_i = correction * l_i + p.sum(dim=-1, keepdim=True)
                o_i = correction * o_i + p @ v_j
                m_i = m_new

            # The largest score adds exp(0) to the sum, so it is at least 1. It is 0 only if there
            # is no key at all; the output is then 0, not 0 / 0.
            l_i = l_i.clamp(min=1)
            output[..., i : i + block_q, :] = o_i / l_i  # O = o / l
            L[..., i : i + block_q, :] = m_i + torch.log(l_i)  # L = m + log l

        ctx.save_for_backward(q, k, v, output, L)
        ctx.causal, ctx.scale, ctx.block_q, ctx.block_k = causal, scale, block_q, block_k
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, output, L = ctx.saved_tensors
        causal, scale, block_q, block_k = ctx.causal, ctx.scale, ctx.block_q, ctx.block_k
        T, S = q.shape[-2], k.shape[-2]
        precise = L.dtype
        dq = torch.zeros_like(q, dtype=precise)
        dk, dv = torch.empty_like(k), torch.empty_like(v)
        # The softmax's gradient is P * (dP - rowsum(P * dP)), and the row sum needs no tile of P:
        # rowsum(P * dP) = rowsum(P * (dO V^T)) = rowsum(dO * (P V)) = rowsum(dO * O) = D
        D = (d_output.to(precise) * output.to(precise)).sum(dim=-1, keepdim=True)

        for j in range(0, S, block_k):  # keys outside: dK and dV of a tile are done when it is left
            k_j = k[..., j : j + block_k, :].to(precise)
            v_j = v[..., j : j + block_k, :].to(precise)
            dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)

            # Key j is first seen by query j - (S - T): start with that query's tile.
            start = max(0, j - (S - T)) // block_q * block_q if causal else 0
            for i in range(start, T, block_q):
                q_i = q[..., i : i + block_q, :].to(precise)
                do_i = d_output[..., i : i + block_q, :].to(precise)
                s = _scores(q_i, k_j, scale, i + S - T - j if causal else None)
                p = torch.exp(s - L[..., i : i + block_q, :])  # P = exp(S - L), recomputed
                dv_j += p.transpose(-2, -1) @ do_i  # dV = P^T dO
                dp = do_i @ v_j.transpose(-2, -1)  # dP = dO V^T
                ds = p * (dp - D[..., i : i + block_q, :])  # dS = P * (dP - D)
                dq[..., i : i + block_q, :] += scale * ds @ k_j  # dQ = dS K / sqrt(d_k)
                dk_j += scale * ds.transpose(-2, -1) @ q_i  # dK = dS^T Q / sqrt(d_k)

            dk[..., j : j + block_k, :] = dk_j
            dv[..., j : j + block_k, :] = dv_j

        return dq.to(q.dtype), dk, dv, None, None, None, None


def _scores(q_i: Tensor, k_j: Tensor, scale: float, diagonal: int | None) -> Tensor:
    """One tile of Q K^T / sqrt(d_k); ``diagonal`` is how many keys of it row 0 sees, minus one."""
    s = scale * q_i @ k_j.transpose(-2, -1)
    if diagonal is not None and diagonal < s.shape[-1] - 1:  # the diagonal cuts the tile
        seen = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).tril(diagonal)
        s = s.masked_fill(~seen, -math.inf)
    return s


def prepare_inputs(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    causal: bool,
    scale: float | None,
    block_q: int,
    block_k: int,
) -> tuple[Tensor, Tensor, Tensor, float]:
    """Check the inputs; give them all the same leading axes, and the scale its value.

    Arguments and errors are those of :func:`flash_attention`. The returned tensors are views: a
    broadcast axis takes no memory.
    """
    check_look_up(q, k, v)
    if not (q.dtype == k.dtype == v.dtype and q.dtype in DTYPES):
        raise ValueError(
            f"q, k and v must be of one dtype, float16, bfloat16, float32 or float64: "
            f"q is {q.dtype}, k is {k.dtype}, v is {v.dtype}"
        )
    if not q.device == k.device == v.device:
        raise ValueError(
            f"q, k and v must be on one device: "
            f"q is on {q.device}, k is on {k.device}, v is on {v.device}"
        )
    if causal and k.shape[-2] < q.shape[-2]:
        raise ValueError(
            f"k must have at least as many rows as q with causal=True, since the queries are the "
            f"last of the keys' positions: q is {tuple(q.shape)}, k is {tuple(k.shape)}"
        )
    at_least_one(block_q=block_q, block_k=block_k)
    batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (x.expand(*batch, *x.shape[-2:]) for x in (q, k, v))
    return q, k, v, q.shape[-1] ** -0.5 if scale is None else scale
