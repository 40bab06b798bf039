"""What an exercise can require to be written by hand, and everything that would do it instead.

The course defines these things: see :mod:`nbjudge.inside.program`.
"""

from __future__ import annotations

from nbjudge.inside.messages import Message


class Forbidden(Message):
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
        Regular expressions, each with a description of an answer that matches it: nothing that can
        be refused, but worth a grader's attention.
    """

    why: str
    torch_functions: frozenset[str] = frozenset()
    operators: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    matrices: bool = False
    gradients: bool = False
    signs: dict[str, str] = {}

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
