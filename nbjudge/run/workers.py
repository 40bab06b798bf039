"""Start this machine's workers: a server process that has loaded what they need forks them.

This module imports almost nothing, so that the server can be started before anything is loaded.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from multiprocessing import forkserver, resource_tracker
from typing import TYPE_CHECKING

from nbjudge.inside.program import VARIABLE, handed_on

if TYPE_CHECKING:
    import psutil

#: Prefix of the workers' own folders in the folder for the results.
WORKERS = "workers-"

_CLEARED_UP = "ignore:resource_tracker"

#: The module that loads what a worker needs.
NEEDED = "nbjudge.run.preload"


def warm_up() -> None:
    """Start the server process unless it is running; it loads while the caller continues."""
    multiprocessing.get_context("forkserver").set_forkserver_preload([NEEDED])
    # Python's resource tracker warns if it has to clean up semaphores itself.
    sys.warnoptions.append(_CLEARED_UP)
    resource_tracker.ensure_running()  # it would unblock Ctrl-C
    # Ctrl-C is for the grading process, which gets it in a moment; its children end with it and
    # should print nothing. The server starts with it blocked, and ignores it first of all.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    named, about = os.environ.get(VARIABLE), handed_on()
    os.environ |= about  # it may be asked again from another folder
    try:
        forkserver.ensure_running()
    finally:
        sys.warnoptions.remove(_CLEARED_UP)
        if about and named is None:
            del os.environ[VARIABLE]
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def workers_of(pid: int) -> list[psutil.Process]:
    """The worker processes of the grading process ``pid``."""
    import psutil

    workers = []
    for server in psutil.Process(pid).children():
        with contextlib.suppress(psutil.Error):
            if "multiprocessing.forkserver" in " ".join(server.cmdline()):
                workers += server.children()
    return workers
