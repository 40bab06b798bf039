"""Errors that end a grading, and their messages.

Kept in its own module so that a worker need not load the rest.
"""

from __future__ import annotations

import errno
import re
import shutil
import sqlite3


class GradingFailed(RuntimeError):
    """A submission, or the problem set, could not be graded; the message says what to do."""


#: SQLite's message → the system's error number that it stands for.
_IN_SQLITE = {
    "disk is full": errno.ENOSPC,
    "disk I/O error": errno.EIO,  # of a full disk too: SQLite's shared index does not fit
    "readonly database": errno.EROFS,
    "unable to open database": errno.EACCES,
}

#: PostgreSQL's code of a full disk.
_FULL_IN_POSTGRESQL = "53100"


def of_the_machine(error: BaseException) -> str:
    """A one-line message for an error that the machine caused, such as a full disk; else empty.

    Libraries such as nbgrader raise errors of their own instead: what these were caused by counts.
    """
    seen: BaseException | None = error
    while seen is not None:
        if message := _sentence(seen):
            return message
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return ""


def _sentence(error: BaseException) -> str:
    number, where = None, ""
    if isinstance(error, OSError):
        number, where = error.errno, error.filename or ""
    if isinstance(error, shutil.Error):  # of several files; the numbers are in its text
        match = re.search(r"\[Errno (\d+)\]", str(error))
        number = int(match[1]) if match else None
    inner = getattr(error, "orig", error)  # SQLAlchemy's errors hold the database's own
    if isinstance(inner, sqlite3.Error):
        message = str(inner)
        number = next((number for text, number in _IN_SQLITE.items() if text in message), None)
        where = "a database in the folder for the results"
    elif getattr(inner, "sqlstate", "") == _FULL_IN_POSTGRESQL:
        number, where = errno.ENOSPC, "the gradebook's server"
    if isinstance(where, bytes):
        where = where.decode(errors="replace")
    if number in (errno.ENOSPC, errno.EDQUOT):
        full = f"The disk is full{f', at {where}' if where else ''}."
        return f"{full} Free some space and run the same command: finished work is kept."
    if number == errno.EIO and where:
        return (
            f"The disk is full or failing, at {where}. Free some space and run the same command: "
            "finished work is kept."
        )
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        why = "the disk is read-only" if number == errno.EROFS else "permission denied"
        return f"{where or 'A file'} cannot be opened for writing: {why}."
    return ""
