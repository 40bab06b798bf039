"""Whether a learned query's weights explain its predictions, on film reviews; for evidence 03.

Sentences of film reviews (Pang and Lee 2005), a separate test fold for each initialisation, and one
query over a bidirectional GRU, where Jain and Wallace (2019) and Wiegreffe and Pinter (2019) have
an LSTM. Alternative weights are searched for one review at a time; adversaries are trained to
predict the same with different weights; and words are averaged with given weights.

An adversary starts from its base with a new random query. Without pressure towards other weights it
shows what copying costs; under a strong one its weights go far. Others are told how much their
predictions may move on the reviews that they learn from, and move their weights as far as they can:
from the base with its own query, moved a little, and from the adversary whose weights are far. The
learning rate decays to zero, so that the remaining disagreement is the price of different weights
and not the noise of the last steps. It is searched for each kind and start, on an initialisation
used for nothing else, until the best has a worse one on each side. For those that begin beside the
base, the best rate is the one whose adversaries move the weights farthest at equal movement of the
predictions.

Half an hour on one thread, with the corpus available; finished parts are kept in
``--keep``::

    python notebooks/03-pooling/measure/review_pooling.py --keep FOLDER
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from numpy import interp
from torch import Tensor

from coursebook import records
from coursebook.measuring import bracketed, keeper
from tfcourse import data
from tfcourse.batching import Batches, pad_labelled
from tfcourse.models.classifiers import PoolingClassifier, PoolingConfig
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import Classification, adamw, cosine, fit

#: Seeds of initialisations, and their test folds.
SEARCHED, STARTS = {97: 5}, {43: 6, 44: 7, 45: 0}
BATCH, RATE, DECAY, WIDTH, HIDDEN, GRU, DROPOUT = 32, 1e-2, 0.01, 32, 32, 16, 0.3
EPOCHS, GRU_EPOCHS, ADVERSARY_EPOCHS, GUIDED_EPOCHS = 4, 3, 12, 3
WATCHED_BATCH = 128
ADVERSARY_RATES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
FIRST_RATES = (1e-3, 3e-3)
#: The pressure towards different weights on the adversaries with a new query.
NONE, FAR = 0.0, 0.03
#: How much the others' predictions may move, as shares of what a change of seed moves them; those
#: that their rate is searched with; and the weight of what they move beyond. With a weight of 20
#: they moved further than they were told, in trials on the start of an earlier search.
ALLOWED = {"near, told": (0.02, 0.04, 0.06, 0.08, 0.12, 0.2), "far, told": (0.04, 0.2)}
SEARCHED_SHARES, PRICE = {"near, told": (0.03, 0.06, 0.12, 0.2), "far, told": (0.08,)}, 100
#: The strict tolerance and the most at which it is probed, as shares of what a change of seed does.
STRICT, PROBED = 0.25, 0.5
#: How far the base's query is moved at first, as a share of its size: at equal weights the loss has
#: no slope.
KICK = 0.1
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


def pressed(strength: float):
    """The loss of an adversary under a pressure towards different weights."""
    return lambda moved, a, b: (moved - strength * kl(a, b)).mean()


def told(most: float):
    """The loss of an adversary whose predictions may move by so much on average."""
    return lambda moved, a, b: PRICE * (moved.mean() - most).clamp(min=0) - tvd(a, b).mean()


def adversary(start, price, batches: list, rate: float, seed: int, epochs: int, kick: float = 0.0):
    """A model that is to have other weights than the base; it starts from the model ``start``.

    ``price(moved, a, b)`` is its loss on a batch, given how far it moves each prediction, and the
    base's weights and its own. Its query is first moved at random, by ``kick`` of its size; it is
    a new one if that is infinite.
    """
    torch.manual_seed(seed)
    model = new(start.config.vocab_size, hidden=HIDDEN, d_hidden=GRU)
    model.load_state_dict(start.state_dict())
    if math.isinf(kick):
        model.pool.reset_parameters()
    else:
        with torch.no_grad():
            model.pool.v += kick * model.pool.v.std() * torch.randn_like(model.pool.v)

    def loss(model, batch):
        ids, n, _, p, a = batch
        output = model(ids, n, return_weights=True)
        b = output.maps["words"][0][:, 0, 0]
        return price(tvd(p, output.logits.softmax(-1)), a, b), len(ids)

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


def weights_moved(tried: list[dict[str, float]], change: float) -> float:
    """The JSD at the strict tolerance, on straight lines from (0, 0) through what was tried.

    Those that move the predictions by more than :data:`PROBED` are left out: between them and the
    others the weights leap.
    """
    near = sorted((x["tvd"], x["jsd"]) for x in tried if x["tvd"] <= PROBED * change)
    return float(interp(STRICT * change, *zip((0.0, 0.0), *near, strict=True)))


class Kind(NamedTuple):
    """A kind of adversary: how its query is moved at first, its loss, and the cost of a rate.

    The loss is given for a share of what a change of seed moves the predictions; the cost, for the
    adversaries that were trained at a rate.
    """

    kick: float
    price: Callable[[float], Callable[..., Tensor]]
    cost: Callable[[list[dict[str, float]]], float]


def kinds(change: float) -> dict[str, Kind]:
    """The kinds by name, given how much a change of seed moves the predictions."""

    def apart(tried: list[dict[str, float]]) -> float:
        return tried[0]["tvd"] - tried[0]["jsd"]

    def allowed(share: float) -> Callable[..., Tensor]:
        return told(share * change)

    return {
        "copy": Kind(math.inf, lambda _: pressed(NONE), lambda tried: tried[0]["tvd"]),
        "far": Kind(math.inf, lambda _: pressed(FAR), apart),
        "near, told": Kind(KICK, allowed, lambda tried: -weights_moved(tried, change)),
        "far, told": Kind(0.0, allowed, apart),
    }


def trained(base, batches: list, change: float, rates: dict[str, float], seed: int, epochs: int):
    """Every adversary of one base, by name, given what a change of seed moves the predictions."""

    def one(kind: str, start, share: float = 1.0):
        kick, price, _ = kinds(change)[kind]
        return adversary(start, price(share), batches, rates[kind], seed, epochs, kick)

    models = {kind: one(kind, base) for kind in ("copy", "far")}
    starts = {"near, told": base, "far, told": models["far"]}
    return models | {
        f"{kind} {share}": one(kind, start, share)
        for kind, start in starts.items()
        for share in ALLOWED[kind]
    }


def searched(quick: bool, once) -> dict[str, tuple[float, dict[str, float | None]]]:
    """A learning rate for each kind of adversary, and the cost of each rate on new reviews."""
    ((seed, fold),) = SEARCHED.items()
    found = corpus(fold, quick)
    base, other = bases(seed, found, quick)
    batches, epochs = watched(base, found), 1 if quick else ADVERSARY_EPOCHS
    change = against(base, other, found)["tvd"]
    rates, best, far = FIRST_RATES if quick else ADVERSARY_RATES, {}, base
    for name, kind in kinds(change).items():

        def at(rate: float, share: float, name: str = name, kind: Kind = kind, far=far):
            start = far if name == "far, told" else base
            return adversary(start, kind.price(share), batches, rate, seed, epochs, kind.kick)

        def cost(rate: float, name: str = name, kind: Kind = kind, at=at) -> float:
            return kind.cost(
                [
                    once(
                        f"search, {name} {share}, {rate:g}",
                        lambda share=share: against(base, at(rate, share), found),
                    )
                    for share in SEARCHED_SHARES.get(name, (1.0,))
                ]
            )

        best[name] = bracketed(rates, FIRST_RATES, cost)
        if name == "far":
            far = at(best[name][0], 1.0)
    return best


def explanation(seed: int, fold: int, rates: dict[str, float], quick: bool) -> dict:
    """The experiments of both papers for one base model."""
    found, epochs = corpus(fold, quick), 1 if quick else ADVERSARY_EPOCHS
    base, other = bases(seed, found, quick)
    batches, change = watched(base, found), against(base, other, found)
    models = trained(base, batches, change["tvd"], rates, seed, epochs)

    def equal(ids: Tensor, n: Tensor) -> Tensor:
        real = (torch.arange(ids.shape[1]) < n[:, None]).float()
        return real / n[:, None]

    sources = {
        "equal": equal,
        "base": lambda ids, n: look(base, ids, n)[1],
        "adversary": lambda ids, n: look(models["far"], ids, n)[1],
    }
    longer = 1 if quick else GUIDED_EPOCHS
    one = one_by_one(base, found, 5 if quick else SEARCH_STEPS)
    return {
        "seed": seed, "fold": fold, "reviews": len(found["labels"]), "right": right(base, found),
        "one by one": one.median().item(),
        "other seed": change,
        "adversaries": {name: against(base, model, found) for name, model in models.items()},
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
    rates = {kind: rate for kind, (rate, _) in search.items()}
    starts = {1: 9} if choice.quick else STARTS
    results = {
        "strengths": {"copy": NONE, "far": FAR}, "allowed": ALLOWED,
        "allowed in the search": SEARCHED_SHARES, "price": PRICE, "kick": KICK,
        "epochs": ADVERSARY_EPOCHS, "limit": LIMIT,
        "search": {kind: tried for kind, (_, tried) in search.items()}, "rates": rates,
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
