"""Is one vector too small, or is the network that uses it undertrained?

Translators of number words without attention, German to English in pieces, as in the record
``translators`` but trained for 1,000 steps, not 500, on 20,000 pairs, not 8,000; and the same with
the vector between the networks squeezed to 8 numbers while both networks stay the same. Three seeds
each, at the learning rate that ``translators`` found best without attention. Runs already in the
record are not repeated; ``--arms`` does some. Chapter 04's evidence shows both records. Three
minutes on one thread.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn
from translators import CLASSES, Corpus, corpus, loss_of

from coursebook import records
from tfcourse import training
from tfcourse.batching import Batches, pad_pairs
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig

RECORD = "bottleneck"
SEEDS, RATE, BATCH = (10, 11, 12), 0.01, 64
STEPS, PAIRS = 1000, 20_000


class Squeezed(Seq2Seq):
    """A translator with networks of the usual width, and only ``size`` numbers between them."""

    def __init__(self, config: Seq2SeqConfig, size: int) -> None:
        super().__init__(config)
        Dh = config.d_hidden
        self.squeeze = nn.Parameter(torch.randn(2 * Dh, size) * (2 * Dh) ** -0.5)
        self.W_s = nn.Parameter(torch.randn(1, 1, size, Dh) * size**-0.5)

    def _join_directions(self, last: Tensor) -> Tensor:
        both = torch.cat([last[0::2], last[1::2]], dim=-1) @ self.squeeze  # (1, B, size)
        return torch.tanh(both @ self.W_s[0] + self.b_s[0])


#: Width, and numbers between the networks (None: as many as the width).
ARMS: dict[str, tuple[int, int | None]] = {
    "64 wide, long": (64, None),
    "64 wide, long, 8 between": (64, 8),
}


def made(sizes: tuple[int, int], arm: str, seed: int) -> Seq2Seq:
    """A fresh translator."""
    width, between = ARMS[arm]
    torch.manual_seed(seed)
    config = Seq2SeqConfig(*sizes, d_model=32, d_hidden=width, attention="none")
    return Seq2Seq(config) if between is None else Squeezed(config, between)


@torch.no_grad()
def right(model: Seq2Seq, pairs: list) -> Tensor:
    """For each pair, whether greedy search would write exactly its target (see translators)."""
    found = []
    for begin in range(0, len(pairs), 500):
        source, target, lengths = pad_pairs(pairs[begin : begin + 500])
        says = target[:, 1:]
        said = model(source, target[:, :-1], lengths).logits.argmax(-1)
        found.append(((said == says) | (says == 0)).all(dim=1))
    return torch.cat(found)


def run(corpus: Corpus, arm: str, seed: int, steps: int) -> dict[str, Any]:
    """One training run, and the fraction of correct numbers, in the training set too."""
    model, learned = made(corpus.sizes, arm, seed), corpus.apart["train"]
    batches = Batches(
        learned, BATCH, collate=pad_pairs, seed=seed, lengths=lambda pair: len(pair[0])
    )
    training.fit(
        model, batches, loss=loss_of("no attention"), steps=steps,
        lr=training.cosine(RATE, steps, warmup=steps // 10), seed=seed, device="cpu",
    )  # fmt: skip
    tested = right(model.eval(), corpus.apart["test"])
    return {
        "seed": seed,
        "right": tested.double().mean().item(),
        "right in training": right(model, learned[:1000]).double().mean().item(),
        "right by pieces": {
            name: tested[(corpus.pieces >= low) & (corpus.pieces <= high)].double().mean().item()
            for name, (low, high) in CLASSES.items()
        },
    }


def kept() -> dict[str, Any]:
    """The content of the record."""
    with suppress(FileNotFoundError):
        return records.load(RECORD)["results"]
    return {"rate": RATE, "batch": BATCH, "arms": {}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    steps, examples, seeds = (4, 300, SEEDS[:1]) if choice.quick else (STEPS, PAIRS, SEEDS)
    pairs = corpus(examples)
    for arm in choice.arms:
        if not choice.quick and arm in kept()["arms"]:
            continue
        found = {
            "parameters": sum(p.numel() for p in made(pairs.sizes, arm, 0).parameters()),
            "steps": steps,
            "pairs": examples,
            "runs": [run(pairs, arm, seed, steps) for seed in seeds],
        }
        if choice.quick:
            print(arm, found)
            continue
        results = kept()  # others may have run in the meantime
        results["arms"][arm] = found
        print(arm, records.write(RECORD, results, seed=SEEDS[0]).name, flush=True)


if __name__ == "__main__":
    main()
