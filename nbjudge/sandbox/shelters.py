"""The kinds of sandbox, and the check that this is Linux. This module loads on every system."""

from __future__ import annotations

import sys

from nbjudge.inside.program import command_name

#: The two kinds of sandbox, as reports describe them.
FULL = "bubblewrap, with namespaces, limits and a system call filter for each kernel"
NONE = "none: a learner's code may do whatever the user who grades may do"


class SandboxError(RuntimeError):
    """The sandbox itself does not work as it should; no submission is to blame."""


def not_linux() -> str:
    """What to do if this is not Linux; empty if it is."""
    if sys.platform.startswith("linux"):
        return ""
    system = {"win32": "Windows", "darwin": "macOS"}.get(sys.platform, sys.platform)
    instead = "in WSL, or in the" if system == "Windows" else "in the"
    return (
        f"Grading runs learners' code in a sandbox that needs Linux, and this is {system}. Grade "
        f"{instead} container that deploy/README.md describes. "
        f"`{command_name()} check` works here."
    )


def linux_only() -> None:
    """Check that this is Linux.

    Raises
    ------
    SandboxError
        On another system; the message says what to do there.
    """
    if reason := not_linux():
        raise SandboxError(reason)
