"""Find the files of a real corpus: in the folder that `TFCOURSE_DATA` names, or else in the cache.

A file is checked against its hash before it is used. Only :func:`get` downloads anything, and only
if the licence has been accepted.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from tfcourse.data import corpus, download
from tfcourse.data.corpus import Card
from tfcourse.data.real.registry import FILES, RealFile
from tfcourse.files import digest_of

#: Called with a file's name, the number of its bytes so far, and its size in bytes.
FileProgress = Callable[[str, int, int], None]

#: A file that a person repacked is unpacked up to this size; no corpus comes near it.
MOST_BYTES = 1 << 30


class NotHere(FileNotFoundError):
    """A real corpus' files are not on this machine; the message says how to get them."""


def cache() -> Path:
    """The folder for downloads: `TFCOURSE_CACHE`, or else the system's cache folder."""
    if named := os.environ.get("TFCOURSE_CACHE"):
        return Path(named).expanduser()
    import pooch

    return Path(pooch.os_cache("tfcourse"))


def folders() -> list[Path]:
    """Where files are looked for, in this order. `TFCOURSE_DATA`, if set, must name a folder."""
    found = []
    if named := os.environ.get("TFCOURSE_DATA"):
        found.append(Path(named).expanduser())
        if not found[0].is_dir():
            raise ValueError(f"TFCOURSE_DATA must name a folder that exists, got {named!r}")
    # Without pooch nothing was downloaded: a GPU's image may lack it.
    if os.environ.get("TFCOURSE_CACHE") or find_spec("pooch"):
        found.append(cache())
    return found


def there(file: RealFile) -> Path | None:
    """The path of a file, unread and unchecked; ``None`` if it is not here."""
    for folder in folders():
        for name in file.names:
            if (folder / name).is_file():
                return folder / name
    return None


def find(file: RealFile) -> Path:
    """A file's path on this machine, after checking its hash; errors as for :func:`read`."""
    path = _there(file)
    if not download.matches(path, file.known):
        raise _damaged(path, file, digest_of(path, file.known.partition(":")[0]))
    return path


def read(file: RealFile) -> bytes:
    """A file's content, unpacked if it is a gzip file, after checking its hash.

    Raises :class:`NotHere` if it is not here, ``ValueError`` if another file is in its place.
    """
    path = _there(file)
    content = path.read_bytes()
    right = {file.known, file.unpacked, *file.also} - {""}
    as_it_lies = any(_has(content, known) for known in right)
    if path.suffix == ".gz":
        # Recompressed, it has another hash; its content does not.
        most = file.size if path.name != Path(file.path).name else MOST_BYTES
        try:
            content = gunzip(content, most=most)
        except ValueError as error:
            raise _damaged(path, file, str(error)) from None
        if not as_it_lies and not any(_has(content, known) for known in right):
            raise _damaged(path, file, hashlib.sha256(content).hexdigest() + ", unpacked")
    elif not as_it_lies:
        raise _damaged(path, file, hashlib.sha256(content).hexdigest())
    return content


def lines(content: bytes, encoding: str = "utf-8") -> list[str]:
    r"""The lines of a text file, whatever ends them: ``\n`` or ``\r\n``, and nothing else.

    Unlike ``str.splitlines``, which breaks at a dozen other characters too.
    """
    text = content.decode(encoding).replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def gunzip(packed: bytes, *, most: int = MOST_BYTES) -> bytes:
    """The content of a gzip file.

    Raises ``ValueError`` if it is truncated, damaged, not a gzip file, or holds more than ``most``
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


def _there(file: RealFile) -> Path:
    path = there(file)
    if path is None:
        raise NotHere(f"{file.path} is not here: looked in {', '.join(map(str, folders()))}")
    return path


def _has(content: bytes, known: str) -> bool:
    algorithm, _, value = known.partition(":")
    return hashlib.new(algorithm, content, usedforsecurity=False).hexdigest() == value


def _damaged(path: Path, file: RealFile, got: str) -> ValueError:
    expected = " or ".join(
        known.replace(":", " ") for known in (file.known, file.unpacked, *file.also) if known
    )
    return ValueError(
        f"{path} must be the file with {expected}; got {got}. It is damaged or another version: "
        "`tfcourse data get` replaces it in the cache; elsewhere, remove it or copy it again."
    )


def terms(card: Card) -> str:
    """What to know before downloading a corpus: where it comes from, and its licence."""
    lines = [
        f"{card.title}: {card.what}",
        f"Licence: {card.licence}",
        f"         {card.licence_url}" if card.licence_url else "",
        f"Please cite: {card.citation}",
        f"From: {card.homepage}",
    ]
    return "\n".join(line for line in lines if line)


def need(name: str, *keys: str) -> list[RealFile]:
    """Some files of a corpus, by their names in :data:`FILES`.

    If one is not here, :class:`NotHere` shows the licence and says how to get them.
    """
    files = [FILES[name][key] for key in keys]
    absent = [file for file in files if there(file) is None]
    if absent:
        raise NotHere(_absent(name, absent))
    return files


def get(name: str, *, accept: bool = False, progress: FileProgress | None = None) -> list[Path]:
    """Download the files of a real corpus that are not here.

    ``accept`` says that its licence, which :func:`terms` shows, is accepted; ``progress`` is called
    from time to time with a file's name, the number of its bytes so far, and its size in bytes.
    Returns the paths of the files; an embedded corpus has none.

    Raises
    ------
    ValueError
        If there is no such corpus, or something must be downloaded and ``accept`` is not true.
    DownloadError
        If a file could not be downloaded; the message says how to place it by hand.
    """
    wanted = missing(name)
    if wanted and accept is not True:
        raise ValueError(
            f"accept must be True for {name} to be downloaded, got {accept!r}\n"
            f"{terms(corpus.info(name))}"
        )
    for file in wanted:
        told = partial(progress, file.path) if progress else None
        place = cache() / file.path
        download.fetch(file.urls, place, known=file.known, size=file.size, progress=told)
    return [path for file in _files(name) if (path := there(file)) is not None]


def missing(name: str) -> list[RealFile]:
    """The files of a corpus that must be downloaded; those without an address are left out."""
    return [file for file in _wanted(name) if there(file) is None or _broken(file)]


def state(name: str) -> str:
    """``"embedded"``, ``"here"``, ``"partly here"`` or ``"not here"``; files are not read."""
    if not _files(name):
        return "embedded"
    if all(map(there, _wanted(name))):
        return "here"
    return "partly here" if any(map(there, _files(name))) else "not here"


def _files(name: str) -> list[RealFile]:
    corpus.info(name)  # rejects an unknown name
    return list(FILES.get(name, {}).values())


def _wanted(name: str) -> list[RealFile]:
    return [file for file in _files(name) if file.urls]


def _broken(file: RealFile) -> bool:
    """Whether the cache holds a download that has changed since."""
    path = cache() / file.path
    return there(file) == path and not download.matches(path, file.known)


def _absent(name: str, absent: list[RealFile]) -> str:
    """What to do about files that are not here."""
    some = ", ".join(file.path for file in absent[:3]) + (", ..." if len(absent) > 3 else "")
    size = sum(file.size for file in missing(name)) / 1e6
    lines = [f"{name} is not here: {some}", terms(corpus.info(name))]
    if all(file.urls for file in absent):
        lines.append(
            f"Download it ({size:.1f} MB) with `tfcourse data get {name}`, or in Python with\n"
            f'  tfcourse.data.real.get("{name}", accept=True)\n'
            "Or set TFCOURSE_DATA to a folder that holds these files."
        )
    else:
        lines.append(
            "It cannot be downloaded. Set TFCOURSE_DATA to a folder that holds\n"
            + "\n".join(f"  {file.path} ({file.known.replace(':', ' ')})" for file in absent)
        )
    return "\n".join(lines)
