"""What an exercise can ask to be written by hand, and everything that would do it instead.

Which things these are says the course: :mod:`nbjudge.inside.program`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nbjudge.inside.program import program


@dataclass(frozen=True)
class Forbidden:
    """One thing to be written by hand, and everything that would do it instead.

    Attributes
    ----------
    why:
        What to say of a call.
    torch_functions:
        PyTorch's functions, by name however they were imported.
    python:
        Python functions, and all functions of the classes and modules named, by dotted path.
    modules:
        Modules that are not to be had at all where a kernel is made without this.
    operators:
        Parts of the names of PyTorch's operators that such a kernel is made without.
    matrices:
        Whether ``torch_functions`` are products, of which only those of two matrices are meant:
        a product with a vector is allowed.
    gradients:
        Whether a kernel made without this computes no gradients.
    counts:
        Whether PyTorch's profiler, which may measure times, counts no operations.
    signs:
        Pairs of a regular expression and what an answer does in which it is found: nothing that
        can be refused, but worth the eye of who grades.
    """

    why: str
    torch_functions: frozenset[str] = frozenset()
    python: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    matrices: bool = False
    gradients: bool = False
    counts: bool = False
    signs: tuple[tuple[str, str], ...] = ()

    def means(self, args: tuple, kwargs: dict) -> bool:
        """Whether a call of one of ``torch_functions`` is meant."""
        return not self.matrices or _two_matrices(args, kwargs)


def _two_matrices(args: tuple, kwargs: dict) -> bool:
    import torch  # loaded long since, where there is a call to judge

    found = [*args, *kwargs.values()]
    found += [inner for value in found if isinstance(value, list | tuple) for inner in value]
    tensors = [value for value in found if isinstance(value, torch.Tensor)]
    # A matrix of one row or one column is a vector: `Q[i : i + 1] @ K.T` is about one query.
    return sum(sum(length > 1 for length in tensor.shape) >= 2 for tensor in tensors) >= 2


def _read(name: str, said: Mapping[str, Any]) -> Forbidden:
    """One thing, from plain data.

    Raises
    ------
    ValueError
        If the data has fields that :class:`Forbidden` does not have, or lacks ``why``.
    """
    lists = {
        key: tuple(value.items()) if isinstance(value, Mapping) else tuple(value)
        for key, value in said.items()
        if not isinstance(value, str | bool)
    }
    try:
        found = Forbidden(**{**said, **lists})
    except TypeError as error:
        raise ValueError(f"what is forbidden as {name!r} cannot be read: {error}") from None
    return replace(found, torch_functions=frozenset(found.torch_functions))


#: What an exercise of the installed course can ask to be written by hand.
KINDS = {name: _read(name, said) for name, said in program().forbidden.items()}


def check(what: tuple[str, ...]) -> None:
    """See whether there are such kinds.

    Raises
    ------
    ValueError
        If a name is not one of them.
    """
    if unknown := sorted(set(what) - set(KINDS)):
        known = ", ".join(sorted(KINDS)) or "nothing: no course is installed that forbids anything"
        raise ValueError(f"what must be among {known}; got {', '.join(unknown)}")
