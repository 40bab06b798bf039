"""A learner's progress: the results of each check are stored in the learner's own folder."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbjudge.course import root
from nbjudge.desk.lab import GIVEN, WORK
from nbjudge.files import write_whole
from nbjudge.inside.program import command_name

if TYPE_CHECKING:
    from nbjudge.desk.check import Checked

#: File next to :data:`~nbjudge.desk.lab.GIVEN` with the results of the last checks.
CHECKED = ".checked.json"


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
    found = (p for p in (path, *path.parents) if (p / GIVEN).is_file())
    return next(found, None)


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
        found = folder_of(here) or folder_of(root() / WORK)
    else:
        above = (folder / named for folder in (here, *here.parents))
        found = next((folder for folder in above if (folder / GIVEN).is_file()), None)
        if found is None and named.exists():
            found = folder_of(named)
    if found is None:
        lab = f"{command_name()} lab"
        raise ValueError(f"{named or root() / WORK} was not created by `{lab}`: run that first.")
    return found


def keep(found: Checked, notebook: Path) -> None:
    """Store the results of a check, if the notebook is in a learner's folder."""
    work = folder_of(notebook)
    if work is None or not found.problem_set:
        return
    every = _read(work)
    entry = every.setdefault(found.problem_set, {})
    exercises = entry.setdefault("exercises", {})
    for one in found.exercises:
        exercises[one.name] = {"score": one.score, "judged": one.judged, "verdict": one.verdict}
    entry["digest"] = _digest(notebook)
    with suppress(OSError):  # a read-only folder is no reason to lose a check
        write_whole(work / CHECKED, json.dumps(every, indent=1, sort_keys=True))


def progress(work: Path) -> list[SetProgress]:
    """The progress in each problem set of a learner's folder, in order."""
    given, every = _json(work / GIVEN), _read(work)
    found = []
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
        found.append(one)
    return found


def _read(work: Path) -> dict[str, Any]:
    return _json(work / CHECKED)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
