"""What self-attention costs as the sequence grows, in time; chapter 05 shows the record.

Loops against matrix products, the prefix loop against the mask, and the explicit path against
the fused kernel. Medians over alternating runs, so that a busy moment falls on all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
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


def by_fused_kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    # The kernel wants batch and head axes.
    return scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], fused=True)[0]


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


def with_kept_memory(repeats: int) -> dict[int, dict[str, float]]:
    """The explicit path where the C library may keep matrices of any size for the next call.

    As it comes, glibc asks the operating system anew for each block above 32 MiB, and gives it
    back: fresh pages at every call. Other C libraries ignore the variables.
    """
    limit = str(2**34)
    kept = {"MALLOC_MMAP_THRESHOLD_": limit, "MALLOC_TRIM_THRESHOLD_": limit}
    command = [sys.executable, __file__, "--repeats", str(repeats), "--explicit-only"]
    done = subprocess.run(command, env=os.environ | kept, check=True, capture_output=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15, help="runs of each, alternating")
    parser.add_argument("--explicit-only", action="store_true", help=argparse.SUPPRESS)
    repeats, explicit_only = vars(parser.parse_args()).values()
    torch.set_num_threads(1)
    if explicit_only:
        explicit = {"explicit": by_matrices}
        print(json.dumps({n: milliseconds(explicit, n, repeats) for n in (2048, 4096)}))
        return
    slow = {"loops": by_loops, "matrices": by_matrices}
    prefix = {"prefixes": by_prefixes, "mask": by_mask}
    long = {"explicit": by_matrices, "fused": by_fused_kernel}
    results = {
        "width": WIDTH,
        "unit": "milliseconds",
        "loops": {n: milliseconds(slow, n, repeats) for n in (8, 16, 32, 64, 128)},
        "prefixes": {n: milliseconds(prefix, n, repeats) for n in (16, 64, 256, 1024)},
        "length": {n: milliseconds(long, n, repeats) for n in (256, 512, 1024, 2048, 4096, 8192)},
        "memory kept": with_kept_memory(repeats),
    }
    print(records.write("self-attention-cost", results, seed=SEED).name)


if __name__ == "__main__":
    main()
