"""Write files atomically, and read learners' files safely."""

from __future__ import annotations

import hashlib
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

#: The folder of this package.
PACKAGE = Path(__file__).parent

#: Maximum size of a file that is read; a notebook with many pictures has a few megabytes.
MAX_BYTES = 20 * 1024 * 1024


def own_files(pattern: str = "*") -> list[Path]:
    """This package's files, sorted, without its tests, which a clone has in the same folder."""
    tests = PACKAGE / "tests"
    return [
        path
        for path in sorted(PACKAGE.rglob(pattern))
        if path.is_file() and not path.is_relative_to(tests)
    ]


def write_whole(path: Path, content: bytes | str) -> str:
    """Write ``content`` so that ``path`` holds either all of it or what it held before.

    The bytes go to a temporary file in the same folder, are synced to disk, and only then renamed.
    The folder is created if it is missing. Text is written as UTF-8 with its line endings
    unchanged. A full disk raises ``OSError`` and leaves nothing behind. Returns the SHA-256 of the
    bytes written.
    """
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return hashlib.sha256(data).hexdigest()


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to disk, if the system can."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Unreadable(ValueError):
    """A learner's file is unreadable or invalid; the message says why in a few words."""


def read_file(path: Path, most: int = MAX_BYTES) -> tuple[bytes, datetime]:
    """The bytes of a regular file of at most ``most`` bytes, and when it was last written.

    Never follows a link and never waits for a pipe.

    Raises
    ------
    Unreadable
        If it is not a regular file, or too large.
    """
    # O_NONBLOCK: opening a named pipe would wait forever. Windows has neither flag.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if path.is_symlink():
            raise Unreadable("is a link, and links are not followed") from None
        raise Unreadable(f"cannot be opened ({error.strerror})") from None
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        os.close(handle)  # a folder cannot even be opened as a file
        raise Unreadable("is not a regular file")
    with os.fdopen(handle, "rb") as file:
        content = b"" if about.st_size > most else file.read(most + 1)
    if max(about.st_size, len(content)) > most:
        raise Unreadable(f"is larger than {most / 2**20:.3g} MiB")
    try:
        written = datetime.fromtimestamp(int(about.st_mtime), UTC)
    except (OverflowError, OSError, ValueError):
        # A clock set by hand to a year outside datetime's range.
        written = datetime.now(UTC).replace(microsecond=0)
    return content, written
