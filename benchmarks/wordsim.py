"""Skip-gram vectors from WikiText-2: how their cosines rank the pairs of WordSim-353.

Window, negatives, subsampling, width and least count are word2vec's own defaults. What is
particular to these large batches, the rate and the number of steps, was set beforehand: nothing was
tuned on WordSim. SimLex-999, which asks for likeness and not relatedness, stands beside it.
"""

from __future__ import annotations

from _measuring import keep_record, measure, short

from tfcourse import presets

PRESET = "wikitext-2-skipgram"


def measured(quick: bool) -> dict:
    """The run."""
    return measure(PRESET, short(**{"training.batch": 64}) if quick else None, device="cpu")


if __name__ == "__main__":
    keep_record("wordsim", __doc__, measured, seed=presets.load(PRESET).training.seed)
