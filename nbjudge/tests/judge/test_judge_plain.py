"""Ordinary Python in a test cell: a learner's names, used as in a notebook, live elsewhere."""

from contextlib import contextmanager, suppress
from time import monotonic

import pytest
from wire_ends import honest, lying, says

from nbjudge.inside.testing.handle import Handle, NotThroughAVerb
from nbjudge.inside.wire import Made
from nbjudge.judge.errors import GARBLED
from nbjudge.judge.examiner import Names
from nbjudge.judge.remote import Lost, Missing

CELL = """
class TooSmall(ValueError):
    pass

class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)
        return self

limit, seen, mixed = 3, [], [object()]

def squares(n):
    if n < 1:
        raise TooSmall("SECRET", n)
    return [i**2 for i in range(1, n + 1)]

def total(n):
    return sum(squares(n))

def sort(numbers):
    numbers.sort()

def note(x):
    seen.append(x)

def leaves():
    raise SystemExit

def letters(text):
    return set(text)
"""


@pytest.fixture
def theirs():
    """The names of a learner's notebook."""
    names = {"__name__": "__main__"}
    exec(CELL, names)
    return names


@pytest.fixture
def link(theirs):
    """A link to a thread that answers for these names as a learner's process does."""
    with honest(theirs) as made:
        begin(made, theirs)
        yield made


def begin(link, names):
    link.begin(1, 10.0, monotonic() + 60, [n for n in names if not n.startswith("_")] + ["gone"])


def run(link, source, theirs):
    """Run a test cell; give its own names."""
    names = Names({}, link, [n for n in theirs if not n.startswith("_")] + ["gone"])
    try:
        exec(source, names)
    finally:
        link.end()
    return names


@pytest.mark.parametrize(
    "source",
    [
        "assert squares(2) == [1, 4] and total(n=3) == 14",
        "assert limit == 3 and isinstance(limit, int) and [limit for _ in 'ab'] == [3, 3]",
        "note(1); note('two'); assert seen == [1, 'two'] and len(seen) == 2",
        "given = [3, 1, 2]; assert sort(given) is None and given == [1, 2, 3]",
        "stack = Stack(); stack.push(4).push(5); assert stack.items == [4, 5]",
        "def twice(n):\n    return squares(n) + squares(n)\nassert twice(1) == [1, 1]",
        "limit = 4; assert limit == 4",
        "assert callable(squares) and squares is squares",
        "assert mixed is mixed and callable(mixed)",
    ],
)
def test_a_cell_runs_as_in_a_notebook(link, theirs, source):
    run(link, source, theirs)


@pytest.mark.parametrize("kind", ["ValueError", "Exception"])
def test_an_error_is_caught_by_the_nearest_of_pythons_own(link, theirs, kind):
    run(link, f"try:\n    squares(0)\nexcept {kind}:\n    pass\nelse:\n    assert 0", theirs)
    with pytest.raises(Exception, match="^$") as caught:
        run(link, "leaves()", theirs)
    assert caught.type is Exception, "the test cell itself does not end"


def test_a_hidden_test_is_told_nothing_in_their_words(link, theirs):
    with pytest.raises(ValueError, match="SECRET"):
        run(link, "squares(0)", theirs)
    link.hide()
    with pytest.raises(ValueError, match="`squares` stops with ValueError") as caught:
        run(link, "squares(0)", theirs)
    assert "SECRET" not in str(caught.value)


def test_a_name_that_is_not_there_is_a_name_error(link, theirs):
    run(link, "try:\n    gone(1)\nexcept NameError:\n    pass\nelse:\n    assert 0", theirs)
    with pytest.raises(Missing, match="`gone` is not defined"):
        run(link, "gone", theirs)


SEES_WHETHER_IT_IS_CALLED = """
kept = squares
del squares
try:
    total(1)
except NameError as error:
    message = str(error)
else:
    raise AssertionError("not called")
finally:
    {end}
"""


def test_a_name_can_be_deleted_and_bound_again(link, theirs):
    before = theirs["squares"]
    bound = "squares = kept\nassert squares(2) == kept(2) == [1, 4] and total(2) == 5"
    names = run(link, SEES_WHETHER_IT_IS_CALLED.format(end="squares = kept") + bound, theirs)
    assert "squares" in names["message"] and theirs["squares"] is before


@pytest.mark.parametrize(
    "source",
    [
        SEES_WHETHER_IT_IS_CALLED.format(end="pass"),
        "squares = sort",
        "squares = sort\ndel squares\n",
        "del squares\nraise KeyError",
    ],
)
def test_after_a_test_every_name_is_what_it_was(link, theirs, source):
    before = dict(theirs)
    with suppress(KeyError):
        run(link, source, theirs)
    assert theirs == before
    begin(link, theirs)
    run(link, "assert total(2) == 5", theirs)


@pytest.mark.parametrize(
    "source",
    [
        "assert letters('a') == {'a'}",
        "for item in Stack(): pass",
        "squares.__globals__",
        "squares(lambda: 1)",
        "squares.x = 1",
        "print(squares)",
    ],
)
def test_what_stays_over_there_is_not_touched(link, theirs, source):
    with pytest.raises(NotThroughAVerb):
        run(link, source, theirs)


# -- what is not believed --------------------------------------------------------------------------


@contextmanager
def lies(kind, value):
    """A link that answers every question with this, and a function at its other end."""
    with lying(says(value, kind)) as link:
        link.made.add(0)
        yield link, Handle(Made(0), "f", link)


@pytest.mark.parametrize(
    "value",
    [
        None, [], {"data": 1}, {"data": 1, "after": None}, {"data": 1, "after": []},
        {"data": 1, "after": [None, None]}, {"data": 1, "made": 1, "after": [None]},
        {"made": True, "after": [None]}, {"made": 0, "after": [None]},
        {"made": "1", "after": [None]},
    ],
)  # fmt: skip
def test_an_answer_of_another_form_ends_the_link(value):
    with lies("value", value) as (link, f), pytest.raises(Lost) as caught:
        f(1)
    assert caught.value.what == GARBLED


@pytest.mark.parametrize("value", [None, ["f"], {"f": 1}, {"other": True}, {1: True}])
def test_the_names_that_are_there_are_the_ones_asked_for(value):
    with lies("value", value) as (link, _), pytest.raises(Lost):
        link.begin(1, 10.0, monotonic() + 60, ["f"])


def test_what_was_given_stays_of_its_kind():
    with lies("value", {"data": 1, "after": [[7], {}, [1], 9]}) as (_, f):
        numbers, names, text, one = [1, 2], [3], "text", {"a": 1}
        assert f(numbers, names, text, one) == 1
        assert (numbers, names, text, one) == ([7], [3], "text", {"a": 1})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("ValueError", ValueError),
        ("UnicodeDecodeError", Exception),  # takes more than a message
        ("SystemExit", Exception),
        ("KeyboardInterrupt", Exception),
        ("Lost", Exception),
        (7, Exception),
        (None, Exception),
    ],
)
def test_an_error_is_one_of_pythons_own(error, kind):
    about = {"key": "error", "error": error, "hint": -1, "line": 0}
    raised = {"says": "words", "about": about}
    with lies("raised", raised) as (_, f), pytest.raises(kind, match="words") as caught:
        f(1)
    assert caught.type is kind
