"""A file that learners submit with their notebook, such as the weights of a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbjudge.inside.tensor_file import KINDS, NotTensors, check_asked, contents, larger_than
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.values import np, torch

#: Files that were not accepted where work is graded: name → reason.
_refused: dict[str, str] = {}


def refuse(files: Mapping[str, str]) -> None:
    """Record the files that were not accepted; each reason completes "the file ..."."""
    _refused.clear()
    _refused.update(files)


class Enclosed:
    """A file in the safetensors format that is submitted with the notebook.

    Parameters
    ----------
    name:
        The file's name, which ends in ``.safetensors``.
    kilobytes:
        Its maximum size, in units of 1000 bytes.
    """

    def __init__(self, name: str, kilobytes: int):
        self.name, self.kilobytes = name, kilobytes

    def tensors(self) -> dict[str, Any]:
        """The tensors in the file, by name.

        Raises
        ------
        Mistake
            If the file is missing, too large, or not a file of tensors.
        """
        if self.name in _refused:
            raise Mistake(f"{self.name} {_refused[self.name]}.")
        try:
            return tensors(self._content())
        except NotTensors as error:
            raise Mistake(f"{self.name} {error}.") from None

    def _content(self) -> bytes:
        path = Path(self.name)
        if not path.is_file() or not path.stat().st_size:
            raise NotTensors("is missing: train a model and save its weights under this name")
        if too_large := larger_than(self.kilobytes, path.stat().st_size):
            raise NotTensors(too_large)
        return path.read_bytes()


def enclosed(name: str, *, kilobytes: int) -> Enclosed:
    """Declare a file that is submitted with the notebook, and read it for tests.

    Call it in a locked cell that is not a test, with literal arguments: the grader reads them
    before it runs anything, accepts the file with this name, and ignores all others.

    Parameters
    ----------
    name:
        The file's name, which ends in ``.safetensors``.
    kilobytes:
        Its maximum size, in units of 1000 bytes.

    Returns
    -------
    enclosed
        An object whose method ``tensors()`` returns the file's tensors by name. In a test cell, a
        file that cannot be used fails the test with the reason.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    check_asked(name, kilobytes)
    return Enclosed(name, kilobytes)


def tensors(content: bytes) -> dict[str, Any]:
    """The tensors themselves, or NumPy arrays if the course's values are those.

    Raises
    ------
    NotTensors
        As :func:`nbjudge.inside.tensor_file.contents` does.
    """
    arrays = {}
    for name, about in contents(content):
        kind, numbers = KINDS[about["dtype"]], about["data"]
        if torch is not None:
            kind = getattr(torch, kind)
            flat = torch.frombuffer(numbers, dtype=kind) if numbers else torch.empty(0, dtype=kind)
            arrays[name] = flat.reshape(about["shape"])
        elif kind == "bfloat16":
            raise NotTensors(f"holds a tensor {name[:60]!r} of bfloat16, which NumPy does not have")
        else:
            arrays[name] = np.frombuffer(numbers, dtype=kind).reshape(about["shape"])
    return arrays
