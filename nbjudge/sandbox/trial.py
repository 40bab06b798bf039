"""Whether the sandbox works on this machine: it is tried, not guessed."""

from __future__ import annotations

import contextlib
import functools
import json
import platform
from dataclasses import dataclass
from pathlib import Path

from nbjudge.sandbox.shelters import FULL, NONE, SandboxError, not_linux

#: What can stop an ordinary user from making a namespace: sysctl → (what closes it, what opens it).
_SWITCHES = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "15000"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
}


@dataclass(frozen=True)
class Status:
    """Whether the sandbox works here.

    Attributes
    ----------
    works:
        Whether every promise was kept.
    why:
        In one or two sentences; where it does not work, what to do.
    rung:
        What a learner's code runs in.
    missing:
        The promises that were broken.
    closed:
        Whether it is this machine that allows no sandbox, or something went wrong in the trial.
    """

    works: bool
    why: str
    rung: str
    missing: tuple[str, ...] = ()
    closed: bool = True


@functools.cache
def status() -> Status:
    """Put a small program into the sandbox and let it try to get out; once in each process."""
    if said := not_linux():
        return _no(said)
    from nbjudge.inside import seccomp
    from nbjudge.sandbox import jail

    if jail.bubblewrap() is None:
        return _no("bubblewrap is not installed: apt-get install bubblewrap")
    if not seccomp.supported():
        known = ", ".join(seccomp.MACHINES)
        return _no(f"Its filter for system calls knows {known}; this is {platform.machine()}.")
    try:
        missing = _try()
    except SandboxError as error:
        why, said = _advice(str(error)), str(error)
        # What bubblewrap itself says, or the sandbox's own steps, not what happened to stop it.
        closed = "bwrap" in said or "sysctl" in why or "PermissionError" in said
        return Status(False, why, NONE, closed=closed)
    if missing:
        return _no(f"It does not keep what it promises: {', '.join(missing)}.", missing)
    return Status(True, "Tried from inside: every promise is kept.", FULL)


def require() -> None:
    """Go on only where learners' code can be run safely.

    Raises
    ------
    SandboxError
        If it cannot; the message says why, and what to do.
    """
    if said := not_linux():
        raise SandboxError(said)
    found = status()
    if not found.works and not found.closed:
        raise SandboxError(f"The sandbox could not be tried: {found.why} Run the command again.")
    if not found.works:
        raise SandboxError(
            f"The sandbox does not work on this machine. {found.why}\n"
            "`--no-sandbox` grades without it: then a learner's code may do all that you may do "
            "on this machine."
        )


def _no(why: str, missing: tuple[str, ...] = ()) -> Status:
    return Status(False, why, NONE, missing)


def _try() -> tuple[str, ...]:
    """The promises that are broken."""
    from nbjudge import course
    from nbjudge.inside import probe
    from nbjudge.sandbox.nursery import Nursery

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
                return (f"the probe came back ({tried.death().message})",)
            return tuple(json.loads(answer))


def _may_be_seen(folder: str) -> list[str]:
    """What of a folder is there in the jail: Python may have been installed in a home folder."""
    from nbjudge.sandbox import jail

    inside = [path for path in jail.visible() if path.startswith(folder.rstrip("/") + "/")]
    return sorted({path[len(folder) :].lstrip("/").partition("/")[0] for path in inside})


def _advice(said: str) -> str:
    """What bubblewrap said, and what this machine's switches have to do with it."""
    lines = said.strip().splitlines() or ["bubblewrap did not start"]
    advice = [f"{lines[-1]}."]
    for name, (closed, open_) in _SWITCHES.items():
        with contextlib.suppress(OSError):
            if Path("/proc/sys", *name.split(".")).read_text().strip() == closed:
                advice.append(
                    f"This machine allows ordinary users no namespaces: sysctl {name}={open_}"
                )
    if len(advice) == 1 and (Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()):
        advice.append("In a container it needs the options that deploy/README.md names.")
    return " ".join(advice)
