"""A GPT on tinyshakespeare in nanoGPT's CPU configuration: its loss over the validation split.

nanoGPT's README gives 1.88, an estimate from 20 random batches of 12 windows of 64 characters. Here
the loss is that of every character of the split but the first, read in windows of 64 that lie side
by side: the same expectation without the noise.
"""

from __future__ import annotations

import argparse

import torch

from tfcourse import presets, records
from tfcourse.runs.measuring import measure, short

PRESET = "tinyshakespeare-cpu"
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(THREADS)
    measured = measure(PRESET, short() if quick else None, device="cpu")
    if quick:
        print(measured)
        return
    loss = measured["evaluation"]["loss"]
    results = measured | {
        "loss that nanoGPT's README gives": 1.88,
        "at most that": loss <= 1.88,
    }
    seed = presets.load(PRESET).training.seed
    print(records.write(PRESET, results, seed=seed).name)


if __name__ == "__main__":
    main()
