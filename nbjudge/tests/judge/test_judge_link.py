"""The verbs believe nothing that comes over the wire.

Whatever comes back ends in a value, a mistake or the end of the link, and in time.
"""

from time import monotonic, sleep

import numpy as np
import pytest
import torch
from wire_ends import lying, says

from nbjudge.inside.testing import unseen
from nbjudge.inside.testing.handle import Handle
from nbjudge.inside.wire import HEADER, Made, dumps
from nbjudge.judge.errors import GARBLED, GONE, OUT_OF_TIME
from nbjudge.judge.remote import InTheirWords, Lost
from nbjudge.testing import Mistake

ONES = torch.ones(2, 3)
X = torch.arange(6.0).reshape(2, 3)


def ask(verb, link):
    f = Handle(Made(0), "f", link)
    link.made.add(0)
    weights = {"W": torch.ones(2, 2)}
    return {
        "call": lambda: link.call(f, (ONES,), {}),
        "inputs_after": lambda: link.inputs_after(f, (ONES, 1), {}),
        "gradients": lambda: link.gradients(f, (ONES, 1), {}, ONES, None),
        "build": lambda: link.build(f, (), {}, None),
        "build weights": lambda: link.build(f, (), {}, weights),
        "parameter_shapes": lambda: link.parameter_shapes(f),
        "parameter_values": lambda: link.parameter_values(f),
        "parameter_gradients": lambda: link.parameter_gradients(f, (), ONES, None),
        "switch": lambda: link.switch(f, "eval"),
        "mode": lambda: link.mode(f),
    }[verb]()


@pytest.mark.parametrize(
    ("verb", "value"),
    [
        ("inputs_after", None),
        ("inputs_after", (ONES,)),
        ("inputs_after", [ONES, 1]),
        ("gradients", (ONES, ONES)),
        ("gradients", (torch.ones(3, 2),)),
        ("gradients", (1.0,)),
        ("gradients", (np.ones((2, 3)),)),
        ("build", "f"),
        ("build", True),
        ("build", 0),  # one that has been made before
        ("parameter_shapes", {"W": [2, 3]}),
        ("parameter_shapes", {"W": (2, -3)}),
        ("parameter_shapes", {1: (2, 3)}),
        ("parameter_values", {"W": (2, 3)}),
        ("parameter_values", [ONES]),
        ("parameter_gradients", {"W": 0}),
        ("switch", True),
        ("mode", "both"),
        ("mode", None),
    ],
)
def test_an_answer_that_no_verb_gives_ends_the_link(verb, value):
    with lying(says(value)) as link:
        with pytest.raises(Lost) as caught:
            ask(verb, link)
        assert caught.value.what == GARBLED
        with pytest.raises(Lost):
            ask("mode", link)


@pytest.mark.parametrize(
    "reply",
    [
        {"id": 99, "is": "value", "value": 1},
        {"id": True, "is": "value", "value": 1},
        {"id": 1, "is": "value"},
        {"id": 1, "is": "value", "value": 1, "more": 2},
        {"id": 1, "is": "code", "value": "1"},
        {"id": 1, "is": "mistake", "value": 1},
        {"id": 1, "is": "mistake", "value": {"says": 1, "about": {}}},
        {"id": 1, "is": "mistake", "value": {"says": "text"}},
        [1, 2],
        None,
    ],
)
def test_an_answer_of_another_form_ends_the_link(reply):
    with lying(lambda request: dumps(reply)) as link, pytest.raises(Lost) as caught:
        ask("call", link)
    assert caught.value.what == GARBLED


def test_its_word_that_weights_were_loaded_is_not_believed():
    def answer(request):
        reply = {"build": 7, "parameter_values": {"W": torch.zeros(2, 2)}}[request["verb"]]
        return says(reply)(request)

    with lying(answer) as link, pytest.raises(Mistake, match="does not hold what was loaded"):
        ask("build weights", link)


def test_text_from_over_there_is_bounded():
    with (
        lying(says({"says": "x" * 100_000, "about": {}}, "mistake")) as link,
        pytest.raises(Mistake) as caught,
    ):
        ask("call", link)
    assert len(str(caught.value)) <= 2000


SECRET = "7391"


@pytest.mark.parametrize(
    "about",
    [
        SECRET,
        [SECRET],
        {},
        {"key": SECRET},
        {"key": [SECRET]},
        {"key": "stub", "name": SECRET},
        {"key": "attention", "calls": SECRET},
        {"key": "attention", "calls": [SECRET]},
        {"key": "error", "error": SECRET, "hint": SECRET, "line": SECRET},
        {"key": "error", "error": "ValueError", "hint": int(SECRET), "line": 10**9 * int(SECRET)},
        {"key": "error", "error": "ValueError", "hint": True, "line": float(SECRET)},
    ],
    ids=repr,
)
def test_of_a_hidden_test_nothing_is_told_in_their_words(about):
    mistake = says({"says": f"what came in: {SECRET}", "about": about}, "mistake")
    with lying(mistake) as link, pytest.raises(Mistake, match=SECRET):
        ask("call", link)
    with lying(mistake) as link:
        link.hide()
        with pytest.raises(InTheirWords) as caught:
            ask("call", link)
        assert "`f` " in caught.value.ours
        assert SECRET not in caught.value.ours
        assert SECRET not in unseen.without(f"Now: {caught.value}"[5:], link.heard)


def test_names_of_parameters_are_not_told_of_a_hidden_test():
    def answer(request):
        replies = {"build": 7, "parameter_values": {f"W{SECRET}": torch.zeros(2, 2)}}
        return says(replies[request["verb"]])(request)

    for hidden in (False, True):
        with lying(answer) as link:
            link.hidden = hidden
            with pytest.raises(Mistake) as caught:
                ask("build weights", link)
            assert (SECRET in str(caught.value)) is not hidden


def test_silence_and_dripping_end_in_time():
    for answer in (lambda request: b""), (lambda request: HEADER.pack(100, 0) + b"x"):
        with lying(answer) as link:
            link.call_seconds = 0.3
            started = monotonic()
            with pytest.raises(Lost, match="loop that never ends") as caught:
                ask("call", link)
            assert caught.value.what == OUT_OF_TIME and monotonic() - started < 3


def test_time_in_which_its_process_waits_for_a_processor_is_not_the_learners():
    def late(request):
        sleep(0.6)
        return says(ONES)(request)

    waited = iter([0.4, 1.5])
    with lying(late) as link:
        link.call_seconds, link.deadline = 0.2, monotonic() + 0.2
        link.waited = lambda: next(waited, 1.5)
        assert bool((ask("call", link) == ONES).all())
        assert link.given in (0.4, 1.0), "five times the limit at most"
    with lying(lambda request: b"") as link:  # it is given no more than it has waited
        link.call_seconds, link.waited = 0.2, lambda: 0.3
        started = monotonic()
        with pytest.raises(Lost, match="loop that never ends"):
            ask("call", link)
        assert monotonic() - started >= 0.5 and link.given == 0.3


def test_the_time_of_all_calls_together_is_bounded():
    with lying(lambda request: b"") as link:
        link.deadline = monotonic() - 1
        with pytest.raises(Lost) as caught:
            ask("call", link)
        assert caught.value.what == OUT_OF_TIME


def test_an_end_that_hangs_up_is_a_kernel_that_died():
    def hang_up(request):
        raise OSError

    with lying(hang_up) as link, pytest.raises(Lost) as caught:
        ask("call", link)
    assert caught.value.what == GONE
