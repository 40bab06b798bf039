"""What one learned query does on film reviews, and whether its weights explain; lesson 03 shows it.

Sentences of film reviews (Pang and Lee 2005). Each start has a test fold of its own. First part,
five starts: a plain mean, one query, one query over transformed words; then words are deleted,
those of largest weight and others, and two judges say how much confidence that costs. Second part,
three starts: one query over a bidirectional GRU, as in Jain and Wallace (2019) and in Wiegreffe and
Pinter (2019). Other weights are sought for one review at a time; adversaries are trained to predict
alike and weigh otherwise; and words are averaged with weights that are given.

Five minutes on one thread, with the corpus at hand::

    python benchmarks/review_pooling.py
"""

from __future__ import annotations

import argparse

import torch
import torch.nn.functional as F
from torch import Tensor

from coursebook import records
from tfcourse import data
from tfcourse.attention import average_by_scores
from tfcourse.batching import Batches, pad_labelled
from tfcourse.evaluation import kendall
from tfcourse.models.classifiers import PoolingClassifier, PoolingConfig
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import Classification, adamw, fit

#: Start, and the fold that tests it: 0 to 4 here, for 9 was looked at while this was written.
STARTS = {10: 0, 11: 1, 12: 2, 13: 3, 14: 4}
EXPLAINED = (10, 11, 12)
BATCH, RATE, DECAY, WIDTH, HIDDEN, GRU, DROPOUT = 32, 1e-2, 0.01, 32, 32, 16, 0.3
EPOCHS, GRU_EPOCHS, ADVERSARY_EPOCHS, GUIDED_EPOCHS = 4, 3, 2, 3
#: Of an adversary's wish for other weights. Of six, so that the weakest and the strongest bound
#: what is found at either tolerance.
STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
#: Words deleted, and a word that occurs more often in training than so is no content word.
DELETED, COMMON = (0, 1, 2, 3, 4), 300
SEARCH_STEPS, LIMIT = 100, 0.01
TINY = 1e-12


# ---- data and training --------------------------------------------------------------------------


def corpus(fold: int, quick: bool) -> dict:
    """Ids of the training and the test reviews, how often each id occurs, and its word."""
    parts = {s: data.load("sentence-polarity", s, fold=fold) for s in ("train", "test")}
    if quick:
        parts = {name: part[:300] for name, part in parts.items()}
    texts = [text for text, _ in parts["train"]]
    tokenizer = WordTokenizer.train(texts, at_least=2, punctuation=True, lower=True)
    ids = {n: [(tokenizer.encode(text), y) for text, y in part] for n, part in parts.items()}
    seen = torch.bincount(
        torch.tensor([i for row, _ in ids["train"] for i in row]), minlength=len(tokenizer)
    )
    # Sentences with fewer words than are deleted twice over say nothing in a test by deletion.
    tests = [(row, y) for row, y in ids["test"] if len(row) >= 2 * max(DELETED)]
    tokens, lengths, labels = pad_labelled(tests)
    mask = torch.arange(tokens.shape[1]) < lengths[:, None]
    words = torch.tensor([any(c.isalpha() for c in tokenizer.token(i)) for i in range(len(seen))])
    return {
        "train": ids["train"], "tokens": tokens, "lengths": lengths, "labels": labels,
        "mask": mask, "seen": seen, "words": words, "vocabulary": len(tokenizer),
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


# ---- the query: deletion ------------------------------------------------------------------------


def predict(model, x: Tensor, mask: Tensor) -> Tensor:
    """Probabilities from the words of the mask alone."""
    if model.pool is None:
        pooled, _ = average_by_scores(x.new_zeros(len(x), 1, x.shape[1]), x, mask[:, None])
    else:
        pooled, _ = model.pool(x, mask[:, None])
    return (pooled[:, 0] @ model.W + model.b).softmax(-1)


def by_gradient(model, found: dict) -> Tensor:
    """``|x . d log p / dx|`` of each word, for the class that is predicted."""
    x = model.embedding(found["tokens"]).detach().requires_grad_()
    top = predict(model, x, found["mask"]).amax(-1)
    (g,) = torch.autograd.grad(top.log().sum(), x)
    return (x * g).sum(-1).abs().detach()


def chosen(scores: Tensor, found: dict, k: int) -> Tensor:
    """A mask of the ``k`` words of highest score."""
    order = scores.masked_fill(~found["mask"], -torch.inf).argsort(1, descending=True)
    return torch.zeros_like(found["mask"]).scatter(1, order[:, :k], True)


def matched(heavy: Tensor, weights: Tensor, found: dict) -> Tensor:
    """For each heavy word, heaviest first, the other word of the review nearest in frequency."""
    often = (found["seen"][found["tokens"]] + 1.0).log()
    free = found["mask"] & ~heavy
    taken = torch.zeros_like(heavy)
    order = weights.masked_fill(~heavy, -1.0).argsort(1, descending=True)
    for n in range(int(heavy.sum(1).max())):
        away = (often - often.gather(1, order[:, n : n + 1])).abs().masked_fill(~free, torch.inf)
        nearest = away.argmin(1, keepdim=True)
        taken.scatter_(1, nearest, True)
        free.scatter_(1, nearest, False)
    return taken


@torch.no_grad()
def confidence(model, gone: Tensor, found: dict) -> float:
    """What is left, on average, for the class that was predicted before."""
    x = model.embedding(found["tokens"])
    before = predict(model, x, found["mask"]).argmax(-1, keepdim=True)
    return predict(model, x, found["mask"] & ~gone).gather(1, before).mean().item()


def deletion(query, mean, found: dict, seed: int) -> dict:
    """Confidence by judge, ranking and number of words deleted."""
    _, weights = look(query, found["tokens"], found["lengths"])
    slopes = by_gradient(query, found)
    generator = torch.Generator().manual_seed(seed)
    noise = [torch.rand(weights.shape, generator=generator) for _ in range(5)]
    tokens = found["tokens"]
    content = found["words"][tokens] & (found["seen"][tokens] <= COMMON)
    # Content words come first, and only then the others, where a review has too few.
    gone = {
        "largest weight": lambda k: [chosen(weights, found, k)],
        "gradient": lambda k: [chosen(slopes, found, k)],
        "like frequency": lambda k: [matched(chosen(weights, found, k), weights, found)],
        "content words": lambda k: [chosen(n + content.float(), found, k) for n in noise],
        "any words": lambda k: [chosen(n, found, k) for n in noise],
    }
    left = {}
    for who, judge in (("itself", query), ("the mean", mean)):
        left[who] = {
            name: [
                sum(confidence(judge, one, found) for one in masks(k)) / len(masks(k))
                for k in DELETED
            ]
            for name, masks in gone.items()
        }
    often = (found["seen"][tokens] + 1.0).log()
    two = chosen(weights, found, 2)
    left["log frequency"] = {
        "largest weight": often[two].mean().item(),
        "like frequency": often[matched(two, weights, found)].mean().item(),
        "any words": often[found["mask"]].mean().item(),
    }
    same = (chosen(slopes, found, 2) & two).sum(1) == 2
    left["the gradient finds the same two"] = same.float().mean().item()
    return left


# ---- explanation --------------------------------------------------------------------------------


def tvd(p: Tensor, q: Tensor) -> Tensor:
    return (p - q).abs().sum(-1) / 2


def kl(a: Tensor, b: Tensor) -> Tensor:
    return (a * ((a + TINY) / (b + TINY)).log()).sum(-1)


def jsd(a: Tensor, b: Tensor) -> Tensor:
    middle = (a + b) / 2
    return (kl(a, middle) + kl(b, middle)) / 2


def states(model, found: dict) -> Tensor:
    with torch.no_grad():
        h = model.embedding(found["tokens"])
        return h if model.gru is None else model.gru(h, found["lengths"], fused=True)[0]


def agreement(model, found: dict) -> float:
    """Median over reviews of Kendall's tau between weights and gradients."""
    x = model.embedding(found["tokens"]).detach().requires_grad_()
    h = x if model.gru is None else model.gru(x, found["lengths"], fused=True)[0]
    (g,) = torch.autograd.grad(predict(model, h, found["mask"]).amax(-1).log().sum(), x)
    g = (x * g).sum(-1).abs().detach()
    _, a = look(model, found["tokens"], found["lengths"])
    rows = zip(a, g, found["lengths"].tolist(), strict=True)
    return torch.tensor([kendall(a[:n], g[:n]) for a, g, n in rows]).median().item()


def one_by_one(model, found: dict, steps: int) -> Tensor:
    """For each review the JSD of the farthest weights that keep its prediction, 0 if none are."""
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
    """Training batches with what the base model says of them."""
    batches = Batches(
        found["train"], BATCH, collate=pad_labelled, seed=0, lengths=lambda e: len(e[0])
    )
    return [(ids, n, y, *look(base, ids, n)) for ids, n, y in batches]


def adversary(base, batches: list, strength: float, seed: int, epochs: int):
    """A model that predicts as the base does and weighs otherwise; it begins at the base."""

    def loss(model, batch):
        ids, n, _, p, a = batch
        output = model(ids, n, return_weights=True)
        b = output.maps["words"][0][:, 0, 0]
        moved = tvd(p, output.logits.softmax(-1))
        return (moved - strength * kl(a, b)).mean(), len(ids)

    torch.manual_seed(seed)
    model = new(base.config.vocab_size, hidden=HIDDEN, d_hidden=GRU)
    model.load_state_dict(base.state_dict())
    model.pool.reset_parameters()
    fit(model, batches, loss=loss, steps=epochs * len(batches), lr=RATE, device="cpu", seed=seed)
    return model.eval()


def guided(weigh, batches: list, found: dict, seed: int, epochs: int) -> float:
    """Accuracy of words averaged with weights that are given, by a net that never sees context."""

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


def explanation(start: Tensor, query, seed: int, found: dict, quick: bool) -> dict:
    """The experiments of both papers for one base model."""
    epochs, longer = (1, 1) if quick else (ADVERSARY_EPOCHS, GUIDED_EPOCHS)
    made = {"hidden": HIDDEN, "d_hidden": GRU}
    seeds = (seed, seed + 100)
    models = [train(s, found, 1 if quick else GRU_EPOCHS, start, **made) for s in seeds]
    base, batches = models[0], watched(models[0], found)
    p, a = look(base, found["tokens"], found["lengths"])

    def against(model) -> dict:
        q, b = look(model, found["tokens"], found["lengths"])
        return {
            "tvd": tvd(p, q).mean().item(),
            "jsd": jsd(a, b).median().item(),
            "right": right(model, found),
        }

    adversaries = {s: adversary(base, batches, s, seed, epochs) for s in STRENGTHS}

    def equal(ids: Tensor, n: Tensor) -> Tensor:
        real = (torch.arange(ids.shape[1]) < n[:, None]).float()
        return real / n[:, None]

    sources = {"equal": equal} | {
        name: lambda ids, n, model=model: look(model, ids, n)[1]
        for name, model in (
            ("base", base), ("adversary", adversaries[STRENGTHS[-1]])
        )
    }  # fmt: skip
    one = one_by_one(base, found, 5 if quick else SEARCH_STEPS)
    return {
        "right": right(base, found),
        "tau": {"words": agreement(query, found), "GRU": agreement(base, found)},
        "one by one": {
            "GRU": [round(x, 3) for x in one.tolist()],
            "words": [
                round(x, 3) for x in one_by_one(query, found, 5 if quick else SEARCH_STEPS).tolist()
            ],
        },
        "other seeds": [against(model) for model in models[1:]],
        "adversaries": {s: against(model) for s, model in adversaries.items()},
        "guided": {n: guided(w, batches, found, seed, longer) for n, w in sources.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few reviews; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(1)
    stated = None if quick else records.conditions("attn-explain")
    pooled, explained = [], []
    for seed, fold in ({1: 9} if quick else STARTS).items():
        found = corpus(fold, quick)
        epochs = 1 if quick else EPOCHS
        models = {
            "mean": train(seed, found, epochs, queries=0),
            "query": train(seed, found, epochs),
            "query after tanh": train(seed, found, epochs, hidden=HIDDEN),
        }
        pooled.append({
            "seed": seed, "fold": fold, "reviews": len(found["labels"]),
            "right": {name: right(model, found) for name, model in models.items()},
            "left": deletion(models["query"], models["mean"], found, seed),
        })  # fmt: skip
        print(pooled[-1], flush=True)
        if quick or seed in EXPLAINED:
            start = models["mean"].embedding.weight.detach()
            found = explanation(start, models["query"], seed, found, quick)
            explained.append({"seed": seed, "fold": fold, **found})
            print({k: v for k, v in explained[-1].items() if k != "one by one"}, flush=True)
    results = {
        "deleted": DELETED, "strengths": STRENGTHS, "limit": LIMIT,
        "pooled": pooled, "explained": explained,
    }  # fmt: skip
    if not quick:
        print(records.write("review-pooling", results, seed=min(STARTS), stated=stated).name)


if __name__ == "__main__":
    main()
