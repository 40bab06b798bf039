"""A component's source as a chapter shows it: code and comments, without docstrings."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable


def source_of(thing: Callable | type) -> str:
    """The source of a function or class without its docstrings; comments stay.

    Parameters
    ----------
    thing:
        A function or class written in Python.

    Returns
    -------
    source
        Its text, dedented to the left margin.

    Raises
    ------
    TypeError, OSError
        As :func:`inspect.getsource` does, if there is no source to show.
    """
    text = textwrap.dedent(inspect.getsource(thing))
    lines: list[str | None] = [*text.splitlines()]
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not ast.get_docstring(node):
            continue
        start, end = node.body[0].lineno - 1, node.body[0].end_lineno or 0
        for number in range(start, end):
            lines[number] = None
        if lines[end : end + 1] == [""]:
            lines[end] = None
    return "\n".join(line for line in lines if line is not None)
