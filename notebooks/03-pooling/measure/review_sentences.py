"""Hierarchical against flat attention, on whole film reviews; lesson 03 shows it.

The reviews are every tenth of IMDb, truncated to 300 words: 2,000 for training, 500 for validation,
2,500 for testing. A bidirectional GRU under one query reads a review as one row of words (*flat*),
or the words of each sentence and then the sentences (*hierarchical*), with as many parameters or
with as many operations as the flat one. Embeddings start from those that the plain mean with the
same seed has learned. Each arm's learning rate is searched on two seeds not used again, over rates
a factor of three apart, until the best has a worse one on each side. Each run is evaluated at its
best validation epoch.

Twenty minutes on one thread, with the corpus available::

    python notebooks/03-pooling/measure/review_sentences.py
"""

from __future__ import annotations

import argparse
import re

import torch
from torch import Tensor, nn

from coursebook import records
from coursebook.measuring import bracketed
from tfcourse import data
from tfcourse.batching import Batches, pad_labelled
from tfcourse.flops import count_parameters
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
)
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import Classification, adamw, fit

SEARCHED, STARTS = (0, 1), (10, 11, 12, 13, 14)
RATES, FIRST = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
EPOCHS, SEARCH_EPOCHS, BATCH, DECAY = 6, 3, 32, 0.01
#: The plain mean's epochs and rate.
MEAN_EPOCHS, MEAN_RATE = 6, 1e-2
WIDTH, HIDDEN, FLAT, DROPOUT = 32, 32, 16, 0.3
#: Maximum number of words read of a review, and of a sentence before it is split.
MOST, LONGEST = 300, 40
CHOOSE_BY = 500
END = re.compile(r"(?<=[.!?])\s+|(?:<br\s*/?>\s*)+")


def sentences_of(text: str) -> list[str]:
    """A review's sentences, without its line breaks."""
    return [part for part in END.split(text.strip()) if part and part.strip()]


def read(split: str) -> list[tuple[list[str], int]]:
    """Each review's sentences and its label."""
    return [(sentences_of(one.text), one.label) for one in data.load("imdb", split, part="tenth")]


def encode(tokenizer: WordTokenizer, reviews: list) -> list[tuple[list[list[int]], int]]:
    """Ids by sentence, truncated to ``MOST`` words in all."""
    found = []
    for sentences, label in reviews:
        kept, left = [], MOST
        for sentence in sentences:
            ids = tokenizer.encode(sentence)[:left]
            kept += [ids[i : i + LONGEST] for i in range(0, len(ids), LONGEST)]
            left -= len(ids)
        found.append((kept, label))
    return found


def flat(examples: list) -> tuple[Tensor, Tensor, Tensor]:
    """The reviews as rows of words."""
    return pad_labelled([([i for s in sentences for i in s], y) for sentences, y in examples])


def nested(examples: list) -> tuple[Tensor, Tensor, Tensor]:
    """The reviews as sentences of words: ids ``(B, N, S)``, lengths ``(B, N)``, labels."""
    most = max(len(sentences) for sentences, _ in examples)
    longest = max(len(s) for sentences, _ in examples for s in sentences)
    tokens = torch.zeros(len(examples), most, longest, dtype=torch.long)
    lengths = torch.zeros(len(examples), most, dtype=torch.long)
    for b, (sentences, _) in enumerate(examples):
        for n, sentence in enumerate(sentences):
            tokens[b, n, : len(sentence)] = torch.tensor(sentence)
            lengths[b, n] = len(sentence)
    return tokens, lengths, torch.tensor([y for _, y in examples])


def words(example: tuple) -> int:
    return sum(map(len, example[0]))


def new(arm: str, vocabulary: int) -> nn.Module:
    """An arm's model."""
    sizes = {"d_model": WIDTH, "dropout": DROPOUT}
    if arm == "mean":
        return PoolingClassifier(PoolingConfig(vocabulary, **sizes, queries=0))
    if arm == "flat":
        config = PoolingConfig(vocabulary, **sizes, hidden=HIDDEN, d_hidden=FLAT)
        return PoolingClassifier(config)
    width = FLAT
    while arm == "hierarchical, equal parameters":
        config = HierarchicalConfig(vocabulary, **sizes, hidden=HIDDEN, d_hidden=width)
        model = HierarchicalClassifier(config)
        if count_parameters(model) <= count_parameters(new("flat", vocabulary)):
            return model
        width -= 1
    config = HierarchicalConfig(vocabulary, **sizes, hidden=HIDDEN, d_hidden=width)
    return HierarchicalClassifier(config)


ARMS = ("flat", "hierarchical, equal parameters", "hierarchical, equal operations")


def share(told: str) -> float:
    return told.count("1") / len(told)


@torch.no_grad()
def answers(model: nn.Module, examples: list, collate) -> str:
    """1 for each review that the model classifies correctly, else 0."""
    model.eval()
    batches = Batches(examples, 100, collate=collate, shuffle=False)
    found = "".join(
        str(int(right))
        for tokens, lengths, labels in batches
        for right in model(tokens, lengths).logits.argmax(dim=-1) == labels
    )
    model.train()
    return found


def train(
    arm: str, seed: int, rate: float, parts: dict, epochs: int, embedding: Tensor | None = None
) -> tuple[nn.Module, list[float]]:
    """The model of the best epoch, and the validation accuracy of each epoch."""
    torch.manual_seed(seed)
    model = new(arm, parts["vocabulary"])
    if embedding is not None:
        with torch.no_grad():
            model.embedding.weight.copy_(embedding)
    collate = nested if arm.startswith("hier") else flat
    batches = Batches(parts["train"], BATCH, collate=collate, seed=seed, lengths=words)
    curve, kept = [], {}

    def look(step: int, model: nn.Module, _) -> None:
        if step % len(batches):
            return
        curve.append(share(answers(model, parts["choose by"], collate)))
        if curve[-1] > max(curve[:-1], default=-1.0):  # the first of several best ones
            kept.update({name: value.clone() for name, value in model.state_dict().items()})

    fit(
        model, batches, loss=Classification(), steps=epochs * len(batches), lr=rate, seed=seed,
        optimiser=adamw(weight_decay=DECAY), device="cpu", on_step=look,
    )  # fmt: skip
    model.load_state_dict(kept)
    print(f"{arm}, seed {seed}, rate {rate}: {curve}", flush=True)
    return model, curve


def prepare(quick: bool) -> dict:
    """The reviews as ids, with a vocabulary from the training reviews."""
    reviews = {split: read(split) for split in ("train", "test")}
    if quick:
        reviews = {split: found[:200] for split, found in reviews.items()}
    chosen = CHOOSE_BY if not quick else 50
    learned = reviews["train"][:-chosen]
    tokenizer = WordTokenizer.train(
        [s for sentences, _ in learned for s in sentences],
        at_least=2, punctuation=True, lower=True,
    )  # fmt: skip
    return {
        "train": encode(tokenizer, learned),
        "choose by": encode(tokenizer, reviews["train"][-chosen:]),
        "test": encode(tokenizer, reviews["test"]),
        "vocabulary": len(tokenizer),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few reviews; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(1)
    stated = None if quick else records.conditions("attn-hier")
    parts = prepare(quick)
    means, tested = {}, {}
    for seed in (*SEARCHED, *STARTS):
        means[seed], _ = train("mean", seed, MEAN_RATE, parts, MEAN_EPOCHS)
        tested[seed] = {"seed": seed, "mean": share(answers(means[seed], parts["test"], flat))}

    def trained(arm: str, seed: int, rate: float, epochs: int) -> tuple[nn.Module, list[float]]:
        start = means[seed].embedding.weight.detach()
        return train(arm, seed, rate, parts, 2 if quick else epochs, start)

    search, rates, curves = {}, {}, {}
    for arm in ARMS:

        def mistakes(rate: float, arm: str = arm) -> float:
            best = [max(trained(arm, seed, rate, SEARCH_EPOCHS)[1]) for seed in SEARCHED]
            return 1 - sum(best) / len(best)

        rates[arm], search[arm] = bracketed(FIRST if quick else RATES, FIRST, mistakes)
        for seed in STARTS:
            model, curve = trained(arm, seed, rates[arm], EPOCHS)
            collate = nested if arm.startswith("hier") else flat
            tested[seed][arm] = share(answers(model, parts["test"], collate))
            curves.setdefault(arm, []).append(curve)
    results = {
        "reviews": {part: len(parts[part]) for part in ("train", "choose by", "test")},
        "sentences of a review": sum(len(s) for s, _ in parts["test"]) / len(parts["test"]),
        "steps": EPOCHS * -(-len(parts["train"]) // BATCH),
        "parameters": {arm: count_parameters(new(arm, parts["vocabulary"])) for arm in ARMS},
        "outside the embeddings": {
            arm: count_parameters(new(arm, parts["vocabulary"])) - parts["vocabulary"] * WIDTH
            for arm in ARMS
        },
        "rates": {arm: {"search": search[arm], "rate": rates[arm]} for arm in ARMS},
        "curves": curves,
        "starts": [tested[seed] for seed in STARTS],
    }
    if quick:
        print(results)
        return
    print(records.write("review-sentences", results, seed=STARTS[0], stated=stated).name)


if __name__ == "__main__":
    main()
