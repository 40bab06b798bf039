"""How Canvas and Moodle name the files in a download of all submissions."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import NamedTuple

#: In Canvas: learner, perhaps LATE, the learner's id; then the file's id and name, or what was
#: typed into Canvas instead of a file.
_CANVAS = re.compile(
    r"(?P<name>[^_]*)_(?P<late>LATE_)?(?P<id>\d+)_(?:(?P<file>\d+)_(?P<rest>.+)|(?P<typed>\w+\.html))"
)

#: In Moodle: learner, number, and ``file``; a folder's name, which ended in ``file_`` before
#: version 4.1, or the beginning of a file's name if the download has no folders.
_MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>.*))?"
)

PLATFORMS = ("canvas", "moodle")


class Owned(NamedTuple):
    """A file of a download: the learner's name and number there, and the file's own path.

    ``late`` says whether the platform calls it late, ``None`` if it does not say; ``file`` is the
    number of the file, if it has one; ``typed`` says that it is no file but was typed in.
    """

    name: str
    number: str
    path: PurePosixPath
    late: bool | None = None
    file: str = ""
    typed: bool = False


def owned(platform: str, path: PurePosixPath) -> Owned | None:
    """Whose file it is, according to the part of its path that names a learner."""
    pattern = _CANVAS if platform == "canvas" else _MOODLE
    for place, part in enumerate(path.parts):
        if match := pattern.fullmatch(part):
            parts = match.groupdict()
            typed = bool(parts.get("typed")) or parts.get("kind", "file") != "file"
            own = PurePosixPath(parts["rest"] or "", *path.parts[place + 1 :])
            own = own if own.parts else PurePosixPath(parts.get("typed") or path.name)
            late = bool(parts["late"]) if platform == "canvas" else None
            return Owned(parts["name"], parts["id"], own, late, parts.get("file") or "", typed)
    return None


def digits(text: str) -> str:
    """The digits of a string, such as ``"412"`` in ``"Participant 412"``."""
    return "".join(re.findall(r"\d", text))
