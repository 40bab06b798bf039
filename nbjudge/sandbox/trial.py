"""Whether the sandbox works on this machine: it is tested, not guessed."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from pathlib import Path

from nbjudge.sandbox.shelters import FULL, NONE, SandboxError, not_linux

#: Settings that can stop an ordinary user from creating a namespace: sysctl → (value that forbids
#: it, value that allows it).
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
        One or two sentences; if it does not work, what to do.
    rung:
        The sandbox around a learner's code, in words.
    missing:
        The promises that were broken.
    closed:
        If it does not work: whether this machine forbids it, or else something went wrong in the
        trial.
    """

    works: bool
    why: str
    rung: str
    missing: tuple[str, ...] = ()
    closed: bool = True


@functools.cache
def status() -> Status:
    """Put a small program into the sandbox and let it try to get out, once per process."""
    if message := not_linux():
        return _no(message)
    from nbjudge.sandbox import promises  # needs Linux

    if why := promises.what_lacks():
        return _no(why)
    try:
        missing = promises.broken()
    except SandboxError as error:
        why, message = _advice(str(error)), str(error)
        # Errors of bubblewrap or of the sandbox's own steps, not of something that interrupted it.
        closed = "bwrap" in message or "sysctl" in why or "PermissionError" in message
        return Status(False, why, NONE, closed=closed)
    if missing:
        return _no(f"It does not keep what it promises: {', '.join(missing)}.", missing)
    return Status(True, "Tried from inside: every promise is kept.", FULL)


def require() -> None:
    """Check that learners' code can be run safely.

    Raises
    ------
    SandboxError
        If it cannot; the message says why, and what to do.
    """
    if message := not_linux():
        raise SandboxError(message)
    state = status()
    if not state.works and not state.closed:
        raise SandboxError(f"The sandbox could not be tried: {state.why} Run the command again.")
    if not state.works:
        raise SandboxError(
            f"The sandbox does not work on this machine. {state.why}\n"
            "`--no-sandbox` grades without it: then a learner's code may do whatever you may do "
            "on this machine."
        )


def _no(why: str, missing: tuple[str, ...] = ()) -> Status:
    return Status(False, why, NONE, missing)


def _advice(message: str) -> str:
    """What bubblewrap said, and this machine's settings that may be the cause."""
    lines = message.strip().splitlines() or ["bubblewrap did not start"]
    advice = [f"{lines[-1]}."]
    for name, (closed, open_) in _SWITCHES.items():
        with contextlib.suppress(OSError):
            if Path("/proc/sys", *name.split(".")).read_text().strip() == closed:
                advice.append(
                    f"This machine allows ordinary users no namespaces: sysctl {name}={open_}"
                )
    if len(advice) == 1 and (Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()):
        advice.append("In a container it needs the options listed in deploy/README.md.")
    return " ".join(advice)
