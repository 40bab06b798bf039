"""NumPy arrays in a message: ``["A", dtype, shape]``, with their numbers in the blob."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbjudge.inside.codecs import Blobs, WireError, lengths, parts

TAGS = ("A",)

DTYPES = frozenset(
    {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}
    | {"float16", "float32", "float64", "complex64", "complex128"}
)


def write(value: Any, blobs: Blobs) -> list | None:
    """The tree for an array; ``None`` for anything else."""
    if not isinstance(value, np.ndarray):
        return None
    if value.dtype.name not in DTYPES:
        raise WireError(f"a NumPy array of {value.dtype}")
    blobs.reserve(value.nbytes)
    blobs.add(value.astype(value.dtype.newbyteorder("="), order="C", copy=False).tobytes())
    return ["A", value.dtype.name, list(value.shape)]


def read(tag: str, rest: list, take: Callable[[int], bytearray]) -> np.ndarray:
    """The array; ``take`` returns the blob's next bytes."""
    name, shape = parts(rest, str, list)
    if name not in DTYPES:
        raise WireError("an array of an unknown dtype")
    return numbers(name, shape, take)


def numbers(dtype: str, shape: list, take: Callable[[int], bytearray]) -> np.ndarray:
    """The blob's next numbers, in their own memory. Booleans are normalised to 0 and 1."""
    stored = np.dtype(np.uint8 if dtype == "bool" else dtype)
    held = take(math.prod(lengths(shape)) * stored.itemsize)
    found = np.ndarray(shape, stored, buffer=held)
    # A boolean stored as any other byte would compare unpredictably.
    return np.asarray(found != 0) if dtype == "bool" else found
