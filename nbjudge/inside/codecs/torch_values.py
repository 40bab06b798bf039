"""PyTorch's values in a message; the numbers of tensors are in the blob.

They are written as::

    ["T", dtype, shape, requires_grad]  tensor     ["s", …]  torch.Size
    ["y", name]  torch.dtype                       ["v", name]  torch.device
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from nbjudge.inside.codecs import Blobs, Inner, WireError, lengths, parts
from nbjudge.inside.codecs.numpy_values import numbers

#: The dtypes a tensor may have, each with the NumPy dtype that has the same bytes.
DTYPES = {
    "bool": (torch.bool, "bool"),
    "uint8": (torch.uint8, "uint8"),
    "int8": (torch.int8, "int8"),
    "int16": (torch.int16, "int16"),
    "int32": (torch.int32, "int32"),
    "int64": (torch.int64, "int64"),
    "float16": (torch.float16, "float16"),
    "bfloat16": (torch.bfloat16, "int16"),
    "float32": (torch.float32, "float32"),
    "float64": (torch.float64, "float64"),
    "complex64": (torch.complex64, "complex64"),
    "complex128": (torch.complex128, "complex128"),
}
DTYPE_NAMES = {dtype: name for name, (dtype, _) in DTYPES.items()}

DEVICES = ("cpu", "cuda", "cuda:0", "meta")


def handles(value: Any) -> bool:
    """Whether it is a tensor, a shape, a dtype or a device."""
    return isinstance(value, Tensor) or type(value) in (torch.Size, torch.dtype, torch.device)


def copied(value: Any) -> Any:
    """A copy of a tensor; anything else as it is."""
    return value.detach().clone() if isinstance(value, Tensor) else value


def alike(one: Any, other: Any, near: float, tiny: float) -> bool:
    """Whether shape, dtype and values are the same but for rounding; NaN is like NaN."""
    if not isinstance(one, Tensor):
        return bool(one == other)
    same = one.shape == other.shape and one.dtype == other.dtype and one.device == other.device
    return same and torch.allclose(one, other, near, tiny, equal_nan=True)


def write(value: Any, blobs: Blobs, inner: Inner) -> list:
    """The tree for a tensor, a shape, a dtype or a device."""
    if isinstance(value, Tensor):
        return _write_tensor(value, blobs)
    kind = type(value)
    if kind is torch.Size:
        return ["s", *value]
    return ["y", str(value).removeprefix("torch.")] if kind is torch.dtype else ["v", str(value)]


def _write_tensor(value: Tensor, blobs: Blobs) -> list:
    if value.layout != torch.strided or value.device.type != "cpu" or value.is_quantized:
        raise WireError(f"a tensor that is {value.layout} on {value.device}, not plain on the CPU")
    if value.dtype not in DTYPE_NAMES:
        raise WireError(f"a tensor of {str(value.dtype).removeprefix('torch.')}")
    blobs.reserve(value.numel() * value.element_size())
    plain = value.detach().resolve_conj().resolve_neg().contiguous()
    if value.dtype == torch.bfloat16:
        plain = plain.view(torch.int16)
    blobs.add(plain.numpy().tobytes())
    return ["T", DTYPE_NAMES[value.dtype], list(value.shape), bool(value.requires_grad)]


def read(tag: str, rest: list, take: Callable[[int], bytearray], inner: Inner) -> Any:
    """The value; ``take`` returns the blob's next bytes."""
    if tag == "T":
        return _tensor(rest, take)
    if tag == "s":
        return torch.Size(lengths(rest))
    (text,) = parts(rest, str)
    if tag == "y" and text in DTYPES:
        return DTYPES[text][0]
    if tag == "v" and text in DEVICES:
        return torch.device(text)
    raise WireError("a tag that is not known, or does not fit")


def _tensor(rest: list, take: Callable[[int], bytearray]) -> Tensor:
    name, shape, requires_grad = parts(rest, str, list, bool)
    if name not in DTYPES:
        raise WireError("a tensor of an unknown dtype")
    dtype, stored = DTYPES[name]
    tensor = torch.from_numpy(numbers(stored, shape, take))
    tensor = tensor.view(torch.bfloat16) if dtype == torch.bfloat16 else tensor
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise WireError("a gradient for a tensor of integers")
    return tensor.requires_grad_(requires_grad)
