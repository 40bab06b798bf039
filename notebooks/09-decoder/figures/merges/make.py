"""Train the tokens of the figure *merges* and the small model of *inside*: ``merges.json``.

A GPT of two blocks on *tinyshakespeare*, with byte-pair encoding. Weights are stored as whole
multiples of ``step``, so that the file is small. The figures compute with these rounded numbers,
and so do the tests that compare them with ``tfcourse``. A few minutes on one thread, with the
corpus available::

    python notebooks/09-decoder/figures/merges/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse

import torch

from coursebook import live
from coursebook.live.weights import fill, in_steps, initialise
from tfcourse import data
from tfcourse.batching import Batches, Windows
from tfcourse.evaluation import language_model_nll
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.tokenizers import BPETokenizer
from tfcourse.tokenizers.bpe import BYTES
from tfcourse.training import NextToken, adamw, cosine, fit

VOCABULARY, LONGEST, LAYERS, HEADS, WIDTH = 512, 48, 2, 4, 48
STEPS, BATCH, RATE, WARMUP = 8000, 32, 4e-3, 200
#: The resolution at which weights are stored.
STEP = 1 / 64


def new_model() -> GPT:
    """Two blocks of four heads; matrices are initialised for the width, as in lesson 09."""
    model = GPT(GPTConfig(VOCABULARY, LONGEST, LAYERS, HEADS, WIDTH))
    initialise(model, WIDTH)
    return model


def load(stored: dict) -> tuple[GPT, BPETokenizer]:
    """The model as stored in the file, which is what the figures compute with, and its tokens."""
    model = fill(new_model(), stored)
    merges = [tuple(pair) for pair in stored["merges"]]
    tokens = [*sorted(BYTES), *("".join(pair) for pair in merges)]
    return model, BPETokenizer(tokens, merges)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    seed, steps = vars(parser.parse_args()).values()
    torch.set_num_threads(1)
    plays = {split: data.load("tinyshakespeare", split).text for split in ("train", "validation")}
    tokenizer = BPETokenizer.train([plays["train"]], VOCABULARY, special=())
    ids = {split: torch.tensor(tokenizer.encode(text)) for split, text in plays.items()}
    torch.manual_seed(seed)
    model = new_model()
    fit(
        model, Batches(Windows(ids["train"], LONGEST, stride=1), BATCH, seed=seed, drop_last=True),
        loss=NextToken(), steps=steps, lr=cosine(RATE, steps, WARMUP), seed=seed, device="cpu",
        optimiser=adamw(weight_decay=0.01),
    )  # fmt: skip
    model.eval()
    stored = {
        "about": "A GPT trained by merges/make.py on tinyshakespeare (public domain)",
        "seed": seed,
        "sizes": {"layers": LAYERS, "heads": HEADS, "width": WIDTH, "longest": LONGEST},
        "step": STEP,
        "merges": [list(pair) for pair in tokenizer.merges],
        "weights": in_steps(model, STEP),
    }
    live.store("merges", stored)
    for name, one in (("trained", model), ("rounded", load(stored)[0])):
        likely = language_model_nll(one, ids["validation"], LONGEST, LONGEST)
        print(f"{name}: {likely.of(plays['validation']).bits_per_byte:.3f} bits per byte")


if __name__ == "__main__":
    main()
