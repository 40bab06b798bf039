"""Perplexity in each unit, and the windows in which a long text is read."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tfcourse.evaluation import Likelihood, bits, language_model_nll, perplexity
from tfcourse.models.common import Output
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig


class Counting(nn.Module):
    """A model that knows how many tokens it has before it: its surprise is their number.

    The token to come is always 0, of two tokens.
    """

    def forward(self, tokens):
        B, T = tokens.shape
        seen = torch.arange(1, T + 1, dtype=torch.double).expand(B, T)
        # log p(0) = -seen: so p(1) = 1 - exp(-seen)
        return Output(torch.stack([-seen, torch.log(-torch.expm1(-seen))], dim=-1))


def by_one_token_at_a_time(n, window, stride):
    """How many tokens stand before each prediction, by the rule as it is told."""
    context, start, done = [], 0, 0
    while done < n:
        end = min(start + window, n)
        context += [t - start + 1 for t in range(done, end)]
        done, start = end, start + stride
    return context


def test_perplexity_by_hand():
    """Four tokens at p = 1/2, 1/4, 1/8, 1/8: 9 bits, so 2^(9/4) per token."""
    nll = math.log(2 * 4 * 8 * 8)
    score = Likelihood(nll, 4).of("näher am Ziel")
    assert (score.words, score.bytes) == (3, 14)
    assert score.per_token == pytest.approx(2 ** (9 / 4), rel=1e-12)
    assert score.per_word == pytest.approx(2**3, rel=1e-12)
    assert score.per_byte == pytest.approx(2 ** (9 / 14), rel=1e-12)
    assert score.bits_per_byte == pytest.approx(9 / 14, rel=1e-12)
    assert score.loss == pytest.approx(nll / 4, rel=1e-12)
    assert bits(nll, 4) == pytest.approx(9 / 4, rel=1e-12)
    assert perplexity(0, 7) == 1
    assert perplexity(1e9, 1) == math.inf


def test_a_uniform_model_is_as_unsure_as_its_vocabulary():
    class Uniform(nn.Module):
        def forward(self, tokens):
            return Output(torch.zeros(*tokens.shape, 7))

    ids = torch.arange(50) % 7
    score = language_model_nll(Uniform(), ids, 8, 3)
    assert score.tokens == 49
    assert score.per_token == pytest.approx(7, rel=1e-6)


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 40), st.integers(1, 12), st.data(), st.integers(1, 5))
def test_each_token_is_predicted_once_with_what_stands_before_it(N, window, data, batch):
    stride = data.draw(st.integers(1, window))
    score = language_model_nll(
        Counting(), torch.zeros(N, dtype=torch.long), window, stride, batch=batch
    )
    expected = by_one_token_at_a_time(N - 1, window, stride)
    assert len(expected) == score.tokens == N - 1
    assert min(expected[window:], default=window) > window - stride
    assert score.nll == pytest.approx(sum(expected), rel=1e-12)


@pytest.mark.parametrize("make", [
    lambda: GPT(GPTConfig(11, 16, num_layers=2, num_heads=2, d_model=8, dropout=0.5)),
    lambda: RecurrentLM(RecurrentLMConfig(11, d_model=8, dropout=0.5)),
])  # fmt: skip
def test_equals_the_loss_over_the_whole_text_where_it_fits(make, generator):
    model = make().double().train()
    ids = torch.randint(0, 11, (15,), generator=generator)
    score = language_model_nll(model, ids, 14)
    assert model.training
    assert all(module.training for module in model.modules())
    logits = model.eval()(ids[None, :-1]).logits.detach()
    expected = nn.functional.cross_entropy(logits[0], ids[1:], reduction="sum")
    assert score.nll == pytest.approx(float(expected), rel=1e-12)
    # Overlapping windows of a causal model: each prediction is that of its own window alone.
    slow = 0.0
    for t, seen in enumerate(by_one_token_at_a_time(14, 6, 2)):
        logits = model(ids[None, t + 1 - seen : t + 1]).logits[0, -1].detach()
        slow += float(nn.functional.cross_entropy(logits, ids[t + 1]))
    assert language_model_nll(model, ids, 6, 2).nll == pytest.approx(slow, rel=1e-12)


def test_parts_in_evaluation_stay_there(generator):
    model = GPT(GPTConfig(11, context_length=16, num_layers=1, num_heads=2, d_model=8)).train()
    model.blocks[0].eval()
    language_model_nll(model, torch.randint(0, 11, (9,), generator=generator), 4)
    assert model.training
    assert not model.blocks[0].training


IDS = torch.zeros(5, dtype=torch.long)


@pytest.mark.parametrize(("call", "told"), [
    (lambda: perplexity(1.0, 0), "count must be at least 1, got 0"),
    (lambda: perplexity(-1.0, 2), "nll must be a sum of at least 0, got -1.0"),
    (lambda: bits(math.nan, 2), "nll must be a sum of at least 0, got nan"),
    (lambda: Likelihood(1.0, 2).per_word, "words must be known for this"),
    (lambda: Likelihood(1.0, 2).bits_per_byte, "bytes must be known for this"),
    (lambda: Likelihood(1.0, 2).of("").per_word, "count must be at least 1, got 0"),
    (lambda: language_model_nll(Counting(), IDS, 3, 4), "stride must be at most window=3, got 4"),
    (lambda: language_model_nll(Counting(), IDS, 0), "window must be at least 1, got 0"),
    (lambda: language_model_nll(Counting(), IDS[:1], 3), r"at least 2 tokens, got \(1,\)"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(call, told):
    with pytest.raises(ValueError, match=told):
        call()
