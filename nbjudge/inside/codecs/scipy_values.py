"""Values of SciPy in a message: sparse matrices, and results with names.

They are written as::

    ["ym", format, is_array, shape, data, places]     sparse matrix or array
    ["yr", dict, left_out]                            result of an optimiser or a solver
    ["yt", type, fields, values, more_fields, more]   result of a statistical test

What is in a result and is no value, such as a function, is left out. A test that uses it is told
that it stays with the learner.
"""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

from nbjudge.inside.codecs import MAX_NAME, Blobs, Inner, WireError, lengths, parts
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.handle import NotThroughAVerb

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")

#: Maximum length of an axis: some formats take memory for each row, full or not.
MAX_AXIS = 1 << 24

#: Maximum number of fields of a result.
MAX_FIELDS = 64


class NamedParts(tuple):
    """A result of a statistical test: a tuple whose parts, and some more, have names."""

    _fields: tuple[str, ...] = ()
    _more: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _stays(type(self).__name__, name)

    def __repr__(self) -> str:
        pairs = ", ".join(f"{n}={getattr(self, n)!r}" for n in (*self._fields, *self._more))
        return f"{type(self).__name__}({pairs})"

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))


def _stays(of: str, name: str) -> NotThroughAVerb:
    return NotThroughAVerb(
        f"The `{name}` of a learner's {of} stays in the learner's process: a test has only its "
        "values."
    )


def handles(value: Any) -> bool:
    """Whether it is a sparse matrix, or a result that is a tuple or a dict of SciPy's."""
    if isinstance(value, NamedParts) or _is_sparse(value):
        return True
    ours = type(value).__module__.partition(".")[0] == "scipy"
    return ours and isinstance(value, tuple | dict) and type(value) not in (tuple, dict)


def _is_sparse(value: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(value)


def copied(value: Any) -> Any:
    """A copy of a matrix, or a result with its values alone, as it arrives."""
    if isinstance(value, dict):
        return value
    if _is_sparse(value):
        return value.copy()
    name, fields, more = _fields(value)
    copy = _kind(name, tuple(fields), tuple(more))(value)
    vars(copy).update((field, getattr(value, field)) for field in more)
    return copy


def alike(one: Any, other: Any, near: float, tiny: float) -> bool:
    """Whether the values are the same but for rounding."""
    if _is_sparse(one):
        same = one.shape == other.shape and one.dtype == other.dtype
        return same and recall.alike(one.toarray(), other.toarray())
    if isinstance(one, dict):
        return recall.alike(dict(one), dict(other))
    return one._fields == other._fields and recall.alike(tuple(one), tuple(other))


# -- writing ---------------------------------------------------------------------------------------


def write(value: Any, blobs: Blobs, inner: Inner) -> list:
    """The tree for a value."""
    if _is_sparse(value):
        return _write_sparse(value, inner)
    if isinstance(value, dict):
        return _write_dict(value, blobs, inner)
    name, fields, more = _fields(value)
    extra = [getattr(value, field) for field in more]
    return ["yt", name, fields, inner(list(value)), more, inner(extra)]


def _fields(value: tuple) -> tuple[str, list[str], list[str]]:
    """A result's type, the names of its parts, and those of its further values."""
    fields: tuple[str, ...] | None = getattr(value, "_fields", None)
    if fields is None or len(fields) != len(value):
        raise WireError(f"a {type(value).__name__} cannot be sent")
    more: Any = getattr(value, "_more", None) or getattr(value, "_extra_fields", ())
    return type(value).__name__, list(fields), list(more)


def _write_sparse(value: Any, inner: Inner) -> list:
    from scipy import sparse

    made = value.tocoo()
    is_array = isinstance(value, sparse.sparray)
    places = [np.asarray(axis, dtype=np.int64) for axis in made.coords]
    return ["ym", value.format, is_array, list(value.shape), inner(made.data), inner(places)]


def _write_dict(value: dict, blobs: Blobs, inner: Inner) -> list:
    sent: list[Any] = ["d"]
    left_out: list[str] = []
    for name, field in value.items():
        if type(name) is not str:
            raise WireError(f"a {type(value).__name__} cannot be sent")
        count, held = len(blobs.parts), blobs.held
        try:
            tree = inner(field)
        except WireError:
            left_out.append(name)
            del blobs.parts[count:]
            blobs.held = held
        else:
            sent += [name, tree]
    return ["yr", sent, left_out]


# -- reading ---------------------------------------------------------------------------------------


def read(tag: str, rest: list, take: Callable[[int], bytearray], inner: Inner) -> Any:
    """The value; ``take`` returns the blob's next bytes."""
    if tag == "ym":
        return _read_sparse(rest, inner)
    if tag == "yr":
        return _read_dict(rest, inner)
    name, fields, values, more, extra = parts(rest, str, list, list, list, list)
    held, beside = inner(values), inner(extra)
    names = [name, *fields, *more]
    if not all(map(_is_name, names)) or len(set(names[1:])) < len(names[1:]):
        raise WireError("not names of fields")
    lists = type(held) is list and type(beside) is list
    if not lists or len(held) != len(fields) or len(beside) != len(more) or len(names) > MAX_FIELDS:
        raise WireError("fewer values than fields, or more")
    result = _kind(name, tuple(fields), tuple(more))(held)
    vars(result).update(zip(more, beside, strict=True))
    return result


@lru_cache
def _kind(name: str, fields: tuple[str, ...], more: tuple[str, ...]) -> type[NamedParts]:
    """The type of the results with this name and these fields."""
    named: dict[str, Any] = {f: property(itemgetter(place)) for place, f in enumerate(fields)}
    return type(name, (NamedParts,), {**named, "_fields": fields, "_more": more})


def _is_name(name: Any) -> bool:
    whole = type(name) is str and len(name) <= MAX_NAME and name.isidentifier()
    return whole and not name.startswith("_") and not keyword.iskeyword(name)


def _read_sparse(rest: list, inner: Inner) -> Any:
    from scipy import sparse

    form, is_array, shape, data, places = parts(rest, str, bool, list, list, list)
    values, axes = inner(data), inner(places)
    if form not in FORMATS or max(lengths(shape), default=0) > MAX_AXIS:
        raise WireError("a sparse matrix of an unknown format, or too large")
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biufc":
        raise WireError("a sparse matrix of no numbers")
    if type(axes) is not list or not all(isinstance(axis, np.ndarray) for axis in axes):
        raise WireError("a sparse matrix without places")
    kind = sparse.coo_array if is_array else sparse.coo_matrix
    return kind((values, tuple(axes)), shape=tuple(shape)).asformat(form)


def _read_dict(rest: list, inner: Inner) -> Any:
    from scipy.optimize import OptimizeResult

    tree, left_out = parts(rest, list, list)
    held = inner(tree)
    if type(held) is not dict or not all(type(name) is str for name in held):
        raise WireError("not a result")
    if len(held) + len(left_out) > MAX_FIELDS or not all(type(name) is str for name in left_out):
        raise WireError("not names of fields")
    missing = frozenset(left_out) - held.keys()

    def item(result: Any, name: str) -> Any:
        if name in missing:
            raise _stays("result", name)
        raise KeyError(name)

    if not missing:
        return OptimizeResult(held)
    # Its attributes are its items.
    members = {"__missing__": item, "__module__": OptimizeResult.__module__}
    return type("OptimizeResult", (OptimizeResult,), members)(held)
