"""Separate namespaces for each learner's process: what it can see, and what it may do.

The jail around the fork server hides the machine; this module hides learners from each other. A
child's watcher enters the namespaces first (:func:`enter`). The child is the first process in them
(:func:`settle`) and gives up all privileges (:func:`confine`).
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from dataclasses import dataclass
from pathlib import Path

from nbjudge.inside import linux
from nbjudge.inside.limits import Limits

#: The learner's empty home, in the jail.
HOME = "/learner"

#: The namespaces that each child gets.
NAMESPACES = (
    linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET
    | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS | linux.CLONE_NEWCGROUP
)  # fmt: skip

#: Files and folders allowed in the scratch space per MB of its quota.
_INODES_PER_MB = 64

#: No file that a learner writes can be executed or loaded as a library.
_PLAIN = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC

#: Files copied from /proc if the kernel refuses to mount a new one.
_SMALL_PROC = ("cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version")


@dataclass(frozen=True)
class Slot:
    """The only folder that a child shares with the outside: it holds its sockets.

    Attributes
    ----------
    base, name:
        The nursery's folder, whose other slots the child must not see; the name of this slot.
    """

    base: str
    name: str

    @property
    def path(self) -> str:
        """Its path, the same inside and outside the jail."""
        return f"{self.base}/{self.name}"


def enter(slot: Slot, limits: Limits) -> None:
    """Put this process into new namespaces and set up what its child will see.

    Home, ``/tmp`` and ``/dev/shm`` are one in-memory file system with one quota. Only this slot of
    the nursery's folder is visible.
    """
    uid, gid = os.getuid(), os.getgid()
    linux.unshare(NAMESPACES)
    linux.map_user(uid, gid)
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    # What is mounted in /tmp from outside is mounted again over the child's own.
    shown = [slot.path, *_mounted_in_tmp(slot.base)]
    held = {path: os.open(path, os.O_PATH) for path in shown}
    inodes = int(limits.scratch_mb * _INODES_PER_MB) + 256
    size = int(limits.scratch_mb * 2**20)
    linux.mount("tmpfs", "/tmp", "tmpfs", _PLAIN, f"size={size},nr_inodes={inodes},mode=0755")
    for name, target, mode in (
        ("home", HOME, 0o700),
        ("shm", "/dev/shm", 0o1777),
        ("tmp", "/tmp", 0o1777),
    ):
        os.mkdir(f"/tmp/{name}")
        os.chmod(f"/tmp/{name}", mode)
        linux.mount(f"/tmp/{name}", target, flags=linux.MS_BIND)
    if not slot.base.startswith("/tmp/"):
        linux.mount("tmpfs", slot.base, "tmpfs", _PLAIN, "size=64k,mode=0755")
    for path, number in held.items():
        if os.path.isdir(f"/proc/self/fd/{number}"):
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT, 0o644))
        linux.mount(f"/proc/self/fd/{number}", path, flags=linux.MS_BIND | linux.MS_REC)
        os.close(number)
    if not slot.base.startswith("/tmp/"):
        _read_only(slot.base)
    pseudo = "newinstance,ptmxmode=0666,mode=0620"
    linux.mount("devpts", "/dev/pts", "devpts", linux.MS_NOSUID | linux.MS_NOEXEC, pseudo)
    linux.loopback_up()


def _mounted_in_tmp(base: str) -> list[str]:
    """The outermost mounts in /tmp except the nursery's, such as an environment created there."""
    points = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    mounts: list[str] = []
    for path in sorted({p for p in points if p.startswith("/tmp/") and p != base}, key=len):
        if not any(path.startswith(f"{outer}/") for outer in mounts):
            mounts.append(path)
    return mounts


def _read_only(path: str) -> None:
    # A mount made outside must keep its flags: the kernel refuses to drop one.
    kept = os.statvfs(path).f_flag & _PLAIN
    linux.mount("", path, flags=linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | kept)


def seal(slot: Slot) -> None:
    """Make the slot read-only once its sockets exist, and drop the capabilities to undo that."""
    _read_only(slot.path)
    linux.drop_capabilities(bounding=False)


def settle() -> None:
    """As the first process of the namespaces, set up a /proc that shows only their processes."""
    try:
        linux.mount("proc", "/proc", "proc", _PLAIN)
    except OSError:  # the kernel allows no new one if a container hides parts of /proc
        held = {name: Path("/proc", name).read_bytes() for name in _SMALL_PROC}
        linux.mount("tmpfs", "/proc", "tmpfs", _PLAIN, "size=1m,mode=0755")
        for name, content in held.items():
            Path("/proc", name).write_bytes(content)
    # Data buffered in a socket is charged to no process, so the buffers are kept small.
    for name in ("tcp_rmem", "tcp_wmem"):
        with contextlib.suppress(OSError):  # a container's /proc may not have it
            Path("/proc/sys/net/ipv4", name).write_text("4096 16384 65536")
    socket.sethostname("learner")


def limit(limits: Limits, *, count_processes: bool, copies: int = 0) -> None:
    """Set the kernel's limits on each process, except for memory; see :func:`limit_memory`.

    If the machine itself runs out of memory, the kernel kills these processes first.

    Parameters
    ----------
    limits:
        What one submission may use.
    count_processes:
        Whether all of this user's processes are the child's, as in its own user namespace.
    copies:
        Number of processes for copies of a kernel.
    """
    with contextlib.suppress(OSError):  # a small /proc does not have it
        Path("/proc/self/oom_score_adj").write_text("1000")
    seconds = int(limits.submission_seconds) + 1
    scratch = int(limits.scratch_mb * 2**20)
    for what, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NOFILE, int(limits.files)),
        (resource.RLIMIT_FSIZE, scratch),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        *[(resource.RLIMIT_NPROC, int(limits.processes) + copies)] * count_processes,
    ):
        ceiling = resource.getrlimit(what)[1]
        if ceiling != resource.RLIM_INFINITY:
            value = min(value, ceiling)
        resource.setrlimit(what, (value, value))


def limit_memory(limits: Limits, pid: int, address_space: int) -> None:
    """Limit a child's address space to its size before the first cell plus ``memory_mb``."""
    most = address_space + int(limits.memory_mb * 2**20)
    resource.prlimit(pid, resource.RLIMIT_AS, (most, most))


def confine(filter_program: bytes, *, capabilities: bool) -> None:
    """Give up all privileges, for this process and its descendants."""
    if capabilities:
        # In /proc a process could make itself the last that the kernel kills: see limit().
        _read_only("/proc")
        linux.drop_capabilities(bounding=True)
    linux.no_new_privileges()
    linux.load_filter(filter_program)
