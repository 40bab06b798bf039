"""Positions added and concatenated, on ten fresh seeds, with losses that are not rounded.

The models, text and steps of `positions_searched.py`, each at the rate that its search found. About
five minutes on one thread.
"""

from __future__ import annotations

from typing import Any

import torch
from positions_lengths import SCHEMES, SETTINGS

from coursebook import records
from coursebook.measuring import keep_record
from tfcourse.runs.lengths import train_short_test_long

SEEDS = tuple(range(80, 90))
COMPARED = ("learned", "learned, concatenated", "sinusoidal", "sinusoidal, concatenated")


def measured(quick: bool) -> dict[str, Any]:
    """The loss of each scheme at the training length, for every seed."""
    torch.set_num_threads(1)  # a second one does not help networks this small
    length = SETTINGS["train_length"]
    settings = SETTINGS | {"test_lengths": (length,)} | ({"steps": 2} if quick else {})
    seeds = SEEDS[: 1 if quick else None]
    chosen = records.load("positions-searched")["results"]["schemes"]
    results: dict[str, Any] = {
        "settings": settings | {"seeds": SEEDS}, "unit": "nats per word", "schemes": {}
    }  # fmt: skip
    for name in COMPARED:
        rate = chosen[name]["rate"]
        found = train_short_test_long(SCHEMES[name], seeds=seeds, lr=rate, **settings)
        results["schemes"][name] = {"rate": rate, "losses": found.losses[length]}
        print(name, results["schemes"][name], flush=True)
    return results


if __name__ == "__main__":
    keep_record("positions-added", __doc__, measured, seed=SEEDS[0], judged_by=("pos-concat",))
