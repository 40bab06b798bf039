"""What a test cell has in place of a learner's object, if it runs in another process.

Verbs take it. In ordinary Python it can only be called and asked for attributes. Both happen where
the learner's work lives, and values come back.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeGuard


class NotThroughAVerb(Exception):
    """A test cell does something with a learner's object that is impossible: a bug in the test."""


class Handle:
    """A learner's name, or an object that was created in the learner's process.

    It can be given to a verb, called, and asked for an attribute. Any other use raises
    :class:`NotThroughAVerb`: no object of the learner's is compared, printed or iterated over
    where the tests run.

    Parameters
    ----------
    key:
        What it refers to in the learner's process.
    name:
        What to call it.
    link:
        The connection to that process: an object with a method for each verb.
    """

    __slots__ = ("_key", "_link", "_name")

    def __init__(self, key: object, name: str, link: object):
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_link", link)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it in the learner's process, and return its result or raise its exception."""
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
        f"it, ask for its attributes and pass it to verbs. This one uses its {what}."
    )


def _refusing(method: str) -> Any:
    def refuse(self: Handle, *args: object, **kwargs: object) -> None:
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
    """Whether the value refers to something of a learner's."""
    return type(value) is Handle


def key_of(handle: Handle) -> Any:
    """What the handle refers to in the learner's process."""
    return object.__getattribute__(handle, "_key")


def give_key(handle: Handle, key: object) -> None:
    """Make the handle refer to something else in the learner's process."""
    object.__setattr__(handle, "_key", key)


def name_of_handle(handle: Handle) -> str:
    """What to call it in messages."""
    return object.__getattribute__(handle, "_name")


def link_of(handle: Handle) -> Any:
    """The connection to the process that it lives in."""
    return object.__getattribute__(handle, "_link")
