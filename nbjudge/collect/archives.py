"""Read what was downloaded, and what learners packed, within limits.

A name may lead out of the folder, a link anywhere, and a small zip may hold terabytes.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from nbjudge.files import Unreadable, read_file

#: Maximum size of one file, in bytes, and of all files of one learner together.
MAX_FILE, MAX_LEARNER = 100 << 20, 200 << 20

#: Maximum number of files of one learner, and in a whole download.
MAX_FILES, MAX_ENTRIES = 200, 100_000


class ArchivedFile(NamedTuple):
    """A file: its path, how to read it, and the reason if it cannot be taken."""

    path: PurePosixPath
    read: Callable[[], bytes]
    problem: str = ""


def entries(source: Path) -> Iterator[ArchivedFile]:
    """The files of a download: a zip, or the folder that it was unpacked to.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if source.is_dir():
        for path in sorted(source.rglob("*")):
            if path.is_symlink() or not path.is_dir():
                inner = PurePosixPath(path.relative_to(source).as_posix())
                yield ArchivedFile(inner, partial(_read, path))
        return
    if not source.is_file():
        raise ValueError(f"{source} does not exist: name the zip that you downloaded.")
    try:
        with source.open("rb") as file:
            yield from unpacked(file)
    except (OSError, Unreadable) as error:
        raise ValueError(
            f"{source} cannot be read as a zip ({error}): name the zip that you downloaded."
        ) from None


def unpacked(file: IO[bytes] | bytes) -> Iterator[ArchivedFile]:
    """The files in a zip. Each must be read before the next one is asked for.

    Raises
    ------
    Unreadable
        If it is not a zip, or holds too many files.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(file) if isinstance(file, bytes) else file) as archive:
            every = archive.infolist()
            if len(every) > MAX_ENTRIES:
                raise Unreadable(f"holds {len(every)} files, more than {MAX_ENTRIES}")
            for about in every:
                if not about.is_dir():
                    path = PurePosixPath(about.filename.replace("\\", "/"))
                    problem = _why_not(about, path)
                    yield ArchivedFile(path, partial(_content, archive, about), problem)
    except (EOFError, zipfile.BadZipFile, NotImplementedError, zlib.error) as error:
        raise Unreadable(str(error) or type(error).__name__) from None


def _read(path: Path) -> bytes:
    return read_file(path, MAX_FILE)[0]


def _why_not(about: zipfile.ZipInfo, path: PurePosixPath) -> str:
    """Why a file in a zip is not taken; empty if it may be."""
    if not path.name or path.is_absolute() or ".." in path.parts or ":" in path.parts[0][1:2]:
        return "its path leads out of the folder"
    if stat.S_ISLNK(about.external_attr >> 16):
        return "is a link, and links are not followed"
    if about.flag_bits & 1:
        return "is encrypted"
    if about.file_size > MAX_FILE:
        return f"is larger than {MAX_FILE >> 20} MiB"
    return ""


def _content(archive: zipfile.ZipFile, about: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(about) as file:
            content = file.read(MAX_FILE + 1)
    except (EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise Unreadable(f"cannot be unpacked ({error})") from None
    if len(content) > MAX_FILE:
        raise Unreadable(f"is larger than {MAX_FILE >> 20} MiB")
    return content
