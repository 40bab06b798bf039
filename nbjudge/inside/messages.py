"""Messages between processes and records in files: their one writer and their one reader.

A message is a dataclass or a :class:`msgspec.Struct`. It is read as the type that is expected, and
everything in it is checked: a missing field, one of another type or one that nobody knows raises
:class:`Malformed`, which says where it stands.
"""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import msgspec

_Kind = TypeVar("_Kind")


class Malformed(ValueError):
    """What was read is not the message that is expected; the message says where it differs."""


class Message(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A message, or a record in a file."""


class Tagged(Message, tag=True):
    """A message that is one of several; its class's name goes with it."""


def pack(message: Any) -> bytes:
    """A message as bytes, in msgpack."""
    return msgspec.msgpack.encode(message)


def unpack(packed: bytes, *types: type[_Kind]) -> _Kind:
    """The inverse of :func:`pack`.

    Raises
    ------
    Malformed
        If the bytes are anything else than a message of one of these types.
    """
    try:
        return msgspec.msgpack.decode(packed, type=reduce(or_, types))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(str(error)) from None


def to_json(message: Any, indent: int | None = None, *, ascii: bool = True) -> str:
    """A message as JSON; numbers that JSON does not have are written as Python does."""
    return json.dumps(msgspec.to_builtins(message), indent=indent, ensure_ascii=ascii)


def from_json(text: str | bytes, *types: type[_Kind]) -> _Kind:
    """The inverse of :func:`to_json`.

    Raises
    ------
    Malformed
        If the text is anything else than a message of one of these types.
    """
    try:
        return msgspec.convert(json.loads(text), reduce(or_, types))
    except ValueError as error:
        raise Malformed(str(error)) from None
