"""The entries of ``config.json``, each read with its type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

Value = TypeVar("Value")
#: The default of an entry that must be there.
NEEDED: Any = object()


class CheckpointConfig:
    """Entries by name; one of another type or value raises ``ValueError``, which names it.

    Where a null has no meaning of its own, it is as good as no entry.
    """

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.entries = entries

    def refuse(self, name: str, must: str) -> NoReturn:
        """Raise ``ValueError``, saying what an entry must be."""
        raise ValueError(f"{name} in config.json must be {must}, got {self.entries[name]!r}")

    def typed(self, name: str, kind: str, default: Any = NEEDED, least: int = 1) -> Any:
        """An entry of a kind, as annotated in our configs: ``"int"``, ``"float | None"``, ..."""
        value = self.entries.get(name)
        if value is None:
            if default is NEEDED:
                raise ValueError(f"config.json must say {name}, it does not")
            return None if name in self.entries and kind.endswith("| None") else default
        kind = kind.removesuffix(" | None")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if kind == "int" and not (is_number and isinstance(value, int) and value >= least):
            self.refuse(name, f"a whole number, at least {least}")
        if kind == "float" and not (is_number and math.isfinite(value)):
            self.refuse(name, "a finite number")
        if kind == "bool" and not isinstance(value, bool):
            self.refuse(name, "true or false")
        return float(value) if kind == "float" else value

    def named(self, name: str, known: Mapping[str, Value], default: str) -> Value:
        """What ``known`` has for the entry, which must be one of its names."""
        value = self.entries.get(name)
        if value is None:
            return known[default]
        if not isinstance(value, str) or value not in known:
            self.refuse(name, f"one of {list(known)}")
        return known[value]

    def part(self, name: str) -> dict[str, Any]:
        """An entry that is an object; empty if it is absent."""
        value = self.entries.get(name)
        if value is not None and not isinstance(value, dict):
            self.refuse(name, "an object")
        return value or {}

    def must_be(self, **wanted: Any) -> None:
        """Refuse entries that ask for something the model does not compute."""
        for name, value in wanted.items():
            given = self.entries.get(name)
            same = given == value and isinstance(given, bool) == isinstance(value, bool)
            if given is not None and not same:
                self.refuse(name, repr(value))

    def must_be_absent(self, *names: str) -> None:
        """Refuse entries that change what the stored tensors mean."""
        for name in names:
            if self.entries.get(name) is not None:
                self.refuse(name, "absent")
