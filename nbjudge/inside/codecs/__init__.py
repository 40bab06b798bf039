"""How NumPy and PyTorch values are sent: one module per library, used if a course enables it.

A codec has ``TAGS``, the tags of its values in a message; ``write``, which returns ``None`` for a
value that it does not handle; and ``read``. Like the rest of the wire format, it reads strictly.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from types import ModuleType
from typing import Any

from nbjudge.inside.program import values_on

MAX_AXES, MAX_NUMBERS = 16, 1 << 40


class WireError(Exception):
    """Bytes that are not a valid message, or a value that cannot be sent; says what is wrong."""


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
            raise WireError(f"more than {self.most // 2**20} MiB of tensors")

    def add(self, numbers: bytes) -> None:
        """Append these bytes."""
        self.held += len(numbers)
        self.parts.append(numbers)


def parts(rest: list, *kinds: type) -> list:
    """Return what follows a tag, checking its types.

    Raises
    ------
    WireError
        If the number of parts or a type is wrong.
    """
    if len(rest) != len(kinds) or any(
        type(part) is not kind for part, kind in zip(rest, kinds, strict=True)
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
def switched_on() -> dict[str, ModuleType]:
    """The codecs of the libraries that the course has enabled, by tag.

    They are loaded on first use, so that a process that only judges loads none.
    """
    found = [importlib.import_module(f"{__name__}.{name}_values") for name in sorted(values_on())]
    return {tag: codec for codec in found for tag in codec.TAGS}


def write(value: Any, blobs: Blobs) -> list | None:
    """The message's tree for a value of one of these libraries; ``None`` for any other value."""
    for codec in dict.fromkeys(switched_on().values()):
        found = codec.write(value, blobs)
        if found is not None:
            return found
    return None
