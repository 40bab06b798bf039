"""How time and memory of attention grow with the length; chapter 13's evidence shows the record.

One head of width 64 in float32, on one thread, naive and fused, forward and with the backward pass.
A time is what the thread spent on the processor, in passes over all lengths and ways. It is
measured twice: with the default C library, which requests large blocks from the system in each
call, and with one that keeps them. Memory is the rise of the peak of a process that does nothing
else, with a C library that returns every block at once, so that the peak is what is held at one
time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable

import torch
from fast_attention import WIDTH, attend, memory_here
from torch import Tensor

from coursebook import records
from coursebook.measuring.passes import KEPT, alternating, malloc

SEED = 1
WAYS = ("naive", "fused")
PARTS = ("forward", "with backward")
LONG = (1024, 2048, 4096, 8192)
LENGTHS = (256, 512, *LONG)
PASSES = 9


COMES: dict[str, str] = {}
GIVEN_BACK = malloc(2**16)


def run(way: str, part: str, inputs: tuple[Tensor, ...]) -> None:
    with torch.set_grad_enabled(part == "with backward"):
        output = attend(way, *inputs)
        if part == "with backward":
            torch.autograd.grad(output.sum(), inputs)


def times_here(lengths: Iterable[int], passes: int) -> dict[str, dict[str, dict[int, list[float]]]]:
    """Milliseconds of each pass, by way, part and length."""
    generator = torch.Generator().manual_seed(SEED)
    given = {
        n: tuple(
            x.requires_grad_() for x in torch.randn(3, 1, 1, n, WIDTH, generator=generator).unbind()
        )
        for n in lengths
    }
    all_of_them = [(way, part, n) for way in WAYS for part in PARTS for n in given]
    seen = alternating(
        {one: (lambda one=one: run(*one[:2], given[one[2]])) for one in all_of_them}, passes
    )
    return {way: {part: {n: seen[way, part, n] for n in given} for part in PARTS} for way in WAYS}


def child(setting: dict[str, str], *arguments: object) -> dict:
    """The output of this script in its own process, with these C library settings."""
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, env=os.environ | setting, check=True, capture_output=True)
    return json.loads(done.stdout)


def memory(lengths: Iterable[int]) -> dict[str, dict[int, dict[str, float]]]:
    """Peak memory in MB, by way and length, forward and with the backward pass."""
    return {way: {n: child(GIVEN_BACK, "--memory", way, n) for n in lengths} for way in WAYS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two short passes; writes no record")
    parser.add_argument("--memory", nargs=2, metavar=("WAY", "N"), help=argparse.SUPPRESS)
    parser.add_argument("--times", nargs="+", type=int, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    torch.set_num_threads(1)
    if choice.memory:
        print(json.dumps(memory_here(choice.memory[0], int(choice.memory[1]))))
        return
    if choice.times:
        passes, *lengths = choice.times
        print(json.dumps(times_here(lengths, passes)))
        return
    if choice.quick:
        print(child(KEPT, "--times", 2, 64, 128), memory((64,)))
        return
    stated = records.conditions("self-quadratic")
    results = {
        "width": WIDTH, "heads": 1, "dtype": "float32", "passes": PASSES,
        "load average at the beginning": round(os.getloadavg()[0], 1),
        "ms of each pass": {
            name: child(setting, "--times", PASSES, *LENGTHS)
            for name, setting in (("as it comes", COMES), ("memory kept", KEPT))
        },
        "peak MB": memory(LONG),
    }  # fmt: skip
    print(records.write("attention-lengths", results, seed=SEED, stated=stated).name)


if __name__ == "__main__":
    main()
