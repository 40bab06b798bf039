"""Skip-gram vectors from WikiText-2: how their cosines rank the pairs of WordSim-353.

Window, negatives, subsampling, width and least count are word2vec's own defaults. What is
particular to these large batches, the rate and the number of steps, was set beforehand: nothing was
tuned on WordSim. SimLex-999, which asks for likeness and not relatedness, stands beside it.
"""

from __future__ import annotations

import argparse

import torch

from tfcourse import presets, records
from tfcourse.runs.measuring import measure, short

PRESET = "wikitext-2-skipgram"
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(THREADS)
    results = measure(PRESET, short(**{"training.batch": 64}) if quick else None, device="cpu")
    if quick:
        print(results)
        return
    print(records.write("wordsim", results, seed=presets.load(PRESET).training.seed).name)


if __name__ == "__main__":
    main()
