"""The language of test cells: every check can fail, says why, and shows no test's source."""

import math
import os
import warnings
from collections import UserDict

import numpy as np
import pytest
import torch
from IPython import get_ipython
from IPython.testing.globalipapp import start_ipython
from torch import nn
from torch.nn import functional as F

from nbjudge import testing
from nbjudge.inside import wire
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.checks import deciding
from nbjudge.testing import Mistake, by_hand, call, close, fresh, require

pytestmark = pytest.mark.usefixtures("nothing_forbidden")

ONES = torch.ones(2, 3)


@pytest.fixture(scope="module")
def shell():
    """A notebook's kernel, in this process; there can be only one."""
    return start_ipython() or get_ipython()


def said(function, *args, **kwargs):
    """The message of the Mistake that a call raises."""
    with pytest.raises(Mistake) as caught:
        function(*args, **kwargs)
    return str(caught.value)


# -- close -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "expected", "told"),
    [
        (ONES * math.nan, ONES, "NaN at"),
        (ONES * math.nan, ONES * math.nan, "NaN at"),
        (torch.ones(3, 2), ONES, r"shape \(3, 2\), it must be \(2, 3\)"),
        (torch.ones(3), ONES, "shape"),
        (torch.ones(()), ONES, "shape"),
        (ONES.tolist(), ONES, "got a list of 2"),
        (np.ones((2, 3)), ONES, r"got a NumPy array \(no gradient flows through one\)\.$"),
        (None, ONES, "Is there a `return`"),
        (1.0, ONES, "got a float"),
        (ONES.double(), ONES, r"float64, it must be float32\. NumPy numbers"),
        (ONES.double(), ONES.tolist(), "float64, it must be float32"),
        (ONES.double() + 1, [[1, 1, 1], [1, 1, 1]], "float64, it must be float32"),
        (ONES.half(), ONES.tolist(), "float16, it must be float32"),
        (ONES, ONES.double(), r"float32, it must be float64\. Give what you make"),
        (ONES.long(), ONES.tolist(), r"int64, it must be float32\. Give it this dtype where you "),
        (ONES.bool(), ONES, "bool, it must be float32. Give it this dtype"),
        (ONES, ONES.bool(), r"expected booleans \(True = yes, False = no\), got float32"),
        (~ONES.bool(), ONES.bool(), "wrong in 6 of 6 places; first"),
        (ONES + 1e-4, ONES, "wrong in 6 of 6 places, by up to 0.0001"),
        (ONES * math.inf, ONES, "wrong in 6 of 6"),
        (ONES.double() + 1e-8, ONES.double(), "wrong in 6 of 6.* right to 32 bits only"),
        (ONES.double() + 1e-4, ONES.double(), r"wrong in 6 of 6 places, by up to 0.0001; .*0\]\.$"),
        (ONES + 1e-4, ONES, r"by up to 0.0001; first at \[0, 0\]\.$"),
        (torch.tensor(1.5), torch.tensor(1.0), r"^The output: off by 0.5\.$"),
        (torch.tensor(1e-8).double(), torch.zeros(()).double(), "off by 1e-08. It is right to 32"),
        (torch.tensor(False), torch.tensor(True), r"^The output: wrong\.$"),
        (torch.tensor(math.nan), torch.tensor(1.0), r"^The output: NaN\.$"),
        (torch.tensor([-math.inf, 2]), torch.tensor([-math.inf, 1]), "1 of 2 places, by up to 1;"),
        ("1", 1.0, "expected a number"),
        (np.ones(1), 1.0, "expected a tensor, got a NumPy array"),
        (2, 1.0, "2, it must be 1"),
        (math.nan, 1.0, "NaN"),
        (ONES, (ONES, ONES), "Expected 2 results"),
        ((ONES, ONES, ONES), (ONES, ONES), "got 3"),
    ],
)
def test_close_notices(got, expected, told):
    names = ("The output", "The weights") if isinstance(expected, tuple) else "The output"
    with pytest.raises(Mistake, match=told):
        close(got, expected, names)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (ONES + 1e-7, ONES),
        (ONES, [[1.0, 1, 1], [1, 1, 1]]),
        (ONES.bool(), [[True] * 3] * 2),
        (1, 1.0),
        (torch.tensor(1 / 3, dtype=torch.float64), 1 / 3),
        ((ONES, ONES), (ONES, ONES)),
        ([ONES, ONES], (ONES, ONES)),
    ],
)
def test_close_lets_pass(got, expected):
    close(got, expected, ["a", "b"] if isinstance(expected, tuple) else "a")


def test_close_names_the_mistake_whose_numbers_came_back():
    mistakes = {"Doubled.": ONES * 2, "Turned round.": ONES.mT}
    assert said(close, ONES * 2, ONES, mistakes=mistakes) == "Doubled."
    assert said(close, ONES.mT, ONES, mistakes=mistakes) == "Turned round."
    assert "wrong in" in said(close, ONES * 3, ONES, mistakes=mistakes)


def test_nothing_is_looked_up_for_what_is_right(monkeypatch):
    looked_up = []

    class Mistakes(UserDict):
        def items(self):
            looked_up.append("the test's own")
            return super().items()

    def no_tables():
        looked_up.append("known answers")
        return {}

    monkeypatch.setattr(recall, "all_stored", no_tables)
    own = Mistakes({"It is transposed.": ONES.mT})
    close(ONES, ONES, mistakes=own)
    close((ONES, ONES), (ONES, ONES), mistakes=own)
    testing.equal([1], [1])
    assert looked_up == []
    assert said(close, ONES.mT, ONES, mistakes=own) == "It is transposed."
    assert sorted(looked_up) == ["known answers", "the test's own"]
    said(testing.equal, [1], [2])
    assert looked_up[2:] == ["known answers"]


def test_a_mistake_is_known_by_where_its_nan_are():
    nan = torch.tensor([math.nan, 2.0])
    assert said(close, nan, torch.ones(2), mistakes={"Empty row.": nan}) == "Empty row."
    told = said(close, nan, torch.ones(2), mistakes={"Other row.": nan.flip(0)})
    assert told == "The result: NaN at [0]."
    nowhere = torch.full((2,), math.nan)
    told = said(close, nowhere, torch.ones(2), mistakes={"Any row.": nowhere})
    assert told == "The result: NaN at [0]."


ANYTHING = ["text", None, [1.0, "a"], [[1.0], [2.0, 3.0]], [None, 1.0], [{}], {}, ONES[0]]


@pytest.mark.parametrize("wrong", ANYTHING)
def test_a_known_answer_may_return_anything(wrong):
    told = said(close, 2 * ONES, ONES, mistakes={"It is something else.": wrong})
    assert told.startswith("The result: wrong in 6 of 6 places")
    for got in torch.tensor([1, 2]), np.ones(2), [torch.ones(2)]:
        told = said(testing.equal, got, [1, 2], mistakes={"It is something else.": wrong})
        assert told.startswith("The result: expected a list, got") or "must be [1, 2]" in told
        told = said(testing.equal, got, [1, 2], mistakes={"It is this.": got})
        assert told == "It is this."


def test_no_mistake_is_named_by_what_is_infinite_throughout():
    mistakes = {"The perplexity.": torch.tensor([math.inf, math.inf])}
    assert "wrong in 2 of 2" in said(close, torch.tensor([math.inf] * 2), ONES[0, :2])
    told = said(close, torch.tensor([math.inf] * 2), ONES[0, :2], mistakes=mistakes)
    assert "wrong in 2 of 2" in told
    mistakes = {"Infinite.": math.inf}
    assert "inf, it must be 1" in said(close, math.inf, 1.0, mistakes=mistakes)
    some = torch.tensor([-math.inf, 1.0])
    assert said(close, some, ONES[0, :2], mistakes={"Hidden.": some}) == "Hidden."


def test_no_mistake_is_named_that_comes_to_what_is_right():
    told = said(close, ONES.double(), ONES.tolist(), mistakes={"Same.": ONES.tolist()})
    assert "float64, it must be float32" in told
    beyond = torch.tensor([1 + 1.5e-5 * 2])
    mistakes = {"Nearly the same.": torch.tensor([1 + 1.5e-5])}
    assert "wrong in 1 of 1" in said(close, beyond, torch.ones(1), mistakes=mistakes)


def test_only_masks_speak_of_attending():
    told = said(close, ONES, ONES.bool(), "The padding mask")
    assert told.startswith("The padding mask: float32. A mask here is boolean: True = may be")


def test_close_prefers_the_mistake_that_explains_all_parts():
    mistakes = {"Output alone.": (ONES * 2, ONES), "Both.": (ONES * 2, ONES * 3)}
    names = ("a", "b")
    assert said(close, (ONES * 2, ONES * 3), (ONES, ONES), names, mistakes=mistakes) == "Both."
    assert said(close, (ONES * 2, ONES), (ONES, ONES), names, mistakes=mistakes) == "Output alone."
    part = {"Output.": (ONES * 2, None)}
    assert said(close, (ONES * 2, ONES * 7), (ONES, ONES), names, mistakes=part) == "Output."
    # One that would spoil what is right is not the mistake, whatever else it explains.
    told = said(close, (ONES * 2, ONES), (ONES, ONES), names, mistakes={"Both.": mistakes["Both."]})
    assert told.startswith("a: wrong in 6 of 6 places")


def test_close_shows_numbers_written_in_the_test_and_no_others():
    assert "3 at [0, 0], it must be 1" in said(close, ONES * 3, ONES.tolist())
    assert "7.125" in said(close, 3.0, 7.125)
    assert "7.125" not in said(close, ONES * 3, ONES * 0 + 7.125)


@pytest.mark.parametrize(
    ("got", "expected", "told"),
    [
        (torch.tensor(0.1).item(), 0.1, "0.100000001, it must be 0.1. float32 rounds like that"),
        (5.00000002, 5, "5.00000002, it must be 5."),
        (torch.tensor(5.0001), 5.0, "5.0001, it must be 5."),
        (torch.tensor([1000.03]), [1000.0], "1000.03 at [0], it must be 1000."),
        (torch.tensor(1 / 3), 1 / 3 + 1e-3, "0.333333, it must be 0.334333."),
        (torch.tensor(5.0).double() + 3e-9, 5.0, "5.000000003, it must be 5."),
        (torch.tensor([math.inf]), [1.0], "inf at [0], it must be 1."),
        (torch.tensor([3]), [4], "3 at [0], it must be 4."),
    ],
)
def test_two_numbers_that_differ_are_written_so_that_they_do(got, expected, told):
    assert said(close, got, expected, "It").startswith(f"It: {told}")


def test_a_name_begins_the_sentence_whole_and_without_a_comma():
    told = said(close, (ONES, ONES * 2), (ONES, ONES), ("The gradient of x", "Of the gain"))
    assert told.startswith("The gradient of the gain: wrong in")
    names = ("The gradient with respect to the scores", "That of the states")
    told = said(close, (ONES, ONES * 2), (ONES, ONES), names)
    assert told.startswith("The gradient of the states: wrong in")
    told = said(close, ONES * 2, ONES, "A sequence, next to the same in a batch,")
    assert told.startswith("A sequence, next to the same in a batch: wrong in")


def test_close_wants_as_many_names_as_parts():
    with pytest.raises(ValueError, match="name must hold 2 names"):
        close((ONES, ONES), (ONES, ONES), ["one"])


# -- the other checks --------------------------------------------------------------------


def test_distribution_says_which_axis():
    scores = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    testing.distribution(scores.softmax(-1))
    testing.distribution(scores.softmax(-1) * torch.tensor([1.0, 0.0, 1.0])[:, None])
    assert "over the queries, not over the keys" in said(testing.distribution, scores.softmax(-2))
    assert "must sum to 1" in said(testing.distribution, scores)
    one_row = torch.tensor([[0.5, 0.5], [0.5, 0.75]])
    assert "a row of yours sums to 1.25." in said(testing.distribution, one_row)
    nearly = torch.tensor([[0.5, 0.5], [0.5, 0.50002]])
    assert "a row of yours sums to 1.00002." in said(testing.distribution, nearly)
    assert "NaN" in said(testing.distribution, scores * math.nan)
    assert "negative" in said(testing.distribution, torch.tensor([[2.0, -1.0]]))
    assert "NumPy" in said(testing.distribution, scores.softmax(-1).numpy())


def test_require_and_shaped():
    testing.require(True, "never")
    assert said(testing.require, False, "This.") == "This."
    testing.shaped(ONES, (2, 3), "It")
    assert said(testing.shaped, ONES, (3, 2), "It") == "It: shape (2, 3), it must be (3, 2)."
    assert "return" in said(testing.shaped, None, (3, 2), "It")


def test_untouched_names_the_input():
    def spoils(a, b):
        b.add_(1)
        return a

    testing.untouched(lambda a, b: a + b, ONES, ONES, names="ab")
    assert "changes its input b" in said(testing.untouched, spoils, ONES, ONES, names="ab")
    assert torch.equal(ONES, torch.ones(2, 3))


def test_gradients_are_those_of_the_function_and_missing_ones_are_said():
    a, b = torch.tensor([2.0]), torch.tensor([3.0])
    one = torch.ones(1)
    assert testing.gradients(lambda a, b: a * b, a, b, cotangent=one) == (b, a)
    assert testing.gradients(lambda a, b: a * 2, a, b, cotangent=one)[1] is None
    cut = said(testing.gradients, lambda a, b: (a * b).detach(), a, b, cotangent=one)
    assert "cut off from the inputs" in cut

    def overwrites(a, b):
        c = a.exp()
        d = c * b
        c += 1
        return d

    assert "overwritten" in said(testing.gradients, overwrites, a, b, cotangent=one)
    in_place = testing.gradients(lambda a, b: a.mul_(b), a, b, cotangent=one)
    assert in_place == (b, a), "changing an input in place is for another test to judge"


def test_same_gradients_compares_value_and_gradient():
    def same(f, **more):
        generator = torch.Generator().manual_seed(0)
        testing.same_gradients(
            f, torch.sin, torch.tensor([1.0]), names="a", generator=generator, **more
        )

    same(lambda a: a.sin())
    same(lambda a: [a.sin(), a], output=0)  # several results, in a list as in a tuple
    assert "The value is wrong" in said(same, torch.cos)
    assert "gradient with respect to a" in said(same, lambda a: a.sin() + a - a.detach())
    assert "NaN" in said(same, lambda a: a.sin() + 0 * (a - a.detach()).sqrt(), if_nan="Look.")


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
    told = said(call, f, given)
    assert f"changes its input {name}: its caller" in told
    assert look in told


def test_call_says_which_of_several_inputs_was_changed():
    def second(a, *, b):
        return b.add_(a)

    assert "`second` changes its input b:" in said(call, second, ONES, b=ONES)
    assert "changes its input input 2" not in said(call, lambda a, b: b.add_(a), ONES, ONES)


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


def test_call_speaks_of_the_learners_line_and_of_the_inputs():
    def attend(Q, K):
        return Q @ K

    told = said(call, attend, ONES, ONES)
    assert "`attend` stops with RuntimeError" in told
    assert "return Q @ K" in told
    assert "Q (2, 3), K (2, 3)" in told


@pytest.mark.parametrize(
    ("given", "told"),
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
def test_an_error_tells_what_a_function_was_called_with(given, told):
    def stops(x):
        return 1 / 0

    last = said(call, stops, given).splitlines()[-1]
    assert last.startswith(f"  called with {told}") and len(last) < 70


def test_call_knows_a_stub():
    def stub():
        raise NotImplementedError("Your code goes here.")

    told = "its cell still has the stub, or has not run without an error since."
    assert said(call, stub) == f"`stub` is not written yet: {told}"


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
    told = said(call, wrong, ONES)
    own, usually, *rest = told.splitlines()
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it raises is the point
        wrong(ONES.clone())
    assert own.endswith(f"stops with {caught.type.__name__}: {caught.value}")
    assert hint in usually and not usually.startswith("  line")
    assert all(line.startswith("  ") for line in rest)


def test_an_error_that_says_it_all_gets_no_hint():
    assert said(call, lambda x: 1 / 0, 3).splitlines()[1].startswith("  line")


def test_all_that_an_error_says_is_told_up_to_an_empty_line():
    told = said(call, lambda x: torch.min(x, x, 0), ONES)
    assert "expected one of:\n * (Tensor input" in told and "int dim" in told

    def many(lines):
        raise ValueError(lines)

    told = said(call, many, "one\n" * 50).splitlines()
    assert 8 < told.count("one") < 20 and told[-2].startswith("  line")
    assert "two" not in said(call, many, "one\n\ntwo").splitlines()


def test_warnings_in_a_verb_are_not_shown(recwarn):
    def warns(x):
        warnings.warn("of the learner's", stacklevel=1)
        return math.sqrt(x)

    by_hand("attention")
    assert call(warns, torch.tensor(4.0, requires_grad=True)) == 2.0
    assert not recwarn.list


def test_call_takes_plain_results_only():
    assert "returns a set" in said(call, lambda: {1})
    assert call(lambda: (1, "a", None, np.float64(2), np.ones(1)))[:4] == (1, "a", None, 2.0)


def test_a_subclass_of_tensor_comes_back_as_a_tensor():
    class Liar(torch.Tensor):
        pass

    assert type(call(lambda: torch.ones(1).as_subclass(Liar))) is torch.Tensor


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
    found = testing.parameter_gradients(
        module, torch.ones(1, 2).double(), cotangent=torch.ones(1, 3)
    )
    assert torch.equal(found["W"], torch.ones(2, 3).double())
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
    assert "plain tensor" in said(testing.build, Plain, weights=W)
    assert "nn.Linear" in said(testing.build, Linear, weights=W)
    assert "transposed" in said(testing.build, Line, 3, 2, weights=W)
    assert "must be (2, 3)" in said(testing.build, Line, 4, 3, weights=W)
    assert "must be U (1,)" in said(testing.build, Line, 4, 3, weights={"U": torch.zeros(1)})
    assert "derives from nn.Module" in said(testing.build, dict)


# -- multiple choice ---------------------------------------------------------------------

KEY = {"a": True, "b": False}
REASONS = {"a": "Since a.", "b": "Since b."}


@pytest.mark.parametrize(
    ("given", "points", "told"),
    [
        ({"a": True, "b": False}, 3, ""),
        ({"a": True, "b": True}, 1.5, "b: it is False. Since b.\n"),
        ({"a": False, "b": True}, 0, "a: it is True. Since a.\nb: it is False. Since b.\n"),
        (
            {"a": True, "b": "False"},
            1.5,
            "b: True and False are written without quotation marks: yours are strings. No points "
            "could be given.\n",
        ),
        ({"a": True, "b": None}, 1.5, "b: not answered.\n"),
        ({"a": True}, 1.5, "b: not answered.\n"),
    ],
)
def test_choices_scores_each_statement_and_gives_reasons(capsys, given, points, told):
    assert testing.choices(given, KEY, REASONS, points=3) == points
    assert capsys.readouterr().out == told


def test_where_a_notebook_scores_in_the_same_cell_a_gap_costs_its_own_points_alone(shell):
    shell.run_cell("from nbjudge.testing import answered, choices", store_history=True)
    seen = "answered({'a': True}, ['a', 'b'])"
    scored = f"choices({{'a': True}}, {KEY}, {REASONS}, 3)"
    assert shell.run_cell(f"{seen}\n{scored}", store_history=True).result == 1.5
    alone = shell.run_cell(seen, store_history=True)
    assert "Not answered yet: b" in str(alone.error_in_exec)


def test_choices_and_answered_refuse_what_is_no_answer():
    assert "No statement" in said(testing.choices, {}, KEY, REASONS, points=3)
    assert "must stay a dict" in said(testing.choices, [True], KEY, REASONS, points=3)
    with pytest.raises(ValueError, match="reasons must have one for each"):
        testing.choices({"a": True}, KEY, {}, points=3)
    testing.answered({"a": True, "b": False}, ["a", "b"])
    assert "Not answered yet: b" in said(testing.answered, {"a": True}, ["a", "b"])
    assert "quotation marks" in said(testing.answered, {"a": "True", "b": True}, ["a", "b"])
    assert "no statement 'c'" in said(testing.answered, {"c": True}, ["a"])


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


# -- several mistakes that explain a result --------------------------------------------------------

TWO = torch.tensor([2.0])


def known(**mistakes):
    """Known mistakes by their messages, each with the one number that it gives."""
    return {message: torch.tensor([float(number)]) for message, number in mistakes.items()}


def test_results_that_are_no_tensors_decide_too():
    with pytest.raises(Mistake, match="^B$"), deciding():
        testing.equal([2], [1], mistakes={"A": [2], "B": [2], "C": [3]})
        testing.equal("b", "a", mistakes={"A": "a", "B": "b", "C": "b"})
    both = "^Each of these mistakes gives the same numbers here:\n- A\n- B$"
    with pytest.raises(Mistake, match=both), deciding():
        testing.equal([2], [1], mistakes={"A": [2], "B": [2]})
        close(TWO, TWO, mistakes=known(C=2))
    with pytest.raises(Mistake, match=both):
        testing.equal([2], [1], mistakes={"A": [2], "B": [2]})


def test_the_results_after_it_decide_between_mistakes():
    with pytest.raises(Mistake, match="^B$"), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=2, C=3))
        close(TWO + 1, TWO - 1, mistakes=known(A=2, B=3, C=3))
        pytest.fail("it was decided before")
    with pytest.raises(Mistake, match="^B$"), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=2))
        close(TWO, TWO, mistakes=known(A=7, B=2))


def test_a_result_of_another_kind_needs_no_guess():
    for check in (
        lambda: close(TWO.double(), TWO, mistakes=known(A=2)),
        lambda: close([2.0], TWO, mistakes=known(A=2)),
        lambda: testing.equal(None, 2, mistakes={"A": 3}),
        lambda: close(TWO * math.nan, TWO, mistakes=known(A=2), if_nan="0/0 is NaN."),
    ):
        with pytest.raises(Mistake) as caught, deciding():
            check()
        assert caught.value.guess is None
    with pytest.raises(Mistake) as caught, deciding():
        close(TWO + 1, TWO, mistakes=known(A=2))
    assert caught.value.guess.fault.startswith("The result: wrong in 1 of 1 places")
    nan = torch.full((1,), math.nan)
    with pytest.raises(Mistake) as caught, deciding():
        close(nan, TWO, mistakes={"A": nan}, if_nan="0/0 is NaN.")
    guess = caught.value.guess
    assert guess is not None, "a known mistake gives NaN, too"
    assert wire.undumps(wire.dumps(guess.plain())) == guess.plain(), "it can be sent"


def test_what_is_undecided_is_told_together():
    both = "^Each of these mistakes gives the same numbers here:\n- A\n- B$"
    with pytest.raises(Mistake, match=both), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=2, C=3))
        close(TWO, TWO)
    with pytest.raises(Mistake, match=both), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=2))
        raise ValueError("on what came back")
    with pytest.raises(Mistake, match=both), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=2))
        require(False, "something else that is wrong too")
    with pytest.raises(Mistake, match="^A$"), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=2, C=2, D=2, E=2))


def test_a_result_that_nobody_waits_for_is_told_at_once():
    with pytest.raises(Mistake, match="same numbers here:\n- A\n- B$"):
        close(TWO, TWO - 1, mistakes=known(A=2, B=2))
    wrong = {"A": (TWO, None), "B": (TWO, TWO), "C": (None, TWO)}
    with pytest.raises(Mistake, match="^B$"):
        close((TWO, TWO), (TWO - 1, TWO - 1), ("One", "Two"), mistakes=wrong)
    with pytest.raises(Mistake, match="^A$"), deciding():
        close(TWO, TWO - 1, mistakes=known(A=2, B=3))
        pytest.fail("it was told before")
    with pytest.raises(Mistake, match="^It: off by|^It: wrong in"), deciding():
        close(TWO, TWO - 1, "It", mistakes=known(A=7))
    with deciding():
        close(TWO, TWO, mistakes=known(A=2, B=2))


@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize("asked", [tuple, list])
def test_several_results_may_come_in_a_list(kind, asked):
    """A test may compare what came back with what came back before, in whichever form."""
    got, before = kind([torch.ones(2), torch.zeros(3)]), asked([torch.ones(2), torch.zeros(3)])
    close(got, before, ("The output", "The weights"))
    with pytest.raises(Mistake, match="The weights: wrong in 3 of 3 places"):
        close(kind([torch.ones(2), torch.ones(3)]), before, ("The output", "The weights"))
    with pytest.raises(Mistake, match="expected a tensor, got a list of 2"):
        close([torch.ones(2), torch.zeros(3)], torch.ones(2))
