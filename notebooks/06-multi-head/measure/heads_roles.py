"""What the heads of a small model attend to, and the value of each; lesson 06 shows the record.

Two layers of four heads fill in hidden words of the corpus *agreement*. The learning rate is
searched first, on initialisations that are not used again. Then each of five initialisations is
trained twice, with different orders of batches: so two heads of one model can be compared with one
head trained twice. A few minutes::

    python notebooks/06-multi-head/measure/heads_roles.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook import records
from coursebook.measuring import keep_record
from tfcourse import data
from tfcourse.attention import MultiHeadAttention
from tfcourse.batching import Batches, pad
from tfcourse.data.examples import Agreement
from tfcourse.positions import LearnedPositions

LAYERS, HEADS, WIDTH, LONGEST = 2, 4, 32, 40
PADDING, HIDDEN = 0, 1
#: Fraction of words that are hidden.
SHARE = 0.2
#: Rates tried first. If the best is the lowest or highest, half or double of it is tried too.
RATES = (0.006, 0.012, 0.024)
BATCH, STEPS, SEARCH_STEPS = 32, 700, 250
SEARCH_STARTS, STARTS, ORDERS = (100, 101, 102), (20, 21, 22, 23, 24), (2, 3)


class FillIn(nn.Module):
    """Layers of attention with a residual path that fill in hidden words; no norm, no feed-forward.

    Parameters
    ----------
    vocabulary:
        Number of words, including those for padding and for hidden words.
    """

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.word = nn.Embedding(vocabulary, WIDTH)
        self.place = LearnedPositions(LONGEST, WIDTH)
        for vectors in (self.word.weight, self.place.P):
            nn.init.normal_(vectors, std=0.3)
        self.layers = nn.ModuleList(
            MultiHeadAttention(WIDTH, HEADS, bias=False) for _ in range(LAYERS)
        )
        self.read = nn.Linear(WIDTH, vocabulary)

    def forward(self, ids: Tensor, fused: bool = True) -> tuple[Tensor, list[Tensor]]:
        """The states ``(B, T, D)`` and each layer's weights ``(B, H, T, T)``, ``None`` if fused."""
        x = self.place.embed(self.word(ids))
        mask = (ids != PADDING)[:, None]
        maps = []
        for layer in self.layers:
            out, weights = layer(x, mask=mask, fused=fused)
            x = x + out
            maps.append(weights)
        return x, maps


class Sentences:
    """The corpus as ids: batches to train on, and test sentences with the same words hidden."""

    def __init__(self) -> None:
        self.examples = {
            split: data.load("agreement", split, examples=10_000, held_out=300)
            for split in ("train", "test")
        }
        known = sorted({word for e in self.examples["train"] for word in e.words})
        self.words = ["[pad]", "[?]", *known]
        self.number = {word: i for i, word in enumerate(self.words)}
        self.rows = [self.ids(e) for e in self.examples["train"]]
        self.test, _ = pad([self.ids(e) for e in self.examples["test"]], PADDING)

    def ids(self, example: Agreement) -> Tensor:
        return torch.tensor([self.number[word] for word in example.words])

    def endless(self, seed: int) -> Iterator[Tensor]:
        """Endless batches of sentences of similar length."""
        batches = Batches(
            self.rows, BATCH, lengths=len, seed=seed, drop_last=True,
            collate=lambda some: pad(some, PADDING)[0],
        )  # fmt: skip
        while True:
            yield from batches


def hide(ids: Tensor, generator: torch.Generator) -> Tensor:
    """Which words are hidden: a fifth of the real ones."""
    return (torch.rand(ids.shape, generator=generator) < SHARE) & (ids > HIDDEN)


def fill_in_loss(model: FillIn, ids: Tensor, hidden: Tensor) -> Tensor:
    """The mean loss on the hidden words."""
    x, _ = model(ids.masked_fill(hidden, HIDDEN))
    return F.cross_entropy(model.read(x[hidden]), ids[hidden])


class Together:
    """Several models trained at once: the first axis of every parameter is the model.

    Parameters
    ----------
    models:
        The initial models, which :meth:`finish` updates with the trained parameters.
    """

    def __init__(self, models: Sequence[FillIn]) -> None:
        self.models = models
        states = [dict(model.named_parameters()) for model in models]
        self.weights = {
            name: torch.stack([state[name].detach() for state in states]).requires_grad_()
            for name in states[0]
        }
        self.first = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.second = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.steps = 0

    def losses(self, ids: Tensor, hidden: Tensor) -> Tensor:
        """Each model's mean loss on its hidden words: ``(M,)`` from ``(M, B, T)``."""
        w, (M, B, T) = self.weights, ids.shape
        V, D = w["word.weight"].shape[1:]
        read = ids.masked_fill(hidden, HIDDEN) + V * torch.arange(M)[:, None, None]
        x = F.embedding(read, w["word.weight"].flatten(0, 1)) + w["place.P"][:, None, :T]
        x = x.flatten(1, 2)  # (M, B T, D)
        mask = (ids != PADDING).view(M * B, 1, 1, T)
        for i in range(LAYERS):
            qkv = (x @ w[f"layers.{i}.W_QKV"]).view(M * B, T, 3, HEADS, D // HEADS)
            q, k, v = qkv.permute(2, 0, 3, 1, 4)  # (M B, H, T, K)
            out = F.scaled_dot_product_attention(q, k, v, mask)
            x = x + out.transpose(1, 2).reshape(M, B * T, D) @ w[f"layers.{i}.W_O"]
        # Each model gets as many positions as the one with most hidden words; the rest count 0.
        asked = hidden.flatten(1)
        real, at = asked.float().topk(int(asked.sum(1).max()))
        x = x.gather(1, at[:, :, None].expand(-1, -1, D))
        logits = x @ w["read.weight"].mT + w["read.bias"][:, None]
        loss = F.cross_entropy(logits.mT, ids.flatten(1).gather(1, at), reduction="none")
        return (loss * real).sum(1) / real.sum(1)

    def step(self, losses: Tensor, rates: Tensor) -> None:
        """One step of Adam, each model with its own rate and a gradient norm of at most 1."""
        self.steps += 1
        names, weights = zip(*self.weights.items(), strict=True)
        found = torch.autograd.grad(losses.sum(), weights)
        norms = torch.stack([g.flatten(1).square().sum(1) for g in found]).sum(0).sqrt()
        with torch.no_grad():
            for name, w, g in zip(names, weights, found, strict=True):
                one = (-1, *[1] * (w.dim() - 1))
                g = g * (1 / norms.clamp(min=1)).view(one)
                first = self.first[name].lerp_(g, 0.1) / (1 - 0.9**self.steps)
                second = self.second[name].lerp_(g * g, 0.001) / (1 - 0.999**self.steps)
                w -= rates.view(one) * first / (second.sqrt() + 1e-8)

    def finish(self) -> Sequence[FillIn]:
        """The models, trained."""
        for m, model in enumerate(self.models):
            model.load_state_dict({name: w.detach()[m] for name, w in self.weights.items()})
            model.eval()
        return self.models


def train(
    sentences: Sentences,
    starts: Sequence[int],
    orders: Sequence[int],
    rates: Sequence[float],
    steps: int,
) -> Sequence[FillIn]:
    """A model for each initialisation, batch order and rate; rates warm up and decay to zero."""
    models = []
    for start in starts:
        torch.manual_seed(start)
        models.append(FillIn(len(sentences.words)))
    together = Together(models)
    own = [sentences.endless(order) for order in orders]
    generators = [torch.Generator().manual_seed(order) for order in orders]
    highest = torch.tensor(rates)
    for step in range(steps):
        batches = [next(one) for one in own]
        longest = max(ids.shape[1] for ids in batches)
        ids = [F.pad(one, (0, longest - one.shape[1]), value=PADDING) for one in batches]
        hidden = [hide(one, generator) for one, generator in zip(ids, generators, strict=True)]
        share = min((step + 1) / (0.1 * steps), (steps - step) / (0.9 * steps), 1.0)
        together.step(together.losses(torch.stack(ids), torch.stack(hidden)), share * highest)
    return together.finish()


@torch.no_grad()
def test_loss(model: FillIn, sentences: Sentences) -> float:
    """The loss on the test sentences, always with the same hidden words."""
    hidden = hide(sentences.test, torch.Generator().manual_seed(9))
    return fill_in_loss(model, sentences.test, hidden).item()


# ---- what heads look at -------------------------------------------------------------------------


def relations(examples: Sequence[Agreement], ids: Tensor) -> tuple[dict[str, Tensor], Tensor]:
    """For each relation, which pairs (query word, word) are in it, and which pairs are of words."""
    n = ids.shape[1]
    words = (ids != PADDING)[:, :, None] & (ids != PADDING)[:, None]
    gap = torch.arange(n) - torch.arange(n)[:, None]  # key - query
    tree = torch.zeros(len(ids), n, n, dtype=torch.bool)
    subject = tree.clone()
    for b, e in enumerate(examples):
        for place, head in enumerate(e.heads):
            if head >= 0:
                tree[b, place, head] = tree[b, head, place] = True
        subject[b, e.verb, e.verb - e.distance] = True
    apart = gap.abs() > 1
    found = {
        "previous": gap == -1,
        "next": gap == 1,
        "same": (ids[:, :, None] == ids[:, None]) & (gap != 0),
        "tree": tree & apart,
        "subject": subject & apart,
    }
    return {name: pairs & words for name, pairs in found.items()}, words


def shares(weights: Tensor, related: dict[str, Tensor]) -> Tensor:
    """Mean weight on each relation, ``(..., relations)``, for ``weights (..., B, T, T)``.

    Only words with at least one partner in the relation count.
    """
    means = [(weights * pairs).sum(-1)[..., pairs.any(-1)].mean(-1) for pairs in related.values()]
    return torch.stack(means, dim=-1)


@torch.no_grad()
def profile(model: FillIn, sentences: Sentences, related: dict[str, Tensor]) -> Tensor:
    """``(layers, heads, relations)``, on whole sentences."""
    maps = torch.stack(model(sentences.test, fused=False)[1])  # (L, B, H, T, T)
    return shares(maps.transpose(1, 2), related)


@contextmanager
def without(model: FillIn, gone: Sequence[tuple[int, int]]) -> Iterator[None]:
    """The model without some (layer, head): their rows of W_O are zeros."""
    kept = [layer.W_O.detach().clone() for layer in model.layers]
    with torch.no_grad():
        for layer, head in gone:
            model.layers[layer].W_O.unflatten(0, (HEADS, -1))[head] = 0
    try:
        yield
    finally:
        with torch.no_grad():
            for layer, W_O in zip(model.layers, kept, strict=True):
                layer.W_O.copy_(W_O)


PLACES = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]


def one_training(model: FillIn, sentences: Sentences, related: dict[str, Tensor]) -> dict:
    """A model's results: its loss, its heads' weights, and the loss without each head."""
    whole = test_loss(model, sentences)

    def cost(gone: Sequence[tuple[int, int]]) -> float:
        with without(model, gone):
            return test_loss(model, sentences) - whole

    alone = {place: cost([place]) for place in PLACES}
    ranked = sorted(PLACES, key=lambda place: -alone[place])
    return {
        "loss": whole,
        "shares": profile(model, sentences, related).tolist(),
        "grows without": [[alone[i, j] for j in range(HEADS)] for i in range(LAYERS)],
        "without the two dearest": cost(ranked[:2]),
        "without the other six": cost(ranked[2:]),
    }


def best_of(search: dict[float, list[float]]) -> float:
    """The rate with the lowest mean loss."""
    return min(search, key=lambda rate: sum(search[rate]))


def searched(sentences: Sentences, steps: int, rates: Sequence[float]) -> dict[float, list[float]]:
    """Test losses of each rate, with rates added until the best has a neighbour on each side."""
    search: dict[float, list[float]] = {}
    wanted = list(rates)
    while wanted:
        each = [(start, rate) for rate in wanted for start in SEARCH_STARTS]
        starts, paired = zip(*each, strict=True)
        models = train(sentences, starts, [0] * len(each), paired, steps)
        for rate, model in zip(paired, models, strict=True):
            search.setdefault(rate, []).append(test_loss(model, sentences))
        print(search, flush=True)
        best = best_of(search)
        wanted = [best / 2] * (best == min(search)) + [best * 2] * (best == max(search))
        wanted = wanted if len(rates) > 1 else []
    return dict(sorted(search.items()))


def measured(quick: bool) -> dict[str, object]:
    """The search for a rate, and ten trainings at the best one."""
    torch.set_num_threads(1)
    sentences = Sentences()
    related, real = relations(sentences.examples["test"], sentences.test)
    even = shares(real / real.sum(-1, keepdim=True).clamp(min=1), related)
    steps = 2 if quick else STEPS
    search = searched(sentences, 2 if quick else SEARCH_STEPS, RATES[1:2] if quick else RATES)
    best = best_of(search)
    pairs = [(start, order) for start in (STARTS[:1] if quick else STARTS) for order in ORDERS]
    starts, orders = zip(*pairs, strict=True)
    models = train(sentences, starts, orders, [best] * len(pairs), steps)
    trainings = [
        {"start": start, "order": order, **one_training(model, sentences, related)}
        for (start, order), model in zip(pairs, models, strict=True)
    ]
    torch.manual_seed(STARTS[0])
    untrained = profile(FillIn(len(sentences.words)), sentences, related)
    return records.rounded(
        {
            "relations": list(related),
            "even": even.tolist(),
            "words": len(sentences.words) - 2,
            "steps": steps,
            "search": {"steps": SEARCH_STEPS, "losses": {str(r): x for r, x in search.items()}},
            "rate": best,
            "trainings": trainings,
            "untrained": untrained.tolist(),
        }
    )


if __name__ == "__main__":
    keep_record("heads-roles", __doc__, measured, seed=STARTS[0], judged_by=("heads-roles",))
