"""What stands for a learner's name in a test cell that runs in a process of its own.

Verbs take it, and so does ordinary Python as far as that goes: it can be called, and its attributes
be looked at. Both happen where the learner's work lives, and values come back.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeGuard


class NotThroughAVerb(Exception):
    """A test cell does with a learner's work what cannot be done from here: a fault of the test."""


class Handle:
    """A learner's name, or an object that was made over there.

    It can be given to a verb, called, and asked for an attribute. Whatever else is done with it
    raises :class:`NotThroughAVerb`: nothing of the learner's is compared, printed or iterated where
    the tests run.

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

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it over there: what it returns, or raises, comes back."""
        return link_of(self).use(self, "call", args, kwargs)

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            _refuse(self, f"the attribute {name!r}")
        return link_of(self).use(self, "attribute", (name,), {})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        _refuse(self, f"the attribute {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        _refuse(self, f"the attribute {name!r}")


def _refuse(handle: Handle, what: str) -> NoReturn:
    name = name_of_handle(handle)
    raise NotThroughAVerb(
        f"`{name}` is a learner's object, which stays in the learner's process: a test can call "
        f"it, ask for its attributes and give it to verbs. This one uses {what} of it."
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
    *("iter", "next", "len", "length_hint", "bool", "hash", "repr", "str", "format"),
    *("eq", "ne", "lt", "le", "gt", "ge", "bytes", "getitem", "setitem", "delitem", "contains"),
    *("reversed", "enter", "exit", "await", "aiter", "anext", "int", "float", "complex", "index"),
    *("round", "neg", "pos", "abs", "invert", "fspath", "copy", "deepcopy", "reduce"),
    *("reduce_ex", "sizeof", "dir", "array", "array_ufunc", "array_function", "buffer"),
    *(f"{prefix}{name}" for name in _OPERATORS for prefix in ("", "r", "i")),
}
for _method in _METHODS:
    setattr(Handle, f"__{_method}__", _refusing(f"__{_method}__"))


def is_handle(value: object) -> TypeGuard[Handle]:
    """Whether the value stands for something of a learner's."""
    return type(value) is Handle


def key_of(handle: Handle) -> Any:
    """What the handle stands for over there."""
    return object.__getattribute__(handle, "_key")


def give_key(handle: Handle, key: object) -> None:
    """Let the handle stand for something else over there."""
    object.__setattr__(handle, "_key", key)


def name_of_handle(handle: Handle) -> str:
    """How to speak of it."""
    return object.__getattribute__(handle, "_name")


def link_of(handle: Handle) -> Any:
    """Where it lives."""
    return object.__getattribute__(handle, "_link")
