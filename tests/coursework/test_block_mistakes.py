"""Each message about a mistake is told of that mistake, and never of the right answer."""

from operator import attrgetter

import pytest
import torch
from telling import told_of_other_mistakes
from torch.utils.flop_counter import FlopCounterMode

from coursework.mistakes import blocks, counts, norms
from tfcourse.attention import MultiHeadAttention, causal_mask
from tfcourse.layers import Block, FeedForward, LayerNorm, RMSNorm
from tfcourse.training import noam

DOUBLE = {"dtype": torch.float64}


def drawn(generator, *shapes):
    return [torch.randn(shape, generator=generator, **DOUBLE) for shape in shapes]


def loaded(module, **weights):
    module.double().load_state_dict(weights)
    return module


@pytest.mark.parametrize(
    ("shape", "count"), [((2, 3, 5), 21), ((3, 5), 20), ((5, 5), 24), ((5,), 18)]
)
def test_no_mistake_of_layer_norm_is_right(generator, shape, count):
    x, gain, bias = drawn(generator, shape, 5, 5)
    right = loaded(LayerNorm(5, 0.3), gain=gain, shift=bias)(x).detach()
    found = norms.layer_norm_mistakes(x, gain, bias, 0.3)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == count


@pytest.mark.parametrize(
    ("shape", "count"), [((2, 3, 5), 13), ((3, 5), 13), ((5, 5), 14), ((5,), 11)]
)
def test_no_mistake_of_rms_norm_is_right(generator, shape, count):
    x, gain = drawn(generator, shape, 5)
    right = loaded(RMSNorm(5, 0.3), gain=gain)(x).detach()
    found = norms.rms_norm_mistakes(x, gain, 0.3)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == count


@pytest.mark.parametrize(("shape", "count"), [((2, 3, 5), 38), ((3, 5), 37), ((5,), 33)])
def test_no_mistake_of_going_back_through_a_norm_is_right(generator, shape, count):
    x, gain, bias, G = drawn(generator, shape, 5, 5, shape)
    module = loaded(LayerNorm(5, 0.3), gain=gain, shift=bias)
    leaves = x.requires_grad_(), module.gain, module.shift
    right = torch.autograd.grad(module(x), leaves, G)
    found = norms.backward_mistakes(x.detach(), gain, 0.3, G)
    assert told_of_other_mistakes(found, right, ("x", "gain", "bias")) == {}
    assert len(found) == count


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("D", [6, 8])
def test_no_mistake_of_a_block_is_right(generator, D, norm, masked):
    H, K, F = 2, 3, 5
    module = Block(MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False), FeedForward(D, F), norm)
    module.double()
    names = {
        **{f"W_{n}": f"attention.W_{n}" for n in "QKVO"},
        **{n: f"ffn.{n}" for n in ("W_1", "b_1", "W_2", "b_2")},
        **{"gain_1": "attention_norm.gain", "bias_1": "attention_norm.shift"},
        **{"gain_2": "ffn_norm.gain", "bias_2": "ffn_norm.shift"},
    }
    shapes = [attrgetter(name)(module).shape for name in names.values()]
    w = dict(zip(names, drawn(generator, *shapes), strict=True))
    module.load_state_dict({names[name]: w[name] for name in names})
    (x,) = drawn(generator, (2, 4, D))
    mask = causal_mask(4) if masked else None
    right = module(x, mask)[0].detach()
    found = blocks.block_mistakes(x, w, H, norm, mask)
    assert told_of_other_mistakes(found, right) == {}
    # Where D is H · K, the roots of the two are one.
    assert [len(told) for told in told_together(found)] == [2] * (D == 6)
    assert len(found) == (41 if D == 6 else 42) + 5 * (norm == "pre") + 4 * masked


TOGETHER = "Each of these mistakes gives the same numbers here:"


def told_together(found):
    """The messages that name several mistakes, each as the list of them."""
    return [m.splitlines()[1:] for m in found if m.startswith(TOGETHER)]


def told_twice(found):
    """Numbers for which only the first of several messages can be told."""
    numbers = list(found.values())
    return {n for n in numbers if numbers.count(n) > 1}


def test_the_numbers_of_the_sets_own_examples_tell_one_mistake_from_another():
    for step, d_model, warmup in (1, 16, 9), (1, 512, 4000):
        assert not told_together(counts.rate_mistakes(step, d_model, warmup))
    assert len(told_together(counts.parameter_mistakes(5, 3, 4, 8))) == 1
    assert not any(map(told_together, counts.flop_mistakes(6, 5, 3, 4, 8).values()))
    assert not told_together(counts.half_mistakes(4, 2, 3, 9))
    one, zero = torch.ones(4), torch.zeros(4)
    x = torch.tensor([[1.0, 7, 9, 15], [10, 30, 10, 30], [40, 40, 20, 20], [70, -70, -10, 10]])
    assert not told_together(norms.layer_norm_mistakes(x, one, zero, 0.0))
    x = torch.tensor([[1.0, 3.0, 5.0, 7.0]])
    gain, bias = torch.tensor([1.0, 3.0, 3.0, 2.0]), torch.tensor([0.0, 0.0, 1.0, 1.0])
    assert not told_together(norms.layer_norm_mistakes(x, gain, bias, 4.0))
    gain = torch.tensor([10.0, 5.0, 5.0])
    assert not told_together(norms.rms_norm_mistakes(torch.tensor([[-1.0, 5.0, 7.0]]), gain, 0.0))


@pytest.mark.parametrize(
    ("x", "gain", "eps", "G"),
    [
        ([[3.0, 5.0, 7.0, 9.0]], [2.0, 3.0, 3.0, 3.0], 4.0, [[3.0, 0.0, 0.0, -1.0]]),
        (
            [[1.0, 7.0, 13.0], [13.0, 7.0, 1.0]],
            [2.0, 0.5, 0.5],
            12.0,
            [[9.0, 0.0, -18.0], [-4.5, 18.0, 36.0]],
        ),
    ],
)
def test_the_two_ways_back_that_are_done_by_hand_tell_one_mistake_from_another(x, gain, eps, G):
    x, gain, G = map(torch.tensor, (x, gain, G))
    leaves = [t.clone().requires_grad_() for t in (x, gain, torch.zeros_like(gain))]
    y = torch.nn.functional.layer_norm(leaves[0], gain.shape, *leaves[1:], eps)
    right = torch.autograd.grad(y, leaves, G)
    found = norms.backward_mistakes(x, gain, eps, G)
    assert told_of_other_mistakes(found, right, ("x", "gain", "bias")) == {}
    of_x = {message: parts[0] for message, parts in found.items() if parts[0] is not None}
    assert told_of_other_mistakes(of_x, right[0]) == {}


def test_no_mistake_of_counting_is_right():
    D, H, K, F = 7, 3, 5, 11
    module = Block(MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False), FeedForward(D, F))
    right = sum(p.numel() for p in module.parameters())
    found = counts.parameter_mistakes(D, H, K, F)
    assert right not in found.values() and len(found) == 17
    assert not told_twice(found)
    assert [len(told) for told in told_together(found)] == [2]


def test_no_mistake_of_flops_is_right():
    T, D, H, K, F = 13, 7, 3, 5, 11
    right = {"projections": 8 * 13 * 7 * 15, "attention": 4 * 169 * 15, "ffn": 4 * 13 * 77}
    module = Block(MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False), FeedForward(D, F))
    with FlopCounterMode(display=False) as counter:
        module(torch.zeros(1, T, D))
    assert counter.get_total_flops() == sum(right.values())
    found = counts.flop_mistakes(T, D, H, K, F)
    assert found.keys() == right.keys()
    for part, told in found.items():
        assert right[part] not in told.values()
        assert not told_twice(told)


def test_no_mistake_of_half_the_cost_is_right():
    D, H, K, F = 7, 3, 5, 11
    right = 2 * D + D * F / (H * K)
    others = 8 * D * H * K + 4 * D * F
    assert others == pytest.approx(4 * right * H * K)
    found = counts.half_mistakes(D, H, K, F)
    assert right not in found.values() and len(found) == 8 and not told_twice(found)
    # A length between 2 D and 2 D + 1, cut to a whole number, is 2 D.
    found = counts.half_mistakes(7, 3, 5, 2)
    assert [len(told) for told in told_together(found)] == [2]


@pytest.mark.parametrize("step", [3, 9, 50])
def test_no_mistake_of_the_rate_is_right(step):
    found = counts.rate_mistakes(step, 16, 9)
    right = noam(16, 9)(step)
    assert all(wrong != pytest.approx(right) for wrong in found.values())
    assert not told_twice(found) and len(found) >= 5


def test_no_mistake_of_the_factor_is_right():
    found = counts.factor_mistakes(3e-4, 24, 100)
    right = 3e-4 / noam(24, 100)(100)
    assert all(wrong != pytest.approx(right) for wrong in found.values())
    assert len(found) == 8 and not told_twice(found)
