"""The verbs do the same here and over the wire, and over the wire they believe nothing."""

import operator
import random
from time import monotonic

import numpy as np
import pytest
import torch
from torch import nn
from wire_ends import honest

from nbjudge import testing
from nbjudge.inside.testing.handle import NotThroughAVerb
from nbjudge.judge.remote import Missing
from nbjudge.testing import Mistake, by_hand

pytestmark = pytest.mark.usefixtures("nothing_forbidden")

ONES = torch.ones(2, 3)
X = torch.randn(2, 3, generator=torch.Generator().manual_seed(0))


# -- a learner's work ------------------------------------------------------------------------------


def add(a, b):
    return a + b


def spoils(a, b):
    a += 1
    return {"sum": a + b, "list": [a, (1, None, "x")], "n": np.float64(2), "array": np.ones(2)}


def cut(a):
    return a.detach() * 2


def two(a, b=2.0):
    return a * b, a.sum()


def fails(a):
    return a[7]


def stub():
    raise NotImplementedError("Your code goes here.")


def leaves(*args):
    raise SystemExit(3)


def odd():
    return {1, 2}


class Mute(Exception):
    def __str__(self):
        raise RuntimeError


def mute():
    raise Mute


def around():
    circle = []
    circle.append(circle)
    return circle


def wide():
    return torch.zeros(1).expand(10**6, 10**6)


def long():
    return [0] * 2_000_000


class Line(nn.Module):
    """A module with one matrix and dropout."""

    def __init__(self, n, m=3):
        super().__init__()
        self.W = nn.Parameter(torch.zeros(n, m))

    def forward(self, x):
        return x @ self.W, self.training


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = torch.zeros(2, 3)


NAMES = {
    name: thing
    for name, thing in globals().items()
    if callable(thing) and getattr(thing, "__module__", "") == __name__
} | {"answers": {"a": True, "b": None}, "number": 3}


@pytest.fixture
def link():
    """A link to a thread that does what a learner's process does."""
    with honest(NAMES) as link:
        link.begin(5, 10.0, monotonic() + 60)
        yield link


def plain(value):
    """The value in a form that can be compared."""
    if isinstance(value, torch.Tensor | np.ndarray):
        return type(value).__name__, str(value.dtype), value.tolist()
    if isinstance(value, list | tuple):
        return type(value), [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return value


def outcome(verb, *args, **kwargs):
    try:
        return plain(verb(*args, **kwargs))
    except Mistake as mistake:
        return "Mistake", str(mistake)


COT = torch.ones(2, 3)
QUESTIONS = [
    (testing.call, "add", (ONES, X), {}),
    (testing.call, "add", (ONES, ONES.double()), {}),
    (testing.call, "add", (np.ones(2), 1), {}),
    (testing.call, "spoils", (ONES, X), {}),
    (testing.call, "two", (X,), {"b": torch.tensor(3.0)}),
    (testing.call, "two", ((1, 2), 2), {}),
    (testing.call, "fails", (ONES,), {}),
    (testing.call, "stub", (), {}),
    (testing.call, "leaves", (ONES, 2), {}),
    (testing.call, "odd", (), {}),
    (testing.call, "mute", (), {}),
    (testing.call, "around", (), {}),
    (testing.call, "wide", (), {}),
    (testing.call, "long", (), {}),
    (testing.call, "number", (1,), {}),
    (testing.inputs_after, "add", (ONES, X), {}),
    (testing.inputs_after, "spoils", (ONES, X), {}),
    (testing.gradients, "add", (X, 2), {"cotangent": COT}),
    (testing.gradients, "two", (X, X), {"cotangent": COT, "output": 0}),
    (testing.gradients, "two", (X,), {"cotangent": COT}),
    (testing.gradients, "cut", (X,), {"cotangent": COT}),
    (testing.gradients, "add", (X, X), {"cotangent": torch.ones(3)}),
    (testing.build, "Plain", (), {"weights": {"W": torch.zeros(2, 3)}}),
    (testing.build, "Line", (2,), {"weights": {"W": torch.zeros(3, 2)}}),
    (testing.build, "Line", (2,), {"weights": {"U": torch.zeros(2, 3)}}),
    (testing.build, "add", (1, 2), {}),
    (testing.build, "Line", (), {}),
]


IDS = [f"{verb.__name__}-{name}" for verb, name, _, _ in QUESTIONS]


@pytest.mark.parametrize(("verb", "name", "args", "kwargs"), QUESTIONS, ids=IDS)
def test_a_verb_gives_the_same_here_and_over_the_wire(link, verb, name, args, kwargs):
    here = outcome(verb, NAMES[name], *args, **kwargs)
    assert outcome(verb, link.name(name), *args, **kwargs) == here
    assert torch.equal(ONES, torch.ones(2, 3))


def test_a_module_is_the_same_here_and_over_the_wire(link):
    for cls in Line, link.name("Line"):
        W = torch.arange(6.0).reshape(2, 3).double()
        module = testing.build(cls, 2, weights={"W": W})
        assert testing.parameter_shapes(module) == {"W": (2, 3)}
        assert torch.equal(testing.parameter_values(module)["W"], W)
        x = torch.ones(1, 2).double()
        for now in "eval", "train":
            module = testing.switch(module, now)
            assert testing.mode(module) == now
            output, training = testing.call(module, x)
            assert torch.equal(output, x @ W) and training is (now == "train")
        tensors = testing.parameter_gradients(module, x, cotangent=torch.ones(1, 3), output=0)
        assert torch.equal(tensors["W"], torch.ones(2, 3).double())
        testing.untouched(module, x, names="x")
        with pytest.raises(ValueError, match="to must be"):
            testing.switch(module, "test")


def test_values_and_choices_over_the_wire(link):
    assert testing.value(link.name("answers")) == {"a": True, "b": None}
    assert testing.value({"a": True}) == {"a": True}
    with pytest.raises(Mistake, match="1 of 2 answered; not yet: b"):
        testing.answered(link.name("answers"), ["a", "b"])
    assert testing.choices(link.name("answers"), {"a": True}, {"a": ""}, points=2) == 2
    with pytest.raises(Mistake, match="must stay a dict"):
        testing.answered(link.name("number"), ["a"])
    with pytest.raises(Mistake, match="return tensors or plain numbers"):
        testing.value(link.name("Line"))


def test_a_name_that_is_not_there_is_said(link):
    with pytest.raises(Missing, match="`attention` is not defined") as caught:
        testing.call(link.name("attention"), ONES)
    assert caught.value.name == "attention"


def test_what_is_forbidden_goes_with_the_question(link):
    NAMES["uses"] = lambda q: nn.functional.scaled_dot_product_attention(q, q, q)
    testing.call(link.name("uses"), ONES)
    by_hand("attention")
    with pytest.raises(Mistake, match="does the whole of this exercise"):
        testing.call(link.name("uses"), ONES)


def test_a_test_begins_with_random_numbers_of_its_own(link):
    NAMES["draws"] = lambda: (torch.rand(2), np.random.rand(), random.random())
    drawn = []
    for seed in 1, 1, 2:
        link.begin(seed, 10.0, monotonic() + 60)
        drawn.append(plain(testing.call(link.name("draws"))))
    assert drawn[0] == drawn[1] != drawn[2]


# -- handles ---------------------------------------------------------------------------------------

USES = {
    "name": lambda h: h.__name__,
    "class": lambda h: h.__class__,
    "isinstance": lambda h: isinstance(h, nn.Module),
    "set": lambda h: setattr(h, "x", 1),
    "iterate": list,
    "unpack": lambda h: (lambda a, b: 0)(*h),
    "equal": lambda h: h == 1,
    "bool": bool,
    "not": operator.not_,
    "repr": repr,
    "format": lambda h: f"{h}",
    "index": lambda h: h["a"],
    "in": lambda h: "a" in h,
    "len": len,
    "hash": hash,
    "add": lambda h: h + ONES,
    "radd": lambda h: 1 + h,
    "matmul": lambda h: h @ h,
    "float": float,
    "dir": dir,
    "torch": lambda h: torch.add(ONES, h),
    "with": lambda h: h.__enter__(),
    "close": lambda h: testing.close(h, ONES),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_what_a_handle_cannot_do_asks_nothing_of_the_learner(link, use):
    before = link.asked
    with pytest.raises((NotThroughAVerb, TypeError)) as caught:
        use(link.name("add"))
    if caught.type is NotThroughAVerb:
        assert "stays in the learner's process" in str(caught.value)
    assert link.asked == before


@pytest.mark.parametrize("given", [lambda x: x, nn.Linear(1, 1), {1, 2}, torch.Generator()])
def test_what_cannot_go_over_the_wire_is_a_fault_of_the_test(link, given):
    with pytest.raises(NotThroughAVerb, match="cannot be sent"):
        testing.call(link.name("add"), ONES, given)
    assert torch.equal(testing.call(link.name("add"), ONES, 1), ONES + 1), "the link still works"


def test_a_module_is_of_one_test(link):
    module = testing.build(link.name("Line"), 2)
    link.begin(1, 10.0, monotonic() + 60)
    with pytest.raises(NotThroughAVerb, match="build it where it is used"):
        testing.call(module, ONES)
