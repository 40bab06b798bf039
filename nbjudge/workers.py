"""Where this machine's workers come from: a process that has loaded what they need and forks them.

Loads next to nothing itself, so that it can be asked before anything else is loaded.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import forkserver
from typing import TYPE_CHECKING

from nbjudge.desk.light import without_grammars

if TYPE_CHECKING:
    import psutil

#: How the names of the workers' own folders begin, in the folder for the results.
WORKERS = "workers-"

_CLEARED_UP = "ignore:resource_tracker"

#: The module that loads what a worker needs.
NEEDED = "nbjudge.preload"


def warm_up() -> None:
    """Start that process, unless it runs; what it loads it loads while the caller goes on."""
    multiprocessing.get_context("forkserver").set_forkserver_preload([NEEDED])
    # Ctrl-C is for the process that grades: what ends with it has nothing to say of its own.
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    # Python's own process that clears up semaphores says so, if there was no time for it before.
    sys.warnoptions.append(_CLEARED_UP)
    try:
        forkserver.ensure_running()
    finally:
        sys.warnoptions.remove(_CLEARED_UP)
        if main:
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Load modules without looking for garbage, and without what none of them needs.

    There is no garbage yet, and looking takes a tenth of the time; nor is it ever looked for among
    what was loaded, which stays.
    """
    gc.disable()
    try:
        with without_grammars():
            yield
    finally:
        gc.enable()
        gc.freeze()


def workers_of(pid: int) -> list[psutil.Process]:
    """The workers of the process that grades."""
    import psutil

    found = []
    for server in psutil.Process(pid).children():
        with contextlib.suppress(psutil.Error):
            if "multiprocessing.forkserver" in " ".join(server.cmdline()):
                found += server.children()
    return found
