"""Top-k and top-p: what is kept and what is cut, for any logits."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcourse.generation import keep_top_k, keep_top_p

shapes = st.lists(st.integers(1, 4), min_size=0, max_size=2)
seeds = st.integers(0, 2**32 - 1)


def draw(shape, V, seed, *, spread=3.0):
    generator = torch.Generator().manual_seed(seed)
    return spread * torch.randn(*shape, V, generator=generator, dtype=torch.float64)


@settings(max_examples=60, deadline=None)
@given(shape=shapes, V=st.integers(1, 12), k=st.integers(1, 14), seed=seeds)
def test_top_k_keeps_the_k_highest_as_they_are(shape, V, k, seed):
    logits = draw(shape, V, seed)
    before = logits.clone()
    kept = keep_top_k(logits, k)
    assert torch.equal(logits, before)
    finite = kept.isfinite()
    assert (finite.sum(-1) == min(k, V)).all()
    assert torch.equal(kept[finite], logits[finite])
    highest = logits.sort(descending=True).values[..., : min(k, V)]
    assert torch.equal(kept.sort(descending=True).values[..., : min(k, V)], highest)


@settings(max_examples=60, deadline=None)
@given(shape=shapes, V=st.integers(1, 12), p=st.floats(0.01, 1.0), seed=seeds)
def test_top_p_keeps_the_fewest_that_have_probability_p(shape, V, p, seed):
    logits = draw(shape, V, seed)
    kept = keep_top_p(logits, p)
    finite = kept.isfinite()
    assert torch.equal(kept[finite], logits[finite])
    for row, ours in zip(logits.view(-1, V), finite.view(-1, V), strict=True):
        total, expected = 0.0, set()
        for place in sorted(range(V), key=lambda i: -float(row[i])):
            if total >= p - 1e-12:
                break
            expected.add(place)
            total += float(row.softmax(-1)[place])
        assert set(ours.nonzero().flatten().tolist()) == expected


def test_by_hand():
    logits = torch.tensor([0.5, 0.25, 0.15, 0.1]).log()
    cut = -torch.inf
    assert keep_top_k(logits, 2).tolist() == [*logits[:2].tolist(), cut, cut]
    assert keep_top_p(logits, 0.5).isfinite().tolist() == [True, False, False, False]
    assert keep_top_p(logits, 0.51).isfinite().tolist() == [True, True, False, False]
    assert keep_top_p(logits, 0.8).isfinite().tolist() == [True, True, True, False]
    assert keep_top_k(torch.tensor([1.0, 1.0, 0.0]), 1).isfinite().tolist() == [True, True, False]
    assert keep_top_k(logits, 4) is logits and keep_top_p(logits, 1.0) is logits


def test_one_after_the_other_goes_through_minus_infinity():
    logits = draw((2,), 8, 0)
    both = keep_top_p(keep_top_k(logits, 3), 0.9)
    assert (both.isfinite() <= keep_top_k(logits, 3).isfinite()).all()
    assert both.isfinite().any(-1).all() and not both.softmax(-1).isnan().any()


@pytest.mark.parametrize("k", [0, -1])
def test_top_k_refuses(k):
    with pytest.raises(ValueError, match=f"k must be at least 1, got {k}"):
        keep_top_k(torch.zeros(3), k)


@pytest.mark.parametrize("p", [0.0, 1.1, -0.5, float("nan")])
def test_top_p_refuses(p):
    with pytest.raises(ValueError, match=r"p must lie in \(0, 1\], got"):
        keep_top_p(torch.zeros(3), p)
