"""The part of the JSON format of Hugging Face's ``tokenizers`` that these tokenizers use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfcourse.files import write_whole

#: Parts of a file that change how text is read, and that no tokenizer here supports.
UNUSED = ("truncation", "padding")
#: What every added token must be. The first three decide which white space it takes with it and
#: where it counts as one.
ADDED = {"lstrip": False, "rstrip": False, "single_word": False, "special": True}


class TokenizerFile:
    """A file's JSON object, special tokens included; ``path`` is for messages."""

    def __init__(self, parts: Mapping[str, Any], path: str | Path) -> None:
        self.parts = parts
        self.path = path

    def __getitem__(self, name: str) -> dict[str, Any]:
        """A part of the file, such as ``"model"``; empty if it is absent."""
        part = self.parts.get(name) or {}
        if not isinstance(part, dict):
            self.refuse(f"{name} must be an object", part)
        return part

    def kind(self, name: str) -> str | None:
        """The type that a part names, or ``None``."""
        return self[name].get("type")

    def told(self) -> str:
        """The file's kind, for messages."""
        return " after ".join(str(self.kind(name)) for name in ("model", "pre_tokenizer"))

    def refuse(self, must: str, got: object) -> None:
        """Raise ``ValueError``, saying what in the file is not supported."""
        raise ValueError(f"{must}, got {got!r} in {self.path}")

    def must_be(self, part: str, **wanted: tuple[Any, ...]) -> None:
        """Raise ``ValueError`` for entries of a part that have none of the ``wanted`` values.

        An absent entry is ``None``, as null is.
        """
        for name, values in wanted.items():
            value = self[part].get(name)
            if value not in values:
                self.refuse(f"{name} of {part} must be {' or '.join(map(repr, values))}", value)

    def must_stand_alone(self) -> None:
        """Raise ``ValueError`` for parts that change what is made of a single text."""
        for name in UNUSED:
            if self.parts.get(name) is not None:
                self.refuse(f"{name} must be absent", self.parts[name])
        self.must_be("post_processor", type=(None, "ByteLevel"))  # that one only moves offsets

    def vocabulary(self) -> tuple[list[str], list[str]]:
        """All tokens in the order of their ids, and the special ones."""
        ids = dict(self["model"].get("vocab") or {})
        special = []
        for added in self.parts.get("added_tokens") or []:
            if not isinstance(added, dict) or not {"id", "content"} <= added.keys():
                self.refuse("every added token must have an id and a content", added)
            wanted = ADDED | ({"normalized": False} if self.kind("normalizer") else {})
            for name, value in wanted.items():
                if bool(added.get(name)) != value:
                    self.refuse(f"{name} must be {value} in every added token", added)
            ids[added["content"]] = added["id"]
            special.append(added["content"])
        if set(ids.values()) != set(range(len(ids))):
            self.refuse("ids must be 0, 1, 2 ... without a gap", f"{len(ids)} tokens")
        return sorted(ids, key=ids.__getitem__), sorted(special, key=ids.__getitem__)


def write(path: str | Path, parts: Mapping[str, Any], special: Mapping[str, int]) -> None:
    """Write a file completely or not at all.

    ``parts`` are ``model``, ``pre_tokenizer``, ``decoder`` and ``normalizer``; ``special`` the
    special tokens and their ids.
    """
    added = [
        {"id": i, "content": token, "normalized": False, **ADDED} for token, i in special.items()
    ]
    whole = {
        "version": "1.0",
        **dict.fromkeys(UNUSED),
        "added_tokens": added,
        "normalizer": None,
        "post_processor": None,
        **parts,
    }
    write_whole(Path(path), json.dumps(whole, ensure_ascii=False, indent=1))


def read(path: str | Path) -> TokenizerFile:
    """Read a file; raises ``ValueError`` if it holds no tokenizer or an unsupported one."""
    try:
        parts = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:  # neither UTF-8 nor JSON
        raise ValueError(f"path must hold JSON, got {error} in {path}") from None
    if not isinstance(parts, dict) or not isinstance(parts.get("model"), dict):
        raise ValueError(f"path must hold a tokenizer, got no model in {path}")
    return TokenizerFile(parts, path)
