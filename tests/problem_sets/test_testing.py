"""The language of test cells: every check can fail, says why, and shows no test's source."""

import math
import os

import numpy as np
import pytest
import torch
from IPython.testing.globalipapp import start_ipython
from torch import nn
from torch.nn import functional as F

import tfcourse.attention
import tfcourse.generation
import tfcourse.recurrent
from tfcourse.grading import testing
from tfcourse.grading.testing import Mistake, by_hand, call, close, fresh

ONES = torch.ones(2, 3)


@pytest.fixture(autouse=True)
def nothing_forbidden():
    by_hand()
    yield
    by_hand()


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
        (ONES.tolist(), ONES, "a list of 2 comes back"),
        (np.ones((2, 3)), ONES, "NumPy array"),
        (None, ONES, "Is there a `return`"),
        (1.0, ONES, "a float comes back"),
        (ONES.double(), ONES, "float64, while its inputs are float32"),
        (ONES.bool(), ONES, "bool, while its inputs are float32"),
        (ONES, ONES.bool(), "A mask here is boolean"),
        (~ONES.bool(), ONES.bool(), "wrong in 6 of 6 places; first"),
        (ONES + 1e-4, ONES, "wrong in 6 of 6 places, by up to 0.0001"),
        (ONES * math.inf, ONES, "wrong in 6 of 6"),
        (ONES.double() + 1e-8, ONES.double(), "wrong in 6 of 6"),
        ("1", 1.0, "a number is asked for"),
        (2, 1.0, "2, it must be 1"),
        (math.nan, 1.0, "NaN"),
        (ONES, (ONES, ONES), "2 results are asked for"),
        ((ONES, ONES, ONES), (ONES, ONES), "3 come back"),
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
        (ONES.double(), [[1.0, 1, 1], [1, 1, 1]]),
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


def test_close_prefers_the_mistake_that_explains_all_parts():
    mistakes = {"Output alone.": (ONES * 2, ONES), "Both.": (ONES * 2, ONES * 3)}
    names = ("a", "b")
    assert said(close, (ONES * 2, ONES * 3), (ONES, ONES), names, mistakes=mistakes) == "Both."
    assert said(close, (ONES * 2, ONES), (ONES, ONES), names, mistakes=mistakes) == "Output alone."
    part = {"Output.": (ONES * 2, None)}
    assert said(close, (ONES * 2, ONES * 7), (ONES, ONES), names, mistakes=part) == "Output."


def test_close_shows_numbers_written_in_the_test_and_no_others():
    assert "3 at [0, 0], it must be 1" in said(close, ONES * 3, ONES.tolist())
    assert "7.125" in said(close, 3.0, 7.125)
    assert "7.125" not in said(close, ONES * 3, ONES * 0 + 7.125)


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
    assert "While its value is wrong" in said(same, torch.cos)
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


def test_call_speaks_of_the_learners_line_and_of_the_inputs():
    def attend(Q, K):
        return Q @ K

    told = said(call, attend, ONES, ONES)
    assert "`attend` stops with RuntimeError" in told
    assert "return Q @ K" in told
    assert "Q (2, 3), K (2, 3)" in told


def test_call_knows_a_stub():
    def stub():
        raise NotImplementedError("Your code goes here.")

    assert said(call, stub) == "`stub` is not written yet: its cell still has the stub."


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
    assert "turned round" in said(testing.build, Line, 3, 2, weights=W)
    assert "must be (2, 3)" in said(testing.build, Line, 4, 3, weights=W)
    assert "must be U (1,)" in said(testing.build, Line, 4, 3, weights={"U": torch.zeros(1)})
    assert "derives from nn.Module" in said(testing.build, dict)


# -- by hand -----------------------------------------------------------------------------

X = torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0))


def swallows():
    try:
        return F.scaled_dot_product_attention(X, X, X)
    except AssertionError:
        return X


@pytest.mark.parametrize(
    "use",
    [
        lambda: F.scaled_dot_product_attention(X, X, X),
        lambda: torch.ops.aten.scaled_dot_product_attention(X, X, X),
        lambda: torch.ops.aten.scaled_dot_product_attention.default(X, X, X),
        lambda: nn.MultiheadAttention(4, 1),
        lambda: nn.TransformerEncoderLayer(4, 1),
        lambda: tfcourse.attention.scaled_dot_product_attention(X, X, X),
        lambda: tfcourse.attention.SelfAttention(4),
        lambda: tfcourse.attention.causal_mask(3),
        swallows,
    ],
)
def test_what_is_to_be_written_by_hand_is_refused_however_it_is_called(use):
    call(lambda: (use(), 1)[1])
    by_hand("attention")
    assert "does the whole of this piece" in said(call, lambda: (use(), 1)[1])
    use()  # outside the verbs, in a test's own code, it stays allowed


def test_products_of_matrices_are_refused_and_those_with_a_vector_are_not():
    by_hand("matrix products")
    A, v = torch.ones(2, 2), torch.ones(2)
    for product in (
        lambda: A @ A,
        lambda: torch.einsum("ij,jk->ik", A, A),
        lambda: torch.bmm(A[None], A[None]),
        lambda: F.linear(A, A),
    ):
        assert "multiplies two matrices" in said(call, product)
    for product in (lambda: A @ v, lambda: v @ v, lambda: F.linear(v, A), lambda: (A * A).sum()):
        call(product)


@pytest.mark.parametrize(
    "use",
    [
        lambda: F.cross_entropy(X[0], torch.tensor([0, 1, 2])),
        lambda: nn.CrossEntropyLoss(ignore_index=0)(X[0], torch.tensor([0, 1, 2])),
        lambda: F.nll_loss(X[0].log_softmax(-1), torch.tensor([0, 1, 2])),
        lambda: tfcourse.generation.length_penalty(3, 1.0),
    ],
)
def test_the_loss_of_a_translation_and_its_search_are_refused(use):
    call(lambda: (use(), 1)[1])
    by_hand("attention", "translation")
    assert "Take the call out" in said(call, lambda: (use(), 1)[1])
    call(lambda: X.log_softmax(-1).gather(-1, torch.zeros(1, 3, 1).long()))


@pytest.mark.parametrize(
    "use",
    [
        lambda: nn.RNN(4, 2),
        lambda: nn.LSTMCell(4, 2),
        lambda: torch.rnn_tanh_cell(X[0], X[0, :, :2], torch.ones(2, 4), torch.ones(2, 2)),
        lambda: torch.ops.aten.gru_cell(X[0], X[0, :, :2], torch.ones(6, 4), torch.ones(6, 2)),
        lambda: tfcourse.recurrent.LSTMCell(4, 2),
        lambda: tfcourse.recurrent.Recurrent(tfcourse.recurrent.RNNCell, 4, 2),
    ],
)
def test_recurrent_nets_are_refused_however_they_are_called(use):
    call(lambda: (use(), 1)[1])
    by_hand("recurrent nets")
    assert "writes by hand: recurrent cells" in said(call, lambda: (use(), 1)[1])
    call(lambda: torch.tanh(X @ torch.ones(4, 2)))


def with_gradient():
    parameter = nn.Parameter(X)
    parameter.grad = X.clone()
    return parameter


@pytest.mark.parametrize(
    "use",
    [
        lambda: nn.utils.clip_grad_norm_([with_gradient()], 1.0),
        lambda: nn.utils.clip_grad.clip_grad_value_([with_gradient()], 1.0),
        lambda: nn.utils.get_total_norm([X]),
    ],
)
def test_clipping_is_refused_and_norms_are_not(use):
    call(lambda: (use(), 1)[1])
    by_hand("clipping")
    assert "clips for you" in said(call, lambda: (use(), 1)[1])
    call(lambda: X.norm() + torch.linalg.vector_norm(X))


def test_an_unknown_kind_is_an_error_of_the_tests_author():
    with pytest.raises(ValueError, match="what must be among"):
        by_hand("thinking")


# -- multiple choice ---------------------------------------------------------------------

KEY = {"a": True, "b": False}
REASONS = {"a": "Since a.", "b": "Since b."}


@pytest.mark.parametrize(
    ("given", "points", "told"),
    [
        ({"a": True, "b": False}, 3, ""),
        ({"a": True, "b": True}, 1.5, "b: it is False. Since b.\n"),
        ({"a": 1, "b": 0}, 0, "a: it is True. Since a.\nb: it is False. Since b.\n"),
        ({"a": True, "b": None}, 1.5, "b: not answered.\n"),
        ({"a": True}, 1.5, "b: not answered.\n"),
    ],
)
def test_choices_scores_each_statement_and_gives_reasons(capsys, given, points, told):
    assert testing.choices(given, KEY, REASONS, points=3) == points
    assert capsys.readouterr().out == told


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
    monkeypatch.setenv("TFCOURSE_SEED", "7")
    assert drawn("a--x") == drawn("a--x") != drawn("a--y")
    seven = drawn("a--x")
    monkeypatch.setenv("TFCOURSE_SEED", "8")
    assert drawn("a--x") != seven
    monkeypatch.delenv("TFCOURSE_SEED")
    assert drawn("a--x") != drawn("a--x")
    assert "TFCOURSE_SEED" not in os.environ


def test_a_mistake_is_shown_without_a_traceback(capsys):
    shell = start_ipython()
    capsys.readouterr()
    shell.run_cell(
        "from tfcourse.grading.testing import require\n"
        "secret = 'what a hidden test holds'\n"
        "require(secret == 1, 'Your weights do not sum to 1. ' * 6)\n"
    )
    shown = capsys.readouterr().out
    assert "✗ Your weights do not sum to 1." in shown
    assert "secret" not in shown and "Traceback" not in shown and "require" not in shown
    assert max(map(len, shown.splitlines())) <= 92
