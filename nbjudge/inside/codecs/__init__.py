"""How the values of NumPy, pandas, SciPy and PyTorch are sent: one module per library.

A codec has ``handles``, which tells its values by their type; ``write``, which returns ``None``
for any other value; ``read``; ``copied``; and ``alike``, which compares two values of one type.
Like the rest of the wire format, it reads strictly: a value is built here from its bytes and its
description, in which nothing is code or is looked up by a name that the other side chose.

A codec is loaded in a process that has loaded its library, and where such a value arrives.
PyTorch's is used only if the course enables it.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from nbjudge.inside.program import values_on

MAX_AXES, MAX_NUMBERS = 16, 1 << 40

#: Maximum length of any other name in a message: of a field, a time zone, a frequency.
MAX_NAME = 64

#: Each library's tags in a message. Parts of a value use other libraries' tags.
TAGS = {
    "numpy": ("A", "As", "Am", "Ao", "Ax", "N", "Nd"),
    "torch": ("T", "s", "y", "v"),
    "pandas": ("pF", "pS", "pI", "pR", "pM", "pE", "pT", "pD", "pP", "pV", "pN", "pd"),
    "scipy": ("ym", "yr", "yt"),
}

_LIBRARY = {tag: library for library, tags in TAGS.items() for tag in tags}

#: Writes or reads what is inside a value.
Inner = Callable[[Any], Any]


class WireError(Exception):
    """Bytes that are not a valid message, or a value that cannot be sent; says what is wrong."""


class TooMuch(WireError):
    """More than may be sent at once."""


class Blobs:
    """The binary data of a message's tensors and arrays, concatenated.

    Parameters
    ----------
    most:
        Maximum total size in bytes.
    """

    def __init__(self, most: int):
        self.most, self.held = most, 0
        self.parts: list[bytes | bytearray | memoryview] = []

    def reserve(self, size: int) -> None:
        """Check that ``size`` more bytes fit.

        Raises
        ------
        WireError
            If they do not.
        """
        if self.held + size > self.most:
            raise TooMuch(f"more than {self.most // 2**20} MiB of tensors")

    def add(self, numbers: bytes) -> None:
        """Append these bytes."""
        self.held += len(numbers)
        self.parts.append(numbers)


def parts(rest: list, *types: type) -> list:
    """Return what follows a tag, checking its types.

    Raises
    ------
    WireError
        If the number of parts or a type is wrong.
    """
    if len(rest) != len(types) or any(
        kind is not object and type(part) is not kind
        for part, kind in zip(rest, types, strict=True)
    ):
        raise WireError("parts missing, or of another type")
    return rest


def lengths(shape: list) -> list[int]:
    """Check a shape: few axes, no negative length, not too many numbers in total.

    Raises
    ------
    WireError
        If the shape is not valid.
    """
    if len(shape) > MAX_AXES or any(type(n) is not int or n < 0 for n in shape):
        raise WireError("not a shape")
    if math.prod(max(n, 1) for n in shape) > MAX_NUMBERS:
        raise WireError("a shape with too many numbers")
    return shape


@cache
def _codec(library: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{library}_values")


def _here() -> list[ModuleType]:
    """The codecs of the libraries that this process has loaded."""
    on = {"numpy", "pandas", "scipy"} | values_on()
    return [_codec(library) for library in TAGS if library in on and library in sys.modules]


def switched_on() -> None:
    """Load the codecs of the libraries that the course has enabled."""
    for library in values_on():
        _codec(library)
    if "numpy" in values_on():
        _codec("scipy")  # which loads nothing else, and could not be read later


def of(value: Any) -> ModuleType | None:
    """The codec that handles a value, judging by its type alone; ``None`` if there is none."""
    return next((codec for codec in _here() if codec.handles(value)), None)


def copied(value: Any) -> Any:
    """A copy of a value of one of these libraries that can be changed; others as they are."""
    codec = of(value)
    return value if codec is None else codec.copied(value)


def write(value: Any, blobs: Blobs, inner: Inner) -> list | None:
    """The message's tree for a value of one of these libraries; ``None`` for any other value.

    ``inner`` writes the values inside it.
    """
    codec = of(value)
    return None if codec is None else codec.write(value, blobs, inner)


def reads(tag: str) -> Callable[[str, list, Callable[[int], bytearray], Inner], Any] | None:
    """The function that reads the values of a tag; ``None`` for a tag of no library.

    It takes the tag, what follows it, a function that returns the blob's next bytes, and one that
    reads the values inside.

    Raises
    ------
    WireError
        If the library is not installed here.
    """
    library = _LIBRARY.get(tag)
    if library is None or (library == "torch" and library not in values_on()):
        return None
    try:
        return _codec(library).read
    except ImportError:
        raise WireError(f"a value of {library}, which is not installed") from None
