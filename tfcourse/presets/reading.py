"""Presets in TOML: read strictly, changed key by key, and written back."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_type_hints

from tfcourse.presets.schema import MODELS, Data, Evaluation, ModelTable, Preset, Tokens, Training

#: The sections, and the classes they are read into.
SECTIONS = {
    "data": Data, "tokenizer": Tokens, "model": ModelTable, "training": Training,
    "evaluation": Evaluation,
}  # fmt: skip
#: Where the package's presets are.
FOLDER = Path(__file__).parent
_WORDS = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}


def parse(text: str, name: str, changes: Mapping[str, Any] | None = None) -> Preset:
    """The preset described by a TOML text, which error messages call ``name``.

    ``changes`` and errors are as for :func:`tfcourse.presets.load`.
    """
    try:
        says = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name} must be TOML: {error}") from None
    for key, value in (changes or {}).items():
        _change(says, key, value, name)
    return from_mapping(says, name)


def from_mapping(says: Mapping[str, Any], name: str) -> Preset:
    """The preset that nested mappings describe; see :func:`parse`."""
    return _built(Preset, says, name)


def to_mapping(preset: Preset) -> dict[str, Any]:
    """The preset as nested mappings that JSON and TOML can hold, every value written out."""
    says: dict[str, Any] = {"about": preset.about, "task": preset.task}
    for section in SECTIONS:
        part = dataclasses.asdict(getattr(preset, section))
        if section == "model":
            part = {"kind": part["kind"], **part["choices"]}
        says[section] = {k: list(v) if isinstance(v, tuple) else v for k, v in part.items()}
    return says


def to_toml(preset: Preset) -> str:
    """The preset as text that :func:`parse` reads, every value written out."""
    says = to_mapping(preset)
    lines = [f"{key} = {_toml(says[key])}" for key in ("about", "task")]
    for section in SECTIONS:
        lines += ["", f"[{section}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in says[section].items()]
    return "\n".join(lines) + "\n"


def change_of(text: str) -> tuple[str, Any]:
    """The change that ``KEY=VALUE`` makes: the value is read as TOML, a bare word as a string."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key or not value:
        raise ValueError(f"a change must be KEY=VALUE, such as training.steps=100, got {text!r}")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


def _change(says: dict[str, Any], key: str, value: Any, name: str) -> None:
    *way, last = key.split(".")
    place = says
    for part in way:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise ValueError(f"{name} has no section {'.'.join(way)!r} for the change of {key!r}")
    place[last] = value


def _built(kind: type, says: Any, where: str) -> Any:
    """A preset or one of its sections, every key and value checked."""
    if not isinstance(says, Mapping):
        raise ValueError(f"{where} must be a section, got {says!r}")
    if kind is ModelTable:
        says = _with_choices(says, where)
    fields = {f.name: f for f in dataclasses.fields(kind)}
    if unknown := [key for key in says if key not in fields]:
        raise ValueError(f"{where} must have no {unknown[0]!r}; its keys are {list(fields)}")
    needed = dataclasses.MISSING
    for f in fields.values():
        if f.default is needed and f.default_factory is needed and f.name not in says:
            raise ValueError(f"{where} must have {f.name!r}, which is missing")
    hints = get_type_hints(kind)
    values = {
        key: _built(SECTIONS[key], value, f"{where} [{key}]")
        if kind is Preset and key in SECTIONS
        else _value(value, hints[key], f"{where} {key}")
        for key, value in says.items()
    }
    try:
        return kind(**values)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _with_choices(says: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The model's kind, and its choices converted to the types of its config."""
    kind = says.get("kind")
    hints = get_type_hints(ModelTable(kind).config_class) if kind in MODELS else {}
    choices = {
        key: _value(value, hints[key], f"{where} {key}") if key in hints else value
        for key, value in says.items()
        if key != "kind"
    }
    return {"choices": choices, **({"kind": kind} if "kind" in says else {})}


def _value(value: Any, hint: Any, where: str) -> Any:
    """The value as the type of its key; raises ``ValueError`` for any other type."""
    if str(hint).startswith("tuple"):
        inner = hint.__args__[0]
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list, got {value!r}")
        return tuple(_value(part, inner, where) for part in value)
    if str(hint).startswith("collections.abc.Mapping"):
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be a table, got {value!r}")
        return dict(value)
    kinds = [kind for kind in _WORDS if kind is hint or kind in getattr(hint, "__args__", ())]
    if float in kinds and isinstance(value, int) and not isinstance(value, bool):
        return float(value) if int not in kinds else value
    if kinds and type(value) not in kinds:
        words = " or ".join(_WORDS[kind] for kind in kinds)
        raise ValueError(f"{where} must be {words}, got {value!r}")
    return value


def _toml(value: Any) -> str:
    """A value in TOML, whose strings, numbers and lists are JSON's; tables on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def source_of(name: str | Path) -> tuple[str, str]:
    """Text and name of a preset: one of the package's by its name, or a file."""
    path = Path(name)
    built_in = FOLDER / f"{name}.toml"
    if path.suffix != ".toml" and len(path.parts) == 1 and built_in.is_file():
        return built_in.read_text("utf-8"), str(name)
    if path.is_file():
        return path.read_text("utf-8"), str(path)
    known = sorted(p.stem for p in FOLDER.glob("*.toml"))
    like = get_close_matches(str(name), known, 1)
    asked = f" Did you mean {like[0]}?" if like else ""
    raise ValueError(
        f"preset must be one of {', '.join(known)} or a file, got {str(name)!r}.{asked}"
    )
