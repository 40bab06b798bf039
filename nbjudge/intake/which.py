"""Which file in a student's folder is the notebook to grade, whatever happened to its name."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from nbjudge.files import Unreadable, read_file
from nbjudge.intake import cells
from nbjudge.intake.notes import Notes

#: File in which the exchange, or a learner, writes when work was handed in. It is not trusted.
TIMESTAMP = "timestamp.txt"

#: File with the secret by which nbgrader's exchange names a learner's feedback.
SECRET = "submission_secret.txt"

#: Endings under which browsers and mail programs save a notebook.
ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json")

#: A notebook of the right name may have lost its ending altogether.
BARE = ".json"

#: What a platform or a browser adds to the name of a file that it has met before.
_AGAIN = re.compile(r"(?: ?\(\d+\)|-\d{1,2})+$")

#: Depth and number of files to which a student's folder is searched.
_DEPTH, _MOST = 4, 2_000


def printable(name: str) -> str:
    """A file's name made safe to show and store, whatever bytes it contains."""
    return "".join(letter if letter.isprintable() else "�" for letter in name)


def is_junk(name: str) -> bool:
    """Whether a file or folder is an operating system's, an editor's or Jupyter's, not a learner's.

    macOS puts ``._NAME`` beside each file, and ``__MACOSX`` into zips.
    """
    if name == "..":
        return False  # an attack, which is worth a line
    return name.startswith((".", "~$", "__MACOSX")) or name in ("Thumbs.db", "desktop.ini")


def alike(name: str) -> str:
    """A name without what differs between spellings: case, spaces, hyphens, underscores."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def is_named(stem: str, wanted: str) -> bool:
    """Whether a file's name without its ending is a spelling of ``wanted``, such as ``X (1)``."""
    return alike(wanted) in (alike(stem), alike(_AGAIN.sub("", stem)))


def stem_of(name: str, endings: Collection[str] = (*ENDINGS, BARE)) -> str | None:
    """The name without its ending; ``None`` if it is not one of a notebook's."""
    matching = (ending for ending in endings if name.lower().endswith(ending))
    ending = next(matching, None)
    return None if ending is None else name[: -len(ending)]


def which(
    folder: Path, problem_set: str, notebook: str, others: Collection[str], sets: Collection[str]
) -> tuple[Path | None, Notes, str]:
    """The file to grade, what is odd about it, and the reason if there is no file.

    Parameters
    ----------
    folder:
        The student's folder.
    problem_set:
        The problem set's name.
    notebook, others:
        The notebook's name without its ending, and those of the problem set's other notebooks.
    sets:
        All of the course's problem sets: what lies in their folders belongs to them.
    """
    notes, wanted = Notes(), f"{notebook}.ipynb"
    for part in (folder, folder / problem_set):
        if part.is_symlink():
            return None, notes, f"{part.name} is a link, and links are not followed"
    path = next(
        (p for p in (folder / problem_set / wanted, folder / wanted) if os.path.lexists(p)), None
    )
    within, elsewhere = files_of(folder, problem_set, sets)
    named = [p for p in within + elsewhere if is_named(stem_of(p.name) or "", notebook)]
    if path is None:
        free = [p for p in within if stem_of(p.name, ENDINGS) is not None]
        candidates = named or ([] if others else free)
        if len(candidates) > 1 and not _same(candidates):
            listed = cells.listed([printable(p.name) for p in candidates])
            return None, notes, f"no {wanted}, but {listed}: which one counts?"
        if not candidates:
            return None, notes, _nothing(within + elsewhere, folder, wanted)
        path = candidates[0]
    else:
        rivals = [p for p in named if p != path and p.parent == path.parent]
        if rivals and not _same([path, *rivals]):
            listed = cells.listed([printable(p.name) for p in rivals])
            notes.add(
                f"{wanted} was graded, but there is also {listed}: which one counts?",
                f"You handed in {listed} as well. {wanted} was graded: tell your instructor if "
                "that is not the one you want to count.",
                held=True,
            )
    if path.name != wanted:
        called = printable(path.name)
        notes.add(
            f"the file is called {called!r}, not {wanted}",
            f"Your file is called {called}. Please hand it in as {wanted}.",
        )
    if path.parent == folder:
        notes.add(f"{wanted} was not in a folder {problem_set}")
    elif path.parent != folder / problem_set:
        place = printable(path.parent.relative_to(folder).as_posix())
        notes.add(f"the notebook was in the folder {place!r}, not {problem_set}")
    return path, notes, ""


def files_of(
    folder: Path, problem_set: str, sets: Collection[str]
) -> tuple[list[Path], list[Path]]:
    """The files in the problem set's folder, and those in folders that are no problem set's."""
    within: list[Path] = []
    elsewhere: list[Path] = []
    others = {alike(name) for name in sets} - {alike(problem_set)}
    for path in _walk(folder, _DEPTH):
        first = path.relative_to(folder).parts[0] if path.parent != folder else ""
        if alike(first) == alike(problem_set):
            within.append(path)
        elif alike(first) not in others:
            elsewhere.append(path)
        if len(within) + len(elsewhere) >= _MOST:
            break
    return within, elsewhere


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """The files below a folder in order of their names, without junk and without links."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if is_junk(path.name) or path.name in (TIMESTAMP, SECRET):
            continue
        if path.is_dir() and not path.is_symlink():
            if depth > 1:
                yield from _walk(path, depth - 1)
        else:
            yield path


def _same(paths: list[Path]) -> bool:
    try:
        return len({hashlib.sha256(read_file(path)[0]).digest() for path in paths}) == 1
    except Unreadable:
        return False


def _nothing(there: list[Path], folder: Path, wanted: str) -> str:
    """Why there is nothing to grade."""
    if not there:
        return NOTHING
    names = [printable(path.relative_to(folder).as_posix()) for path in there]
    text = f"no {wanted}, but {cells.listed(names)}"
    kinds = {KINDS[path.suffix.lower()] for path in there if path.suffix.lower() in KINDS}
    return text + (f": {kinds.pop()}" if len(kinds) == 1 else "")


#: The reason if a student's folder is missing or empty.
NOTHING = "nothing handed in"

#: What else learners hand in, by the file's ending.
KINDS = {
    ".zip": "a zip, which has to be unpacked",
    ".py": "an export as a program, which has no cells",
    ".html": "an export as a page, which has no cells",
    ".pdf": "a print, which has no cells",
}
