"""What a grader tells a fork server: its settings, and its requests for children."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nbjudge.inside.isolation import Slot
from nbjudge.inside.limits import Limits
from nbjudge.inside.messages import Message, from_json, to_json
from nbjudge.inside.program import Program

#: Maximum bytes of a message between the grader and a fork server; files are sent in such pieces.
MESSAGE = 60_000

#: The kernel's channels, and the number at the end of each socket's name.
PORTS = {"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5}


@dataclass(frozen=True)
class Request:
    """A request for one child.

    Attributes
    ----------
    slot, home:
        The folder of its sockets; its home, which is also its working directory.
    limits:
        The limits on it.
    sandboxed, isolated:
        Whether the fork server is in a jail; whether the child gets its own namespaces there.
    forbidden:
        Names of what is forbidden, whose modules it cannot import:
        :mod:`nbjudge.inside.testing.absent`.
    files:
        Name and size in bytes of each file to put into its home; their content follows.
    seed:
        Seed for Python, NumPy and torch; ``None`` for a different one each time.
    copies:
        Number of its processes that may be copies of a kernel, besides ``limits.processes``.
    entry:
        ``"module:function"``, called with the child's socket; ``None`` for a kernel.
    key:
        The key that signs the kernel's messages.
    """

    slot: Slot
    home: str
    limits: Limits
    sandboxed: bool
    isolated: bool
    forbidden: tuple[str, ...] = ()
    files: tuple[tuple[str, int], ...] = ()
    seed: int | None = None
    copies: int = 0
    entry: str | None = None
    key: str = field(default="", repr=False)

    @property
    def wire_path(self) -> str:
        """The socket on which the trusted side listens."""
        return f"{self.slot.path}/w"

    @property
    def connection(self) -> dict[str, Any]:
        """What a Jupyter client needs to talk to the kernel."""
        return {
            "transport": "ipc",
            "ip": f"{self.slot.path}/k",
            "key": self.key,
            "signature_scheme": "hmac-sha256",
            "kernel_name": "",
            **PORTS,
        }

    def encode(self) -> bytes:
        """Encode as a message."""
        return to_json(self).encode()

    @classmethod
    def decode(cls, message: bytes) -> Request:
        """Decode what :meth:`encode` returned."""
        return from_json(message, cls)


class ServerSettings(Message):
    """What a fork server is started with.

    Attributes
    ----------
    control:
        Its socket.
    modules:
        What it loads; the last one is what its children run.
    path:
        Where Python looks for modules.
    program:
        The course's settings.
    locked, known:
        The locked cells by name, and the wrong answers that the course knows, packed; only the
        examiners' server has them.
    core:
        The processor to stay on.
    """

    control: int
    modules: list[str]
    path: list[str]
    program: Program
    locked: dict[str, str] = {}
    known: bytes = b""
    core: int | None = None
