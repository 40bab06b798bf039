"""Reads the safetensors format: a list of tensors in JSON, and behind it their numbers.

Nothing in such a file can be run. What a file says of itself is believed only as far as its bytes
bear it out: see :func:`contents`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeGuard

#: How a file's name ends.
SUFFIX = ".safetensors"

#: Bytes of a kilobyte, as file managers count.
KILOBYTE = 1000

#: Bytes of a number, by the format's names of their kinds.
SIZES = {
    **dict.fromkeys(("BOOL", "U8", "I8"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64"), 8),
}

#: PyTorch's and NumPy's names for those that become tensors.
KINDS = {
    **{"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32"},
    **{"I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"},
}

#: How many tensors a file may have, and how many bytes may list them.
MOST_TENSORS, MOST_HEADER = 10_000, 1 << 20

#: The entry that holds whatever the writer wanted to note.
NOTES = "__metadata__"

#: How files of other kinds begin, and what these are.
OTHERS = {
    b"PK\x03\x04": "is a zip, such as torch.save writes, with a pickle in it",
    b"\x80": "is a pickle",
    b"\x93NUMPY": "is an array of NumPy's",
    b"\x89HDF": "is an HDF5 file",
}


class NotTensors(ValueError):
    """The bytes are no file of tensors; the message completes the sentence "the file ..."."""


@dataclass(frozen=True)
class Entry:
    """One tensor of a file: its kind of numbers, its shape, and where they stand."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


def check_asked(name: str, kilobytes: int) -> None:
    """Refuse a file's name, or how large it may be, that cannot be asked for.

    Raises
    ------
    ValueError
        Naming the argument.
    """
    if PurePath(name).name != name or not name.endswith(SUFFIX):
        raise ValueError(f"name must be that of a {SUFFIX} file, got {name!r}")
    if type(kilobytes) is not int or kilobytes < 1:
        raise ValueError(f"kilobytes must be a whole number above 0, got {kilobytes!r}")


def larger_than(kilobytes: int, size: int) -> str:
    """Why a file of this size is not taken; empty if it is."""
    if size <= kilobytes * KILOBYTE:
        return ""
    return f"has {size / KILOBYTE:,.0f} kB, and at most {kilobytes:,} kB are taken"


def contents(content: bytes) -> dict[str, Entry]:
    """The tensors that a file holds, by name.

    Raises
    ------
    NotTensors
        If it is not in the format: another kind of file, cut off, a tensor whose shape does not fit
        its bytes, bytes that belong to none or to two.
    """
    if not content:
        raise NotTensors("is empty")
    if len(content) < 8:
        raise NotTensors("is cut off")
    size = int.from_bytes(content[:8], "little")
    if content[8:9] != b"{":
        for begins, what in OTHERS.items():
            if content.startswith(begins):
                raise NotTensors(
                    f"{what}. Only safetensors are read: write it with "
                    "safetensors.torch.save_file(weights, name)"
                )
        raise NotTensors("is not in the safetensors format")
    if size > min(MOST_HEADER, len(content) - 8):
        raise NotTensors("is cut off, or its list of tensors is too long")
    try:
        listed = json.loads(content[8 : 8 + size])
    except (ValueError, RecursionError):
        raise NotTensors("has a list of tensors that cannot be read") from None
    if not isinstance(listed, dict) or len(listed) > MOST_TENSORS:
        raise NotTensors("has a list of tensors that cannot be read")
    found = {name: _entry(name, said) for name, said in listed.items() if name != NOTES}
    at = 0
    for name, entry in sorted(found.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != at:
            raise NotTensors(f"has bytes before {name[:60]!r} that belong to no tensor, or to two")
        at = entry.end
    if at != len(content) - 8 - size:
        raise NotTensors("is cut off, or has bytes at its end that belong to no tensor")
    return found


def _entry(name: str, said: Any) -> Entry:
    wrong = NotTensors(f"describes its tensor {name[:60]!r} in a way that cannot be read")
    if not isinstance(said, dict):
        raise wrong
    kind, shape, place = said.get("dtype"), said.get("shape"), said.get("data_offsets")
    if not (_are_sizes(shape, 8) and _are_sizes(place, 2) and isinstance(kind, str)):
        raise wrong
    if len(place) != 2:
        raise wrong
    if kind not in KINDS:
        raise NotTensors(f"holds numbers of the kind {kind[:20]!r}, which are not read")
    entry = Entry(kind, tuple(shape), *place)
    if entry.end - entry.begin != entry.count * SIZES[kind]:
        raise NotTensors(f"holds a tensor {name[:60]!r} whose shape does not fit its bytes")
    return entry


def _are_sizes(numbers: Any, most: int) -> TypeGuard[list[int]]:
    known = isinstance(numbers, list) and len(numbers) <= most
    return known and all(type(number) is int and 0 <= number < 1 << 48 for number in numbers)


def tensors(content: bytes) -> dict[str, Any]:
    """The tensors themselves, or NumPy's arrays if the course's values are those.

    Raises
    ------
    NotTensors
        As :func:`contents` does.
    """
    from nbjudge.inside.values import np, torch  # who only looks into a file loads neither

    found, start = {}, 8 + int.from_bytes(content[:8], "little")
    for name, entry in contents(content).items():
        numbers = bytearray(content[start + entry.begin : start + entry.end])
        kind = KINDS[entry.kind]
        if torch is not None:
            kind = getattr(torch, kind)
            flat = torch.frombuffer(numbers, dtype=kind) if numbers else torch.empty(0, dtype=kind)
            found[name] = flat.reshape(entry.shape)
        elif kind == "bfloat16":
            raise NotTensors(f"holds a tensor {name[:60]!r} of bfloat16, which NumPy does not have")
        else:
            found[name] = np.frombuffer(numbers, dtype=kind).reshape(entry.shape)
    return found
