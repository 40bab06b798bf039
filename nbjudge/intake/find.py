"""Find and read a submission as untrusted data. Its cells come out as plain text."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge.files import Unreadable, read_file
from nbjudge.intake import cells, enclosures

#: Maximum number of cells read; later ones are ignored.
MAX_CELLS = 5_000

#: Maximum number of characters in a cell; a longer one counts as empty.
MAX_SOURCE = 50_000

#: Maximum number of other files in the folder that are named.
MAX_LEFT_OUT = 20

#: File in which the exchange, or a learner, writes when work was handed in. It is not trusted.
TIMESTAMP = "timestamp.txt"

#: File with the secret by which nbgrader's exchange names a learner's feedback.
SECRET = "submission_secret.txt"


@dataclass
class Submission:
    """The contents of a student's folder.

    ``content`` is ``None`` if there is nothing to grade, and ``problem`` says why. ``digest`` is
    the SHA-256 of the file, empty if there is none; ``received`` when it came in according to the
    instructor's list, ``None`` if that does not say; ``left_out`` the files not read; ``enclosed``
    the other files that the problem set accepts; ``refused`` why any of these was refused.
    """

    content: bytes | None = None
    digest: str = ""
    flags: list[str] = field(default_factory=list)
    problem: str = ""
    received: datetime | None = None
    left_out: list[str] = field(default_factory=list)
    enclosed: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass
class Parsed:
    """The cells of a notebook, the name of its kernel, and flags for anything odd about the file.

    Each cell has a type, a source in plain text, metadata and an id.
    """

    cells: list[NotebookNode]
    kernel: str = ""
    flags: list[str] = field(default_factory=list)


def _decoded(content: bytes) -> tuple[str, list[str]]:
    """The file's text, and flags for an odd encoding."""
    try:
        return content.decode(json.detect_encoding(content)), []
    except UnicodeDecodeError:
        # Written by an editor on Western Windows or an old Unix.
        text = content.decode("latin-1")
        if "\0" in text or not text.lstrip().startswith("{"):
            raise Unreadable("is not a notebook: it is not UTF-8 text") from None
        return text, ["the file is not in UTF-8; it was read as Latin-1"]


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        cut_off = error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated")
        raise Unreadable(
            f"is not a notebook: its JSON {'is cut off' if cut_off else 'is broken'} at {where}"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise Unreadable("is not a notebook: its JSON cannot be read") from None


def parse(content: bytes) -> Parsed:
    r"""Parse the cells of a notebook from the file's untrusted bytes.

    Sources get ``\n`` line endings; outputs are dropped. Formats before 4 are upgraded.

    Raises
    ------
    Unreadable
        If the bytes are not a notebook; the message completes the sentence "the file ...".
    """
    if not content.strip():
        raise Unreadable("is empty")
    text, flags = _decoded(content)
    data = _loaded(text)
    if not isinstance(data, dict):
        raise Unreadable("is not a notebook: JSON, but without cells")
    if "cells" not in data and "worksheets" in data:
        if (count := _count_in_worksheets(data["worksheets"])) > MAX_CELLS:
            raise Unreadable(
                f"is a notebook in an old format that cannot be upgraded: it has {count} cells"
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data = nbformat.convert(nbformat.from_dict(data), 4)
        except Exception:
            raise Unreadable("is a notebook in an old format that cannot be upgraded") from None
    if not isinstance(data.get("cells"), list):
        raise Unreadable("is not a notebook: JSON, but without cells")
    raw = data["cells"]
    if len(raw) > MAX_CELLS:
        flags.append(f"only the first {MAX_CELLS} of {len(raw)} cells were read")
    kernel = _dict(_dict(data.get("metadata")).get("kernelspec")).get("name", "")
    found = []
    for number, one in enumerate(raw[:MAX_CELLS], 1):
        cell = _cell(one)
        if cell is None:
            continue
        if len(cell.source) > MAX_SOURCE:
            flags.append(f"cell {number} is longer than {MAX_SOURCE} characters: counts as empty")
            cell.source = ""
        found.append(cell)
    return Parsed(found, kernel if isinstance(kernel, str) else "", flags)


def _count_in_worksheets(sheets: object) -> int:
    found = [_dict(one).get("cells") for one in sheets] if isinstance(sheets, list) else []
    return sum(len(cells) for cells in found if isinstance(cells, list))


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    """A notebook's text, given as a string or a list of lines; ``None`` for anything else."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    if not isinstance(value, str):
        return None
    # A lone surrogate cannot be encoded as UTF-8, and a NUL ends a source for Python.
    value = value.encode("utf-8", "replace").decode().replace("\0", "�")
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _cell(raw: object) -> NotebookNode | None:
    raw = _dict(raw)
    source = _text(raw.get("source", ""))
    if raw.get("cell_type") not in ("code", "markdown") or source is None:
        return None
    # Read no more of the metadata, so that the rest's depth and size do not matter.
    about = _dict(_dict(raw.get("metadata")).get("nbgrader"))
    name, checksum = about.get("grade_id"), about.get("checksum")
    named = isinstance(name, str) and bool(name)
    known = NotebookNode(grade_id=name)
    if isinstance(checksum, str):
        known.checksum = checksum[:32]
    return NotebookNode(
        cell_type=raw["cell_type"],
        id=raw["id"] if isinstance(raw.get("id"), str) else "",
        metadata=NotebookNode(nbgrader=known) if named else NotebookNode(),
        source=source,
    )


def _find(
    folder: Path, problem_set: str, notebook: str, beside: Collection[str]
) -> tuple[Path | None, list[str], str]:
    """The file to grade, the flags, and the reason if there is no file."""
    wanted = f"{notebook}.ipynb"
    for part in (folder, folder / problem_set):
        if part.is_symlink():
            return None, [], f"{part.name} is a link, and links are not followed"
    for place in (folder / problem_set, folder):
        if not place.is_dir():
            continue
        if os.path.lexists(place / wanted):
            flags = [] if place != folder else [f"{wanted} was not in a folder {problem_set}"]
            return place / wanted, flags, ""
    place = folder / problem_set
    others = sorted(place.glob("*.ipynb")) if place.is_dir() else []
    others = [other for other in others if other.name not in beside]
    if len(others) == 1 and not beside:
        return others[0], [f"the file is called {printable(others[0].name)!r}, not {wanted}"], ""
    if others:
        return None, [], f"no {wanted}, but {len(others)} other notebooks: which one counts?"
    return None, [], "nothing handed in"


def printable(name: str) -> str:
    """A file's name made safe to show and store, whatever bytes it contains."""
    return "".join(letter if letter.isprintable() else "�" for letter in name)


def take_in(
    folder: Path,
    problem_set: str,
    received: datetime | None = None,
    wanted: Mapping[str, int] | None = None,
    *,
    notebook: str | None = None,
    others: Collection[str] = (),
) -> Submission:
    """Read what a student handed in: ``folder/PS/PS.ipynb``, or what was clearly meant as that.

    Parameters
    ----------
    folder:
        The student's folder.
    problem_set:
        The problem set's name.
    received:
        When it came in, if the instructor's list says so. The file's own time is not trusted:
        learners can set it.
    wanted:
        The files that the problem set accepts with the notebook, and the kilobytes for each.
    notebook, others:
        The notebook's name if it is not the problem set's, and those of its other notebooks.
    """
    beside = [f"{other}.ipynb" for other in others]
    try:
        return _take_in(
            folder, problem_set, received, wanted or {}, notebook or problem_set, beside
        )
    except OSError as error:
        return Submission(
            problem=f"the folder cannot be read ({error.strerror})", received=received
        )


def _take_in(
    folder: Path,
    problem_set: str,
    received: datetime | None,
    wanted: Mapping[str, int],
    notebook: str,
    beside: Collection[str],
) -> Submission:
    path, flags, problem = _find(folder, problem_set, notebook, beside)
    if path is None:
        return Submission(flags=flags, problem=problem)
    try:
        content, _ = read_file(path)
    except Unreadable as error:
        problem = f"{printable(path.name)} {error}"
        return Submission(flags=flags, problem=problem, received=received)
    submission = Submission(content, hashlib.sha256(content).hexdigest(), flags)
    submission.received = received
    submission.enclosed, submission.refused, called = enclosures.take(path.parent, wanted)
    submission.flags += [f"{name} is called {printable(other)!r}" for name, other in called.items()]
    if path.parent.name == problem_set:
        others = sorted(
            printable(other.name)
            for other in path.parent.iterdir()
            if other != path
            and not other.name.startswith(".")
            and other.name not in (TIMESTAMP, SECRET, *beside, *wanted, *called.values())
        )
        if others:
            graded = " and ".join(["the notebook", *wanted])
            flag = f"left out, only {graded} {'are' if wanted else 'is'} graded: "
            flag += cells.listed(others)
            submission.flags.append(flag)
        submission.left_out = others[:MAX_LEFT_OUT]
        if len(others) > MAX_LEFT_OUT:
            submission.left_out.append(f"and {len(others) - MAX_LEFT_OUT} more")
    return submission
