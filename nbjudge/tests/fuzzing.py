"""Notebooks and messages with something wrong in them, drawn from a seed.

What must hold for each: an error of the expected kind, or a result of the expected form, in time.
"""

from __future__ import annotations

import json
import random
import socket
import struct
from collections import Counter
from time import monotonic
from typing import Any

import msgpack
import nbformat
import numpy as np
import target_set
import torch
from mutations import odd_bytes
from nbformat import NotebookNode

from nbjudge.files import Unreadable
from nbjudge.inside import wire
from nbjudge.inside.codecs import numpy_values, torch_values
from nbjudge.inside.testing.handle import Handle
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.intake import cells
from nbjudge.intake.find import parse
from nbjudge.intake.merge import blank, merge
from nbjudge.judge.remote import Link, Lost
from nbjudge.store.digests import fingerprints

#: One notebook, and one message, may take so many seconds.
NOTEBOOK_SECONDS, MESSAGE_SECONDS = 5.0, 2.0

# -- notebooks -------------------------------------------------------------------------------------

ODD_VALUES = (
    None, True, 0, -1, 10**30, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "\0", "code",
    "markdown", "raw", "double", "double--values", "a" * 3000, [], {}, [[]], {"": {}}, [None] * 50,
    {"nbgrader": "x"}, {"nbgrader": {"grade_id": ["x"]}}, "double(\u202e", "(" * 300, "%%bash\nrm",
    "### BEGIN HIDDEN TESTS", "def double(x):" + " -" * 2000 + "1", "=" * 500, 5, 3, "4",
)  # fmt: skip


def _places(value: Any, places: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every place in a tree of JSON, as what holds it and its key there."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        places.append((value, key))
        if isinstance(value[key], dict | list):
            _places(value[key], places)
    return places


def odd_notebook(draw: random.Random, text: str) -> bytes:
    """The notebook with a few things in it changed, as bytes."""
    tree = json.loads(text)
    for _ in range(draw.randint(0, 6)):
        places = _places(tree, [])
        if not places:
            break
        holder, key = draw.choice(places)
        how = draw.randrange(5)
        if how == 0:
            del holder[key]
        elif how == 1:
            holder[key] = draw.choice(ODD_VALUES)
        elif how == 2:
            holder[key] = draw.choice(places)[0]
            holder[key] = json.loads(_dumped(holder[key]))
        elif how == 3 and isinstance(holder, list):
            holder.insert(draw.randint(0, len(holder)), holder[key])
            holder = None
        elif isinstance(holder, dict):
            holder[str(draw.choice(ODD_VALUES))[:20]] = holder[key]
        tree = json.loads(_dumped(tree))
    content = _dumped(tree).encode("utf-8", "surrogatepass")
    if draw.random() < 0.3:
        content = odd_bytes(draw, content)
    return content


def _dumped(tree: Any) -> str:
    try:
        return json.dumps(tree)
    except ValueError:  # what holds itself
        return "{}"


class NotebookFuzz:
    """Odd notebooks, taken in and put into the instructor's notebook."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        source = target_set.source_notebook()
        self.release = released(source)
        self.blank = blank(source, self.release)
        self.text = json.dumps(target_set.answered(self.release, target_set.RIGHT))
        self.locked = [cell.source for cell in self.blank.cells if cells.is_locked(cell)]
        self.came: Counter = Counter()
        self.slowest = 0.0

    def one(self) -> None:
        """Take one in; whatever must not be raises."""
        content = odd_notebook(self.draw, self.text)
        began = monotonic()
        try:
            parsed = parse(content)
        except Unreadable as error:
            assert 0 < len(str(error)) < 300
            self.came["no notebook"] += 1
        else:
            merged, notes = merge(parsed.cells, self.blank, self.release)
            flags = notes.flags
            merged = nbformat.reads(nbformat.writes(merged), as_version=4)
            fingerprints(merged, self.release)
            assert [c.source for c in merged.cells if cells.is_locked(c)] == self.locked
            points = [cells.points(c) for c in merged.cells if cells.is_graded(c)]
            assert points == list(target_set.POINTS.values())
            assert all(len(flag) < 1000 for flag in [*flags, *parsed.flags])
            self.came["merged, with flags" if flags else "merged"] += 1
        self.slowest = max(self.slowest, monotonic() - began)
        assert self.slowest < NOTEBOOK_SECONDS


def released(source: NotebookNode) -> NotebookNode:
    """A release of the instructor's notebook: its stubs for answers, no hidden tests."""
    release = nbformat.from_dict(source)
    for cell in release.cells:
        if cells.is_answer(cell):
            cell.source = target_set.STUB
        elif cells.is_locked(cell):
            cell.source = cells.without_hidden_tests(cell.source, "")
    return release


# -- messages --------------------------------------------------------------------------------------


def values(number: int) -> list[Any]:
    """What a learner's process could truly say, to be spoilt."""
    samples = [
        6, -(2**70), 0.5, None, "text", b"bytes", [1, [2, (3,)]], {"a": True, 2: False}, (1.0, "x"),
        torch.arange(6.0).view(2, 3), torch.ones(2, dtype=torch.bool), torch.zeros(0, 4),
        torch.ones(3, dtype=torch.bfloat16), torch.ones(2, requires_grad=True), 1 + 2j,
        np.arange(4, dtype=np.int16), np.float32([[1, 2]]), torch.Size([2, 3]), torch.float16,
        torch.device("cpu"), {"bias": torch.zeros(3)}, [torch.zeros(2)] * 3,
    ]  # fmt: skip
    kinds = ("value", "value", "value", "mistake", "missing")
    mistake = {"says": "some words", "about": {"key": "error", "error": "KeyError", "line": 2}}
    return [
        {
            "id": number,
            "is": kind,
            "value": {"value": value, "mistake": mistake}.get(kind, "name"),
        }
        for value in samples
        for kind in kinds[: 5 if value is None else 1]
    ]


ATOMS = (
    None, True, 0, 1, -1, 2**31, 2**63, -(2**63), 1e308, float("nan"), "", "l", "t", "d", "T", "A",
    "i", "c", "s", "y", "v", "n", "o", "float32", "object", "bool", "int64", "cpu", "9" * 1001, "-",
    b"", b"\xff", "x" * 300, "value", "id", "is", "mistake",
)  # fmt: skip


def odd_tree(draw: random.Random, blob: bytearray, depth: int = 0) -> Any:
    """A tree of msgpack's own types: mostly as the wire writes it, with its numbers in the blob."""
    how = draw.random()
    if depth > draw.randint(1, 30) or how < 0.3:
        return draw.choice(ATOMS) if how < 0.02 else draw.choice((None, True, 3, -0.5, "a", b"b"))
    if how < 0.5:
        shape = [draw.randint(0, 3) for _ in range(draw.randint(0, 3))]
        name = draw.choice(("float32", "float64", "bool", "bfloat16", "int64", "complex64"))
        tag = draw.choice("TA") if name != "bfloat16" else "T"
        size = int(np.prod(shape)) * np.dtype(torch_values.DTYPES[name][1]).itemsize
        blob += draw.randbytes(max(0, size + (draw.random() < 0.05)))
        return [tag, name, shape, *([draw.random() < 0.2] if tag == "T" else [])]
    tag = draw.choice("lltd" if draw.random() < 0.95 else "icsyvnoTAx")
    inner = [odd_tree(draw, blob, depth + 1) for _ in range(draw.randint(0, 3))]
    if tag == "d" and draw.random() < 0.9:
        inner = [part for n, value in enumerate(inner) for part in (f"k{n}", value)]
    return [tag, *inner] if draw.random() < 0.98 else inner


def odd_message(draw: random.Random, number: int) -> bytes:
    """The bytes of an answer to question ``number``, with something wrong in most of them."""
    how = draw.randrange(5)
    if how == 0:
        blob = bytearray()
        tree = ["d", "id", number, "is", "value", "value", odd_tree(draw, blob)]
        packed = msgpack.packb(tree)
        return wire.HEADER.pack(len(packed), len(blob)) + packed + blob
    message = wire.dumps(draw.choice(values(number)))
    if how == 1:
        return message
    if how == 2:
        return odd_bytes(draw, message)
    # The header stays true, so that what is spoilt is read.
    tree, blob = wire.HEADER.unpack(message[: wire.HEADER.size])
    body = odd_bytes(draw, message[wire.HEADER.size :])
    tree = min(tree, len(body)) if how == 3 else draw.randint(0, len(body))
    sizes = (tree, len(body) - tree)
    if draw.random() < 0.05:
        sizes = draw.choice(((2**32 - 1, 0), (tree, 2**63), (0, 0), (tree, len(body) + 9)))
    return struct.pack(">IQ", *sizes) + body


class MessageFuzz:
    """Odd answers to the examiner's questions, one after the other."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        self.came: Counter = Counter()
        self.slowest = 0.0

    def _ask(self, link: Link) -> Any:
        """One of the examiner's questions."""
        x = torch.ones(2, 3)
        handle = link.name("work")
        verb = self.draw.randrange(8)
        if verb == 0:
            return link.gradients(handle, (x,), {}, x, None)
        if verb == 1:
            return link.parameter_values(handle)
        if verb == 2:
            return link.inputs_after(handle, (x, 1), {})
        if verb == 3:
            return link.build(handle, (3,), {}, {"bias": torch.zeros(3)})
        if verb == 4:
            return link.mode(handle)
        if verb == 5:
            return link.parameter_shapes(handle)
        return link.call(handle, (x,), {})

    def one(self) -> None:
        """Answer one question; whatever must not be raises."""
        ours, theirs = socket.socketpair()
        link = Link(ours, 1 << 20)
        for number in (1, 2):
            theirs.sendall(odd_message(self.draw, number))
        theirs.shutdown(socket.SHUT_WR)
        began = monotonic()
        try:
            value = self._ask(link)
        except (Mistake, Lost) as error:
            assert len(str(error)) < 4000
            self.came[type(error).__name__] += 1
        else:
            _is_plain(value)
            self.came["taken"] += 1
        finally:
            ours.close()
            theirs.close()
        self.slowest = max(self.slowest, monotonic() - began)
        assert self.slowest < MESSAGE_SECONDS


_PLAIN = (
    bool, int, float, str, bytes, complex, torch.Size, torch.dtype, torch.device, Handle,
)  # fmt: skip


def _is_plain(value: Any) -> None:
    """What comes in is of the wire's own types, each in memory of its own."""
    kind = type(value)  # of a handle, nothing else may be looked at
    if kind in (list, tuple):
        for inner in value:
            _is_plain(inner)
    elif kind is dict:
        for key, inner in value.items():
            assert type(key) in wire.KEYS
            _is_plain(inner)
    elif kind is torch.Tensor:
        assert value.is_contiguous() and value.dtype in torch_values.DTYPE_NAMES
    elif kind is np.ndarray:
        assert value.dtype.name in numpy_values.DTYPES
    else:
        assert value is None or kind in _PLAIN
