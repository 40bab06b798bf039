"""The part of the JSON format of Hugging Face's ``tokenizers`` that these tokenizers use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfcourse.files import write_whole

#: Parts of a file that change how text is read, and that no tokenizer here supports.
UNUSED = ("truncation", "padding")


class Document:
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

    def vocabulary(self) -> tuple[list[str], list[str]]:
        """All tokens in the order of their ids, and the special ones."""
        ids = dict(self["model"].get("vocab") or {})
        special = []
        for added in self.parts.get("added_tokens") or []:
            if not added.get("special"):
                self.refuse("every added token must be special", added.get("content"))
            ids[added["content"]] = added["id"]
            special.append(added["content"])
        if sorted(ids.values()) != list(range(len(ids))):
            self.refuse("ids must be 0, 1, 2 ... without a gap", f"{len(ids)} tokens")
        return sorted(ids, key=ids.__getitem__), sorted(special, key=ids.__getitem__)


def write(path: str | Path, parts: Mapping[str, Any], special: Mapping[str, int]) -> None:
    """Write a file completely or not at all.

    ``parts`` are ``model``, ``pre_tokenizer``, ``decoder`` and ``normalizer``; ``special`` the
    special tokens and their ids.
    """
    added = [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for token, i in special.items()
    ]  # fmt: skip
    whole = {
        "version": "1.0",
        **dict.fromkeys(UNUSED),
        "added_tokens": added,
        "normalizer": None,
        "post_processor": None,
        **parts,
    }
    write_whole(Path(path), json.dumps(whole, ensure_ascii=False, indent=1))


def read(path: str | Path) -> Document:
    """Read a file; raises ``ValueError`` if it holds no tokenizer or an unsupported one."""
    try:
        parts = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:  # neither UTF-8 nor JSON
        raise ValueError(f"path must hold JSON, got {error} in {path}") from None
    if not isinstance(parts, dict) or not isinstance(parts.get("model"), dict):
        raise ValueError(f"path must hold a tokenizer, got no model in {path}")
    document = Document(parts, path)
    for name in UNUSED:
        if parts.get(name) is not None:
            document.refuse(f"{name} must be absent", parts[name])
    if document.kind("post_processor") not in (None, "ByteLevel"):  # that one only moves offsets
        document.refuse("post_processor must be absent", document.kind("post_processor"))
    return document
