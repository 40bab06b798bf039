"""Find and read a submission as untrusted data. Its cells come out as plain text."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge.files import Unreadable, read_file
from nbjudge.intake import cells, enclosures
from nbjudge.intake.notes import Notes
from nbjudge.intake.which import NOTHING, SECRET, TIMESTAMP, files_of, is_junk, printable, which

#: Maximum number of cells read; later ones are ignored.
MAX_CELLS = 5_000

#: Maximum number of characters in a cell; a longer one counts as empty.
MAX_SOURCE = 50_000

#: Maximum number of other files in the folder that are named.
MAX_LEFT_OUT = 20


@dataclass
class Submission(Notes):
    """The contents of a student's folder, and what was noticed about them.

    ``content`` is ``None`` if there is nothing to grade, and ``problem`` says why. ``digest`` is
    the SHA-256 of the file, empty if there is none; ``received`` when it came in according to the
    instructor's list, ``None`` if that does not say; ``late`` whether the learning platform calls
    it late, ``None`` if it does not say; ``left_out`` the files not read; ``enclosed``
    the other files that the problem set accepts; ``refused`` why any of these was refused.
    """

    content: bytes | None = None
    digest: str = ""
    problem: str = ""
    received: datetime | None = None
    late: bool | None = None
    left_out: list[str] = field(default_factory=list)
    enclosed: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass
class Parsed(Notes):
    """The cells of a notebook, the name of its kernel, and what is odd about the file.

    Each cell has a type, a source in plain text, metadata and an id.
    """

    cells: list[NotebookNode]
    kernel: str = ""


_PAGE = "a web page: open it where the notebook is, choose Download, and hand in that file"

#: What a file that should be a notebook begins with, and what it is.
_BEGINNINGS = (
    (b"PK\x03\x04", "a zip archive: unpack it and hand in the notebook"),
    (b"\x1f\x8b", "a compressed archive: unpack it and hand in the notebook"),
    (b"7z\xbc\xaf", "a compressed archive: unpack it and hand in the notebook"),
    (b"Rar!", "a compressed archive: unpack it and hand in the notebook"),
    (b"%pdf", "a PDF: hand in the notebook itself"),
    (b"\x89png", "a picture: hand in the notebook itself"),
    (b"\xff\xd8\xff", "a picture: hand in the notebook itself"),
    (b"{\\rtf", "a document of a word processor: hand in the notebook itself"),
    (b"<!doctype", _PAGE),
    (b"<html", _PAGE),
    (b"<?xml", _PAGE),
    (b"version https://git-lfs", "a Git LFS pointer: the notebook itself is still in LFS"),
)

#: A line that git leaves where it could not merge.
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) .*$", re.MULTILINE)


def _named(content: bytes) -> str:
    """What a file is that is obviously no notebook; empty otherwise."""
    # bytes.lower() changes ASCII letters only, which none of the binary beginnings has.
    start = content[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return next((what for known, what in _BEGINNINGS if start.startswith(known.lower())), "")


def _decoded(content: bytes, notes: Notes) -> str:
    """The file's text; an odd encoding is noted."""
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError:
        # Written by an editor on Western Windows or an old Unix.
        text = content.decode("latin-1")
        if "\0" in text or not text.lstrip().startswith("{"):
            raise Unreadable("is not a notebook: it is not UTF-8 text") from None
        notes.add("the file is not in UTF-8; it was read as Latin-1")
        return text


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if conflict := _CONFLICT.search(text):
            number = text.count("\n", 0, conflict.start()) + 1
            raise Unreadable(
                f"is not a notebook: git left conflict markers in it, first in line {number}"
            ) from None
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
    if what := _named(content):
        raise Unreadable(f"is not a notebook but {what}")
    notes = Notes()
    data = _loaded(_decoded(content, notes))
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
        notes.add(
            f"only the first {MAX_CELLS} of {len(raw)} cells were read",
            f"Your notebook has {len(raw)} cells. Only the first {MAX_CELLS} were read.",
            held=True,
        )
    kernel = _dict(_dict(data.get("metadata")).get("kernelspec")).get("name", "")
    cells_read = []
    for number, one in enumerate(raw[:MAX_CELLS], 1):
        cell = _cell(one)
        if cell is None:
            continue
        if len(cell.source) > MAX_SOURCE:
            notes.add(
                f"cell {number} is longer than {MAX_SOURCE} characters: counts as empty",
                f"Cell {number} of your notebook is longer than {MAX_SOURCE} characters and was "
                "not read. Shorten it.",
                held=True,
            )
            cell.source = ""
        cells_read.append(cell)
    return Parsed(cells_read, kernel if isinstance(kernel, str) else "", **vars(notes))


def _count_in_worksheets(sheets: object) -> int:
    lists = [_dict(one).get("cells") for one in sheets] if isinstance(sheets, list) else []
    return sum(len(cells) for cells in lists if isinstance(cells, list))


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
    if raw.get("cell_type") not in ("code", "markdown", "raw") or source is None:
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


def take_in(
    folder: Path,
    problem_set: str,
    received: datetime | None = None,
    wanted: Mapping[str, int] | None = None,
    *,
    notebook: str | None = None,
    others: Collection[str] = (),
    sets: Collection[str] = (),
    given: Mapping[str, bytes] | None = None,
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
    sets:
        All of the course's problem sets.
    given:
        The data files that learners were given. Handed in unchanged, they are not mentioned.
    """
    try:
        path, notes, problem = which(folder, problem_set, notebook or problem_set, others, sets)
        if path is None:
            return _not_graded(problem, received if problem != NOTHING else None)
        beside = [f"{other}.ipynb" for other in others]
        if path.parent != folder:
            beside += _unchanged(path.parent, given or {})
        around = [p for paths in files_of(folder, problem_set, sets) for p in paths]
        return _read(path, notes, folder, received, wanted or {}, beside, around)
    except OSError as error:
        return _not_graded(f"the folder cannot be read ({error.strerror})", received)


def _unchanged(folder: Path, given: Mapping[str, bytes]) -> list[str]:
    """The names of what a folder holds and learners were given, no different."""

    def same(name: str) -> bool:
        path = folder / name
        if path.is_symlink() or not path.is_file():
            return False
        return path.stat().st_size == len(given[name]) and path.read_bytes() == given[name]

    return [name for name in given if "/" not in name and same(name)]


def _not_graded(problem: str, received: datetime | None) -> Submission:
    """What there is to say if nothing can be graded, although something may have been handed in."""
    submission = Submission(problem=problem, received=received)
    if problem != NOTHING:
        submission.refuse(problem)
    return submission


def _read(
    path: Path,
    notes: Notes,
    folder: Path,
    received: datetime | None,
    wanted: Mapping[str, int],
    beside: Collection[str],
    around: Collection[Path],
) -> Submission:
    try:
        content, _ = read_file(path)
    except Unreadable as error:
        refused = _not_graded(f"{printable(path.name)} {error}", received)
        refused.extend(notes)
        return refused
    submission = Submission(content, hashlib.sha256(content).hexdigest(), **vars(notes))
    submission.received = received
    taken = enclosures.take(path.parent, wanted, around)
    submission.enclosed, submission.refused, called = taken
    for name, other in called.items():
        submission.add(f"{name} is called {printable(other)!r}")
    if path.parent != folder:
        others = sorted(
            printable(other.name)
            for other in path.parent.iterdir()
            if other != path
            and not is_junk(other.name)
            and other.name not in (TIMESTAMP, SECRET, *beside, *wanted, *called.values())
        )
        if others:
            graded = " and ".join(["the notebook", *wanted])
            only = f"only {graded} {'are' if wanted else 'is'} graded"
            submission.add(
                f"left out, {only}: {cells.listed(others)}",
                f"You handed in {cells.listed(others)} as well, but {only}.",
            )
        submission.left_out = others[:MAX_LEFT_OUT]
        if len(others) > MAX_LEFT_OUT:
            submission.left_out.append(f"and {len(others) - MAX_LEFT_OUT} more")
    return submission
