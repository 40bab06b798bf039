"""Where this machine's workers come from: a process that has loaded what they need and forks them.

Loads next to nothing itself, so that it can be asked before anything else is loaded.
"""

from __future__ import annotations

import contextlib
import multiprocessing
from multiprocessing import forkserver
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

#: What a worker needs.
NEEDED = ["distributed", "tfcourse.grading.judging.course", "tfcourse.grading.cluster"]


def warm_up() -> None:
    """Start that process, unless it runs; what it loads it loads while the caller goes on."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(NEEDED)
    forkserver.ensure_running()


def workers_of(pid: int) -> list[psutil.Process]:
    """The workers of the process that grades."""
    import psutil

    found = []
    for server in psutil.Process(pid).children():
        with contextlib.suppress(psutil.Error):
            if "multiprocessing.forkserver" in " ".join(server.cmdline()):
                found += server.children()
    return found
