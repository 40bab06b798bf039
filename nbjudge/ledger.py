"""What has been done, so that a killed run goes on where it stopped.

It is one small database beside the gradebook, written by one process only.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

#: In order: to be judged; judged, and the result kept here; in the gradebook with its page written.
QUEUED, JUDGED, FINISHED = "queued", "judged", "finished"

#: Could not be judged, through no fault of the learner's; the next run tries again.
FAILED = "failed"

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
    """What is known of one submission.

    ``key`` tells what was judged, by what, and under which limits; ``record`` is what the last
    finished grading left, whichever the state is now.
    """

    key: str = ""
    state: str = ""
    seed: int | None = None
    record: dict = field(default_factory=dict)


class Ledger:
    """The ledger of a folder of graded work; to be used with ``with``.

    Each call is a transaction of its own: it is written whole or not at all.
    """

    def __init__(self, path: Path):
        self.path = path
        self._database = sqlite3.connect(path, isolation_level=None, timeout=30)
        # After a power cut the last seconds may be missing, and are done again: nothing is broken.
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.executescript(SCHEMA)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    # -- submissions -----------------------------------------------------------------------------

    def entry(self, problem_set: str, student: str) -> Entry:
        """What is known of this submission; an empty entry where nothing is."""
        return self.entries(problem_set, student).get(student, Entry())

    def entries(self, problem_set: str, student: str | None = None) -> dict[str, Entry]:
        """What is known, by student: of all of them, or of the one named."""
        rows = self._database.execute(
            "SELECT student, key, state, seed, record FROM submission "
            "WHERE problem_set = ? AND (? IS NULL OR student = ?)",
            (problem_set, student, student),
        )
        return {
            name: Entry(key, state, seed, json.loads(record))
            for name, key, state, seed, record in rows
        }

    def queue(self, problem_set: str, student: str, key: str, seed: int) -> None:
        """It is to be judged; what an earlier judgement left of it is dropped."""
        self._database.execute(
            "INSERT INTO submission VALUES (?, ?, ?, ?, ?, '{}', NULL, ?) "
            "ON CONFLICT (problem_set, student) DO UPDATE SET key = excluded.key, "
            "state = excluded.state, seed = excluded.seed, judged = NULL, "
            "changed = excluded.changed",
            (problem_set, student, key, QUEUED, seed, _now()),
        )

    def judged(self, problem_set: str, student: str, judged: bytes) -> None:
        """It has been judged, with this result, which is not in the gradebook yet."""
        self._move(problem_set, student, JUDGED, judged)

    def result(self, problem_set: str, student: str) -> bytes | None:
        """What :meth:`judged` kept."""
        row = self._database.execute(
            "SELECT judged FROM submission WHERE problem_set = ? AND student = ?",
            (problem_set, student),
        ).fetchone()
        return row and row[0]

    def failed(self, problem_set: str, student: str) -> None:
        """It could not be judged."""
        self._move(problem_set, student, FAILED, None)

    def finish(
        self, problem_set: str, student: str, key: str, seed: int | None, record: dict
    ) -> None:
        """It is in the gradebook and its page is written: the last thing done for a submission."""
        text = json.dumps(record, ensure_ascii=False)
        self._database.execute(
            "INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
            (problem_set, student, key, FINISHED, seed, text, _now()),
        )

    def remember(self, problem_set: str, student: str, record: dict) -> None:
        """Keep the record as it is now, before the gradebook is changed by it."""
        self._database.execute(
            "UPDATE submission SET record = ? WHERE problem_set = ? AND student = ?",
            (json.dumps(record, ensure_ascii=False), problem_set, student),
        )

    def _move(self, problem_set: str, student: str, state: str, judged: bytes | None) -> None:
        self._database.execute(
            "UPDATE submission SET state = ?, judged = ?, changed = ? "
            "WHERE problem_set = ? AND student = ?",
            (state, judged, _now(), problem_set, student),
        )

    # -- facts about the folder ------------------------------------------------------------------

    def fact(self, name: str) -> str:
        """Something that was noted about the folder; empty where it was not."""
        row = self._database.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def note(self, name: str, value: str) -> None:
        """Note something about the folder."""
        self._database.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
