"""Merge a learner's answers and added cells, and nothing else, into the instructor's notebook."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import nbformat
from nbformat import NotebookNode

from nbjudge.intake import cells, recover
from nbjudge.intake.notes import Notes
from nbjudge.judge.elsewhere import NOT_RUN
from nbjudge.judge.names import bound
from nbjudge.report.outputs import harmless_markdown
from nbjudge.wording import counted

#: Maximum number of the learner's own cells; any after these are left out.
MAX_EXTRA_CELLS = 200

#: Maximum total number of characters in such cells; any beyond that are left out too.
MAX_EXTRA_TEXT = 250_000


def merge(
    handed: list[NotebookNode],
    template: NotebookNode,
    release: NotebookNode,
    given_out: Mapping[str, Sequence[str]] | None = None,
    names: Mapping[str, Collection[str]] | None = None,
) -> tuple[NotebookNode, Notes]:
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
    names:
        The names that each answer's solution binds, by grade id; by default those that the stub
        binds. An answer that has lost its cell is found by them.

    Returns
    -------
    The notebook, and what was noticed. Ungraded cells are always the instructor's; a learner's
    changed copy of one becomes an added cell after it. Added cells follow the known cell that they
    followed in the submission, or come first. All of the learner's text in the notebook is safe to
    show in a browser. Its metadata names, under ``nbjudge``, what changed locked cells defined.
    """
    added = {c.source.strip() for c in release.cells if cells.is_added(c)}
    handed, numbers = _without(handed, added)
    template, release = _without_added(template), _without_added(release)
    known = recover.GivenCells.of(template, release, given_out or {}, names or {})
    given = known.given
    places, nameless = _places(handed, known)
    keys, dropped = _keys(handed, known, places)
    recovered = recover.recover(handed, known, places, keys, numbers)

    notes = Notes()
    _note_changes(notes, handed, known, template, places, recovered)
    if nameless:
        notes.add(
            f"{counted(len(nameless), 'cell')} had lost nbgrader's metadata, recognised by text",
            "Your notebook has lost the names of its cells: an editor or a converter dropped them. "
            "The cells were recognised by their text. Go on in a fresh copy of the problem set.",
        )
    if not places and not recovered.answers:
        notes = Notes()
        notes.add(
            "holds none of the problem set's cells: is it another notebook?",
            "Your notebook has none of this problem set's cells. Did you hand in another one?",
            held=True,
        )
    notes.extend(recovered.notes)

    extras = _extras(notes, handed, known, keys, dropped | recovered.moved)
    merged = nbformat.from_dict({**template, "cells": []})
    _extend(merged, extras.get("", []))
    for cell in template.cells:
        cell = nbformat.from_dict(dict(cell))
        name = cells.grade_id(cell)
        if cells.is_answer(cell):
            stub = given[name].source
            own = handed[places[name][-1]].source if name in places else stub
            answer = recovered.answers.get(name, own)
            # Blank lines around a stub do not make it an answer.
            untouched = answer.strip() in ("", stub.strip())
            cell.source = stub if untouched else _harmless(cell.cell_type, answer)
        merged.cells.append(cell)
        _extend(merged, extras.get(recover.key_of(cell), []))
    if not_run := _not_run(handed, given, places):
        merged.metadata["nbjudge"] = NotebookNode({NOT_RUN: not_run})
    return merged, notes


def _without(handed: list[NotebookNode], added: set[str]) -> tuple[list[NotebookNode], list[int]]:
    """The learner's cells but for those that a release adds, and their numbers in the file."""
    kept = [
        (cell, number)
        for number, cell in enumerate(handed, 1)
        if not cells.is_added(cell) and cell.source.strip() not in added
    ]
    return [cell for cell, _ in kept], [number for _, number in kept]


def _places(
    handed: list[NotebookNode], known: recover.GivenCells
) -> tuple[dict[str, list[int]], list[int]]:
    """Where each graded cell lies, the copy that counts last; which cells had lost their names."""
    given = known.given
    by_cell_id = {cell.id: name for name, cell in given.items()}
    places: dict[str, list[int]] = {}
    for index, cell in enumerate(handed):
        # Some editors drop unknown metadata but keep the cell's id.
        name = cells.grade_id(cell) or by_cell_id.get(cell.id, "")
        if name in given:
            places.setdefault(name, []).append(index)
    nameless = recover.by_text(handed, known, places)
    for name, indices in places.items():
        if cells.is_answer(given[name]):
            # Of two copies the last one counts, but not an untouched one.
            stub = given[name].source.strip()
            indices.sort(key=lambda i: (handed[i].source.strip() not in ("", stub), i))
    return places, nameless


def _keys(
    handed: list[NotebookNode], known: recover.GivenCells, places: dict[str, list[int]]
) -> tuple[dict[int, str], set[int]]:
    """The known cell that each of the learner's stands for, and the cells that are dropped."""
    given, plain = known.given, known.plain
    plain_text = {(cell.cell_type, cell.source.strip()): name for name, cell in plain.items()}
    keys = {indices[-1]: f"grade:{name}" for name, indices in places.items()}
    # A second copy of a test is dropped; the first copy of an answer is a cell of the learner's.
    dropped = {
        index
        for name, indices in places.items()
        for index in indices[:-1]
        if not cells.is_answer(given[name])
    }
    # Run after the answer, an untouched copy of its stub would take its place.
    stubs = {c.source.strip() for c in given.values() if cells.is_answer(c)}
    dropped |= {
        index
        for index, cell in enumerate(handed)
        if index not in keys and cell.source.strip() in stubs
    }
    taken: set[str] = set()
    for index, cell in enumerate(handed):
        text = (cell.cell_type, cell.source.strip())
        same = cell.id if cell.id in plain else plain_text.get(text)
        if index in keys or index in dropped or cells.grade_id(cell) or not same:
            continue
        if same not in taken:
            taken.add(same)
            keys[index] = f"plain:{same}"
    return keys, dropped


def _extras(
    notes: Notes,
    handed: list[NotebookNode],
    known: recover.GivenCells,
    keys: dict[int, str],
    dropped: Collection[int],
) -> dict[str, list[NotebookNode]]:
    """The learner's own cells, by the known cell that they follow."""
    extras: dict[str, list[NotebookNode]] = {}
    anchor, count, left_out, room = "", 0, 0, MAX_EXTRA_TEXT
    for index, cell in enumerate(handed):
        anchor = keys.get(index, anchor)
        if index in dropped or cell.cell_type == "raw":
            continue
        if index in keys:
            original = known.plain.get(anchor.removeprefix("plain:"))
            if original is None or _is_copy(cell, original):
                continue
        if cell.source.strip():
            count += 1
            room -= len(cell.source)
            if count <= MAX_EXTRA_CELLS and room >= 0:
                extras.setdefault(anchor, []).append(cell)
            else:
                left_out += 1
    if left_out:
        notes.add(
            f"{left_out} of the {count} cells that they added were left out",
            f"Your notebook has {count} cells of your own, more than are run. {left_out} of them "
            "were left out: delete what is not needed.",
            held=True,
        )
    return extras


def _is_copy(cell: NotebookNode, original: NotebookNode) -> bool:
    mine, theirs = cell.source.strip(), original.source.strip()
    return (cell.cell_type, mine) == (original.cell_type, theirs)


def _not_run(
    handed: list[NotebookNode],
    given: Mapping[str, NotebookNode],
    places: Mapping[str, list[int]],
) -> dict[str, str]:
    """The names that only a learner's copy of a locked cell binds, and that cell's grade id."""
    return {
        one: name
        for name, indices in places.items()
        if given[name].cell_type == "code"
        and cells.is_locked(given[name])
        and not _is_copy(handed[indices[-1]], given[name])
        for one in sorted(bound(handed[indices[-1]].source) - bound(given[name].source))
    }


def _harmless(kind: str, source: str) -> str:
    """A learner's text made safe for a cell; code is always displayed as text."""
    return source if kind == "code" else harmless_markdown(source)


def _without_added(notebook: NotebookNode) -> NotebookNode:
    """The notebook without the cell that installs the course, already installed for grading."""
    kept = [cell for cell in notebook.cells if not cells.is_added(cell)]
    return nbformat.from_dict({**notebook, "cells": kept})


def _extend(notebook: NotebookNode, extras: list[NotebookNode]) -> None:
    make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    for cell in extras:
        new = make[cell.cell_type](_harmless(cell.cell_type, cell.source))
        new.id = f"{cells.OWN}{len(notebook.cells)}"
        notebook.cells.append(new)


def _note_changes(
    notes: Notes,
    handed: list[NotebookNode],
    known: recover.GivenCells,
    template: NotebookNode,
    places: Mapping[str, list[int]],
    recovered: recover.Recovered,
) -> None:
    """Note what was done to the problem set's cells: a flag for each kind of change."""
    ours = {cells.grade_id(cell): cell.source.strip() for cell in template.cells}
    done: dict[tuple[str, str], list[str]] = {}
    for name, cell in known.given.items():
        what, locked = cells.kind(cell), cells.is_locked(cell)
        if name not in places:
            if locked or name not in recovered.answers:
                done.setdefault((what, DELETED if locked else LOST), []).append(name)
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
            and mine.source.strip() != ours[name]
            and recover.source_digest(mine.source) not in known.digests[name]
        ):
            ending = OLD if _is_as_given(mine, cell) else CHANGED
            done.setdefault((what, ending), []).append(name)
    for (what, ending), names in done.items():
        each = " (each)" if len(names) > 1 else ""
        flag = f"{what} {cells.listed(names)}{each} {ending}"
        notes.add(flag, _message(what, ending, names), held=ending == LOST)


#: What was done to a cell, and what follows.
DELETED, CHANGED = "was deleted; ours was run", "was changed; ours was run"
OLD, LOST = "is from another version; ours was run", "was deleted; no answer counts"


def _message(what: str, ending: str, names: list[str]) -> str:
    """What a learner is told about a change; nothing if it makes no difference to them."""
    called = cells.listed([f"`{name}`" for name in names])
    several = len(names) > 1
    if ending == LOST:
        return (
            f"Your answer{'s' if several else ''} {called} cannot be found: the cell is not in "
            "your notebook. Did you delete it? Hand in the notebook again, or ask your instructor."
        )
    if ending == CHANGED:
        return (
            f"You changed {called}. The problem set's own copy was run, so your change had no "
            "effect: put your code into a cell of your own."
        )
    if ending == DELETED:
        return f"Your notebook has lost {called}. The problem set's own copy was run."
    if what == "answer" and ending.startswith("occurs"):
        return f"Your answer {called} is there more than once. The last one was graded."
    if what == "answer":
        return f"Your answer {called} {ending}. It was graded; turn the cell back."
    return ""


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
