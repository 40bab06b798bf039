"""Files handed in with a notebook: which ones a problem set accepts, and how they are read.

A locked cell declares each with :func:`nbjudge.testing.enclosed`. The file is only ever data: it is
read as bytes, checked for size and format, and passed on as bytes.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from nbjudge.files import Unreadable, read_file
from nbjudge.inside.tensor_file import KILOBYTE, check_asked, larger_than
from nbjudge.intake import cells
from nbjudge.intake.which import is_junk, is_named, printable

#: Name of the function whose calls declare files.
CALL = "enclosed"

#: Reason given for a file if nothing like it was handed in either.
MISSING = "was not handed in"


def declared(notebook: NotebookNode) -> dict[str, int]:
    """The files that a problem set accepts with the notebook, and the kilobytes allowed for each.

    Raises
    ------
    ValueError
        If a locked cell declares one with anything but literal arguments.
    """
    sizes: dict[str, int] = {}
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
                sizes[name] = kilobytes
    return sizes


class Taken(NamedTuple):
    """Files handed in with a notebook.

    What the ``files`` hold that were read, why each of the others was ``refused``, and the actual
    names of files that are ``called`` something else.
    """

    files: dict[str, bytes]
    refused: dict[str, str]
    called: dict[str, str]


def take(folder: Path, wanted: Mapping[str, int], around: Iterable[Path] = ()) -> Taken:
    """Read the requested files; their contents are not checked.

    A platform may have renamed a file, so the only file with the same suffix is taken instead.

    Parameters
    ----------
    folder:
        The notebook's folder.
    wanted:
        The files, and the kilobytes allowed for each.
    around:
        What the learner handed in elsewhere: it is named if a file is missing, but not read.
    """
    taken = Taken({}, {}, {})
    for name, kilobytes in wanted.items():
        path = folder / name
        if not os.path.lexists(path):
            there = sorted({*folder.glob("*"), *around} - {folder / other for other in wanted})
            there = [p for p in there if not is_junk(p.name) and not p.is_dir()]
            alike = [p for p in there if p.parent == folder and p.suffix == path.suffix]
            if len(alike) != 1:
                taken.refused[name] = _missing(path, alike or there)
                continue
            [path] = alike
            taken.called[name] = path.name
        try:
            size = path.stat().st_size if path.is_file() and not path.is_symlink() else 0
            if too_large := larger_than(kilobytes, size):
                taken.refused[name] = too_large
            else:
                taken.files[name], _ = read_file(path, kilobytes * KILOBYTE)
        except Unreadable as error:
            taken.refused[name] = str(error)
        except OSError as error:
            taken.refused[name] = f"cannot be read ({error.strerror})"
    return taken


def _missing(path: Path, there: Iterable[Path]) -> str:
    """Why a file is missing: nothing like it was handed in, or something that may be meant as it.

    That has the same suffix, or the same stem under another one, as ``x.pt`` has.
    """
    candidates = [
        printable(os.path.relpath(other, path.parent))
        for other in there
        if other.suffix == path.suffix
        or (other.suffix != ".ipynb" and is_named(other.name.split(".")[0], path.stem))
    ]
    if len(candidates) > 1:
        return f"is missing, and it is not clear which of {cells.listed(candidates)} counts"
    return f"is missing, but there is {candidates[0]}" if candidates else MISSING


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
