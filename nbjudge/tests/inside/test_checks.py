"""The checks of test cells: every one can fail, says why, and names the mistake it knows."""

import math
from collections import UserDict

import numpy as np
import pytest
import torch
from mistake_messages import message_of

from nbjudge import testing
from nbjudge.inside.causes import Guess
from nbjudge.inside.messages import pack, unpack
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.checks import deciding
from nbjudge.testing import Mistake, close, require

pytestmark = pytest.mark.usefixtures("nothing_forbidden")

ONES = torch.ones(2, 3)


# -- close -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "expected", "message"),
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
def test_close_notices(got, expected, message):
    names = ("The output", "The weights") if isinstance(expected, tuple) else "The output"
    with pytest.raises(Mistake, match=message):
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
    assert message_of(close, ONES * 2, ONES, mistakes=mistakes) == "Doubled."
    assert message_of(close, ONES.mT, ONES, mistakes=mistakes) == "Turned round."
    assert "wrong in" in message_of(close, ONES * 3, ONES, mistakes=mistakes)


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
    assert message_of(close, ONES.mT, ONES, mistakes=own) == "It is transposed."
    assert sorted(looked_up) == ["known answers", "the test's own"]
    message_of(testing.equal, [1], [2])
    assert looked_up[2:] == ["known answers"]


def test_a_mistake_is_known_by_where_its_nan_are():
    nan = torch.tensor([math.nan, 2.0])
    assert message_of(close, nan, torch.ones(2), mistakes={"Empty row.": nan}) == "Empty row."
    message = message_of(close, nan, torch.ones(2), mistakes={"Other row.": nan.flip(0)})
    assert message == "The result: NaN at [0]."
    nowhere = torch.full((2,), math.nan)
    message = message_of(close, nowhere, torch.ones(2), mistakes={"Any row.": nowhere})
    assert message == "The result: NaN at [0]."


ANYTHING = ["text", None, [1.0, "a"], [[1.0], [2.0, 3.0]], [None, 1.0], [{}], {}, ONES[0]]


@pytest.mark.parametrize("wrong", ANYTHING)
def test_a_known_answer_may_return_anything(wrong):
    message = message_of(close, 2 * ONES, ONES, mistakes={"It is something else.": wrong})
    assert message.startswith("The result: wrong in 6 of 6 places")
    for got in torch.tensor([1, 2]), np.ones(2), [torch.ones(2)]:
        message = message_of(testing.equal, got, [1, 2], mistakes={"It is something else.": wrong})
        assert message.startswith("The result: expected a list, got") or "must be [1, 2]" in message
        message = message_of(testing.equal, got, [1, 2], mistakes={"It is this.": got})
        assert message == "It is this."


def test_no_mistake_is_named_by_what_is_infinite_throughout():
    mistakes = {"The perplexity.": torch.tensor([math.inf, math.inf])}
    assert "wrong in 2 of 2" in message_of(close, torch.tensor([math.inf] * 2), ONES[0, :2])
    message = message_of(close, torch.tensor([math.inf] * 2), ONES[0, :2], mistakes=mistakes)
    assert "wrong in 2 of 2" in message
    mistakes = {"Infinite.": math.inf}
    assert "inf, it must be 1" in message_of(close, math.inf, 1.0, mistakes=mistakes)
    some = torch.tensor([-math.inf, 1.0])
    assert message_of(close, some, ONES[0, :2], mistakes={"Hidden.": some}) == "Hidden."


def test_no_mistake_is_named_that_comes_to_what_is_right():
    message = message_of(close, ONES.double(), ONES.tolist(), mistakes={"Same.": ONES.tolist()})
    assert "float64, it must be float32" in message
    beyond = torch.tensor([1 + 1.5e-5 * 2])
    mistakes = {"Nearly the same.": torch.tensor([1 + 1.5e-5])}
    assert "wrong in 1 of 1" in message_of(close, beyond, torch.ones(1), mistakes=mistakes)


def test_only_masks_speak_of_attending():
    message = message_of(close, ONES, ONES.bool(), "The padding mask")
    assert message.startswith("The padding mask: float32. A mask here is boolean: True = may be")


def test_close_prefers_the_mistake_that_explains_all_parts():
    mistakes = {"Output alone.": (ONES * 2, ONES), "Both.": (ONES * 2, ONES * 3)}
    names = ("a", "b")
    assert (
        message_of(close, (ONES * 2, ONES * 3), (ONES, ONES), names, mistakes=mistakes) == "Both."
    )
    assert (
        message_of(close, (ONES * 2, ONES), (ONES, ONES), names, mistakes=mistakes)
        == "Output alone."
    )
    part = {"Output.": (ONES * 2, None)}
    assert message_of(close, (ONES * 2, ONES * 7), (ONES, ONES), names, mistakes=part) == "Output."
    # One that would spoil what is right is not the mistake, whatever else it explains.
    message = message_of(
        close, (ONES * 2, ONES), (ONES, ONES), names, mistakes={"Both.": mistakes["Both."]}
    )
    assert message.startswith("a: wrong in 6 of 6 places")


def test_close_shows_numbers_written_in_the_test_and_no_others():
    assert "3 at [0, 0], it must be 1" in message_of(close, ONES * 3, ONES.tolist())
    assert "7.125" in message_of(close, 3.0, 7.125)
    assert "7.125" not in message_of(close, ONES * 3, ONES * 0 + 7.125)


@pytest.mark.parametrize(
    ("got", "expected", "message"),
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
def test_two_numbers_that_differ_are_written_so_that_they_do(got, expected, message):
    assert message_of(close, got, expected, "It").startswith(f"It: {message}")


def test_a_name_begins_the_sentence_whole_and_without_a_comma():
    message = message_of(
        close, (ONES, ONES * 2), (ONES, ONES), ("The gradient of x", "Of the gain")
    )
    assert message.startswith("The gradient of the gain: wrong in")
    names = ("The gradient with respect to the scores", "That of the states")
    message = message_of(close, (ONES, ONES * 2), (ONES, ONES), names)
    assert message.startswith("The gradient of the states: wrong in")
    message = message_of(close, ONES * 2, ONES, "A sequence, next to the same in a batch,")
    assert message.startswith("A sequence, next to the same in a batch: wrong in")


def test_close_wants_as_many_names_as_parts():
    with pytest.raises(ValueError, match="name must hold 2 names"):
        close((ONES, ONES), (ONES, ONES), ["one"])


# -- the other checks --------------------------------------------------------------------


def test_distribution_says_which_axis():
    scores = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    testing.distribution(scores.softmax(-1))
    testing.distribution(scores.softmax(-1) * torch.tensor([1.0, 0.0, 1.0])[:, None])
    assert "over the queries, not over the keys" in message_of(
        testing.distribution, scores.softmax(-2)
    )
    assert "must sum to 1" in message_of(testing.distribution, scores)
    one_row = torch.tensor([[0.5, 0.5], [0.5, 0.75]])
    assert "a row of yours sums to 1.25." in message_of(testing.distribution, one_row)
    nearly = torch.tensor([[0.5, 0.5], [0.5, 0.50002]])
    assert "a row of yours sums to 1.00002." in message_of(testing.distribution, nearly)
    assert "NaN" in message_of(testing.distribution, scores * math.nan)
    assert "negative" in message_of(testing.distribution, torch.tensor([[2.0, -1.0]]))
    assert "NumPy" in message_of(testing.distribution, scores.softmax(-1).numpy())


def test_require_and_shaped():
    testing.require(True, "never")
    assert message_of(testing.require, False, "This.") == "This."
    testing.shaped(ONES, (2, 3), "It")
    assert message_of(testing.shaped, ONES, (3, 2), "It") == "It: shape (2, 3), it must be (3, 2)."
    assert "return" in message_of(testing.shaped, None, (3, 2), "It")


def test_untouched_names_the_input():
    def spoils(a, b):
        b.add_(1)
        return a

    testing.untouched(lambda a, b: a + b, ONES, ONES, names="ab")
    assert "changes its input b" in message_of(testing.untouched, spoils, ONES, ONES, names="ab")
    assert torch.equal(ONES, torch.ones(2, 3))


def test_gradients_are_those_of_the_function_and_missing_ones_are_said():
    a, b = torch.tensor([2.0]), torch.tensor([3.0])
    one = torch.ones(1)
    assert testing.gradients(lambda a, b: a * b, a, b, cotangent=one) == (b, a)
    assert testing.gradients(lambda a, b: a * 2, a, b, cotangent=one)[1] is None
    cut = message_of(testing.gradients, lambda a, b: (a * b).detach(), a, b, cotangent=one)
    assert "cut off from the inputs" in cut

    def overwrites(a, b):
        c = a.exp()
        d = c * b
        c += 1
        return d

    assert "overwritten" in message_of(testing.gradients, overwrites, a, b, cotangent=one)
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
    assert "The value is wrong" in message_of(same, torch.cos)
    assert "gradient with respect to a" in message_of(same, lambda a: a.sin() + a - a.detach())
    assert "NaN" in message_of(
        same, lambda a: a.sin() + 0 * (a - a.detach()).sqrt(), if_nan="Look."
    )


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
    assert pack(unpack(pack(guess), Guess)) == pack(guess), "it can be sent"


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
