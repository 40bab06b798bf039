"""What stands for a learner's name in a test cell that runs in a process of its own."""

from __future__ import annotations

from typing import Any, NoReturn


class NotThroughAVerb(Exception):
    """A test cell touches a learner's work by itself: a fault of the test, for its author."""


class Handle:
    """A learner's name, or an object that a verb has made of one. Only verbs can use it.

    Whatever else is done with it raises :class:`NotThroughAVerb`: nothing of the learner's is
    compared, called, printed or iterated where the tests run.

    Parameters
    ----------
    key:
        What it stands for over there.
    name:
        How to speak of it.
    link:
        Where it lives: something with a method for each verb.
    """

    __slots__ = ("_key", "_link", "_name")

    def __init__(self, key: object, name: str, link: object):
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_link", link)

    def __getattribute__(self, name: str) -> NoReturn:
        _refuse(self, f"the attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        _refuse(self, f"the attribute {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        _refuse(self, f"the attribute {name!r}")


def _refuse(handle: Handle, what: str) -> NoReturn:
    name = name_of_handle(handle)
    raise NotThroughAVerb(
        f"`{name}` is a learner's, and a test may use it through verbs alone; this one uses {what} "
        f"of it. Write call({name}, ...), build({name}, ...) or value({name}) instead."
    )


def _refusing(method: str) -> Any:
    def refuse(self, *args, **kwargs):
        _refuse(self, method)

    refuse.__name__ = method
    return refuse


_OPERATORS = {
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "xor", "or"),
}
_METHODS = {
    *("call", "iter", "next", "len", "length_hint", "bool", "hash", "repr", "str", "format"),
    *("eq", "ne", "lt", "le", "gt", "ge", "bytes", "getitem", "setitem", "delitem", "contains"),
    *("reversed", "enter", "exit", "await", "aiter", "anext", "int", "float", "complex", "index"),
    *("round", "neg", "pos", "abs", "invert", "fspath", "copy", "deepcopy", "reduce"),
    *("reduce_ex", "sizeof", "dir", "array", "array_ufunc", "array_function", "buffer"),
    *(f"{prefix}{name}" for name in _OPERATORS for prefix in ("", "r", "i")),
}
for _method in _METHODS:
    setattr(Handle, f"__{_method}__", _refusing(f"__{_method}__"))


def is_handle(value: object) -> bool:
    """Whether the value stands for something of a learner's."""
    return type(value) is Handle


def key_of(handle: Handle) -> Any:
    """What the handle stands for over there."""
    return object.__getattribute__(handle, "_key")


def name_of_handle(handle: Handle) -> str:
    """How to speak of it."""
    return object.__getattribute__(handle, "_name")


def link_of(handle: Handle) -> Any:
    """Where it lives."""
    return object.__getattribute__(handle, "_link")
