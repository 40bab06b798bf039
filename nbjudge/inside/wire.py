"""What may pass between a learner's process and the examiner's, and how it is written as bytes.

A message is one value: ``None``, booleans, numbers, text, bytes, tensors, NumPy arrays, and lists,
tuples and dicts of these. It travels as two parts behind a header of twelve bytes: the *tree*, in
msgpack, and the *blob*, the numbers of all tensors and arrays one after the other, of which the
tree says only type and shape. In the tree whatever is not plain is a list headed by a tag::

    ["l", …]  list      ["t", …]  tuple      ["d", key, value, …]  dict
    ["T", dtype, shape, requires_grad]  tensor         ["A", dtype, shape]  NumPy array
    ["i", digits]  integer beyond 64 bits    ["c", real, imaginary]  complex
    ["s", …]  torch.Size   ["y", name]  torch.dtype   ["v", name]  torch.device
    ["n", name]  a name of the learner's     ["o", number]  an object that a verb has made

Nothing in it is code, names a class or is looked up. What is read is read strictly: anything that
is not written as above raises :class:`WireError`, whoever sent it.
"""

from __future__ import annotations

import math
import socket
import struct
from dataclasses import dataclass
from time import monotonic
from typing import Any

import msgpack
import numpy as np
import torch
from torch import Tensor

HEADER = struct.Struct(">IQ")

#: The tree holds no tensor's numbers, so that it is small; a limit on it bounds how many objects
#: a message can make of few bytes.
TREE_BYTES = 1 << 20

KEYS = (str, int, bool)
MAX_DEPTH, MAX_AXES, MAX_NUMBERS, MAX_DIGITS = 24, 16, 1 << 40, 1000

#: What a tensor may hold, with the NumPy type whose bytes are its own.
DTYPES = {
    "bool": (torch.bool, np.uint8),
    "uint8": (torch.uint8, np.uint8),
    "int8": (torch.int8, np.int8),
    "int16": (torch.int16, np.int16),
    "int32": (torch.int32, np.int32),
    "int64": (torch.int64, np.int64),
    "float16": (torch.float16, np.float16),
    "bfloat16": (torch.bfloat16, np.int16),
    "float32": (torch.float32, np.float32),
    "float64": (torch.float64, np.float64),
    "complex64": (torch.complex64, np.complex64),
    "complex128": (torch.complex128, np.complex128),
}
DTYPE_NAMES = {dtype: name for name, (dtype, _) in DTYPES.items()}

ARRAY_DTYPES = {*DTYPES, "uint16", "uint32", "uint64"} - {"bfloat16"}


class WireError(Exception):
    """Bytes that are no message, or a value that cannot be one; says what is wrong with it."""


class Closed(WireError):
    """The other side has gone."""


class TimedOut(WireError):
    """Nothing, or not all of it, came in time."""


@dataclass(frozen=True)
class Name:
    """Stands for what the learner's notebook calls by this name. Only ever sent to it."""

    name: str


@dataclass(frozen=True)
class Made:
    """Stands for an object that a verb has made over there. Only ever sent there."""

    number: int


# -- writing ---------------------------------------------------------------------------------------


def dumps(value: Any, most: int = 1 << 26) -> bytes:
    """A message as bytes.

    Parameters
    ----------
    value:
        What to send.
    most:
        How many bytes the tensors and arrays in it may come to.

    Raises
    ------
    WireError
        If the value holds something that cannot be sent, or too much.
    """
    blobs: list[bytes] = []
    tree = _write(value, blobs, most, 0)
    try:
        packed = msgpack.packb(tree, use_bin_type=True)
    except (ValueError, OverflowError, UnicodeError) as error:
        raise WireError(f"cannot be written: {error}") from None
    if len(packed) > TREE_BYTES:
        raise WireError(f"{len(packed):,} bytes of numbers and text are too many to send")
    blob = b"".join(blobs)
    return HEADER.pack(len(packed), len(blob)) + packed + blob


def _write(value: Any, blobs: list[bytes], most: int, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise WireError(f"lists in lists, {MAX_DEPTH} deep and more, or a list that holds itself")
    kind = type(value)
    if kind in (bool, float, str, bytes) or value is None:
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**64 else ["i", _digits(value)]
    if kind in (list, tuple, dict) and len(value) > TREE_BYTES:
        raise WireError(f"{len(value):,} numbers in a {kind.__name__} are too many to send")
    if kind in (list, tuple):
        tag = "l" if kind is list else "t"
        return [tag, *(_write(inner, blobs, most, depth + 1) for inner in value)]
    if kind is dict:
        if any(type(key) not in KEYS for key in value):
            raise WireError("a dict whose keys are neither text nor integers")
        pairs = [part for pair in value.items() for part in pair]
        return ["d", *(_write(part, blobs, most, depth + 1) for part in pairs)]
    if isinstance(value, Tensor):
        return _write_tensor(value, blobs, most)
    if isinstance(value, np.ndarray):
        return _write_array(value, blobs, most)
    if kind is complex:
        return ["c", value.real, value.imag]
    if kind is torch.Size:
        return ["s", *value]
    if kind is torch.dtype:
        return ["y", str(value).removeprefix("torch.")]
    if kind is torch.device:
        return ["v", str(value)]
    if kind is Name:
        return ["n", value.name]
    if kind is Made:
        return ["o", value.number]
    raise WireError(f"a {kind.__name__} cannot be sent")


def _digits(value: int) -> str:
    if value.bit_length() > 3 * MAX_DIGITS:
        raise WireError(f"an integer of more than {MAX_DIGITS} digits")
    return str(value)


def _write_tensor(value: Tensor, blobs: list[bytes], most: int) -> list:
    if value.layout != torch.strided or value.device.type != "cpu" or value.is_quantized:
        raise WireError(f"a tensor that is {value.layout} on {value.device}, not plain on the CPU")
    if value.dtype not in DTYPE_NAMES:
        raise WireError(f"a tensor of {str(value.dtype).removeprefix('torch.')}")
    _reserve(value.numel() * value.element_size(), blobs, most)
    plain = value.detach().resolve_conj().resolve_neg().contiguous()
    if value.dtype == torch.bfloat16:
        plain = plain.view(torch.int16)
    blobs.append(plain.numpy().tobytes())
    return ["T", DTYPE_NAMES[value.dtype], list(value.shape), bool(value.requires_grad)]


def _write_array(value: np.ndarray, blobs: list[bytes], most: int) -> list:
    if value.dtype.name not in ARRAY_DTYPES:
        raise WireError(f"a NumPy array of {value.dtype}")
    _reserve(value.nbytes, blobs, most)
    blobs.append(value.astype(value.dtype.newbyteorder("="), order="C", copy=False).tobytes())
    return ["A", value.dtype.name, list(value.shape)]


def _reserve(size: int, blobs: list[bytes], most: int) -> None:
    if sum(map(len, blobs)) + size > most:
        raise WireError(f"more than {most // 2**20} MiB of tensors")


# -- reading ---------------------------------------------------------------------------------------


def loads(tree: bytes, blob: bytes | bytearray, *, names: bool = False) -> Any:
    """The value that a message says.

    Parameters
    ----------
    tree, blob:
        Its two parts.
    names:
        Whether :class:`Name` and :class:`Made` are let in: on the learner's side alone.

    Raises
    ------
    WireError
        If it is not written as the module says, to the last byte.
    """
    try:
        found = msgpack.unpackb(
            tree,
            raw=False,
            max_array_len=TREE_BYTES,
            max_map_len=0,
            max_ext_len=0,
            max_str_len=TREE_BYTES,
            max_bin_len=TREE_BYTES,
        )
        reader = _Reader(blob, names)
        value = reader.read(found, 0)
    except WireError:
        raise
    except Exception as error:  # whatever msgpack makes of bytes that are none of its own
        raise WireError(f"not msgpack: {type(error).__name__}") from None
    if reader.at != len(blob):
        raise WireError(f"{len(blob) - reader.at} bytes too many")
    return value


class _Reader:
    """Reads a tree, and the blob from its start."""

    def __init__(self, blob: bytes | bytearray, names: bool):
        self.blob, self.names, self.at = memoryview(blob), names, 0

    def read(self, tree: Any, depth: int) -> Any:
        if tree is None or type(tree) in (bool, int, float, str, bytes):
            return tree
        if type(tree) is not list or not tree or type(tree[0]) is not str:
            raise WireError("a list without a tag, or something that is no list")
        if depth > MAX_DEPTH:
            raise WireError("too deep")
        tag, rest = tree[0], tree[1:]
        if tag in ("l", "t"):
            inner = [self.read(part, depth + 1) for part in rest]
            return inner if tag == "l" else tuple(inner)
        if tag == "d":
            return self._dict([self.read(part, depth + 1) for part in rest])
        if tag == "T":
            return self._tensor(rest)
        if tag == "A":
            return self._array(rest)
        return torch.Size(_lengths(rest)) if tag == "s" else self._scalar(tag, rest)

    def _dict(self, parts: list) -> dict:
        keys, values = parts[::2], parts[1::2]
        if len(keys) != len(values) or any(type(key) not in KEYS for key in keys):
            raise WireError("a dict whose keys are neither text nor integers, or lack a value")
        found = dict(zip(keys, values, strict=True))
        if len(found) != len(keys):
            raise WireError("a dict with one key twice")
        return found

    def _tensor(self, rest: list) -> Tensor:
        name, shape, requires_grad = _parts(rest, str, list, bool)
        if name not in DTYPES:
            raise WireError("no known dtype of a tensor")
        dtype, stored = DTYPES[name]
        numbers = self._numbers(np.dtype(stored), shape)
        if dtype == torch.bool:
            # Only 0 and 1 are booleans; other bytes would compare as they please.
            return torch.from_numpy(np.asarray(numbers != 0))
        found = torch.from_numpy(numbers)
        found = found.view(torch.bfloat16) if dtype == torch.bfloat16 else found
        if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
            raise WireError("a gradient of whole numbers")
        return found.requires_grad_(requires_grad)

    def _array(self, rest: list) -> np.ndarray:
        name, shape = _parts(rest, str, list)
        if name not in ARRAY_DTYPES:
            raise WireError("no known dtype of an array")
        if name == "bool":
            return np.asarray(self._numbers(np.dtype(np.uint8), shape) != 0)
        return self._numbers(np.dtype(name), shape)

    def _numbers(self, dtype: np.dtype, shape: list) -> np.ndarray:
        """The blob's next numbers, in memory of their own."""
        size = math.prod(_lengths(shape)) * dtype.itemsize
        if size > len(self.blob) - self.at:
            raise WireError("fewer numbers than its shape says")
        found = np.empty(size, np.uint8)
        found[:] = self.blob[self.at : self.at + size]
        self.at += size
        return found.view(dtype).reshape(shape)

    def _scalar(self, tag: str, rest: list) -> Any:
        if tag == "c":
            return complex(*_parts(rest, float, float))
        (text,) = _parts(rest, int if tag == "o" else str)
        if tag == "i" and len(text) <= MAX_DIGITS + 1:
            if not text.removeprefix("-").isascii() or not text.removeprefix("-").isdigit():
                raise WireError("no digits")
            return int(text)
        if tag == "y" and text in DTYPES:
            return DTYPES[text][0]
        if tag == "v" and text in ("cpu", "cuda", "cuda:0", "meta"):
            return torch.device(text)
        if tag == "n" and self.names and text.isidentifier():
            return Name(text)
        if tag == "o" and self.names:
            return Made(text)
        raise WireError("a tag that is not known, or does not fit")


def _parts(rest: list, *kinds: type) -> list:
    if len(rest) != len(kinds) or any(
        type(part) is not kind for part, kind in zip(rest, kinds, strict=True)
    ):
        raise WireError("parts missing, or of another type")
    return rest


def _lengths(shape: list) -> list[int]:
    if len(shape) > MAX_AXES or any(type(n) is not int or n < 0 for n in shape):
        raise WireError("no shape")
    if math.prod(max(n, 1) for n in shape) > MAX_NUMBERS:
        raise WireError("a shape of too many numbers")
    return shape


# -- a stream of messages --------------------------------------------------------------------------


class Channel:
    """Messages over a connected socket, each bounded in size and in time.

    Parameters
    ----------
    sock:
        A connected stream socket.
    most:
        How many bytes a message's tensors may come to, in either direction.
    names:
        As for :func:`loads`, for what is received.
    """

    def __init__(self, sock: socket.socket, most: int = 1 << 26, names: bool = False):
        self.sock, self.most, self.names = sock, most, names

    def send(self, value: Any, seconds: float | None = None) -> None:
        """Send one message.

        Raises
        ------
        WireError
            If the value cannot be sent, the other side has gone, or the time is up.
        """
        message = dumps(value, self.most)
        self.sock.settimeout(seconds)
        try:
            self.sock.sendall(message)
        except TimeoutError:
            raise TimedOut("nobody takes what is sent") from None
        except OSError as error:
            raise Closed(f"the other side has gone: {error}") from None

    def receive(self, seconds: float | None = None) -> Any:
        """The next message.

        Raises
        ------
        WireError
            If it is none, is too long, the other side has gone, or the time is up.
        """
        deadline = None if seconds is None else monotonic() + seconds
        tree, blob = HEADER.unpack(self._exactly(HEADER.size, deadline))
        if tree > TREE_BYTES or blob > self.most:
            raise WireError(f"a message of {tree + blob:,} bytes is too long")
        found = self._exactly(tree, deadline)
        return loads(bytes(found), self._exactly(blob, deadline), names=self.names)

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
        found = bytearray(size)
        view, at = memoryview(found), 0
        while at < size:
            left = None if deadline is None else deadline - monotonic()
            if left is not None and left <= 0:
                raise TimedOut("nothing came in time")
            self.sock.settimeout(left)
            try:
                got = self.sock.recv_into(view[at:])
            except TimeoutError:
                raise TimedOut("nothing came in time") from None
            except OSError as error:
                raise Closed(f"the other side has gone: {error}") from None
            if not got:
                raise Closed("the other side has gone")
            at += got
        return found

    def close(self) -> None:
        """Hang up."""
        self.sock.close()
