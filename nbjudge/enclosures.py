"""Files that are handed in beside a notebook: which a problem set takes, and reading them.

A locked cell names each by :func:`nbjudge.testing.enclosed`. The file is data and stays data: it is
taken in as bytes, held to its size and its format, and given on as bytes.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from nbjudge import cells
from nbjudge.files import Unreadable, read_file
from nbjudge.inside.tensor_file import KILOBYTE, check_asked, larger_than

#: The name of the call that says so.
CALL = "enclosed"

#: What is said of a file that is not there.
MISSING = "was not handed in"


def declared(notebook: NotebookNode) -> dict[str, int]:
    """The files that a problem set takes besides the notebook, with how many kilobytes each.

    Raises
    ------
    ValueError
        If a locked cell names one by anything but written-out arguments.
    """
    found: dict[str, int] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cells.is_locked(cell) or cells.is_test(cell):
            continue
        if CALL not in cell.source:
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == CALL:
                try:
                    [name] = [ast.literal_eval(argument) for argument in node.args]
                    [kilobytes] = [ast.literal_eval(named.value) for named in node.keywords]
                    check_asked(name, kilobytes)
                except (TypeError, ValueError) as error:
                    raise ValueError(f"{cells.grade_id(cell)}: {CALL}(...): {error}") from None
                found[name] = kilobytes
    return found


class Taken(NamedTuple):
    """Files beside a notebook.

    Those that were ``found``, why each other one was ``refused``, and what files are ``called``
    that have another name than was asked for.
    """

    found: dict[str, bytes]
    refused: dict[str, str]
    called: dict[str, str]


def take(folder: Path, wanted: Mapping[str, int]) -> Taken:
    """The files that are wanted and there. What is in them has not been looked at.

    A platform may have given a file another name: the only one of its kind is taken for it.
    """
    taken = Taken({}, {}, {})
    for name, kilobytes in wanted.items():
        path = folder / name
        if not os.path.lexists(path):
            alike = [p for p in folder.glob(f"*{path.suffix}") if p.name not in wanted]
            if len(alike) != 1:
                taken.refused[name] = MISSING
                continue
            [path] = alike
            taken.called[name] = path.name
        try:
            size = path.stat().st_size if path.is_file() and not path.is_symlink() else 0
            if too_large := larger_than(kilobytes, size):
                taken.refused[name] = too_large
            else:
                taken.found[name], _ = read_file(path, kilobytes * KILOBYTE)
        except Unreadable as error:
            taken.refused[name] = str(error)
        except OSError as error:
            taken.refused[name] = f"cannot be read ({error.strerror})"
    return taken


def own(folder: Path, wanted: Mapping[str, int]) -> dict[str, bytes]:
    """The files of these names that an instructor keeps beside the notebook: the solution's."""
    return {name: (folder / name).read_bytes() for name in wanted if (folder / name).is_file()}


def digest(files: Mapping[str, bytes]) -> str:
    """The files as one SHA-256; empty if there are none."""
    if not files:
        return ""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()
