"""What the descendants of a process use, read from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = os.sysconf("SC_CLK_TCK")


def waited(pidfd: int) -> float:
    """Seconds that a process has been ready to run and waited for a processor.

    Those of its first thread; 0 if the system does not tell.

    Parameters
    ----------
    pidfd:
        A descriptor of the process.
    """
    try:
        with open(f"/proc/self/fdinfo/{pidfd}") as about:
            (pid,) = (line.split()[1] for line in about if line.startswith("Pid:"))
        with open(f"/proc/{pid}/schedstat") as spent:
            return int(spent.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):  # it has ended, or this is not its namespace
        return 0.0


@dataclass(frozen=True)
class Process:
    """One process in /proc: its PID, its parent's PID, and the CPU time it has used."""

    pid: int
    parent: int
    cpu_seconds: float


class Proc:
    """The /proc that was mounted at creation, whatever is mounted over it later."""

    def __init__(self) -> None:
        self._folder = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)

    def close(self) -> None:
        """Close the folder."""
        os.close(self._folder)

    def _read(self, name: str) -> bytes:
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            return os.read(file, 4096)
        finally:
            os.close(file)

    def below(self, root: int) -> list[Process]:
        """``root`` and all its descendants."""
        processes = {}
        for name in os.listdir(self._folder):
            if name.isdigit():
                try:
                    # The name in parentheses may contain anything, including parentheses.
                    fields = self._read(f"{name}/stat").rpartition(b")")[2].split()
                except OSError:  # it has ended
                    continue
                spent = sum(int(ticks) for ticks in fields[11:15]) / _TICK
                processes[int(name)] = Process(int(name), int(fields[1]), spent)
        inside, grown = {root}, True
        while grown:
            more = {p.pid for p in processes.values() if p.parent in inside} - inside
            inside |= more
            grown = bool(more)
        return [processes[pid] for pid in sorted(inside) if pid in processes]

    def asleep(self, pid: int) -> bool:
        """Whether every thread of a process waits for something other than a CPU or a disk.

        True if the process has ended.
        """
        try:
            folder = os.open(f"{pid}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._folder)
        except OSError:
            return True
        try:
            threads = os.listdir(folder)
        finally:
            os.close(folder)
        return not any(self._state(f"{pid}/task/{thread}/stat") in b"RD" for thread in threads)

    def _state(self, name: str) -> bytes:
        try:
            return self._read(name).rpartition(b")")[2].split()[0]
        except OSError:  # it has ended
            return b"X"

    def address_space(self, pid: int) -> int:
        """Bytes of address space; 0 if the process has ended."""
        return self._pages(pid, 0)

    def resident(self, pid: int) -> int:
        """Bytes of resident memory, including shared memory; 0 if the process has ended."""
        return self._pages(pid, 1)

    def _pages(self, pid: int, field: int) -> int:
        try:
            return int(self._read(f"{pid}/statm").split()[field]) * _PAGE
        except OSError:
            return 0

    def sockets(self, pid: int) -> int:
        """Sockets in a process's network namespace, whichever process holds them.

        Includes those in transit between processes; 0 if the system does not report them.
        """
        try:
            first, _, _ = self._read(f"{pid}/net/sockstat").partition(b"\n")
            return int(first.split()[-1])  # sockets: used 34
        except (OSError, ValueError, IndexError):
            return 0

    def proportional(self, pid: int) -> int:
        """Bytes in memory, with memory shared by several processes divided among them.

        Takes milliseconds. A process that hides its maps counts with all of its memory.
        """
        try:
            lines = self._read(f"{pid}/smaps_rollup").splitlines()
        except OSError:
            return self.resident(pid)
        sizes = [int(line.split()[1]) for line in lines if line.startswith((b"Pss:", b"SwapPss:"))]
        return sum(sizes) * 1024
