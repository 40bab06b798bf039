"""Rotary positions beyond the training length: unchanged, and three ways to stretch them.

Small GPTs read the sentences of the agreement grammar one after another, 32 words at a time, and
are tested with up to 512 words at a time: unchanged, with positions divided by the ratio of test to
training length (position interpolation), with NTK scaling, and with YaRN. Nothing is trained
further at the new length. One learning rate serves all, since they are one model: it is searched on
two seeds used for nothing else, by the loss at the training length.

Three minutes on one thread.
"""

from __future__ import annotations

from typing import Any

import torch
from _measuring import bracketed, keep_record

from tfcourse.positions import Positions, RotaryPositions
from tfcourse.runs.lengths import train_short_test_long

SEARCHED, SEEDS = (122, 123), (25, 26, 27, 28, 29)
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
#: Two heads of width 32, which gives 16 pairs to rotate.
SETTINGS = {"train_length": 32, "steps": 400, "num_heads": 2}
TIMES = (1, 2, 4, 8, 16)


def stretched(choices) -> Any:
    """How a trained scheme is tested at a length."""

    def tested_as(trained: Positions, length: int) -> Positions:
        assert isinstance(trained, RotaryPositions)
        times = length / SETTINGS["train_length"]
        return trained if times == 1 else RotaryPositions(trained.d_k, **choices(times))

    return tested_as


WAYS = {
    "as trained": None,
    "interpolated": stretched(lambda s: {"scaling": "linear", "factor": s}),
    "NTK": stretched(lambda s: {"ntk": s}),
    "YaRN": stretched(
        lambda s: {"scaling": "yarn", "factor": s, "original": SETTINGS["train_length"]}
    ),
}


def measured(quick: bool) -> dict[str, Any]:
    """The loss of each seed by way and by length."""
    torch.set_num_threads(1)  # a second one does not help networks this small
    settings, seeds, times = dict(SETTINGS), SEEDS, TIMES
    if quick:
        settings |= {"steps": 2}
        seeds, times = SEEDS[:1], TIMES[:2]
    length = settings["train_length"]

    def losses(way: str, rate: float, seeds: tuple, times: tuple) -> dict[int, list]:
        return train_short_test_long(
            lambda sizes: RotaryPositions(sizes.d_k), tested_as=WAYS[way], lr=rate, seeds=seeds,
            test_lengths=[length * t for t in times], **settings,
        ).losses  # fmt: skip

    def cost(rate: float) -> float:
        found = losses("as trained", rate, SEARCHED[: len(seeds)], (1,))[length]
        return sum(found) / len(found)

    rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
    results = {
        "settings": settings | {"seeds": seeds, "times": times},
        "unit": "nats per word",
        "chosen": {"search": search, "rate": rate},
        "losses": {},
    }
    for way in WAYS:
        found = losses(way, rate, seeds, times)
        results["losses"][way] = {
            str(words // length): [round(x, 4) for x in each] for words, each in found.items()
        }
        print(way, results["losses"][way], flush=True)
    return results


if __name__ == "__main__":
    keep_record("rotary-longer", __doc__, measured, seed=SEEDS[0], judged_by=("pos-rope-long",))
