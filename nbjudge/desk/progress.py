"""A learner's progress: the results of each check are stored in the learner's own folder.

A page there, on which JupyterLab opens, shows the progress and what comes next.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbjudge.course import WORK, root
from nbjudge.desk.named import lesson_of
from nbjudge.files import write_whole
from nbjudge.inside.program import command_name
from nbjudge.intake import cells
from nbjudge.wording import number

if TYPE_CHECKING:
    from nbjudge.desk.check import Checked

#: Record of the files given out, with their digests at that time; changed files are never touched.
GIVEN = ".given.json"

#: File next to :data:`GIVEN` with the results of the last checks.
CHECKED = ".checked.json"

#: Name of the page in the learner's folder.
START = "start-here.md"

#: Its first line, which no reader sees. A file of this name without it is the learner's own.
OURS = "<!-- Written anew by each `lab` and `check`: changes here are lost. -->"


@dataclass
class SetProgress:
    """One problem set; ``state`` is empty if the last check's results are up to date."""

    name: str
    score: float = 0.0
    judged: float = 0.0
    passed: int = 0
    exercises: int = 0
    state: str = ""


def folder_of(path: Path) -> Path | None:
    """The learner's folder, created by ``lab``, that a path is or is in."""
    path = path.resolve()
    folders = (p for p in (path, *path.parents) if (p / GIVEN).is_file())
    return next(folders, None)


def folder_for(named: Path | None) -> Path:
    """The learner's folder that is meant: the named one, or the current one, or the course's own.

    A name that means nothing here may be that of the folder that this is in, or of one beside it.

    Raises
    ------
    ValueError
        If there is none that was created by ``lab``.
    """
    here = Path.cwd()
    if named is None:
        work = folder_of(here) or folder_of(root() / WORK)
    else:
        above = (folder / named for folder in (here, *here.parents))
        work = next((folder for folder in above if (folder / GIVEN).is_file()), None)
        if work is None and named.exists():
            work = folder_of(named)
    if work is None:
        lab = f"{command_name()} lab"
        raise ValueError(f"{named or root() / WORK} was not created by `{lab}`: run that first.")
    return work


def keep(checked: Checked, notebook: Path) -> None:
    """Store the results of a check, if the notebook is in a learner's folder."""
    work = folder_of(notebook)
    if work is None or not checked.problem_set:
        return
    every = _read(work)
    entry = every.setdefault(checked.problem_set, {})
    exercises = entry.setdefault("exercises", {})
    for one in checked.exercises:
        exercises[one.name] = {"score": one.score, "judged": one.judged, "verdict": one.verdict}
    entry["digest"] = _digest(notebook)
    with suppress(OSError):  # a read-only folder is no reason to lose a check
        write_whole(work / CHECKED, json.dumps(every, indent=1, sort_keys=True))
        write_start(work)


def progress(work: Path) -> list[SetProgress]:
    """The progress in each problem set of a learner's folder, in order."""
    given, every = _json(work / GIVEN), _read(work)
    listed = []
    for path in sorted((work / "assignments").glob("*/*.ipynb")):
        name, digest = path.stem, _digest(path)
        one, entry = SetProgress(name), every.get(name, {})
        exercises = list(entry.get("exercises", {}).values())
        one.exercises = len(exercises)
        one.score = sum(e["score"] for e in exercises)
        one.judged = sum(e["judged"] for e in exercises)
        one.passed = sum(e["verdict"] in ("passed", "answered", "by hand") for e in exercises)
        if not exercises:
            same = given.get(path.relative_to(work).as_posix()) == digest
            one.state = "not started" if same else "not checked yet"
        elif entry.get("digest") != digest:
            one.state = "changed since it was checked"
        listed.append(one)
    return listed


def write_start(work: Path) -> None:
    """Write the page into a learner's folder, unless a file of their own has its name."""
    page = work / START
    ours = page.is_file() and page.read_bytes().startswith(OURS.encode())
    if ours or not os.path.lexists(page):
        write_whole(page, start_page(work, progress(work)))


def start_page(work: Path, sets: list[SetProgress]) -> str:
    """The page as Markdown: the next step, then a row for each problem set with its lesson."""
    if not sets:
        return f"{OURS}\n\n# Start here\n\nOpen a notebook from the list of files.\n"
    rows = [_Row.of(one, work) for one in sets]
    unfinished = [row for row in rows if not row.finished]
    next_step = unfinished[0].next_step if unfinished else "You have finished all problem sets."
    example = (unfinished or rows)[0].folder
    table = "\n".join(row.text for row in rows)
    return f"""{OURS}

# Start here

{next_step}

| Lesson | Problem set | Points so far | Exercises done |
|---|---|---|---|
{table}

To check your answers, open a terminal (*File > New > Terminal*) and type:

```
{command_name()} check {example}
```

The points are those that a check on your own computer can give. Each check updates this page: close
it and open it again to see them.
"""


@dataclass(frozen=True)
class _Row:
    """A problem set in the table, with links to it and to its lesson; that may be empty."""

    progress: SetProgress
    folder: str
    exercises: int
    link: str
    lesson: str

    @classmethod
    def of(cls, progress: SetProgress, work: Path) -> _Row:
        path = next((work / "assignments").glob(f"*/{progress.name}.ipynb"))
        folder = path.parent.relative_to(work).as_posix()
        link, exercises = _link(path, work)
        lesson = lesson_of(progress.name, work)
        of_lesson = _link(lesson, work)[0] if lesson else ""
        return cls(progress, folder, len(exercises), link, of_lesson)

    @property
    def finished(self) -> bool:
        """Whether every exercise was done when it was last checked, and has not changed since."""
        return not self.progress.state and self.progress.passed >= self.exercises

    @property
    def next_step(self) -> str:
        one = self.progress
        if one.state == "not started" and self.lesson:
            return f"**Next:** read {self.lesson}. Then do {self.link}."
        if one.state == "not started":
            return f"**Next:** do {self.link}."
        changed = " You have changed it since it was checked." if "changed" in one.state else ""
        return f"**Next:** continue with {self.link}.{changed}"

    @property
    def text(self) -> str:
        one = self.progress
        points, done = "–", one.state
        if one.exercises:
            points = f"{number(one.score)} of {number(one.judged)}"
            counted = f"{one.passed} of {self.exercises}"
            done = f"{counted} ({one.state})" if one.state else counted
        return f"| {self.lesson} | {self.link} | {points} | {done} |"


def _link(notebook: Path, work: Path) -> tuple[str, set[str]]:
    """A link to a notebook, under its title if it has one, and the names of its exercises."""
    title, exercises = notebook.stem, set()
    try:
        every = json.loads(notebook.read_text("utf-8"))["cells"]
        first = "".join(every[0]["source"]).partition("\n")[0]
        title = first.removeprefix("# ") if first.startswith("# ") else title
        exercises = {cells.exercise_of(cells.grade_id(c)) for c in every if cells.is_graded(c)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass  # a notebook that cannot be read is still listed
    text = title.replace("|", "\\|")
    return f"[{text}]({notebook.relative_to(work).as_posix()})", exercises


def _read(work: Path) -> dict[str, Any]:
    return _json(work / CHECKED)


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
