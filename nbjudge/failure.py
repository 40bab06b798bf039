"""Errors that end a grading, and their messages.

Kept in its own module so that a worker need not load the rest.
"""

from __future__ import annotations

import errno
import sqlite3


class GradingFailed(RuntimeError):
    """A submission, or the problem set, could not be graded; the message says what to do."""


#: SQLite's message → the system's error number that it stands for.
_IN_SQLITE = {
    "disk is full": errno.ENOSPC,
    "readonly database": errno.EROFS,
    "unable to open database": errno.EACCES,
}


def of_the_machine(error: BaseException) -> str:
    """A one-line message for an error that the machine caused, such as a full disk; else empty."""
    number, where = None, ""
    if isinstance(error, OSError):
        number, where = error.errno, error.filename or ""
    inner = getattr(error, "orig", error)  # SQLAlchemy's errors hold the database's own
    if isinstance(inner, sqlite3.Error):
        said = str(inner)
        number = next((number for text, number in _IN_SQLITE.items() if text in said), None)
        where = "a database in the folder for the results"
    if isinstance(where, bytes):
        where = where.decode(errors="replace")
    if number in (errno.ENOSPC, errno.EDQUOT):
        full = f"The disk is full{f', at {where}' if where else ''}."
        return f"{full} Free some space and run the same command: finished work is kept."
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        why = "the disk is read-only" if number == errno.EROFS else "permission denied"
        return f"{where or 'A file'} cannot be opened for writing: {why}."
    return ""
