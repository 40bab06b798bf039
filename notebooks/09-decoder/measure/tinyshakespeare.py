"""A GPT on tinyshakespeare in nanoGPT's CPU configuration: its loss over the validation split.

nanoGPT's README gives 1.88, an estimate from 20 random batches of 12 windows of 64 characters. Here
the loss is that of every character of the split but the first, read in adjacent windows of 64: the
same expectation without the noise.
"""

from __future__ import annotations

from coursebook.measuring import keep_record, measure, short
from tfcourse import presets

PRESET = "tinyshakespeare-cpu"
PEER = 1.88  # the loss that nanoGPT's README gives


def measured(quick: bool) -> dict:
    """The run, and whether its loss is at most the peer's."""
    few = short(**{"model.num_layers": 1, "model.d_model": 16}) if quick else None
    results = measure(PRESET, few, device="cpu")
    met = results["evaluation"]["loss"] <= PEER
    return results | {"loss that nanoGPT's README gives": PEER, "at most that": met}


if __name__ == "__main__":
    keep_record(PRESET, __doc__, measured, seed=presets.load(PRESET).training.seed)
