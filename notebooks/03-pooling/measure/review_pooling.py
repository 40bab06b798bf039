"""Whether a learned query's weights explain its predictions, on film reviews; for evidence 03.

Sentences of film reviews (Pang and Lee 2005), a separate test fold for each initialisation, and one
query over a bidirectional GRU, where Jain and Wallace (2019) and Wiegreffe and Pinter (2019) have
an LSTM. Alternative weights are searched for one review at a time; adversaries are trained to
predict the same with different weights; and words are averaged with given weights.

An adversary starts from its base with a new random query, or from all of its base: the first begins
far from the base's weights, the second close to them. The learning rate decays to zero, so that the
remaining disagreement is the price of different weights and not the noise of the last steps. It is
searched on an initialisation used for nothing else, until the best has a worse one on each side,
apart for copying and for moving the weights far; adversaries from all of the base copy, too.
For adversaries from all of the base, more strengths of the pressure towards different weights are
tried between the strongest with which the predictions stay within a quarter of a seed's change, and
the next stronger one.

A quarter of an hour on one thread, with the corpus available; finished parts are kept in
``--keep``::

    python notebooks/03-pooling/measure/review_pooling.py --keep FOLDER
"""

from __future__ import annotations

import argparse
import copy
import math
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
SEARCHED, STARTS = {98: 8}, {30: 5, 31: 6, 32: 7}
BATCH, RATE, DECAY, WIDTH, HIDDEN, GRU, DROPOUT = 32, 1e-2, 0.01, 32, 32, 16, 0.3
EPOCHS, GRU_EPOCHS, ADVERSARY_EPOCHS, GUIDED_EPOCHS = 4, 3, 12, 3
WATCHED_BATCH, ADVERSARY_RATES, FIRST_RATES = 128, (3e-4, 1e-3, 3e-3, 1e-2, 3e-2), (3e-3, 1e-2)
#: Strengths of the pressure towards different weights on adversaries with a new query. The first
#: has none: it shows the cost of copying. The last is then trained further without the pressure, so
#: that only its predictions matter.
NONE, WISH = 0.0, 0.03
#: The strengths on adversaries with the base's query, and how many more are tried between two.
OWN_STRENGTHS, BETWEEN = (0.03, 0.1), 3
#: The strict tolerance, as a share of what a change of seed moves.
STRICT = 0.25
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
        found["train"], WATCHED_BATCH, collate=pad_labelled, seed=0, lengths=lambda e: len(e[0])
    )
    return [(ids, n, y, *look(base, ids, n)) for ids, n, y in batches]


def adversary(base, batches: list, strength: float, rate: float, seed: int, epochs: int, own=False):
    """A model that predicts like the base with different weights; it starts from the base.

    Unless it begins with the base's ``own`` query, it has a new one.
    """
    torch.manual_seed(seed)
    model = new(base.config.vocab_size, hidden=HIDDEN, d_hidden=GRU)
    model.load_state_dict(base.state_dict())
    if not own:
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


def searched(quick: bool, once) -> dict[str, tuple[float, dict[str, float | None]]]:
    """The rates of adversaries without and with pressure; the best moves weights, not predictions.

    For each, the best rate and the cost of all that were tried.
    """
    ((seed, fold),) = SEARCHED.items()
    found = corpus(fold, quick)
    base = bases(seed, found, quick)[0]
    batches, epochs = watched(base, found), 1 if quick else ADVERSARY_EPOCHS

    def cost(strength: float, rate: float) -> float:
        one = once(
            f"search-{strength:g}-{rate:g}",
            lambda: against(base, adversary(base, batches, strength, rate, seed, epochs), found),
        )
        return one["tvd"] - (one["jsd"] if strength else 0.0)

    rates = FIRST_RATES if quick else ADVERSARY_RATES
    return {f"{s:g}": bracketed(rates, FIRST_RATES, partial(cost, s)) for s in (NONE, WISH)}


def next_between(moved: dict[float, float], most: float) -> float:
    """The strength between the strongest that moves at most this, and the next stronger one.

    If all move less, it is three times the strongest; if all move more, half the weakest.
    """
    low = max((s for s, tvd in moved.items() if tvd <= most), default=min(moved) / 4)
    return math.sqrt(low * min((s for s in moved if s > low), default=9 * low))


def close(base, batches: list, rate: float, seed: int, epochs: int, found: dict, most: float):
    """Adversaries that begin with the base's query, by strength; ``most`` is the tolerance."""
    models, moved = {}, {}

    def one(s: float) -> None:
        models[s] = adversary(base, batches, s, rate, seed, epochs, own=True)
        moved[s] = against(base, models[s], found)["tvd"]
        print(seed, s, moved[s] / most, flush=True)

    for s in OWN_STRENGTHS:
        one(s)
        if moved[s] > most:
            break
    for _ in range(BETWEEN):
        one(next_between(moved, most))
    return models


def explanation(seed: int, fold: int, rates: dict[str, float], quick: bool) -> dict:
    """The experiments of both papers for one base model."""
    found, epochs = corpus(fold, quick), 1 if quick else ADVERSARY_EPOCHS
    base, other = bases(seed, found, quick)
    batches, change = watched(base, found), against(base, other, found)
    (copies, copying), (moves, moving) = rates.items()
    far = adversary(base, batches, WISH, moving, seed, epochs)
    adversaries = {
        copies: adversary(base, batches, NONE, copying, seed, epochs),
        moves: far,
        f"{moves}, then 0": train_adversary(
            copy.deepcopy(far), batches, NONE, copying, seed, epochs
        ),
    }
    own = close(base, batches, copying, seed, epochs, found, STRICT * change["tvd"])
    adversaries |= {f"{s:.4g}, own query": model for s, model in sorted(own.items())}

    def equal(ids: Tensor, n: Tensor) -> Tensor:
        real = (torch.arange(ids.shape[1]) < n[:, None]).float()
        return real / n[:, None]

    sources = {
        "equal": equal,
        "base": lambda ids, n: look(base, ids, n)[1],
        "adversary": lambda ids, n: look(far, ids, n)[1],
    }
    longer = 1 if quick else GUIDED_EPOCHS
    one = one_by_one(base, found, 5 if quick else SEARCH_STEPS)
    return {
        "seed": seed, "fold": fold, "reviews": len(found["labels"]), "right": right(base, found),
        "one by one": one.median().item(),
        "other seed": change,
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
    search = searched(choice.quick, once)
    rates = {strength: rate for strength, (rate, _) in search.items()}
    starts = {1: 9} if choice.quick else STARTS
    results = {
        "epochs": ADVERSARY_EPOCHS, "limit": LIMIT,
        "search": {strength: tried for strength, (_, tried) in search.items()}, "rates": rates,
        "explained": [
            once(f"start-{seed}", partial(explanation, seed, fold, rates, choice.quick))
            for seed, fold in starts.items()
        ],
    }  # fmt: skip
    sys.argv[1:] = []  # how it was split into runs is not part of the record
    if not choice.quick:
        print(records.write("review-pooling", results, seed=min(STARTS), stated=stated).name)


if __name__ == "__main__":
    main()
