"""Reading members of archives in memory: nothing is unpacked onto the disk.

An archive is opened only after its hash was found right (:func:`tfcourse.data.real.files.find`), so
its contents are known. What a person packed again is not: it is unpacked up to a limit.
"""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

#: No corpus comes near this.
MOST_BYTES = 1 << 30


def gunzip(packed: bytes, *, most: int = MOST_BYTES) -> bytes:
    """The content of a gzip file.

    A ``ValueError`` if it is cut off, damaged, no gzip file at all, or holds more than ``most``
    bytes.
    """
    with gzip.GzipFile(fileobj=BytesIO(packed)) as file:
        try:
            content = file.read(most + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"it must be a whole gzip file: {error}") from None
    if len(content) > most:
        raise ValueError(f"it must hold at most {most:,} bytes, and holds more")
    return content


def zip_members(path: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """The members of a zip archive whose names are ``wanted``, in the archive's order."""
    with zipfile.ZipFile(path) as archive:
        names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
        return {name: archive.read(name) for name in names if wanted(name)}


def tar_members(path: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """The files in a gzipped tar archive whose names are ``wanted``, in the archive's order."""
    with tarfile.open(path, "r:gz") as archive:
        return {
            entry.name: content.read()
            for entry in archive
            if entry.isreg() and wanted(entry.name) and (content := archive.extractfile(entry))
        }
