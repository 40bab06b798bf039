"""Images: MNIST and CIFAR-10."""

from __future__ import annotations

import struct
from math import prod

from tfcourse.data.corpus import Images
from tfcourse.data.real.files import find, need, read, tar_members
from tfcourse.data.real.registry import real

#: A record of CIFAR-10: its label, then red, green and blue, row by row.
_CIFAR_RECORD = 1 + 3 * 32 * 32


@real("mnist")
def mnist(split: str) -> Images:
    """Greyscale digits, 28 by 28."""
    import torch

    images, labels = need("mnist", f"{split} images", f"{split} labels")
    shape, drawn = idx(read(images))
    _, classes = idx(read(labels))
    pixels = torch.frombuffer(bytearray(drawn), dtype=torch.uint8).view(shape)
    numbers = torch.frombuffer(bytearray(classes), dtype=torch.uint8)
    return Images(pixels[:, None], numbers.long())


def idx(content: bytes) -> tuple[tuple[int, ...], bytes]:
    """The shape and the bytes of an array in the format of MNIST's files.

    The format: two zero bytes, the type (8: uint8), the number of axes, each axis' length in four
    bytes, then the numbers. Raises ``ValueError`` if it is another, or truncated.
    """
    if len(content) < 4 or content[:3] != b"\0\0\x08" or len(content) < 4 + 4 * content[3]:
        raise ValueError(f"content must be an idx array of uint8, begins with {content[:4]!r}")
    axes = content[3]
    shape = struct.unpack(f">{axes}I", content[4 : 4 + 4 * axes])
    numbers = content[4 + 4 * axes :]
    if prod(shape) != len(numbers):
        raise ValueError(
            f"content must hold {prod(shape):,} numbers for its shape {shape}, "
            f"holds {len(numbers):,}"
        )
    return shape, numbers


@real("cifar-10")
def cifar10(split: str) -> Images:
    """Colour photographs, 32 by 32."""
    [file] = need("cifar-10", "archive")
    batches = [f"data_batch_{i}" for i in range(1, 6)] if split == "train" else ["test_batch"]
    names = [f"cifar-10-batches-bin/{batch}.bin" for batch in batches]
    found = tar_members(find(file), names.__contains__)
    return cifar_records(b"".join(found[name] for name in names))


def cifar_records(content: bytes) -> Images:
    """The images in CIFAR-10's binary records; raises ``ValueError`` for other content."""
    import torch

    if not content or len(content) % _CIFAR_RECORD:
        raise ValueError(
            f"content must be records of {_CIFAR_RECORD} bytes, got {len(content):,} bytes"
        )
    records = torch.frombuffer(bytearray(content), dtype=torch.uint8).view(-1, _CIFAR_RECORD)
    if records[:, 0].max() > 9:
        raise ValueError(f"content must have labels up to 9, got {int(records[:, 0].max())}")
    return Images(records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0].long())
