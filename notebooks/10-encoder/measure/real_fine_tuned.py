"""How well a real encoder does that is fine-tuned as a whole; beside ``real_few_labels.py``.

The encoder is all-MiniLM-L6-v2, which lies where ``real_encoder.py`` of chapter 6 says. A linear
layer on the mean of its states and all its weights learn from 100 or 1,000 labelled sentences of
SST-2, the same as in ``few_labels.py``, with three of its seeds. Steps and rate follow Devlin et
al. (2019): as many as three passes through 1,000 sentences, and 5e-5, the largest of their three
rates. Nothing was searched. The last weights are judged on the test split. About fifteen minutes on
one idle thread; each finished run is kept in ``--keep FOLDER``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from few_labels import SEEDS
from masked_words import BATCH, DECAY, WARMUP, Way, batched, build, loss, sentences, share_right
from real_few_labels import real_encoder

from coursebook.measuring import keep_record
from tfcourse import pretrained
from tfcourse.tokenizers import Tokenizer
from tfcourse.training import adamw, cosine, fit

LABELS, STEPS, RATE = (1000, 100), 96, 5e-5


def right(labels: int, seed: int, quick: bool) -> float:
    """Train on some labelled sentences; the fraction right on the test split."""
    where, few = real_encoder.folder(), 40 if quick else None
    encoder, tokens = pretrained.load(where), Tokenizer.load(where / "tokenizer.json")
    train, test = (
        sentences(tokens, split, encoder.config.context_length, few) for split in ("train", "test")
    )
    drawn = torch.randperm(len(train), generator=torch.Generator().manual_seed(seed))
    labelled = batched([train[i] for i in drawn[:labels].tolist()], tokens, "train", seed)
    steps = 2 if quick else STEPS
    torch.manual_seed(seed)
    model = build(Way("mean", pretrained=True), encoder)
    fit(
        model, labelled, loss=loss, steps=steps, seed=seed, device="cpu",
        lr=cosine(RATE, steps, int(WARMUP * steps)), optimiser=adamw(weight_decay=DECAY),
    )  # fmt: skip
    return share_right(model, batched(test, tokens, "test", seed))


def measured(quick: bool, once: Callable[..., Any]) -> dict[str, Any]:
    """The test accuracies for each number of labels."""
    torch.set_num_threads(1)
    labels, seeds = ((30,), SEEDS[:1]) if quick else (LABELS, SEEDS[:3])
    return {
        "model": real_encoder.MODEL,
        "settings": {"steps": STEPS, "rate": RATE, "batch": BATCH, "seeds": list(seeds)},
        "accuracy": {
            str(n): {"each": [once(f"{n}-{s}", lambda n=n, s=s: right(n, s, quick)) for s in seeds]}
            for n in labels
        },
    }


if __name__ == "__main__":
    keep_record("real-fine-tuned", __doc__, measured, seed=SEEDS[0], resumed=True)
