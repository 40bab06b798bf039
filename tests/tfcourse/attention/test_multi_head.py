"""Several heads against nn.MultiheadAttention, against a loop, and with shared keys and values."""

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import TOLERANCE, assert_same, draw
from torch import nn

from tfcourse.attention import (
    MultiHeadAttention,
    causal_mask,
    merge_heads,
    padding_mask,
    split_heads,
)
from tfcourse.by_loop import multi_head_by_loop
from tfcourse.layers import LayerNorm, RMSNorm
from tfcourse.positions import ALiBi, RelativePositions
from tfcourse.properties import (
    assert_causal,
    assert_gradients_reach_every_parameter,
    assert_permutation_equivariant,
    assert_same_in_train_and_eval,
    assert_shapes,
    assert_stateless,
)

lengths = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)
dtypes = st.sampled_from(list(TOLERANCE))


def build(seed, dtype, *sizes, **choices):
    """A layer in which every number, the vectors too, is drawn at random."""
    return layout.scramble(MultiHeadAttention(*sizes, **choices).to(dtype), seed)


def draw_lengths(seed, B, S):
    return torch.randint(1, S + 1, (B,), generator=torch.Generator().manual_seed(seed + 1))


def backward(outputs, inputs, parameters, seed):
    """Gradients of <output, cotangent> with respect to inputs; the parameters' are left in them."""
    cotangent = draw(seed + 2, outputs.dtype, *outputs.shape)
    outputs.backward(cotangent, inputs=[*inputs, *parameters])
    return [x.grad for x in inputs]


@settings(max_examples=80, deadline=None)
@given(B=lengths, T=lengths, S=lengths, H=st.integers(1, 4), K=st.integers(1, 5), seed=seeds,
       dtype=dtypes, bias=st.booleans(), fused=st.booleans(), kind=st.sampled_from(
           ["self", "cross", "cross of another width"]),
       masked=st.sampled_from(["", "mask", "padding", "both"]))  # fmt: skip
def test_equals_pytorchs(B, T, S, H, K, seed, dtype, bias, fused, kind, masked):
    D = H * K
    S = T if kind == "self" else S
    C = D if kind != "cross of another width" else D + 3
    ours = build(seed, dtype, D, H, bias=bias, d_context=C)
    theirs = nn.MultiheadAttention(D, H, bias=bias, kdim=C, vdim=C, batch_first=True).to(dtype)
    theirs.load_state_dict(layout.attention(ours, "", layout.weight))

    x = draw(seed, dtype, B, T, D).requires_grad_()
    context = None if kind == "self" else draw(seed + 9, dtype, B, S, C).requires_grad_()
    mask = pairs = padded = None
    if masked in ("mask", "both"):
        pairs = draw(seed + 3, dtype, T, S) < 0.3
        pairs[:, 0] = True  # theirs gives NaN where a query has no key
        mask = pairs
    if masked in ("padding", "both"):
        padded = padding_mask(draw_lengths(seed, B, S), S)
        mask = padded if mask is None else mask & padded
    output, weights = ours(x, context, mask, fused=fused)

    y = x.detach().clone().requires_grad_()
    other = y if context is None else context.detach().clone().requires_grad_()
    expected, expected_weights = theirs(  # theirs means it the other way round: True = blocked
        y, other, other,
        attn_mask=None if pairs is None else ~pairs,
        key_padding_mask=None if padded is None else ~padded[:, 0],
        average_attn_weights=False,
    )  # fmt: skip
    assert_same(output, expected)
    if not fused:
        assert_same(weights, expected_weights, "weights")
    inputs = [x] if context is None else [x, context]
    their_inputs = [y] if context is None else [y, other]
    got = backward(output, inputs, list(ours.parameters()), seed)
    want = backward(expected, their_inputs, list(theirs.parameters()), seed)
    for a, b in zip(got, want, strict=True):
        assert_same(a, b, "gradient of an input")
    layout.assert_gradients_same(
        layout.attention(ours, "", layout.gradient), theirs, TOLERANCE[dtype]
    )


@settings(max_examples=40, deadline=None)
@given(B=lengths, T=lengths, more=st.integers(0, 3), groups=st.integers(1, 3),
       each=st.integers(1, 3), K=st.integers(1, 5), Dv=st.integers(1, 5), D=lengths,
       seed=seeds, bias=st.booleans(), causal=st.booleans(), cross=st.booleans(),
       dtype=dtypes)  # fmt: skip
def test_by_formula_by_kernel_and_by_loop(
    B, T, more, groups, each, K, Dv, D, seed, bias, causal, cross, dtype
):
    """d_k and d_v are free, heads may share keys, and a query may have no key at all."""
    layer = build(seed, dtype, D, groups * each, num_kv_heads=groups, d_k=K, d_v=Dv, bias=bias)
    x = draw(seed, dtype, B, T, D)
    context = draw(seed + 1, dtype, B, T + more, D) if cross else None
    mask = draw(seed + 2, dtype, B, T, T + more if cross else T) < 0.5
    looped = multi_head_by_loop(layer, x, context, mask, causal=causal)
    for fused in (False, True):
        output, weights = layer(x, context, mask, causal=causal, fused=fused)
        assert_same(output, looped, "kernel" if fused else "formula")
        assert (weights is None) == fused
    if causal:  # the flag says what the mask says
        assert_same(layer(x, context, mask & causal_mask(T, mask.shape[-1]))[0], looped)


@settings(max_examples=40, deadline=None)
@given(B=lengths, T=lengths, groups=st.integers(1, 3), each=st.integers(1, 3),
       K=st.integers(1, 5), seed=seeds, causal=st.booleans(), fused=st.booleans(),
       dtype=dtypes)  # fmt: skip
def test_grouped_queries_equal_pytorchs(B, T, groups, each, K, seed, causal, fused, dtype):
    D, H = 6, groups * each
    layer = build(seed, dtype, D, H, num_kv_heads=groups, d_k=K, d_v=K)
    x = draw(seed, dtype, B, T, D).requires_grad_()
    y = x.detach().clone().requires_grad_()

    def in_heads(W, b, heads):
        return (y @ W + b).view(B, T, heads, K).transpose(1, 2)

    b_Q, b_K, b_V = layer.b_QKV.split(layer.widths)
    heads = F.scaled_dot_product_attention(
        in_heads(layer.W_Q, b_Q, H),
        in_heads(layer.W_K, b_K, groups),
        in_heads(layer.W_V, b_V, groups),
        is_causal=causal, enable_gqa=True,
    )  # fmt: skip
    expected = heads.transpose(1, 2).reshape(B, T, H * K) @ layer.W_O + layer.b_O
    output = layer(x, causal=causal, fused=fused)[0]
    assert_same(output, expected)
    cotangent = draw(seed, dtype, B, T, D)
    for name, a, b in zip(
        ["x", *dict(layer.named_parameters())],
        torch.autograd.grad(output, [x, *layer.parameters()], cotangent),
        torch.autograd.grad(expected, [y, *layer.parameters()], cotangent),
        strict=True,
    ):
        assert_same(a, b, f"gradient of {name}")


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("scheme", [ALiBi(2), RelativePositions(4, 3)])
def test_a_bias_meets_masks_alike_on_both_paths(scheme, masked, causal, fused):
    """The bias is added to the scores, and its own parameters learn; empty rows stay empty."""
    layer = build(0, torch.float64, 8, 2, positions=scheme)
    x = draw(1, torch.float64, 3, 5, 8)
    mask = padding_mask(torch.tensor([5, 0, 2]), 5) if masked else None
    output = layer(x, mask=mask, causal=causal, fused=fused)[0]

    q, k, v = (
        split_heads(x @ W + b, 2)
        for W, b in zip(
            (layer.W_Q, layer.W_K, layer.W_V), layer.b_QKV.split(layer.widths), strict=True
        )
    )
    scores = q @ k.mT / 2 + scheme.bias(q, 5)
    allowed = torch.ones(3, 1, 5, 5, dtype=torch.bool)
    if masked:
        allowed = allowed & mask[:, None]
    if causal:
        allowed = allowed & causal_mask(5)
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1).nan_to_num()
    expected = merge_heads(weights @ v) @ layer.W_O + layer.b_O
    assert_same(output, expected)
    learned = list(layer.parameters())
    for a, b in zip(
        torch.autograd.grad(output.square().sum(), learned),
        torch.autograd.grad(
            (merge_heads(scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1)
             .masked_fill(~allowed, 0) @ v) @ layer.W_O + layer.b_O).square().sum(), learned),
        strict=True,
    ):  # fmt: skip
        assert_same(a, b, "gradient")


def test_a_mask_may_differ_between_heads(generator):
    layer = build(0, torch.float64, 8, 2)
    x = torch.randn(3, 5, 8, generator=generator).double()
    mask = torch.rand(3, 2, 5, 5, generator=generator) < 0.6
    for fused in (False, True):
        output, weights = layer(x, mask=mask, fused=fused)
        assert fused or (weights[~mask] == 0).all()
    assert_same(output, layer(x, mask=mask)[0])
    with pytest.raises(ValueError, match="mask must be one for all heads"):
        multi_head_by_loop(layer, x, mask=mask)


def test_a_sequence_without_a_token_gives_the_output_vector_alone(generator):
    """nn.MultiheadAttention gives NaN here."""
    layer = build(0, torch.float32, 8, 2)
    x = torch.randn(2, 4, 8, generator=generator)
    mask = padding_mask(torch.tensor([4, 0]), 4)
    for fused in (False, True):
        output, _ = layer(x, mask=mask, fused=fused)
        assert torch.equal(output[1], layer.b_O.expand(4, 8))


def test_true_means_may_be_attended_to(generator):
    """nn.MultiheadAttention means the opposite; whoever mixes them up sees the future alone."""
    layer = build(0, torch.float32, 8, 2)
    x = torch.randn(2, 4, 8, generator=generator)
    _, weights = layer(x, mask=causal_mask(4))
    assert (weights.triu(1) == 0).all() and (weights.tril() > 0)[..., causal_mask(4)].all()


@pytest.mark.parametrize("fused", [False, True])
def test_dropout_falls_in_training_only(fused):
    layer = build(0, torch.float32, 8, 2, dropout=0.5)
    x = draw(0, torch.float32, 2, 6, 8)
    expected = multi_head_by_loop(layer, x)
    layer.eval()
    assert_same(layer(x, fused=fused)[0], expected)
    layer.train()
    torch.manual_seed(0)
    drawn = torch.stack([layer(x, fused=fused)[0] for _ in range(1000)])
    assert not torch.equal(drawn[0], drawn[1])
    # What is kept grows to make up for what is dropped: the mean is the output without dropout.
    off = (drawn.mean(0) - expected).abs() / (drawn.std(0) / 1000**0.5)
    assert off.max() < 5
    with pytest.raises(ValueError, match="module must be built without dropout"):
        assert_same_in_train_and_eval(layer, x)


def test_dropout_leaves_the_weights_that_are_shown_whole():
    layer = build(0, torch.float64, 8, 2, dropout=0.5)
    _, weights = layer(draw(0, torch.float64, 2, 6, 8))
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2, 6, dtype=torch.float64))


class Causal(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.attention, self.fused = build(0, torch.float32, 8, 2), fused

    def forward(self, x):
        return self.attention(x, causal=True, fused=self.fused)


@pytest.mark.parametrize("fused", [False, True])
def test_its_properties(fused):
    """d2l's decoder forgets the causal mask in eval mode; this one would be caught."""
    x = draw(0, torch.float32, 2, 5, 8)
    assert_causal(Causal(fused), x)
    assert_same_in_train_and_eval(Causal(fused), x)
    assert_stateless(Causal(fused), x)
    assert_gradients_reach_every_parameter(Causal(fused), x, exempt=["b_K"])
    layer = build(0, torch.float32, 8, 4, num_kv_heads=2)
    assert_permutation_equivariant(layer, x)
    assert_shapes(layer, "B T D -> B T D, B 4 T T", D=8)
    assert_shapes(build(0, torch.float32, 8, 2, d_context=5), "B T 8, B S 5 -> B T 8, B 2 T S")


def test_a_vector_added_to_the_keys_cannot_be_seen():
    """It adds the same to all scores of a query: b_K learns nothing, and gets no gradient."""
    layer = build(0, torch.float64, 8, 2)
    x = draw(0, torch.float64, 2, 5, 8)
    before = layer(x)[0]
    with pytest.raises(AssertionError, match="no gradient reaches b_K"):
        assert_gradients_reach_every_parameter(layer, x)
    with torch.no_grad():
        layer.separate("b_QKV", layer.b_QKV)["b_K"].add_(3)
    assert_same(layer(x)[0], before)


@given(B=lengths, T=lengths, H=lengths, K=lengths)
@settings(max_examples=20, deadline=None)
def test_heads_split_and_merge(B, T, H, K):
    x = torch.arange(B * T * H * K, dtype=torch.float32).view(B, T, H * K)
    heads = split_heads(x, H)
    assert heads.shape == (B, H, T, K)
    for h in range(H):
        assert torch.equal(heads[:, h], x[:, :, h * K : (h + 1) * K])
    assert torch.equal(merge_heads(heads), x)


@pytest.mark.parametrize(
    ("sizes", "choices", "told"),
    [
        ((0, 1), {}, "d_model must be at least 1, got 0"),
        ((8, 0), {}, "num_heads must be at least 1, got 0"),
        ((8, 2), {"num_kv_heads": 0}, "num_kv_heads must be at least 1, got 0"),
        ((8, 2), {"d_context": 0}, "d_context must be at least 1, got 0"),
        ((8, 2), {"d_k": 0}, "d_k must be at least 1, got 0"),
        ((8, 2), {"d_v": 0}, "d_v must be at least 1, got 0"),
        (
            (8, 3),
            {},
            "d_model must be divisible by num_heads=3 unless d_k and d_v are given, got 8",
        ),
        ((8, 4), {"num_kv_heads": 3}, "num_kv_heads must divide num_heads=4, got 3"),
        ((8, 2), {"dropout": 1.0}, r"dropout must lie in \[0, 1\), got 1.0"),
        ((8, 2), {"dropout": -0.1}, r"dropout must lie in \[0, 1\), got -0.1"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(sizes, choices, told):
    with pytest.raises(ValueError, match=told):
        MultiHeadAttention(*sizes, **choices)


def test_inputs_that_do_not_fit_are_refused(unchecked):
    module = unchecked("tfcourse.attention")
    layer = module.MultiHeadAttention(8, 2, d_context=5)
    x, context = torch.zeros(2, 3, 8), torch.zeros(2, 4, 5)
    with pytest.raises(ValueError, match=r"x must have d_model=8 numbers .* got 7 .*\(2, 3, 7\)"):
        layer(torch.zeros(2, 3, 7), context)
    with pytest.raises(ValueError, match="context must have d_context=5 .* got 8"):
        layer(x)
    with pytest.raises(ValueError, match="context must have d_context=5 .* got 6"):
        layer(x, torch.zeros(2, 4, 6))
    with pytest.raises(ValueError, match="positions must be None in a layer that attends to a"):
        module.MultiHeadAttention(8, 2, positions=ALiBi(2))(x, x)
    with pytest.raises(ValueError, match="layer must have no positions"):
        multi_head_by_loop(MultiHeadAttention(8, 2, positions=ALiBi(2)), x)
    with pytest.raises(ValueError, match="divisible by num_heads=3, got 8"):
        split_heads(x, 3)


def test_a_bias_for_another_number_of_heads_is_refused(unchecked):
    dot_product = unchecked("tfcourse.attention")
    q = torch.zeros(2, 4, 5, 3)
    with pytest.raises(ValueError, match=r"bias must broadcast to \(2, 4, 5, 5\), got \(3, 5, 5\)"):
        dot_product.scaled_dot_product_attention(q, q, q, bias=torch.zeros(3, 5, 5))


@pytest.mark.parametrize("d_context", [None, 5])
@pytest.mark.parametrize("groups", [1, 2])
def test_norms_of_queries_and_keys_are_those_of_each_head(d_context, groups, generator):
    layer = layout.scramble(
        MultiHeadAttention(8, 4, num_kv_heads=groups, d_k=6, d_context=d_context,
                           q_norm=RMSNorm(6), k_norm=LayerNorm(6), scale=0.3), 0
    )  # fmt: skip
    x = torch.randn(2, 5, 8, generator=generator)
    context = None if d_context is None else torch.randn(2, 7, 5, generator=generator)
    of = x if context is None else context
    b_Q, b_K, b_V = layer.b_QKV.split(layer.widths)
    q, k, v = (
        (y @ W + b).unflatten(-1, (n, -1)).transpose(1, 2)
        for y, W, b, n in ((x, layer.W_Q, b_Q, 4), (of, layer.W_K, b_K, groups),
                           (of, layer.W_V, b_V, groups))
    )  # fmt: skip
    q = q / (q.square().mean(-1, keepdim=True) + 1e-6).sqrt() * layer.q_norm.gain
    k = F.layer_norm(k, (6,), layer.k_norm.gain, layer.k_norm.shift)
    heads = F.scaled_dot_product_attention(q, k, v, scale=0.3, enable_gqa=True)
    expected = heads.transpose(1, 2).flatten(2) @ layer.W_O + layer.b_O
    for got in (layer(x, context)[0], layer(x, context, fused=True)[0],
                multi_head_by_loop(layer, x, context)):  # fmt: skip
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-5)
    bare = MultiHeadAttention(8, 4, num_kv_heads=groups, d_k=6, d_context=d_context, scale=0.3)
    bare.load_state_dict(layer.state_dict(), strict=False)
    assert (bare(x, context)[0] - expected).abs().max() > 0.01


def test_the_loop_has_the_layers_scale_and_window(generator):
    layer = layout.scramble(MultiHeadAttention(8, 2, scale=0.9, window=2), 0)
    x = torch.randn(2, 5, 8, generator=generator)
    got = multi_head_by_loop(layer, x, causal=True)
    torch.testing.assert_close(got, layer(x, causal=True)[0], rtol=0, atol=1e-5)


def test_it_shows_its_sizes():
    assert str(MultiHeadAttention(12, 4)) == "MultiHeadAttention(d_model=12, num_heads=4, d_k=3)"
    assert "num_kv_heads=2" in str(MultiHeadAttention(12, 4, num_kv_heads=2))
