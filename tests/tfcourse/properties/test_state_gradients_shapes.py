"""The other properties: each passes if it holds, and fails with its reason if it does not."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tfcourse import properties
from tfcourse.attention import MultiHeadAttention, SelfAttention, causal_mask
from tfcourse.positions import RotaryPositions
from tfcourse.properties import (
    assert_gradients_reach_every_parameter,
    assert_same_in_train_and_eval,
    assert_shapes,
    assert_shift_invariant,
    assert_stateless,
)


@pytest.fixture
def x(generator):
    return torch.randn(3, 6, 8, generator=generator)


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return SelfAttention(8)


class Module(nn.Module):
    """A linear layer in which a test puts one bug."""

    def __init__(self, forward):
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(8, 8)
        self.used = nn.Parameter(torch.ones(8))
        self.calls, self.kept, self.act = 0, None, forward

    def forward(self, *inputs):
        return self.act(self, *inputs)


# assert_gradients_reach_every_parameter


def test_gradients_hold(x, layer):
    assert_gradients_reach_every_parameter(layer, x)
    # The plain sum of a layer norm's outputs is constant; a random weighting of them is not.
    assert_gradients_reach_every_parameter(nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8)), x)
    assert_gradients_reach_every_parameter(nn.Embedding(5, 3), torch.tensor([[0, 1], [4, 2]]))
    assert_gradients_reach_every_parameter(nn.GRU(8, 8, batch_first=True), x)


@pytest.mark.parametrize(
    ("forward", "told"),
    [
        (lambda m, x: m.linear(x), "no gradient reaches used"),
        (lambda m, x: m.linear(x) + m.used * 0, "no gradient reaches used"),
        (lambda m, x: m.linear(x).detach() * m.used, "no gradient reaches linear.weight, lin"),
        (lambda m, x: m.linear(x).round() * m.used, "no gradient reaches linear.weight, lin"),
        (lambda m, x: (m.linear(x) * m.used).detach(), "no gradient leaves the output"),
        # what is added to all scores alike is lost in the softmax: only rounding is left
        (lambda m, x: torch.softmax(m.linear(x) + m.used.sum(), -1), "no gradient reaches used"),
        (
            lambda m, x: m.linear(x) * m.used + (m.used - 1).pow(2).sum().sqrt(),
            "the gradient is NaN or infinite in used",
        ),
    ],
)
def test_gradients_fail(forward, told, x):
    with pytest.raises(AssertionError, match=told):
        assert_gradients_reach_every_parameter(Module(forward), x)


def test_parameters_may_be_exempt_by_name(x):
    module = Module(lambda m, x: m.linear(x))
    assert_gradients_reach_every_parameter(module, x, exempt=["used"])
    nested = nn.Sequential(module)
    assert_gradients_reach_every_parameter(nested, x, exempt=["used"])
    with pytest.raises(AssertionError, match="0.linear.weight, 0.linear.bias"):
        assert_gradients_reach_every_parameter(nn.Sequential(Module(lambda m, x: x * m.used)), x)
    with pytest.raises(ValueError, match="exempt must name parameters of the module, 'usd' is"):
        assert_gradients_reach_every_parameter(module, x, exempt=["usd"])


def test_gradients_already_there_are_left_alone(x, layer):
    layer(x)[0].sum().backward()
    before = {n: p.grad.clone() for n, p in layer.named_parameters()}
    with torch.no_grad():  # it switches gradients on for itself
        assert_gradients_reach_every_parameter(layer, x)
    assert all(torch.equal(p.grad, before[n]) for n, p in layer.named_parameters())


def test_nothing_to_learn_is_refused(x):
    with pytest.raises(ValueError, match="module must have a parameter that requires a gradient"):
        assert_gradients_reach_every_parameter(nn.ReLU(), x)


# assert_stateless


def test_stateless_holds(x, layer):
    assert_stateless(layer, x)
    assert_stateless(nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 8)), x)
    assert_stateless(lambda x, mask: x * mask, x, torch.rand(3, 6, 1) < 0.5)
    assert_stateless(nn.Embedding(11, 3), torch.tensor([[1, 2], [3, 4]]), vocab_size=11)
    assert_stateless(nn.GRU(8, 8, batch_first=True), x)


def counts(m, x):
    m.calls += 1
    return m.linear(x) + m.calls


def keeps_the_first(m, x):
    """A cache that does not ask whether its input is still the same."""
    m.kept = m.linear(x) if m.kept is None else m.kept
    return x + m.kept


def adds_the_last(m, x):
    """A recurrent net whose state is not reset."""
    last, m.kept = m.kept, m.linear(x)
    return m.kept if last is None else m.kept + last


def remembers_the_other(m, x):
    """The same at the second call, and something else after another input."""
    m.calls += m.kept is not None and not torch.equal(m.kept, x)
    m.kept = x
    return m.linear(x) + m.calls


def writes_into_its_input(m, x):
    return m.linear(x.clamp_(-1, 1))


@pytest.mark.parametrize(
    ("forward", "told"),
    [
        (counts, "a different output at the second call in train mode, by 1"),
        (adds_the_last, "after a call with another input"),
        (remembers_the_other, "after a call with another input"),
        (keeps_the_first, "a different output than a fresh copy of the module gives, by"),
        (writes_into_its_input, "input 0 was written to"),
    ],
)
def test_stateless_fails(forward, told, x):
    with pytest.raises(AssertionError, match=told):
        assert_stateless(Module(forward), x)


def test_running_statistics_are_seen(x):
    norm = nn.Sequential(nn.Flatten(0, 1), nn.BatchNorm1d(8))
    with pytest.raises(AssertionError, match="in eval mode after calls in train mode"):
        assert_stateless(norm, x)


# assert_same_in_train_and_eval


def test_same_in_train_and_eval_holds(x, layer):
    assert_same_in_train_and_eval(layer, x)
    layer.eval()
    assert_same_in_train_and_eval(layer, x)
    assert not layer.training


@pytest.mark.parametrize(
    "module",
    [
        nn.Sequential(nn.Flatten(0, 1), nn.BatchNorm1d(8)),
        # d2l's decoder: no causal mask in eval mode
        Module(lambda m, x: F.scaled_dot_product_attention(x, x, x, is_causal=m.training)),
    ],
)
def test_same_in_train_and_eval_fails(module, x):
    with pytest.raises(AssertionError, match="train and eval mode differ by"):
        assert_same_in_train_and_eval(module, x)


def test_same_in_train_and_eval_refuses_what_it_cannot_judge(x):
    with pytest.raises(ValueError, match="module must be built without dropout"):
        assert_same_in_train_and_eval(nn.Dropout(0.1), x)
    with pytest.raises(ValueError, match="module must be a torch.nn.Module, got function"):
        assert_same_in_train_and_eval(lambda x: x, x)


# assert_shift_invariant


class Placed(nn.Module):
    """Attention in which places enter as the test says."""

    def __init__(self, positions=None, added=None):
        super().__init__()
        torch.manual_seed(0)
        self.attention = MultiHeadAttention(8, 2, positions=positions)
        self.added = added

    def forward(self, x, mask):
        if self.added is not None:
            x = x + self.added[: x.shape[1]]
        return self.attention(x, None, mask)


class OfIds(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.placed = nn.Embedding(11, 8), Placed(RotaryPositions(4))

    def forward(self, ids, mask):
        return self.placed(self.embedding(ids), mask)


def test_shift_invariance_holds(x):
    assert_shift_invariant(Placed(), x)
    assert_shift_invariant(Placed(RotaryPositions(4)), x, by=1)
    assert_shift_invariant(Placed(RotaryPositions(4)), x, by=20)
    assert_shift_invariant(OfIds(), torch.randint(0, 11, (2, 5)), vocab_size=11)


def test_shift_invariance_fails(x):
    with pytest.raises(AssertionError, match="the same tokens 3 positions later"):
        assert_shift_invariant(Placed(added=torch.randn(20, 8)), x)
    with pytest.raises(AssertionError, match="positions matter"):  # queries turned, keys not
        assert_shift_invariant(
            lambda x, mask: F.scaled_dot_product_attention(
                RotaryPositions(8).rotate(x), x, x, attn_mask=mask
            ),
            x,
        )
    with pytest.raises(AssertionError, match="positions matter"):  # a mask that nobody reads
        assert_shift_invariant(lambda x, mask: F.scaled_dot_product_attention(x, x, x), x)


def test_shift_invariance_refuses_what_shows_nothing(x, layer):
    with pytest.raises(ValueError, match="by must be at least 1, got 0"):
        assert_shift_invariant(layer, x, by=0)
    with pytest.raises(ValueError, match="T at least 2"):
        assert_shift_invariant(layer, x[:, :1])


# assert_shapes


def test_shapes_hold(layer):
    assert_shapes(layer, "B T D -> B T D, B T T", D=8)
    assert_shapes(layer, "B T 8 -> B T 8")
    assert_shapes(SelfAttention(8, 3, 5).double(), "B T 8 -> B T Dv", Dv=5)
    assert_shapes(lambda x, y: x @ y.mT, "B T K, B S K -> B T S")
    assert_shapes(nn.Embedding(7, 4), "B T -> B T 4", vocab_size=7)
    assert_shapes(lambda x: (x, None), "B T -> B T")  # what is not promised may be anything


@pytest.mark.parametrize(
    ("module", "promise", "told"),
    [
        (lambda x: x.mean(1), "B T 8 -> B T 8", r"must be \(B, T, 8\) = \(2, 5, 8\), got \(2, 8\)"),
        (lambda x: x.mT, "B T D -> B T D", r"got \(2, 3, 5\), with B=2 T=5 D=3"),
        (lambda x: x.squeeze(), "B T 8 -> B T 8", r"\(1, 1, 8\), got \(8,\), with B=1 T=1"),
        (lambda x: (x, x), "B T 8 -> B T 8, B T T", r"output 1 must be \(B, T, T\)"),
        (lambda x: x, "B T 8 -> B T 8, B T T", "2 outputs are promised, got 1"),
        (lambda x: (x, None), "B T 8 -> B T 8, B T T", "output 1 must be a tensor, got NoneType"),
        (lambda x: x.double(), "B T 8 -> B T 8", "dtype torch.float32, got torch.float64"),
    ],
)
def test_shapes_fail(module, promise, told):
    with pytest.raises(AssertionError, match=told):
        assert_shapes(module, promise)


@pytest.mark.parametrize(
    ("promise", "told"),
    [
        ("B T 8", 'promise must be like "B T D -> B T D", got'),
        ("B T 8 -> B T Dv", "sizes must say what Dv is"),
        ("a b c d e f g -> a", "at most 6 free letters"),
    ],
)
def test_a_promise_that_says_nothing_is_refused(promise, told, layer):
    with pytest.raises(ValueError, match=told):
        assert_shapes(layer, promise)


# all of them


def test_all_leave_the_random_numbers_and_the_modes_as_they_were(x):
    module = nn.Sequential(nn.Linear(8, 8), SelfAttention(8))
    module[0].eval()
    before = torch.random.get_rng_state()
    assert_gradients_reach_every_parameter(module, x)
    assert_stateless(module, x)
    assert_same_in_train_and_eval(module, x)
    assert_shapes(module, "B T 8 -> B T 8")
    assert module.training and not module[0].training
    assert torch.equal(before, torch.random.get_rng_state())


def test_every_property_is_public():
    told = {name for name in dir(properties) if name.startswith("assert_")}
    assert told == set(properties.__all__)
    assert all(getattr(properties, name).__doc__ for name in told)


def test_a_mask_only_in_training_is_told_by_two_properties(x):
    """The published bug, as a learner's module may have it."""

    def forgets(m, x):
        mask = causal_mask(x.shape[1]) if m.training else None
        return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)

    with pytest.raises(AssertionError, match="in eval mode"):
        properties.assert_causal(Module(forgets), x)
    with pytest.raises(AssertionError, match="train and eval mode differ"):
        assert_same_in_train_and_eval(Module(forgets), x)
