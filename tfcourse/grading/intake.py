"""Take a submission in: data, never trusted. Only the answers are taken from it, by grade id,
into the instructor's own notebook."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tfcourse.grading import cells

#: A notebook with many pictures has some megabytes; more than this is not read.
MAX_BYTES = 64 * 1024 * 1024

#: More cells of the learner's own than this are left out, the last ones first.
MAX_EXTRA_CELLS = 500


class NotANotebook(ValueError):
    """The file cannot be read as a notebook; the message says why in a few words."""


@dataclass
class Handed:
    """What was found in a student's folder.

    ``cells`` is ``None`` where there is nothing to grade, and ``problem`` says why.
    ``digest`` is the SHA-256 of the file, empty where there is none.
    """

    cells: list[NotebookNode] | None = None
    digest: str = ""
    flags: list[str] = field(default_factory=list)
    problem: str = ""


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file, never through a link and never waiting on a pipe.

    Raises
    ------
    NotANotebook
        Where it is not a regular file, or too large.
    """
    # O_NONBLOCK: opening a named pipe would wait for ever. Windows has neither flag.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if path.is_symlink():
            raise NotANotebook("is a link, and links are not followed") from None
        raise NotANotebook(f"cannot be opened ({error.strerror})") from None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise NotANotebook("is not a regular file")
        if about.st_size > MAX_BYTES:
            raise NotANotebook(f"is larger than {MAX_BYTES // 2**20} MiB")
        return file.read(MAX_BYTES + 1)


def parse(content: bytes) -> tuple[list[NotebookNode], str]:
    """The cells of a notebook and the name of its kernel, from the file's bytes.

    Each cell has a type, a source in plain text with ``\\n`` line ends, metadata and an id; outputs
    are dropped. Formats before 4 are upgraded.

    Raises
    ------
    NotANotebook
        Where the bytes are no notebook; the message completes the sentence "the file ...".
    """
    if not content.strip():
        raise NotANotebook("is empty")
    try:
        data = json.loads(content)
    except UnicodeDecodeError:
        raise NotANotebook("is not a notebook: not a text in UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        whole = len(content.decode(json.detect_encoding(content), "replace").rstrip())
        cut_off = error.pos >= whole - 1 or error.msg.startswith("Unterminated")
        raise NotANotebook(
            f"is not a notebook: its JSON {'is cut off' if cut_off else 'is broken'} at {where}"
        ) from None
    except (ValueError, RecursionError):
        raise NotANotebook("is not a notebook: its JSON cannot be read") from None
    if not isinstance(data, dict):
        raise NotANotebook("is not a notebook: JSON, but without cells")
    if "cells" not in data and "worksheets" in data:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data = nbformat.convert(nbformat.from_dict(data), 4)
        except Exception:
            raise NotANotebook("is a notebook of an old format that cannot be upgraded") from None
    if not isinstance(data.get("cells"), list):
        raise NotANotebook("is not a notebook: JSON, but without cells")
    kernelspec = _dict(_dict(data.get("metadata")).get("kernelspec"))
    return [cell for raw in data["cells"] if (cell := _cell(raw))], str(kernelspec.get("name", ""))


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _cell(raw: object) -> NotebookNode | None:
    raw = _dict(raw)
    source = raw.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if raw.get("cell_type") not in ("code", "markdown") or not isinstance(source, str):
        return None
    # A lone surrogate cannot be written as UTF-8.
    source = source.encode("utf-8", "replace").decode()
    found = {"nbgrader": _dict(_dict(raw.get("metadata")).get("nbgrader"))}
    return nbformat.from_dict(
        {
            "cell_type": raw["cell_type"],
            "id": raw.get("id") if isinstance(raw.get("id"), str) else "",
            "metadata": found if found["nbgrader"] else {},
            "source": source.replace("\r\n", "\n").replace("\r", "\n"),
        }
    )


def _find(folder: Path, problem_set: str) -> tuple[Path | None, list[str], str]:
    """The file to take, the flags, and where there is none: why."""
    wanted = f"{problem_set}.ipynb"
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
    if len(others) == 1:
        return others[0], [f"the file is called {others[0].name!r}, not {wanted}"], ""
    if others:
        return None, [], f"no {wanted}, but {len(others)} other notebooks: which one counts?"
    return None, [], "nothing handed in"


def take_in(folder: Path, problem_set: str) -> Handed:
    """Read what a student handed in: ``folder/PS/PS.ipynb``, or what was plainly meant to be it."""
    path, flags, problem = _find(folder, problem_set)
    if path is None:
        return Handed(flags=flags, problem=problem)
    digest = ""
    try:
        content = read_bytes(path)
        digest = hashlib.sha256(content).hexdigest()
        found, kernel = parse(content)
    except NotANotebook as error:
        return Handed(digest=digest, flags=flags, problem=f"{path.name} {error}")
    if kernel and kernel != "python3":
        flags.append(f"the notebook's kernel is {kernel[:40]!r}; it was run in python3")
    others = sorted(
        other.name
        for other in path.parent.iterdir()
        if other != path and not other.name.startswith(".") and other.name != "timestamp.txt"
    )
    if path.parent.name == problem_set and others:
        flags.append(f"left out, only the notebook is graded: {cells.listed(others)}")
    return Handed(cells=found, digest=digest, flags=flags)


def merge(
    handed: list[NotebookNode], template: NotebookNode, release: NotebookNode
) -> tuple[NotebookNode, list[str]]:
    """Put a learner's answers into the instructor's notebook.

    Parameters
    ----------
    handed:
        The learner's cells, as :func:`parse` gives them.
    template:
        The notebook to put them into: the instructor's, or the release. Not changed.
    release:
        What the learner was given: an answer that is missing becomes its stub, and a locked cell
        that differs from it was changed.

    Returns
    -------
    The notebook and the flags, a clear line each. The learner's own cells stand after the known
    cell that they followed in the submission, or first.
    """
    given = {cells.grade_id(cell): cell for cell in release.cells if cells.grade_id(cell)}
    plain_id = {cell.id: cell.id for cell in release.cells if not cells.grade_id(cell)}
    plain_text = {
        (cell.cell_type, cell.source.strip()): cell.id
        for cell in release.cells
        if not cells.grade_id(cell)
    }
    by_cell_id = {cell.id: name for name, cell in given.items()}

    places: dict[str, list[int]] = {}
    for index, cell in enumerate(handed):
        # Some editors drop the metadata that they do not know but keep the cell's id.
        name = cells.grade_id(cell) or by_cell_id.get(cell.id, "")
        if name in given:
            places.setdefault(name, []).append(index)
    known = {indices[-1]: name for name, indices in places.items()}
    repeated_tests = {
        index
        for name, indices in places.items()
        for index in indices[:-1]
        if not cells.is_answer(given[name])
    }

    flags = _flags(handed, given, template, places)
    taken_plain: dict[str, NotebookNode] = {}
    extras: dict[str, list[NotebookNode]] = {}
    anchor, count = "", 0
    for index, cell in enumerate(handed):
        if index in known:
            anchor = "grade:" + known[index]
        elif index in repeated_tests:
            continue
        else:
            same = plain_id.get(cell.id) or plain_text.get((cell.cell_type, cell.source.strip()))
            if same and same not in taken_plain and not cells.grade_id(cell):
                taken_plain[same] = cell
                anchor = "plain:" + same
            elif cell.source.strip():
                count += 1
                if count <= MAX_EXTRA_CELLS:
                    extras.setdefault(anchor, []).append(cell)
    if count > MAX_EXTRA_CELLS:
        flags.append(f"{count - MAX_EXTRA_CELLS} of {count} cells of their own were left out")

    merged = nbformat.from_dict({**template, "cells": []})
    _extend(merged, extras.get("", []))
    for cell in template.cells:
        cell = nbformat.from_dict(dict(cell))
        name = cells.grade_id(cell)
        if cells.is_answer(cell):
            stub = given[name].source
            answer = handed[places[name][-1]].source if name in places else stub
            # Blank lines around a stub do not make it an answer.
            cell.source = stub if answer.strip() in ("", stub.strip()) else answer
        elif not name and cell.id in taken_plain:
            cell.source = taken_plain[cell.id].source
        merged.cells.append(cell)
        _extend(merged, extras.get(("grade:" + name) if name else ("plain:" + cell.id), []))
    return merged, flags


def _extend(notebook: NotebookNode, extras: list[NotebookNode]) -> None:
    make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    for cell in extras:
        new = make[cell.cell_type](cell.source)
        new.id = f"own-{len(notebook.cells)}"
        notebook.cells.append(new)


def _flags(
    handed: list[NotebookNode],
    given: dict[str, NotebookNode],
    template: NotebookNode,
    places: dict[str, list[int]],
) -> list[str]:
    """One line for each kind of thing that was done to our cells, naming the cells."""
    ours = {cells.grade_id(cell): cell.source.strip() for cell in template.cells}
    done: dict[tuple[str, str], list[str]] = {}
    for name, cell in given.items():
        what, locked = cells.kind(cell), cells.is_locked(cell)
        if name not in places:
            ending = "deleted; ours was run" if locked else "deleted; no answer counts"
            done.setdefault((what, "was " + ending), []).append(name)
            continue
        mine, times = handed[places[name][-1]], len(places[name])
        if times > 1:
            ending = "ours was run, once" if locked else "the last one counts"
            done.setdefault((what, f"stands there {times} times; {ending}"), []).append(name)
        if mine.cell_type != cell.cell_type:
            ending = f"had been turned into a {mine.cell_type} cell"
            done.setdefault((what, ending), []).append(name)
        elif locked and mine.source.strip() not in (cell.source.strip(), ours[name]):
            done.setdefault((what, "was changed; ours was run"), []).append(name)
    flags = []
    for (what, ending), names in done.items():
        each = " (each)" if len(names) > 1 else ""
        flags.append(f"{what} {cells.listed(names)}{each} {ending}")
    return flags


def blank(source: NotebookNode, release: NotebookNode) -> NotebookNode:
    """The instructor's notebook with the release's stubs for answers: hidden tests in, solutions
    out."""
    stubs = {cells.grade_id(cell): cell.source for cell in release.cells if cells.is_answer(cell)}
    notebook = nbformat.from_dict(dict(source))
    for cell in notebook.cells:
        if cells.is_answer(cell):
            cell.source = stubs[cells.grade_id(cell)]
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook
