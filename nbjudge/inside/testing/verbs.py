"""Verbs: the only way in which a test cell touches what a learner wrote.

Each takes what the learner wrote or, in the examiner's process, a :class:`Handle` for it. In either
case :mod:`nbjudge.inside.testing.served` does the work, here or in the learner's process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbjudge.inside.testing import recall, served
from nbjudge.inside.testing.handle import is_handle, link_of, name_of_handle
from nbjudge.inside.values import Tensor


def call(f: Callable, *args: Any, **kwargs: Any) -> Any:
    """What a learner's function or module returns for copies of these inputs, by value.

    Raises
    ------
    Mistake
        If it raises an error; the message says where, and for which inputs. If it is not written
        yet, uses what must be written by hand, or changes an input. If its result is not a tensor,
        an array, a number, text, or a list, tuple or dict of these. When work is graded, a changed
        input is left to :func:`untouched` and :func:`inputs_after` if the exercise has a test that
        uses one of them.
    """
    note(f)
    if is_handle(f):
        return link_of(f).call(f, args, kwargs)
    return served.call(f, args, kwargs)


def value(name: Any) -> Any:
    """The value of a learner's name: the dict ``answers``, a number, a tensor.

    Raises
    ------
    Mistake
        If it is of a type that :func:`call` does not return.
    """
    if is_handle(name):
        return link_of(name).value(name)
    return served.value(name, "Your answer")


def inputs_after(f: Callable, *args: Any, **kwargs: Any) -> tuple:
    """The positional inputs after a call of ``f``; ``args`` themselves are not changed."""
    note(f)
    if is_handle(f):
        return link_of(f).inputs_after(f, args, kwargs)
    return served.inputs_after(f, args, kwargs)


def gradients(
    f: Callable, *args: Any, cotangent: Tensor, output: int | None = None, **kwargs: Any
) -> tuple[Tensor | None, ...]:
    """Gradients of ⟨result, cotangent⟩ with respect to each floating-point tensor input.

    Parameters
    ----------
    f, args, kwargs:
        As for :func:`call`.
    cotangent:
        A tensor of the result's shape.
    output:
        Index of the result to use if ``f`` returns several; ``None`` if it returns one tensor.

    Returns
    -------
    gradients
        One for each floating-point tensor in ``args``, in order; ``None`` if the result does not
        depend on that input.

    Raises
    ------
    Mistake
        As for :func:`call`; also if no gradient flows at all, or the backward pass fails.
    """
    note(f)
    if is_handle(f):
        return link_of(f).gradients(f, args, kwargs, cotangent, output)
    return served.gradients(f, args, kwargs, cotangent, output)


def name_of(f: Any) -> str:
    """What to call a learner's function, class or module."""
    return name_of_handle(f) if is_handle(f) else served.name_of(f)


def note(f: Any) -> None:
    """Note that the running test uses a learner's function, class or module."""
    recall.running.uses.add(name_of(f))
