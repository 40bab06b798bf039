"""Who gave which mark by hand, and when: nbgrader's gradebook keeps the number alone.

In a folder of graded work the formgrader writes each change of a mark to ``marks.jsonl``, a line
each, as it saves it. A mark that came into the gradebook in another way has no line there, and is
flagged. The record tells a marker's account, not the person; whoever may write the folder's files
may write this one too.
"""

from __future__ import annotations

import getpass
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy
from nbgrader.api import Grade
from sqlalchemy import event
from sqlalchemy.orm import Session, object_session

#: The record of marks by hand, in the folder of graded work.
RECORD = "marks.jsonl"

#: How a flag ends that says that nothing is known to have given a mark; only instructors see it.
UNRECORDED = "that gave them is recorded"

#: Folder → nothing: those whose marks this process records.
_folders: dict[Path, None] = {}


@dataclass(frozen=True)
class Act:
    """One change of a mark by hand: when, by which account, of which cell, and what it is now.

    ``time`` is in ISO 8601; ``points`` and ``extra`` are ``None`` if a mark was taken back.
    """

    time: str
    account: str
    problem_set: str
    student: str
    cell: str
    points: float | None
    extra: float | None

    def says(self) -> str:
        """The act in a line, for the instructor."""
        return f"{_points(self.points, self.extra)} by {self.account} on {self.time}"


def _points(points: float | None, extra: float | None) -> str:
    given = "no mark" if points is None else f"{points:g}"
    return given + (f" and {extra:g} extra" if extra else "")


def record_marks(folder: Path) -> None:
    """Record from now on what this process does to marks by hand in the folder's gradebook."""
    _folders[folder.resolve()] = None
    if not event.contains(Grade, "after_update", _changed):
        event.listen(Grade, "after_update", _changed)
        event.listen(Session, "after_commit", _write)
        event.listen(Session, "after_rollback", _forget)


def _changed(_mapper: object, connection: sqlalchemy.Connection, grade: Grade) -> None:
    state = sqlalchemy.inspect(grade)
    before = {}
    for name in ("manual_score", "extra_credit"):
        old = state.attrs[name].history.deleted
        before[name] = old[0] if old else getattr(grade, name)
    # nbgrader stores no extra credit as 0 or as nothing.
    if before["manual_score"] == grade.manual_score and (before["extra_credit"] or 0) == (
        grade.extra_credit or 0
    ):
        return
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = "an account without a name"
    act = Act(
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        account=account,
        problem_set=grade.assignment.name,
        student=grade.student.id,
        cell=grade.cell.name,
        points=_number(grade.manual_score),
        extra=_number(grade.extra_credit),
    )
    database = connection.engine.url
    session = object_session(grade)
    if session is None:
        return
    for folder in _folders:
        if database.drivername != "sqlite" or Path(database.database or "").parent == folder:
            session.info.setdefault(RECORD, []).append((folder, act))


def _number(given: str | float | None) -> float | None:
    """A mark as a number: the formgrader hands over what was typed."""
    return None if given in (None, "") else float(given)


def _write(session: Session) -> None:
    for folder, act in session.info.pop(RECORD, []):
        # A mark that could not be recorded is saved all the same, and flagged later.
        with suppress(OSError), (folder / RECORD).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(act), ensure_ascii=False) + "\n")


def _forget(session: Session) -> None:
    session.info.pop(RECORD, None)


def last_acts(folder: Path, problem_set: str) -> dict[tuple[str, str], Act]:
    """The last act that is recorded for each student and cell."""
    path = folder / RECORD
    found: dict[tuple[str, str], Act] = {}
    if not path.is_file():
        return found
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            act = Act(**json.loads(line))
            act.says()
        except (ValueError, TypeError):
            continue  # cut off by a full disk, or written by somebody else
        if act.problem_set == problem_set:
            found[act.student, act.cell] = act
    return found


def unrecorded(cell: str, points: float | None, extra: float | None) -> str:
    """The flag for a mark by hand that no act made."""
    return f"{cell}: {_points(points, extra)} points by hand, but no marking {UNRECORDED}"


def changed(cell: str, points: float | None, gave: float | None) -> str:
    """The flag for points of the machine's that are not what grading gave."""
    now, then = _points(points, None), _points(gave, None)
    return f"{cell}: {now} points of the machine's, not {then}, but no grading {UNRECORDED}"
