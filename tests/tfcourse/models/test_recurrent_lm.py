"""The recurrent language model against PyTorch's networks, and its properties."""

import math

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_twins import close, copies, same_as_copies, same_gradients, twin

from tfcourse.flops import count_parameters
from tfcourse.models.recurrent_lm import CELLS, RecurrentLM, RecurrentLMConfig
from tfcourse.properties import (
    assert_causal,
    assert_gradients_reach_every_parameter,
    assert_stateless,
)

V = 11
seeds = st.integers(0, 2**32 - 1)
cells = st.sampled_from(list(CELLS))
FORMS = [{"cell": cell, "tied": tied, "num_layers": 2} for cell in CELLS for tied in (False, True)]
every_form = pytest.mark.parametrize("form", FORMS, ids=str)


def build(seed=0, dtype=torch.float64, **choices):
    config = RecurrentLMConfig(V, **{"d_model": 6} | choices)
    return layout.scramble(RecurrentLM(config).to(dtype), seed).eval()


def ids(B, T, seed=0):
    return torch.randint(0, V, (B, T), generator=torch.Generator().manual_seed(seed))


def parts(state):
    return state if isinstance(state, tuple) else (state,)


@settings(max_examples=60, deadline=None)
@given(B=st.integers(1, 3), T=st.integers(1, 6), cell=cells, layers=st.integers(1, 3), seed=seeds,
       d_hidden=st.sampled_from([None, 1, 5]), fused=st.booleans(),
       dtype=st.sampled_from([torch.float32, torch.float64]))  # fmt: skip
def test_equals_pytorchs(B, T, cell, layers, seed, d_hidden, fused, dtype):
    tied = d_hidden is None
    ours = build(seed, dtype, cell=cell, num_layers=layers, d_hidden=d_hidden, tied=tied).train()
    theirs, p = twin(ours.recurrent), copies(ours, "recurrent")
    tokens = ids(B, T, seed)
    h, last = theirs(F.embedding(tokens, p["embedding.weight"]))
    W_U = p["embedding.weight"].T if tied else p["W_U"]
    expected = h @ W_U + p["b_U"]
    got, state = ours.read(tokens, fused=fused)
    close(got, expected, "logits")
    for mine, other in zip(parts(state), parts(last), strict=True):
        close(mine, other, "state")
    cotangent = torch.randn_like(expected)
    expected.backward(cotangent)
    got.backward(cotangent)
    same_gradients(ours.recurrent, theirs)
    same_as_copies(ours, p)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), T=st.integers(1, 7), cell=cells, fused=st.booleans(), seed=seeds)
def test_in_parts_equals_all_at_once(data, T, cell, fused, seed):
    """Word by word as when it writes, and in longer parts as when it learns from a long text."""
    model = build(seed, cell=cell, num_layers=2)
    tokens = ids(2, T, seed)
    expected, last = model.read(tokens)
    state, got, t = None, [], 0
    while t < T:
        size = data.draw(st.integers(1, T - t))
        logits, state = model.read(tokens[:, t : t + size], None, state, fused=fused)
        assert torch.equal(model(tokens[:, :size]).logits, model.read(tokens[:, :size])[0])
        got.append(logits)
        t += size
    close(torch.cat(got, dim=1), expected)
    for mine, other in zip(parts(state), parts(last), strict=True):
        close(mine, other)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), T=st.integers(1, 6), cell=cells, fused=st.booleans(), seed=seeds)
def test_padding_is_not_seen(data, T, cell, fused, seed):
    """Nor do empty sequences hurt: they stay where they started."""
    model = build(seed, cell=cell, num_layers=2)
    lengths = torch.tensor(data.draw(st.lists(st.integers(0, T), min_size=3, max_size=3)))
    tokens = ids(3, T, seed)
    other = torch.where(torch.arange(T) < lengths[:, None], tokens, (tokens + 1) % V)
    logits, state = model.read(tokens, lengths, fused=fused)
    again, state_again = model.read(other, lengths, fused=fused)
    assert torch.equal(logits, again)
    for mine, same in zip(parts(state), parts(state_again), strict=True):
        assert torch.equal(mine, same)
    for b, n in enumerate(lengths.tolist()):
        if n == 0:
            assert not any(part[:, b].any() for part in parts(state))
            continue
        alone, last = model.read(tokens[b : b + 1, :n], fused=fused)
        close(logits[b : b + 1, :n], alone)
        for mine, own in zip(parts(state), parts(last), strict=True):
            close(mine[:, b : b + 1], own)


@every_form
def test_no_token_sees_a_later_one_and_no_call_an_earlier(form):
    model = build(**form, dropout=0.3)
    assert_causal(model, ids(2, 6), vocab_size=V)
    assert_stateless(model, ids(2, 6), vocab_size=V)


@every_form
@pytest.mark.parametrize("fused", [False, True])
def test_a_gradient_reaches_every_parameter(form, fused):
    model = build(**form)
    assert_gradients_reach_every_parameter(model, ids(2, 5))
    model(ids(2, 5), fused=fused).logits.square().sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_an_early_token_is_heard_late():
    model = build(num_layers=1, cell="lstm")
    tokens = ids(1, 6)
    changed = tokens.clone()
    changed[0, 0] = (changed[0, 0] + 1) % V
    assert (model(tokens).logits[:, -1] - model(changed).logits[:, -1]).abs().max() > 1e-6


@every_form
def test_it_starts_about_as_good_as_a_blind_guess(form):
    torch.manual_seed(0)
    model = RecurrentLM(RecurrentLMConfig(500, 64, **form))
    tokens = torch.randint(0, 500, (8, 20))
    loss = F.cross_entropy(model(tokens).logits.flatten(0, 1), torch.randint(0, 500, (160,)))
    assert loss.item() == pytest.approx(math.log(500), abs=0.5)


def test_tying_saves_a_matrix():
    tied, free = build(tied=True), build()
    assert count_parameters(free) - count_parameters(tied) == 6 * V
    assert count_parameters(free) == V * 6 + 2 * 24 * 6 + 24 + 6 * V + V


def test_dropout_falls_in_training_only():
    model = build(dropout=0.5).train()
    assert not torch.equal(model(ids(1, 5)).logits, model(ids(1, 5)).logits)
    model.eval()
    assert torch.equal(model(ids(1, 5)).logits, model(ids(1, 5)).logits)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"cell": "elman"}, r"cell must be one of \['rnn', 'gru', 'lstm'\], got 'elman'"),
        ({"tied": True, "d_hidden": 5}, "d_hidden must be d_model=6 if .* tied, got 5"),
        ({"num_layers": 0}, "num_layers must be at least 1, got 0"),
        ({"d_hidden": 0}, "d_hidden must be at least 1, got 0"),
        ({"dropout": 1.0}, r"dropout must lie in \[0, 1\), got 1.0"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        build(**choices)


def test_inputs_that_do_not_fit_are_refused():
    model = build()
    with pytest.raises(ValueError, match="tokens must lie between 0 and 10, got 11 to 11"):
        model(torch.tensor([[V]]))
    with pytest.raises(ValueError, match="x must have at least 1 token"):
        model(ids(2, 0))
    with pytest.raises(ValueError, match="lengths must lie between 0 and S=3"):
        model(ids(2, 3), torch.tensor([4, 1]))
    with pytest.raises(ValueError, match=r"state must be \(h, c\) of shape \(1, 2, 6\)"):
        model(ids(2, 3), None, torch.zeros(1, 2, 6, dtype=torch.float64))
