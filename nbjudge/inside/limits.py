"""What one submission may use."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """What one submission may use; the same on both sides of the wire.

    Attributes
    ----------
    call_seconds, cell_seconds, submission_seconds:
        Wall time of one call in a test, of one cell, and of the whole submission. The last is also
        the processor time that all processes of a kernel may use together.
    memory_mb:
        Resident memory of all processes of a kernel together, and address space of each beyond what
        it is forked with.
    processes:
        Processes and threads together. A kernel itself has about a dozen.
    files:
        Open files and sockets of one process; sockets of all processes of a kernel together. A
        socket holds up to 0.4 MiB that is counted as no process's memory.
    output_kb:
        What is kept of one cell's output.
    scratch_mb:
        Files in the home folder, ``/tmp`` and ``/dev/shm`` together.
    message_mb:
        One message over the wire.

    Raises
    ------
    ValueError
        If one is not above 0.
    """

    call_seconds: float = 10
    cell_seconds: float = 30
    submission_seconds: float = 180
    memory_mb: int = 2048
    processes: int = 64
    files: int = 256
    output_kb: int = 1024
    scratch_mb: int = 256
    message_mb: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{field.name} must be a number above 0, got {value!r}")
