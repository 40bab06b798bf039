"""Record who gave which manual mark, and when: nbgrader's gradebook keeps only the number.

In a folder of graded work the formgrader and the marking page append each change of a mark to
``marks.jsonl`` as they save it, one per line. A mark that entered the gradebook in another way has
no line there, and is flagged. The record names the marker's account, which others may use too;
anyone with write access to the folder can write this file too.
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

#: The record of manual marks, in the folder of graded work.
RECORD = "marks.jsonl"

#: Ending of a flag for a mark of unknown origin; only instructors see it.
UNRECORDED = "is on record"

#: Where a database session holds the name of who marks with it.
MARKER = "marker"

#: The folders whose marks this process records, as keys.
_folders: dict[Path, None] = {}


@dataclass(frozen=True)
class Act:
    """One change of a manual mark: when, by which account, of which cell, and its new value.

    ``time`` is in ISO 8601; ``points`` and ``extra`` are ``None`` if a mark was withdrawn;
    ``marker`` is the name that a marker gave on the marking page, if it is not the account's.
    """

    time: str
    account: str
    problem_set: str
    student: str
    cell: str
    points: float | None
    extra: float | None
    marker: str = ""

    @property
    def who(self) -> str:
        """The marker, and the account if it has another name."""
        return f"{self.marker} (account {self.account})" if self.marker else self.account

    def says(self) -> str:
        """A one-line description for the instructor."""
        return f"{_points(self.points, self.extra)} by {self.who} on {self.time}"


def _points(points: float | None, extra: float | None) -> str:
    given = "no mark" if points is None else f"{points:g}"
    return given + (f" and {extra:g} extra" if extra else "")


def record_marks(folder: Path) -> None:
    """From now on, record this process's changes to manual marks in the folder's gradebook."""
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
    # nbgrader stores "no extra credit" as 0 or as nothing.
    if before["manual_score"] == grade.manual_score and (before["extra_credit"] or 0) == (
        grade.extra_credit or 0
    ):
        return
    session = object_session(grade)
    if session is None:
        return
    who = account()
    marker = session.info.get(MARKER, "")
    act = Act(
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        account=who,
        problem_set=grade.assignment.name,
        student=grade.student.id,
        cell=grade.cell.name,
        points=_number(grade.manual_score),
        extra=_number(grade.extra_credit),
        marker="" if marker == who else marker,
    )
    database = connection.engine.url
    for folder in _folders:
        if database.drivername != "sqlite" or Path(database.database or "").parent == folder:
            session.info.setdefault(RECORD, []).append((folder, act))


def account() -> str:
    """The name of the account that this process runs as."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "an unnamed account"


def _number(given: str | float | None) -> float | None:
    """A mark as a number: the formgrader passes on the text typed."""
    return None if given in (None, "") else float(given)


def _write(session: Session) -> None:
    for folder, act in session.info.pop(RECORD, []):
        # A mark that could not be recorded is saved anyway, and flagged later.
        with suppress(OSError), (folder / RECORD).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(act), ensure_ascii=False) + "\n")


def _forget(session: Session) -> None:
    session.info.pop(RECORD, None)


def last_acts(folder: Path, problem_set: str) -> dict[tuple[str, str], Act]:
    """The last recorded act for each student and cell."""
    path = folder / RECORD
    acts_by: dict[tuple[str, str], Act] = {}
    if not path.is_file():
        return acts_by
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            act = Act(**json.loads(line))
            act.says()
        except (ValueError, TypeError):
            continue  # cut off by a full disk, or not written by us
        if act.problem_set == problem_set:
            acts_by[act.student, act.cell] = act
    return acts_by


def unrecorded(cell: str, points: float | None, extra: float | None) -> str:
    """The flag for a manual mark without a recorded act."""
    return f"{cell}: {_points(points, extra)} points by hand, but no such marking {UNRECORDED}"


def changed(cell: str, points: float | None, gave: float | None) -> str:
    """The flag for automatic points that differ from what grading gave."""
    now, then = _points(points, None), _points(gave, None)
    return f"{cell}: {now} automatic points, not {then}, but no such grading {UNRECORDED}"
