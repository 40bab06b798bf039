"""What helps the translators without attention: more steps, or more pairs?

``source_bottleneck.py`` trains them for 500 steps on 8,000 pairs, and for 1,000 steps on 20,000.
Here one of the two changes at a time, with the same seeds and the learning rate that its search
found best for both. Seven minutes on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from source_bottleneck import ARMS, SEEDS, corpus, run

from coursebook.measuring import keep_record

#: Steps and pairs of training, and the learning rate.
CONTROLS = {"longer": (1000, 8000), "more pairs": (500, 20_000)}
RATE = 1e-2


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """Three runs of each control."""
    torch.set_num_threads(1)
    arms = {}
    for name, (steps, pairs) in CONTROLS.items():
        steps, learned = (4, corpus(300)) if quick else (steps, corpus(pairs))
        arm = ARMS["no attention"]._replace(steps=steps, pairs=pairs)
        seeds = SEEDS[:1] if quick else SEEDS
        parts = {seed: partial(run, learned, arm, RATE, seed, steps) for seed in seeds}
        runs = [once(f"{name}, {seed}", part) for seed, part in parts.items()]
        arms[name] = {**arm._asdict(), "rate": RATE, "runs": runs}
    return {"arms": arms}


if __name__ == "__main__":
    keep_record("bottleneck-steps", __doc__, measured, seed=SEEDS[0], resumed=True)
