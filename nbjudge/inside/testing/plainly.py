"""What ordinary Python in a test cell does to a learner's work, in the learner's process.

A test cell may call a learner's function as it would in a notebook, catch what it raises, look at
an attribute, delete a name and bind it again. Unlike with the verbs, errors are not explained.
Plain data comes back as a value, anything else as an object that stays where it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from nbjudge.inside import codecs
from nbjudge.inside.testing import served, unseen
from nbjudge.inside.testing.by_hand import watched
from nbjudge.inside.testing.mistake import Mistake

#: Maximum number of characters of an error's message.
MAX_SAYS = 10_000

USES: dict[str, Callable] = {
    "call": lambda thing, *args, **kwargs: thing(*args, **kwargs),
    "attribute": getattr,
    "itself": lambda thing: thing,
}


class Raised(Exception):
    """A learner's code raised an error that the test cell may catch."""

    def __init__(self, error: BaseException, line: int):
        super().__init__()
        says = error.args[0] if len(error.args) == 1 else error
        try:
            says = says if type(says) is str else str(error)
        except Exception:  # a learner's own exception may fail here
            says = ""
        self.report = {"says": says[:MAX_SAYS], "about": unseen.about_error(error, "", line)}


def use(thing: Any, how: str, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, list]:
    """Use an object of the learner's; return the result, and its list and dict inputs afterwards.

    Parameters
    ----------
    thing:
        A function, a class, or another object.
    how:
        One of :data:`USES`.
    args, kwargs:
        Its inputs, which are copies, like everything that comes over the wire.

    Raises
    ------
    Raised
        If the learner's code raises an error.
    Mistake
        If it uses what must be written by hand.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with watched():
                result = USES[how](thing, *args, **kwargs)
    except (Mistake, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit too: the test continues
        raise Raised(error, 0) from None
    return result, [arg if type(arg) in (list, dict) and is_data(arg) else None for arg in args]


def may_be_data(thing: Any) -> bool:
    """Whether an object may be plain data, judging by its type alone and not by its contents."""
    return type(thing) in (*served.PLAIN, list, tuple, dict) or codecs.of(thing) is not None


def is_data(thing: Any, depth: int = 0) -> bool:
    """Whether an object is plain data throughout, so that it can be sent by value."""
    if not may_be_data(thing):
        return False
    if type(thing) not in (list, tuple, dict):
        return type(thing) in served.PLAIN or served.can_be_sent(thing)
    if depth >= served.MAX_DEPTH:
        return False
    if type(thing) is dict and any(type(key) not in (str, int, bool) for key in thing):
        return False
    inner = thing.values() if type(thing) is dict else thing
    return all(is_data(part, depth + 1) for part in inner)
