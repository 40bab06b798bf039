"""The cards of the embedded corpora, from ``embedded.toml``, with counts, sizes and hashes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tfcourse.data.corpus import Card, Registers, info, load, makes

_SAYS = tomllib.loads(Path(__file__).with_name("embedded.toml").read_text("utf-8"))


def embedded(name: str, **more: Any) -> Registers:
    """Decorator that registers a function as the maker of an embedded corpus.

    ``more`` are the fields of its card that the file does not have.
    """
    return makes(Card(name=name, kind="embedded", **_SAYS[name], **more))


def measured(name: str) -> dict[str, Any]:
    """Recompute ``size_bytes``, ``splits`` and ``sha256`` of an embedded corpus.

    They go into ``embedded.toml`` after an update of a package it is made from.
    """
    corpora = {split: load(name, split) for split in info(name).splits}
    return {
        "size_bytes": sum(len(line) for corpus in corpora.values() for line in corpus.lines()),
        "splits": {split: len(corpus) for split, corpus in corpora.items()},
        "sha256": {split: corpus.sha256() for split, corpus in corpora.items()},
    }
