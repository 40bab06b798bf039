"""What a learner is explained about an error in their code: message, usual cause, line."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from nbjudge.inside.values import Array, Module, Tensor

#: Maximum lines and characters shown of an error's message.
MAX_LINES, MAX_CHARACTERS = 12, 1000

#: Maximum characters shown of an input, and elements of a list or dict.
MAX_LOOK, MOST_HELD = 40, 4

#: Usual causes of errors whose messages do not explain them: a regular expression for the message,
#: and a sentence. The first that matches is shown.
HINTS = {
    r"truth value of an array|[Bb]ool(ean)? value of Tensor": (
        "`and`, `or`, `not`, `if` and `a < b < c` ask for one truth value. Between masks write &, "
        "| and ~, with each comparison in parentheses: (a < b) & ~c."
    ),
    r"bitwise_\w+ not implemented|unsupported operand type\(s\) for [&|]:": (
        "& and | bind more strongly than a comparison: put each comparison in parentheses, as in "
        "(a < b) & (b < c)."
    ),
    r"only one element tensors|cannot be converted to Scalar": (
        "math functions, float(...), .item() and torch.tensor([...]) of tensors work on single "
        "numbers. torch.sqrt(x), torch.exp(x) and the like work on every number of a tensor x; "
        "torch.stack joins tensors."
    ),
    r"must be Tensor, not (int|float)\b": (
        "torch functions take tensors. For a plain number use math, as in math.sqrt(d)."
    ),
    r"numpy\.ndarray|NumPy arrays|gufunc|call numpy\(\) on Tensor": (
        "NumPy arrays and torch tensors do not mix: use torch functions all the way from the "
        "inputs to the result."
    ),
    r"index out of range in self": (
        "You look up an id for which the table has no row. Ids run from 0 to the number of rows "
        "minus 1."
    ),
    r"Dimension out of range": (
        "The tensor has fewer axes than that. Axes are counted from 0, or from the end with -1."
    ),
    r"too many indices for tensor": "The tensor has fewer axes than there are indices in [...].",
    r"selected (index|number) k out of range": (
        "k must be no greater than the length of the axis. What should happen if there are fewer "
        "than k entries?"
    ),
    r"index.* out of (range|bounds)": (
        "Indices run from 0 to the length minus 1. Where does this one come from: a loop that goes "
        "one too far, a `+ 1`, or an input that may exceed the length?"
    ),
    r"mat1 and mat2|dimensions of batch2|size mismatch, got": (
        "In A @ B the last axis of A must be as long as the second-to-last of B. B.mT swaps the "
        "last two axes; .T of more than two axes reverses all of them."
    ),
    r"must match the (size of tensor|existing size)": (
        "Broadcasting aligns shapes at their ends: two lengths must be equal, or one of them 1. "
        "unsqueeze(...), or None in [...], adds an axis of length 1."
    ),
    r"have the same dtype|expected scalar type": (
        "Two dtypes meet here. Give a tensor that you create the dtype of an input: dtype=x.dtype."
    ),
    r"codec cant decode": (
        'These bytes are not valid UTF-8. bytes.decode(errors="replace") puts U+FFFD in the '
        "place of what is not valid, and raises no error."
    ),
    r"recursion depth exceeded": (
        "Each call waits for the one that it makes, and Python lets only about a thousand wait. "
        "Use a loop with a stack of your own: a list of what is still to do."
    ),
    r"(max|min)\(\) .*(is an empty sequence|argument is empty)": (
        "Of nothing there is no largest or smallest: pass default=..., or treat the empty case on "
        "its own."
    ),
    r"(not enough|too many) values to unpack": (
        "The names on the left must be as many as the values on the right. For x.shape that is "
        "the number of axes."
    ),
    r"view size is not compatible": (
        "view needs numbers that lie in order, and after a transpose they do not: use reshape."
    ),
    r"shape \[.*\] is invalid for input of size": (
        "A reshape keeps the number of entries: the lengths, multiplied, must give the input's."
    ),
    r"before Module\.__init__\(\) call": (
        "Call super().__init__() first in your __init__: it prepares the module for parameters."
    ),
    r"NoneType": "Something is None here. Is there a function without `return`?",
}


def explained(name: str, f: Callable, error: BaseException, args: tuple) -> str:
    """Describe an error inside a learner's function.

    The text gives the error, its usual cause, the line, and the shapes of the inputs.

    Parameters
    ----------
    name:
        What to call the function.
    f, args:
        The function or module, and what it was called with.
    error:
        The exception that it raised.
    """
    lines = [f"`{name}` stops with {type(error).__name__}: {first_paragraph(error)}"]
    if usually := hint(error):
        lines.append(usually)
    if place := _learners_line(error, _file_of(f)):
        where = "the cell" if place.filename == _file_of(f) else f"another cell, in `{place.name}`"
        lines.append(f"  line {place.lineno} of {where}: {place.line}")
    if shapes := _shapes(f, args):
        lines.append(f"  called with {shapes}")
    return "\n".join(lines)


def hint(error: BaseException) -> str:
    """The usual cause of an error; empty if none is known."""
    message = _plain(first_paragraph(error))
    return next((usually for fits, usually in HINTS.items() if re.search(fits, message)), "")


def line_of_cell(f: Callable, error: BaseException) -> int:
    """The last line that ran in the cell with the learner's function; 0 if there is none."""
    place = _learners_line(error, _file_of(f))
    return place.lineno or 0 if place and place.filename == _file_of(f) else 0


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return first_paragraph(error).splitlines()[0]


def first_paragraph(error: BaseException) -> str:
    """An error's message up to the first empty line, cut to a length fit to be shown."""
    try:
        text = str(error)
    except Exception:  # a learner's own exception may fail here too
        text = ""
    lines: list[str] = []
    for line in text.splitlines():
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            break
    return "\n".join(lines[:MAX_LINES])[:MAX_CHARACTERS] or "(no message)"


def _plain(message: str) -> str:
    """An error's message without quotation marks."""
    return message.replace('"', "").replace("'", "")


def _file_of(f: Callable) -> str:
    """Python's file name for the cell that a function, class or module comes from."""
    kind = f if inspect.isclass(f) else type(f)
    codes = [getattr(inspect.unwrap(f), "__code__", None)]
    codes += [getattr(vars(kind).get(name), "__code__", None) for name in ("forward", "__init__")]
    return next((code.co_filename for code in codes if code is not None), "")


def _learners_line(error: BaseException, cell: str) -> traceback.FrameSummary | None:
    """The last line that ran in the cell with this file name.

    If there is none, the last one outside installed packages and the course's own.
    """
    beside = Path(__file__).resolve().parents[3]
    ours = (beside / "nbjudge", *(path.parent for path in beside.glob("*/__init__.py")))
    installed = (sys.prefix, sys.base_prefix, *(f"{path}{os.sep}" for path in ours))
    frames = traceback.extract_tb(error.__traceback__)
    outside = [f for f in frames if not f.filename.startswith((*installed, "<frozen"))]
    for frame in (*reversed([f for f in outside if f.filename == cell]), *reversed(outside)):
        if frame.line or linecache.getline(frame.filename, frame.lineno or 0).strip():
            return frame
    return None


def names_of_inputs(f: Callable, args: tuple) -> list[str]:
    """The names of the positional inputs of a function or module."""
    try:
        target = f.forward if isinstance(f, Module) else f
        names = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        names = []
    return [*names, *(f"input {n + 1}" for n in range(len(names), len(args)))]


def changes(function: str, name: str, given: object) -> str:
    """The message about a function that changes its input ``name``, whose value was ``given``."""
    if isinstance(given, Tensor | Array):
        look = "`+=`, `-=`, `*=`, `/=`, assignments such as "
        look += f"`{name}[...] = ...`, and methods that end in an underscore."
    else:
        look = f"assignments such as `{name}[...] = ...`, `+=`, and methods such as .sort(), "
        look += ".append(...), .pop(): work on a copy. Changes to its elements count too."
    return (
        f"`{function}` changes its input {name}: its caller finds other numbers there "
        f"afterwards. Look for {look}"
    )


def _shapes(f: Callable, args: tuple) -> str:
    names = names_of_inputs(f, args)
    looks = [_look(arg) for arg in args]
    return ", ".join(
        f"{name} {look}" for name, look in zip(names, looks, strict=False) if look is not None
    )


def _look(arg: object, inner: bool = False) -> str | None:
    """An input in a few words, or ``None`` if there is no short way to describe it.

    A tensor's shape, a number or a string itself, the contents of a short list or dict.
    """
    equals = "" if inner else "= "
    if isinstance(arg, Tensor):
        return str(tuple(arg.shape))
    if isinstance(arg, bool | int | float | str | None):
        return f"{equals}{arg!r}"[:MAX_LOOK]
    if not isinstance(arg, list | tuple | dict):
        return None
    if not arg:
        return f"{equals}{arg!r}"
    kind = f"(a {type(arg).__name__} of {len(arg)})"
    if isinstance(arg, dict):
        held = [(f"{key} ", _look(part, inner=True)) for key, part in arg.items()]
    elif all(isinstance(part, Tensor | list | tuple) for part in arg):
        held = [("", _look(part, inner=True)) for part in arg]
    else:  # numbers and strings: only how many there are
        return kind
    if len(held) > MOST_HELD or None in (look for _, look in held):
        return kind
    text = ", ".join(f"{key}{look}" for key, look in held)
    return equals + (f"{{{text}}}" if isinstance(arg, dict) else f"[{text}]")
