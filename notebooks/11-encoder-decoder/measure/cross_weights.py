"""Where a trained translator's decoder looks, with three seeds; chapter 11's evidence shows it.

The Transformer of that page: number words and dates in three languages, six directions, 500 steps.
For each English word of the test numbers that carries a digit the German piece that it translates
is known. How often has that piece the most weight in cross-attention, averaged over the heads? The
block is chosen by the validation numbers. A few minutes on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from coursebook.measuring import keep_record
from tfcourse import data, training
from tfcourse.batching import Batches, pad_pairs
from tfcourse.data.number_pieces import gold_alignment
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.tokenizers import WordTokenizer

STEPS, BATCH, SEEDS, HELD_OUT = 500, 64, (40, 41, 42), 200
LANGUAGES = {"de": "deutsch", "en": "english", "fr": "français"}

Pair = tuple[str, str]


def told(pairs: list, language: str) -> list[Pair]:
    """Sources that begin with the language to write."""
    return [(f"{LANGUAGES[language]} {source}", target) for source, target in pairs]


def learned(quick: bool) -> list[Pair]:
    """The pairs of the training."""
    found = []
    numbers, dates = (60, 30) if quick else (6000, 3000)
    for a, b in permutations(LANGUAGES, 2):
        way = {"source": a, "target": b}
        found += told(data.load("number-words", examples=numbers, form="pieces", **way), b)
        found += told(data.load("dates", examples=dates, **way), b)
    return found


def german(split: str) -> tuple[list[Pair], list[list[int]]]:
    """Numbers to translate, and for each English word the place of its partner, or -1."""
    options = {"held_out": HELD_OUT}
    pairs = data.load("number-words", split, source="de", target="en", form="pieces", **options)
    numbers = data.load("number-words", split, target="digits", **options)
    # The source begins with the language: all places are one further on.
    gold = [[j + 1 if j >= 0 else -1 for j in gold_alignment(int(n))] for _, n in numbers]
    return told(pairs, "en"), gold


def aligned(maps: Tensor, pairs: list[Pair], gold: list[list[int]]) -> list[bool]:
    """For each English word that carries a digit, whether its partner has the most weight."""
    best = maps.argmax(-1).tolist()
    return [
        best[b][i] == j
        for b, (places, (_, text)) in enumerate(zip(gold, pairs, strict=True))
        for i, (j, word) in enumerate(zip(places, text.split(), strict=False))
        if j >= 0 and word not in ("hundred", "thousand")
    ]


def run(seed: int, pairs: list[Pair], words: WordTokenizer, steps: int) -> dict[str, Any]:
    """One training, and how often the right piece has the most weight in each block."""

    def encoded(pairs: list[Pair]) -> list:
        return [(words.encode(s, end=True), words.encode(t, start=True, end=True))
                for s, t in pairs]  # fmt: skip

    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(
        len(words), context_length=64, num_encoder_layers=2, num_decoder_layers=2, num_heads=4,
        d_model=64, dropout=0.0, padding=words.pad,
    ))  # fmt: skip
    batches = Batches(
        encoded(pairs), BATCH, collate=pad_pairs, seed=seed, lengths=lambda pair: len(pair[0])
    )
    training.fit(
        model, batches, steps=steps, lr=training.noam(64, 200, 0.5), seed=seed, device="cpu",
        loss=training.Translation(words.pad, smoothing=0.1),
        optimiser=training.adamw(betas=(0.9, 0.98), eps=1e-9),
    )  # fmt: skip
    model.eval()
    found = {}
    for split in ("validation", "test"):
        numbers, gold = german(split)
        source, target, lengths = pad_pairs(encoded(numbers))
        with torch.no_grad():
            maps = model(source, target[:, :-1], lengths, return_weights=True).maps["cross"]
        found[split] = [mean(aligned(m.mean(dim=1), numbers, gold)) for m in maps]
    T, S = target.shape[1] - 1, source.shape[1]
    same_place = torch.eye(S)[1 : T + 1].expand(len(numbers), -1, -1)
    return {
        "seed": seed,
        "most weight, by block, validation": found["validation"],
        "block": found["validation"].index(max(found["validation"])),
        "most weight, by block": found["test"],
        "same place": mean(aligned(same_place, numbers, gold)),
    }


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """The three trainings."""
    torch.set_num_threads(1)
    pairs, steps = learned(quick), 2 if quick else STEPS
    # The vocabulary knows every word of the tests, as all words occur in training.
    words = WordTokenizer.train(
        [text for pair in learned(quick=False) for text in pair], punctuation=True
    )
    runs = [
        once(f"cross {seed}", lambda seed=seed: run(seed, pairs, words, steps))
        for seed in (SEEDS[:1] if quick else SEEDS)
    ]
    return {"steps": steps, "batch": BATCH, "pairs": len(pairs), "runs": runs}


if __name__ == "__main__":
    keep_record(
        "cross-weights", __doc__, measured, seed=SEEDS[0], judged_by=("model-cross",), resumed=True
    )
