"""Attention and its masks against PyTorch's own, over random shapes and masks."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tfcourse.attention import (
    SelfAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from tfcourse.kernels.flash import flash_attention

sizes = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)
dtypes = st.sampled_from([torch.float32, torch.float64])
#: What "equal" means for each precision.
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-12}


def assert_same(ours, theirs, dtype, what):
    torch.testing.assert_close(
        ours, theirs, rtol=0, atol=TOLERANCE[dtype], msg=lambda m: f"{what}: {m}"
    )


@torch.no_grad()
def rounded(q, k, v):
    """How far two right outputs may lie apart.

    A score is a sum of K products, rounded by eps/2 of their sizes at each step, here and there.
    Softmax passes on twice that, relative to a weight, and rounds about four times itself. The
    output adds up S values.
    """
    S, K = k.shape[-2:]
    sizes = float((q.abs() @ k.abs().mT).max()) / K**0.5
    return torch.finfo(q.dtype).eps * float(v.abs().max()) * (2 * K * sizes + 4 + S)


def draw(seed, dtype, *shapes):
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(*shape, generator=generator, dtype=dtype, requires_grad=True)
        for shape in shapes
    ]


def draw_mask(seed, *shape, empty_row):
    """A random mask in which every query has a key, but for the first row where asked."""
    generator = torch.Generator().manual_seed(seed + 1)
    mask = torch.rand(*shape, generator=generator) < 0.6
    mask[..., 0] |= ~mask.any(-1)
    if empty_row:
        mask[..., 0, :] = False
    return mask


@settings(max_examples=150, deadline=None)
@given(B=sizes, H=sizes, T=sizes, S=sizes, K=sizes, Dv=sizes, seed=seeds, dtype=dtypes,
       masked=st.booleans(), fused=st.booleans())  # fmt: skip
def test_equals_pytorch(B, H, T, S, K, Dv, seed, dtype, masked, fused):
    q, k, v = draw(seed, dtype, (B, H, T, K), (B, H, S, K), (B, H, S, Dv))
    mask = draw_mask(seed, B, 1, T, S, empty_row=False) if masked else None
    ours, _ = scaled_dot_product_attention(q, k, v, mask, fused=fused)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=rounded(q, k, v))
    cotangent = torch.randn(ours.shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)
    # Rounding is as large as what is added up: a gradient is compared relative to its largest term,
    # which may be far above the gradient itself (with one key, dK is a sum of terms that cancel).
    weight_gradient = (cotangent @ v.mT).abs().max().item()
    terms = (
        weight_gradient * k.abs().max(),
        weight_gradient * q.abs().max(),
        cotangent.abs().max(),
    )
    for name, term, a, b in zip(
        "qkv",
        terms,
        torch.autograd.grad(ours, (q, k, v), cotangent),
        torch.autograd.grad(theirs, (q, k, v), cotangent),
        strict=True,
    ):
        scale = max(1.0, float(term))
        assert_same(a / scale, b / scale, dtype, f"gradient of {name}")


@pytest.mark.filterwarnings("ignore:Anomaly Detection")  # slow is what it is here for
@settings(max_examples=100, deadline=None)
@given(T=sizes, S=sizes, K=sizes, seed=seeds, fused=st.booleans())
def test_an_empty_row_gives_zeros_and_finite_gradients(T, S, K, seed, fused):
    q, k, v = draw(seed, torch.float32, (2, T, K), (2, S, K), (2, S, K))
    mask = draw_mask(seed, 2, T, S, empty_row=True)
    with torch.autograd.detect_anomaly(check_nan=True):
        output, weights = scaled_dot_product_attention(q, k, v, mask, fused=fused)
        output.square().sum().backward()
    assert (output[:, 0] == 0).all()
    assert fused or (weights[:, 0] == 0).all()
    assert all(t.grad.isfinite().all() for t in (q, k, v))
    assert (q.grad[:, 0] == 0).all()


@settings(max_examples=100, deadline=None)
@given(T=sizes, S=sizes, K=sizes, seed=seeds)
def test_weights_are_a_distribution_over_the_allowed_keys(T, S, K, seed):
    q, k, v = draw(seed, torch.float64, (T, K), (S, K), (S, K))
    mask = draw_mask(seed, T, S, empty_row=False)
    _, weights = scaled_dot_product_attention(q, k, v, mask)
    assert (weights >= 0).all()
    assert (weights[~mask] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(T, dtype=torch.float64))


def test_the_published_way_to_lose_the_scale_is_seen(generator):
    """The scale is 1/sqrt(d_k): neither 1/d_k nor the width of the values."""
    q, k = torch.randn(2, 4, 16, generator=generator).unbind()
    v = torch.eye(4)
    expected = torch.softmax(q @ k.T / 4, -1)
    assert torch.allclose(scaled_dot_product_attention(q, k, v)[0], expected, atol=1e-6)
    assert torch.allclose(
        scaled_dot_product_attention(q, k, v, scale=1.0)[0], torch.softmax(q @ k.T, -1), atol=1e-6
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("more", [0, 3])
@pytest.mark.parametrize("masked", [False, True])
def test_a_scale_of_ones_own_holds_on_both_paths(causal, more, masked, generator):
    """T5's models have none: the scale is 1."""
    q, k, v = torch.randn(3, 2, 4 + more, 3, generator=generator).double().unbind()
    q, allowed = q[:, more:], torch.ones(4, 4 + more, dtype=torch.bool)
    mask = torch.rand(4, 4 + more, generator=generator) < 0.8 if masked else None
    if causal:
        allowed = allowed & causal_mask(4, 4 + more)
    if masked:
        allowed = allowed & mask
    scores = (q @ k.mT).masked_fill(~allowed, -torch.inf)
    expected = scores.softmax(-1).nan_to_num() @ v
    for fused in (False, True):
        ours, _ = scaled_dot_product_attention(q, k, v, mask, causal=causal, scale=1.0, fused=fused)
        assert_same(ours, expected, torch.float64, "output")


PATHS = {
    "explicit": lambda *qkv, **more: scaled_dot_product_attention(*qkv, **more)[0],
    "fused": lambda *qkv, **more: scaled_dot_product_attention(*qkv, **more, fused=True)[0],
    "tiled": lambda *qkv, **more: flash_attention(*qkv, **more, block_q=4, block_k=3),
}


def attended(path, q, k, v, **more):
    """The output of a path and its gradients, in float64."""
    q, k, v = (x.detach().clone().requires_grad_() for x in (q, k, v))
    output = PATHS[path](q, k, v, **more)
    cotangent = torch.linspace(-1, 1, output.numel()).view_as(output).to(output)
    return [x.double() for x in (output, *torch.autograd.grad(output, (q, k, v), cotangent))]


@pytest.mark.parametrize("size", [1, 60, 1000])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_large_entries_on_every_path(size, dtype, generator):
    """Unscaled scores of entries of 60 pass 65,504, float16's largest number; of 1000, scaled too.

    Rounding is as large as what is added up: dQ is a sum of S terms dS K / sqrt(d_k), and dS one of
    Dv terms, so both are compared relative to the largest such term.
    """
    q, k, v = (torch.randn(2, 11, 64, generator=generator) for _ in range(3))
    q, k, v = ((x * s).to(dtype) for x, s in ((q, size), (k, size), (v, 1)))
    exact = attended("explicit", q.double(), k.double(), v.double(), causal=True)
    term = (v.double().norm(dim=-1).max() * max(1, size) / 64**0.5).item()
    for path in PATHS:
        got = attended(path, q, k, v, causal=True)
        for name, a, b, largest in zip(
            ("output", "dq", "dk", "dv"), got, exact, (4, 4 * term, 4 * term, 4), strict=True
        ):
            assert a.isfinite().all(), (path, name)
            # One rounding of each number that comes out, and of the scores, in float32.
            bound = largest * (torch.finfo(dtype).eps + size**2 * 64 * 2**-24)
            assert (a - b).abs().max() <= bound, (path, name)


@pytest.mark.parametrize("path", ["explicit", "fused"])
@pytest.mark.parametrize("bad", [torch.inf, torch.nan])
def test_hidden_keys_and_values_must_be_finite_as_documented(path, bad):
    x = torch.linspace(-1, 1, 20).view(5, 4)
    mask = causal_mask(5)
    mask[4, 4] = False  # no query sees the last key
    broken = x.clone()
    broken[4] = bad
    for q, k, v in ((x, broken, x), (x, x, broken)):
        assert not all(y.isfinite().all() for y in attended(path, q, k, v, mask=mask))
    output = PATHS["explicit"](x, broken, x, mask=mask)
    torch.testing.assert_close(output, PATHS["explicit"](x, x, x, mask=mask))


@settings(max_examples=40, deadline=None)
@given(B=sizes, T=sizes, S=sizes, groups=st.integers(1, 3), each=st.integers(1, 3), seed=seeds,
       path=st.sampled_from(list(PATHS)), masked=st.booleans())  # fmt: skip
def test_groups_of_heads_share_keys_and_values(B, T, S, groups, each, seed, path, masked):
    H = groups * each
    q, k, v = draw(seed, torch.float64, (B, H, T, 4), (B, groups, S, 4), (B, groups, S, 3))
    more = {}
    if masked and path != "tiled":
        more["mask"] = draw_mask(seed, B, H, T, S, empty_row=False)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=more.get("mask"), enable_gqa=True)
    ours = PATHS[path](q, k, v, **more, enable_gqa=True)
    assert_same(ours, theirs, torch.float64, "output")
    cotangent = torch.linspace(-1, 1, ours.numel(), dtype=torch.float64).view_as(ours)
    for name, a, b in zip(
        "qkv",
        torch.autograd.grad(ours, (q, k, v), cotangent),
        torch.autograd.grad(theirs, (q, k, v), cotangent),
        strict=True,
    ):
        assert_same(a, b, torch.float64, f"gradient of {name}")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, r"leading axes .* must broadcast \(enable_gqa=True lets.*: q is \(2, 8, 5, 4\)"),
        ({"k": (2, 3, 7, 4), "enable_gqa": True}, "with a G that divides H: q is"),
        ({"q": (5, 4), "enable_gqa": True}, "with enable_gqa, q must be"),
        ({"k": (3, 2, 7, 4), "enable_gqa": True}, "leading axes .* must broadcast"),
        ({"q": (3, 5, 4), "k": (2, 7, 4), "v": (2, 7, 4)}, r"leading .*q is \(3, 5, 4\), k is \(2"),
        ({"q": (4,)}, r"q, k and v must be \(..., length, width\)"),
    ],
)
def test_heads_and_batches_that_do_not_fit_are_refused(path, change, told, plainly):
    shapes = {"q": (2, 8, 5, 4), "k": (2, 2, 7, 4), "v": (2, 2, 7, 4)} | change
    more = {"enable_gqa": True} if shapes.pop("enable_gqa", False) else {}
    with pytest.raises(ValueError, match=told):
        PATHS[path](*(torch.zeros(shape) for shape in shapes.values()), **more)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_lists_are_refused_by_name(path, name, plainly):
    given = {n: torch.zeros(3, 4) for n in "qkv"} | {name: [[1.0, 2.0]]}
    for more in ({}, {"enable_gqa": True}):
        with pytest.raises(ValueError, match=f"{name} must be a tensor, got list; torch.tensor"):
            PATHS[path](*given.values(), **more)


def test_inputs_are_left_alone(generator):
    q, k, v = torch.randn(3, 2, 5, 4, generator=generator).unbind()
    mask = causal_mask(5)
    kept = [t.clone() for t in (q, k, v, mask)]
    for fused in (False, True):
        scaled_dot_product_attention(q, k, v, mask, fused=fused)
    assert all(torch.equal(a, b) for a, b in zip((q, k, v, mask), kept, strict=True))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"k": (2, 7, 5)}, "q and k must have the same width"),
        ({"v": (2, 6, 4)}, "k and v must have one row for each key"),
        ({"mask": torch.ones(5, 7)}, "mask must be boolean"),
        ({"mask": torch.ones(5, 6, dtype=torch.bool)}, "mask must broadcast to"),
        ({"mask": torch.ones(3, 5, 7, dtype=torch.bool)}, "mask must broadcast to"),
        ({"mask": torch.ones(4, 2, 5, 7, dtype=torch.bool)}, "mask must broadcast to"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(change, told, unchecked):
    shapes = {"q": (2, 5, 4), "k": (2, 7, 4), "v": (2, 7, 3)} | change
    arguments = [torch.zeros(shapes[n]) for n in "qkv"] + [change.get("mask")]
    with pytest.raises(ValueError, match=told):
        unchecked("tfcourse.attention").scaled_dot_product_attention(*arguments)


def test_shapes_are_checked_at_run_time():
    with pytest.raises(Exception, match="jaxtyping|type"):
        scaled_dot_product_attention(torch.zeros(2, 3), torch.zeros(2, 4), torch.zeros(2, 3))


@given(T=sizes, more=st.integers(0, 5))
def test_causal_mask(T, more):
    mask = causal_mask(T, T + more)
    for i in range(T):
        for j in range(T + more):
            assert mask[i, j].item() == (j <= i + more)


def test_causal_mask_refuses_queries_before_the_first_key():
    with pytest.raises(ValueError, match="S must be at least T=4, got 3"):
        causal_mask(4, 3)


@given(lengths=st.lists(st.integers(0, 6), max_size=5))
def test_padding_mask(lengths):
    mask = padding_mask(torch.tensor(lengths, dtype=torch.long), 6)
    assert mask.shape == (len(lengths), 1, 6)
    assert [row.sum().item() for row in mask] == lengths
    assert all((row[0, :n]).all() for row, n in zip(mask, lengths, strict=True))


@pytest.mark.parametrize("lengths", [[3, 7], [-1, 2]])
def test_padding_mask_refuses_impossible_lengths(lengths):
    with pytest.raises(ValueError, match="lengths must lie between 0 and S=6"):
        padding_mask(torch.tensor(lengths), 6)


@settings(max_examples=60, deadline=None)
@given(B=sizes, T=sizes, D=sizes, seed=seeds, bias=st.booleans(), causal=st.booleans(),
       fused=st.booleans())  # fmt: skip
def test_self_attention_equals_pytorchs_with_one_head(B, T, D, seed, bias, causal, fused):
    torch.manual_seed(seed)
    ours = SelfAttention(D, bias=bias).double()
    theirs = nn.MultiheadAttention(D, 1, bias=bias, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.W_Q.T, ours.W_K.T, ours.W_V.T]))
        theirs.out_proj.weight.copy_(torch.eye(D))
        if bias:
            for p in (ours.b_Q, ours.b_K, ours.b_V):
                p.normal_()
            theirs.in_proj_bias.copy_(torch.cat([ours.b_Q, ours.b_K, ours.b_V]))
    (x,) = draw(seed, torch.float64, (B, T, D))
    mask = causal_mask(T) if causal else None
    output, weights = ours(x, mask, fused=fused)
    # nn.MultiheadAttention says it the other way round: True = may NOT be attended to.
    expected, expected_weights = theirs(x, x, x, attn_mask=None if mask is None else ~mask)
    assert_same(output, expected, torch.float64, "output")
    assert fused or torch.allclose(weights, expected_weights)
    output.square().sum().backward()
    expected.square().sum().backward()
    gradients = torch.cat([ours.W_Q.grad.T, ours.W_K.grad.T, ours.W_V.grad.T])
    torch.testing.assert_close(gradients, theirs.in_proj_weight.grad, rtol=1e-9, atol=1e-9)


def test_widths_are_free():
    layer = SelfAttention(100, d_k=37, d_v=51)
    output, weights = layer(torch.zeros(2, 6, 100))
    assert output.shape == (2, 6, 51)
    assert weights.shape == (2, 6, 6)
    assert repr(layer) == "SelfAttention(d_model=100, d_k=37, d_v=51, bias=False)"
    assert {n: tuple(p.shape) for n, p in layer.named_parameters()} == {
        "W_Q": (100, 37), "W_K": (100, 37), "W_V": (100, 51)
    }  # fmt: skip


def test_self_attention_refuses_what_does_not_fit(unchecked):
    with pytest.raises(ValueError, match="d_k must be at least 1, got 0"):
        unchecked("tfcourse.attention").SelfAttention(8, d_k=0)
    with pytest.raises(ValueError, match="x must have d_model=8 numbers for each token, got 9"):
        unchecked("tfcourse.attention").SelfAttention(8)(torch.zeros(2, 3, 9))
