"""Verbs: the only way in which a test cell touches what a learner wrote.

Each takes what the learner wrote, or in the examiner's process the :class:`Handle` of it. The work
is done by :mod:`nbjudge.inside.testing.served` in either case, here or over there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbjudge.inside.testing import served
from nbjudge.inside.testing.handle import is_handle, link_of, name_of_handle
from nbjudge.inside.values import Tensor


def call(f: Callable, *args: Any, **kwargs: Any) -> Any:
    """What a learner's function or module returns for copies of these inputs, by value.

    Raises
    ------
    Mistake
        If it raises, saying where, and what it was called with; if it is not written yet;
        where it uses what must be written by hand; if what it returns is neither a tensor, an
        array, a number, text, nor a list, tuple or dict of these; if it changes an input. When
        work is graded, the last is left to :func:`untouched` and :func:`inputs_after` in an
        exercise that has a test with one of them.
    """
    if is_handle(f):
        return link_of(f).call(f, args, kwargs)
    return served.call(f, args, kwargs)


def value(name: Any) -> Any:
    """What a learner's name stands for, by value: the dict ``answers``, a number, a tensor.

    Raises
    ------
    Mistake
        If it is none of what :func:`call` gives back.
    """
    if is_handle(name):
        return link_of(name).value(name)
    return served.value(name, "Your answer")


def inputs_after(f: Callable, *args: Any, **kwargs: Any) -> tuple:
    """The positional inputs as a call of ``f`` left them; ``args`` themselves are not touched."""
    if is_handle(f):
        return link_of(f).inputs_after(f, args, kwargs)
    return served.inputs_after(f, args, kwargs)


def gradients(
    f: Callable, *args: Any, cotangent: Tensor, output: int | None = None, **kwargs: Any
) -> tuple[Tensor | None, ...]:
    """Gradients of ⟨result, cotangent⟩ with respect to each input that is a tensor of floats.

    Parameters
    ----------
    f, args, kwargs:
        As for :func:`call`.
    cotangent:
        A tensor of the result's shape.
    output:
        Which result to take where ``f`` returns several; ``None`` where it returns one tensor.

    Returns
    -------
    gradients
        One for each floating-point tensor in ``args``, in order; ``None`` where the result does
        not depend on that input.

    Raises
    ------
    Mistake
        As for :func:`call`; if no gradient flows at all; if going backwards fails.
    """
    if is_handle(f):
        return link_of(f).gradients(f, args, kwargs, cotangent, output)
    return served.gradients(f, args, kwargs, cotangent, output)


def name_of(f: Any) -> str:
    """How to speak of a learner's function, class or module."""
    return name_of_handle(f) if is_handle(f) else served.name_of(f)
