"""Presets: files that make a run repeatable, meant to be read, copied and changed.

A preset is a TOML file with the sections ``[data]``, ``[tokenizer]``, ``[model]``, ``[training]``
and ``[evaluation]``; its keys are the attributes of the classes of that name. ``tfcourse train
NAME`` runs one; ``tfcourse train my.toml`` runs a copy that you have changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfcourse.presets.reading import (
    FOLDER,
    change_of,
    from_mapping,
    parse,
    source_of,
    to_mapping,
    to_toml,
)
from tfcourse.presets.schema import Data, Evaluation, ModelTable, Preset, Tokens, Training

__all__ = [
    "Data", "Evaluation", "ModelTable", "Preset", "Tokens", "Training", "change_of", "from_mapping",
    "load", "names", "text", "to_mapping", "to_toml",
]  # fmt: skip


def names() -> tuple[str, ...]:
    """The presets that come with the package, in alphabetical order."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def text(name: str | Path) -> str:
    """The text of a preset's file, comments included."""
    return source_of(name)[0]


def load(name: str | Path, changes: Mapping[str, Any] | None = None) -> Preset:
    """Read a preset and check every value.

    ``name`` is one of :func:`names`, or a file; ``changes`` overrides its values by key:
    ``{"training.steps": 100}``. An invalid key or value raises a ``ValueError`` that names the
    file, the section and the key.
    """
    return parse(*source_of(name), changes)
