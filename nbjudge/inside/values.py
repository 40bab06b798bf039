"""The libraries whose values a course's answers may return, besides Python's own.

See ``values`` of :class:`nbjudge.inside.program.Program`. A library that is not enabled is not
loaded; its types are then replaced by one that has no instances.
"""

from __future__ import annotations

from typing import Any

from nbjudge.inside.program import values_on


class _Absent:
    """Replaces the types of a library that is not enabled: it has no instances."""


#: The libraries whose values answers may return.
ON = values_on()

np: Any = None
torch: Any = None
nn: Any = None
Array: Any = _Absent
ArrayScalar: Any = _Absent
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
WANTED = "tensors or plain numbers" if "torch" in ON else "numbers, text, or lists of these"
