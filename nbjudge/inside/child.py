"""What a forked child does before it runs anybody's code."""

from __future__ import annotations

import functools
import importlib
import os
import random
import socket
import sys
import traceback
from collections.abc import Callable

from nbjudge.inside import isolation, linux
from nbjudge.inside.request import Request

#: Exit status of a child that could not be set up; the reason goes to its watcher.
NOT_SET_UP = 71

#: What prepares a kernel. Only the learners' server has loaded it.
KERNEL = "nbjudge.inside.kernel:prepare"

#: One thread each: one per core would compete when many submissions are graded.
_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def environment(home: str, variables: dict[str, str] | None = None) -> dict[str, str]:
    """The complete environment of a process in the sandbox."""
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "LOGNAME": "learner",
        "USER": "learner",
        "PATH": f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
        "CUDA_VISIBLE_DEVICES": "",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        # A compiled function computes the same, and its calls could not be watched.
        "TORCHDYNAMO_DISABLE": "1",
        **dict.fromkeys(_ONE_THREAD, "1"),
        **(variables or {}),
    }


def run(
    request: Request,
    talk: socket.socket | None,
    reports: socket.socket,
    watcher: int,
    filter_program: bytes,
) -> None:
    """Become the requested child; never returns.

    Parameters
    ----------
    request, talk:
        The request, and the socket for talking to whoever made it.
    reports:
        On this socket the child reports that it is ready and waits for a reply, or reports why
        it cannot be.
    watcher:
        The process that watches over this one, by its PID in this one's namespace; 0 if it is in
        another namespace.
    filter_program:
        The seccomp filter, as a BPF program.
    """
    try:
        work = _set_up(request, talk, reports, watcher, filter_program)
    except BaseException:
        reports.send(b"!" + traceback.format_exc().encode(errors="replace")[-3000:])
        os._exit(NOT_SET_UP)
    status = 0
    try:
        work()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        os._exit(status)


def _set_up(
    request: Request,
    talk: socket.socket | None,
    reports: socket.socket,
    watcher: int,
    filter_program: bytes,
) -> Callable[[], object]:
    """Set up everything; return the work itself, to be called."""
    os.setsid()
    linux.die_with_parent(watcher)
    if request.isolated:
        isolation.settle()
    _standard_streams(quiet=request.entry is None)
    _keep_only({reports.fileno(), *([talk.fileno()] if talk else [])})
    os.chdir(request.home)
    os.environ.clear()
    os.environ.update(environment(request.home, {"NBJUDGE_WIRE": request.wire_path}))
    _reseed(request.seed)
    isolation.limit(request.limits, count_processes=request.isolated, copies=request.copies)
    if request.sandboxed:
        isolation.confine(filter_program, capabilities=request.isolated)

    module, _, name = (request.entry or KERNEL).partition(":")
    function = getattr(importlib.import_module(module), name)
    work = function(request).start if request.entry is None else functools.partial(function, talk)
    reports.send(b".")
    reports.recv(1)  # from here on the slot is read-only and memory is limited
    reports.close()
    return work


def _standard_streams(*, quiet: bool) -> None:
    """Give it nothing to read, and discard what a kernel writes past its own streams."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2) if quiet else (0, 1):
        os.dup2(nowhere, number)
    os.close(nowhere)


def _keep_only(kept: set[int]) -> None:
    """Close all other files that the parents have open."""
    low = 3
    for number in sorted(kept):
        os.closerange(low, number)
        low = number + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def _reseed(seed: int | None) -> None:
    """Reseed, because forked children would otherwise all draw the same numbers."""
    drawn = int.from_bytes(os.urandom(8), "little") if seed is None else seed
    random.seed(drawn)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(drawn % 2**32)
    if torch := sys.modules.get("torch"):
        # torch.manual_seed would also record, for each device, where it was called from.
        torch.default_generator.manual_seed(drawn % 2**63)
        torch.set_num_threads(1)
