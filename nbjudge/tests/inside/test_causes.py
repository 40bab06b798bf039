"""One cause is named that explains all failed tests of a function, or none."""

import pytest

from nbjudge.inside.causes import Ending, Guess, WrongAnswer, agreed
from nbjudge.inside.messages import from_json, to_json

ONE, TWO, OTHER = WrongAnswer("One.", 1), WrongAnswer("Two.", 1), WrongAnswer("One.", 2)
FAULT = "The result: off by 2."
SEVERAL = "Several things may be wrong; start with {}. " + FAULT


def failed(*causes, unknown=(), uses=("f",), fails=None, own=()):
    against = {ONE, TWO, OTHER} - {*causes, *unknown}
    fails = tuple((fails or {}).get(cause, ()) for cause in causes)
    return Ending(frozenset(uses), False, Guess(FAULT, causes, against, own, fails))


def passed(*uses):
    return Ending(frozenset(uses or ("f",)), True)


def stopped(*uses):
    return Ending(frozenset(uses or ("f",)), False)


def test_the_cause_that_all_failed_tests_share_is_named_in_each():
    messages = agreed({"e--a": failed(ONE, TWO), "e--b": failed(ONE)})
    assert messages == {"e--a": "One.", "e--b": "One."}


def test_two_contradicting_causes_are_both_withdrawn():
    messages = agreed({"e--a": failed(ONE), "e--b": failed(TWO)})
    assert messages == {"e--a": SEVERAL.format("this test"), "e--b": SEVERAL.format("e--a")}


def test_what_no_known_mistake_explains_rules_out_those_that_contradict_it():
    a = failed(ONE)
    messages = agreed({"e--0": stopped(), "e--a": a, "e--b": failed()})
    assert messages == {"e--a": SEVERAL.format("e--0"), "e--b": SEVERAL.format("e--0")}
    assert agreed({"e--a": a, "e--b": failed(unknown=[ONE])}) == {"e--a": "One.", "e--b": "One."}


def test_what_no_known_mistake_explains_may_be_several():
    messages = agreed({"e--a": failed(), "e--b": failed(), "e--c": passed()})
    assert messages == {"e--a": SEVERAL.format("this test"), "e--b": SEVERAL.format("e--a")}
    assert agreed({"e--a": failed(), "e--c": passed()}) == {"e--a": FAULT}
    nothing_known = failed(unknown=[ONE, TWO, OTHER])
    assert agreed({"e--a": nothing_known, "e--b": nothing_known}) == {}


def test_a_passed_test_rules_out_what_fails_it():
    fails = {ONE: ["e--a", "e--b"], TWO: ["e--a"]}
    assert agreed({"e--a": failed(ONE, TWO, fails=fails), "e--b": passed()}) == {"e--a": "Two."}
    assert agreed({"e--a": failed(ONE, fails=fails), "e--b": passed()}) == {"e--a": FAULT}
    assert agreed({"e--a": failed(ONE, fails=fails)}) == {"e--a": "One."}
    messages = agreed({"e--a": failed(ONE, fails=fails), "e--b": passed("g")})
    assert messages == {"e--a": "One."}, "it passes another function's"


def test_each_function_has_a_cause_of_its_own():
    messages = agreed(
        {
            "e--f": failed(ONE),
            "e--g": failed(TWO, uses=["g"]),
            "d--f": failed(OTHER),
        }
    )
    assert messages == {"e--f": "One.", "e--g": "Two.", "d--f": "One."}
    linked = {"e--f": failed(ONE), "e--g": failed(TWO, uses=["g"])}
    both = failed(ONE, uses=["f", "g"])
    assert agreed({**linked, "e--both": both})["e--g"] == SEVERAL.format("e--f")


def test_answers_with_one_message_are_one_cause():
    messages = agreed({"e--a": failed(ONE), "e--b": failed(OTHER)})
    assert messages == {"e--a": "One.", "e--b": "One."}


def test_a_tests_own_message_holds_for_its_own_result():
    one = failed(ONE, own=["Its own."])
    assert agreed({"e--a": one})["e--a"].endswith("here:\n- Its own.\n- One.")
    messages = agreed({"e--a": one, "e--b": failed(TWO)})
    assert messages["e--a"] == "Several things may be wrong; start with this test. Its own."


@pytest.mark.parametrize("count", [1, 4, 5])
def test_of_too_many_none_is_named(count):
    message = Guess(FAULT, [WrongAnswer(f"{n}.", 1) for n in range(count)]).message()
    listed = "Each of these mistakes gives the same numbers here:\n- 0.\n- 1.\n- 2.\n- 3."
    assert message == {1: "0.", 4: listed, 5: FAULT}[count]


def test_a_guess_travels_as_json():
    guess = Guess(FAULT, (ONE, TWO), (OTHER,), ("Its own.",), (("e--a",), ()))
    assert agreed({"e--a": Ending(frozenset("f"), False, guess)}) == agreed(
        {"e--a": Ending(frozenset("f"), False, from_json(to_json(guess), Guess))}
    )
