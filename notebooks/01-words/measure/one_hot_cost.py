"""The cost of a product with one-hot rows compared with a look-up, as the vocabulary grows.

Chapter 01 shows the record. Time is the median over alternating runs, so that a busy moment affects
both equally; memory is the bytes of all tensors created.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from coursebook import records

SEED = 0
WIDTH = 100
WORDS = 64
SIZES = (100, 1_000, 10_000, 100_000)


def by_product(ids: Tensor, W: Tensor) -> Tensor:
    return F.one_hot(ids, len(W)).to(W.dtype) @ W


def by_look_up(ids: Tensor, W: Tensor) -> Tensor:
    return W[ids]


WAYS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "product": by_product,
    "look-up": by_look_up,
}


class BytesMade(TorchDispatchMode):
    """Adds up the bytes of every tensor that an operation makes; views make none."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0
        self.kept: dict[int, Tensor] = {}  # kept alive, so that no memory is reused

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = operation(*args, **(kwargs or {}))
        given = {x.untyped_storage().data_ptr() for x in tree_leaves(args) if isinstance(x, Tensor)}
        for x in tree_leaves(made):
            if isinstance(x, Tensor):
                place = x.untyped_storage().data_ptr()
                if place not in given and place not in self.kept:
                    self.kept[place] = x
                    self.bytes += x.untyped_storage().nbytes()
        return made


def milliseconds(ids: Tensor, W: Tensor, repeats: int, backward: bool) -> dict[str, float]:
    """Median time of each way: forward only, or with the gradient of the whole table."""
    seen: dict[str, list[float]] = {name: [] for name in WAYS}
    W = W.clone().requires_grad_(backward)
    for _ in range(repeats + 1):
        for name, way in WAYS.items():
            W.grad = None
            start = time.perf_counter()
            rows = way(ids, W)
            if backward:
                rows.sum().backward()
            seen[name].append(1000 * (time.perf_counter() - start))
    return {name: round(statistics.median(times[1:]), 4) for name, times in seen.items()}


def kilobytes(ids: Tensor, W: Tensor) -> dict[str, float]:
    """Memory that each way allocates in the forward pass, without the table itself."""
    found = {}
    for name, way in WAYS.items():
        with torch.no_grad(), BytesMade() as made:
            way(ids, W)
        found[name] = made.bytes / 1000
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=21, help="runs of each, alternating")
    parser.add_argument("--quick", action="store_true", help="the two smallest vocabularies only")
    options = parser.parse_args()
    torch.set_num_threads(1)
    forward, both, memory = {}, {}, {}
    for V in SIZES[:2] if options.quick else SIZES:
        generator = torch.Generator().manual_seed(SEED)
        ids = torch.randint(V, (WORDS,), generator=generator)
        W = torch.randn(V, WIDTH, generator=generator)
        forward[V] = milliseconds(ids, W, options.repeats, backward=False)
        both[V] = milliseconds(ids, W, options.repeats, backward=True)
        memory[V] = kilobytes(ids, W)
    results = {
        "width": WIDTH,
        "words": WORDS,
        "milliseconds, forward": forward,
        "milliseconds, forward and gradient": both,
        "kilobytes made, forward": memory,
    }
    if options.quick:
        print(results)
        return
    print(records.write("one-hot-cost", results, seed=SEED).name)


if __name__ == "__main__":
    main()
