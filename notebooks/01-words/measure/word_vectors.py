"""Word vectors from WikiText-2, by prediction and by counting; lesson 01 shows the record.

The same pairs of words, drawn from the text with three seeds, are used in two ways: to train
skip-gram with negative sampling, and to count. Counts become positive pointwise mutual information
(PPMI), and a truncated singular value decomposition (SVD) turns it into vectors of the same width.
Both are evaluated by how their cosines rank the pairs of WordSim-353, by whether the second word of
a couple in :data:`COUPLES` is nearer to the first than other equally frequent words, and by
analogies made of these couples. The couples were written down before the first run.

Window, negatives, subsampling, width and minimum count are those of the preset, which are
word2vec's own. Counts are treated as Levy, Goldberg and Dagan (2015) advise: no shift, the
neighbours' shares to the power 3/4, the square root of the singular values.

About ten minutes on one thread::

    python notebooks/01-words/measure/word_vectors.py
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from coursebook import records
from coursebook.measuring import keep_record
from tfcourse import data, presets, training
from tfcourse.devices import default_device
from tfcourse.evaluation import Interval, bootstrap, spearman
from tfcourse.runs.running import prepare, schedule
from tfcourse.runs.vectors import Pairs
from tfcourse.tokenizers import Tokenizer

PRESET, STEPS, SEEDS = "wikitext-2-skipgram", 3000, (14, 15, 16)
#: Number of words as frequent as a couple's second, with which it is compared.
CONTROLS = 50
#: Words whose neighbours are printed.
ASKED = ("river", "king", "guitar", "france", "three", "won", "large", "good")
#: Couples of similar words, and of opposites; every analogy uses two couples of one relation.
COUPLES = {
    "countries and capitals": "france paris, germany berlin, england london, italy rome, "
    "spain madrid, japan tokyo, russia moscow, china beijing, ireland dublin, cuba havana",
    "men and women": "king queen, man woman, father mother, son daughter, brother sister, "
    "husband wife, he she, his her, actor actress, prince princess",
    "past tense": "go went, take took, make made, become became, begin began, win won, "
    "write wrote, give gave, find found, see saw",
    "plurals": "game games, season seasons, song songs, episode episodes, ship ships, year years, "
    "character characters, player players, city cities, album albums",
    "comparatives": "large larger, small smaller, high higher, low lower, great greater, "
    "long longer, strong stronger, old older, short shorter, early earlier",
}
OPPOSITES = (
    "north south, east west, first last, left right, before after, early late, high low, "
    "small large, old new, long short, win lose, positive negative, increased decreased, "
    "above below, upper lower, good bad, day night, summer winter, male female, begin end"
)


def couples(listed: str) -> list[tuple[str, str]]:
    """``"a b, c d"`` as pairs."""
    return [tuple(couple.split()) for couple in listed.split(", ")]


def changed(seed: int, quick: bool) -> presets.Preset:
    """The preset with this seed, and shorter."""
    changes = {"training.seed": seed, "training.steps": STEPS}
    if quick:
        changes |= {"training.steps": 4, "data.train": "test"}
    return presets.load(PRESET, changes)


def by_guessing(preset: presets.Preset) -> tuple[Tensor, Tokenizer, Pairs]:
    """Skip-gram's vectors; the tokenizer; and the pairs, from the start."""
    task = prepare(preset)
    t = preset.training
    history = training.fit(
        task.model, task.batches, loss=task.loss, steps=t.steps, lr=schedule(preset),
        optimiser=training.adamw(t.weight_decay, t.betas, t.eps), clip=None,
        device=default_device(), seed=t.seed,
    )  # fmt: skip
    print(f"seed {t.seed}: {sum(history.seconds):.0f} s", flush=True)
    task.batches.load_state_dict({"epoch": 0, "position": 0})
    return task.model.vectors().cpu(), task.extra["tokenizer"], task.batches


def by_counting(pairs: Pairs, steps: int, words: int, width: int) -> Tensor:
    """PPMI of the pairs of ``steps`` batches: its leading singular vectors ``(words, width)``."""
    keys, taken = [], 0
    while taken < steps:
        for centre, context, _ in pairs:
            keys.append((centre * words + context).numpy())
            taken += 1
            if taken == steps:
                break
    return ppmi_svd(np.concatenate(keys), words, width)


def ppmi_svd(keys: np.ndarray, words: int, width: int, weights: np.ndarray | None = None) -> Tensor:
    """The leading singular vectors ``(words, width)`` of the PPMI of pairs of words.

    Parameters
    ----------
    keys:
        ``centre * words + context`` for every pair, as often as it occurs.
    words:
        The size of the vocabulary.
    width:
        The number of singular vectors, each times the square root of its singular value.
    weights:
        How much each pair counts; by default one.
    """
    keys, at = np.unique(keys, return_inverse=True)
    counts = np.bincount(at, weights)
    row, column = keys // words, keys % words
    of_row = np.bincount(row, counts, words)
    share = np.bincount(column, counts, words) ** 0.75
    share /= share.sum()
    found = np.log(counts / (of_row[row] * share[column]))  # log p(o | c) / q(o)
    above = found > 0
    places = torch.from_numpy(np.stack([row[above], column[above]]))
    table = torch.sparse_coo_tensor(
        places, torch.from_numpy(found[above]).float(), (words, words), check_invariants=True
    ).coalesce()
    torch.manual_seed(0)
    left, values, _ = torch.svd_lowrank(table, q=width + 20, niter=4)
    return left[:, :width] * values[:width].sqrt()


def counts_of(pairs: Pairs, tokens: Tokenizer) -> Tensor:
    """How often each word of the vocabulary occurs in the text."""
    return torch.bincount(torch.from_numpy(pairs.words).long(), minlength=len(tokens))


def known_pairs(tokens: Tokenizer) -> tuple[list[int], list[int], list[float]]:
    """The pairs of WordSim-353 whose words are both known, and their human ratings."""
    pairs = data.load("wordsim-353", "test")
    known = [p for p in pairs if {p.a.lower(), p.b.lower()} <= in_(tokens)]
    a, b = ([tokens.id(getattr(p, side).lower()) for p in known] for side in "ab")
    return a, b, [p.score for p in known]


def ranked(table: Tensor, tokens: Tokenizer) -> dict[str, object]:
    """The rank correlation of cosines with WordSim-353."""
    a, b, scores = known_pairs(tokens)
    return kept(spearman(F.cosine_similarity(table[a], table[b]), scores))


def ahead(one: Tensor, other: Tensor, tokens: Tokenizer) -> dict[str, object]:
    """How much higher the first table's rank correlation is, over the same pairs."""
    a, b, scores = known_pairs(tokens)
    cosines = [F.cosine_similarity(t[a], t[b]).numpy() for t in (one, other)]

    def difference(x: np.ndarray, y: np.ndarray, people: np.ndarray) -> float:
        return spearman(x, people).value - spearman(y, people).value

    return kept(bootstrap(difference, *cosines, np.array(scores)))


def kept(found: Interval) -> dict[str, object]:
    """An interval as a record holds it."""
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def in_(tokens: Tokenizer) -> frozenset[str]:
    """The words of the vocabulary."""
    return frozenset(tokens.tokens)


def nearer(table: Tensor, counts: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """For each couple, the fraction of words as frequent as the second that are less near."""
    unit = F.normalize(table, dim=1)
    by_count = counts.argsort(stable=True)
    rank = by_count.argsort()
    shares = []
    for i, j in pairs:
        low = min(max(int(rank[j]) - CONTROLS // 2, 0), len(rank) - CONTROLS - 2)
        like = by_count[low : low + CONTROLS + 2]
        like = like[(like != i) & (like != j)][:CONTROLS]
        shares.append((unit[like] @ unit[i] < unit[i] @ unit[j]).double().mean())
    return torch.stack(shares)


def analogies(table: Tensor, pairs: Sequence[tuple[int, int]]) -> dict[str, int]:
    """How many analogies of two couples are correct, and how many c's nearest neighbour solves."""
    unit = F.normalize(table, dim=1)
    right = {"asked": 0, "by arithmetic": 0, "nearest to c alone": 0, "without the rule": 0}
    for a, b in pairs:
        for c, d in pairs:
            if c == a:
                continue
            right["asked"] += 1
            for name, vector, out in (
                ("by arithmetic", unit[b] - unit[a] + unit[c], [a, b, c]),
                ("nearest to c alone", unit[c], [a, b, c]),
                ("without the rule", unit[b] - unit[a] + unit[c], []),
            ):
                cosines = unit @ F.normalize(vector, dim=0)
                cosines[out] = -torch.inf
                right[name] += int(cosines.argmax()) == d
    return right


def neighbours(table: Tensor, tokens: Tokenizer, count: int = 6) -> dict[str, list[str]]:
    """The nearest words of those in :data:`ASKED`, and their cosines."""
    unit = F.normalize(table, dim=1)
    found = {}
    for word in ASKED:
        cosines = unit @ unit[tokens.id(word)]
        near = cosines.topk(count + 1).indices[1:].tolist()
        found[word] = [[tokens.token(i), round(float(cosines[i]), 3)] for i in near]
    return found


def judged(table: Tensor, tokens: Tokenizer, counts: Tensor) -> dict[str, object]:
    """All measurements of one table of vectors."""

    def ids(listed: str) -> list[tuple[int, int]]:
        return [(tokens.id(a), tokens.id(b)) for a, b in couples(listed) if {a, b} <= in_(tokens)]

    found = {name: ids(listed) for name, listed in COUPLES.items()}
    every = [pair for pairs in found.values() for pair in pairs]
    return {
        "wordsim-353": ranked(table, tokens),
        "couples": nearer(table, counts, every).tolist(),
        "opposites": nearer(table, counts, ids(OPPOSITES)).tolist(),
        "analogies": {name: analogies(table, pairs) for name, pairs in found.items()},
        "neighbours": neighbours(table, tokens),
    }


def measured(quick: bool) -> dict[str, object]:
    """For each seed, both kinds of vectors, evaluated."""
    torch.set_num_threads(1)
    runs = []
    for seed in SEEDS[:1] if quick else SEEDS:
        preset = changed(seed, quick)
        guessed, tokens, pairs = by_guessing(preset)
        counts = counts_of(pairs, tokens)
        counted = by_counting(pairs, preset.training.steps, len(tokens), guessed.shape[1])
        runs.append(
            {
                "seed": seed,
                "guessing": judged(guessed, tokens, counts),
                "counting": judged(counted, tokens, counts),
                "guessing ahead": ahead(guessed, counted, tokens),
            }
        )
    return {
        "preset": PRESET,
        "steps": STEPS,
        "training words": len(pairs.words),
        "vocabulary": len(tokens),
        "runs": records.rounded(runs),
    }


if __name__ == "__main__":
    keep_record("word-vectors", __doc__, measured, seed=SEEDS[0], judged_by=("words-skipgram",))
