"""Which values beyond Python's own a course's answers may be: those that it has switched on.

See ``values`` of :class:`nbjudge.inside.program.Program`. A library that is not switched on is not
loaded; its types are then ones that nothing is an instance of.
"""

from __future__ import annotations

from typing import Any

from nbjudge.inside.program import values_on


class _Absent:
    """A type of a library that is not switched on: nothing is one."""


#: The libraries whose values answers may be.
ON = values_on()

np: Any = None
torch: Any = None
nn: Any = None
Array: Any = _Absent
ArrayScalar: Any = _Absent
Tensor: Any = _Absent
Module: Any = _Absent

#: Types of these libraries whose values are passed on as they are.
SCALARS: tuple[type, ...] = ()

if "numpy" in ON:
    import numpy as np

    Array, ArrayScalar = np.ndarray, np.generic

if "torch" in ON:
    import torch
    from torch import nn

    Tensor, Module = torch.Tensor, nn.Module
    SCALARS = (torch.Size, torch.dtype, torch.device)

#: What an answer should give back instead of what cannot be passed on.
WANTED = "tensors or plain numbers" if "torch" in ON else "numbers, text, or lists of these"
