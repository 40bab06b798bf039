"""A grader's request to a fork server for a child."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from nbjudge.inside.isolation import Slot
from nbjudge.inside.limits import Limits

#: Maximum bytes of a message between the grader and a fork server; files are sent in such pieces.
MESSAGE = 60_000


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
        Kinds of things whose modules it cannot import: :mod:`nbjudge.inside.testing.absent`.
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

    def encode(self) -> bytes:
        """Encode as a message."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, message: bytes) -> Request:
        """Decode what :meth:`encode` returned."""
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
