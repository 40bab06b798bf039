"""Whether the sandbox keeps its promises: tested from inside, as a learner's code would."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from nbjudge.inside import linux
from nbjudge.inside.limits import Limits

#: Tight limits that are reached at once.
LIMITS = Limits(
    memory_mb=64, processes=16, files=32, scratch_mb=1, submission_seconds=20, cell_seconds=5
)

#: An address reserved for documentation: nothing is there, and even trying must fail.
_NOWHERE = ("192.0.2.1", 80)


def promises(talk: socket.socket) -> None:
    """Receive folders and the names allowed in each; send back which promises are broken."""
    allowed = json.loads(talk.recv(65536))
    checks: dict[str, Callable[[], bool]] = {
        "not root, and no capabilities": _no_rights,
        "no network": _no_network,
        "a read-only system": _read_only_system,
        "an empty home": lambda: not os.listdir(os.environ["HOME"]),
        "the course hidden": lambda: _out_of_sight(allowed),
        "other processes hidden": _alone,
        "a limit on processes": _few_processes,
        "a limit on memory": _little_memory,
        "a quota on files": _little_space,
        "no system calls to escape with": _no_way_out,
    }
    broken = [name for name, kept in checks.items() if not _tried(kept)]
    talk.sendall(json.dumps(broken).encode())


def _tried(kept: Callable[[], bool]) -> bool:
    try:
        return kept()
    except Exception:
        return False


def _refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, MemoryError):
        return True
    return False


def _no_rights() -> bool:
    return os.getuid() != 0 and not linux.capabilities()


def _out_of_sight(allowed: dict[str, list[str]]) -> bool:
    return all(
        not os.path.exists(path) or set(os.listdir(path)) <= set(names)
        for path, names in allowed.items()
    )


def _no_network() -> bool:
    with socket.socket() as sock:
        sock.settimeout(1)
        unreachable = _refused(lambda: sock.connect(_NOWHERE))
    return unreachable and {name for _, name in socket.if_nameindex()} == {"lo"}


def _read_only_system() -> bool:
    places = {sys.prefix, str(Path(__file__).parent), "/usr", "/", "/dev", *mounted()}
    scratch = os.stat("/tmp").st_dev  # the device of home and /dev/shm too
    places = {place for place in places if os.path.isdir(place)}
    return not any(writable(place) for place in places if os.stat(place).st_dev != scratch)


def mounted() -> list[str]:
    """All mount points; empty if /proc does not list them."""
    with contextlib.suppress(OSError), open("/proc/self/mounts") as file:
        return [line.split()[1] for line in file]
    return []


def writable(folder: str) -> bool:
    """Whether a new file can be created in a folder."""
    try:
        Path(folder, ".probe").touch()
    except OSError:
        return False
    Path(folder, ".probe").unlink()
    return True


def _alone() -> bool:
    return {int(name) for name in os.listdir("/proc") if name.isdigit()} <= {os.getpid()}


def _few_processes() -> bool:
    children: list[int] = []
    try:
        for _ in range(4 * LIMITS.processes):
            if child := os.fork():
                children.append(child)
            else:
                signal.pause()
    except BlockingIOError:
        return True
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return False


def _little_memory() -> bool:
    return _refused(lambda: bytearray(8 * LIMITS.memory_mb * 2**20))


def _little_space() -> bool:
    def fill() -> None:
        for number in range(8):
            Path(f"/tmp/{number}").write_bytes(bytes(2**19))

    # Exceeding the file size limit kills the process with a signal unless that is ignored.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with contextlib.ExitStack() as stack:
        for number in range(8):
            stack.callback(Path(f"/tmp/{number}").unlink, missing_ok=True)
        return _refused(fill)


def _no_way_out() -> bool:
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    return _refused(lambda: linux.unshare(linux.CLONE_NEWUSER)) and ptrace(0, 0, 0, 0) == -1
