"""The system calls that a learner's code may not make, as a BPF program for seccomp."""

from __future__ import annotations

import errno
import platform
import struct

from nbjudge.inside import linux

#: System call → its number on x86-64 and on 64-bit Arm; ``None`` if the machine does not have it.
#: These are calls that a notebook never needs: inspecting other processes, mounts and namespaces,
#: administration of the machine, and kernel interfaces with a long record of vulnerabilities.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "move_pages": (279, 239), "migrate_pages": (256, 238), "sched_setaffinity": (203, 122),
    # mounts, namespaces, files by handle
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "move_mount": (429, 429), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "statmount": (457, 457), "listmount": (458, 458),
    "unshare": (272, 97), "setns": (308, 268),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    # kernel interfaces with a long record of vulnerabilities
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_setup": (206, 0), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "vmsplice": (278, 75), "seccomp": (317, 277), "remap_file_pages": (216, 234),
    "lookup_dcookie": (212, 18), "nfsservctl": (180, 42), "modify_ldt": (154, None),
    "uselib": (134, None), "ustat": (136, None), "sysfs": (139, None), "_sysctl": (156, None),
    # the machine itself
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "syslog": (103, 116), "iopl": (172, None), "ioperm": (173, None),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "vhangup": (153, 58), "sethostname": (170, 161),
    "setdomainname": (171, 162), "personality": (135, 92),
}  # fmt: skip

#: These fail as on a kernel without them, so that libraries fall back. Memory that is in no file
#: and mapped by no process counts towards no limit, and the flags of ``clone3`` are in memory that
#: a filter cannot read.
MISSING: dict[str, tuple[int | None, int | None]] = {
    "clone3": (435, 435), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "msgget": (68, 186), "mq_open": (240, 180),
    # With these a process learns what others do with a file that both can only read.
    "inotify_init": (253, None), "inotify_init1": (294, 26), "inotify_add_watch": (254, 27),
    "mincore": (27, 232), "cachestat": (451, 451),
}  # fmt: skip

#: These do nothing and report success. Every process on the machine sees a lock on a file that it
#: can read, so two submissions could signal with locks; those of one need none among themselves.
PRETENDED: dict[str, tuple[int | None, int | None]] = {"flock": (73, 32)}

#: These are filtered by their arguments too.
CLONE, SOCKET, IOCTL = (56, 220), (41, 198), (16, 29)
FCNTL, PREADV2 = (72, 25), (327, 286)

#: ``platform.machine()`` → the column above, and the kernel's name for the machine (AUDIT_ARCH).
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

#: From here on, x86-64 numbers are x32 calls, a second way to make every call.
_X32 = 0x40000000

_NAMESPACES = (
    linux.CLONE_NEWNS | linux.CLONE_NEWCGROUP | linux.CLONE_NEWUTS | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUSER | linux.CLONE_NEWPID | linux.CLONE_NEWNET | linux.CLONE_NEWTIME
)  # fmt: skip

#: AF_UNIX, AF_INET, AF_INET6; AF_NETLINK is allowed only for the protocol NETLINK_ROUTE.
_FAMILIES, _NETLINK, _ROUTE = (1, 2, 10), 16, 0

#: TIOCSTI injects input into a terminal, TIOCLINUX pastes into one.
_TERMINAL = (0x5412, 0x541C)

#: F_SETLK, F_SETLKW, F_OFD_SETLK and F_OFD_SETLKW; F_SETLEASE and F_NOTIFY.
_LOCKS, _WATCHES = (6, 7, 37, 38), (1024, 1026)

#: A flag of ``preadv2``: read only what is in memory.
_NOWAIT = 8

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
#: Offsets in ``struct seccomp_data``; both machines are little-endian.
_NUMBER, _MACHINE, _ARGUMENT = 0, 4, 16


def supported() -> bool:
    """Whether there is a filter for this machine."""
    return platform.machine() in MACHINES


def program(machine: str | None = None) -> bytes:
    """The filter in the kernel's format: eight bytes per instruction.

    Parameters
    ----------
    machine:
        ``"x86_64"`` or ``"aarch64"``; ``None`` for this machine's.

    Raises
    ------
    ValueError
        For any other machine.
    """
    machine = machine or platform.machine()
    if machine not in MACHINES:
        raise ValueError(f"machine must be one of {', '.join(MACHINES)}, got {machine!r}")
    column, audit = MACHINES[machine]
    lines = [
        _step(_LOAD, _MACHINE),
        _step(_EQUAL, audit, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        lines += [_step(_AT_LEAST, _X32, 0, 1), _refuse(errno.EPERM)]
    for table, error in ((REFUSED, errno.EPERM), (MISSING, errno.ENOSYS), (PRETENDED, 0)):
        for numbers in table.values():
            if (number := numbers[column]) is not None:
                lines += [_step(_EQUAL, number, 0, 1), _refuse(error)]
    lines += _section(CLONE[column], [
        _step(_LOAD, _ARGUMENT), _step(_ANY_BIT, _NAMESPACES, 0, 1), _refuse(errno.EPERM),
    ])  # fmt: skip
    lines += _section(IOCTL[column], [
        _step(_LOAD, _ARGUMENT + 8),
        *[line for asked in _TERMINAL
          for line in (_step(_EQUAL, asked, 0, 1), _refuse(errno.EPERM))],
    ])  # fmt: skip
    lines += _section(FCNTL[column], [
        _step(_LOAD, _ARGUMENT + 8),
        *[line for asked in _LOCKS for line in (_step(_EQUAL, asked, 0, 1), _refuse(0))],
        *[line for asked in _WATCHES
          for line in (_step(_EQUAL, asked, 0, 1), _refuse(errno.EINVAL))],
    ])  # fmt: skip
    lines += _section(PREADV2[column], [
        _step(_LOAD, _ARGUMENT + 40),
        _step(_ANY_BIT, _NOWAIT, 0, 1), _refuse(errno.EOPNOTSUPP),
    ])  # fmt: skip
    lines += _section(SOCKET[column], [
        _step(_LOAD, _ARGUMENT),
        *[line for family in _FAMILIES
          for line in (_step(_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW))],
        _step(_EQUAL, _NETLINK, 1, 0), _refuse(errno.EAFNOSUPPORT),
        _step(_LOAD, _ARGUMENT + 16),
        _step(_EQUAL, _ROUTE, 1, 0), _refuse(errno.EAFNOSUPPORT),
    ])  # fmt: skip
    return b"".join([*lines, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _ERRNO | error)


def _section(number: int, lines: list[bytes]) -> list[bytes]:
    """Instructions for one system call only; what they do not refuse is allowed."""
    lines = [*lines, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(lines)), *lines]
