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

from nbformat import NotebookNode

from nbjudge import cells
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


def take(folder: Path, wanted: Mapping[str, int]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files that are wanted and there, and why each of the others is not taken.

    What is in them has not been looked at.
    """
    from nbjudge.intake import NotANotebook, read_file

    found, refused = {}, {}
    for name, kilobytes in wanted.items():
        path = folder / name
        if not path.is_symlink() and not path.exists():
            refused[name] = MISSING
            continue
        try:
            size = os.lstat(path).st_size if path.is_file() else 0
            refused[name] = larger_than(kilobytes, size)
            if not refused[name]:
                found[name], _ = read_file(path, kilobytes * KILOBYTE)
                del refused[name]
        except NotANotebook as error:
            refused[name] = str(error)
        except OSError as error:
            refused[name] = f"cannot be read ({error.strerror})"
    return found, refused


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
