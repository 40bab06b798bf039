"""Pictures: MNIST and CIFAR-10."""

from __future__ import annotations

import struct
from math import prod

from tfcourse.data.corpus import Card, Images, Loader, register
from tfcourse.data.real.archives import tar_members
from tfcourse.data.real.cards import hashes, size_bytes
from tfcourse.data.real.files import find, need, read
from tfcourse.data.real.registry import FILES

#: A record of CIFAR-10: its label, then red, green and blue, row by row.
_CIFAR_RECORD = 1 + 3 * 32 * 32


def mnist(split: str) -> Images:
    """Digits in grey, 28 by 28."""
    import torch

    images, labels = (FILES["mnist"][f"{split} {what}"] for what in ("images", "labels"))
    need("mnist", [images, labels])
    shape, drawn = idx(read(images))
    _, classes = idx(read(labels))
    pixels = torch.frombuffer(bytearray(drawn), dtype=torch.uint8).view(shape)
    numbers = torch.frombuffer(bytearray(classes), dtype=torch.uint8)
    return Images(pixels[:, None], numbers.long())


def idx(content: bytes) -> tuple[tuple[int, ...], bytes]:
    """The shape and the bytes of an array in the format of MNIST's files.

    The format: two zero bytes, the type (8: uint8), the number of axes, each axis' length in four
    bytes, then the numbers.

    Raises
    ------
    ValueError
        If ``content`` is not such an array of uint8, or is cut off.
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


def cifar10(split: str) -> Images:
    """Photographs in colour, 32 by 32."""
    file = FILES["cifar-10"]["archive"]
    need("cifar-10", [file])
    batches = [f"data_batch_{i}" for i in range(1, 6)] if split == "train" else ["test_batch"]
    names = [f"cifar-10-batches-bin/{batch}.bin" for batch in batches]
    found = tar_members(find(file), names.__contains__)
    return cifar_records(b"".join(found[name] for name in names))


def cifar_records(content: bytes) -> Images:
    """The pictures in CIFAR-10's binary records.

    Raises
    ------
    ValueError
        If ``content`` is not a whole number of records, or has a label above 9.
    """
    import torch

    if not content or len(content) % _CIFAR_RECORD:
        raise ValueError(
            f"content must be records of {_CIFAR_RECORD} bytes, got {len(content):,} bytes"
        )
    records = torch.frombuffer(bytearray(content), dtype=torch.uint8).view(-1, _CIFAR_RECORD)
    if records[:, 0].max() > 9:
        raise ValueError(f"content must have labels up to 9, got {int(records[:, 0].max())}")
    return Images(records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0].long())


register(
    Loader(
        Card(
            name="mnist",
            title="MNIST",
            what="A handwritten digit, 28 by 28 in grey, and which it is",
            kind="real",
            task="image classification",
            splits={"train": 60_000, "test": 10_000},
            size_bytes=size_bytes("mnist"),
            licence="CC BY-SA 3.0",
            licence_url="https://creativecommons.org/licenses/by-sa/3.0/",
            citation="LeCun, Bottou, Bengio and Haffner (1998), Gradient-Based Learning",
            homepage="http://yann.lecun.com/exdb/mnist/",
            sha256=hashes("mnist"),
            labels=tuple("0123456789"),
        ),
        mnist,
    )
)

register(
    Loader(
        Card(
            name="cifar-10",
            title="CIFAR-10",
            what="A photograph, 32 by 32 in colour, and what it shows",
            kind="real",
            task="image classification",
            splits={"train": 50_000, "test": 10_000},
            size_bytes=size_bytes("cifar-10"),
            licence="None stated; its author asks for citation",
            licence_url="https://www.cs.toronto.edu/~kriz/cifar.html",
            citation="Krizhevsky (2009), Learning Multiple Layers of Features from Tiny Images",
            homepage="https://www.cs.toronto.edu/~kriz/cifar.html",
            sha256=hashes("cifar-10"),
            labels=(
                "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship",
                "truck",
            ),
        ),
        cifar10,
    )
)  # fmt: skip
