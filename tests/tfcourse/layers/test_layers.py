"""Normalisations and feed-forward layers against PyTorch's and against their formulas."""

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tfcourse.layers import ACTIVATIONS, FeedForward, LayerNorm, RMSNorm, SwiGLU
from tfcourse.properties import (
    assert_gradients_reach_every_parameter,
    assert_permutation_equivariant,
    assert_same_in_train_and_eval,
    assert_shapes,
)

sizes = st.integers(1, 8)
seeds = st.integers(0, 2**32 - 1)
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
dtypes = st.sampled_from(list(TOLERANCE))


def draw(seed, dtype, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()


def assert_equal_with_gradients(ours, theirs, x, y, pairs, seed, *, transposed=False, terms=1.0):
    """Outputs, the gradients of the inputs x and y, and those of paired parameters.

    Relative to their largest entry, or to the terms of which they are sums where these are larger.
    """
    atol = TOLERANCE[theirs.dtype]
    cotangent = draw(seed + 1, theirs.dtype, *theirs.shape).detach()
    got = torch.autograd.grad(ours, [x, *[a for a, _ in pairs]], cotangent)
    want = torch.autograd.grad(theirs, [y, *[b for _, b in pairs]], cotangent)
    for a, b in zip((ours, *got), (theirs, *want), strict=True):
        b = b.T if transposed and b.dim() == 2 else b  # nn.Linear keeps its matrix (out, in)
        scale = max(1.0, terms, b.abs().max().item())
        torch.testing.assert_close(a / scale, b / scale, rtol=0, atol=atol)


@settings(max_examples=50, deadline=None)
@given(B=sizes, T=sizes, D=sizes, seed=seeds, dtype=dtypes, affine=st.booleans(),
       fused=st.booleans(), eps=st.sampled_from([1e-5, 1e-12, 1e-2]))  # fmt: skip
def test_layer_norm_equals_pytorchs(B, T, D, seed, dtype, affine, fused, eps):
    ours = layout.scramble(LayerNorm(D, eps, affine=affine).to(dtype), seed)
    theirs = nn.LayerNorm(D, eps, elementwise_affine=affine).to(dtype)
    pairs = [(ours.gain, theirs.weight), (ours.shift, theirs.bias)] if affine else []
    for a, b in pairs:
        b.data.copy_(a.data)
    x = draw(seed, dtype, B, T, D)
    y = x.detach().clone().requires_grad_()
    # A gradient is what is left of terms this large: of a token of one number, nothing.
    terms = (x.var(-1, unbiased=False) + eps).rsqrt().max().item()
    assert_equal_with_gradients(ours(x, fused=fused), theirs(y), x, y, pairs, seed, terms=terms)


@settings(max_examples=50, deadline=None)
@given(B=sizes, T=sizes, D=sizes, seed=seeds, dtype=dtypes, fused=st.booleans(),
       eps=st.sampled_from([1e-6, 1e-2]))  # fmt: skip
def test_rms_norm_equals_pytorchs(B, T, D, seed, dtype, fused, eps):
    ours = layout.scramble(RMSNorm(D, eps).to(dtype), seed)
    theirs = nn.RMSNorm(D, eps).to(dtype)
    theirs.weight.data.copy_(ours.gain.data)
    x = draw(seed, dtype, B, T, D)
    y = x.detach().clone().requires_grad_()
    pairs = [(ours.gain, theirs.weight)]
    terms = (x.square().mean(-1) + eps).rsqrt().max().item()
    assert_equal_with_gradients(ours(x, fused=fused), theirs(y), x, y, pairs, seed, terms=terms)


@pytest.mark.parametrize("make", [LayerNorm, RMSNorm])
@pytest.mark.parametrize("fused", [False, True])
def test_large_tokens_do_not_overflow_in_float16(make, fused):
    x = draw(0, torch.float16, 3, 64) * 1000  # squared, far above 65,504
    layer = layout.scramble(make(64), 0).half()
    expected = layer.double()(x.double()).half()
    got = layer.half()(x, fused=fused)
    assert got.dtype == torch.float16
    torch.testing.assert_close(got, expected, rtol=2**-9, atol=2**-11)


def test_the_variance_is_over_d_and_eps_is_under_the_root():
    """The Annotated Transformer divides by d - 1 and adds eps outside the root: 0.1 away here.

    UW's slide has sqrt(sigma + eps) with sigma already a deviation: further still.
    """
    x = torch.tensor([[1.0, 2.0, 4.0, 7.0]], dtype=torch.float64)
    centred = x - x.mean()
    right = centred / (centred.square().mean() + 1e-5).sqrt()
    for fused in (False, True):
        torch.testing.assert_close(LayerNorm(4).double()(x, fused=fused), right)
    annotated = centred / (x.std() + 1e-6)
    slide = centred / (x.std(unbiased=False) + 1e-5).sqrt()
    assert (annotated - right).abs().max() > 0.1
    assert (slide - right).abs().max() > 0.5


def test_a_token_of_equal_numbers_gives_the_shift():
    """Its variance is zero: eps keeps the root from being divided by."""
    layer = LayerNorm(4)
    with torch.no_grad():
        layer.shift.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    x = torch.full((1, 2, 4), 7.0, requires_grad=True)
    for fused in (False, True):
        out = layer(x, fused=fused)
        assert torch.equal(out, layer.shift.expand(1, 2, 4))
        assert torch.autograd.grad(out.sum(), x)[0].isfinite().all()


@settings(max_examples=50, deadline=None)
@given(B=sizes, T=sizes, D=sizes, d_ff=sizes, seed=seeds, dtype=dtypes, bias=st.booleans(),
       activation=st.sampled_from(list(ACTIVATIONS)))  # fmt: skip
def test_feed_forward_equals_two_linear_layers(B, T, D, d_ff, seed, dtype, bias, activation):
    ours = layout.scramble(FeedForward(D, d_ff, activation, bias=bias).to(dtype), seed)
    g = {"relu": nn.ReLU(), "silu": nn.SiLU(), "gelu": nn.GELU(), "gelu_tanh": nn.GELU("tanh")}[
        activation
    ]
    theirs = nn.Sequential(nn.Linear(D, d_ff, bias), g, nn.Linear(d_ff, D, bias)).to(dtype)
    pairs = [(ours.W_1, theirs[0].weight), (ours.W_2, theirs[2].weight)]
    if bias:
        pairs += [(ours.b_1, theirs[0].bias), (ours.b_2, theirs[2].bias)]
    for a, b in pairs:
        b.data.copy_(a.data.T if a.dim() > 1 else a.data)
    x = draw(seed, dtype, B, T, D)
    y = x.detach().clone().requires_grad_()
    assert_equal_with_gradients(ours(x), theirs(y), x, y, pairs, seed, transposed=True)


@settings(max_examples=30, deadline=None)
@given(T=sizes, D=st.integers(1, 5), d_ff=st.integers(1, 5), seed=seeds)
def test_swiglu_follows_its_formula(T, D, d_ff, seed):
    """silu(z) = z / (1 + exp(-z)), one number after the other."""
    layer = layout.scramble(SwiGLU(D, d_ff).double(), seed)
    x = draw(seed, torch.float64, T, D).detach()
    out = layer(x)
    for t in range(T):
        gated = []
        for a in range(d_ff):
            z = sum(x[t, d] * layer.W_1[d, a] for d in range(D))
            up = sum(x[t, d] * layer.W_3[d, a] for d in range(D))
            gated.append(z / (1 + torch.exp(-z)) * up)
        for d in range(D):
            expected = sum(gated[a] * layer.W_2[a, d] for a in range(d_ff))
            assert abs(out[t, d] - expected) < 1e-10


def test_the_two_gelus_differ_as_the_comment_says():
    """Weights of one model under the other's GELU come out wrong, so both are here."""
    x = torch.linspace(-6, 6, 10_001, dtype=torch.float64)
    apart = (ACTIVATIONS["gelu"](x) - ACTIVATIONS["gelu_tanh"](x)).abs().max()
    assert 4e-4 < apart < 5e-4
    exact = x * 0.5 * (1 + torch.erf(x / 2**0.5))
    torch.testing.assert_close(ACTIVATIONS["gelu"](x), exact)


def test_widths_unless_given():
    assert FeedForward(6).W_1.shape == (6, 24)
    assert SwiGLU(48).W_1.shape == (48, 128)
    of_two = sum(p.numel() for p in FeedForward(48, bias=False).parameters())
    assert sum(p.numel() for p in SwiGLU(48).parameters()) == of_two


@pytest.mark.parametrize(
    "make", [lambda: LayerNorm(8), lambda: RMSNorm(8), lambda: FeedForward(8), lambda: SwiGLU(8)]
)
def test_their_properties(make):
    torch.manual_seed(0)
    layer, x = make(), draw(0, torch.float32, 2, 5, 8).detach()
    assert_shapes(layer, "B T 8 -> B T 8")
    assert_shapes(layer, "8 -> 8")
    assert_permutation_equivariant(layer, x)  # each token on its own
    assert_same_in_train_and_eval(layer, x)
    assert_gradients_reach_every_parameter(layer, x)


def test_dropout_falls_on_the_hidden_numbers_in_training_only():
    torch.manual_seed(0)
    layer, x = FeedForward(4, 64, dropout=0.5), torch.randn(3, 4)
    hidden = F.relu(x @ layer.W_1 + layer.b_1)
    layer.eval()
    torch.testing.assert_close(layer(x), hidden @ layer.W_2 + layer.b_2)
    layer.train()
    torch.manual_seed(1)
    got = layer(x)
    torch.manual_seed(1)
    kept = F.dropout(hidden, 0.5)
    torch.testing.assert_close(got, kept @ layer.W_2 + layer.b_2)
    assert not torch.allclose(got, hidden @ layer.W_2 + layer.b_2)


def test_reset_parameters_starts_anew():
    for layer in (LayerNorm(4), RMSNorm(4), FeedForward(4), SwiGLU(4)):
        fresh = {n: p.clone() for n, p in layer.named_parameters()}
        assert fresh
        layout.scramble(layer, 0)
        layer.reset_parameters()
        for name, p in layer.named_parameters():
            if p.dim() == 1:
                assert torch.equal(p, fresh[name])
            else:
                assert not torch.equal(p, fresh[name])
                assert p.abs().max() <= (6 / sum(p.shape)) ** 0.5  # Glorot's bound


def test_they_show_their_sizes():
    assert str(LayerNorm(4)) == "LayerNorm(d_model=4, eps=1e-05, affine=True)"
    assert str(RMSNorm(4)) == "RMSNorm(d_model=4, eps=1e-06)"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: LayerNorm(0), "d_model must be at least 1, got 0"),
        (lambda: RMSNorm(0), "d_model must be at least 1, got 0"),
        (lambda: FeedForward(0), "d_model must be at least 1, got 0"),
        (lambda: FeedForward(4, 0), "d_ff must be at least 1, got 0"),
        (lambda: FeedForward(4, activation="tanh"), "activation must be one of .* got 'tanh'"),
        (lambda: FeedForward(4, dropout=1.0), r"dropout must lie in \[0, 1\), got 1.0"),
        (lambda: SwiGLU(4, 0), "d_ff must be at least 1, got 0"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


@pytest.mark.parametrize("name", ["LayerNorm", "RMSNorm", "FeedForward", "SwiGLU"])
def test_tokens_of_another_width_are_refused(name, unchecked):
    """One number would broadcast over all; nothing is guessed."""
    layer = getattr(unchecked("tfcourse.layers"), name)(8)
    for wrong in (1, 7):
        with pytest.raises(ValueError, match=f"x must have d_model=8 numbers .* got {wrong}"):
            layer(torch.zeros(2, 3, wrong))
