r"""Flash attention as Triton kernels for CUDA: a fast version of the algorithm in ``flash.py``.

A Triton kernel is written for one *program*, which works on whole tiles; the GPU runs many programs
at once. A loop of ``flash.py`` whose iterations are independent becomes a grid of programs; one
that carries sums from one iteration to the next stays a loop. So there are three kernels: the
forward pass and dQ have a program for each tile of queries, which loops over the keys; dK and dV
have one for each tile of keys, which loops over the queries. Each result is written by one program,
in a fixed order: no atomic additions, and the same gradients in every run.

The current tile stays in the chip's fast memory. That, not fewer operations, is the source of the
speed: the formula writes and reads ``T x S`` scores several times in slow memory.

Triton is not needed to import this file, only to call it. Without a GPU the kernels run in Triton's
interpreter, slowly, for tests: set ``TRITON_INTERPRET=1`` before Triton is first imported.
"""

from __future__ import annotations

import inspect
import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from tfcourse.arguments import check_look_up
from tfcourse.attention import share_heads
from tfcourse.kernels.flash import prepare_inputs

_missing: ImportError | None = None
try:
    import triton
    import triton.language as tl
except ImportError as error:
    triton, _missing = None, error

#: ``tl.dot`` takes no tile with fewer rows or columns.
SMALLEST_BLOCK = 16
#: Warps that share the work of a program, and tiles that it has loaded or is loading.
OPTIONS = {"num_warps": 4, "num_stages": 2}


def flash_attention(
    q: Float[Tensor, "*#batch T K"],
    k: Float[Tensor, "*#shared S K"],
    v: Float[Tensor, "*#shared S Dv"],
    *,
    causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    block_q: int | None = None,
    block_k: int | None = None,
) -> Float[Tensor, "*heads T Dv"]:
    r"""Attention on a GPU in memory that grows with the length, not with its square.

    .. math:: O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    The same function as :func:`tfcourse.kernels.flash.flash_attention`, with the same arguments and
    errors, except as described here. Without Triton it raises ``ImportError``, and for unsupported
    blocks or inputs ``ValueError``.

    Parameters
    ----------
    q, k, v:
        On a CUDA device (on the CPU in Triton's interpreter). Leading axes broadcast, here by
        copying. Half-precision inputs are multiplied on tensor cores and summed in float32; float32
        is multiplied in float32, not in TF32.
    block_q, block_k:
        Number of queries and keys in a tile: powers of two, at least 16. The default is 64 for half
        precision and 32 for the others: with heads up to 128 wide (64 in float64) that fits into
        the 99 KiB of shared memory that GPUs have had at least since Ampere (2020). If one reports
        that it is out of shared memory, use smaller tiles.

    Notes
    -----
    Dao 2023 (arXiv 2307.08691), algorithms 1 and 2; Tillet, Kung and Cox 2019 for Triton.
    """
    if triton is None:
        raise ImportError(
            "tfcourse.kernels.triton_flash needs Triton, which is not installed: "
            "`pip install triton` (Linux; it runs on an NVIDIA GPU). "
            "tfcourse.kernels.flash.flash_attention is the same function in plain PyTorch, "
            "and scaled_dot_product_attention(..., fused=True) the fast one on any device"
        ) from _missing
    if enable_gqa:
        k, v = share_heads(q, k, v)
    check_look_up(q, k, v)
    block = 64 if q.element_size() == 2 else 32  # what fits into shared memory
    block_q, block_k = (block if size is None else size for size in (block_q, block_k))
    q, k, v, scale = prepare_inputs(q, k, v, causal, scale, block_q, block_k)
    _check_what_triton_takes(q, block_q, block_k)
    batch = q.shape[:-2]
    output = _TritonFlashAttention.apply(*map(_flat, (q, k, v)), causal, scale, block_q, block_k)
    return output.reshape(*batch, *output.shape[-2:])


def _jit(function):
    """``triton.jit``, or the bare function where there is no Triton to compile it."""
    # Unwrapped: Triton compiles the source, to which run-time type checks mean nothing.
    return function if triton is None else triton.jit(inspect.unwrap(function))


@_jit
def _load(matrix, n, first, rows, WIDTH: tl.constexpr, BLOCK: tl.constexpr, PADDED: tl.constexpr,
          DOT: tl.constexpr):  # fmt: skip
    """Rows ``first``, ``first + 1``, ... of matrix ``n``; zeros beyond its edges."""
    r, c = (first + tl.arange(0, BLOCK))[:, None], tl.arange(0, PADDED)[None, :]
    at = matrix + n * rows * WIDTH + r * WIDTH + c
    return tl.load(at, mask=(r < rows) & (c < WIDTH), other=0.0).to(DOT)  # (BLOCK, PADDED)


@_jit
def _store(matrix, tile, n, first, rows, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
           PADDED: tl.constexpr):  # fmt: skip
    """Write a tile where :func:`_load` would read it."""
    r, c = (first + tl.arange(0, BLOCK))[:, None], tl.arange(0, PADDED)[None, :]
    at = matrix + n * rows * WIDTH + r * WIDTH + c
    tl.store(at, tile.to(matrix.dtype.element_ty), mask=(r < rows) & (c < WIDTH))


@_jit
def _product(a, b, ACC: tl.constexpr):
    """A B, summed in ``ACC``; "ieee" because float32 would be rounded to TF32 otherwise."""
    return tl.dot(a, b, input_precision="ieee", out_dtype=ACC)


@_jit
def _scores(q, k, i, j, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr, BLOCK_Q: tl.constexpr,
            BLOCK_K: tl.constexpr, ACC: tl.constexpr):  # fmt: skip
    """One tile of Q K^T / sqrt(d_k), -inf at what may not be attended to."""
    query, key = (i + tl.arange(0, BLOCK_Q))[:, None], (j + tl.arange(0, BLOCK_K))[None, :]
    seen = key < S
    if CAUSAL:
        seen = seen & (key <= query + S - T)
    return tl.where(seen, SCALE * _product(q, tl.trans(k), ACC), float("-inf"))


@_jit
def _forward(Q, K, V, Out, L, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr, WK: tl.constexpr,
             WV: tl.constexpr, PK: tl.constexpr, PV: tl.constexpr, BLOCK_Q: tl.constexpr,
             BLOCK_K: tl.constexpr, DOT: tl.constexpr, ACC: tl.constexpr):  # fmt: skip
    """The output and the log-sum-exp of one tile of queries."""
    n, i = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK_Q
    q = _load(Q, n, i, T, WK, BLOCK_Q, PK, DOT)
    m_i = tl.full((BLOCK_Q,), float("-inf"), ACC)  # the largest score so far
    l_i = tl.zeros((BLOCK_Q,), ACC)  # the sum of exp(s - m_i)
    o_i = tl.zeros((BLOCK_Q, PV), ACC)  # the sum of exp(s - m_i) v
    stop = S
    if CAUSAL:  # no key after the tile's last query is seen
        stop = tl.minimum(i + BLOCK_Q + S - T, S)
    for j in range(0, stop, BLOCK_K):
        k = _load(K, n, j, S, WK, BLOCK_K, PK, DOT)
        v = _load(V, n, j, S, WV, BLOCK_K, PV, DOT)
        s = _scores(q, k, i, j, T, S, SCALE, CAUSAL, BLOCK_Q, BLOCK_K, ACC)
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])  # the weights of the tile, not yet divided
        correction = tl.exp(m_i - m_new)  # what was summed relative to the old largest
        l_i = correction * l_i + tl.sum(p, 1)
        o_i = correction[:, None] * o_i + _product(p.to(DOT), v, ACC)
        m_i = m_new
    l_i = tl.where(l_i == 0, 1.0, l_i)  # 0 only where there is no key: the output is then 0
    _store(Out, o_i / l_i[:, None], n, i, T, WV, BLOCK_Q, PV)  # O = o_i / l_i
    row = i + tl.arange(0, BLOCK_Q)
    tl.store(L + n * T + row, m_i + tl.log(l_i), mask=row < T)  # L = m_i + log l_i


@_jit
def _backward_tile(q, k, v, dO, L, D, n, i, j, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
                   WV: tl.constexpr, PV: tl.constexpr, BLOCK_Q: tl.constexpr,
                   BLOCK_K: tl.constexpr, DOT: tl.constexpr, ACC: tl.constexpr):  # fmt: skip
    """The recomputed weights P of a tile, the gradient dS of its scores, and dO of its queries.

    Queries beyond the last have dO = 0 and D = 0, so they add nothing to a gradient.
    """
    row = i + tl.arange(0, BLOCK_Q)
    L_i = tl.load(L + n * T + row, mask=row < T, other=0.0)[:, None]
    D_i = tl.load(D + n * T + row, mask=row < T, other=0.0)[:, None]
    do = _load(dO, n, i, T, WV, BLOCK_Q, PV, DOT)
    s = _scores(q, k, i, j, T, S, SCALE, CAUSAL, BLOCK_Q, BLOCK_K, ACC)
    p = tl.exp(s - L_i)  # P = exp(S - L)
    ds = p * (_product(do, tl.trans(v), ACC) - D_i)  # dS = P * (dO V^T - D)
    return p.to(DOT), ds.to(DOT), do


@_jit
def _backward_q(Q, K, V, dO, L, D, dQ, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
                WK: tl.constexpr, WV: tl.constexpr, PK: tl.constexpr, PV: tl.constexpr,
                BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, DOT: tl.constexpr,
                ACC: tl.constexpr):  # fmt: skip
    """dQ of one tile of queries."""
    n, i = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK_Q
    q = _load(Q, n, i, T, WK, BLOCK_Q, PK, DOT)
    dq = tl.zeros((BLOCK_Q, PK), ACC)
    stop = S
    if CAUSAL:
        stop = tl.minimum(i + BLOCK_Q + S - T, S)
    for j in range(0, stop, BLOCK_K):
        k = _load(K, n, j, S, WK, BLOCK_K, PK, DOT)
        v = _load(V, n, j, S, WV, BLOCK_K, PV, DOT)
        p, ds, do = _backward_tile(q, k, v, dO, L, D, n, i, j, T, S, SCALE, CAUSAL, WV, PV,
                                   BLOCK_Q, BLOCK_K, DOT, ACC)  # fmt: skip
        dq += SCALE * _product(ds, k, ACC)  # dQ = dS K / sqrt(d_k)
    _store(dQ, dq, n, i, T, WK, BLOCK_Q, PK)


@_jit
def _backward_kv(Q, K, V, dO, L, D, dK, dV, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
                 WK: tl.constexpr, WV: tl.constexpr, PK: tl.constexpr, PV: tl.constexpr,
                 BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, DOT: tl.constexpr,
                 ACC: tl.constexpr):  # fmt: skip
    """dK and dV of one tile of keys."""
    n, j = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK_K
    k = _load(K, n, j, S, WK, BLOCK_K, PK, DOT)
    v = _load(V, n, j, S, WV, BLOCK_K, PV, DOT)
    dk = tl.zeros((BLOCK_K, PK), ACC)
    dv = tl.zeros((BLOCK_K, PV), ACC)
    start = 0
    if CAUSAL:  # key j is first seen by query j - (S - T)
        start = tl.maximum(j - (S - T), 0) // BLOCK_Q * BLOCK_Q
    for i in range(start, T, BLOCK_Q):
        q = _load(Q, n, i, T, WK, BLOCK_Q, PK, DOT)
        p, ds, do = _backward_tile(q, k, v, dO, L, D, n, i, j, T, S, SCALE, CAUSAL, WV, PV,
                                   BLOCK_Q, BLOCK_K, DOT, ACC)  # fmt: skip
        dv += _product(tl.trans(p), do, ACC)  # dV = P^T dO
        dk += SCALE * _product(tl.trans(ds), q, ACC)  # dK = dS^T Q / sqrt(d_k)
    _store(dK, dk, n, j, S, WK, BLOCK_K, PK)
    _store(dV, dv, n, j, S, WV, BLOCK_K, PV)


class _TritonFlashAttention(torch.autograd.Function):
    """The kernels on ``(N, T, K)``, ``(N, S, K)`` and ``(N, S, Dv)``, each contiguous."""

    @staticmethod
    def forward(ctx, q, k, v, causal, scale, block_q, block_k):
        ctx.constants = _constants(q, v, causal, scale, block_q, block_k)
        N, T, S = len(q), q.shape[1], k.shape[1]
        output = q.new_empty(N, T, v.shape[2])
        L = q.new_empty(N, T, dtype=_sums(q.dtype))
        _launch(_forward, N, T, block_q, (q, k, v, output, L, T, S), ctx.constants)
        ctx.save_for_backward(q, k, v, output, L)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, d_output):
        q, k, v, output, L = ctx.saved_tensors
        N, T, S = len(q), q.shape[1], k.shape[1]
        d_output = d_output.contiguous()  # the gradient of a sum comes with strides of 0
        D = (d_output.to(L.dtype) * output.to(L.dtype)).sum(dim=-1)  # D = rowsum(dO * O)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        given, constants = (q, k, v, d_output, L, D), ctx.constants
        _launch(_backward_q, N, T, constants["BLOCK_Q"], (*given, dq, T, S), constants)
        _launch(_backward_kv, N, S, constants["BLOCK_K"], (*given, dk, dv, T, S), constants)
        return dq, dk, dv, None, None, None, None


def _launch(kernel, N: int, length: int, block: int, arguments: tuple, constants: dict) -> None:
    """Run one program for each tile of each matrix; an empty grid is an error to CUDA."""
    grid = (N, triton.cdiv(length, block))  # the first axis may be the longest
    if all(grid):
        with torch.cuda.device_of(arguments[0]):
            kernel[grid](*arguments, **constants, **OPTIONS)


def _constants(
    q: Tensor, v: Tensor, causal: bool, scale: float, block_q: int, block_k: int
) -> dict[str, object]:
    """Compile-time constants: a new value of any of these compiles a new kernel."""
    dot, acc = (getattr(tl, str(t).removeprefix("torch.")) for t in (q.dtype, _sums(q.dtype)))
    if q.dtype == torch.bfloat16 and _interpreted():
        dot = tl.float32  # the interpreter would multiply the bits as if they were integers
    return {
        "SCALE": scale,  # an ordinary argument would be rounded to float32
        "CAUSAL": causal,
        "WK": q.shape[-1],
        "WV": v.shape[-1],
        "PK": max(SMALLEST_BLOCK, triton.next_power_of_2(q.shape[-1])),  # padded with zeros
        "PV": max(SMALLEST_BLOCK, triton.next_power_of_2(v.shape[-1])),
        "BLOCK_Q": block_q,
        "BLOCK_K": block_k,
        "DOT": dot,  # products are of this dtype
        "ACC": acc,  # sums are of this one
    }


def _sums(dtype: torch.dtype) -> torch.dtype:
    return torch.promote_types(dtype, torch.float32)


def _flat(x: Tensor) -> Tensor:
    """All leading axes as one, in the memory order that the kernels expect."""
    return x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:]).contiguous()


def _interpreted() -> bool:
    return not isinstance(_forward, triton.JITFunction)


def _check_what_triton_takes(q: Tensor, block_q: int, block_k: int) -> None:
    for name, size in (("block_q", block_q), ("block_k", block_k)):
        if size < SMALLEST_BLOCK or size & (size - 1):
            raise ValueError(
                f"{name} must be a power of two of at least {SMALLEST_BLOCK}, got {size}"
            )
    if not _interpreted() and q.device.type != "cuda":
        raise ValueError(
            f"q, k and v must be on a CUDA device, got {q.device}: move them with .cuda(), call "
            "tfcourse.kernels.flash.flash_attention, which runs anywhere, or set "
            "TRITON_INTERPRET=1 before Triton is first imported to run the kernels slowly on the "
            "CPU"
        )
