"""Values as JSON that people can read and compare line by line.

``None``, booleans, numbers and text are as JSON has them. Whatever else is a list that begins with
a tag::

    ["l", …]  list      ["t", …]  tuple      ["d", key, value, …]  dict
    ["T", dtype, shape, requires_grad, …]  tensor of PyTorch, with its numbers
    ["w", base64]  any other value, as nbjudge.inside.wire writes it
"""

from __future__ import annotations

import base64
from typing import Any

from nbjudge.inside import wire
from nbjudge.inside.values import Tensor, torch

#: The dtypes of tensors that are written in numbers.
DTYPES = ("float32", "float64", "int64", "bool")


def to_plain(value: Any) -> Any:
    """A value as JSON can hold it.

    Raises
    ------
    WireError
        If it is none that can be sent.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (list, tuple):
        return ["l" if kind is list else "t", *map(to_plain, value)]
    if kind is dict:
        return ["d", *(to_plain(part) for pair in value.items() for part in pair)]
    if isinstance(value, Tensor) and (dtype := str(value.dtype).removeprefix("torch.")) in DTYPES:
        numbers = value.detach().flatten().tolist()
        if dtype == "float32":  # the shortest digits that give the same number
            numbers = [float(f"{x:.9g}") for x in numbers]
        return ["T", dtype, list(value.shape), value.requires_grad, *numbers]
    return ["w", base64.b64encode(wire.dumps(value)).decode()]


def from_plain(plain: Any) -> Any:
    """The inverse of :func:`to_plain`.

    Raises
    ------
    WireError
        If it is none of its results.
    """
    if type(plain) is not list:
        return plain
    tag, *rest = plain
    if tag in ("l", "t"):
        return (list if tag == "l" else tuple)(map(from_plain, rest))
    if tag == "d":
        parts = list(map(from_plain, rest))
        return dict(zip(parts[::2], parts[1::2], strict=True))
    if tag == "T" and torch is not None and rest[0] in DTYPES:
        dtype, shape, requires_grad, *numbers = rest
        tensor = torch.tensor(numbers, dtype=getattr(torch, dtype)).reshape(shape)
        return tensor.requires_grad_(requires_grad)
    if tag == "w":
        return wire.undumps(base64.b64decode(rest[0]))
    raise wire.WireError("a tag that is not known")
