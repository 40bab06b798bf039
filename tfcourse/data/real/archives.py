"""Reading archives that somebody else made: in memory, the named members only, within limits.

Nothing is ever unpacked onto the disk, so a member's path cannot lead anywhere; an archive that has
paths, links or sizes which no corpus needs is refused as a whole. Nothing is unpickled.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

#: No corpus comes near these.
MOST_BYTES = 1 << 30
MOST_MEMBERS = 300_000
#: The largest factor by which a member may grow, once it is above a mebibyte.
MOST_GROWTH = 100

_CHUNK = 1 << 20


def gunzip(packed: Path | bytes, *, most: int = MOST_BYTES) -> bytes:
    """What a gzip file holds.

    Parameters
    ----------
    packed:
        The file, or its bytes.
    most:
        The bytes that it may hold.

    Raises
    ------
    ValueError
        Where it is cut off, damaged, no gzip file at all, or holds more.
    """
    name = packed.name if isinstance(packed, Path) else "packed"
    source = packed.open("rb") if isinstance(packed, Path) else io.BytesIO(packed)
    with source, gzip.GzipFile(fileobj=source) as file:
        try:
            content = file.read(most + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{name} must be a whole gzip file: {error}") from None
    if len(content) > most:
        raise ValueError(f"{name} must hold at most {most:,} bytes, and holds more")
    return content


def zip_members(
    path: Path,
    wanted: Callable[[str], bool],
    *,
    most: int = MOST_BYTES,
    members: int = MOST_MEMBERS,
) -> dict[str, bytes]:
    """The wanted members of a zip archive.

    Parameters
    ----------
    path:
        The archive.
    wanted:
        Says of a member's name whether it is wanted.
    most, members:
        The bytes and the members that the archive may hold.

    Returns
    -------
    contents
        By name, in the archive's order.

    Raises
    ------
    ValueError
        Where the archive is damaged, or a member of it, wanted or not, has a path that leads out
        of the archive, is a link, is encrypted, stands there twice, or the limits are passed.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _count(path, len(entries), members)
            _sum(path, sum(entry.file_size for entry in entries), most)
            if len({entry.filename for entry in entries}) < len(entries):
                raise ValueError(f"{path.name} must not have a member twice, and has")
            for entry in entries:
                _judge(path, entry)
            for entry in entries:
                if not entry.is_dir() and wanted(entry.filename):
                    with archive.open(entry) as member:
                        content = member.read(entry.file_size + 1)
                    if len(content) != entry.file_size:
                        raise ValueError(
                            f"{entry.filename} in {path.name} must have the {entry.file_size:,} "
                            "bytes that the archive says, and has not"
                        )
                    found[entry.filename] = content
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ValueError(f"{path.name} must be a whole zip archive: {error}") from None
    return found


def _judge(path: Path, entry: zipfile.ZipInfo) -> None:
    """Refuse a member of a zip archive that no corpus would have."""
    # What zipfile shows as filename is cleaned of some of what the archive says.
    for name in (entry.filename, entry.orig_filename):
        _inside(path, name)
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ValueError(f"{path.name} must hold files only: {entry.filename} is a link or device")
    if entry.flag_bits & 1:
        raise ValueError(f"{path.name} must not be encrypted: {entry.filename} is")
    if entry.file_size > max(_CHUNK, MOST_GROWTH * entry.compress_size):
        raise ValueError(
            f"{path.name} must not be a bomb: {entry.filename} grows from "
            f"{entry.compress_size:,} to {entry.file_size:,} bytes"
        )


def tar_members(
    path: Path,
    wanted: Callable[[str], bool],
    *,
    most: int = MOST_BYTES,
    members: int = MOST_MEMBERS,
) -> dict[str, bytes]:
    """The wanted members of a gzipped tar archive.

    Parameters
    ----------
    path:
        The archive.
    wanted:
        Says of a member's name whether it is wanted.
    most, members:
        The bytes that the archive may unpack to, and the members that it may hold.

    Returns
    -------
    contents
        By name, in the archive's order.

    Raises
    ------
    ValueError
        Where the archive is damaged, or a member of it, wanted or not, has a path that leads out
        of the archive, is a link or a device, stands there twice, or the limits are passed.
    """
    found: dict[str, bytes] = {}
    seen: set[str] = set()
    try:
        with (
            gzip.open(path) as unpacked,
            tarfile.open(fileobj=_Counted(unpacked, path, most), mode="r|") as archive,
        ):
            for entry in archive:
                if entry.name in seen:
                    raise ValueError(f"{path.name} must not have a member twice: {entry.name}")
                seen.add(entry.name)
                _count(path, len(seen), members)
                _inside(path, entry.name)
                if not (entry.isreg() or entry.isdir()):
                    raise ValueError(
                        f"{path.name} must hold files only: {entry.name} is a link or device"
                    )
                if entry.issparse():
                    raise ValueError(f"{path.name} must not be a bomb: {entry.name} is sparse")
                _sum(path, entry.size, most)
                if entry.isreg() and wanted(entry.name):
                    content = archive.extractfile(entry).read()
                    if len(content) != entry.size:
                        raise EOFError("it ends within a member")
                    found[entry.name] = content
            _to_the_end(unpacked, path, most)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{path.name} must be a whole tar.gz archive: {error}") from None
    return found


class _Counted(io.RawIOBase):
    """What is read of a stream, counted: an archive's own words about sizes are not believed."""

    def __init__(self, stream: BinaryIO, path: Path, most: int) -> None:
        self.stream, self.path, self.most, self.count = stream, path, most, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self.stream.read(size)
        self.count += len(content)
        _sum(self.path, self.count, self.most)
        return content


def _to_the_end(stream: BinaryIO, path: Path, most: int) -> None:
    """Read what follows the last member: only there does gzip's own checksum stand."""
    rest = _Counted(stream, path, most)
    while rest.read(_CHUNK):
        pass


def _inside(path: Path, name: str) -> None:
    parts = name.replace("\\", "/").split("/")
    if not name or "\0" in name or name[0] in "/\\" or ".." in parts or ":" in parts[0]:
        raise ValueError(
            f"{path.name} must not have paths that lead out of it: {name!r} does; "
            "do not use this archive"
        )


def _count(path: Path, count: int, members: int) -> None:
    if count > members:
        raise ValueError(f"{path.name} must have at most {members:,} members, and has more")


def _sum(path: Path, size: int, most: int) -> None:
    if size > most:
        raise ValueError(f"{path.name} must unpack to at most {most:,} bytes, and has more")
