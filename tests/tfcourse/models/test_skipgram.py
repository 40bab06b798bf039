"""Skip-gram: both losses and their gradients written out pair by pair."""

import math

import pytest
import torch
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_twins import close

from tfcourse.flops import count_parameters
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.properties import assert_gradients_reach_every_parameter

seeds = st.integers(0, 2**32 - 1)
dtypes = st.sampled_from([torch.float32, torch.float64])


def build(V=7, D=4, seed=0, dtype=torch.float64):
    return layout.scramble(SkipGram(SkipGramConfig(V, D)).to(dtype), seed)


def ids(V, *shape, seed=0):
    return torch.randint(0, V, shape, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=40, deadline=None)
@given(V=st.integers(1, 9), D=st.integers(1, 6), B=st.integers(1, 5), seed=seeds, dtype=dtypes)
def test_the_look_up_is_the_product_with_a_one_hot_row(V, D, B, seed, dtype):
    model = build(V, D, seed, dtype)
    centre = ids(V, B, seed=seed)
    one_hot = torch.nn.functional.one_hot(centre, V).to(dtype)
    close(model(centre).logits, one_hot @ model.W @ model.V)
    assert model(centre).maps is None


@settings(max_examples=40, deadline=None)
@given(V=st.integers(2, 9), D=st.integers(1, 6), B=st.integers(1, 6), seed=seeds, dtype=dtypes)
def test_full_softmax_by_hand(V, D, B, seed, dtype):
    model = build(V, D, seed, dtype)
    centre, context = ids(V, B, seed=seed), ids(V, B, seed=seed + 1)
    W, C = model.W.detach(), model.V.detach()
    loss, dW, dV = 0.0, torch.zeros_like(W), torch.zeros_like(C)
    for c, o in zip(centre.tolist(), context.tolist(), strict=True):
        scores = [math.fsum((W[c] * C[:, j]).tolist()) for j in range(V)]
        p = [math.exp(s) / sum(math.exp(r) for r in scores) for s in scores]
        loss -= math.log(p[o]) / B
        for j in range(V):  # d(-log p_o) / d score_j = p_j - [j = o]
            error = (p[j] - (j == o)) / B
            dW[c] += error * C[:, j]
            dV[:, j] += error * W[c]
    got = model.loss(centre, context)
    got.backward()
    close(got, torch.tensor(loss, dtype=dtype))
    close(model.W.grad, dW)
    close(model.V.grad, dV)


@settings(max_examples=60, deadline=None)
@given(V=st.integers(2, 9), D=st.integers(1, 6), B=st.integers(1, 6), N=st.integers(0, 5),
       seed=seeds, dtype=dtypes)  # fmt: skip
def test_negative_sampling_by_hand(V, D, B, N, seed, dtype):
    """Few words for many draws: the same word comes several times, as context and as negative."""
    model = build(V, D, seed, dtype)
    centre, context, negatives = (
        ids(V, *shape, seed=seed + i) for i, shape in enumerate(((B,), (B,), (B, N)))
    )
    W, C = model.W.detach(), model.V.detach()
    loss, dW, dV = 0.0, torch.zeros_like(W), torch.zeros_like(C)
    for b in range(B):
        c = centre[b].item()
        pairs = [(context[b].item(), 1), *((n, 0) for n in negatives[b].tolist())]
        for word, true in pairs:
            sigma = 1 / (1 + math.exp(-(W[c] @ C[:, word]).item()))
            loss -= math.log(sigma if true else 1 - sigma) / B
            error = (sigma - true) / B  # d loss / d (w . v), for a true word and for a drawn one
            dW[c] += error * C[:, word]
            dV[:, word] += error * W[c]
    got = model.loss(centre, context, negatives)
    got.backward()
    close(got, torch.tensor(loss, dtype=dtype))
    close(model.W.grad, dW)
    close(model.V.grad, dV)


def test_it_starts_with_every_word_as_likely():
    model = SkipGram(SkipGramConfig(50, 8))
    centre, context = ids(50, 6), ids(50, 6, seed=1)
    assert model.loss(centre, context).item() == pytest.approx(math.log(50), rel=1e-6)
    negatives = ids(50, 6, 4, seed=2)
    assert model.loss(centre, context, negatives).item() == pytest.approx(5 * math.log(2), rel=1e-6)
    assert 0 < model.W.abs().max() <= 1 / 16


def test_scores_far_out_overflow_nowhere():
    model = build(dtype=torch.float32)
    with torch.no_grad():
        model.W.fill_(100.0)
        model.V.fill_(-100.0)
    loss = model.loss(ids(7, 3), ids(7, 3), ids(7, 3, 2))
    loss.backward()
    assert loss.item() == 40_000.0  # -log sigma(-40000) and nothing from the negatives
    assert model.W.grad.isfinite().all()


def test_words_with_the_same_neighbours_get_like_vectors():
    """Words 0 and 1 stand beside 4 and 5, words 2 and 3 beside 6 and 7."""
    pairs = [(c, o) for c in (0, 1) for o in (4, 5)] + [(c, o) for c in (2, 3) for o in (6, 7)]
    centre, context = torch.tensor(pairs).T
    torch.manual_seed(0)
    for sampled in (False, True):
        model = SkipGram(SkipGramConfig(8, 4))
        optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
        for step in range(150):
            negatives = ids(8, len(pairs), 3, seed=step) if sampled else None
            optimiser.zero_grad()
            model.loss(centre, context, negatives).backward()
            optimiser.step()
        unit = torch.nn.functional.normalize(model.vectors())
        assert unit[0] @ unit[1] > 0.9 > 0.5 > unit[0] @ unit[2]


def test_vectors_are_the_rows_of_W_without_a_graph():
    model = build()
    assert torch.equal(model.vectors(), model.W) and not model.vectors().requires_grad
    assert count_parameters(model) == 2 * 7 * 4


def test_a_gradient_reaches_both_matrices():
    assert_gradients_reach_every_parameter(build(), ids(7, 5))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="vocab_size must be at least 1, got 0"):
        SkipGramConfig(0)
    with pytest.raises(ValueError, match="d_model must be at least 1, got 0"):
        SkipGramConfig(5, 0)
    model = build()
    good, far = torch.tensor([0, 6]), torch.tensor([3, 7])
    for wrong, call in [
        ("centre", lambda: model(far)),
        ("centre", lambda: model.loss(far, good)),
        ("centre", lambda: model.loss(far, good, good[:, None])),
        ("context", lambda: model.loss(good, far)),
        ("negatives", lambda: model.loss(good, good, far[:, None])),
    ]:
        with pytest.raises(ValueError, match=f"{wrong} must lie between 0 and 6, got 3 to 7"):
            call()
    with pytest.raises(ValueError, match="context must lie between 0 and 6, got -100 to 0"):
        model.loss(good, torch.tensor([0, -100]))  # PyTorch's cross entropy would leave it out
    loss = SkipGram.loss.__wrapped__  # as a user has it, without the tests' shape checks
    with pytest.raises(
        ValueError, match=r"context must be \(2,\), one for each centre, got \(1,\)"
    ):
        loss(model, good, good[:1])
    with pytest.raises(ValueError, match=r"negatives must be \(2, N\), .* got \(2,\)"):
        loss(model, good, good, good)
