"""The language of test cells: the verbs, multiple choice, fresh inputs, and what a learner sees."""

import math
import os
import warnings

import numpy as np
import pytest
import torch
from IPython import get_ipython
from IPython.testing.globalipapp import start_ipython
from mistake_messages import message_of
from torch import nn
from torch.nn import functional as F

from nbjudge import testing
from nbjudge.testing import by_hand, call, fresh

pytestmark = pytest.mark.usefixtures("nothing_forbidden")

ONES = torch.ones(2, 3)


@pytest.fixture(scope="module")
def shell():
    """A notebook's kernel, in this process; there can be only one."""
    return start_ipython() or get_ipython()


@pytest.fixture
def typed(tmp_path):
    """What a learner's source defines. Its file is not in the judge's folder, as this one is."""

    def define(name, source):
        path = tmp_path / f"{name}.py"
        path.write_text(source)
        names = {}
        exec(compile(source, path, "exec"), names)
        return names[name]

    return define


# -- verbs -------------------------------------------------------------------------------


def test_call_hands_in_copies_and_gives_back_copies():
    kept = []

    def keeps(a):
        kept.append(a)
        return {"same": a, "list": [a, 1]}

    back = call(keeps, ONES)
    assert kept[0] is not ONES and back["same"] is not kept[0] and back["list"][1] == 1
    kept[0].zero_()
    assert torch.equal(back["same"], ONES)


def adds(x):
    x += 1
    return x


def hides(w):
    w["b"][0] = 0
    return w["a"]


def renames(w):
    w["c"] = w.pop("b")
    return w["a"]


@pytest.mark.parametrize(
    ("f", "given", "name", "look"),
    [
        (adds, ONES, "x", "`x[...] = ...`, and methods that end in an underscore"),
        (adds, torch.arange(3), "x", "underscore"),
        (adds, np.ones(2), "x", "underscore"),
        (lambda m: m.logical_not_(), ONES.bool(), "m", "underscore"),
        (lambda x: x.t_(), ONES, "x", "underscore"),
        (lambda x: x.zero_(), ONES * math.nan, "x", "underscore"),
        (hides, {"a": ONES, "b": ONES}, "w", "work on a copy"),
        (renames, {"a": ONES, "b": ONES}, "w", "work on a copy"),
        (lambda merges: merges.reverse(), [(0, 1), (2, 3)], "merges", ".sort()"),
        (lambda words: words[0].append(1), [[0], [2]], "words", ".sort()"),
        (lambda pair: pair[0].mul_(2), (ONES, ONES), "pair", "work on a copy"),
        (lambda scores: scores.sort(), [2.0, 1.0, math.nan], "scores", ".sort()"),
    ],
)
def test_call_says_which_input_was_changed(f, given, name, look):
    message = message_of(call, f, given)
    assert f"changes its input {name}: its caller" in message
    assert look in message


def test_call_says_which_of_several_inputs_was_changed():
    def second(a, *, b):
        return b.add_(a)

    assert "`second` changes its input b:" in message_of(call, second, ONES, b=ONES)
    assert "changes its input input 2" not in message_of(call, lambda a, b: b.add_(a), ONES, ONES)


def test_what_only_looks_changed_is_none_of_a_calls_business():
    module = nn.Linear(3, 1)
    given = {"a": ONES * math.nan, "b": [1, "two", None, math.nan, (ONES, module, len)]}

    def careful(w, f):
        w = dict(w, a=w["a"].clone().zero_())
        w["b"] = w["b"][::-1]
        module.weight.data.zero_()
        return f([3, 1])

    assert call(careful, given, sorted) == [1, 3]
    assert call(lambda x: x.requires_grad_().sum(), ONES) == 6


def test_call_speaks_of_the_learners_line_and_of_the_inputs(typed):
    attend = typed("attend", "def attend(Q, K):\n    return Q @ K\n")
    message = message_of(call, attend, ONES, ONES)
    assert "`attend` stops with RuntimeError" in message
    assert "return Q @ K" in message
    assert "Q (2, 3), K (2, 3)" in message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "x = 7"),
        (None, "x = None"),
        ("a" * 50, "x = 'aaa"),
        ([], "x = []"),
        ({}, "x = {}"),
        ([3, 4, 12], "x (a list of 3)"),
        ([ONES, ONES[0]], "x = [(2, 3), (3,)]"),
        ([[1, 2], []], "x = [(a list of 2), []]"),
        ({"W": ONES, "n": 1}, "x = {W (2, 3), n 1}"),
        ({str(n): ONES for n in range(9)}, "x (a dict of 9)"),
        ([ONES, (ONES, {1})], "x = [(2, 3), (a tuple of 2)]"),
    ],
)
def test_an_error_tells_what_a_function_was_called_with(given, message):
    def stops(x):
        return 1 / 0

    last = message_of(call, stops, given).splitlines()[-1]
    assert last.startswith(f"  called with {message}") and len(last) < 70


def test_call_knows_a_stub():
    def stub():
        raise NotImplementedError("Your code goes here.")

    message = "its cell still has the stub, or has not run without an error since."
    assert message_of(call, stub) == f"`stub` is not written yet: {message}"


MASK = torch.tensor([True, False])


def endless(x):
    return endless(x)


def unpack_shape(x):
    batch, heads, width = x.shape
    return batch, heads, width


class Bare(nn.Module):
    def __init__(self):
        """Leave the module unprepared."""


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda x: MASK and MASK, "write &, | and ~"),
        (lambda x: not MASK, "write &, | and ~"),
        (lambda x: -1 < x < 2, "write &, | and ~"),
        (lambda x: x > 1 & x < 2, "each comparison in parentheses"),
        (lambda x: x > 0.5 & MASK, "each comparison in parentheses"),
        (lambda x: x.numpy() > 0 and MASK, "write &, | and ~"),
        (math.sqrt, "torch.sqrt(x)"),
        (lambda x: math.exp(x), "torch.sqrt(x)"),
        (lambda x: x.item(), "torch.sqrt(x)"),
        (lambda x: torch.tensor([x, x]), "torch.stack"),
        (lambda x: torch.sqrt(x.shape[-1]), "math.sqrt(d)"),
        (lambda x: x.numpy() @ x, "do not mix"),
        (lambda x: torch.exp(x.numpy()), "do not mix"),
        (lambda x: torch.cat([x.numpy(), x]), "do not mix"),
        (lambda x: np.exp(x.requires_grad_()), "do not mix"),
        (lambda x: x[7], "Indices run from 0"),
        (lambda x: [1][3], "Indices run from 0"),
        (lambda x: x[0, 0, 0], "fewer axes"),
        (lambda x: x.sum(5), "Axes are counted from 0"),
        (lambda x: bytes([195]).decode(), "not valid UTF-8"),
        (lambda x: F.embedding(torch.tensor([9]), x), "Ids run from 0"),
        (lambda x: x @ x, "the last axis of A"),
        (lambda x: x[None] @ x[None], "the last axis of A"),
        (lambda x: x + torch.ones(4), "aligns shapes at their ends"),
        (lambda x: x @ torch.ones(3).double(), "dtype=x.dtype"),
        (lambda x: x + None, "without `return`"),
        (lambda x: x[0].topk(5), "k must be no greater than the length"),
        (lambda x: x[0].kthvalue(5), "k must be no greater than the length"),
        (lambda x: x[0].sort().values[4], "an input that may exceed the length"),
        (endless, "a stack of your own"),
        (lambda x: max([]), "pass default="),
        (lambda x: unpack_shape(x), "the number of axes"),
        (lambda x: x.mT.view(6), "use reshape"),
        (lambda x: x.reshape(4, 2), "keeps the number of entries"),
        (lambda x: nn.Module.__setattr__(Bare(), "W", nn.Parameter(x)), "super().__init__() first"),
    ],
)
def test_an_error_is_told_in_its_own_words_and_what_it_usually_is(wrong, hint):
    message = message_of(call, wrong, ONES)
    own, usually, *rest = message.splitlines()
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it raises is the point
        wrong(ONES.clone())
    assert own.endswith(f"stops with {caught.type.__name__}: {caught.value}")
    assert hint in usually and not usually.startswith("  line")
    assert all(line.startswith("  ") for line in rest)


def test_an_error_that_says_it_all_gets_no_hint(typed):
    stops = typed("stops", "def stops(x):\n    return 1 / 0\n")
    assert message_of(call, stops, 3).splitlines()[1].startswith("  line")


def test_all_that_an_error_says_is_told_up_to_an_empty_line(typed):
    message = message_of(call, lambda x: torch.min(x, x, 0), ONES)
    assert "expected one of:\n * (Tensor input" in message and "int dim" in message
    many = typed("many", "def many(lines):\n    raise ValueError(lines)\n")
    lines = message_of(call, many, "one\n" * 50).splitlines()
    assert 8 < lines.count("one") < 20 and lines[-2].startswith("  line")
    assert "two" not in message_of(call, many, "one\n\ntwo").splitlines()


def test_warnings_in_a_verb_are_not_shown(recwarn):
    def warns(x):
        warnings.warn("of the learner's", stacklevel=1)
        return math.sqrt(x)

    by_hand("attention")
    assert call(warns, torch.tensor(4.0, requires_grad=True)) == 2.0
    assert not recwarn.list


def test_call_takes_plain_results_only():
    assert "returns a set" in message_of(call, lambda: {1})
    assert call(lambda: (1, "a", None, np.float64(2), np.ones(1)))[:4] == (1, "a", None, 2.0)


def test_a_subclass_of_tensor_comes_back_as_a_tensor():
    class LyingTensor(torch.Tensor):
        pass

    assert type(call(lambda: torch.ones(1).as_subclass(LyingTensor))) is torch.Tensor


class Line(nn.Module):
    """A module with one matrix."""

    def __init__(self, n, m):
        super().__init__()
        self.W = nn.Parameter(torch.zeros(n, m))

    def forward(self, x):
        return x @ self.W


def test_build_loads_weights_of_any_precision():
    given = torch.ones(2, 3, dtype=torch.float64)
    module = testing.build(Line, 2, 3, weights={"W": given})
    assert testing.parameter_shapes(module) == {"W": (2, 3)}
    assert torch.equal(call(module, given.mT[:1, :2]), torch.full((1, 3), 2.0).double())
    tensors = testing.parameter_gradients(
        module, torch.ones(1, 2).double(), cotangent=torch.ones(1, 3)
    )
    assert torch.equal(tensors["W"], torch.ones(2, 3).double())
    assert testing.mode(testing.switch(module, "eval")) == "eval"
    with pytest.raises(ValueError, match='to must be "train" or "eval"'):
        testing.switch(module, "test")


def test_build_says_what_differs():
    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.W = torch.zeros(2, 3)

    class Linear(nn.Module):
        def __init__(self):
            super().__init__()
            self.W = nn.Linear(2, 3)

    W = {"W": torch.zeros(2, 3)}
    assert "plain tensor" in message_of(testing.build, Plain, weights=W)
    assert "nn.Linear" in message_of(testing.build, Linear, weights=W)
    assert "transposed" in message_of(testing.build, Line, 3, 2, weights=W)
    assert "must be (2, 3)" in message_of(testing.build, Line, 4, 3, weights=W)
    assert "must be U (1,)" in message_of(testing.build, Line, 4, 3, weights={"U": torch.zeros(1)})
    assert "derives from nn.Module" in message_of(testing.build, dict)


# -- multiple choice ---------------------------------------------------------------------

#: Not in order: a learner reads them in order all the same.
KEY = {"b": False, "a": True}
REASONS = {"a": "Since a.", "b": "Since b."}


@pytest.mark.parametrize(
    ("given", "points", "message"),
    [
        ({"a": True, "b": False}, 3, ""),
        ({"a": True, "b": True}, 1.5, "b: it is False. Since b.\n1 of 2 is right.\n"),
        (
            {"a": False, "b": True},
            0,
            "a: it is True. Since a.\nb: it is False. Since b.\n0 of 2 are right.\n",
        ),
        (
            {"a": True, "b": "False"},
            1.5,
            "b: True and False are written without quotation marks: yours are strings. No points "
            "could be given.\n1 of 2 is right.\n",
        ),
        ({"a": True, "b": None}, 1.5, "b: not answered.\n1 of 2 is right.\n"),
        ({"a": True}, 1.5, "b: not answered.\n1 of 2 is right.\n"),
    ],
)
def test_choices_scores_each_statement_and_gives_reasons(capsys, given, points, message):
    assert testing.choices(given, KEY, REASONS, points=3) == points
    assert capsys.readouterr().out == message


def test_where_a_notebook_scores_in_the_same_cell_a_gap_costs_its_own_points_alone(shell):
    shell.run_cell("from nbjudge.testing import answered, choices", store_history=True)
    seen = "answered({'a': True}, ['a', 'b'])"
    scored = f"choices({{'a': True}}, {KEY}, {REASONS}, 3)"
    assert shell.run_cell(f"{seen}\n{scored}", store_history=True).result == 1.5
    alone = shell.run_cell(seen, store_history=True)
    assert "1 of 2 answered; not yet: b." in str(alone.error_in_exec)


def test_choices_and_answered_refuse_what_is_no_answer():
    assert "No statement" in message_of(testing.choices, {}, KEY, REASONS, points=3)
    assert "must stay a dict" in message_of(testing.choices, [True], KEY, REASONS, points=3)
    with pytest.raises(ValueError, match="reasons must have one for each"):
        testing.choices({"a": True}, KEY, {}, points=3)
    testing.answered({"a": True, "b": False}, ["a", "b"])
    assert "1 of 2 answered; not yet: b." in message_of(testing.answered, {"a": True}, ["a", "b"])
    assert "quotation marks" in message_of(testing.answered, {"a": "True", "b": True}, ["a", "b"])
    assert "no statement 'c'" in message_of(testing.answered, {"c": True}, ["a"])


# -- fresh inputs, and what a learner sees -----------------------------------------------


def drawn(test):
    return torch.rand(4, generator=fresh(test)).tolist()


def test_fresh_repeats_by_seed_and_differs_by_test(monkeypatch):
    monkeypatch.setenv("NBJUDGE_SEED", "7")
    assert drawn("a--x") == drawn("a--x") != drawn("a--y")
    seven = drawn("a--x")
    monkeypatch.setenv("NBJUDGE_SEED", "8")
    assert drawn("a--x") != seven
    monkeypatch.delenv("NBJUDGE_SEED")
    assert drawn("a--x") != drawn("a--x")
    assert "NBJUDGE_SEED" not in os.environ


def test_a_mistake_is_shown_without_a_traceback(capsys, shell):
    capsys.readouterr()
    shell.run_cell(
        "from nbjudge.testing import require\n"
        "secret = 'what a hidden test holds'\n"
        "require(secret == 1, 'Your weights do not sum to 1. ' * 6)\n"
    )
    shown = capsys.readouterr().out
    assert "✗ Your weights do not sum to 1." in shown
    assert "secret" not in shown and "Traceback" not in shown and "require" not in shown
    assert max(map(len, shown.splitlines())) <= 92
