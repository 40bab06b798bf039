"""Delete what a class's folders hold about learners: work, marks, feedback and every trace of them.

What is written for the whole class is looked through as well: rows of tables, lines of records and
logs, entries of reports. A page that names a learner is deleted; the next grading writes it anew.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from nbjudge.files import write_whole
from nbjudge.intake import roster
from nbjudge.intake.policy import one_spelling
from nbjudge.report.exports import PLATFORMS
from nbjudge.store.archive import GRADEBOOK, LEDGER
from nbjudge.store.statistics import STATISTICS, keep_statistics

#: Files of the course or of this module, which name no learner.
OURS = ("source", "release", STATISTICS)

#: A table of scores or a zip of feedback for a learning platform, in the folder of results.
EXPORT = re.compile(
    rf".+-(?:{'|'.join(PLATFORMS)})\.csv|.+-feedback-(?:{'|'.join(PLATFORMS)})\.zip"
)

#: Suffixes of the databases that are looked through.
_DATABASES = (".db", ".sqlite", ".sqlite3")


@dataclass
class Forgotten:
    """What was deleted, or would be.

    Attributes
    ----------
    learners:
        Whom it was about.
    deleted:
        What was deleted → how many of it.
    notes:
        What is left for the instructor to do.
    """

    learners: list[str]
    deleted: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def learners_in(into: Path, submitted: Path | None, url: str | None = None) -> list[str]:
    """Everyone about whom these folders and the gradebook hold something, sorted."""
    students: set[str] = set()
    for step in ("submitted", "autograded", "feedback"):
        if (into / step).is_dir():
            students |= {path.name for path in (into / step).iterdir() if path.is_dir()}
    with contextlib.closing(_opened(into / LEDGER)) as database:
        students |= {name for (name,) in database.execute("SELECT student FROM submission")}
    with _gradebook(into, url) as book:
        students |= {student.id for student in book.students} if book else set()
    if submitted is not None:
        students |= {*roster.folders_of(submitted), *roster.people(submitted)}
    return sorted(students)


def forget(
    learners: Collection[str],
    into: Path,
    submitted: Path | None = None,
    *,
    database: str | None = None,
    course_id: str = "",
    pretend: bool = False,
) -> Forgotten:
    """Delete what the folders and the gradebook hold about these learners.

    The class's statistics are written first, without names, to ``statistics.json``.

    Parameters
    ----------
    learners:
        Their names in the folders.
    into:
        The folder that ``grade`` wrote its results to. No grading may be running there.
    submitted:
        The folder of their work as handed in, with roster and receipts.
    database:
        The gradebook's URL, if it is not a file in ``into``.
    course_id:
        The course's id in the gradebook.
    pretend:
        Whether to delete nothing, and only count.

    Raises
    ------
    ValueError
        If nothing is known about one of them, or the gradebook is elsewhere and ``database`` does
        not say where.
    """
    into = Path(into).resolve()
    _check_place(into, database)
    names = sorted({one_spelling(name) for name in learners})
    known = learners_in(into, submitted, database)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"learners names {unknown[0]!r}, but nothing is known about them.")
    done = Forgotten(names)
    if not names:
        return done
    if not pretend and (kept := keep_statistics(into)):
        done.notes.append(f"The class's statistics are in {STATISTICS}: {', '.join(kept)}.")
    work = _Forgetting(set(names), done, pretend)
    with _gradebook(into, database, course_id) as book:
        if book is not None:
            work.gradebook(book)
    for folder in (into, *([] if submitted is None else [Path(submitted).resolve()])):
        work.folder(folder)
    done.notes += [
        "Not looked at: backups, downloads from a platform, nbgrader's exchange, and exports that "
        "lie elsewhere."
    ]
    return done


def _check_place(into: Path, database: str | None) -> None:
    if not (into / LEDGER).is_file():
        raise ValueError(f"into is {str(into)!r}, but that folder has no {LEDGER}.")
    with contextlib.closing(_opened(into / LEDGER)) as ledger:
        row = ledger.execute("SELECT value FROM fact WHERE name = 'database'").fetchone()
    if row and row[0] not in ("", GRADEBOOK) and database is None:
        raise ValueError(f"The marks of {into} are in {row[0]}: give its address with --db.")


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=60)


@contextlib.contextmanager
def _gradebook(into: Path, url: str | None, course_id: str = "") -> Iterator[Gradebook | None]:
    """nbgrader's gradebook; ``None`` if there is none."""
    path = into / GRADEBOOK
    if url is None and not path.is_file():
        yield None
        return
    with Gradebook(url or f"sqlite:///{path}", course_id) as book:
        yield book


class _Forgetting:
    """One deletion of what is held about these learners."""

    def __init__(self, names: set[str], done: Forgotten, pretend: bool):
        self.names, self.done, self.pretend = names, done, pretend
        either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        self.mention = re.compile(rf"(?<![\w.-])(?:{either})(?![\w-])")

    def gradebook(self, book: Gradebook) -> None:
        """Delete their submissions, marks and comments, and the learners themselves."""
        for name in sorted(self.names):
            with contextlib.suppress(MissingEntry):
                submissions = book.student_submissions(name)
                self.done.deleted["submissions with their marks in the gradebook"] += len(
                    submissions
                )
                if not self.pretend:
                    book.remove_student(name)

    def folder(self, folder: Path) -> None:
        """Delete their folders anywhere in it, and what the other files hold about them."""
        for where, inner, files in os.walk(folder):
            if Path(where) == folder:
                inner[:] = [name for name in inner if name not in OURS]
                files = [name for name in files if not self._export(folder / name)]
            for name in [name for name in inner if self._is_theirs(name)]:
                inner.remove(name)
                self._remove(Path(where, name))
            for name in files:
                path = Path(where, name)
                if name != ".lock" and name not in OURS and not path.is_symlink():
                    self._file(path)

    def _export(self, path: Path) -> bool:
        """Delete a table or zip that has a platform's own names; returns whether it is one."""
        if not EXPORT.fullmatch(path.name):
            return False
        self.done.deleted["exports of the class (`grade --export` writes them anew)"] += 1
        if not self.pretend:
            path.unlink()
        return True

    def _is_theirs(self, name: str) -> bool:
        return one_spelling(name) in self.names

    def _remove(self, path: Path) -> None:
        files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
        self.done.deleted["files of their own"] += len(files)
        if self.pretend:
            return
        if path.is_file() or path.is_symlink():
            path.unlink()
        else:
            shutil.rmtree(path)

    def _file(self, path: Path) -> None:
        if self._is_theirs(path.stem):
            self._remove(path)
            return
        if path.suffix in _DATABASES:
            self._database(path)
            return
        rewrites: dict[str, Callable[[str], tuple[str, int]]] = {
            ".csv": self._table,
            ".json": self._entries,
            ".jsonl": self._records,
            ".log": self._lines,
            ".toml": self._settings,
        }
        try:
            text = path.read_text("utf-8")
        except (UnicodeDecodeError, OSError):
            return
        if path.suffix in rewrites:
            left, count = rewrites[path.suffix](text)
            self.done.deleted[f"entries in {path.name}"] += count
            if count and not self.pretend:
                write_whole(path, left)
            self._note(path, left)
        elif self.mention.search(text) and path.suffix in (".html", ".svg"):
            self.done.deleted["pages about the class (the next grading writes them anew)"] += 1
            if not self.pretend:
                path.unlink()
        else:
            self._note(path, text)

    def _note(self, path: Path, text: str) -> None:
        """Name the lines of a file that still mention one of them, in words or in a comment."""
        lines = enumerate(text.splitlines(), start=1)
        if numbers := [str(number) for number, line in lines if self.mention.search(line)]:
            self.done.notes.append(
                f"{path} still names them: look at line {', '.join(numbers[:20])}."
            )

    # -- what is written for the whole class ------------------------------------------------------

    def _table(self, text: str) -> tuple[str, int]:
        rows = list(csv.reader(io.StringIO(text)))
        kept = [row for row in rows if not any(self._is_theirs(cell) for cell in row)]
        out = io.StringIO(newline="")
        csv.writer(out, lineterminator="\n").writerows(kept)
        return out.getvalue(), len(rows) - len(kept)

    def _entries(self, text: str) -> tuple[str, int]:
        try:
            before = json.loads(text)
        except ValueError:
            return text, 0
        count = [0]
        after = self._without(before, count)
        return json.dumps(after, indent=1, ensure_ascii=False) + "\n", count[0]

    def _without(self, value: Any, count: list[int]) -> Any:
        """JSON data without the entries that are named after them or about them."""

        def about(inner: Any) -> bool:
            theirs = isinstance(inner, str) and self._is_theirs(inner)
            return theirs or (isinstance(inner, dict) and self._names(inner))

        if isinstance(value, dict):
            kept = {k: v for k, v in value.items() if not self._is_theirs(k) and not about(v)}
            count[0] += len(value) - len(kept)
            return {name: self._without(inner, count) for name, inner in kept.items()}
        if isinstance(value, list):
            left = [inner for inner in value if not about(inner)]
            count[0] += len(value) - len(left)
            return [self._without(inner, count) for inner in left]
        return value

    def _names(self, record: dict) -> bool:
        return any(isinstance(v, str) and self._is_theirs(v) for v in record.values())

    def _records(self, text: str) -> tuple[str, int]:
        def about(line: str) -> bool:
            try:
                record = json.loads(line)
            except ValueError:
                return bool(self.mention.search(line))
            return isinstance(record, dict) and self._names(record)

        return _kept_lines(text, about)

    def _lines(self, text: str) -> tuple[str, int]:
        return _kept_lines(text, lambda line: bool(self.mention.search(line)))

    def _settings(self, text: str) -> tuple[str, int]:
        """Rules without those for one of them, which are a line each."""
        key = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*=""")

        def about(line: str) -> bool:
            match = key.match(line)
            return match is not None and self._is_theirs(next(filter(None, match.groups()), ""))

        return _kept_lines(text, about)

    def _database(self, path: Path) -> None:
        """Delete the rows of a database that name them; the gradebook has its own way."""
        if path.name != GRADEBOOK:
            with contextlib.closing(_opened(path)) as database:
                database.execute("PRAGMA secure_delete = ON")
                for table, columns in _tables(database):
                    self._rows(path.name, database, table, columns)
                database.commit()
        if not self.pretend:
            with contextlib.closing(_opened(path)) as database:
                database.execute("VACUUM")  # what is deleted is otherwise still in the file
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _rows(
        self, of: str, database: sqlite3.Connection, table: str, columns: Iterable[str]
    ) -> None:
        for name in sorted(self.names):
            named = [f'"{column}" = ?' for column in columns]
            # A fact about one learner is named after them.
            tests, given = [*named], [name] * len(named)
            if table == "fact":
                tests, given = [*named, "name LIKE ? ESCAPE '\\'"], [*given, f"% {_like(name)}"]
            where = " OR ".join(tests)
            if self.pretend:
                count = database.execute(f'SELECT COUNT(*) FROM "{table}" WHERE {where}', given)
                self.done.deleted[f"entries in {of}"] += count.fetchone()[0]
            else:
                gone = database.execute(f'DELETE FROM "{table}" WHERE {where}', given)
                self.done.deleted[f"entries in {of}"] += gone.rowcount


def _tables(database: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """The tables of a database, with their columns."""
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return [
        (table, [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')])
        for (table,) in tables
        if not table.startswith("sqlite_")
    ]


def _like(name: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", name)


def _kept_lines(text: str, about: Callable[[str], bool]) -> tuple[str, int]:
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if not about(line)]
    return "".join(kept), len(lines) - len(kept)
