"""How values of NumPy and PyTorch travel: a module for each, used if a course switches it on.

A codec has ``TAGS``, which head its values in a message, ``write``, which gives ``None`` for a
value that is not its own, and ``read``. Like the rest of the wire it reads strictly.
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
    """Bytes that are no message, or a value that cannot be one; says what is wrong with it."""


class Blobs:
    """The numbers of a message's tensors and arrays, one after the other.

    Parameters
    ----------
    most:
        How many bytes they may come to.
    """

    def __init__(self, most: int):
        self.most, self.held = most, 0
        self.parts: list[bytes | bytearray | memoryview] = []

    def reserve(self, size: int) -> None:
        """See whether so many bytes more have room.

        Raises
        ------
        WireError
            If they have not.
        """
        if self.held + size > self.most:
            raise WireError(f"more than {self.most // 2**20} MiB of tensors")

    def add(self, numbers: bytes) -> None:
        """Put these behind the others."""
        self.held += len(numbers)
        self.parts.append(numbers)


def parts(rest: list, *kinds: type) -> list:
    """What follows a tag, which must be of these types.

    Raises
    ------
    WireError
        If it is not.
    """
    if len(rest) != len(kinds) or any(
        type(part) is not kind for part, kind in zip(rest, kinds, strict=True)
    ):
        raise WireError("parts missing, or of another type")
    return rest


def lengths(shape: list) -> list[int]:
    """A shape: few lengths, none below 0, not too many numbers in all.

    Raises
    ------
    WireError
        If it is none.
    """
    if len(shape) > MAX_AXES or any(type(n) is not int or n < 0 for n in shape):
        raise WireError("no shape")
    if math.prod(max(n, 1) for n in shape) > MAX_NUMBERS:
        raise WireError("a shape of too many numbers")
    return shape


@cache
def switched_on() -> dict[str, ModuleType]:
    """The codecs of the libraries that the course has switched on, by each of their tags.

    They are loaded at the first use, so that a process which only judges loads none.
    """
    found = [importlib.import_module(f"{__name__}.{name}_values") for name in sorted(values_on())]
    return {tag: codec for codec in found for tag in codec.TAGS}


def write(value: Any, blobs: Blobs) -> list | None:
    """What stands in the tree for a value of one of these libraries; ``None`` for any other."""
    for codec in dict.fromkeys(switched_on().values()):
        found = codec.write(value, blobs)
        if found is not None:
            return found
    return None
