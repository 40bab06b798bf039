"""Files that are written completely or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def write_whole(path: Path, content: bytes | str) -> str:
    """Write ``content`` so that ``path`` holds either all of it or what it held before.

    The bytes go to a temporary file beside it, are flushed to disk, and only then take its name. A
    missing folder is created. Text is written as UTF-8 with its line endings unchanged. A full disk
    raises ``OSError`` and leaves nothing behind. The SHA-256 of what was written is returned.
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
    """Flush the folder's list of names to disk, if the system can."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest_of(path: Path, algorithm: str = "sha256") -> str:
    """A file's hash, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
