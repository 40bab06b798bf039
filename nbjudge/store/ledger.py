"""A record of finished work, so that a killed run resumes where it stopped.

It is a small database next to the gradebook, written by one process only.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbjudge.failure import GradingFailed
from nbjudge.inside.messages import Malformed, from_json, to_json
from nbjudge.store.record import Record

#: In order: waiting to be judged; judged, with the result kept here; saved to the gradebook, with
#: its page written.
QUEUED, JUDGED, FINISHED = "queued", "judged", "finished"

#: In place of a record: nothing was graded yet.
NO_RECORD = "{}"

#: Could not be judged, through no fault of the learner; the next run tries again.
FAILED = "failed"

#: The format of the tables and records. One that is older is read; it says 0 if it says nothing.
VERSION = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS submission (
    problem_set TEXT NOT NULL,
    student TEXT NOT NULL,
    key TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'judged', 'finished', 'failed')),
    seed INTEGER,
    record TEXT NOT NULL,
    judged BLOB,
    changed TEXT NOT NULL,
    PRIMARY KEY (problem_set, student)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass
class Entry:
    """The ledger's entry for one submission.

    ``key`` identifies what was judged, by what, and under which limits; ``record`` is from the last
    finished grading, whatever the state is now; ``None`` if there is none.
    """

    key: str = ""
    state: str = ""
    seed: int | None = None
    record: Record | None = None


class Ledger:
    """The ledger of a folder of graded work; a context manager.

    Each call is one transaction, written completely or not at all.

    Raises
    ------
    GradingFailed
        If its format is newer than this version's.
    """

    def __init__(self, path: Path):
        self.path = path
        self._database = sqlite3.connect(path, isolation_level=None, timeout=30)
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            self._database.close()
            raise GradingFailed(
                f"{path} was written by a newer version of the grader (format {version}; this one "
                f"reads formats up to {VERSION}). Install that version, or restore a backup from "
                "before the upgrade."
            )
        # After a power cut the last seconds may be lost and are redone; nothing is corrupted.
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.executescript(SCHEMA)
        self._database.execute(f"PRAGMA user_version = {VERSION}")

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    # -- submissions -----------------------------------------------------------------------------

    def entry(self, problem_set: str, student: str) -> Entry:
        """The entry for this submission; an empty one if there is none."""
        return self.entries(problem_set, student).get(student, Entry())

    def entries(self, problem_set: str, student: str | None = None) -> dict[str, Entry]:
        """The entries by student: all of them, or the one named."""
        rows = self._database.execute(
            "SELECT student, key, state, seed, record FROM submission "
            "WHERE problem_set = ? AND (? IS NULL OR student = ?)",
            (problem_set, student, student),
        )
        return {
            name: Entry(key, state, seed, self._record(name, record))
            for name, key, state, seed, record in rows
        }

    def _record(self, student: str, text: str) -> Record | None:
        try:
            return from_json(text, Record) if text != NO_RECORD else None
        except Malformed as error:
            raise GradingFailed(
                f"{self.path} holds a record of {student} that this version of the grader did not "
                f"write: {error}. Restore a backup, or install the version that wrote it."
            ) from None

    def queue(self, problem_set: str, student: str, key: str, seed: int) -> None:
        """Mark it as waiting to be judged; any earlier judgement kept here is dropped."""
        self._database.execute(
            "INSERT INTO submission VALUES (?, ?, ?, ?, ?, ?, NULL, ?) "
            "ON CONFLICT (problem_set, student) DO UPDATE SET key = excluded.key, "
            "state = excluded.state, seed = excluded.seed, judged = NULL, "
            "changed = excluded.changed",
            (problem_set, student, key, QUEUED, seed, NO_RECORD, _now()),
        )

    def judged(self, problem_set: str, student: str, judged: bytes) -> None:
        """Mark it as judged, with this result, which is not in the gradebook yet."""
        self._move(problem_set, student, JUDGED, judged)

    def result(self, problem_set: str, student: str) -> bytes | None:
        """The result stored by :meth:`judged`."""
        row = self._database.execute(
            "SELECT judged FROM submission WHERE problem_set = ? AND student = ?",
            (problem_set, student),
        ).fetchone()
        return row and row[0]

    def failed(self, problem_set: str, student: str) -> None:
        """Mark it as impossible to judge in this run."""
        self._move(problem_set, student, FAILED, None)

    def finish(
        self, problem_set: str, student: str, key: str, seed: int | None, record: Record
    ) -> None:
        """Mark it as finished: the last step, once the gradebook and the page are written."""
        self._database.execute(
            "INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
            (problem_set, student, key, FINISHED, seed, to_json(record), _now()),
        )

    def remember(self, problem_set: str, student: str, record: Record) -> None:
        """Store the current record before the gradebook is changed accordingly."""
        self._database.execute(
            "UPDATE submission SET record = ? WHERE problem_set = ? AND student = ?",
            (to_json(record), problem_set, student),
        )

    def _move(self, problem_set: str, student: str, state: str, judged: bytes | None) -> None:
        self._database.execute(
            "UPDATE submission SET state = ?, judged = ?, changed = ? "
            "WHERE problem_set = ? AND student = ?",
            (state, judged, _now(), problem_set, student),
        )

    # -- facts about the folder ------------------------------------------------------------------

    def fact(self, name: str) -> str:
        """A value noted about the folder; empty if there is none."""
        row = self._database.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def note(self, name: str, value: str) -> None:
        """Note a value about the folder."""
        self._database.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
