"""What may be sent between a learner's process and the examiner's, and its format as bytes.

A message is one value: ``None``, booleans, numbers, text, bytes, and lists, tuples and dicts of
these; values of NumPy, pandas and SciPy, and PyTorch tensors if the course enables them
(:mod:`nbjudge.inside.codecs`). It is sent in two parts after a twelve-byte header: the *tree*, in
msgpack, and the *blob*, the numbers of all tensors and arrays, concatenated; the tree holds only
their types and shapes. In the tree, whatever is not plain is a list that starts with a tag, a
codec's or one of these::

    ["l", …]  list      ["t", …]  tuple      ["d", key, value, …]  dict
    ["i", digits]  integer beyond 64 bits    ["c", real, imaginary]  complex
    ["n", name]  a name of the learner's     ["o", number]  an object that a verb created

Nothing in it is code, names a class or is looked up. It is read strictly: anything in another form
raises :class:`WireError`, whoever sent it.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import msgpack

from nbjudge.inside import codecs
from nbjudge.inside.codecs import Blobs, TooMuch, WireError, parts

HEADER = struct.Struct(">IQ")

#: Maximum size of a tree in bytes. It holds no tensor's numbers, so it is small; the limit bounds
#: the number of objects that a message can create from few bytes.
TREE_BYTES = 1 << 20

KEYS = (str, int, bool)

#: Types that a tree holds as they are, besides integers of up to 64 bits.
AS_IT_IS = frozenset({bool, float, str, bytes, type(None)})

MAX_DEPTH, MAX_DIGITS = 24, 1000

#: Code run in the notebook's kernel to make it answer the examiner.
SERVE = "__import__('nbjudge.inside.testing.learner', fromlist=['serve']).serve()"

#: The end of the first line about an error that occurred in a hidden test.
IN_A_HIDDEN_TEST = " in a hidden test."


class Closed(WireError):
    """The other side has gone."""


class TimedOut(WireError):
    """The message did not arrive, or not completely, in time."""


@dataclass(frozen=True)
class Name:
    """Refers to a name in the learner's notebook. Sent only to the learner's process."""

    name: str


@dataclass(frozen=True)
class Made:
    """Refers to an object that a verb created. Sent only to the learner's process."""

    number: int


# -- writing ---------------------------------------------------------------------------------------


def dumps(value: Any, most: int = 1 << 26) -> bytes:
    """Encode a message as bytes.

    Parameters
    ----------
    value:
        What to send.
    most:
        Maximum bytes of the tensors and arrays in it.

    Raises
    ------
    WireError
        If the value holds something that cannot be sent, or too much.
    """
    blobs = Blobs(most)
    tree = _write(value, blobs, 0)
    try:
        # Most messages are small, and untouched memory is slow in a forked process.
        packed = msgpack.packb(tree, use_bin_type=True, buf_size=1 << 12)
    except (ValueError, OverflowError, UnicodeError) as error:
        raise WireError(f"it cannot be encoded: {error}") from None
    if len(packed) > TREE_BYTES:
        raise TooMuch(f"{len(packed):,} bytes of numbers and text are too many to send")
    blob = b"".join(blobs.parts)
    return HEADER.pack(len(packed), len(blob)) + packed + blob


def _write(value: Any, blobs: Blobs, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise WireError(f"lists in lists, {MAX_DEPTH} deep and more, or a list that holds itself")
    kind = type(value)
    if kind in AS_IT_IS:
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**64 else ["i", _digits(value)]
    if kind in (list, tuple, dict) and len(value) > TREE_BYTES:
        raise TooMuch(f"{len(value):,} numbers in a {kind.__name__} are too many to send")
    if kind in (list, tuple):
        tag = "l" if kind is list else "t"
        return [tag, *_each(value, blobs, depth + 1)]
    if kind is dict:
        if any(type(key) not in KEYS for key in value):
            raise WireError("a dict whose keys are neither text nor integers")
        pairs = [part for pair in value.items() for part in pair]
        return ["d", *_each(pairs, blobs, depth + 1)]
    if kind is complex:
        return ["c", value.real, value.imag]
    if kind is Name:
        return ["n", value.name]
    if kind is Made:
        return ["o", value.number]
    tree = codecs.write(value, blobs, lambda inside: _write(inside, blobs, depth + 1))
    if tree is None:
        raise WireError(f"a {kind.__name__} cannot be sent")
    return tree


def _each(values: Iterable[Any], blobs: Blobs, depth: int) -> list:
    return [v if type(v) in AS_IT_IS else _write(v, blobs, depth) for v in values]


def _digits(value: int) -> str:
    if value.bit_length() > 3 * MAX_DIGITS:
        raise WireError(f"an integer with more than {MAX_DIGITS} digits")
    return str(value)


# -- reading ---------------------------------------------------------------------------------------


def loads(tree: bytes, blob: bytes | bytearray, *, names: bool = False) -> Any:
    """Decode a message.

    Parameters
    ----------
    tree, blob:
        Its two parts.
    names:
        Whether :class:`Name` and :class:`Made` are allowed: only on the learner's side.

    Raises
    ------
    WireError
        If any byte is not in the module's format.
    """
    try:
        unpacked = msgpack.unpackb(
            tree,
            raw=False,
            max_array_len=TREE_BYTES,
            max_map_len=0,
            max_ext_len=0,
            max_str_len=TREE_BYTES,
            max_bin_len=TREE_BYTES,
        )
        reader = _Reader(blob, names)
        value = reader.read(unpacked, 0)
    except WireError:
        raise
    except Exception as error:  # whatever msgpack or a library raises for what it cannot read
        raise WireError(f"not a message: {type(error).__name__}") from None
    if reader.at != len(blob):
        raise WireError(f"{len(blob) - reader.at} bytes too many")
    return value


def undumps(message: bytes) -> Any:
    """Decode the bytes that :func:`dumps` makes.

    Raises
    ------
    WireError
        If they are anything else.
    """
    if len(message) < HEADER.size:
        raise WireError("too short for a message")
    tree, blob = HEADER.unpack(message[: HEADER.size])
    if len(message) != HEADER.size + tree + blob:
        raise WireError("not as long as its header says")
    start = HEADER.size + tree
    return loads(message[HEADER.size : start], message[start:])


class _Reader:
    """Reads a tree, and the blob from its start."""

    def __init__(self, blob: bytes | bytearray, names: bool):
        self.blob, self.names, self.at = memoryview(blob), names, 0

    def read(self, tree: Any, depth: int) -> Any:
        if type(tree) in AS_IT_IS or type(tree) is int:
            return tree
        if type(tree) is not list or not tree or type(tree[0]) is not str:
            raise WireError("a list without a tag, or something that is not a list")
        if depth > MAX_DEPTH:
            raise WireError("too deep")
        tag, rest = tree[0], tree[1:]
        if tag in ("l", "t"):
            inner = self._each(rest, depth + 1)
            return inner if tag == "l" else tuple(inner)
        if tag == "d":
            return self._dict(self._each(rest, depth + 1))
        if read := codecs.reads(tag):
            return read(tag, rest, self._take, lambda inside: self.read(inside, depth + 1))
        return self._scalar(tag, rest)

    def _each(self, trees: list, depth: int) -> list:
        return [tree if type(tree) in AS_IT_IS else self.read(tree, depth) for tree in trees]

    def _dict(self, flat: list) -> dict:
        keys, values = flat[::2], flat[1::2]
        if len(keys) != len(values) or any(type(key) not in KEYS for key in keys):
            raise WireError("a dict whose keys are neither text nor integers, or lack a value")
        entries = dict(zip(keys, values, strict=True))
        if len(entries) != len(keys):
            raise WireError("a dict with a duplicate key")
        return entries

    def _take(self, size: int) -> bytearray:
        """The blob's next bytes, in their own memory."""
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
                raise WireError("not digits")
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
        Maximum bytes of a message's tensors, in either direction.
    names:
        As for :func:`loads`, for received messages.
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
            raise TimedOut("the other side does not receive") from None
        except OSError as error:
            raise Closed(f"the other side has gone: {error}") from None

    def receive(self, seconds: float | None = None, more: Callable[[], float] = lambda: 0.0) -> Any:
        """Receive the next message.

        Parameters
        ----------
        seconds:
            The time limit.
        more:
            Called when the time is up; returns by how many seconds to extend it.

        Raises
        ------
        WireError
            If it is invalid or too long, the other side has gone, or the time is up.
        """
        deadline = None if seconds is None else monotonic() + seconds
        self._more = more
        head, deadline = self._exactly(HEADER.size, deadline)
        tree, blob = HEADER.unpack(head)
        if tree > TREE_BYTES or blob > self.most:
            raise WireError(f"a message of {tree + blob:,} bytes is too long")
        content, deadline = self._exactly(tree, deadline)
        return loads(bytes(content), self._exactly(blob, deadline)[0], names=self.names)

    def _exactly(self, size: int, deadline: float | None) -> tuple[bytearray, float | None]:
        """Read ``size`` bytes; return them with the deadline, which may have been extended."""
        content = bytearray(size)
        view, at = memoryview(content), 0
        while at < size:
            left = None if deadline is None else deadline - monotonic()
            if left is not None and left <= 0:
                if (left := self._more()) <= 0:
                    raise TimedOut("nothing came in time")
                deadline = monotonic() + left
            self.sock.settimeout(left)
            try:
                got = self.sock.recv_into(view[at:])
            except TimeoutError:
                continue
            except OSError as error:
                raise Closed(f"the other side has gone: {error}") from None
            if not got:
                raise Closed("the other side has gone")
            at += got
        return content, deadline

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()
