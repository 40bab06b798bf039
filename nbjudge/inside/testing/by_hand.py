"""Forbids calls of what must be written by hand."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import NoReturn

from nbjudge.inside.kinds import KINDS, Forbidden, check
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.values import torch

_forbidden: tuple[str, ...] = ()

_refusals: list[Mistake] = []


def by_hand(*what: str) -> None:
    """Say what must be written by hand from here on; calling it in a verb raises an explanation.

    Holds while a verb runs a learner's code, until the next ``by_hand``. In a learner's notebook it
    is there to teach, and does not stop anyone determined to get around it. When work is graded,
    the kernel is created without what is named here.

    Parameters
    ----------
    what:
        Names in :data:`nbjudge.inside.kinds.KINDS`, such as ``"attention"``; none allows
        everything. They must be string literals: the grader reads them before it runs the cell.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    global _forbidden
    check(what)
    _forbidden = what


def forbidden() -> tuple[str, ...]:
    """The names given to the last :func:`by_hand`."""
    return _forbidden


def refuse(name: str, kind: Forbidden) -> None:
    """Say that what was just called must be written by hand.

    Raises
    ------
    Mistake
        Always. If the learner's code catches it, it is reported all the same.
    """
    key = next(key for key, known in KINDS.items() if known is kind)
    refuse_saying(f"`{name}` {kind.why}", {"key": key, "calls": name})


def refuse_saying(message: str, about: dict[str, str]) -> NoReturn:
    """Refuse with this message.

    Raises
    ------
    Mistake
        Always, as :func:`refuse` does.
    """
    _refusals.append(Mistake(message, about))
    raise _refusals[-1]


@contextmanager
def watched(known: tuple[str, ...] = ()) -> Iterator[None]:
    """Run a learner's code; calling what :func:`by_hand` forbids raises a :class:`Mistake` in it.

    ``known`` are kinds that need no watching, because they were removed.
    """
    kinds = [KINDS[name] for name in _forbidden if name not in known]
    _refusals.clear()
    try:
        with _watching(kinds):
            yield
    except Exception:
        # Code that catches the refusal, or fails in its own way because of it, still gets it.
        if _refusals:
            raise _refusals[0] from None
        raise
    if _refusals:
        raise _refusals[0]


@contextmanager
def _watching(kinds: list[Forbidden]) -> Iterator[None]:
    if not kinds:
        yield
        return
    codes = {code: (name, kind) for kind in kinds for code, name in _codes(kind).items()}
    counting = {_profilers_code(): kind for kind in kinds if kind.counts and torch is not None}

    def profile(frame: FrameType, event: str, arg: object) -> None:
        if event != "call":
            return
        if frame.f_code in codes:
            refuse(*codes[frame.f_code])
        if frame.f_code in counting and frame.f_locals.get("with_flops"):
            refuse(COUNTS, counting[frame.f_code])

    before = sys.getprofile()
    with _torch_watched(kinds):
        if codes or counting:
            sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(before)


def _torch_watched(kinds: list[Forbidden]) -> AbstractContextManager:
    if torch is None:
        return nullcontext()
    from nbjudge.inside.testing.torch_calls import Watch

    return Watch(kinds, refuse)


#: The name reported for a refused call if operations must be counted by hand.
COUNTS = "profile(with_flops=True)"


def _profilers_code() -> CodeType:
    return inspect.unwrap(torch.autograd.profiler.profile.__init__).__code__


@cache
def _codes(kind: Forbidden) -> dict[CodeType, str]:
    """The code of every Python function that a kind names, with the name to show a learner."""
    return {inspect.unwrap(function).__code__: name for function, name in functions(kind)}


def functions(kind: Forbidden, load: bool = True) -> Iterator[tuple[FunctionType, str]]:
    """Every Python function that a kind names, with the name to show a learner.

    If ``load`` is false, only modules that are already loaded are searched.
    """
    for path in kind.python:
        thing, name = _find(path, load), path.rpartition(".")[2]
        if not isinstance(thing, ModuleType):
            yield from ((function, name) for function in _functions_of(thing))
            continue
        for inner in list(vars(thing).values()):
            if str(getattr(inner, "__module__", "")).startswith(path):
                told = f"{path}.{getattr(inner, '__name__', '')}"
                yield from ((function, told) for function in _functions_of(inner))


def _functions_of(thing: object) -> Iterator[FunctionType]:
    inner = vars(thing).values() if inspect.isclass(thing) else [thing]
    for function in (getattr(part, "__func__", part) for part in inner):
        if inspect.isfunction(function):
            yield function


def _find(path: str, load: bool) -> object:
    """What a dotted path refers to; ``None`` if there is no such thing or it is not loaded."""
    if load:
        with suppress(Exception):
            return importlib.import_module(path)
    elif path in sys.modules:
        return sys.modules[path]
    parent, _, name = path.rpartition(".")
    thing = _find(parent, load) if parent else None
    if isinstance(thing, ModuleType) and not load:
        return vars(thing).get(name)  # getattr would load what a package loads on first use
    return getattr(thing, name, None)
