"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch
from test_words_mistakes import told_of_other_mistakes
from torch.utils.flop_counter import FlopCounterMode

from tfcourse.attention import MultiHeadAttention, causal_mask
from tfcourse.grading.mistakes import blocks, norms
from tfcourse.layers import Block, FeedForward, LayerNorm, RMSNorm
from tfcourse.training import noam

DOUBLE = {"dtype": torch.float64}


def drawn(generator, *shapes):
    return [torch.randn(shape, generator=generator, **DOUBLE) for shape in shapes]


def loaded(module, **weights):
    module.double().load_state_dict(weights)
    return module


@pytest.mark.parametrize(("shape", "count"), [((2, 3, 5), 19), ((5,), 16)])
def test_no_mistake_of_layer_norm_is_right(generator, shape, count):
    x, gain, bias = drawn(generator, shape, 5, 5)
    right = loaded(LayerNorm(5, 0.3), gain=gain, shift=bias)(x).detach()
    found = norms.layer_norm_mistakes(x, gain, bias, 0.3)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == count


@pytest.mark.parametrize(("shape", "count"), [((2, 3, 5), 11), ((5,), 9)])
def test_no_mistake_of_rms_norm_is_right(generator, shape, count):
    x, gain = drawn(generator, shape, 5)
    right = loaded(RMSNorm(5, 0.3), gain=gain)(x).detach()
    found = norms.rms_norm_mistakes(x, gain, 0.3)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == count


@pytest.mark.parametrize(("shape", "count"), [((2, 3, 5), 26), ((3, 5), 25), ((5,), 21)])
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
def test_no_mistake_of_a_block_is_right(generator, norm, masked):
    D, H, K, F = 6, 2, 3, 5
    module = Block(MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False), FeedForward(D, F), norm)
    module.double()
    names = {
        **{f"W_{n}": f"attention.W_{n}" for n in "QKVO"},
        **{n: f"ffn.{n}" for n in ("W_1", "b_1", "W_2", "b_2")},
        **{"gain_1": "attention_norm.gain", "bias_1": "attention_norm.shift"},
        **{"gain_2": "ffn_norm.gain", "bias_2": "ffn_norm.shift"},
    }
    shapes = [module.get_parameter(name).shape for name in names.values()]
    w = dict(zip(names, drawn(generator, *shapes), strict=True))
    module.load_state_dict({names[name]: w[name] for name in names})
    (x,) = drawn(generator, (2, 4, D))
    mask = causal_mask(4) if masked else None
    right = module(x, mask)[0].detach()
    found = blocks.block_mistakes(x, w, H, norm, mask)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 31 + 2 * (norm == "pre") + 2 * masked


def told_twice(found):
    """Numbers for which only the first of several messages can be told."""
    numbers = list(found.values())
    return {n for n in numbers if numbers.count(n) > 1}


def test_no_mistake_of_counting_is_right():
    D, H, K, F = 7, 3, 5, 11
    module = Block(MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False), FeedForward(D, F))
    right = sum(p.numel() for p in module.parameters())
    found = blocks.parameter_mistakes(D, H, K, F)
    assert right not in found.values() and len(found) == 12
    assert told_twice(found) == {right - 2 * D}


def test_no_mistake_of_flops_is_right():
    T, D, H, K, F = 13, 7, 3, 5, 11
    right = {"projections": 8 * 13 * 7 * 15, "attention": 4 * 169 * 15, "ffn": 4 * 13 * 77}
    module = Block(MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False), FeedForward(D, F))
    with FlopCounterMode(display=False) as counter:
        module(torch.zeros(1, T, D))
    assert counter.get_total_flops() == sum(right.values())
    found = blocks.flop_mistakes(T, D, H, K, F)
    assert found.keys() == right.keys()
    for part, told in found.items():
        assert right[part] not in told.values()
        assert not told_twice(told)


def test_no_mistake_of_half_the_cost_is_right():
    D, H, K, F = 7, 3, 5, 11
    right = 2 * D + D * F / (H * K)
    others = 8 * D * H * K + 4 * D * F
    assert others == pytest.approx(4 * right * H * K)
    found = blocks.half_mistakes(D, H, K, F)
    assert right not in found.values() and len(found) == 6 and not told_twice(found)


@pytest.mark.parametrize("step", [3, 9, 50])
def test_no_mistake_of_the_rate_is_right(step):
    found = blocks.rate_mistakes(step, 16, 9)
    right = noam(16, 9)(step)
    assert all(wrong != pytest.approx(right) for wrong in found.values())
    assert len(found) >= 5


def test_no_mistake_of_the_factor_is_right():
    found = blocks.factor_mistakes(3e-4, 24, 100)
    right = 3e-4 / noam(24, 100)(100)
    assert all(wrong != pytest.approx(right) for wrong in found.values())
    assert len(found) == 8 and not told_twice(found)
