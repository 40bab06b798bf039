"""Attention compared with its peers at lengths 1,024 to 16,384: forward, and with backward.

Ours is the package's fused path, which calls PyTorch's kernel after its checks; the peers are that
kernel alone, the formula, and ``nn.MultiheadAttention``'s call of the kernel, here without
projections. Causal, as in a decoder. The formula is left out when its scores no longer fit.

On a CPU it is one head of width 64 in float32. ``--device cuda`` uses 16 heads in bfloat16, and
adds our Triton kernel in separate rows, whose peer is PyTorch's fused kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from _beside import OURS, Rows, alternating, keep, row
from torch import Tensor

from tfcourse.attention import scaled_dot_product_attention
from tfcourse.kernels import triton_flash

SEED = 0
WIDTH = 64
#: Lengths, heads, and the maximum length for the formula.
SIZES = {
    "cpu": ((1024, 2048, 4096, 8192, 16384), 1, 8192),
    "cuda": ((1024, 2048, 4096, 8192, 16384), 16, 8192),
    "quick": ((64,), 1, 64),
}
FUSED, FORMULA = "PyTorch's fused kernel", "the formula"


def attended(q: Tensor, k: Tensor, v: Tensor, fused: bool) -> Tensor:
    """Attention by the package."""
    return scaled_dot_product_attention(q, k, v, causal=True, fused=fused)[0]


def runs(
    attend: Callable[..., Tensor], given: tuple[Tensor, ...]
) -> dict[str, Callable[[], object]]:
    """A forward pass, and one with its backward pass."""

    @torch.no_grad()
    def forward() -> None:
        attend(*given)

    def both() -> None:
        attend(*given).sum().backward()

    return {"forward": forward, "forward and backward": both}


def measured(
    work: str, part: str, size: str, ways: dict[str, Callable[[], object]], repeats: int,
    device: str,
) -> dict[str, Any]:  # fmt: skip
    """The row of one pass at one length."""
    seen = alternating(ways, repeats, device, warm=1, after_itself=True)
    least = 0.95 if work == "attention" else 0.7 if part == "forward" else 0.0
    return row(f"{work}, {part}", size, seen, goal={FUSED: least} if least else {})


def rows(device: str, quick: bool, repeats: int) -> Rows:
    """Rows of ours, and on a GPU of the Triton kernel."""
    lengths, heads, longest = SIZES["quick" if quick else device]
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    number = str(dtype).removeprefix("torch.")
    for n in lengths:
        generator = torch.Generator(device).manual_seed(SEED)
        given = tuple(
            torch.randn(1, heads, n, WIDTH, generator=generator, device=device, dtype=dtype)
            .requires_grad_()
            for _ in range(3)
        )  # fmt: skip
        peers: dict[str, Callable[..., Tensor]] = {
            FUSED: lambda *x: F.scaled_dot_product_attention(*x, is_causal=True)
        }
        if n <= longest:
            peers[FORMULA] = lambda *x: attended(*x, fused=False)
        mine = {"attention": lambda *x: attended(*x, fused=True)}
        if device == "cuda":
            mine["Triton kernel"] = lambda *x: triton_flash.flash_attention(*x, causal=True)
        many = repeats if n <= 4096 else max(repeats // 4, 1)
        for work, ours in mine.items():
            ways = {name: runs(way, given) for name, way in ({OURS: ours} | peers).items()}
            heads_ = f"{heads} head{'s' * (heads > 1)}"
            size = f"{n:,} tokens, {heads_} of width {WIDTH}, {number}"
            for part in ("forward", "forward and backward"):
                timed = {name: way[part] for name, way in ways.items()}
                work_of = partial(measured, work, part, size, timed, many, device)
                yield f"{work} {part} {n}", work_of


if __name__ == "__main__":
    keep("attention-speed", __doc__, rows, seed=SEED)
