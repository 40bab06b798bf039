"""Every position scheme trained on short sequences and tested on longer ones; for chapter 07.

Small GPTs read the sentences of the agreement grammar one after another, 32 words at a time, and
are tested with up to 512 words at a time. Each scheme has the same three seeds, and so the same
windows in the same order. Concatenated codes take a quarter of the tokens' width. Rotary positions
are tested twice, unchanged and stretched (NTK) by the ratio of test to training length.
"""

from __future__ import annotations

from typing import Any

import torch

from coursebook import records
from coursebook.measuring import keep_record
from tfcourse.positions import (
    ALiBi,
    ConcatenatedPositions,
    LearnedPositions,
    Positions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
)
from tfcourse.runs.lengths import Sizes, train_short_test_long

SEEDS = (0, 1, 2)
SETTINGS = {"train_length": 32, "test_lengths": (32, 64, 128, 256, 512), "steps": 400}
#: Number of positions to average in the loss by position at the longest length.
BLOCK = 16


def learned_beside(s: Sizes) -> Positions:
    quarter = s.d_model // 4
    return ConcatenatedPositions(s.d_model, quarter, LearnedPositions(s.train_length, quarter))


def sinusoidal_beside(s: Sizes) -> Positions:
    quarter = s.d_model // 4
    return ConcatenatedPositions(s.d_model, quarter, SinusoidalPositions(quarter))


def stretched(trained: Positions, length: int) -> Positions:
    assert isinstance(trained, RotaryPositions)
    ntk = max(1.0, length / SETTINGS["train_length"])
    return RotaryPositions(trained.d_k, trained.pairing, trained.base, ntk)


SCHEMES = {
    "none": lambda s: Positions(),
    "learned": lambda s: LearnedPositions(s.train_length, s.d_model),
    "learned, concatenated": learned_beside,
    "sinusoidal": lambda s: SinusoidalPositions(s.d_model),
    "sinusoidal, concatenated": sinusoidal_beside,
    "Shaw": lambda s: RelativePositions(s.d_k),
    "ALiBi": lambda s: ALiBi(s.num_heads),
    "rotary": lambda s: RotaryPositions(s.d_k),
    "rotary, stretched": lambda s: RotaryPositions(s.d_k),
}


def measured(quick: bool) -> dict[str, Any]:
    """The results of each scheme."""
    torch.set_num_threads(1)  # a second one does not help networks this small
    settings, seeds = dict(SETTINGS), SEEDS
    if quick:
        settings |= {"steps": 2, "test_lengths": (32, 64)}
        seeds = SEEDS[:1]
    longest = max(settings["test_lengths"])
    results: dict[str, Any] = {"settings": settings, "unit": "nats per word", "schemes": {}}
    for name, scheme in SCHEMES.items():
        tested_as = stretched if name == "rotary, stretched" else None
        found = train_short_test_long(scheme, seeds=seeds, tested_as=tested_as, **settings)
        places = {
            "at the training length": found.by_position[found.train_length].mean(0),
            "at the longest, 16 places each": torch.zeros(0),
        }
        if longest in found.by_position:
            blocks = found.by_position[longest].mean(0).unflatten(0, (-1, BLOCK)).mean(1)
            places["at the longest, 16 places each"] = blocks
        results["schemes"][name] = {
            "losses": {length: records.rounded(each) for length, each in found.losses.items()},
            "by place": {
                where: records.rounded(values.tolist()) for where, values in places.items()
            },
            "steps": found.steps,
            "curve": records.rounded(found.curve.tolist()),
            "refused": found.refused,
            "parameters": found.parameters,
        }
    return results


if __name__ == "__main__":
    keep_record("positions-lengths", __doc__, measured, seed=SEEDS[0])
