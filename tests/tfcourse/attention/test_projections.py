"""The matrices of queries, keys and values are one parameter, but keep their own names."""

import pytest
import torch
from torch import nn

from tfcourse.attention import KeyValueCache, MultiHeadAttention
from tfcourse.models.common import draw_matrices

D, H = 8, 2
KINDS = {
    "usual": {}, "grouped": {"num_kv_heads": 1}, "widths": {"d_k": 3, "d_v": 5},
    "context": {"d_context": 5}, "no vectors": {"bias": False},
}  # fmt: skip


def separate(layer):
    """A copy of each matrix and vector under its own name."""
    return {
        part: tensor.detach().clone()
        for name, p in layer.named_parameters()
        for part, tensor in layer.separate(name, p).items()
    }


@pytest.fixture(params=KINDS)
def layer(request):
    torch.manual_seed(0)
    made = MultiHeadAttention(D, H, **KINDS[request.param])
    with torch.no_grad():
        for p in made.parameters():
            p.normal_()
    return made


def test_they_lie_side_by_side(layer):
    W = torch.cat([layer.W_Q, layer.W_K, layer.W_V], 1) if layer.W_KV is None else layer.W_Q
    assert torch.equal(layer.W_QKV, W)
    if layer.W_KV is not None:
        assert torch.equal(layer.W_KV, torch.cat([layer.W_K, layer.W_V], 1))
    parts = separate(layer)
    vectors = [f"b_{letter}" for letter in "QKVO"] if layer.b_O is not None else []
    assert sorted(parts) == sorted(["W_Q", "W_K", "W_V", "W_O", *vectors])
    assert all(torch.equal(parts[n], getattr(layer, n)) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if vectors:
        assert torch.equal(layer.b_QKV, torch.cat([parts[f"b_{letter}"] for letter in "QKV"]))
    heads, groups, d_k = layer.num_heads, layer.num_kv_heads, layer.d_k
    d_v = len(layer.W_O) // heads
    assert layer.W_Q.shape == (D, heads * d_k)
    assert layer.W_K.shape == (layer.d_context, groups * d_k)
    assert layer.W_V.shape == (layer.d_context, groups * d_v)


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V"])
def test_what_is_written_into_one_changes_that_one(name, layer):
    before = separate(layer)
    with torch.no_grad():
        getattr(layer, name).mul_(2)
    after = separate(layer)
    for other in before:
        torch.testing.assert_close(after[other], before[other] * (2 if other == name else 1))
    with pytest.raises(AttributeError, match="has no setter"):
        setattr(layer, name, after[name])
    assert all(p.is_leaf and p.requires_grad for p in layer.parameters())


def test_each_is_drawn_as_a_matrix_of_its_own():
    """So a model begins with the numbers it began with when they were three parameters."""
    layer = MultiHeadAttention(D, H, num_kv_heads=1)
    torch.manual_seed(1)
    draw_matrices(layer, nn.init.normal_)
    torch.manual_seed(1)
    for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O):
        assert torch.equal(W, torch.empty(W.shape).normal_())
    torch.manual_seed(1)
    layer.reset_parameters()
    torch.manual_seed(1)
    for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O):
        assert torch.equal(W, nn.init.xavier_uniform_(torch.empty(W.shape)))
    assert not layer.b_QKV.any()


def test_the_gradient_is_in_the_same_columns(layer):
    x, context = torch.randn(2, 3, D), torch.randn(2, 4, layer.d_context)
    layer(x, context)[0].square().sum().backward()
    name = "W_QKV" if layer.W_KV is None else "W_KV"
    gradient = layer.separate(name, getattr(layer, name).grad)["W_V"]
    vectors = separate(layer)
    W_V = layer.W_V.detach().clone().requires_grad_()

    def by_hand():
        q, k = x @ layer.W_Q.detach(), context @ layer.W_K.detach()
        v = context @ W_V
        if layer.b_O is not None:
            q, k, v = q + vectors["b_Q"], k + vectors["b_K"], v + vectors["b_V"]
        each = layer.num_heads // layer.num_kv_heads
        q = q.unflatten(-1, (layer.num_heads, -1)).transpose(1, 2)
        k, v = (
            y.unflatten(-1, (layer.num_kv_heads, -1)).transpose(1, 2).repeat_interleave(each, 1)
            for y in (k, v)
        )
        out = (q @ k.mT / layer.d_k**0.5).softmax(-1) @ v
        out = out.transpose(1, 2).flatten(2) @ layer.W_O.detach()
        return out if layer.b_O is None else out + layer.b_O.detach()

    (expected,) = torch.autograd.grad(by_hand().square().sum(), W_V)
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-4)


def test_a_cache_gives_what_it_holds_without_copying():
    cache = KeyValueCache(4)
    k = torch.randn(1, H, 1, 4)
    first, _ = cache.append(k, k)
    held, _ = cache.append(k, k)
    assert held.data_ptr() == first.data_ptr()
