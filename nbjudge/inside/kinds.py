"""What an exercise can require to be written by hand, and everything that would do it instead.

The course defines these things: see :mod:`nbjudge.inside.program`.
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
        The message about a call, continuing "`call` ...".
    torch_functions:
        Names of PyTorch functions, however they were imported.
    operators:
        Parts of the names of the PyTorch operators in which these functions end.
    python:
        Python functions and classes, by the path of the module that defines them.
    modules:
        Modules that cannot be imported, and whose functions cannot be called.
    matrices:
        Whether ``torch_functions`` are products, of which only those of two matrices are forbidden:
        a product with a vector is allowed.
    gradients:
        Whether PyTorch computes no gradients.
    signs:
        Pairs of a regular expression and a description of an answer that matches it: nothing
        that can be refused, but worth a grader's attention.
    """

    why: str
    torch_functions: frozenset[str] = frozenset()
    operators: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    matrices: bool = False
    gradients: bool = False
    signs: tuple[tuple[str, str], ...] = ()

    def means(self, args: tuple, kwargs: dict) -> bool:
        """Whether this call of one of ``torch_functions`` is forbidden."""
        return not self.matrices or _two_matrices(args, kwargs)

    def named(self, module: str, qualname: str) -> str:
        """What to call a Python function if it is forbidden; empty if it is not."""
        path = f"{module}.{qualname}."
        if any(path.startswith(f"{entry}.") for entry in self.modules):
            return f"{module}.{qualname.partition('.')[0]}"
        entry = next((entry for entry in self.python if path.startswith(f"{entry}.")), "")
        name = qualname.partition(".")[0]
        within = entry and len(entry) <= len(module) and not name.startswith("_")
        return name if within else entry.rpartition(".")[2]


def _two_matrices(args: tuple, kwargs: dict) -> bool:
    import torch  # already loaded if there is a call to judge

    given = [*args, *kwargs.values()]
    given += [inner for value in given if isinstance(value, list | tuple) for inner in value]
    tensors = [value for value in given if isinstance(value, torch.Tensor)]
    # A matrix with one row or one column is a vector: `Q[i : i + 1] @ K.T` is about one query.
    return sum(sum(length > 1 for length in tensor.shape) >= 2 for tensor in tensors) >= 2


def _read(name: str, table: Mapping[str, Any]) -> Forbidden:
    """Read one entry from plain data.

    Raises
    ------
    ValueError
        If the data has fields that :class:`Forbidden` does not have, or lacks ``why``.
    """
    lists = {
        key: tuple(value.items()) if isinstance(value, Mapping) else tuple(value)
        for key, value in table.items()
        if not isinstance(value, str | bool)
    }
    try:
        forbidden = Forbidden(**{**table, **lists})
    except TypeError as error:
        raise ValueError(f"the FORBIDDEN entry {name!r} cannot be read: {error}") from None
    return replace(forbidden, torch_functions=frozenset(forbidden.torch_functions))


#: What an exercise of the installed course can require to be written by hand.
KINDS = {name: _read(name, said) for name, said in program().forbidden.items()}


def check(what: tuple[str, ...]) -> None:
    """Check that these kinds exist.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    if unknown := sorted(set(what) - set(KINDS)):
        known = ", ".join(sorted(KINDS)) or "nothing: no course is installed that forbids anything"
        raise ValueError(f"what must be among {known}; got {', '.join(unknown)}")
