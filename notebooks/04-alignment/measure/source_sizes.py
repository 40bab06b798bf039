"""Whether a vector of 128 numbers keeps more of a long source than one of 64, with fresh seeds.

The task, the translators without attention, their rates and the rule for when a training ends are
those of ``source_widths.py``; only these two widths are trained, with five seeds of their own.
Chapter 04's evidence shows the record. About an hour on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from source_widths import ARMS, CAPS, TESTED, run

from coursebook import records
from coursebook.measuring import keep_record

COMPARED, SEEDS = ("none, 64", "none, 128"), (409, 410, 411, 412, 413)


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """Both widths, at the rates that were found on another seed."""
    torch.set_num_threads(1)
    most, count = (2, 4) if quick else (CAPS[-1], TESTED)
    found = records.load("source-widths")["results"]["arms"]
    arms: dict[str, Any] = {
        name: {"d_hidden": ARMS[name].d_hidden, "rate": found[name]["rate"], "runs": []}
        for name in COMPARED
    }
    for seed in SEEDS[: 1 if quick else None]:
        for name, arm in arms.items():
            arm["runs"].append(
                once(
                    f"{name}, {seed}, {most}",
                    lambda name=name, arm=arm, seed=seed: run(
                        ARMS[name], arm["rate"], seed, most, count
                    ),
                )
            )
    return {"seeds": SEEDS, "most steps": CAPS, "arms": arms}


if __name__ == "__main__":
    keep_record(
        "source-sizes", __doc__, measured, seed=SEEDS[0], judged_by=("rnn-fixed",), resumed=True
    )
