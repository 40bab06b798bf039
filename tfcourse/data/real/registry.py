"""Which files a real corpus consists of: each one's place, size, hash and addresses."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RealFile:
    """One file of a real corpus.

    Attributes
    ----------
    path:
        Its place below the folder that `TFCOURSE_DATA` names and below the cache. A file that was
        packed with gzip later, or unpacked, is found too: with or without ``.gz``.
    size:
        Its bytes, as downloaded.
    known:
        Its hash, as downloaded: ``"sha256:..."``, or a weaker one if only that is published.
    urls:
        Where to download it; none if it can only be placed by hand.
    unpacked:
        The hash of what a file ending in ``.gz`` holds.
    also:
        Hashes of other contents that will do.
    """

    path: str
    size: int
    known: str
    urls: tuple[str, ...] = ()
    unpacked: str = ""
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The paths at which it may lie."""
        other = self.path.removesuffix(".gz") if self.path.endswith(".gz") else self.path + ".gz"
        return (self.path,) if self.path.endswith((".zip", ".tar.gz")) else (self.path, other)


def _file(entry: dict[str, Any]) -> RealFile:
    said: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return RealFile(**said)


def _read(path: Path) -> dict[str, dict[str, RealFile]]:
    return {
        corpus: {name: _file(entry) for name, entry in files.items()}
        for corpus, files in tomllib.loads(path.read_text("utf-8")).items()
    }


#: The files of each real corpus, by name.
FILES = _read(Path(__file__).with_name("registry.toml"))
