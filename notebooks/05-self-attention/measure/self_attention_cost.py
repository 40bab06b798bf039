"""What self-attention costs as the sequence grows, in time; chapter 05 shows the record.

Loops against matrix products, and the prefix loop against the mask: one thread, measured in
processor time, in alternating passes, with the memory allocator set to keep freed memory. A
minute on a quiet machine.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from coursebook.measuring import keep_record
from coursebook.measuring.passes import alternating, keep_memory, with_medians
from tfcourse.attention import causal_mask, scaled_dot_product_attention

SEED = 0
WIDTH = 64
PASSES = 31


def by_loops(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Token by token and pair by pair, as the formula with indices says."""
    n = len(q)
    output = torch.zeros_like(v)
    for i in range(n):
        scores = torch.stack([q[i] @ k[j] for j in range(n)]) / WIDTH**0.5
        weights = scores.softmax(0)
        for j in range(n):
            output[i] += weights[j] * v[j]
    return output


def by_prefixes(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention without a mask: each token attends to its own prefix, one after another."""
    rows = [
        scaled_dot_product_attention(q[i : i + 1], k[: i + 1], v[: i + 1])[0] for i in range(len(q))
    ]
    return torch.cat(rows)


def by_matrices(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v)[0]


def by_mask(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v, causal_mask(len(q)))[0]


@torch.inference_mode()
def passes_of(ways: dict[str, Callable], n: int, passes: int) -> dict[str, list[float]]:
    """Milliseconds of each pass of each way at length ``n``, forward only."""
    generator = torch.Generator().manual_seed(SEED)
    q, k, v = torch.randn(3, n, WIDTH, generator=generator).unbind()
    return alternating({name: lambda way=way: way(q, k, v) for name, way in ways.items()}, passes)


def measured(quick: bool) -> dict[str, object]:
    """Loops and products, and prefixes and mask, by length."""
    torch.set_num_threads(1)
    passes = 2 if quick else PASSES
    slow = {"loops": by_loops, "matrices": by_matrices}
    prefix = {"prefixes": by_prefixes, "mask": by_mask}
    return {
        "width": WIDTH,
        "unit": "milliseconds of processor time",
        "passes": passes,
        **with_medians("loops", {n: passes_of(slow, n, passes) for n in (8, 16, 32, 64, 128)}),
        **with_medians("prefixes", {n: passes_of(prefix, n, passes) for n in (16, 64, 256, 1024)}),
    }


if __name__ == "__main__":
    keep_memory()
    keep_record("self-attention-cost", __doc__, measured, seed=SEED, judged_by=("self-mask",))
