"""All docstrings as sentences: computed once in some ten seconds, then kept in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from tfcourse.data.docstrings import cleaning, reading
from tfcourse.files import write_whole


class Document(NamedTuple):
    """The prose of one docstring.

    Attributes
    ----------
    package, file:
        As in :class:`tfcourse.data.docstrings.reading.Docstring`.
    sentences:
        Its sentences, at least one.
    """

    package: str
    file: str
    sentences: tuple[str, ...]


def documents() -> list[Document]:
    """The prose of all packages' docstrings, in alphabetical order of the files.

    Raises
    ------
    ModuleNotFoundError
        Where one of the packages is not installed.
    """
    path = _place()
    found = _read(path)
    if found is None:
        found = [
            Document(text.package, text.file, tuple(sentences))
            for package in reading.PACKAGES
            for text in reading.docstrings(package)
            if (sentences := cleaning.sentences(text.text))
        ]
        _write(path, found)
    return found


def _place() -> Path | None:
    """The file in the cache; its name changes with the packages' versions and with our own code."""
    from tfcourse.data.real.files import cache

    digest = hashlib.sha256()
    for package in reading.PACKAGES:
        digest.update(f"{package} {reading.version(package)}\n".encode())
    for module in (cleaning, reading):
        digest.update(Path(module.__file__).read_bytes())
    try:
        return cache() / "embedded" / f"docstrings-{digest.hexdigest()[:16]}.json"
    except RuntimeError:  # no home folder
        return None


def _read(path: Path | None) -> list[Document] | None:
    """What is kept, or nothing where it is missing or damaged."""
    if path is None:
        return None
    try:
        digest, _, text = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(text).hexdigest().encode() != digest:
        return None
    return [Document(p, f, tuple(s)) for p, f, s in json.loads(text)]


def _write(path: Path | None, found: list[Document]) -> None:
    """Keep it for the next time; where nothing can be written it is computed again then."""
    if path is None:
        return
    text = json.dumps(found, separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        write_whole(path, hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
