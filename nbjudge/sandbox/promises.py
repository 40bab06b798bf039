"""Try the sandbox: a small program in it looks for what it must not see. Needs Linux."""

from __future__ import annotations

import contextlib
import json
import platform
from pathlib import Path

from nbjudge import course
from nbjudge.inside import probe, seccomp
from nbjudge.sandbox import jail
from nbjudge.sandbox.nursery import Nursery


def what_lacks() -> str:
    """What a sandbox here lacks, in words; empty if it can be tried."""
    if jail.bubblewrap() is None:
        return "bubblewrap is not installed: apt-get install bubblewrap"
    if not seccomp.supported():
        known = ", ".join(seccomp.MACHINES)
        return f"Its system call filter supports {known}; this is {platform.machine()}."
    return ""


def broken() -> tuple[str, ...]:
    """The promises that are broken, found out from inside."""
    hidden = [Path.home()]
    with contextlib.suppress(FileNotFoundError):  # installed without the course: nothing to hide
        hidden.append(course.root())
    allowed = {str(path): _may_be_seen(str(path)) for path in hidden if path != Path("/")}
    with Nursery(learners=(), examiner_entry="") as nursery:
        entry = f"{probe.__name__}:{probe.promises.__name__}"
        with nursery.isolated(entry, probe.LIMITS) as tried:
            tried.socket.settimeout(probe.LIMITS.submission_seconds)
            tried.socket.sendall(json.dumps(allowed).encode())
            try:
                answer = tried.socket.recv(65536)
            except OSError:
                answer = b""
            if not answer:
                return (f"the probe's answer ({tried.death().message})",)
            return tuple(json.loads(answer))


def _may_be_seen(folder: str) -> list[str]:
    """The entries of a folder visible in the jail: a home folder may contain Python's install."""
    inside = [path for path in jail.visible() if path.startswith(folder.rstrip("/") + "/")]
    return sorted({path[len(folder) :].lstrip("/").partition("/")[0] for path in inside})
