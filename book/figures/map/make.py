"""Train the first decoder of the figure *map*, and store it in ``map.json``.

A GPT of two blocks that writes captions of photographs: the English side of Multi30k, with
byte-pair encoding of its own. Its weights are rounded as in ``coursebook.live.weights``. Of the
validations during training the best counts. Some ten minutes on one thread, with the corpus
available; where a run stopped, the next one with the same folder goes on::

    python book/figures/map/make.py --folder run
    python -m coursebook.live map        # then draw the still pictures again

The file says what the rounded model reaches on the captions of the test: perplexity per token, and
how often the next token is its first guess, or among its first five.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from safetensors.torch import load_file

from coursebook import live
from coursebook.live.weights import fill, initialise, rounded
from tfcourse import data
from tfcourse.batching import Batches, Windows
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.tokenizers import BPETokenizer
from tfcourse.tokenizers.bpe import BYTES
from tfcourse.training import NextToken, adamw, cosine, fit, mean_loss

VOCABULARY, LONGEST, LAYERS, HEADS, WIDTH = 3072, 32, 2, 4, 96
STEPS, BATCH, RATE, WARMUP, DROPOUT, DECAY = 8000, 32, 2e-3, 200, 0.1, 0.1
VALIDATE_EVERY = 500


def new_model() -> GPT:
    """Two blocks of four heads; matrices are initialised for the width, as in lesson 09."""
    model = GPT(GPTConfig(VOCABULARY, LONGEST, LAYERS, HEADS, WIDTH, dropout=DROPOUT))
    initialise(model, WIDTH)
    return model


def load(stored: dict) -> tuple[GPT, BPETokenizer]:
    """The model as stored in the file, which is what the figure computes with, and its tokens."""
    merges = [tuple(pair) for pair in stored["merges"]]
    tokens = [*sorted(BYTES), *("".join(pair) for pair in merges)]
    return fill(new_model(), stored), BPETokenizer(tokens, merges)


def captions(split: str) -> list[str]:
    """The English captions of a split, without spaces at their ends."""
    return [
        english.strip() for _, english in data.load("multi30k", split, source="de", target="en")
    ]


@torch.no_grad()
def measured(model: GPT, windows: Batches) -> dict[str, float]:
    """Perplexity per token, and the share of tokens guessed first, or among the first five."""
    nll = first = five = count = 0.0
    for ids, target in windows:
        logits = model(ids).logits
        nll -= float(logits.log_softmax(-1).gather(-1, target[..., None]).sum())
        best = logits.topk(5).indices == target[..., None]
        first += float(best[..., 0].sum())
        five += float(best.sum())
        count += target.numel()
    return {
        "perplexity": round(math.exp(nll / count), 1),
        "first": round(first / count, 3),
        "among_five": round(five / count, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folder", required=True, help="where checkpoints are kept")
    given = parser.parse_args()
    torch.set_num_threads(1)
    texts = {
        split: "\n".join(captions(split)) + "\n" for split in ("train", "validation", "test2016")
    }
    tokenizer = BPETokenizer.train([texts["train"]], VOCABULARY, special=())
    ids = {split: torch.tensor(tokenizer.encode(text)) for split, text in texts.items()}
    print({split: len(one) for split, one in ids.items()})
    held_out = Batches(Windows(ids["validation"], LONGEST, stride=LONGEST), BATCH)
    torch.manual_seed(given.seed)
    model = new_model()
    fit(
        model,
        Batches(Windows(ids["train"], LONGEST, stride=1), BATCH, seed=given.seed, drop_last=True),
        loss=NextToken(), steps=given.steps, lr=cosine(RATE, given.steps, WARMUP), device="cpu",
        optimiser=adamw(weight_decay=DECAY), seed=given.seed,
        validate=mean_loss(NextToken(), list(held_out)), validate_every=VALIDATE_EVERY,
        checkpoint=given.folder, checkpoint_every=VALIDATE_EVERY, log=f"{given.folder}/log.csv",
    )  # fmt: skip
    model.load_state_dict(load_file(Path(given.folder) / "best.safetensors"))
    stored = {
        "about": "A GPT trained by map/make.py on the English captions of Multi30k "
        "(Elliott et al. 2016)",
        "seed": given.seed,
        "sizes": {"layers": LAYERS, "heads": HEADS, "width": WIDTH, "longest": LONGEST},
        "merges": [list(pair) for pair in tokenizer.merges],
        "weights": rounded(model),
    }
    test = Batches(Windows(ids["test2016"], LONGEST, stride=LONGEST), BATCH)
    found = {"trained": measured(model.eval(), test), "rounded": measured(load(stored)[0], test)}
    print(found)
    live.store("map", {**stored, "test": found["rounded"]})


if __name__ == "__main__":
    main()
