"""Bring what an earlier version of the grader wrote to the formats of this one."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from nbjudge.marking.rubric import FILE, Rubric
from nbjudge.store.archive import GRADEBOOK, LEDGER
from nbjudge.store.folder import check_gradebook
from nbjudge.store.ledger import VERSION, Ledger


def upgrade(into: Path) -> list[str]:
    """Upgrade a folder of graded work; returns a line for each file that was of an earlier format.

    :func:`nbjudge.store.archive.backup` has looked whether it is one.

    Nothing is changed if a file is of a later one, or if nbgrader's gradebook is of another version
    of nbgrader, which has a command of its own.

    Raises
    ------
    GradingFailed
        If so; the message says what to do.
    """
    if (into / GRADEBOOK).is_file():  # it may be on a server
        check_gradebook(into / GRADEBOOK)
    before = _version(into / LEDGER)
    with Ledger(into / LEDGER):
        pass
    done = [f"{LEDGER}: format {before} is now {VERSION}."] if before != VERSION else []
    if (into / FILE).is_file():
        had = _tables(into / FILE)
        with Rubric(into):
            pass
        done += [f"{FILE}: has a table {name} now." for name in sorted(_tables(into / FILE) - had)]
    return done


def _version(ledger: Path) -> int:
    with contextlib.closing(sqlite3.connect(ledger)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def _tables(path: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
