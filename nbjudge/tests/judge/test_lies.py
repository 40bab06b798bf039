"""Which tests an answer that computes nothing passes: all of it, or one of its results."""

import pytest
import torch

from nbjudge.judge import lies
from nbjudge.judge.believed import WeighedCell
from nbjudge.testing import call, close, require

ANSWER = """\
import torch

def both(x):
    return 3 * x + 1, x * x
"""

#: A learner can know what comes before ``hidden()``.
INPUT = "hidden()\nx = torch.tensor([1.5, 2.5])\n"


def believed(test, answer=ANSWER):
    """The lie that a test of this source believes; empty if there is none."""

    def run(name, source, link, names):
        space = {"both": link.name("both"), "hidden": link.hidden, "torch": torch}
        exec(source, space | {"call": call, "close": close, "require": require})

    cell = WeighedCell(test="both--one", source=INPUT + test, points=1)
    accepted = lies.accepting_nothing([WeighedCell(answer=answer), cell], run)
    return accepted["both--one"].lie if accepted else ""


SECOND = "first, second = call(both, x)\nclose(second, x * x)\n"


@pytest.mark.parametrize(
    ("test", "lie"),
    [
        # The first result is compared only with itself: any constant passes.
        (f"{SECOND}close(call(both, x)[0], first)", "zeros as result 1"),
        (
            "first, second = call(both, x)\nclose(first, 3 * x + 1)\n"
            "require(bool((second >= 0).all()), 'negative')",
            "zeros as result 2",
        ),
        # Everything is compared, or a result is not looked at.
        ("close(call(both, x), (3 * x + 1, x * x), ('a', 'b'))", ""),
        (SECOND, ""),
        ("close(call(both, x)[0], 3 * x + 1)", ""),
        # Every lie, told about both results.
        ("call(both, x)", "zeros"),
    ],
    ids=range(6),
)
def test_a_lie_about_one_result_is_told_too(test, lie):
    assert believed(test) == lie


def test_what_is_right_is_no_lie():
    """The second result is the input, and the first zeros: who returns them computes them."""
    answer = "def both(x):\n    return 0 * x, x"
    assert believed("close(call(both, x), (0 * x, x), ('a', 'b'))", answer) == ""


def test_every_lie_can_be_told_of_whole_numbers():
    for name, lie in lies.LIES.items():
        answer = lie(torch.arange(3), [])
        assert answer.dtype == torch.int64 and answer.shape == (3,), name
