"""Tables that a person wrote in TOML, read as the messages that they are to be.

A field's annotation says in a :class:`Spelling` what its value must be, in a sentence that is shown
if it is anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, TypeVar, get_args, get_origin

from msgspec import Struct, ValidationError, convert
from msgspec.structs import fields

Kind = TypeVar("Kind", bound=Struct)


@dataclass(frozen=True)
class Spelling:
    """How a person writes a value.

    Attributes
    ----------
    sentence:
        What is said of a wrong one. To be filled in: its ``{key}``, all ``{keys}`` that lead to it,
        its ``{value}`` and a ``{hint}``.
    read:
        Reads it, and raises ``ValueError`` with a hint if it cannot; by default a value of the
        field's type is spelling as such.
    """

    sentence: str
    read: Callable[[Any], Any] | None = None


class Misspelt(ValueError):
    """A value is none that its key can have; ``keys`` lead to it from the table read."""

    def __init__(self, sentence: str, keys: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.keys = keys


class Unknown(ValueError):
    """There is no such key among those ``known``; ``keys`` lead to it from the table read."""

    def __init__(self, keys: tuple[str, ...], known: Iterable[str]) -> None:
        super().__init__(".".join(keys))
        self.keys, self.known = keys, tuple(known)


#: Of values about which the annotation says nothing.
_OTHERWISE = Spelling("{key!r} cannot be read: {hint}")


def keys_of(kind: type[Struct]) -> list[str]:
    """The keys that a table of this kind can have."""
    return [field.encode_name for field in fields(kind)]


def read_table(table: dict[str, Any], kind: type[Kind], *keys: str) -> Kind:
    """A table as a message of this kind.

    Raises
    ------
    Misspelt, Unknown
        If it is none; ``keys`` lead to the table.
    """
    types = {field.encode_name: field.type for field in fields(kind)}
    if unknown := [key for key in table if key not in types]:
        raise Unknown((*keys, unknown[0]), types)
    return kind(**{key: _value(value, types[key], *keys, key) for key, value in table.items()})


def _value(value: Any, kind: Any, *keys: str) -> Any:
    plain, *hints = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    spelling = next((hint for hint in hints if isinstance(hint, Spelling)), _OTHERWISE)
    try:
        if spelling.read:
            return spelling.read(value)
        if get_origin(plain) is dict:
            if not isinstance(value, dict):
                raise ValueError
            inner = get_args(plain)[1]
            return {key: _value(one, inner, *keys, key) for key, one in value.items()}
        return convert(value, kind)
    except (Misspelt, Unknown):
        raise
    except (ValidationError, ValueError) as error:
        shown = value.isoformat() if isinstance(value, date) else repr(value)
        sentence = spelling.sentence.format(
            key=keys[-1], keys=".".join(keys), value=shown, hint=error
        )
        raise Misspelt(sentence, keys) from None
