"""The libraries whose values a course's answers may return, besides Python's own.

PyTorch is loaded if the course enables it: see ``values`` of
:class:`nbjudge.inside.program.Program`. Otherwise its types are replaced by one that has no
instances. NumPy's values are known wherever a notebook has loaded NumPy; it is not loaded for that.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from nbjudge.inside.program import values_on


class _Absent:
    """Replaces the types of a library that is not enabled: it has no instances."""


class _Late(type):
    """The class of stand-ins for NumPy's types, which have instances once NumPy is loaded."""

    def __instancecheck__(cls, value: object) -> bool:
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(value, getattr(numpy, cls.__name__))


class _NumPy:
    """Stands for NumPy, which is loaded when its first function is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("numpy"), name)


#: The libraries that the course has enabled.
ON = values_on()

np: Any = _NumPy()
torch: Any = None
nn: Any = None
Array: Any = _Late("ndarray", (), {})
ArrayScalar: Any = _Late("generic", (), {})
Tensor: Any = _Absent
Module: Any = _Absent

#: Types of these libraries whose values are passed on unchanged.
SCALARS: tuple[type, ...] = ()

if "numpy" in ON:
    import numpy as np

    Array, ArrayScalar = np.ndarray, np.generic

if "torch" in ON:
    import torch
    from torch import nn

    Tensor, Module = torch.Tensor, nn.Module
    SCALARS = (torch.Size, torch.dtype, torch.device)

#: What an answer should return instead of a value that cannot be passed on.
WANTED = (
    "tensors or plain numbers"
    if "torch" in ON
    else "numbers, text, arrays, data frames, or lists of these"
)


def loaded(library: str) -> Any:
    """The library if this process has loaded it, otherwise ``None``."""
    return sys.modules.get(library)
