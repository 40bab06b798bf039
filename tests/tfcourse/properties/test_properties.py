"""Each property passes if it holds, and fails with its reason if it does not."""

import pytest
import torch
from torch import nn

from tfcourse.attention import SelfAttention, causal_mask, scaled_dot_product_attention
from tfcourse.properties import (
    assert_causal,
    assert_padding_invariant,
    assert_permutation_equivariant,
)


@pytest.fixture
def x(generator):
    return torch.randn(3, 6, 8, generator=generator)


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return SelfAttention(8)


class Causal(nn.Module):
    """Self-attention with a causal mask; `shift` and `only_in` put a published bug into it."""

    def __init__(self, shift=0, only_in=("train", "eval"), dropout=0.0):
        super().__init__()
        torch.manual_seed(0)
        self.attention = SelfAttention(8)
        self.dropout = nn.Dropout(dropout)
        self.shift, self.only_in = shift, only_in

    def forward(self, x):
        T = x.shape[1]
        mask = torch.ones(T, T, dtype=torch.bool).tril(self.shift)
        if ("train" if self.training else "eval") not in self.only_in:
            mask = None
        return self.attention(self.dropout(x), mask)


class Embedded(nn.Module):
    """The same over token ids."""

    def __init__(self, shift=0):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.causal = Causal(shift)

    def forward(self, ids):
        return self.causal(self.embedding(ids))


def test_causal_holds(x):
    assert_causal(Causal(), x)
    assert_causal(Causal(dropout=0.5), x)
    assert_causal(Embedded(), torch.randint(0, 11, (2, 5)), vocab_size=11)
    assert_causal(nn.GRU(8, 8, batch_first=True), x)


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (Causal(shift=1), "an output before position 1 moves"),
        (Causal(only_in=("train",)), "in eval mode"),  # the decoder that forgets its mask
        (Causal(only_in=("eval",)), "in train mode"),
        (nn.GRU(8, 8, batch_first=True, bidirectional=True), "from position 1 on"),
    ],
)
def test_causal_fails(module, told, x):
    with pytest.raises(AssertionError, match=told):
        assert_causal(module, x)


def test_causal_fails_on_token_ids():
    with pytest.raises(AssertionError, match="not causal"):
        assert_causal(Embedded(shift=1), torch.randint(0, 11, (2, 5)))


def test_causal_leaves_the_module_and_the_random_numbers_as_they_were(x):
    module = Causal(dropout=0.5)
    module.dropout.eval()
    before = torch.random.get_rng_state()
    assert_causal(module, x)
    assert module.training and not module.dropout.training
    assert torch.equal(before, torch.random.get_rng_state())


def test_padding_holds(x, layer):
    assert_padding_invariant(layer, x, torch.tensor([6, 2, 4]))


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (lambda x, mask=None: x + x.mean(1, keepdim=True), "the padding matters"),
        (lambda x, mask=None: x / x.shape[1], "differently alone and padded"),
        (
            lambda x, mask=None: (
                torch.softmax(
                    (x @ x.mT).masked_fill(
                        torch.zeros_like(x[..., :1], dtype=torch.bool) if mask is None else ~mask,
                        -torch.inf,
                    )
                    * torch.nan,
                    -1,
                )
                @ x
            ),
            "NaN or infinite",
        ),
        # multiplied after the softmax instead of before: the weights no longer sum to 1
        (
            lambda x, mask=None: torch.softmax(x @ x.mT, -1) * (1.0 if mask is None else mask) @ x,
            "the padding matters",
        ),
    ],
)
def test_padding_fails(module, told, x):
    with pytest.raises(AssertionError, match=told):
        assert_padding_invariant(module, x, torch.tensor([6, 2, 4]))


def test_permutation_holds(x, layer):
    assert_permutation_equivariant(layer, x)
    assert_permutation_equivariant(nn.Linear(8, 3), x)


def test_permutation_fails(x, layer):
    position = torch.randn(6, 8)
    for module in (lambda x: layer(x, causal_mask(6)), lambda x: layer(x + position)):
        with pytest.raises(AssertionError, match="the order matters"):
            assert_permutation_equivariant(module, x)


def test_too_little_to_judge_is_refused(x, layer):
    with pytest.raises(ValueError, match="T at least 2"):
        assert_causal(layer, x[:, :1])
    with pytest.raises(ValueError, match="vocab_size must be at least 2"):
        assert_causal(nn.Embedding(1, 4), torch.zeros(2, 3, dtype=torch.long))
    with pytest.raises(ValueError, match="lengths must hold at least one below T=6"):
        assert_padding_invariant(layer, x, torch.tensor([6, 6, 6]))


def test_a_plain_function_is_judged_too(x):
    mask = causal_mask(6)
    assert_causal(lambda x: scaled_dot_product_attention(x, x, x, mask), x)
    with pytest.raises(AssertionError, match="not causal"):
        assert_causal(lambda x: x.flip(1), x)
