"""IPython extension: a kernel stops when it has used its seconds of the processor.

A limit by the clock would also count what else a busy machine does.
"""

from __future__ import annotations

import math
import os
import signal
import time
from types import FrameType

#: The environment variable that holds the seconds.
VARIABLE = "TFCOURSE_CPU_SECONDS"
#: Seconds more after which the system ends a process whose code did not stop.
GRACE = 60


def limit(seconds: float) -> None:
    """Raise ``TimeoutError`` in this process after this many CPU seconds of all its threads.

    Windows cannot do that: there, nothing is limited.
    """
    if os.name != "posix":
        return
    import resource

    def stop(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"the notebook used more than {seconds:g} seconds of the processor")

    signal.signal(signal.SIGXCPU, stop)
    soft = math.ceil(time.process_time() + seconds)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    hard = soft + GRACE if most == resource.RLIM_INFINITY else min(soft + GRACE, most)
    resource.setrlimit(resource.RLIMIT_CPU, (min(soft, hard), hard))


def load_ipython_extension(_: object) -> None:
    """Called by IPython as a kernel starts."""
    limit(float(os.environ[VARIABLE]))
