"""Bahdanau's, Luong's and pooling attention against loops written from the papers' formulas."""

import math

import pytest
import torch
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import draw

from tfcourse.alignment import AdditiveAttention, AttentionPooling, DotAttention
from tfcourse.attention import padding_mask
from tfcourse.properties import assert_gradients_reach_every_parameter, assert_shapes

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)


def softmax_over(scores, allowed):
    """Of a list of numbers, entry by entry; no weight where nothing is allowed."""
    powers = [math.exp(e) if ok else 0.0 for e, ok in zip(scores, allowed, strict=True)]
    return [p / sum(powers) if any(allowed) else 0.0 for p in powers]


def look_up(score, queries, keys, mask):
    """For each query: score each key, weigh, and average, one number after the other."""
    B, S, D = keys.shape
    T = len(queries[0])
    output, weights = torch.zeros(B, T, D).double(), torch.zeros(B, T, S).double()
    for b in range(B):
        for i in range(T):
            e = [score(queries[b][i], keys[b, j]).item() for j in range(S)]
            for j, a in enumerate(softmax_over(e, mask[b, i].tolist())):
                weights[b, i, j] = a
                output[b, i] += a * keys[b, j]
    return output, weights


def draw_mask(seed, masked, B, T, S):
    """None, a mask with an empty row, or one for padding."""
    if masked == "pairs":
        mask = draw(seed + 5, torch.float64, B, T, S) < 0.3
        mask[0, 0] = False
        return mask
    if masked == "padding":
        generator = torch.Generator().manual_seed(seed)
        return padding_mask(torch.randint(0, S + 1, (B,), generator=generator), S)
    return None


masks = st.sampled_from(["none", "pairs", "padding"])


def whole(mask, B, T, S):
    return torch.ones(B, T, S, dtype=torch.bool) if mask is None else mask.expand(B, T, S)


def assert_looked_up(got, expected):
    for ours, theirs, what in zip(got, expected, ("output", "weights"), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10, msg=lambda m, w=what: w + m)


@settings(max_examples=30, deadline=None)
@given(B=st.integers(1, 3), T=sizes, S=sizes, Dq=sizes, Dk=sizes, A=sizes, seed=seeds, masked=masks)
def test_additive(B, T, S, Dq, Dk, A, seed, masked):
    layer = layout.scramble(AdditiveAttention(Dq, Dk, A).double(), seed)
    query, keys = draw(seed, torch.float64, B, T, Dq), draw(seed + 1, torch.float64, B, S, Dk)
    mask = draw_mask(seed, masked, B, T, S)

    def score(s, h):  # the paper: v^T tanh(W s + U h)
        return sum(
            layer.v_a[a] * torch.tanh(
                sum(s[d] * layer.W_a[d, a] for d in range(Dq))
                + sum(h[d] * layer.U_a[d, a] for d in range(Dk))
            )
            for a in range(A)
        )  # fmt: skip

    with torch.no_grad():
        assert_looked_up(
            layer(query, keys, mask), look_up(score, query, keys, whole(mask, B, T, S))
        )
        projected = layer.project_keys(keys)
        assert torch.equal(
            layer(query, keys, mask, projected=projected)[0], layer(query, keys, mask)[0]
        )


@settings(max_examples=30, deadline=None)
@given(B=st.integers(1, 3), T=sizes, S=sizes, Dq=sizes, Dk=sizes, seed=seeds, masked=masks,
       kind=st.sampled_from(["dot", "general"]))  # fmt: skip
def test_dot(B, T, S, Dq, Dk, seed, masked, kind):
    Dq = Dk if kind == "dot" else Dq
    layer = layout.scramble(DotAttention(Dq, Dk, kind).double(), seed)
    query, keys = draw(seed, torch.float64, B, T, Dq), draw(seed + 1, torch.float64, B, S, Dk)
    mask = draw_mask(seed, masked, B, T, S)

    def score(s, h):
        if kind == "dot":
            return sum(s[d] * h[d] for d in range(Dk))
        return sum(s[d] * layer.W_a[d, e] * h[e] for d in range(Dq) for e in range(Dk))

    with torch.no_grad():
        expected = look_up(score, query, keys, whole(mask, B, T, S))
        assert_looked_up(layer(query, keys, mask), expected)


def test_luongs_third_score_is_bahdanaus(generator):
    """v^T tanh(W [s; h]): the halves of W are the two matrices."""
    layer = AdditiveAttention(3, 4, 5).double()
    s, h = draw(0, torch.float64, 2, 1, 3), draw(1, torch.float64, 2, 6, 4)
    W = torch.cat([layer.W_a, layer.U_a])
    side_by_side = torch.cat([s.expand(2, 6, 3), h], dim=-1)
    weights = (torch.tanh(side_by_side @ W) @ layer.v_a).softmax(-1)
    torch.testing.assert_close(layer(s, h)[1][:, 0], weights)


@settings(max_examples=30, deadline=None)
@given(B=st.integers(1, 3), S=sizes, D=sizes, queries=st.integers(1, 3), seed=seeds,
       hidden=st.one_of(st.none(), sizes), masked=st.sampled_from(["none", "padding"]))  # fmt: skip
def test_pooling(B, S, D, queries, seed, hidden, masked):
    layer = layout.scramble(AttentionPooling(D, queries, hidden).double(), seed)
    x, mask = draw(seed, torch.float64, B, S, D), draw_mask(seed, masked, B, 1, S)

    def score(v, token):
        if hidden is None:  # UCB's first form: the query meets the word itself
            return sum(v[d] * token[d] for d in range(D))
        u = [
            torch.tanh(sum(token[d] * layer.W[d, a] for d in range(D)) + layer.b[a])
            for a in range(hidden)
        ]
        return sum(v[a] * u[a] for a in range(hidden))

    with torch.no_grad():
        asked = [layer.v] * B
        expected = look_up(score, asked, x, whole(mask, B, queries, S))
        assert_looked_up(layer(x, mask), expected)


def test_an_empty_document_gives_zeros_and_finite_gradients(generator):
    x = torch.randn(2, 4, 3, generator=generator, requires_grad=True)
    mask = padding_mask(torch.tensor([4, 0]), 4)
    layer = AttentionPooling(3, 2, 5)
    output, weights = layer(x, mask)
    assert (output[1] == 0).all() and (weights[1] == 0).all()
    output.square().sum().backward()
    assert all(p.grad.isfinite().all() for p in (x, *layer.parameters()))


def test_a_document_of_one_word_is_that_word(generator):
    x = torch.randn(2, 1, 3, generator=generator)
    output, weights = AttentionPooling(3, 2)(x)
    assert torch.equal(output, x.expand(2, 2, 3)) and (weights == 1).all()


def test_shapes_and_gradients():
    s, h = draw(0, torch.float64, 2, 4, 3), draw(1, torch.float64, 2, 6, 5)
    promise = "B T 3, B S 5 -> B T 5, B T S"
    for layer in (AdditiveAttention(3, 5, 7), DotAttention(3, 5)):
        assert_shapes(layer, promise)
        assert_gradients_reach_every_parameter(layer.double(), s, h)
    pooling = AttentionPooling(5, 3, 4)
    assert_shapes(pooling, "B S 5 -> B 3 5, B 3 S")
    assert_gradients_reach_every_parameter(pooling.double(), h)
    assert AdditiveAttention(3, 5).v_a.shape == (3,)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: AdditiveAttention(0, 3), "d_query must be at least 1, got 0"),
        (lambda: AdditiveAttention(3, 0), "d_key must be at least 1, got 0"),
        (lambda: AdditiveAttention(3, 3, 0), "d_hidden must be at least 1, got 0"),
        (lambda: DotAttention(3, 4, "dot"), 'the same for score="dot", got 3 and 4'),
        (lambda: DotAttention(3, 4, "concat"), "score must be one of .*'general'.*'concat'"),
        (lambda: DotAttention(3, 0), "d_key must be at least 1, got 0"),
        (lambda: AttentionPooling(0), "d_model must be at least 1, got 0"),
        (lambda: AttentionPooling(3, 0), "queries must be at least 1, got 0"),
        (lambda: AttentionPooling(3, 1, 0), "hidden must be at least 1, got 0"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_inputs_that_do_not_fit_are_refused(unchecked):
    module = unchecked("tfcourse.alignment")
    s, h = torch.zeros(2, 4, 3), torch.zeros(2, 6, 5)
    for layer in (module.AdditiveAttention(3, 5), module.DotAttention(3, 5)):
        with pytest.raises(ValueError, match="query must have d_query=3 numbers .* got 5"):
            layer(h, h)
        with pytest.raises(ValueError, match="keys must have d_key=5 numbers .* got 3"):
            layer(s, s)
    with pytest.raises(ValueError, match="x must have d_model=4 numbers .* got 5"):
        module.AttentionPooling(4)(h)


@pytest.mark.parametrize(
    ("mask", "told"),
    [
        (torch.ones(2, 4, 6), "mask must be boolean"),
        (torch.ones(2, 4, 5, dtype=torch.bool), r"mask must broadcast to \(2, 4, 6\), got"),
    ],
)
def test_masks_that_do_not_fit_are_refused(mask, told, unchecked):
    average = unchecked("tfcourse.attention").average_by_scores
    with pytest.raises(ValueError, match=told):
        average(torch.zeros(2, 4, 6), torch.zeros(2, 6, 3), mask)
