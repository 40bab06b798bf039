"""Word vectors: which pairs are drawn, and how the vectors are evaluated."""

import numpy as np
import pytest
import torch

from tfcourse import data
from tfcourse.data import Similarity
from tfcourse.runs import vectors
from tfcourse.runs.vectors import Pairs, similarity
from tfcourse.tokenizers import WordTokenizer


def all_pairs(pairs):
    return [
        (int(c), int(o))
        for centre, context, _ in pairs
        for c, o in zip(centre, context, strict=True)
    ]


def test_with_a_window_of_one_every_neighbour_is_drawn_once_within_its_line():
    lines = [[0, 1, 2], [3, 4], [5]]
    drawn = all_pairs(Pairs(lines, 6, 1, around=1, subsample=9.0))
    expected = [(0, 1), (1, 0), (1, 2), (2, 1), (3, 4), (4, 3)]
    assert sorted(drawn) == expected


def test_a_wider_window_is_as_wide_as_was_drawn():
    """At a distance d of 5 a neighbour is met with probability (6 - d) / 5."""
    line = list(range(2000))
    drawn = all_pairs(Pairs([line], 2000, 1, around=5, subsample=9.0))
    distances = np.bincount([abs(c - o) for c, o in drawn], minlength=6)[1:]
    expected = np.array([2 * 2000 * (6 - d) / 5 for d in range(1, 6)])
    assert (np.abs(distances - expected) < 5 * np.sqrt(expected)).all()


def test_frequent_words_are_dropped_as_often_as_the_paper_says():
    """A word that is all but a hundredth of the text stays with probability sqrt(t / f)."""
    n, t = 20_000, 0.04
    line = [0 if i % 100 else 1 for i in range(n)]
    centres = np.bincount([c for c, _ in all_pairs(Pairs([line], 2, 1, around=1, subsample=t))])
    stays = np.sqrt(t / 0.99)
    expected = 2 * 0.99 * n * stays
    assert abs(centres[0] - expected) < 5 * np.sqrt(expected)
    assert centres[1] == pytest.approx(2 * n / 100, abs=2)


def test_negatives_follow_the_counts_to_the_power_three_quarters():
    line = [0] * 1000 + [1] * 200 + [2] * 16
    pairs = Pairs([line], 3, 50, around=1, subsample=9.0, negatives=20)
    drawn = torch.cat([negatives.flatten() for _, _, negatives in pairs]).bincount(minlength=3)
    p = np.array([1000, 200, 16]) ** 0.75
    p /= p.sum()
    n = int(drawn.sum())
    assert (np.abs(drawn.numpy() / n - p) < 5 * np.sqrt(p * (1 - p) / n)).all()


def test_a_pass_can_be_gone_on_with_and_the_next_is_another():
    lines = [list(range(20))] * 5
    whole = Pairs(lines, 20, 16, seed=3, subsample=9.0)
    first = list(whole)
    assert whole.state_dict() == {"epoch": 1, "position": 0}
    stopped = Pairs(lines, 20, 16, seed=3, subsample=9.0)
    reading = iter(stopped)
    next(reading), next(reading)
    state = stopped.state_dict()
    assert state == {"epoch": 0, "position": 2}
    fresh = Pairs(lines, 20, 16, seed=3, subsample=9.0)
    fresh.load_state_dict(state)
    rest = list(fresh)
    for one, other in zip(first[state["position"] :], rest, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert not torch.equal(next(iter(whole))[0], first[0][0])


def test_similarity_is_the_rank_correlation_over_pairs_that_are_known(monkeypatch):
    judged = [Similarity("A", "b", 9.0), Similarity("a", "c", 5.0), Similarity("a", "d", 1.0),
              Similarity("b", "c", 6.0), Similarity("a", "unknown", 3.0)]  # fmt: skip
    monkeypatch.setattr(vectors.data, "load", lambda name, split: judged)
    tokens = WordTokenizer(list("abcd"))
    angles = torch.tensor([0.0, 0.2, 0.9, 2.0])
    rows = torch.stack([angles.cos(), angles.sin()], dim=1) * torch.tensor([[1.0], [2], [3], [4]])
    found = similarity(rows, tokens, "wordsim-353")
    assert found["Spearman"] == pytest.approx(1.0)
    assert (found["pairs covered"], found["pairs"]) == (4, 5)
    assert data.load is not None
