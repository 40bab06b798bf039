"""NumPy's values in a message, with their numbers and texts in the blob.

They are written as::

    ["A", dtype, shape]     numbers              ["Am", dtype, shape]  times and durations
    ["As", dtype, shape]    texts of one length  ["Ax", shape, lengths, characters]  other texts
    ["Ao", shape, values]   any other objects    ["N", array]  a scalar    ["Nd", name]  a dtype
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from nbjudge.inside.codecs import Blobs, Inner, TooMuch, WireError, lengths, parts

DTYPES = frozenset(
    {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}
    | {"float16", "float32", "float64", "complex64", "complex128"}
)

#: Types of times and durations, in each of NumPy's units.
TIMES = re.compile(r"(datetime64|timedelta64)\[(Y|M|W|D|h|m|s|ms|us|ns)\]")

#: Types of texts and bytes of one length.
TEXTS = re.compile(r"[US]([1-9]\d{0,5})")

#: Maximum number of texts in an array.
MAX_TEXTS = 1 << 20


def handles(value: Any) -> bool:
    """Whether it is an array, a scalar or a dtype."""
    return isinstance(value, np.ndarray | np.generic | np.dtype)


def copied(value: Any) -> Any:
    """A copy; scalars and dtypes cannot be changed."""
    return value.copy() if isinstance(value, np.ndarray) else value


def alike(one: Any, other: Any, near: float, tiny: float) -> bool:
    """Whether shape, dtype and values are the same but for rounding; NaN is like NaN."""
    if not isinstance(one, np.ndarray | np.generic):
        return bool(one == other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind in "fc":
        return bool(np.allclose(one, other, near, tiny, equal_nan=True))
    if one.dtype.kind in "mM":
        return bool(np.array_equal(one, other, equal_nan=True))
    return bool(np.array_equal(one, other))


def write(value: Any, blobs: Blobs, inner: Inner) -> list:
    """The tree for an array, a scalar or a dtype."""
    if isinstance(value, np.generic):
        return ["N", write(np.asarray(value), blobs, inner)]
    if isinstance(value, np.dtype):
        return ["Nd", _dtype(value.name).name]
    shape, name = list(value.shape), value.dtype.name
    ma = sys.modules.get("numpy.ma")
    if ma is not None and isinstance(value, ma.MaskedArray):
        raise WireError("a masked NumPy array")
    if value.dtype.kind in "US":
        name = value.dtype.str[1:]
    if tag := next((tag for tag, known in _IN_THE_BLOB.items() if known(name)), ""):
        blobs.reserve(value.nbytes)
        blobs.add(value.astype(value.dtype.newbyteorder("="), order="C", copy=False).tobytes())
        return [tag, name, shape]
    if value.dtype == object:
        if value.size > MAX_TEXTS:
            raise TooMuch(f"an array of {value.size:,} objects")
        flat = value.ravel().tolist()
        if flat and all(type(text) is str for text in flat):
            return ["Ax", shape, *map(inner, joined(flat))]
        return ["Ao", shape, inner(flat)]
    raise WireError(f"a NumPy array of {value.dtype}")


#: Tags of arrays without objects, each with what tells the names of their types.
_IN_THE_BLOB: dict[str, Callable[[str], object]] = {
    "A": DTYPES.__contains__,
    "Am": TIMES.fullmatch,
    "As": TEXTS.fullmatch,
}


def _dtype(name: str) -> np.dtype:
    """A dtype by its name; not of every dtype that NumPy has."""
    if name not in DTYPES | {"object"} and not TIMES.fullmatch(name):
        raise WireError(f"a NumPy dtype {name[:40]}")
    return np.dtype(name)


def read(tag: str, rest: list, take: Callable[[int], bytearray], inner: Inner) -> Any:
    """The value; ``take`` returns the blob's next bytes."""
    if tag in _IN_THE_BLOB:
        name, shape = parts(rest, str, list)
        if not _IN_THE_BLOB[tag](name):
            raise WireError("an array of an unknown dtype")
        if tag == "As":
            return _texts(name, shape, take)
        return (
            numbers(name, shape, take) if tag == "A" else numbers("int64", shape, take).view(name)
        )
    if tag == "Ao":
        shape, tree = parts(rest, list, list)
        return _objects(shape, inner(tree))
    if tag == "Ax":
        shape, sizes, held = parts(rest, list, list, list)
        return _objects(shape, split(inner(sizes), inner(held)))
    if tag == "Nd":
        return _dtype(*parts(rest, str))
    (tree,) = parts(rest, list)
    array = inner(tree)
    if not isinstance(array, np.ndarray) or array.shape or array.dtype == object:
        raise WireError("not a scalar")
    return array[()]


def _objects(shape: list, flat: Any) -> np.ndarray:
    if type(flat) is not list or len(flat) != math.prod(lengths(shape)):
        raise WireError("an array with fewer objects than its shape says, or more")
    array = np.empty(len(flat), dtype=object)
    for index, part in enumerate(flat):  # NumPy would look into sequences
        array[index] = part
    return array.reshape(shape)


def numbers(dtype: str, shape: list, take: Callable[[int], bytearray]) -> np.ndarray:
    """The blob's next numbers, in their own memory. Booleans are normalised to 0 and 1."""
    stored = np.dtype(np.uint8 if dtype == "bool" else dtype)
    held = take(math.prod(lengths(shape)) * stored.itemsize)
    array: np.ndarray = np.ndarray(shape, stored, buffer=held)
    # A boolean stored as any other byte would compare unpredictably.
    return np.asarray(array != 0) if dtype == "bool" else array


def _texts(name: str, shape: list, take: Callable[[int], bytearray]) -> np.ndarray:
    length = int(name[1:])
    if name[0] == "S":
        return numbers("uint8", [*shape, length], take).view(name)[..., 0]
    codes = numbers("uint32", [*shape, length], take)
    if ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))).any():
        raise WireError("characters that are not in Unicode")
    return codes.view(name)[..., 0]


def joined(texts: list[str | None]) -> tuple[np.ndarray, np.ndarray]:
    """Texts as two arrays: the length of each in bytes, -1 if it is missing, and the bytes."""
    if len(texts) > MAX_TEXTS:
        raise TooMuch(f"{len(texts):,} texts are too many to send")
    try:
        encoded = [None if text is None else text.encode() for text in texts]
    except UnicodeError:
        raise WireError("characters that are not in Unicode") from None
    sizes = np.array([-1 if text is None else len(text) for text in encoded], dtype=np.int64)
    return sizes, np.frombuffer(b"".join(text or b"" for text in encoded), dtype=np.uint8)


def split(sizes: Any, held: Any) -> list[str | None]:
    """The texts of which :func:`joined` made these arrays."""
    whole = isinstance(sizes, np.ndarray) and sizes.dtype == np.int64 and sizes.ndim == 1
    whole = whole and isinstance(held, np.ndarray) and held.dtype == np.uint8 and held.ndim == 1
    if not whole or len(sizes) > MAX_TEXTS or (sizes < -1).any() or (sizes > len(held)).any():
        raise WireError("not texts")
    ends = np.maximum(sizes, 0).cumsum()
    if (int(ends[-1]) if len(ends) else 0) != len(held):
        raise WireError("fewer texts than their lengths say, or more")
    text = held.tobytes()
    return [
        None if size < 0 else text[end - max(size, 0) : end].decode()
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
