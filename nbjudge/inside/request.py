"""What the grader asks a fork server for, and how it is told what became of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from nbjudge.inside.isolation import Slot
from nbjudge.inside.limits import Limits

#: The longest message between the grader and a fork server; files are cut into pieces of it.
MESSAGE = 60_000


@dataclass(frozen=True)
class Request:
    """One child.

    Attributes
    ----------
    slot, home:
        Its folder of sockets; its home and working folder.
    limits:
        What it may use.
    sandboxed, isolated:
        Whether the fork server is in a jail; whether the child gets namespaces of its own in it.
    forbidden:
        The kinds of things that it is to be without; see :mod:`nbjudge.inside.testing.absent`.
    files:
        Name and size of each file that it finds in its home; their content follows.
    seed:
        For the random numbers of Python, NumPy and torch; ``None``: another one each time.
    entry:
        ``"module:function"``, called with the child's socket; ``None`` for a kernel.
    key:
        Signs the kernel's messages.
    """

    slot: Slot
    home: str
    limits: Limits
    sandboxed: bool
    isolated: bool
    forbidden: tuple[str, ...] = ()
    files: tuple[tuple[str, int], ...] = ()
    seed: int | None = None
    entry: str | None = None
    key: str = field(default="", repr=False)

    @property
    def wire_path(self) -> str:
        """Where the trusted side listens."""
        return f"{self.slot.path}/w"

    def encode(self) -> bytes:
        """As a message."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, message: bytes) -> Request:
        """What :meth:`encode` made a message of."""
        parts = json.loads(message)
        return cls(
            **{
                **parts,
                "slot": Slot(**parts["slot"]),
                "limits": Limits(**parts["limits"]),
                "forbidden": tuple(parts["forbidden"]),
                "files": tuple((name, size) for name, size in parts["files"]),
            }
        )
