"""The matrices of queries, keys and values are one parameter, but keep their own names."""

import pytest
import torch
from torch import nn

from tfcourse.attention import KeyValueCache, MultiHeadAttention, draw_matrices

D, H = 8, 2
KINDS = {
    "usual": {}, "grouped": {"num_kv_heads": 1}, "widths": {"d_k": 3, "d_v": 5},
    "context": {"d_context": 5}, "no vectors": {"bias": False},
}  # fmt: skip


def stored_before(layer):
    """The weights as older versions stored them: each matrix under its own name."""
    names = ["W_Q", "W_K", "W_V", "W_O", *([] if layer.b_O is None else ["b_Q", "b_K", "b_V"])]
    found = {name: getattr(layer, name).detach().clone() for name in names}
    return found if layer.b_O is None else found | {"b_O": layer.b_O.detach().clone()}


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
    if layer.b_QKV is None:
        assert layer.b_Q is layer.b_K is layer.b_V is None
    else:
        assert torch.equal(layer.b_QKV, torch.cat([layer.b_Q, layer.b_K, layer.b_V]))
    heads, groups, d_k = layer.num_heads, layer.num_kv_heads, layer.d_k
    d_v = len(layer.W_O) // heads
    assert layer.W_Q.shape == (D, heads * d_k)
    assert layer.W_K.shape == (layer.d_context, groups * d_k)
    assert layer.W_V.shape == (layer.d_context, groups * d_v)


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V"])
def test_what_is_written_into_one_changes_that_one(name, layer):
    before = stored_before(layer)
    with torch.no_grad():
        getattr(layer, name).mul_(2)
        if name == "W_V":
            layer.W_V *= 2
    after = stored_before(layer)
    factor = 4 if name == "W_V" else 2
    for other in before:
        torch.testing.assert_close(after[other], before[other] * (factor if other == name else 1))
    new = torch.randn_like(after[name])
    setattr(layer, name, new)
    assert torch.equal(getattr(layer, name), new)
    assert all(p.is_leaf and p.requires_grad for p in layer.parameters())


def test_weights_of_an_older_version_load(layer):
    old = stored_before(layer)
    again = MultiHeadAttention(D, H, d_k=layer.d_k, d_v=len(layer.W_O) // H,
                               num_kv_heads=layer.num_kv_heads, d_context=layer.d_context,
                               bias=layer.b_O is not None)  # fmt: skip
    given = dict(old)
    assert str(again.load_state_dict(given)) == "<All keys matched successfully>"
    assert given.keys() == old.keys(), "what was given is left alone"
    for name, p in layer.state_dict().items():
        assert torch.equal(again.state_dict()[name], p)
    # Within a model names have a path, and what is missing is still told.
    nested = nn.ModuleDict({"attention": again})
    nested.load_state_dict({f"attention.{name}": t for name, t in old.items()})
    old.pop("W_K")
    with pytest.raises(RuntimeError, match=r"Missing key.*W_(QKV|KV)"):
        again.load_state_dict(old)


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
    parts = layer.parts()
    parameter, columns = parts["W_V"]
    gradient = getattr(layer, parameter).grad[..., columns]
    W_V = layer.W_V.detach().clone().requires_grad_()

    def by_hand():
        q, k = x @ layer.W_Q.detach(), context @ layer.W_K.detach()
        v = context @ W_V
        if layer.b_O is not None:
            q, k, v = q + layer.b_Q.detach(), k + layer.b_K.detach(), v + layer.b_V.detach()
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
