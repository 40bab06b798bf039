"""The plain network of `agreement.py` on fresh seeds, to weigh its errors as its text does.

Trained on the natural mixture, whose sentences have at most two attractors, at the rate that the
search of `agreement.py` found. Nothing else is trained, so that only the seeds are new. About three
minutes on one thread.
"""

from __future__ import annotations

from typing import Any

import torch
from agreement import MIXTURES, STEPS, TEST, Corpus, trained

from coursebook import records
from coursebook.measuring import keep_record

SEEDS = tuple(range(51, 71))


def measured(quick: bool) -> dict[str, Any]:
    """The accuracy of each seed by the number of attractors."""
    torch.set_num_threads(1)  # these networks are too small to share
    mixture = MIXTURES["natural"]
    corpus = Corpus(dict.fromkeys(mixture, 200) if quick else mixture, 40 if quick else TEST)
    rate = records.load("agreement")["results"]["chosen"]["RNN"]["rate"]
    steps = 4 if quick else STEPS["natural"]
    runs = [trained("RNN", corpus, seed, rate, steps) for seed in SEEDS[: 1 if quick else None]]
    return {
        "settings": {"steps": steps, "mixture": mixture, "rate": rate, "seeds": SEEDS,
                     "judged": corpus.attractors.bincount().tolist()},
        "runs": [{key: run[key] for key in ("seed", "accuracy", "loss")} for run in runs],
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("agreement-counted", __doc__, measured, seed=SEEDS[0], judged_by=("rnn-agree",))
