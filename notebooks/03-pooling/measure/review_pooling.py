"""Whether a learned query's weights explain its predictions, on film reviews; for evidence 03.

Sentences of film reviews (Pang and Lee 2005), a separate test fold for each initialisation, and one
query over a bidirectional GRU, where Jain and Wallace (2019) and Wiegreffe and Pinter (2019) have
an LSTM. Alternative weights are searched for one review at a time; adversaries are trained to
predict the same with different weights; and words are averaged with given weights.

An adversary starts from its base with a new random query. Its learning rate decays to zero, so that
the remaining disagreement is the price of different weights and not the noise of the last steps.
The rate is searched on an initialisation used for nothing else, until the best has a worse one on
each side.

A quarter of an hour on one thread, with the corpus available; finished parts are kept in
``--keep``::

    python notebooks/03-pooling/measure/review_pooling.py --keep FOLDER
"""

from __future__ import annotations

import argparse
import copy
import sys
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from coursebook import records
from coursebook.measuring import bracketed, keeper
from tfcourse import data
from tfcourse.batching import Batches, pad_labelled
from tfcourse.models.classifiers import PoolingClassifier, PoolingConfig
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import Classification, adamw, cosine, fit

#: Seeds of initialisations, and their test folds.
SEARCHED, STARTS = {98: 8}, {20: 0, 21: 1, 22: 2}
BATCH, RATE, DECAY, WIDTH, HIDDEN, GRU, DROPOUT = 32, 1e-2, 0.01, 32, 32, 16, 0.3
EPOCHS, GRU_EPOCHS, ADVERSARY_EPOCHS, GUIDED_EPOCHS = 4, 3, 12, 3
ADVERSARY_RATES, FIRST_RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2), (1e-3, 3e-3)
#: Strengths of an adversary's pressure towards different weights. The first has none: it shows the
#: cost of copying. The last two are then trained further without the pressure, so that only their
#: predictions matter.
STRENGTHS, THEN_NONE, SEARCHED_STRENGTHS = (0.0, 0.01, 0.03, 0.1), (0.03, 0.1), (0.01, 0.03)
SEARCH_STEPS, LIMIT = 100, 0.01
TINY = 1e-12


def corpus(fold: int, quick: bool) -> dict:
    """The training reviews as ids, and the test reviews with their mask and labels."""
    parts = {s: data.load("sentence-polarity", s, fold=fold) for s in ("train", "test")}
    if quick:
        parts = {name: part[:300] for name, part in parts.items()}
    texts = [text for text, _ in parts["train"]]
    tokenizer = WordTokenizer.train(texts, at_least=2, punctuation=True, lower=True)
    ids = {n: [(tokenizer.encode(text), y) for text, y in part] for n, part in parts.items()}
    tokens, lengths, labels = pad_labelled(ids["test"])
    mask = torch.arange(tokens.shape[1]) < lengths[:, None]
    return {
        "train": ids["train"], "tokens": tokens, "lengths": lengths, "labels": labels,
        "mask": mask, "vocabulary": len(tokenizer),
    }  # fmt: skip


def new(vocabulary: int, **choices) -> PoolingClassifier:
    return PoolingClassifier(PoolingConfig(vocabulary, d_model=WIDTH, **choices))


def train(seed: int, found: dict, epochs: int, start: Tensor | None = None, **choices):
    """A classifier trained on the reviews."""
    torch.manual_seed(seed)
    model = new(found["vocabulary"], dropout=DROPOUT, **choices)
    if start is not None:
        with torch.no_grad():
            model.embedding.weight.copy_(start)
    batches = Batches(
        found["train"], BATCH, collate=pad_labelled, seed=seed, lengths=lambda e: len(e[0])
    )
    fit(
        model, batches, loss=Classification(), lr=RATE, seed=seed, steps=epochs * len(batches),
        optimiser=adamw(weight_decay=DECAY), device="cpu",
    )  # fmt: skip
    return model.eval()


@torch.no_grad()
def look(model, tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Probabilities ``(B, 2)``, and weights ``(B, S)``."""
    output = model(tokens, lengths, return_weights=True)
    return output.logits.softmax(-1), output.maps["words"][0][:, 0, 0]


def right(model, found: dict) -> float:
    p, _ = look(model, found["tokens"], found["lengths"])
    return (p.argmax(-1) == found["labels"]).float().mean().item()


def tvd(p: Tensor, q: Tensor) -> Tensor:
    return (p - q).abs().sum(-1) / 2


def kl(a: Tensor, b: Tensor) -> Tensor:
    return (a * ((a + TINY) / (b + TINY)).log()).sum(-1)


def jsd(a: Tensor, b: Tensor) -> Tensor:
    middle = (a + b) / 2
    return (kl(a, middle) + kl(b, middle)) / 2


def states(model, found: dict) -> Tensor:
    with torch.no_grad():
        return model.gru(model.embedding(found["tokens"]), found["lengths"], fused=True)[0]


def one_by_one(model, found: dict, steps: int) -> Tensor:
    """For each review, the JSD of the farthest weights that keep its prediction, or 0."""
    p, a = look(model, found["tokens"], found["lengths"])
    h, W, b = states(model, found), model.W.detach(), model.b.detach()
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(a.shape, generator=generator).requires_grad_()
    optimiser = torch.optim.Adam([z], lr=0.3)
    farthest = torch.zeros(len(a))
    for _ in range(steps):
        other = z.masked_fill(~found["mask"], -torch.inf).softmax(-1)
        moved = tvd(p, ((other[:, None] @ h)[:, 0] @ W + b).softmax(-1))
        away = jsd(a, other)
        farthest = torch.where((moved <= LIMIT) & (away > farthest), away, farthest).detach()
        loss = (20 * (moved - LIMIT).clamp(min=0) - away).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return farthest


def watched(base, found: dict) -> list[tuple]:
    """Training batches with the base model's outputs."""
    batches = Batches(
        found["train"], BATCH, collate=pad_labelled, seed=0, lengths=lambda e: len(e[0])
    )
    return [(ids, n, y, *look(base, ids, n)) for ids, n, y in batches]


def adversary(base, batches: list, strength: float, rate: float, seed: int, epochs: int):
    """A model that predicts like the base with different weights; it starts from the base."""
    torch.manual_seed(seed)
    model = new(base.config.vocab_size, hidden=HIDDEN, d_hidden=GRU)
    model.load_state_dict(base.state_dict())
    model.pool.reset_parameters()
    return train_adversary(model, batches, strength, rate, seed, epochs)


def train_adversary(model, batches: list, strength: float, rate: float, seed: int, epochs: int):
    """Train it, or continue its training with another strength."""

    def loss(model, batch):
        ids, n, _, p, a = batch
        output = model(ids, n, return_weights=True)
        b = output.maps["words"][0][:, 0, 0]
        moved = tvd(p, output.logits.softmax(-1))
        return (moved - strength * kl(a, b)).mean(), len(ids)

    steps = epochs * len(batches)
    fit(
        model, batches, loss=loss, steps=steps, lr=cosine(rate, steps, steps // 20), device="cpu",
        seed=seed,
    )  # fmt: skip
    return model.eval()


def guided(weigh, batches: list, found: dict, seed: int, epochs: int) -> float:
    """Accuracy from words averaged with given weights, in a network that never sees context."""

    def loss(model, batch):
        ids, label, a = batch
        o = F.dropout((a[:, None] @ F.dropout(model.embedding(ids), DROPOUT))[:, 0], DROPOUT)
        return F.cross_entropy(o @ model.W + model.b, label), len(ids)

    torch.manual_seed(seed)
    model = new(found["vocabulary"], queries=0)
    given = [(ids, y, weigh(ids, n)) for ids, n, y, *_ in batches]
    fit(
        model, given, loss=loss, steps=epochs * len(given), lr=RATE, seed=seed,
        optimiser=adamw(weight_decay=DECAY), device="cpu",
    )  # fmt: skip
    with torch.no_grad():
        a = weigh(found["tokens"], found["lengths"])
        o = (a[:, None] @ model.embedding(found["tokens"]))[:, 0]
        said = (o @ model.W + model.b).argmax(-1)
    return (said == found["labels"]).float().mean().item()


def bases(seed: int, found: dict, quick: bool) -> list:
    """Two models that differ only in their seed: the second shows the effect of the seed."""
    start = train(seed, found, 1 if quick else EPOCHS, queries=0).embedding.weight.detach()
    return [
        train(s, found, 1 if quick else GRU_EPOCHS, start, hidden=HIDDEN, d_hidden=GRU)
        for s in (seed, seed + 100)
    ]


def against(base, model, found: dict) -> dict[str, float]:
    """How far a model's predictions and weights are from the base's, on new reviews."""
    (p, a), (q, b) = (look(one, found["tokens"], found["lengths"]) for one in (base, model))
    return {
        "tvd": tvd(p, q).mean().item(), "jsd": jsd(a, b).median().item(),
        "right": right(model, found),
    }  # fmt: skip


def searched(quick: bool) -> tuple[float, dict[str, float | None]]:
    """The adversaries' learning rate: the best moves weights far and predictions little."""
    ((seed, fold),) = SEARCHED.items()
    found = corpus(fold, quick)
    base = bases(seed, found, quick)[0]
    batches, epochs = watched(base, found), 1 if quick else ADVERSARY_EPOCHS

    def cost(rate: float) -> float:
        total = 0.0
        for strength in SEARCHED_STRENGTHS:
            model = adversary(base, batches, strength, rate, seed, epochs)
            one = against(base, model, found)
            print(rate, strength, one, flush=True)
            total += one["tvd"] - one["jsd"]
        return total / len(SEARCHED_STRENGTHS)

    return bracketed(FIRST_RATES if quick else ADVERSARY_RATES, FIRST_RATES, cost)


def explanation(seed: int, fold: int, rate: float, quick: bool) -> dict:
    """The experiments of both papers for one base model."""
    found, epochs = corpus(fold, quick), 1 if quick else ADVERSARY_EPOCHS
    base, other = bases(seed, found, quick)
    batches = watched(base, found)
    adversaries = {str(s): adversary(base, batches, s, rate, seed, epochs) for s in STRENGTHS}
    for strength in THEN_NONE:
        model = copy.deepcopy(adversaries[str(strength)])
        adversaries[f"{strength}, then 0"] = train_adversary(
            model, batches, 0.0, rate, seed, epochs
        )

    def equal(ids: Tensor, n: Tensor) -> Tensor:
        real = (torch.arange(ids.shape[1]) < n[:, None]).float()
        return real / n[:, None]

    sources = {
        "equal": equal,
        "base": lambda ids, n: look(base, ids, n)[1],
        "adversary": lambda ids, n: look(adversaries[str(STRENGTHS[-1])], ids, n)[1],
    }
    longer = 1 if quick else GUIDED_EPOCHS
    one = one_by_one(base, found, 5 if quick else SEARCH_STEPS)
    return {
        "seed": seed, "fold": fold, "reviews": len(found["labels"]), "right": right(base, found),
        "one by one": one.median().item(),
        "other seed": against(base, other, found),
        "adversaries": {s: against(base, model, found) for s, model in adversaries.items()},
        "guided": {n: guided(w, batches, found, seed, longer) for n, w in sources.items()},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few reviews; writes no record")
    parser.add_argument("--keep", type=Path, help="where to store finished parts")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    stated = None if choice.quick else records.conditions("attn-explain")

    once = keeper(choice.keep)
    rate, search = once("search", lambda: searched(choice.quick))
    starts = {1: 9} if choice.quick else STARTS
    results = {
        "strengths": STRENGTHS, "epochs": ADVERSARY_EPOCHS, "limit": LIMIT,
        "search": search, "rate": rate,
        "explained": [
            once(f"start-{seed}", partial(explanation, seed, fold, rate, choice.quick))
            for seed, fold in starts.items()
        ],
    }  # fmt: skip
    sys.argv[1:] = []  # how it was split into runs is not part of the record
    if not choice.quick:
        print(records.write("review-pooling", results, seed=min(STARTS), stated=stated).name)


if __name__ == "__main__":
    main()
