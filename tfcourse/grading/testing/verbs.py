"""Verbs: the only way in which a test cell touches what a learner wrote."""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tfcourse.grading.testing.by_hand import watched
from tfcourse.grading.testing.mistake import Mistake

#: What may come back from a learner's function as it is; tensors, arrays and containers are copied.
PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.Size, torch.dtype, torch.device)


def call(f: Callable, *args: Any, **kwargs: Any) -> Any:
    """What a learner's function or module returns for copies of these inputs, by value.

    Raises
    ------
    Mistake
        Where it raises, saying where, and what it was called with; where it is not written yet;
        where it uses what must be written by hand; where what it returns is neither a tensor, an
        array, a number, text, nor a list, tuple or dict of these.
    """
    return by_value(run(f, copied(args), copied(kwargs)), name_of(f))


def inputs_after(f: Callable, *args: Any, **kwargs: Any) -> tuple:
    """The positional inputs as a call of ``f`` left them; ``args`` themselves are not touched."""
    copies = copied(args)
    run(f, copies, copied(kwargs))
    return by_value(copies, name_of(f))


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
        As for :func:`call`; where no gradient flows at all; where going backwards fails.
    """
    leaves = [
        arg.detach().clone().requires_grad_() if _differentiable(arg) else arg for arg in args
    ]
    # Passed on as copies, so that changing one in place is not an error of its own.
    passed = tuple(x.clone() if _differentiable(x) else x for x in leaves)
    result = run(f, passed, copied(kwargs))
    return backward(result, [x for x in leaves if _differentiable(x)], cotangent, output, f)


def backward(
    result: Any, wrt: list[Tensor], cotangent: Tensor, output: int | None, f: Callable
) -> tuple[Tensor | None, ...]:
    """Gradients of ⟨result, cotangent⟩ with respect to ``wrt``, for the verbs."""
    name = name_of(f)
    if output is not None:
        if not isinstance(result, tuple | list) or len(result) <= output:
            raise Mistake(
                f"`{name}` returns {kind_of(result)} where several results are asked for."
            )
        result = result[output]
    if not isinstance(result, Tensor):
        raise Mistake(f"`{name}` returns {kind_of(result)} where a tensor is asked for.")
    if result.shape != cotangent.shape:
        raise Mistake(
            f"`{name}` returns shape {tuple(result.shape)}, it must be {tuple(cotangent.shape)}."
        )
    if not result.requires_grad:
        raise Mistake(
            f"No gradient flows back through `{name}`: its result is cut off from the inputs. "
            "Numbers that pass through .item(), .tolist(), .detach(), .numpy(), torch.tensor(...) "
            "or torch.no_grad() forget where they came from; nothing could be trained through it."
        )
    try:
        found = torch.autograd.grad(result, wrt, cotangent.to(result.dtype), allow_unused=True)
    except RuntimeError as error:
        raise Mistake(
            f"Going backwards through `{name}` fails: {_first_line(error)}\n"
            "Something that the gradient needs was overwritten: write `a = a + b` for `a += b`."
        ) from None
    return tuple(None if g is None else g.detach().clone() for g in found)


def run(f: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call ``f``; whatever goes wrong in it becomes a :class:`Mistake`."""
    try:
        with watched():
            return f(*args, **kwargs)
    except Mistake:
        raise
    except NotImplementedError as error:
        if "Your code goes here" not in str(error):
            raise Mistake(_told(f, error, args)) from None
        raise Mistake(f"`{name_of(f)}` is not written yet: its cell still has the stub.") from None
    except Exception as error:
        raise Mistake(_told(f, error, args)) from None


def copied(value: Any) -> Any:
    """A copy to hand to a learner's code: what is done to it stays there."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple | list):
        return type(value)(copied(inner) for inner in value)
    if isinstance(value, dict):
        return {key: copied(inner) for key, inner in value.items()}
    return value


def by_value(value: Any, name: str) -> Any:
    """A copy of what a learner's code returned, of plain types only."""
    if isinstance(value, Tensor):
        return value.detach().clone().as_subclass(Tensor)
    if isinstance(value, np.ndarray):
        return np.array(value)
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in PLAIN:
        return value
    if isinstance(value, tuple):
        return tuple(by_value(inner, name) for inner in value)
    if isinstance(value, list):
        return [by_value(inner, name) for inner in value]
    if isinstance(value, dict):
        return {str(key): by_value(inner, name) for key, inner in value.items()}
    raise Mistake(f"`{name}` returns a {type(value).__name__}: return tensors or plain numbers.")


def name_of(f: Callable) -> str:
    """How to speak of a learner's function, class or module."""
    return str(getattr(f, "__name__", type(f).__name__))


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, np.ndarray):
        return "a NumPy array, through which no gradient flows"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return {Tensor: "one tensor", type(None): "nothing"}.get(
        type(value), f"a {type(value).__name__}"
    )


def _differentiable(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _told(f: Callable, error: Exception, args: tuple) -> str:
    """What happened inside a learner's function: the error, the line, the inputs' shapes."""
    lines = [f"`{name_of(f)}` stops with {type(error).__name__}: {_first_line(error)}"]
    if place := _learners_line(error):
        lines.append(f"  line {place.lineno} of the cell: {place.line}")
    if shapes := _shapes(f, args):
        lines.append(f"  called with {shapes}")
    return "\n".join(lines)


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), "(no message)")


def _learners_line(error: Exception) -> traceback.FrameSummary | None:
    """The last line that ran outside installed packages and the course's own."""
    ours = Path(__file__).resolve().parents[2]
    installed = (sys.prefix, sys.base_prefix, str(ours))
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if not frame.filename.startswith((*installed, "<frozen")):
            line = frame.line or linecache.getline(frame.filename, frame.lineno or 0).strip()
            return frame if line else None
    return None


def _shapes(f: Callable, args: tuple) -> str:
    try:
        target = f.forward if isinstance(f, torch.nn.Module) else f
        names = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        names = []
    names += [f"input {n + 1}" for n in range(len(names), len(args))]
    told = []
    for name, arg in zip(names, args, strict=False):
        if isinstance(arg, Tensor):
            told.append(f"{name} {tuple(arg.shape)}")
        elif isinstance(arg, bool | int | float | str):
            told.append(f"{name} = {arg!r}")
    return ", ".join(told)
