"""Positions from the order of words and from a dependency tree, on subject-verb agreement.

A model of one block reads a sentence of the grammar up to its verb and says whether the verb is
singular or plural. It gets either sinusoidal codes of the order or a learned bias for each distance
in the given tree; data, steps and the rest of the model are the same. Each scheme's rate is
searched on three seeds used for nothing else, until the best has a worse one on each side, by the
loss on the validation split: the accuracy can be 1 at several rates. Twenty paired seeds are
reported: the accuracy with up to four nouns of the other number between subject and verb, and with
five or six.

About four minutes on one thread.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from coursebook.measuring import bracketed, keep_record, mean_end
from tfcourse import data
from tfcourse.attention import MultiHeadAttention, padding_mask
from tfcourse.batching import pad
from tfcourse.layers import Block, FeedForward
from tfcourse.positions import Positions, SinusoidalPositions, TreePositions, tree_distances

SEARCHED, SEEDS = (160, 161, 162), tuple(range(60, 80))
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
WIDTH, HEADS, EXAMPLES, BATCH, STEPS = 32, 4, 6000, 32, 400
SCHEMES: dict[str, Callable[[], Positions]] = {
    "order": lambda: SinusoidalPositions(WIDTH),
    "tree": lambda: TreePositions(HEADS),
}
#: The splits to judge by, and the number of nouns between subject and verb.
TESTS = {"test": "0 to 4", "test-deeper": "5 or 6"}
PAD, VERB = 0, 1


class Sentences(NamedTuple):
    """Word ids up to the verb, lengths, distances in the trees, and 1 for a plural verb."""

    ids: Tensor
    lengths: Tensor
    distances: Tensor
    plural: Tensor


def prepared(split: str, number_of: dict[str, int], **sizes: int) -> Sentences:
    """The sentences of a split whose words are all known; the verb's place holds ``VERB``."""
    rows, heads, plural = [], [], []
    for e in data.load("agreement", split, **sizes):
        words = [w.lower() for w in e.words[: e.verb]]
        if all(w in number_of for w in words):
            rows.append([number_of[w] for w in words] + [VERB])
            heads.append([h if h <= e.verb else -1 for h in e.heads[: e.verb + 1]])
            plural.append(e.wrong.endswith("s"))  # is, was, has
    ids, lengths = pad(rows, PAD)
    return Sentences(ids, lengths, tree_distances(pad(heads, -1)[0]), torch.tensor(plural).long())


class Agreeing(nn.Module):
    """Embeddings, one block with a position scheme, and two scores at the verb's place."""

    def __init__(self, words: int, scheme: Positions) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.scheme = scheme
        attention = MultiHeadAttention(WIDTH, HEADS, positions=scheme)
        self.block = Block(attention, FeedForward(WIDTH, 2 * WIDTH))
        self.read = nn.Linear(WIDTH, 2)

    def forward(self, ids: Tensor, lengths: Tensor, distances: Tensor) -> Tensor:
        if isinstance(self.scheme, TreePositions):
            self.scheme.distances = distances.clamp(max=self.scheme.max_distance)
        x = self.scheme.embed(self.words(ids))  # (B, S, D)
        x, _ = self.block(x, padding_mask(lengths, ids.shape[1]))
        return self.read(x[torch.arange(len(x)), lengths - 1])  # (B, 2)


def trained(
    make: Callable[[], Positions], train: Sentences, words: int, steps: int, rate: float, seed: int
) -> Agreeing:
    """A model trained with Adam at a constant rate."""
    torch.manual_seed(seed)
    model = Agreeing(words, make())
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    drawn = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        rows = torch.randint(len(train.ids), (BATCH,), generator=drawn)
        *inputs, plural = (part[rows] for part in train)
        loss = F.cross_entropy(model(*inputs), plural)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


@torch.no_grad()
def judged(model: Agreeing, sentences: Sentences) -> tuple[float, float]:
    """The loss, and the fraction of verbs whose number is right."""
    *inputs, plural = sentences
    scores = model(*inputs)
    right = (scores.argmax(1) == plural).float().mean().item()
    return F.cross_entropy(scores, plural).item(), round(right, 4)


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """Each scheme's search, and its accuracy on both tests for every seed."""
    torch.set_num_threads(1)  # these nets are too small to share
    examples, steps = (200, 2) if quick else (EXAMPLES, STEPS)
    corpus = data.load("agreement", "train", examples=examples)
    known = sorted({w.lower() for e in corpus for w in e.words})
    number_of = {w: i for i, w in enumerate(known, VERB + 1)}
    train = prepared("train", number_of, examples=examples)
    few = {"held_out": 40} if quick else {}
    validation, *tests = (prepared(split, number_of, **few) for split in ("validation", *TESTS))
    results: dict[str, Any] = {
        "settings": {
            "steps": steps, "batch": BATCH, "width": WIDTH, "heads": HEADS, "seeds": SEEDS,
            "sentences": {"train": len(train.ids), "validation": len(validation.ids)}
            | {TESTS[split]: len(each.ids) for split, each in zip(TESTS, tests, strict=True)},
        },
        "schemes": {},
    }  # fmt: skip
    for name, make in SCHEMES.items():
        model = functools.partial(trained, make, train, len(number_of) + VERB + 1, steps)

        def end(rate: float, seed: int, name: str = name, model: Any = model) -> float | None:
            loss = once(f"{name}-{rate:g}-{seed}", lambda: judged(model(rate, seed), validation)[0])
            return loss if math.isfinite(loss) else None

        rate, search = bracketed(
            FIRST if quick else RATES, FIRST, mean_end(end, SEARCHED[: 1 if quick else None])
        )

        def accuracy(seed: int, rate: float = rate, model: Any = model) -> dict[str, float]:
            kept = model(rate, seed)
            return {
                TESTS[split]: judged(kept, each)[1]
                for split, each in zip(TESTS, tests, strict=True)
            }

        results["schemes"][name] = {
            "search": search,
            "rate": rate,
            "accuracy": [
                once(f"{name}-{rate:g}-{seed}-tested", lambda seed=seed: accuracy(seed))
                for seed in SEEDS[: 1 if quick else None]
            ],
        }
        print(name, results["schemes"][name], flush=True)
    return results


if __name__ == "__main__":
    keep_record(
        "tree-positions", __doc__, measured, seed=SEEDS[0], judged_by=("pos-syntax",), resumed=True
    )
