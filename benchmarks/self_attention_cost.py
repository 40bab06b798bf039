"""What self-attention costs as the sequence grows, in time; chapter 05 shows the record.

Loops against matrix products, and the prefix loop against the mask. Medians over alternating runs,
so that a busy moment affects all equally.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from coursebook import records
from tfcourse.attention import causal_mask, scaled_dot_product_attention

SEED = 0
WIDTH = 64


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


def milliseconds(ways: dict[str, Callable], n: int, repeats: int) -> dict[str, float]:
    """Median time of each way at length ``n``, forward only."""
    generator = torch.Generator().manual_seed(SEED)
    q, k, v = torch.randn(3, n, WIDTH, generator=generator).unbind()
    seen: dict[str, list[float]] = {name: [] for name in ways}
    with torch.no_grad():
        for way in ways.values():
            way(q, k, v)
        for _ in range(repeats):
            for name, way in ways.items():
                start = time.perf_counter()
                way(q, k, v)
                seen[name].append(1000 * (time.perf_counter() - start))
    return {name: round(statistics.median(times), 4) for name, times in seen.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15, help="runs of each, alternating")
    repeats = parser.parse_args().repeats
    torch.set_num_threads(1)
    slow = {"loops": by_loops, "matrices": by_matrices}
    prefix = {"prefixes": by_prefixes, "mask": by_mask}
    results = {
        "width": WIDTH,
        "unit": "milliseconds",
        "loops": {n: milliseconds(slow, n, repeats) for n in (8, 16, 32, 64, 128)},
        "prefixes": {n: milliseconds(prefix, n, repeats) for n in (16, 64, 256, 1024)},
    }
    print(records.write("self-attention-cost", results, seed=SEED).name)


if __name__ == "__main__":
    main()
