"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch
from telling import told_of_other_mistakes

from coursework.mistakes import heads, scales, sharing, telling
from nbjudge.testing import close
from tfcourse.attention import merge_heads, scaled_dot_product_attention, split_heads

PAIR = ("The output", "The weights")
BOTH = "Each of these mistakes gives the same numbers here:"


def drawn(generator, *shapes):
    return [torch.randn(shape, generator=generator) for shape in shapes]


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (4, 3, 4, 2)])
def test_no_mistake_of_splitting_and_merging_is_right(generator, sizes):
    B, T, H, K = sizes
    (x,) = drawn(generator, (B, T, H * K))
    assert told_of_other_mistakes(heads.split_mistakes(x, H), split_heads(x, H)) == {}
    x = split_heads(x, H)
    assert told_of_other_mistakes(heads.merge_mistakes(x), merge_heads(x)) == {}


@pytest.mark.parametrize("sizes", [(3, 5, 7, 2, 3, 4), (2, 4, 10, 5, 3, 2)])
def test_no_mistake_of_several_heads_is_right(generator, sizes):
    B, T, D, H, K, Dv = sizes
    shapes = (B, T, D), (D, H * K), (D, H * K), (D, H * Dv), (H * Dv, D)
    X, *W = drawn(generator, *shapes)
    found, weights = scaled_dot_product_attention(*(split_heads(X @ w, H) for w in W[:3]))
    right = merge_heads(found) @ W[3], weights
    mistakes = heads.multi_head_mistakes(X, *W, H)
    assert told_of_other_mistakes(mistakes, right, PAIR) == {}
    assert ("You multiply the heads by W_Oᵀ" in str(list(mistakes))) == (H * Dv == D)
    assert BOTH not in str(list(mistakes))


@pytest.mark.parametrize("sizes", [(2, 4, 5, 8, 7, 3, 2, 4), (2, 4, 4, 7, 7, 5, 3, 4)])
def test_no_mistake_of_cross_attention_is_right(generator, sizes):
    B, T, S, D, E, H, K, Dv = sizes
    shapes = (B, T, D), (B, S, E), (H, D, K), (H, E, K), (H, E, Dv), (H, Dv, D)
    X, C, *W = drawn(generator, *shapes)
    projected = (x[:, None] @ w for x, w in zip((X, C, C), W[:3], strict=True))
    parts = scaled_dot_product_attention(*projected)[0] @ W[3]
    found = heads.cross_mistakes(X, C, *W)
    assert told_of_other_mistakes(found, (parts.sum(1), parts), ("The output", "The parts")) == {}


def test_a_wrong_scale_names_each_size_that_it_may_be():
    found = scales.wrong_factors(4, {"the heads": 2, "the tokens": 9, "d_v": 2, "one": 1})
    named = {factor: message for message, factor in found.items()}
    assert "2 is the heads, or d_v. d_k = 4" in named[2**-0.5]
    assert set(named) == {1.0, 1 / 4, 2.0, 2**-0.5, 1 / 3}


def test_mistakes_that_come_to_the_same_numbers_are_told_together():
    one, two = torch.ones(2), torch.zeros(2)
    found = telling.told_apart(
        {"a.": (two, None), "b.": (two, one), "c.": (None, two), "right.": (one, None)}, (one, one)
    )
    assert list(found) == [f"{BOTH}\n- a.\n- b.", "c."]
    assert [[part.tolist() for part in pair] for pair in found.values()] == [
        [[0, 0], [1, 1]],
        [[1, 1], [0, 0]],
    ]


def test_where_all_keys_are_alike_two_mistakes_are_named(generator):
    X, W_V = drawn(generator, (1, 3, 4), (4, 4))
    zeros, eye = torch.zeros(4, 6), torch.eye(4)
    mistakes = heads.multi_head_mistakes(X, zeros, zeros, W_V, eye, 2)
    (found,) = (m for m in mistakes if "sequences of the batch" in m)
    assert found.startswith(BOTH) and "not divided by their sum" in found


@pytest.mark.parametrize("sizes", [(3, 2, 4, 7), (3, 3, 6, 6)])
def test_no_mistake_of_masks_is_right(generator, sizes):
    B, H, T, S = sizes
    real = torch.ones(B, S, dtype=torch.bool)
    real[0, 0] = real[1, -1] = real[2, 3] = False
    windows = torch.tensor([3, 2, 4])[:H]
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    right = (back >= 0) & (back < windows[:, None, None]) & real[:, None, None]
    assert told_of_other_mistakes(sharing.mask_mistakes(real, windows, T), right) == {}


def test_no_mistake_of_one_mask_for_all_heads_is_right(generator):
    Q, K, V = drawn(generator, (3, 3, 4, 2), (3, 3, 5, 2), (3, 3, 5, 7))
    mask = torch.rand(3, 4, 5, generator=generator) < 0.6
    mask[..., 0] |= ~mask.any(-1)
    mask[1, 2], mask[:2, :, 4] = False, False
    right = scaled_dot_product_attention(Q, K, V, mask[:, None])
    assert told_of_other_mistakes(sharing.one_mask_mistakes(Q, K, V, mask), right, PAIR) == {}


def test_no_mistake_of_masked_heads_is_right_and_no_two_are_alike(generator):
    Q, K, V = drawn(generator, (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    mask = torch.rand(2, 3, 4, 6, generator=generator) < 0.6
    mask[1, 2, 0], mask[:, :, :, 4] = False, False
    right = scaled_dot_product_attention(Q, K, V, mask)
    found = sharing.masked_mistakes(Q, K, V, mask)
    assert told_of_other_mistakes(found, right, PAIR) == {}
    assert BOTH not in str(list(found))


@pytest.mark.parametrize("fill", [-100.0, -1e4])
def test_a_fill_that_is_not_low_enough_is_told_where_scores_are_lower(generator, fill):
    Q, K, V = drawn(generator, (2, 3, 4, 4), (2, 3, 5, 4), (2, 3, 5, 2))
    Q[..., 0], K[..., 0] = 2.0, -1e5
    mask = torch.rand(2, 3, 4, 5, generator=generator) < 0.6
    mask[..., 0], mask[1, 2] = True, True
    scores = (Q @ K.mT / 2).masked_fill(~mask, fill)
    weights = scores.softmax(-1) * mask
    right = scaled_dot_product_attention(Q, K, V, mask)
    found = sharing.masked_mistakes(Q, K, V, mask)
    with pytest.raises(
        AssertionError, match="^The number that you write into hidden scores is not low"
    ):
        close((weights @ V, weights), right, PAIR, mistakes=found)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_no_mistake_of_groups_is_right(generator, groups):
    Q, K, V = drawn(generator, (2, 6, 4, 3), (2, groups, 5, 3), (2, groups, 5, 7))
    full = (x.repeat_interleave(6 // groups, dim=1) for x in (K, V))
    right = scaled_dot_product_attention(Q, *full)
    assert told_of_other_mistakes(sharing.grouped_mistakes(Q, K, V), right, PAIR) == {}


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_no_mistake_of_pooling_heads_is_right(generator, groups):
    (W,) = drawn(generator, (5, 12))
    right = W.view(5, groups, 6 // groups, 2).mean(2).flatten(1)
    assert told_of_other_mistakes(sharing.pool_mistakes(W, 6, groups), right) == {}
