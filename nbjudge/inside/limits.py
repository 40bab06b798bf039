"""The limits on a submission."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """The limits on one submission, the same on both sides of the wire.

    Attributes
    ----------
    call_seconds, cell_seconds, submission_seconds:
        Seconds for one call in a test, for one cell, and for the whole submission; half as much
        again for hidden tests, which come last, if the cells use it up. Of a call and of a cell,
        the time does not count in which a busy machine lets its process wait for a processor. The
        processes of a kernel may together use as much CPU time as the whole submission.
    memory_mb:
        MiB of resident memory for all processes of a kernel together, and of address space for
        each beyond what it is forked with.
    processes:
        Processes and threads together. The kernel itself has about a dozen.
    files:
        Open files and sockets per process; also the sockets of all processes of a kernel together.
        A socket holds up to 0.4 MiB that counts as no process's memory.
    output_kb:
        KiB kept of one cell's output.
    scratch_mb:
        MiB of files in the home folder, ``/tmp`` and ``/dev/shm`` together.
    message_mb:
        MiB per message over the wire.

    Raises
    ------
    ValueError
        If a limit is not above 0.
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

    @property
    def reserve_seconds(self) -> float:
        """Seconds for hidden tests if a submission's cells have used up its time."""
        return self.submission_seconds / 2

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{field.name} must be a number above 0, got {value!r}")
