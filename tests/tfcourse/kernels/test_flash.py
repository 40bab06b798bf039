"""Flash attention in plain PyTorch: the same results as the formula, in linear memory."""

import pytest
import torch
from formula import TOLERANCE, assert_equals_formula, draw, formula, without_shape_checks
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from tfcourse.kernels import flash
from tfcourse.kernels.flash import flash_attention
from tfcourse.properties import assert_causal

few = st.integers(1, 3)
widths = st.integers(1, 9)
lengths = st.integers(1, 20)
blocks = st.integers(1, 25)
seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=200, deadline=None)
@given(B=few, H=few, T=lengths, S=lengths, K=widths, Dv=widths, seed=seeds, causal=st.booleans(),
       block_q=blocks, block_k=blocks, scale=st.sampled_from([None, 0.3]),
       dtype=st.sampled_from([torch.float32, torch.float64]))  # fmt: skip
def test_equals_the_formula(B, H, T, S, K, Dv, seed, causal, block_q, block_k, scale, dtype):
    S = T + S if causal else S
    q, k, v = draw(seed, dtype, (B, H, T, K), (B, H, S, K), (B, H, S, Dv))
    assert_equals_formula(
        flash_attention, q, k, v, causal=causal, scale=scale, block_q=block_q, block_k=block_k
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("causal", [False, True])
def test_equals_the_formula_over_many_tiles(dtype, causal):
    q, k, v = draw(1, dtype, (2, 150, 16), (2, 201, 16), (2, 201, 8))
    assert_equals_formula(flash_attention, q, k, v, causal=causal)


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_are_those_of_finite_differences(causal):
    q, k, v = draw(2, torch.float64, (2, 5, 3), (2, 7, 3), (2, 7, 2))
    torch.autograd.gradcheck(
        lambda *x: flash_attention(*x, causal=causal, block_q=2, block_k=3), (q, k, v)
    )


@pytest.mark.parametrize(
    ("q", "k", "v"),
    [
        ((5, 4), (7, 4), (7, 3)),  # no leading axes
        ((2, 3, 2, 5, 4), (2, 3, 2, 7, 4), (2, 3, 2, 7, 3)),
        ((2, 3, 2, 5, 4), (2, 3, 1, 7, 4), (2, 3, 1, 7, 3)),  # two heads of queries to each of keys
        ((5, 4), (3, 7, 4), (7, 3)),
        ((0, 5, 4), (0, 7, 4), (0, 7, 3)),  # an empty batch
    ],
)
@pytest.mark.parametrize("causal", [False, True])
def test_leading_axes(q, k, v, causal):
    tensors = draw(3, torch.float64, q, k, v)
    assert_equals_formula(flash_attention, *tensors, causal=causal, block_q=2, block_k=3)


def test_heads_that_are_views_and_a_gradient_without_strides():
    """Heads come as a transpose of ``(B, T, H, K)``, and the gradient of a sum has strides of 0."""
    (x,) = draw(4, torch.float64, (2, 9, 3, 4))
    heads = x.transpose(1, 2)
    results = []
    for attend in (lambda *a: flash_attention(*a, causal=True, block_q=4, block_k=4),
                   lambda *a: formula(*a, causal=True)):  # fmt: skip
        output = attend(heads, heads, heads)
        results.append((output, *torch.autograd.grad(output.sum(), x)))
    torch.testing.assert_close(results[0], results[1], rtol=0, atol=1e-10)


def test_one_query_against_a_cache_is_the_last_row():
    q, k, v = draw(5, torch.float64, (13, 4), (13, 4), (13, 4))
    full = flash_attention(q, k, v, causal=True, block_q=4, block_k=4)
    last = flash_attention(q[-1:], k, v, causal=True, block_q=4, block_k=4)
    torch.testing.assert_close(last, full[-1:], rtol=0, atol=1e-12)


def test_is_causal(generator):
    x = torch.randn(2, 9, 4, generator=generator)
    assert_causal(lambda x: flash_attention(x, x, x, causal=True, block_q=4, block_k=2), x)


@pytest.mark.parametrize("order", [1, -1])
def test_scores_far_beyond_what_exp_can_take(order):
    """The largest score comes in the first tile or in the last: neither may overflow."""
    q = torch.full((8, 1), 30.0, dtype=torch.float64, requires_grad=True)
    k = torch.linspace(-100 * order, 100 * order, 24, dtype=torch.float64)[:, None]
    k.requires_grad_()
    v = draw(6, torch.float64, (24, 3))[0]
    assert (q @ k.T).exp().isinf().any()
    assert_equals_formula(flash_attention, q, k, v, block_q=4, block_k=5)
    assert_equals_formula(flash_attention, q, k, v, causal=True, block_q=4, block_k=5)


@pytest.mark.parametrize(("T", "S"), [(4, 0), (0, 3), (0, 0)])
def test_nothing_to_attend_to_gives_zeros(T, S):
    q, k, v = draw(7, torch.float32, (2, T, 4), (2, S, 4), (2, S, 3))
    output = flash_attention(q, k, v)
    assert torch.equal(output, torch.zeros(2, T, 3))
    output.sum().backward()
    assert all(x.grad.shape == x.shape and (x.grad == 0).all() for x in (q, k, v))


def kept_for_backward(attend, n):
    """Bytes that a forward pass over ``n`` queries and keys leaves behind for the backward."""
    q, k, v = draw(8, torch.float32, (2, n, 8), (2, n, 8), (2, n, 8))
    kept = 0

    def count(x):
        nonlocal kept
        kept += x.nbytes
        return x

    with torch.autograd.graph.saved_tensors_hooks(count, lambda x: x):
        output = attend(q, k, v)
    # What a function hangs on its context by hand would escape the count.
    context = getattr(output.grad_fn, "__dict__", {})
    assert not [name for name, x in context.items() if isinstance(x, torch.Tensor)]
    return kept


@pytest.mark.parametrize("causal", [False, True])
def test_memory_kept_for_backward_is_linear_in_the_length(causal):
    flash_bytes = [
        kept_for_backward(lambda *x: flash_attention(*x, causal=causal), n) for n in (128, 256, 512)
    ]
    # Four matrices 8 wide (queries, keys, values, output) and the log-sum-exp, 2 of 4 bytes each.
    assert flash_bytes == [2 * 4 * n * (4 * 8 + 1) for n in (128, 256, 512)]
    # The formula's, by the same count, is not: twice the length keeps almost four times as much.
    once, twice = (kept_for_backward(lambda *x: formula(*x, causal=causal), n) for n in (256, 512))
    assert twice > 3.5 * once


class LargestTensor(TorchDispatchMode):
    """The most numbers in any one tensor that an operation makes."""

    largest = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        for x in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(x, torch.Tensor):
                self.largest = max(self.largest, x.numel())
        return made


def test_the_scores_are_never_all_there():
    n, width = 256, 8
    for attend, expected in (
        (lambda *x: flash_attention(*x, causal=True, block_q=16, block_k=32), n * width),
        (lambda *x: formula(*x, causal=True), n * n),
    ):
        q, k, v = draw(9, torch.float32, (n, width), (n, width), (n, width))
        with LargestTensor() as seen:
            attend(q, k, v).square().sum().backward()
        assert seen.largest == expected


@pytest.mark.parametrize(("T", "S"), [(16, 16), (16, 24), (13, 18)])
def test_tiles_above_the_diagonal_are_skipped(T, S, monkeypatch):
    made = 0
    scores = flash._scores

    def counted(*args):
        nonlocal made
        made += 1
        return scores(*args)

    monkeypatch.setattr(flash, "_scores", counted)
    q, k, v = draw(10, torch.float32, (T, 4), (S, 4), (S, 4))
    output = flash_attention(q, k, v, causal=True, block_q=4, block_k=2)
    below = sum(
        any(t + S - T >= j for t in range(i, min(i + 4, T)))
        for i in range(0, T, 4)
        for j in range(0, S, 2)
    )
    assert made == below
    output.sum().backward()
    assert made == 2 * below  # the backward pass makes each tile once more


def test_autocast_does_not_round_the_tiles():
    q, k, v = draw(11, torch.float32, (9, 4), (9, 4), (9, 4))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = flash_attention(q, k, v)
    outside = flash_attention(q, k, v)
    assert torch.equal(inside, outside)
    for a, b in zip(torch.autograd.grad(inside.sum(), (q, k, v)),
                    torch.autograd.grad(outside.sum(), (q, k, v)), strict=True):  # fmt: skip
        assert torch.equal(a, b)


def test_inputs_are_left_alone():
    q, k, v = draw(12, torch.float32, (9, 4), (9, 4), (9, 4))
    before = [x.detach().clone() for x in (q, k, v)]
    flash_attention(q, k, v, causal=True, block_q=4, block_k=4).sum().backward()
    assert all(torch.equal(a, b) for a, b in zip((q, k, v), before, strict=True))


def test_gradients_of_gradients_are_refused_not_wrong():
    q, k, v = draw(13, torch.float64, (3, 2), (3, 2), (3, 2))
    (dq,) = torch.autograd.grad(flash_attention(q, k, v).square().sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        dq.sum().backward()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"q": (2, 5, 3)}, r"q and k must have the same width.*q is \(2, 5, 3\), k is \(2, 7, 4\)"),
        ({"v": (2, 6, 4)}, "k and v must have one row for each key"),
        ({"k": (3, 7, 4)}, "the leading axes of q, k and v must broadcast"),
        ({"q": (4,)}, "q, k and v must be"),
        ({"q": (2, 8, 4), "causal": True}, "k must have at least as many rows as q"),
        ({"block_q": 0}, "block_q must be at least 1, got 0"),
        ({"block_k": -1}, "block_k must be at least 1, got -1"),
        ({"dtype": torch.float64}, "must be of one dtype.*q is torch.float64, k is torch.float32"),
        ({"dtype": torch.int64}, "must be of one dtype"),
        ({"device": "meta"}, "must be on one device: q is on meta, k is on cpu"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(change, told):
    shapes = {"q": (2, 5, 4), "k": (2, 7, 4), "v": (2, 7, 3)}
    q, k, v = (torch.zeros(change.get(name, shape)) for name, shape in shapes.items())
    q = q.to(change.get("device", "cpu"), change.get("dtype", torch.float32))
    options = {n: x for n, x in change.items() if n in ("causal", "block_q", "block_k")}
    with pytest.raises(ValueError, match=told):
        without_shape_checks(flash).flash_attention(q, k, v, **options)
