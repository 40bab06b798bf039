"""The jail around a fork server: the bubblewrap command.

A learner's process can see only one folder of this package, :mod:`nbjudge.inside`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from nbjudge import course
from nbjudge.inside import isolation
from nbjudge.inside.program import program

#: The user that root becomes before the jail is created; the user inside the jail.
NOBODY = 65534
LEARNER = 1000

#: The folder that holds this package, the package, and the part a learner's process can see.
PACKAGE_ROOT = Path(__file__).resolve().parents[2]
PACKAGE = PACKAGE_ROOT / "nbjudge"
INSIDE = PACKAGE / "inside"

#: The parts of the system, besides /usr, that programs need to start.
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
_PROCESSORS = "/sys/devices/system/cpu"

_ETC = {
    "passwd": f"learner:x:{LEARNER}:{LEARNER}::{isolation.HOME}:/bin/sh\n",
    "group": f"learner:x:{LEARNER}:\n",
    "hosts": "127.0.0.1 localhost learner\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def bubblewrap() -> str | None:
    """The path to bubblewrap; ``None`` if it is not installed."""
    return shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/bin")


def owner() -> tuple[int, int]:
    """The user and group, outside, that own everything in the jail."""
    return (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())


def packages(whole: bool = False) -> list[str]:
    """The course's packages and the visible part of this one.

    With ``whole``, all of this package, and the packages of the tests' own. They are mounted last,
    because the folder that holds them may be hidden.
    """
    folders = [*program().folders(), *(program().folders(tests_own=True) if whole else ())]
    return [*map(str, folders), str(PACKAGE if whole else INSIDE)]


def import_path() -> list[str]:
    """The import path for the jail: the packages' folders first, then those of this process."""
    beside = [*program().folders(), *program().folders(tests_own=True)]
    folders = [str(PACKAGE_ROOT), *(str(folder.parent) for folder in beside)]
    for entry in sys.path:
        folder = os.path.realpath(entry) if entry else ""
        if folder and os.path.exists(folder) and _inside(folder, _environment()):
            folders.append(entry)
    return list(dict.fromkeys(folders))


def _environment() -> list[str]:
    """The folders of Python and of the installed packages."""
    folders = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    for name in ("torch", "numpy", "ipykernel"):
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            folders.append(str(Path(spec.origin).parents[1]))
    return list(dict.fromkeys(path for path in folders if os.path.isdir(path)))


def _inside(path: str, folders: Sequence[str]) -> bool:
    return any(path == f or path.startswith(f.rstrip("/") + "/") for f in folders)


def visible(whole: bool = False) -> list[str]:
    """Folders and files of the machine that can be read in the jail, outermost first."""
    wanted = [path for name in _environment() for path in (name, os.path.realpath(name))]
    paths = ["/usr"]
    for path in sorted(dict.fromkeys(wanted), key=len):
        if not _inside(path, paths):
            paths.append(path)
    paths += [path for path in (*_FILES, _PROCESSORS) if os.path.exists(path)]
    return [*paths, *packages(whole)]


def write_etc(folder: Path) -> None:
    """Write the few files that programs need in /etc; they reveal nothing about this machine."""
    folder.mkdir()
    folder.chmod(0o755)
    for name, text in _ETC.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o644)


def command(
    base: str, stage: str, program: Sequence[str], *, whole_package: bool, info: int
) -> list[str]:
    """The command that runs ``program`` in a jail.

    Parameters
    ----------
    base:
        The nursery's folder, visible on both sides.
    stage:
        An empty folder, in which root mounts what the jail's owner may read.
    program:
        The command of the jail's first process.
    whole_package:
        Whether all of this package is visible, and what is the tests' own.
    info:
        The file descriptor to which bubblewrap writes that process's PID.

    Raises
    ------
    FileNotFoundError
        If bubblewrap is not installed.
    """
    if (bwrap := bubblewrap()) is None:
        raise FileNotFoundError("bwrap")
    seen, shown_last = visible(whole_package), packages(whole_package)
    asked = [bwrap, "--unshare-user", "--uid", str(LEARNER), "--gid", str(LEARNER)]
    asked += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    asked += ["--unshare-cgroup-try", "--hostname", "learner", "--new-session", "--as-pid-1"]
    asked += ["--cap-drop", "ALL", "--info-fd", str(info)]
    # First, because the course or its environment may be in it.
    asked += ["--tmpfs", "/tmp"]
    around = [path for path in seen if path not in shown_last]
    for path in around:
        asked += ["--ro-bind", f"from:{path}", path]
    for name in _LINKS:
        path = f"/{name}"
        if os.path.islink(path):
            asked += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            asked += ["--ro-bind", path, path]
    # The course may be in a visible folder, and the packages are in the course.
    hidden = _hidden(around)
    for path in hidden:
        asked += ["--tmpfs", path]
    asked += _shown_again(around)
    if not whole_package:  # it may be in a visible folder; the folder inside it is mounted again
        hidden.append(str(PACKAGE))
        asked += ["--tmpfs", str(PACKAGE)]
    for path in shown_last:
        asked += ["--ro-bind", f"from:{path}", path]
    for path in reversed(hidden):
        asked += ["--remount-ro", path]
    asked += [] if whole_package else _masks(_of_tests(around, hidden))
    for name in _ETC:
        asked += ["--ro-bind", f"{base}/etc/{name}", f"/etc/{name}"]
    asked += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    asked += ["--dir", isolation.HOME]
    asked += ["--tmpfs", isolation.HOME] if whole_package else []
    asked += ["--bind", base, base, "--remount-ro", "/", "--chdir", "/", "--", *program]
    if os.geteuid() != 0:
        return [argument.removeprefix("from:") for argument in asked]
    plan = {
        "package": str(PACKAGE_ROOT),
        "stage": stage,
        "paths": seen,
        "uid": owner()[0],
        "gid": owner()[1],
        "command": asked,
    }
    enter = str(Path(__file__).with_name("enter.py"))
    return [sys.executable, "-I", "-S", enter, json.dumps(plan)]


def _hidden(seen: list[str]) -> list[str]:
    """The course's folder, if it is inside a visible one."""
    try:
        root = str(course.root().resolve())
    except FileNotFoundError:
        return []
    return [root] if _inside(root, seen) else []


def _shown_again(seen: list[str]) -> list[str]:
    """Options to mount again an environment inside a course that was hidden."""
    return [
        part
        for path in seen
        if any(_inside(path, [root]) for root in _hidden(seen))
        for part in ("--ro-bind", f"from:{path}", path)
    ]


def _of_tests(seen: Sequence[str], hidden: Sequence[str]) -> list[str]:
    """The tests' own packages, if they are inside visible folders."""
    paths = map(str, program().folders(tests_own=True))
    return [path for path in paths if _inside(path, seen) and not _inside(path, hidden)]


def _masks(paths: Sequence[str]) -> list[str]:
    """Options to hide these paths; they must be read-only, or the next child would see changes."""
    return [
        part
        for path in paths
        for part in (
            ("--tmpfs", path, "--remount-ro", path)
            if os.path.isdir(path)
            else ("--ro-bind", os.devnull, path)
        )
    ]
