"""How well a real encoder does with few labels: chapter 10 shows it beside ``few_labels.py``.

The encoder is all-MiniLM-L6-v2, which lies where ``real_encoder.py`` of chapter 6 says. Its weights
stay as they are: the mean of a sentence's last states goes to a logistic regression, which learns
from the same labelled sentences of SST-2 as in ``few_labels.py``, with the same seeds. The strength
of its penalty is searched for each number of labels on the validation split, with the seeds that
``few_labels.py`` searches with; the others are judged on the test split. Minutes on one thread.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch
from few_labels import LABELS, SEARCHED, SEEDS
from masked_words import PUBLISHED
from sklearn.linear_model import LogisticRegression

from coursebook import course
from coursebook.measuring import keep_record
from tfcourse import data, pretrained
from tfcourse.tokenizers import Tokenizer

sys.path.insert(0, str(course.Lesson(course.root(), "06-multi-head").measure))
import real_encoder  # noqa: E402

SPLITS = ("train", "validation", "test")
#: Factors on the data's part of the objective, scikit-learn's ``C``.
STRENGTHS = (0.1, 1.0, 10.0, 100.0)


@torch.no_grad()
def read(split: str, few: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Each sentence's mean state ``(N, 384)`` of length 1, and its class."""
    where = real_encoder.folder()
    model, tokenizer = pretrained.load(where), Tokenizer.load(where / "tokenizer.json")
    rows, labels = [], []
    for text, label in data.load("sst-2", split)[:few]:
        states, _ = model.encode(torch.tensor([tokenizer.encode(text, start=True, end=True)]))
        rows.append(torch.nn.functional.normalize(states[0].mean(0), dim=0))
        labels.append(label)
    return torch.stack(rows).numpy(), np.array(labels)


def measured(quick: bool) -> dict[str, Any]:
    """The search and the test accuracies for each number of labels."""
    torch.set_num_threads(1)
    x, y = {}, {}
    for split in SPLITS:
        x[split], y[split] = read(split, 60 if quick else None)

    def right(labels: int, strength: float, seed: int, split: str) -> float:
        drawn = torch.randperm(len(y["train"]), generator=torch.Generator().manual_seed(seed))
        some = drawn[:labels].numpy()
        classifier = LogisticRegression(C=strength, max_iter=1000)
        classifier.fit(x["train"][some], y["train"][some])
        return float(classifier.score(x[split], y[split]))

    found: dict[str, Any] = {}
    for labels in LABELS if not quick else (30,):
        search = {
            c: float(np.mean([right(labels, c, seed, "validation") for seed in SEARCHED]))
            for c in STRENGTHS
        }
        best = max(STRENGTHS, key=search.__getitem__)
        found[str(labels)] = {
            "search": {f"{c:g}": round(share, 4) for c, share in search.items()}, "C": best,
            "each": [right(labels, best, seed, "test") for seed in SEEDS],
        }  # fmt: skip
    base = next(one for one in PUBLISHED if one["model"] == "BERT base")
    return {"model": real_encoder.MODEL, "accuracy": found, "published": base}


if __name__ == "__main__":
    keep_record("real-few-labels", __doc__, measured, seed=SEEDS[0])
