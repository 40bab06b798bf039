"""Reads the safetensors format, which cannot contain code.

The library's own reader is compiled, memory-safe, and checks everything that a file claims about
itself. Here it is given only bytes, and what it returns is checked against limits.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import safetensors

#: The extension of the files.
SUFFIX = ".safetensors"

#: Bytes per kilobyte, as file managers count.
KILOBYTE = 1000

#: The format's names of the supported dtypes → PyTorch's and NumPy's names.
KINDS = {
    **{"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32"},
    **{"I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"},
}

#: Maximum number of tensors in a file, of axes of a tensor, and length of an axis.
MOST_TENSORS, MOST_AXES, LONGEST_AXIS = 10_000, 8, 1 << 31

#: The first bytes of other kinds of files, and the message for each.
OTHERS = {
    b"PK\x03\x04": "is a zip, such as torch.save writes, with a pickle in it",
    b"\x80": "is a pickle",
    b"\x93NUMPY": "is a NumPy array",
    b"\x89HDF": "is an HDF5 file",
}


class NotTensors(ValueError):
    """The bytes are not a file of tensors; the message completes the sentence "the file ..."."""


def check_asked(name: str, kilobytes: int) -> None:
    """Check the name and maximum size of a requested file.

    Raises
    ------
    ValueError
        If one of them is not allowed; the message names the argument.
    """
    if PurePath(name).name != name or not name.endswith(SUFFIX):
        raise ValueError(f"name must be that of a {SUFFIX} file, got {name!r}")
    if type(kilobytes) is not int or kilobytes < 1:
        raise ValueError(f"kilobytes must be a whole number above 0, got {kilobytes!r}")


def larger_than(kilobytes: int, size: int) -> str:
    """Why a file of ``size`` bytes is not accepted; empty if it is."""
    if size <= kilobytes * KILOBYTE:
        return ""
    return f"is {size / KILOBYTE:,.0f} kB, over the limit of {kilobytes:,} kB"


def contents(content: bytes) -> list[tuple[str, dict[str, Any]]]:
    """The tensors in a file: each a name and a dict with ``dtype``, ``shape`` and ``data``.

    Raises
    ------
    NotTensors
        If it is not in the format: another kind of file, a truncated file, a tensor whose shape
        does not match its bytes, or bytes that belong to no tensor or to two.
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
        stored = safetensors.deserialize(content)
    except safetensors.SafetensorError as error:
        why = " ".join(str(error).removeprefix("Error while deserializing: ").split())
        raise NotTensors(f"is cut off or damaged ({why[:120]})") from None
    if len(stored) > MOST_TENSORS:
        raise NotTensors(f"holds {len(stored):,} tensors; the maximum is {MOST_TENSORS:,}")
    for name, about in stored:
        if about["dtype"] not in KINDS:
            raise NotTensors(f"holds numbers of the unsupported dtype {about['dtype']}")
        if len(about["shape"]) > MOST_AXES or max(about["shape"], default=0) > LONGEST_AXIS:
            raise NotTensors(f"holds a tensor {name[:60]!r} whose axes are too many or too long")
    return stored
