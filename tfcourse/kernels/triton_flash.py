r"""Flash attention as Triton kernels for CUDA: a fast version of the algorithm in ``flash.py``.

A Triton kernel is written for one *program*, which works on whole tiles; the GPU runs many programs
at once. A loop of ``flash.py`` whose iterations are independent becomes a grid of programs; one
that carries sums from one iteration to the next stays a loop. So there are three kernels: the
forward pass and dQ have a program for each tile of queries, which loops over the keys; dK and dV
have one for each tile of keys, which loops over the queries. Each result is written by one program,
in a fixed order: no atomic additions, and the same gradients in every run.

The current tile stays in the chip's fast memory. That, not fewer operations, is the source of the
speed: the formula writes and reads ``T x S`` scores several times in slow memory.

What else makes it fast is marked ``fast:`` in the code. Whole tiles, in which every query sees
every key, come first and have no mask; ``EDGE`` is for the tiles on the diagonal and at the ends.
Loads of whole tiles have no bounds. The exponential is that of base 2, which a chip has, and its
factor is one with the scale; the scale of a gradient is applied once, at the end. The sizes of the
tiles and the numbers of warps are chosen by timing some.
``make gpu GPU="--only attention-speed-gpu"`` times the kernels on your GPU.

Triton is not needed to import this file, only to call it. Without a GPU the kernels run in Triton's
interpreter, slowly, for tests: set ``TRITON_INTERPRET=1`` before Triton is first imported.
"""

from __future__ import annotations

import inspect
import math
from functools import cache

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
#: What is timed, by the bytes of a number: queries and keys of a tile, warps, stages. Those that do
#: not fit into a GPU's shared memory are passed over; the last one always fits.
TILES = {
    2: ((128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (64, 128, 4, 3), (64, 64, 4, 3),
        (64, 64, 4, 2)),
    4: ((64, 32, 4, 2), (32, 32, 4, 3), (32, 32, 4, 2)),
    8: ((32, 32, 4, 2), (16, 16, 4, 2)),
}  # fmt: skip


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
        Number of queries and keys in a tile: powers of two, at least 16. If neither is given,
        several are timed, with their numbers of warps, when a kernel first meets inputs of such a
        size, and the fastest is used from then on. So gradients are the same in every call, but
        may differ in rounding from one process to another.

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
    smallest = TILES.get(q.element_size(), TILES[4])[-1]
    sizes = [size or one for size, one in zip((block_q, block_k), smallest, strict=False)]
    q, k, v, scale = prepare_inputs(q, k, v, causal, scale, *sizes)
    _check_what_triton_takes(q, *sizes)
    several = block_q is None and block_k is None and not _interpreted()  # then all are timed
    given = (None, None) if several else sizes
    batch = q.shape[:-2]
    output = _TritonFlashAttention.apply(*map(_flat, (q, k, v)), causal, scale, *given)
    return output.reshape(*batch, *output.shape[-2:])


def _jit(function):
    """``triton.jit``, or the bare function where there is no Triton to compile it."""
    # Unwrapped: Triton compiles the source, to which run-time type checks mean nothing.
    return function if triton is None else triton.jit(inspect.unwrap(function))


@_jit
def _load(matrix, n, first, rows, WIDTH: tl.constexpr, BLOCK: tl.constexpr, PADDED: tl.constexpr,
          DOT: tl.constexpr, EDGE: tl.constexpr):  # fmt: skip
    """Rows ``first``, ``first + 1``, ... of matrix ``n``; zeros beyond its edges, if ``EDGE``."""
    r, c = (first + tl.arange(0, BLOCK))[:, None], tl.arange(0, PADDED)[None, :]
    at = matrix + n * rows * WIDTH + r * WIDTH + c
    if EDGE:
        tile = tl.load(at, mask=(r < rows) & (c < WIDTH), other=0.0)
    elif WIDTH < PADDED:
        tile = tl.load(at, mask=c < WIDTH, other=0.0)
    else:
        tile = tl.load(at)  # fast: no bounds
    return tile.to(DOT)  # (BLOCK, PADDED)


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
def _score(q, k, i, j, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr, BLOCK_Q: tl.constexpr,
            BLOCK_K: tl.constexpr, ACC: tl.constexpr, EDGE: tl.constexpr):  # fmt: skip
    """One tile of log2(e) Q K^T / sqrt(d_k), -inf at what may not be attended to."""
    s = (SCALE * 1.4426950408889634) * _product(q, tl.trans(k), ACC)  # fast: log2(e) is in it
    if EDGE:  # fast: whole tiles need no mask
        query, key = (i + tl.arange(0, BLOCK_Q))[:, None], (j + tl.arange(0, BLOCK_K))[None, :]
        seen = key < S
        if CAUSAL:
            seen = seen & (key <= query + S - T)
        s = tl.where(seen, s, float("-inf"))
    return s


@_jit
def _keys_seen(i, T, S, CAUSAL: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr):
    """How many keys all queries of a tile see, in whole tiles; and how many one of them sees."""
    all_see, stop = S, S
    if CAUSAL:
        all_see = tl.minimum(i + 1 + S - T, S)
        stop = tl.minimum(i + BLOCK_Q + S - T, S)
    return all_see // BLOCK_K * BLOCK_K, stop


@_jit
def _forward(Q, K, V, Out, L, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr, WK: tl.constexpr,
             WV: tl.constexpr, PK: tl.constexpr, PV: tl.constexpr, BLOCK_Q: tl.constexpr,
             BLOCK_K: tl.constexpr, DOT: tl.constexpr, ACC: tl.constexpr):  # fmt: skip
    """The output and the log-sum-exp, to base 2, of one tile of queries."""
    n, i = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK_Q
    q = _load(Q, n, i, T, WK, BLOCK_Q, PK, DOT, True)
    m_i = tl.full((BLOCK_Q,), float("-inf"), ACC)  # the largest score so far
    l_i = tl.zeros((BLOCK_Q,), ACC)  # the sum of exp2(s - m_i)
    o_i = tl.zeros((BLOCK_Q, PV), ACC)  # the sum of exp2(s - m_i) v
    whole, stop = _keys_seen(i, T, S, CAUSAL, BLOCK_Q, BLOCK_K)
    for EDGE in tl.static_range(2):  # fast: first the whole tiles, then the diagonal
        for j in range(whole if EDGE else 0, stop if EDGE else whole, BLOCK_K):
            k = _load(K, n, j, S, WK, BLOCK_K, PK, DOT, EDGE)
            v = _load(V, n, j, S, WV, BLOCK_K, PV, DOT, EDGE)
            s = _score(q, k, i, j, T, S, SCALE, CAUSAL, BLOCK_Q, BLOCK_K, ACC, EDGE)
            m_new = tl.maximum(m_i, tl.max(s, 1))
            p = tl.exp2(s - m_new[:, None])  # the weights of the tile, not yet divided
            correction = tl.exp2(m_i - m_new)  # what was summed relative to the old largest
            l_i = correction * l_i + tl.sum(p, 1)
            o_i = correction[:, None] * o_i + _product(p.to(DOT), v, ACC)
            m_i = m_new
    l_i = tl.where(l_i == 0, 1.0, l_i)  # 0 only where there is no key: the output is then 0
    _store(Out, o_i / l_i[:, None], n, i, T, WV, BLOCK_Q, PV)  # O = o_i / l_i
    row = i + tl.arange(0, BLOCK_Q)
    tl.store(L + n * T + row, m_i + tl.log2(l_i), mask=row < T)  # L = m_i + log2 l_i


@_jit
def _backward_tile(q, k, v, dO, L, D, n, i, j, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
                   WV: tl.constexpr, PV: tl.constexpr, BLOCK_Q: tl.constexpr,
                   BLOCK_K: tl.constexpr, DOT: tl.constexpr, ACC: tl.constexpr,
                   EDGE: tl.constexpr, LAST: tl.constexpr):  # fmt: skip
    """The recomputed weights P of a tile, the gradient dS of its scores, and dO of its queries.

    Queries beyond the last have dO = 0 and D = 0, so they add nothing to a gradient; ``LAST`` says
    that there may be some.
    """
    row = i + tl.arange(0, BLOCK_Q)
    L_i = tl.load(L + n * T + row, mask=row < T, other=0.0)[:, None]
    D_i = tl.load(D + n * T + row, mask=row < T, other=0.0)[:, None]
    do = _load(dO, n, i, T, WV, BLOCK_Q, PV, DOT, LAST)
    s = _score(q, k, i, j, T, S, SCALE, CAUSAL, BLOCK_Q, BLOCK_K, ACC, EDGE)
    p = tl.exp2(s - L_i)  # P = exp2(S - L)
    ds = p * (_product(do, tl.trans(v), ACC) - D_i)  # dS = P * (dO V^T - D)
    return p.to(DOT), ds.to(DOT), do


@_jit
def _backward_q(Q, K, V, dO, L, D, dQ, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
                WK: tl.constexpr, WV: tl.constexpr, PK: tl.constexpr, PV: tl.constexpr,
                BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, DOT: tl.constexpr,
                ACC: tl.constexpr):  # fmt: skip
    """dQ of one tile of queries."""
    n, i = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK_Q
    q = _load(Q, n, i, T, WK, BLOCK_Q, PK, DOT, True)
    dq = tl.zeros((BLOCK_Q, PK), ACC)
    whole, stop = _keys_seen(i, T, S, CAUSAL, BLOCK_Q, BLOCK_K)
    for EDGE in tl.static_range(2):
        for j in range(whole if EDGE else 0, stop if EDGE else whole, BLOCK_K):
            k = _load(K, n, j, S, WK, BLOCK_K, PK, DOT, EDGE)
            v = _load(V, n, j, S, WV, BLOCK_K, PV, DOT, EDGE)
            p, ds, do = _backward_tile(q, k, v, dO, L, D, n, i, j, T, S, SCALE, CAUSAL, WV, PV,
                                       BLOCK_Q, BLOCK_K, DOT, ACC, EDGE, True)  # fmt: skip
            dq += _product(ds, k, ACC)  # dQ = dS K
    _store(dQ, SCALE * dq, n, i, T, WK, BLOCK_Q, PK)  # fast: / sqrt(d_k) once


@_jit
def _backward_kv(Q, K, V, dO, L, D, dK, dV, T, S, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
                 WK: tl.constexpr, WV: tl.constexpr, PK: tl.constexpr, PV: tl.constexpr,
                 BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, DOT: tl.constexpr,
                 ACC: tl.constexpr):  # fmt: skip
    """dK and dV of one tile of keys."""
    n, j = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK_K
    k = _load(K, n, j, S, WK, BLOCK_K, PK, DOT, True)
    v = _load(V, n, j, S, WV, BLOCK_K, PV, DOT, True)
    dk = tl.zeros((BLOCK_K, PK), ACC)
    dv = tl.zeros((BLOCK_K, PV), ACC)
    start, full = 0, 0
    if CAUSAL:  # key j is first seen by query j - (S - T); the tile's last by a later one
        start = tl.maximum(j - (S - T), 0) // BLOCK_Q * BLOCK_Q
        full = tl.cdiv(tl.maximum(j + BLOCK_K - 1 - (S - T), 0), BLOCK_Q) * BLOCK_Q
    full = tl.where(j + BLOCK_K > S, T, full)  # keys beyond the last are never seen
    whole = T // BLOCK_Q * BLOCK_Q
    for part in tl.static_range(3):  # fast: on the diagonal, whole tiles, the last queries
        first = start if part == 0 else full if part == 1 else tl.maximum(full, whole)
        stop = tl.minimum(full, T) if part == 0 else whole if part == 1 else T
        for i in range(first, stop, BLOCK_Q):
            q = _load(Q, n, i, T, WK, BLOCK_Q, PK, DOT, part != 1)
            p, ds, do = _backward_tile(q, k, v, dO, L, D, n, i, j, T, S, SCALE, CAUSAL, WV, PV,
                                       BLOCK_Q, BLOCK_K, DOT, ACC, part == 0,
                                       part != 1)  # fmt: skip
            dv += _product(tl.trans(p), do, ACC)  # dV = P^T dO
            dk += _product(tl.trans(ds), q, ACC)  # dK = dS^T Q
    _store(dK, SCALE * dk, n, j, S, WK, BLOCK_K, PK)  # fast: / sqrt(d_k) once
    _store(dV, dv, n, j, S, WV, BLOCK_K, PV)


class _TritonFlashAttention(torch.autograd.Function):
    """The kernels on ``(N, T, K)``, ``(N, S, K)`` and ``(N, S, Dv)``, each contiguous."""

    @staticmethod
    def forward(ctx, q, k, v, causal, scale, block_q, block_k):
        ctx.constants = _constants(q, v, causal, scale, block_q, block_k)
        N, T, S = len(q), q.shape[1], k.shape[1]
        output = q.new_empty(N, T, v.shape[2])
        L = q.new_empty(N, T, dtype=_sums(q.dtype))
        _launch(_forward, N, T, "BLOCK_Q", (q, k, v, output, L, T, S), ctx.constants)
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
        _launch(_backward_q, N, T, "BLOCK_Q", (*given, dq, T, S), constants)
        _launch(_backward_kv, N, S, "BLOCK_K", (*given, dk, dv, T, S), constants)
        return dq, dk, dv, None, None, None, None


def _launch(kernel, N: int, length: int, block: str, arguments: tuple, constants: dict) -> None:
    """Run one program for each tile of each matrix; an empty grid is an error to CUDA."""
    if not (N and length):
        return

    def grid(chosen: dict) -> tuple[int, int]:
        return N, triton.cdiv(length, chosen[block])  # the first axis may be the longest

    with torch.cuda.device_of(arguments[0]):
        if constants["BLOCK_Q"] is not None:
            kernel[grid](*arguments, **constants, **OPTIONS)
            return
        constants = {name: x for name, x in constants.items() if not name.startswith("BLOCK")}
        q, *_, T, S = arguments
        # A length within a power of two has its choice: not each length is timed.
        like = (T.bit_length(), S.bit_length(), N.bit_length(), *constants.values(), q.device)
        _tuned(kernel, q.element_size(), like)[grid](*arguments, **constants)


@cache
def _tuned(kernel, number_bytes: int, like: tuple):
    """The kernel with the fastest tiles for inputs ``like`` these: the first call times some."""
    tiles = [
        triton.Config({"BLOCK_Q": q, "BLOCK_K": k}, num_warps=warps, num_stages=stages)
        for q, k, warps, stages in TILES[number_bytes]
    ]
    return triton.autotune(tiles, key=[])(kernel)


def _constants(
    q: Tensor, v: Tensor, causal: bool, scale: float, block_q: int | None, block_k: int | None
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
