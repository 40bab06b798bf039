"""Files handed in with a notebook: which ones a problem set accepts, and how they are read.

A locked cell declares each with :func:`nbjudge.testing.enclosed`. The file is only ever data: it is
read as bytes, checked for size and format, and passed on as bytes.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from nbjudge.files import Unreadable, read_file
from nbjudge.inside.tensor_file import KILOBYTE, check_asked, larger_than
from nbjudge.intake import cells

#: Name of the function whose calls declare files.
CALL = "enclosed"

#: Reason given for a missing file.
MISSING = "was not handed in"


def declared(notebook: NotebookNode) -> dict[str, int]:
    """The files that a problem set accepts with the notebook, and the kilobytes allowed for each.

    Raises
    ------
    ValueError
        If a locked cell declares one with anything but literal arguments.
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
    """Files handed in with a notebook.

    Those ``found``, why each of the others was ``refused``, and the actual names of files that are
    ``called`` something else.
    """

    found: dict[str, bytes]
    refused: dict[str, str]
    called: dict[str, str]


def take(folder: Path, wanted: Mapping[str, int]) -> Taken:
    """Read the requested files; their contents are not checked.

    A platform may have renamed a file, so the only file with the same suffix is taken instead.
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
    """The solution's files of these names, which an instructor keeps next to the notebook."""
    return {name: (folder / name).read_bytes() for name in wanted if (folder / name).is_file()}


def digest(files: Mapping[str, bytes]) -> str:
    """The files as one SHA-256; empty if there are none."""
    if not files:
        return ""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()
