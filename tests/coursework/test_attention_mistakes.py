"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch

from coursework.mistakes import attention as mistakes
from nbjudge.testing import close
from tfcourse.attention import causal_mask, padding_mask, scaled_dot_product_attention

T = 5


@pytest.fixture
def qkv(generator):
    """Queries, keys and values whose lengths and widths can be told apart."""
    return (
        torch.randn(2, T, 3, generator=generator),
        torch.randn(2, 6, 3, generator=generator),
        torch.randn(2, 6, 7, generator=generator),
    )


@pytest.fixture
def square(generator):
    """Queries, keys and values of one shape, for mistakes that need it."""
    return tuple(torch.randn(2, T, 3, generator=generator) for _ in "qkv")


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("shapes", ["qkv", "square"])
def test_no_mistake_of_attention_is_right_and_no_two_are_alike(request, shapes, masked, scaled):
    q, k, v = request.getfixturevalue(shapes)
    S = k.shape[-2]
    mask = None
    if masked:  # one query of the second sequence sees nothing
        mask = causal_mask(T, S) & padding_mask(torch.tensor([S, 2]), S)
        mask[1, 0] = False
    expected = scaled_dot_product_attention(q, k, v, mask, scale=None if scaled else 1.0)
    found = mistakes.attention_mistakes(q, k, v, mask, scaled=scaled, d_model=11)
    seen = []
    for message, pair in found.items():
        got = tuple(e if w is None else w for w, e in zip(pair, expected, strict=True))
        with pytest.raises(AssertionError) as caught:
            close(got, expected, ("The output", "The weights"), mistakes=found)
        if str(caught.value) != message:
            seen.append((message, str(caught.value)))
    assert seen == []


def test_no_mistake_of_scores_is_right_and_no_two_are_alike(qkv):
    q, k, _ = qkv
    q = torch.cat([q, q[:, :1]], dim=1)  # as many queries as keys, so that turning round fits
    right = q @ k.mT / 3**0.5
    found = mistakes.score_mistakes(q, k)
    for message, wrong in found.items():
        with pytest.raises(AssertionError) as caught:
            close(wrong, right, mistakes=found)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("found", "right"),
    [
        (mistakes.causal_mistakes(T), causal_mask(T)),
        (
            mistakes.padding_mistakes(torch.tensor([2, 4, 0]), T),
            padding_mask(torch.tensor([2, 4, 0]), T),
        ),
        (
            mistakes.decoder_mistakes(torch.tensor([2, 4, 3]), T),
            causal_mask(T) & padding_mask(torch.tensor([2, 4, 3]), T),
        ),
    ],
    ids=["causal", "padding", "decoder"],
)
def test_no_mistake_of_masks_is_right_and_no_two_are_alike(found, right):
    for message, wrong in found.items():
        with pytest.raises(AssertionError) as caught:
            close(wrong, right, mistakes=found)
        assert str(caught.value) == message
