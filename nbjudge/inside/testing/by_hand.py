"""Forbids calls of what must be written by hand.

Calls are watched while a verb runs a learner's code, by Python's and PyTorch's own means: PyTorch's
modes see its functions and operators by whatever name, a profile function sees functions written in
Python, and an import finder refuses modules. What takes none of these ways is not seen:
:mod:`nbjudge.judge.likeness` shows it to whoever marks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType

from nbjudge.inside.forbidden import Forbidden
from nbjudge.inside.program import program
from nbjudge.inside.testing.absent import Absent
from nbjudge.inside.testing.refusals import REFUSALS, refuse
from nbjudge.inside.values import torch

if torch is not None:
    from nbjudge.inside.testing import torch_calls

_forbidden: tuple[str, ...] = ()


def by_hand(*what: str) -> None:
    """Say what must be written by hand from here on; calling it in a verb raises an explanation.

    Holds while a verb runs a learner's code, until the next ``by_hand``.

    Parameters
    ----------
    what:
        Names in the course's ``forbidden``, such as ``"attention"``; none allows everything. They
        must be string literals: the grader reads them before it runs the cell.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    global _forbidden
    program().to_be_written(what)
    _forbidden = what


def forbidden() -> tuple[str, ...]:
    """The names given to the last :func:`by_hand`."""
    return _forbidden


@contextmanager
def watched() -> Iterator[None]:
    """Run a learner's code; a call that :func:`by_hand` forbids raises a :class:`Mistake` in it."""
    REFUSALS.clear()
    try:
        with _watching(program().to_be_written(_forbidden)):
            yield
    except Exception:
        # Code that catches the refusal, or fails in its own way because of it, still gets it.
        if REFUSALS:
            raise REFUSALS[0] from None
        raise
    if REFUSALS:
        raise REFUSALS[0]


@contextmanager
def _watching(entries: list[Forbidden]) -> Iterator[None]:
    if not entries:
        yield
        return
    harmless: set[CodeType] = set()

    def profile(frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if event != "call" or code in harmless or not code.co_flags & CO_OPTIMIZED:
            return  # a module or a class that is being defined is no function
        module = str(frame.f_globals.get("__name__"))
        for entry in entries:
            if name := entry.named(module, code.co_qualname):
                refuse(name, entry)
        harmless.add(code)

    finder, before = Absent(entries), sys.getprofile()
    sys.meta_path.insert(0, finder)
    try:
        with _torch_watched(entries):
            sys.setprofile(profile)
            try:
                yield
            finally:
                sys.setprofile(before)
    finally:
        if finder in sys.meta_path:  # a learner's code can change it
            sys.meta_path.remove(finder)


def _torch_watched(entries: list[Forbidden]) -> AbstractContextManager:
    if torch is None:
        return nullcontext()
    return torch_calls.watching(entries, refuse)
