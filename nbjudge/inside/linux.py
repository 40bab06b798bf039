"""System calls that Python's standard library lacks: mounts, namespaces, capabilities."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct
from pathlib import Path

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x00020000, 0x02000000, 0x04000000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x08000000, 0x10000000, 0x20000000
CLONE_NEWNET, CLONE_NEWTIME = 0x40000000, 0x00000080

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18

_PDEATHSIG, _SECCOMP, _CAPBSET_DROP, _SUBREAPER, _NO_NEW_PRIVS = 1, 22, 24, 36, 38
_SECCOMP_FILTER = 2
_AMBIENT, _AMBIENT_CLEAR = 47, 4
_CAPABILITY_VERSION = 0x20080522
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1

_HUGE = 2 * 2**20
_MADV_COLLAPSE = 25

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _prctl(option: int, *args: int) -> None:
    padded = [ctypes.c_ulong(arg) for arg in (*args, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *padded), f"prctl({option})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """``mount(2)``; an empty ``kind`` or ``data`` is passed as ``NULL``."""
    texts = [text.encode() if text else None for text in (source, target, kind)]
    result = _libc.mount(*texts, ctypes.c_ulong(flags), data.encode() if data else None)
    _checked(result, f"mount {target}")


def unshare(flags: int) -> None:
    """``unshare(2)``: new namespaces for this process."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def die_with_parent(parent: int) -> None:
    """Be killed when the parent dies, or exit now if it already has."""
    _prctl(_PDEATHSIG, 9)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    _prctl(_SUBREAPER, 1)


def no_new_privileges() -> None:
    """Keep programs that are executed from gaining privileges."""
    _prctl(_NO_NEW_PRIVS, 1)


def load_filter(program: bytes) -> None:
    """Install a seccomp filter for every system call of this process. It cannot be removed."""

    class SocketFilter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    held = SocketFilter(len(program) // 8, program)
    _checked(
        _libc.prctl(
            _SECCOMP, ctypes.c_ulong(_SECCOMP_FILTER), ctypes.byref(held), *[ctypes.c_ulong(0)] * 2
        ),
        "prctl(PR_SET_SECCOMP)",
    )


def drop_capabilities(*, bounding: bool) -> None:
    """Drop every capability; with ``bounding``, also the ability to regain one through exec."""
    if bounding:
        for capability in range(64):
            try:
                _prctl(_CAPBSET_DROP, capability)
            except OSError as error:
                if error.errno == errno.EINVAL:  # past the last capability
                    break
                raise
        _prctl(_AMBIENT, _AMBIENT_CLEAR)
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


def capabilities() -> int:
    """The effective and permitted capabilities of this process, as bits."""
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    content = ctypes.create_string_buffer(24)
    _checked(_libc.capget(header, content), "capget")
    effective, permitted = struct.unpack("6I", content.raw)[:2]
    return effective | permitted


def loopback_up() -> None:
    """Bring ``lo`` up in this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(sock, _GET_FLAGS, asked))[1]
        fcntl.ioctl(sock, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _UP))


def map_user(uid: int, gid: int) -> None:
    """In a new user namespace, map this user and group to themselves and no others."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text)


def use_huge_pages() -> None:
    """Put this process's own memory into pages of 2 MiB, as far as the system does (Linux 6.1).

    A fork copies one entry for each page, and a process that ends removes them one by one.
    """
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, inode, *_ = line.split()
        if inode != "0" or rights != "rw-p":
            continue
        first, last = (int(end, 16) for end in span.split("-"))
        for start in range(-(-first // _HUGE) * _HUGE, last - _HUGE + 1, _HUGE):
            address, size = ctypes.c_void_p(start), ctypes.c_size_t(_HUGE)
            _libc.madvise(address, size, ctypes.c_int(_MADV_COLLAPSE))
