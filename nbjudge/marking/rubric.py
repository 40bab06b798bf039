"""Rubric items, what markers chose, and regrade requests: ``marking.db`` in the graded folder.

The marks themselves are in nbgrader's gradebook; this says how they came about.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from nbjudge.failure import GradingFailed, of_the_machine
from nbjudge.marking.scheme import Scheme

#: The file's name in the folder of graded work.
FILE = "marking.db"

SCHEMA = """
CREATE TABLE IF NOT EXISTS item (
    work TEXT NOT NULL, cell TEXT NOT NULL, number INTEGER NOT NULL,
    text TEXT NOT NULL, points REAL NOT NULL, added TEXT NOT NULL, scheme TEXT NOT NULL,
    PRIMARY KEY (work, cell, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chosen (
    work TEXT NOT NULL, cell TEXT NOT NULL, student TEXT NOT NULL,
    items TEXT NOT NULL, adjustment REAL NOT NULL, points REAL,
    PRIMARY KEY (work, cell, student)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request (
    id INTEGER PRIMARY KEY, problem_set TEXT NOT NULL, student TEXT NOT NULL,
    exercise TEXT NOT NULL, text TEXT NOT NULL, asked TEXT NOT NULL, entered TEXT NOT NULL,
    answer TEXT NOT NULL DEFAULT '', answered TEXT NOT NULL DEFAULT '',
    marker TEXT NOT NULL DEFAULT '',
    UNIQUE (problem_set, student, exercise, text)
);
CREATE TABLE IF NOT EXISTS deleted (
    work TEXT NOT NULL, cell TEXT NOT NULL, number INTEGER NOT NULL, who TEXT NOT NULL,
    PRIMARY KEY (work, cell, number)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class RubricItem:
    """One item of a question's rubric.

    Attributes
    ----------
    number:
        Its number, from 1.
    text:
        What earns the points, as Markdown.
    points:
        Its points; negative for a deduction.
    added:
        The marker who added it; empty if it is from the mark scheme.
    scheme:
        The text of the mark scheme from which it was made.
    deleted:
        The marker who deleted it; empty if nobody did. A deleted item counts for no mark and can be
        brought back.
    """

    number: int
    text: str
    points: float
    added: str = ""
    scheme: str = ""
    deleted: str = ""


@dataclass(frozen=True)
class MarkersChoice:
    """What a marker chose for one answer.

    ``items`` maps an item's number to the share of its points that was given, 1 or 0.5; ``points``
    is the mark that was saved with it.
    """

    items: dict[int, float] = field(default_factory=dict)
    adjustment: float = 0.0
    points: float | None = None


@dataclass(frozen=True)
class RegradeRequest:
    """A learner's request to look at a mark again, and the answer, if there is one.

    ``asked`` and ``answered`` are times in ISO 8601; ``entered`` and ``marker`` name who entered
    the request and who answered it.
    """

    id: int
    student: str
    exercise: str
    text: str
    asked: str
    entered: str
    answer: str = ""
    answered: str = ""
    marker: str = ""


def total(items: list[RubricItem], choice: MarkersChoice, most: float) -> float:
    """The mark that a choice amounts to, between 0 and the question's points."""
    points = {item.number: item.points for item in items if not item.deleted}
    given = sum(points.get(number, 0.0) * share for number, share in choice.items.items())
    return round(min(max(0.0, given + choice.adjustment), most), 6)


class Rubric:
    """The open file; a context manager."""

    def __init__(self, folder: Path):
        path = folder / FILE
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=60)
            self._database.executescript(SCHEMA)
        except sqlite3.DatabaseError as error:
            if of_the_machine(error):
                raise
            raise GradingFailed(
                f"{path} is damaged ({error}). Replace it with a copy, or move it away: the marks "
                "themselves are in the gradebook."
            ) from None

    def __enter__(self) -> Rubric:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """All or nothing, while no other marker can save anything."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    # -- items -----------------------------------------------------------------------------------

    def items(self, work: str, cell: str) -> list[RubricItem]:
        """The rubric of a question, deleted items included."""
        rows = self._database.execute(
            "SELECT number, text, points, added, scheme, COALESCE(who, '') "
            "FROM item LEFT JOIN deleted USING (work, cell, number) "
            "WHERE work = ? AND cell = ? ORDER BY number",
            (work, cell),
        )
        return [RubricItem(*row) for row in rows]

    def begin(self, work: str, cell: str, scheme: Scheme) -> bool:
        """Make the rubric of a question from its mark scheme.

        Once somebody has marked with a rubric, it stays. Returns whether the rubric agrees with the
        mark scheme, which may have been changed since.
        """
        with self.locked():
            present = [item for item in self.items(work, cell) if not item.added]
            now = [(item.text, item.points) for item in scheme.items]
            # Editing an item on the page leaves its scheme's text and is no disagreement.
            same = [item.scheme for item in present] == [text for text, _ in now]
            if present and (same or self.choices(work, cell)):
                return same
            added = [item for item in self.items(work, cell) if item.added]
            for table in ("item", "deleted"):
                self._database.execute(
                    f"DELETE FROM {table} WHERE work = ? AND cell = ?", (work, cell)
                )
            fresh = [RubricItem(0, text, points, "", text) for text, points in now]
            for number, item in enumerate([*fresh, *added], 1):
                self.put(work, cell, replace(item, number=number))
            return True

    def cells(self, work: str) -> list[str]:
        """The questions that have a rubric, by their cells' names."""
        rows = self._database.execute("SELECT DISTINCT cell FROM item WHERE work = ?", (work,))
        return [cell for (cell,) in rows]

    def put(self, work: str, cell: str, item: RubricItem) -> None:
        """Add or replace an item."""
        self._database.execute(
            "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?)",
            (work, cell, item.number, item.text, item.points, item.added, item.scheme),
        )
        which = work, cell, item.number
        if item.deleted:
            self._database.execute(
                "INSERT OR REPLACE INTO deleted VALUES (?, ?, ?, ?)", (*which, item.deleted)
            )
        else:
            self._database.execute(
                "DELETE FROM deleted WHERE work = ? AND cell = ? AND number = ?", which
            )

    # -- choices ---------------------------------------------------------------------------------

    def choices(self, work: str, cell: str) -> dict[str, MarkersChoice]:
        """What was chosen for a question's answers, by student."""
        rows = self._database.execute(
            "SELECT student, items, adjustment, points FROM chosen WHERE work = ? AND cell = ?",
            (work, cell),
        )
        return {
            student: MarkersChoice(_shares(json.loads(items)), adjustment, points)
            for student, items, adjustment, points in rows
        }

    def choose(self, work: str, cell: str, student: str, choice: MarkersChoice) -> None:
        """Keep what was chosen for an answer."""
        self._database.execute(
            "INSERT OR REPLACE INTO chosen VALUES (?, ?, ?, ?, ?, ?)",
            (work, cell, student, json.dumps(choice.items), choice.adjustment, choice.points),
        )

    # -- regrade requests ------------------------------------------------------------------------

    def requests(self, problem_set: str) -> list[RegradeRequest]:
        """The requests on a problem set, oldest first."""
        rows = self._database.execute(
            "SELECT id, student, exercise, text, asked, entered, answer, answered, marker "
            "FROM request WHERE problem_set = ? ORDER BY id",
            (problem_set,),
        )
        return [RegradeRequest(*row) for row in rows]

    def ask(
        self, problem_set: str, student: str, exercise: str, text: str, entered: str, asked: str
    ) -> bool:
        """Put a request on record; returns whether it is new."""
        done = self._database.execute(
            "INSERT OR IGNORE INTO request (problem_set, student, exercise, text, asked, entered) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (problem_set, student, exercise, text, asked or now(), entered),
        )
        return done.rowcount > 0

    def answer(self, number: int, text: str, marker: str) -> None:
        """Answer a request; an earlier answer is replaced."""
        self._database.execute(
            "UPDATE request SET answer = ?, answered = ?, marker = ? WHERE id = ?",
            (text, now(), marker, number),
        )


def for_feedback(folder: Path, problem_set: str, work: str) -> dict[str, dict]:
    """What the feedback pages say of the marking, by student; only those with something to say.

    ``requests`` holds each request with its answer, ``items`` for each cell the points by item and
    ``points``, the mark that they belong to.
    """
    requests: dict[str, dict] = {}
    if not (folder / FILE).is_file():
        return requests

    def of(student: str) -> dict:
        return requests.setdefault(student, {"requests": [], "items": {}})

    with Rubric(folder) as rubric:
        for request in rubric.requests(problem_set):
            of(request.student)["requests"].append(
                {
                    "exercise": request.exercise,
                    "text": request.text,
                    "asked": request.asked[:10],
                    "answer": request.answer,
                    "answered": request.answered[:10],
                }
            )
        for cell in rubric.cells(work):
            items = rubric.items(work, cell)
            for student, choice in rubric.choices(work, cell).items():
                of(student)["items"][cell] = {
                    "points": choice.points,
                    "items": _by_item(items, choice),
                }
    return requests


def _by_item(items: list[RubricItem], choice: MarkersChoice) -> list[dict]:
    """The points by item, in the learner's words: the mark scheme's text is the instructors'."""
    rows = []
    for item in items:
        given = item.points * choice.items.get(item.number, 0.0)
        if item.deleted:
            continue
        if item.added and not given:
            continue
        name = item.text if item.added else f"{item.number}"
        rows.append({"name": name, "given": given, "most": max(item.points, 0.0)})
    if choice.adjustment:
        rows.append({"name": "adjustment", "given": choice.adjustment, "most": 0.0})
    return rows


def _shares(items: dict) -> dict[int, float]:
    return {int(number): float(share) for number, share in items.items()}


def now() -> str:
    """The time in ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
