"""Number words, German to English, in pieces: seven translators with as many parameters each.

Chapter 04's recurrent ones (no attention, additive, general), the Transformer, and three
decoder-only models, which read source and target as one sequence: trained on the target only, on
both, or with every source word visible to all others (a prefix). All get the same pairs in the same
batches, the same steps and the same optimiser; each uses the best of four learning rates, chosen
with a separate seed by the validation loss. Then three seeds. Runs already in the record are not
repeated; ``--kinds`` does some of them. Chapter 11 shows the record.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from coursebook import records
from tfcourse import data, training
from tfcourse.attention import causal_mask
from tfcourse.batching import Batches, pad, pad_pairs
from tfcourse.models.common import Output
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.tokenizers import WordTokenizer

RECORD = "translators"
STEPS, BATCH = 500, 64
RATES = (3e-3, 1e-2, 3e-2, 1e-1)
CHOOSING, SEEDS = 100, (0, 1, 2)
VALIDATE_EVERY = 25

#: Pieces of the source, from and to, as chapter 04 sorts them.
CLASSES = {"up to 5": (1, 5), "6 or 7": (6, 7), "8 or 9": (8, 9), "10 or 11": (10, 11)}


class Prefix(GPT):
    """A decoder-only model in which the source words may all see each other."""

    def read(self, tokens: Tensor, source_lengths: Tensor) -> Output:
        """As ``forward``, with the first ``source_lengths`` tokens of each row as the prefix."""
        x = self.embedding(tokens) * self.config.d_model**0.5
        x = self.positions.embed(x, 0)
        places = torch.arange(tokens.shape[1], device=tokens.device)
        prefix = places < source_lengths[:, None, None]  # (B, 1, T): keys of the source
        mask = causal_mask(tokens.shape[1], device=tokens.device) | prefix
        for block in self.blocks:
            x, _ = block(x, mask, fused=True)
        return Output(self.norm(x) @ self.embedding.weight.T, None)


@dataclass
class Corpus:
    """Pairs of ids, in two vocabularies and in a shared one."""

    sizes: tuple[int, int]
    shared: int
    apart: dict[str, list]
    together: dict[str, list]
    pieces: Tensor  # of the test sources


def corpus(examples: int = 8000) -> Corpus:
    """Chapter 04's pairs."""
    splits = {
        "train": data.load("number-words", form="pieces", examples=examples),
        "validation": data.load("number-words", "validation", form="pieces"),
        "test": data.load("number-words", "test", form="pieces"),
    }
    german, english = ([pair[side] for pair in splits["train"]] for side in (0, 1))
    read, write = WordTokenizer.train(german), WordTokenizer.train(english)
    one = WordTokenizer.train([*german, *english])

    def encoded(pairs: list, read: WordTokenizer, write: WordTokenizer) -> list:
        return [
            (read.encode(source, end=True), write.encode(target, start=True, end=True))
            for source, target in pairs
        ]

    return Corpus(
        (len(read), len(write)),
        len(one),
        {name: encoded(pairs, read, write) for name, pairs in splits.items()},
        {name: encoded(pairs, one, one) for name, pairs in splits.items()},
        torch.tensor([len(pair.source.split()) for pair in splits["test"]]),
    )


# What each kind says of a batch (source, target, source_lengths): logits (B, T, V), and the words
# that were to be said (B, T), 0 where none counts.


def two_sided(model: nn.Module, batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """A translator with an encoder."""
    source, target, lengths = batch
    return model(source, target[:, :-1], lengths).logits, target[:, 1:]


def one_sided(
    model: GPT, batch: tuple[Tensor, ...], *, whole: bool = False
) -> tuple[Tensor, Tensor]:
    """A decoder-only model: the source, its </s>, and the target are one sequence."""
    source, target, lengths = batch
    rows = [torch.cat([s[:n], t[t != 0]]) for s, t, n in zip(source, target, lengths, strict=True)]
    row, _ = pad(rows)
    says = row[:, 1:].clone()
    if not whole:  # what the source says next is not asked; nor is the target's <s>
        says[torch.arange(says.shape[1], device=says.device) < lengths[:, None]] = 0
    read = row[:, :-1]
    output = model.read(read, lengths) if isinstance(model, Prefix) else model(read)
    return output.logits, says


def recurrent(attention: str, d_hidden: int) -> Callable[[Corpus], nn.Module]:
    """Chapter 04's."""

    def make(corpus: Corpus) -> nn.Module:
        return Seq2Seq(
            Seq2SeqConfig(*corpus.sizes, d_model=32, d_hidden=d_hidden, attention=attention)
        )

    return make


def transformer(corpus: Corpus) -> nn.Module:
    """Two encoder and two decoder blocks; one vocabulary."""
    return Transformer(TransformerConfig(
        corpus.shared, context_length=64, num_encoder_layers=2, num_decoder_layers=2, num_heads=4,
        d_model=32, d_ff=156, norm="pre", dropout=0.0, padding=0,
    ))  # fmt: skip


def decoder(corpus: Corpus, kind: type[GPT] = GPT) -> nn.Module:
    """Four blocks; options and initial weights as for the Transformer."""
    model = kind(GPTConfig(
        corpus.shared, context_length=64, num_layers=4, num_heads=4, d_model=32, d_ff=188,
        positions="sinusoidal", ffn="relu", scale_embeddings=True,
    ))  # fmt: skip
    for block in model.blocks:
        block.attention.reset_parameters()
        block.ffn.reset_parameters()
    nn.init.normal_(model.embedding.weight, std=32**-0.5)
    return model


#: How to make each, and its outputs in training and in evaluation.
KINDS = {
    "no attention": (recurrent("none", 64), two_sided, two_sided),
    "additive attention": (recurrent("additive", 45), two_sided, two_sided),
    "general attention": (recurrent("general", 55), two_sided, two_sided),
    "Transformer": (transformer, two_sided, two_sided),
    "decoder alone": (decoder, one_sided, one_sided),
    "decoder alone, source learned too": (decoder, partial(one_sided, whole=True), one_sided),
    "decoder alone, source seen whole": (partial(decoder, kind=Prefix), one_sided, one_sided),
}


def pairs_of(kind: str, corpus: Corpus) -> dict[str, list]:
    """A recurrent translator's pairs have two vocabularies, as in chapter 04."""
    return corpus.apart if "attention" in kind else corpus.together


def made(kind: str, corpus: Corpus, seed: int) -> nn.Module:
    """A fresh one."""
    torch.manual_seed(seed)
    return KINDS[kind][0](corpus)


def batches_of(kind: str, corpus: Corpus, seed: int) -> Batches:
    """The same batches for all kinds."""
    return Batches(
        pairs_of(kind, corpus)["train"], BATCH, collate=pad_pairs, seed=seed,
        lengths=lambda pair: len(pair[0]),
    )  # fmt: skip


def loss_of(kind: str) -> Callable[[nn.Module, Any], tuple[Tensor, Tensor]]:
    """The loss in training."""

    def loss(model: nn.Module, batch: Any) -> tuple[Tensor, Tensor]:
        return training.label_smoothed_loss(*KINDS[kind][1](model, batch), ignore=0)

    return loss


@torch.no_grad()
def judged(kind: str, model: nn.Module, pairs: list) -> tuple[float, Tensor]:
    """The loss on the target words, and for each target whether greedy search would write it.

    A target is written by greedy search exactly when each of its words is the most likely after the
    correct ones (chapter 04), so one pass with the correct words fed in is enough.
    """
    total, count, right = 0.0, 0, []
    for begin in range(0, len(pairs), 500):
        logits, says = KINDS[kind][2](model, pad_pairs(pairs[begin : begin + 500]))
        mean, n = training.label_smoothed_loss(logits, says, ignore=0)
        total, count = total + float(mean * n), count + int(n)
        right.append(((logits.argmax(-1) == says) | (says == 0)).all(dim=1))
    return total / count, torch.cat(right)


def train(kind: str, corpus: Corpus, seed: int, rate: float, steps: int) -> dict[str, Any]:
    """One run: its losses, and the fraction of test numbers that it gets right."""
    model, pairs = made(kind, corpus, seed), pairs_of(kind, corpus)
    seen: list[tuple[float, float]] = []

    def validate(model: nn.Module) -> float:
        loss, right = judged(kind, model, pairs["validation"])
        seen.append((loss, right.double().mean().item()))
        return loss

    training.fit(
        model, batches_of(kind, corpus, seed), loss=loss_of(kind), steps=steps,
        lr=training.cosine(rate, steps, warmup=steps // 10), seed=seed, device="cpu",
        validate=validate, validate_every=min(VALIDATE_EVERY, steps),
    )  # fmt: skip
    _, right = judged(kind, model.eval(), pairs["test"])
    return {
        "seed": seed,
        "validation loss": [round(loss, 5) for loss, _ in seen],
        "validation right": [round(share, 3) for _, share in seen],
        "test right": right.double().mean().item(),
        "test right by pieces": {
            name: right[(corpus.pieces >= low) & (corpus.pieces <= high)].double().mean().item()
            for name, (low, high) in CLASSES.items()
        },
    }


def measured(kind: str, corpus: Corpus, quick: bool, before: dict[str, Any]) -> dict[str, Any]:
    """A kind at its best rate, with each seed; runs already in the record are not repeated."""
    steps, seeds = (4, SEEDS[:1]) if quick else (STEPS, SEEDS)
    known = before.get("validation loss by rate", {})
    choosing = {
        rate: known.get(str(rate))
        or train(kind, corpus, CHOOSING, rate, steps)["validation loss"][-1]
        for rate in (RATES[:1] if quick else RATES)
    }
    rate = min(choosing, key=choosing.__getitem__)
    runs = before["runs"] if before.get("rate") == rate else []
    return {
        "parameters": sum(p.numel() for p in made(kind, corpus, 0).parameters()),
        "validation loss by rate": choosing,
        "rate": rate,
        "validated every": VALIDATE_EVERY,
        "runs": runs or [train(kind, corpus, seed, rate, steps) for seed in seeds],
    }


def kept() -> dict[str, Any]:
    """The content of the record, if it was made with the same number of steps."""
    with suppress(FileNotFoundError):
        results = records.load(RECORD)["results"]
        if results["steps"] == STEPS:
            return results
    return {"steps": STEPS, "batch": BATCH, "pairs": 8000, "kinds": {}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    pairs = corpus(300 if choice.quick else 8000)
    for kind in choice.kinds:
        before = {} if choice.quick else kept()["kinds"].get(kind, {})
        found = measured(kind, pairs, choice.quick, before)
        if choice.quick:
            print(kind, found)
            continue
        results = kept()  # others may have run in the meantime
        results["kinds"][kind] = found
        print(kind, records.write(RECORD, results, seed=SEEDS[0]).name, flush=True)


if __name__ == "__main__":
    main()
