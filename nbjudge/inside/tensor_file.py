"""Reads the safetensors format, in which nothing can be run.

The library's own reader, compiled and safe in its memory, believes what a file says of itself only
as far as its bytes bear it out. Here it is given bytes alone, and what it finds is held to limits.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import safetensors

#: How a file's name ends.
SUFFIX = ".safetensors"

#: Bytes of a kilobyte, as file managers count.
KILOBYTE = 1000

#: PyTorch's and NumPy's names of the kinds of numbers that are read, by the format's.
KINDS = {
    **{"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32"},
    **{"I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"},
}

#: How many tensors a file may have, how many axes one of them, and how long an axis may be.
MOST_TENSORS, MOST_AXES, LONGEST_AXIS = 10_000, 8, 1 << 31

#: How files of other kinds begin, and what these are.
OTHERS = {
    b"PK\x03\x04": "is a zip, such as torch.save writes, with a pickle in it",
    b"\x80": "is a pickle",
    b"\x93NUMPY": "is an array of NumPy's",
    b"\x89HDF": "is an HDF5 file",
}


class NotTensors(ValueError):
    """The bytes are no file of tensors; the message completes the sentence "the file ..."."""


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


def contents(content: bytes) -> list[tuple[str, dict[str, Any]]]:
    """The tensors that a file holds: name, and a dict with ``dtype``, ``shape`` and ``data``.

    Raises
    ------
    NotTensors
        If it is not in the format: another kind of file, cut off, a tensor whose shape does not fit
        its bytes, bytes that belong to none or to two.
    """
    if not content:
        raise NotTensors("is empty")
    if content[8:9] != b"{":
        for begins, what in OTHERS.items():
            if content.startswith(begins):
                raise NotTensors(
                    f"{what}. Only safetensors are read: write it with "
                    "safetensors.torch.save_file(weights, name)"
                )
        raise NotTensors("is not in the safetensors format")
    try:
        found = safetensors.deserialize(content)
    except safetensors.SafetensorError as error:
        why = " ".join(str(error).removeprefix("Error while deserializing: ").split())
        raise NotTensors(f"is cut off or damaged ({why[:120]})") from None
    if len(found) > MOST_TENSORS:
        raise NotTensors(f"holds {len(found):,} tensors, and at most {MOST_TENSORS:,} are read")
    for name, about in found:
        if about["dtype"] not in KINDS:
            raise NotTensors(f"holds numbers of the kind {about['dtype']}, which are not read")
        if len(about["shape"]) > MOST_AXES or max(about["shape"], default=0) > LONGEST_AXIS:
            raise NotTensors(f"holds a tensor {name[:60]!r} whose shape has too many or long axes")
    return found


def tensors(content: bytes) -> dict[str, Any]:
    """The tensors themselves, or NumPy's arrays if the course's values are those.

    Raises
    ------
    NotTensors
        As :func:`contents` does.
    """
    from nbjudge.inside.values import np, torch  # who only looks into a file loads neither

    found = {}
    for name, about in contents(content):
        kind, numbers = KINDS[about["dtype"]], about["data"]
        if torch is not None:
            kind = getattr(torch, kind)
            flat = torch.frombuffer(numbers, dtype=kind) if numbers else torch.empty(0, dtype=kind)
            found[name] = flat.reshape(about["shape"])
        elif kind == "bfloat16":
            raise NotTensors(f"holds a tensor {name[:60]!r} of bfloat16, which NumPy does not have")
        else:
            found[name] = np.frombuffer(numbers, dtype=kind).reshape(about["shape"])
    return found
