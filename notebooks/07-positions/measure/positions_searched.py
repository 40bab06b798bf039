"""Every position scheme at its own learning rate, five seeds, at the training length and beyond.

The models, text and lengths of `positions_lengths.py`. Each scheme's rate is searched on two seeds
used for nothing else, by the loss at the training length, until the best has a worse one on each
side. All schemes share the reported seeds, and so the windows in their order.

A quarter of an hour on one thread.
"""

from __future__ import annotations

from typing import Any

import torch
from positions_lengths import SCHEMES, SETTINGS

from coursebook import records
from coursebook.measuring import bracketed, keep_record
from tfcourse.runs.lengths import train_short_test_long

SEARCHED, SEEDS = (130, 131), (30, 31, 32, 33, 34)
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
LENGTHS = (32, 512)
CLAIMS = (
    "pos-learned", "pos-extrapolate", "pos-concat", "pos-shaw", "pos-alibi", "pos-rope-fast",
)  # fmt: skip


def measured(quick: bool) -> dict[str, Any]:
    """Each scheme's search, its losses by length, and its loss by step, for every seed."""
    torch.set_num_threads(1)  # a second one does not help networks this small
    settings, seeds = SETTINGS | {"test_lengths": LENGTHS}, SEEDS
    if quick:
        settings |= {"steps": 2, "test_lengths": (32, 64)}
        seeds = SEEDS[:1]
    results: dict[str, Any] = {
        "settings": settings | {"seeds": seeds}, "unit": "nats per word", "schemes": {}
    }  # fmt: skip
    at = settings["train_length"]
    for name, scheme in SCHEMES.items():
        if name == "rotary, stretched":  # the rotary model, tested differently
            continue

        def cost(rate: float, scheme: Any = scheme) -> float:
            short = settings | {"test_lengths": (at,)}
            found = train_short_test_long(
                scheme, seeds=SEARCHED[: len(seeds)], lr=rate, **short
            ).losses[at]  # fmt: skip
            return sum(found) / len(found)

        rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
        found = train_short_test_long(scheme, seeds=seeds, lr=rate, **settings)
        results["schemes"][name] = {
            "search": search,
            "rate": rate,
            "losses": {length: records.rounded(each) for length, each in found.losses.items()},
            "by place": records.rounded(found.by_position[at].mean(0).tolist()),
            "steps": found.steps,
            "curve": [records.rounded(row) for row in found.curve.tolist()],
        }
        print(name, search, results["schemes"][name]["losses"], flush=True)
    return results


if __name__ == "__main__":
    keep_record("positions-searched", __doc__, measured, seed=SEEDS[0], judged_by=CLAIMS)
