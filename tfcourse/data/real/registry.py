"""The cards and files of the real corpora, from ``registry.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfcourse.data.corpus import Card, Registers, makes


@dataclass(frozen=True)
class RealFile:
    """One file of a real corpus.

    Attributes
    ----------
    path:
        Its path relative to the folder that `TFCOURSE_DATA` names and to the cache. A file that was
        later packed with gzip, or unpacked, is found too: with or without ``.gz``.
    size, known:
        Its size in bytes and its hash, as downloaded: ``"sha256:..."``, or a weaker one if only
        that is published.
    urls:
        Where to download it; none if it can only be placed by hand.
    unpacked, also:
        The hash of the content of a ``.gz`` file; hashes of other acceptable contents.
    """

    path: str
    size: int
    known: str
    urls: tuple[str, ...] = ()
    unpacked: str = ""
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The paths at which it may be found."""
        other = self.path.removesuffix(".gz") if self.path.endswith(".gz") else self.path + ".gz"
        return (self.path,) if self.path.endswith((".zip", ".tar.gz")) else (self.path, other)


def _file(entry: dict[str, Any]) -> RealFile:
    says: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return RealFile(**says)


_SAYS = tomllib.loads(Path(__file__).with_name("registry.toml").read_text("utf-8"))

#: The files of each real corpus, by name.
FILES = {
    name: {key: _file(entry) for key, entry in says["files"].items()}
    for name, says in _SAYS.items()
}


def real(name: str) -> Registers:
    """Decorator that registers a function as the maker of a real corpus.

    The card's ``size_bytes`` counts the files to download.
    """
    files = FILES[name].values()
    size = sum(file.size for file in files if file.urls)
    hashes = {file.path: file.known.removeprefix("sha256:") for file in files}
    says = {key: value for key, value in _SAYS[name].items() if key != "files"}
    return makes(Card(name=name, kind="real", size_bytes=size, sha256=hashes, **says))
