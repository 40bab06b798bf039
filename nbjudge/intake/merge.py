"""Merge a learner's answers and added cells, and nothing else, into the instructor's notebook."""

from __future__ import annotations

import hashlib

import nbformat
from nbformat import NotebookNode

from nbjudge.intake import cells
from nbjudge.report.outputs import harmless_markdown

#: Maximum number of the learner's own cells; any after these are left out.
MAX_EXTRA_CELLS = 200

#: Maximum total number of characters in such cells; any beyond that are left out too.
MAX_EXTRA_TEXT = 250_000


def merge(
    handed: list[NotebookNode],
    template: NotebookNode,
    release: NotebookNode,
    given_out: dict[str, list[str]] | None = None,
) -> tuple[NotebookNode, list[str]]:
    """Merge a learner's answers into the instructor's notebook.

    Parameters
    ----------
    handed:
        The learner's cells, as :func:`nbjudge.intake.find.parse` returns them.
    template:
        The notebook to merge into: the instructor's, or the release. Not modified.
    release:
        The released notebook: a missing answer becomes its stub, and a locked cell that differs
        from it was changed.
    given_out:
        Digests of every version of each locked cell that learners may have been given: a match
        counts as unchanged.

    Returns
    -------
    The notebook and the flags, one line each. Ungraded cells are always the instructor's; a
    learner's changed copy of one becomes an added cell after it. Added cells follow the known cell
    that they followed in the submission, or come first. All of the learner's text in the notebook
    is safe to show in a browser.
    """
    handed = [cell for cell in handed if not cells.is_install(cell)]
    template, release = _without_install(template), _without_install(release)
    given = {cells.grade_id(cell): cell for cell in release.cells if cells.grade_id(cell)}
    plain = {cell.id: cell for cell in release.cells if not cells.grade_id(cell)}
    plain_text = {(cell.cell_type, cell.source.strip()): name for name, cell in plain.items()}
    by_cell_id = {cell.id: name for name, cell in given.items()}

    places: dict[str, list[int]] = {}
    for index, cell in enumerate(handed):
        # Some editors drop unknown metadata but keep the cell's id.
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

    flags = _flags(handed, given, template, places, given_out or {})
    taken_plain: set[str] = set()
    extras: dict[str, list[NotebookNode]] = {}
    anchor, count, left_out, room = "", 0, 0, MAX_EXTRA_TEXT
    for index, cell in enumerate(handed):
        if index in known:
            anchor = "grade:" + known[index]
        elif index in repeated_tests:
            continue
        else:
            text = (cell.cell_type, cell.source.strip())
            same = cell.id if cell.id in plain else plain_text.get(text)
            if same and same not in taken_plain and not cells.grade_id(cell):
                taken_plain.add(same)
                anchor = "plain:" + same
                if text == (plain[same].cell_type, plain[same].source.strip()):
                    continue
            if cell.source.strip():
                count += 1
                room -= len(cell.source)
                if count <= MAX_EXTRA_CELLS and room >= 0:
                    extras.setdefault(anchor, []).append(cell)
                else:
                    left_out += 1
    if left_out:
        flags.append(f"{left_out} of the {count} cells that they added were left out")

    merged = nbformat.from_dict({**template, "cells": []})
    _extend(merged, extras.get("", []))
    for cell in template.cells:
        cell = nbformat.from_dict(dict(cell))
        name = cells.grade_id(cell)
        if cells.is_answer(cell):
            stub = given[name].source
            answer = handed[places[name][-1]].source if name in places else stub
            # Blank lines around a stub do not make it an answer.
            untouched = answer.strip() in ("", stub.strip())
            cell.source = stub if untouched else _harmless(cell.cell_type, answer)
        merged.cells.append(cell)
        _extend(merged, extras.get(("grade:" + name) if name else ("plain:" + cell.id), []))
    return merged, flags


def _harmless(kind: str, source: str) -> str:
    """A learner's text made safe for a cell; code is always displayed as text."""
    return source if kind == "code" else harmless_markdown(source)


def _without_install(notebook: NotebookNode) -> NotebookNode:
    """The notebook without the cell that installs the course, already installed for grading."""
    kept = [cell for cell in notebook.cells if not cells.is_install(cell)]
    return nbformat.from_dict({**notebook, "cells": kept})


def source_digest(source: str) -> str:
    """A digest of a cell's text; surrounding blank lines make no difference."""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:32]


def _extend(notebook: NotebookNode, extras: list[NotebookNode]) -> None:
    make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    for cell in extras:
        new = make[cell.cell_type](_harmless(cell.cell_type, cell.source))
        new.id = f"{cells.OWN}{len(notebook.cells)}"
        notebook.cells.append(new)


def _flags(
    handed: list[NotebookNode],
    given: dict[str, NotebookNode],
    template: NotebookNode,
    places: dict[str, list[int]],
    given_out: dict[str, list[str]],
) -> list[str]:
    """One line for each kind of change made to our cells, naming the cells."""
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
            done.setdefault((what, f"occurs {times} times; {ending}"), []).append(name)
        if mine.cell_type != cell.cell_type:
            ending = f"had been turned into a {mine.cell_type} cell"
            done.setdefault((what, ending), []).append(name)
        elif (
            locked
            and mine.source.strip() not in (cell.source.strip(), ours[name])
            and source_digest(mine.source) not in given_out.get(name, ())
        ):
            how = "is from another version" if _is_as_given(mine, cell) else "was changed"
            done.setdefault((what, f"{how}; ours was run"), []).append(name)
    flags = []
    for (what, ending), names in done.items():
        each = " (each)" if len(names) > 1 else ""
        flags.append(f"{what} {cells.listed(names)}{each} {ending}")
    return flags


def _is_as_given(mine: NotebookNode, ours: NotebookNode) -> bool:
    """Whether a locked cell has the checksum that nbgrader gave it at a release.

    A learner can forge one but gains nothing: our cell is run in any case.
    """
    try:
        from nbgrader.utils import compute_checksum
    except ImportError:  # a learner's own check does without nbgrader
        return False
    copy = nbformat.from_dict({**ours, "source": mine.source})
    return compute_checksum(copy) == cells.nbgrader(mine).get("checksum")


def blank(source: NotebookNode, release: NotebookNode) -> NotebookNode:
    """The instructor's notebook with the release's stubs as answers.

    It has the hidden tests but no solutions, and nbgrader's checksums reveal unchanged answers.
    """
    from nbgrader.utils import compute_checksum  # a learner's own check does without nbgrader

    stubs = {cells.grade_id(cell): cell.source for cell in release.cells if cells.is_answer(cell)}
    notebook = nbformat.from_dict(dict(source))
    for cell in notebook.cells:
        if cells.is_answer(cell):
            cell.source = stubs[cells.grade_id(cell)]
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if cells.grade_id(cell):
            cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return notebook
