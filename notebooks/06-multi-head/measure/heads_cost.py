"""The time of several heads compared with one of full width; chapter 06 shows the record.

One layer of a fixed width, forward, with more and more heads: with the weights stored, and with the
fused kernel. Then the loop over heads against the reshape as the sequence grows. One thread,
measured in processor time, so that other work on the machine does not count; alternating passes,
with the memory allocator set to keep freed memory. A minute on a quiet machine.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from coursebook.measuring import keep_record
from coursebook.measuring.passes import alternating, keep_memory, with_medians
from tfcourse.attention import MultiHeadAttention
from tfcourse.by_loop import multi_head_by_loop

SEED = 0
WIDTH = 512
HEADS = (1, 2, 4, 8, 16, 32, 64)
LENGTH = 256

#: Heads and lengths for the loop against the reshape: 8 heads of 64 are those of 2017.
FEW = 8
LENGTHS = (16, 64, 256, 1024)
PASSES = 31

Way = Callable[[MultiHeadAttention, Tensor], Tensor]

WAYS: dict[str, Way] = {
    "loop": multi_head_by_loop,
    "reshape": lambda layer, x: layer(x)[0],
    "reshape, fused": lambda layer, x: layer(x, fused=True)[0],
}


@torch.inference_mode()
def measured(quick: bool) -> dict[str, object]:
    """Milliseconds by the number of heads, and by the length."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    passes = 2 if quick else PASSES
    layers = {h: MultiHeadAttention(WIDTH, h, bias=False) for h in HEADS}
    inputs = {n: torch.randn(1, n, WIDTH) for n in {LENGTH, *LENGTHS}}
    by_heads = {
        name: alternating(
            {str(h): lambda h=h, way=way: way(layers[h], inputs[LENGTH]) for h in HEADS}, passes
        )
        for name, way in WAYS.items()
        if name != "loop"
    }
    by_length = {
        n: alternating(
            {name: lambda n=n, way=way: way(layers[FEW], inputs[n]) for name, way in WAYS.items()},
            passes,
        )
        for n in LENGTHS
    }
    return {
        "width": WIDTH,
        "length": LENGTH,
        "heads of the loop": FEW,
        "unit": "milliseconds of processor time",
        "passes": passes,
        **with_medians("heads", by_heads),
        **with_medians("lengths", by_length),
    }


if __name__ == "__main__":
    keep_memory()
    keep_record("heads-cost", __doc__, measured, seed=SEED, judged_by=("heads-same", "heads-cost"))
