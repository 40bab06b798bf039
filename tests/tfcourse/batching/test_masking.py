"""Words masked for an encoder: which, what replaces them, and what stays unchanged."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcourse.batching import mask_words

MASK, WORDS = 4, torch.arange(5, 40)
seeds = st.integers(0, 2**32 - 1)


def text(B, T, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(5, 40, (B, T), generator=generator), generator


@settings(max_examples=60, deadline=None)
@given(B=st.integers(1, 4), T=st.integers(0, 9), seed=seeds, share=st.floats(0, 1),
       masked=st.floats(0, 1), rest=st.floats(0, 1))  # fmt: skip
def test_only_candidates_are_chosen_and_only_the_chosen_are_changed(
    B, T, seed, share, masked, rest
):
    ids, generator = text(B, T, seed)
    before, may = ids.clone(), torch.rand(B, T, generator=generator) < 0.7
    corrupted, chosen = mask_words(
        ids, may, mask=MASK, words=WORDS, share=share, masked=masked, random=(1 - masked) * rest,
        generator=generator,
    )  # fmt: skip
    assert torch.equal(ids, before)
    assert corrupted.shape == chosen.shape == ids.shape
    assert corrupted.dtype == ids.dtype and chosen.dtype == torch.bool
    assert not (chosen & ~may).any()
    assert torch.equal(corrupted[~chosen], ids[~chosen])
    assert torch.isin(corrupted[chosen], torch.tensor([MASK, *WORDS])).all()


def test_the_shares_are_those_of_the_paper():
    """Within four deviations of 15 %, and of 80, 10 and 10 % of those."""
    ids, generator = text(500, 100)
    may = torch.ones_like(ids, dtype=torch.bool)
    words = torch.arange(100, 200)  # none of the text's own: what is drawn can be told
    corrupted, chosen = mask_words(ids, may, mask=MASK, words=words, generator=generator)
    n, k = ids.numel(), int(chosen.sum())
    assert abs(k - 0.15 * n) < 4 * (n * 0.15 * 0.85) ** 0.5
    found = corrupted[chosen]
    for now, share in (
        (found == MASK, 0.8), (found >= 100, 0.1), (found == ids[chosen], 0.1),
    ):  # fmt: skip
        assert abs(int(now.sum()) - share * k) < 4 * (k * share * (1 - share)) ** 0.5
    # Every word is as likely, and what becomes of a word has nothing to do with where it stands.
    drawn = torch.bincount(found[found >= 100] - 100, minlength=100).double()
    mean = float(drawn.mean())
    assert float((drawn - mean).square().sum()) / mean < 99 + 4 * (2 * 99) ** 0.5
    by_column = chosen.double().mean(0)
    assert float((by_column - 0.15).abs().max()) < 4.5 * (0.15 * 0.85 / 500) ** 0.5


def test_every_chosen_word_can_be_hidden_and_every_one_chosen():
    ids, generator = text(3, 20)
    may = torch.ones_like(ids, dtype=torch.bool)
    may[:, 0] = False

    def made(**shares):
        return mask_words(ids, may, mask=MASK, words=WORDS, generator=generator, **shares)

    corrupted, chosen = made(share=1, masked=1, random=0)
    assert torch.equal(chosen, may) and (corrupted[may] == MASK).all()
    corrupted, chosen = made(share=1, masked=0, random=0)
    assert torch.equal(chosen, may) and torch.equal(corrupted, ids)
    corrupted, chosen = made(share=0)
    assert not chosen.any() and torch.equal(corrupted, ids)
    corrupted, _ = mask_words(ids, may, mask=MASK, words=torch.tensor([77]), share=1, masked=0,
                              random=1, generator=generator)  # fmt: skip
    assert (corrupted[may] == 77).all()


def test_the_generator_decides_and_torchs_own_does_where_none_is_given():
    ids, _ = text(4, 30)
    may = torch.ones_like(ids, dtype=torch.bool)

    def made(seed):
        generator = torch.Generator().manual_seed(seed)
        return mask_words(ids, may, mask=MASK, words=WORDS, generator=generator)

    torch.manual_seed(3)
    one = made(3)
    own = mask_words(ids, may, mask=MASK, words=WORDS)
    for again in (made(3), own):
        assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))
    assert not torch.equal(one[1], made(4)[1])


X, MAY = torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("ids", "may", "choices", "told"),
    [
        (X[0], MAY[0], {}, r"ids must be rows of ids \(B, T\), got \(3,\) of torch.int64"),
        (X.float(), MAY, {}, r"ids must be rows .* got \(1, 3\) of torch.float32"),
        (X, MAY[:, :2], {}, r"candidates must be \(1, 3\) of torch.bool, .* got \(1, 2\)"),
        (X, MAY.long(), {}, r"candidates must be \(1, 3\) of torch.bool, .* of torch.int64"),
        (X, MAY, {"words": WORDS[:0]}, r"words must be a row of at least one id, got \(0,\)"),
        (X, MAY, {"words": torch.tensor(5)}, r"words must be a row of at least one id, got \(\)"),
        (X, MAY, {"share": 1.5}, r"share must lie in \[0, 1\], got 1.5"),
        (X, MAY, {"masked": -0.1}, r"masked must lie in \[0, 1\], got -0.1"),
        (X, MAY, {"masked": 0.8, "random": 0.3}, r"masked \+ random must be at most 1, got 0.8"),
        (X, MAY, {"mask": -1}, "mask must be an id of at least 0, got -1"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(ids, may, choices, told):
    with pytest.raises(ValueError, match=told):
        mask_words(ids, may, **{"mask": MASK, "words": WORDS} | choices)
