"""What may pass between a learner's process and the examiner's, and how it is written as bytes.

A message is one value: ``None``, booleans, numbers, text, bytes, and lists, tuples and dicts of
these; NumPy's arrays and PyTorch's tensors too if the course switches them on
(:mod:`nbjudge.inside.codecs`). It travels as two parts behind a header of twelve bytes: the *tree*,
in msgpack, and the *blob*, the numbers of all tensors and arrays one after the other, of which the
tree says only type and shape. In the tree whatever is not plain is a list headed by a tag, a
codec's or one of these::

    ["l", …]  list      ["t", …]  tuple      ["d", key, value, …]  dict
    ["i", digits]  integer beyond 64 bits    ["c", real, imaginary]  complex
    ["n", name]  a name of the learner's     ["o", number]  an object that a verb has made

Nothing in it is code, names a class or is looked up. What is read is read strictly: anything that
is not written as above raises :class:`WireError`, whoever sent it.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from time import monotonic
from typing import Any

import msgpack

from nbjudge.inside import codecs
from nbjudge.inside.codecs import Blobs, WireError, parts

HEADER = struct.Struct(">IQ")

#: The tree holds no tensor's numbers, so that it is small; a limit on it bounds how many objects
#: a message can make of few bytes.
TREE_BYTES = 1 << 20

KEYS = (str, int, bool)
MAX_DEPTH, MAX_DIGITS = 24, 1000

#: What is run in the notebook's kernel so that it answers the examiner.
SERVE = "__import__('nbjudge.inside.testing.learner', fromlist=['serve']).serve()"

#: How the first line about an error ends if it arose in a hidden test.
IN_A_HIDDEN_TEST = " in a hidden test."


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
    blobs = Blobs(most)
    tree = _write(value, blobs, 0)
    try:
        packed = msgpack.packb(tree, use_bin_type=True)
    except (ValueError, OverflowError, UnicodeError) as error:
        raise WireError(f"cannot be written: {error}") from None
    if len(packed) > TREE_BYTES:
        raise WireError(f"{len(packed):,} bytes of numbers and text are too many to send")
    blob = b"".join(blobs.parts)
    return HEADER.pack(len(packed), len(blob)) + packed + blob


def _write(value: Any, blobs: Blobs, depth: int) -> Any:
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
        return [tag, *(_write(inner, blobs, depth + 1) for inner in value)]
    if kind is dict:
        if any(type(key) not in KEYS for key in value):
            raise WireError("a dict whose keys are neither text nor integers")
        pairs = [part for pair in value.items() for part in pair]
        return ["d", *(_write(part, blobs, depth + 1) for part in pairs)]
    if kind is complex:
        return ["c", value.real, value.imag]
    if kind is Name:
        return ["n", value.name]
    if kind is Made:
        return ["o", value.number]
    found = codecs.write(value, blobs)
    if found is None:
        raise WireError(f"a {kind.__name__} cannot be sent")
    return found


def _digits(value: int) -> str:
    if value.bit_length() > 3 * MAX_DIGITS:
        raise WireError(f"an integer of more than {MAX_DIGITS} digits")
    return str(value)


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
        if codec := codecs.switched_on().get(tag):
            return codec.read(tag, rest, self._take)
        return self._scalar(tag, rest)

    def _dict(self, flat: list) -> dict:
        keys, values = flat[::2], flat[1::2]
        if len(keys) != len(values) or any(type(key) not in KEYS for key in keys):
            raise WireError("a dict whose keys are neither text nor integers, or lack a value")
        found = dict(zip(keys, values, strict=True))
        if len(found) != len(keys):
            raise WireError("a dict with one key twice")
        return found

    def _take(self, size: int) -> bytearray:
        """The blob's next bytes, in memory of their own."""
        if size > len(self.blob) - self.at:
            raise WireError("fewer numbers than its shape says")
        self.at += size
        return bytearray(self.blob[self.at - size : self.at])

    def _scalar(self, tag: str, rest: list) -> Any:
        if tag == "c":
            return complex(*parts(rest, float, float))
        (text,) = parts(rest, int if tag == "o" else str)
        if tag == "i" and len(text) <= MAX_DIGITS + 1:
            if not text.removeprefix("-").isascii() or not text.removeprefix("-").isdigit():
                raise WireError("no digits")
            return int(text)
        if tag == "n" and self.names and text.isidentifier():
            return Name(text)
        if tag == "o" and self.names:
            return Made(text)
        raise WireError("a tag that is not known, or does not fit")


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
