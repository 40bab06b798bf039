"""Where learners' code runs: jails, limits, and the servers that fork processes into them.

:class:`Nursery` gives kernels and examiners. A fork server loads torch and the kernel once, inside
bubblewrap; each kernel forked from it gets namespaces, limits and a filter for system calls of its
own, and nothing in it outlives it.
"""

from tfcourse.grading.sandbox.handles import Death, Examiner, Kernel, SandboxError, Usage
from tfcourse.grading.sandbox.limits import Limits
from tfcourse.grading.sandbox.nursery import Nursery
from tfcourse.grading.sandbox.trial import Status, require, status

__all__ = [
    "Death",
    "Examiner",
    "Kernel",
    "Limits",
    "Nursery",
    "SandboxError",
    "Status",
    "Usage",
    "require",
    "status",
]
