"""Where learners' code runs: jails, limits, and the servers that fork processes into them.

:class:`Nursery` creates kernels and examiners. A fork server loads torch and the kernel once,
inside bubblewrap; each kernel forked from it gets its own namespaces, limits and system call
filter, and nothing in it outlives it.

All of it needs Linux. What loads on other systems too is imported at once: :class:`Limits`,
:class:`SandboxError`, and :func:`status` and :func:`require`, which report that it needs Linux.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from nbjudge.inside.limits import Limits
from nbjudge.sandbox.shelters import SandboxError, linux_only
from nbjudge.sandbox.trial import Status, require, status

if TYPE_CHECKING:
    from nbjudge.sandbox.handles import Death, ExaminerProcess, KernelProcess, Usage
    from nbjudge.sandbox.nursery import Nursery

__all__ = [
    "Death",
    "ExaminerProcess",
    "KernelProcess",
    "Limits",
    "Nursery",
    "SandboxError",
    "Status",
    "Usage",
    "require",
    "status",
]

#: Names that are imported on first use.
_LATER = {
    "Death": "handles",
    "ExaminerProcess": "handles",
    "KernelProcess": "handles",
    "Nursery": "nursery",
    "Usage": "handles",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    linux_only()
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
