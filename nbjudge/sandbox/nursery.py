"""Kernels and examiners, forked from parents that have everything loaded."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from time import time
from typing import TYPE_CHECKING, Any, TypeVar

from nbjudge.inside import server
from nbjudge.inside.cores import Core
from nbjudge.inside.isolation import HOME, Slot
from nbjudge.inside.limits import Limits
from nbjudge.inside.request import MESSAGE, Request
from nbjudge.sandbox import jail
from nbjudge.sandbox.handles import Child, ExaminerProcess, KernelProcess
from nbjudge.sandbox.parents import Parent
from nbjudge.sandbox.shelters import FULL, NONE, SandboxError, linux_only

if TYPE_CHECKING:
    from nbjudge.judge.messages import KnownAnswers

#: Prefix of the nurseries' folders; the folders of dead nurseries are removed.
PREFIX = "tfc-"

Made = TypeVar("Made", KernelProcess, ExaminerProcess)

#: Suffix of the empty folder beside each; see :mod:`.enter`.
STAGE = ".stage"

#: Maximum characters in a nursery's path; slots and sockets add 16, and a socket's path has 107.
_LONGEST = 107 - 16

#: Folders younger than this, in seconds, may be about to be locked.
_YOUNG = 60.0


class Nursery:
    """Forks sandboxed kernels for learners and processes for the examiner.

    A context manager. Its two parents are started on first use, as separate programs, so that it
    can be used in a process that has threads. When this process dies, however that happens, they
    and all their children die.

    Parameters
    ----------
    sandboxed:
        Whether to use bubblewrap, with namespaces for each kernel. If not, a learner's code may do
        whatever the user who grades may do.
    examiner_entry:
        ``"module:function"``; the module is loaded before the fork, and the function is called with
        the examiner's end of its socket.
    learners, examiners:
        What the two parents load instead of what the course's values need.
    locked:
        Name → source of the locked cells to expect; the examiners' parent reads them, once. They
        are never in a kernel's process.
    known:
        The problem set's wrong answers, for the examiners, from
        :func:`nbjudge.intake.sources.known_of`.
    imported:
        The libraries that the notebook imports. Both parents load those that take long.

    Raises
    ------
    SandboxError
        If this is not Linux; when the first child is requested, if a parent does not start.
    """

    def __init__(
        self,
        sandboxed: bool = True,
        *,
        examiner_entry: str = "nbjudge.judge.examiner:main",
        learners: Sequence[str] | None = None,
        examiners: Sequence[str] | None = None,
        locked: Mapping[str, str] | None = None,
        known: KnownAnswers | None = None,
        imported: Sequence[str] = (),
    ) -> None:
        linux_only()
        self.sandboxed = sandboxed
        self._entry = examiner_entry
        self._locked, self._known = dict(locked or {}), known
        more = server.imported(imported)
        self._modules = {
            "learners": (*more, *(server.learners() if learners is None else learners)),
            "examiners": (
                *more,
                *(server.examiners() if examiners is None else examiners),
                examiner_entry.partition(":")[0],
            ),
        }
        self._parents: dict[str, Parent] = {}
        self._lock = threading.RLock()
        self._count = 0
        self._folder = -1
        self._core: Core | None = None
        self.base = ""

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start both parents now instead of on first use."""
        for kind in self._modules:
            self._parent(kind)

    def close(self) -> None:
        """End everything that was started here."""
        with self._lock:
            for parent in self._parents.values():
                parent.close()
            self._parents.clear()
            if self.base:
                shutil.rmtree(self.base, ignore_errors=True)
                shutil.rmtree(self._stage, ignore_errors=True)
                os.close(self._folder)
                if self._core is not None:
                    self._core.free()
                self.base = ""

    def kernel(
        self,
        limits: Limits | None = None,
        forbidden: Iterable[str] = (),
        files: Mapping[str, bytes] | None = None,
        seed: int | None = None,
        copies: int = 0,
    ) -> KernelProcess:
        """Create a kernel for a learner's cells; it is forked, and still starting, on return.

        Parameters
        ----------
        limits:
            Its limits; by default those of :class:`Limits`.
        forbidden:
            Names in the course's ``forbidden`` whose modules it cannot import.
        files:
            Relative path → content of the files in its working folder.
        seed:
            Seed of its random numbers; ``None`` for a different one each time.
        copies:
            Number of processes that it may have besides ``limits.processes``: copies of itself.

        Raises
        ------
        ValueError
            If a path in ``files`` leads out of the folder, or the files take more than half of the
            scratch space.
        SandboxError
            If no kernel can be created.
        """
        limits, files = limits or Limits(), dict(files or {})
        _check_files(files, limits)
        return self._child(
            KernelProcess,
            "learners",
            files,
            limits=limits,
            isolated=self.sandboxed,
            forbidden=tuple(forbidden),
            seed=seed,
            copies=copies,
            key=secrets.token_hex(16),
        )

    def examiner(
        self,
        limits: Limits | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> ExaminerProcess:
        """Create a process for test cells, which runs ``examiner_entry``.

        Raises
        ------
        ValueError
            For ``files``, as in :meth:`kernel`.
        SandboxError
            If none can be created.
        """
        limits, files = limits or Limits(), dict(files or {})
        _check_files(files, limits)
        return self._child(
            ExaminerProcess, "examiners", files, limits=limits, isolated=False, entry=self._entry
        )

    def isolated(self, entry: str, limits: Limits | None = None) -> ExaminerProcess:
        """Like :meth:`examiner`, but where learners' kernels run and with their privileges."""
        return self._child(
            ExaminerProcess,
            "learners",
            {},
            limits=limits or Limits(),
            isolated=self.sandboxed,
            entry=entry,
        )

    @property
    def description(self) -> str:
        """The sandbox around a learner's code, in words, for reports."""
        return FULL if self.sandboxed else NONE

    def memory_mb(self) -> dict[str, float]:
        """MiB that each parent holds in memory with its children."""
        with self._lock:
            return {kind: parent.memory_mb() for kind, parent in self._parents.items()}

    def parent_pids(self) -> dict[str, int]:
        """The PID of each running parent."""
        with self._lock:
            return {kind: parent.pid for kind, parent in self._parents.items()}

    def _child(self, made: type[Made], kind: str, files: Mapping[str, bytes], **asked: Any) -> Made:
        """A child of this class, requested from this kind of fork server."""
        for _ in range(2):  # a parent that has died is restarted once
            parent = self._parent(kind)
            slot = self._slot()
            request = Request(
                slot=slot,
                home=self._home(slot, asked["isolated"]),
                sandboxed=self.sandboxed,
                files=tuple((name, len(content)) for name, content in files.items()),
                **asked,
            )
            child = self._forked(parent, request, files.values())
            if isinstance(child, made) and child.wait_forked():
                return child
            with self._lock:
                if self._parents.get(kind) is parent:
                    parent.close()
                    del self._parents[kind]
        raise SandboxError(f"The {kind}' fork server died twice when a child was requested")

    def _forked(self, parent: Parent, request: Request, contents: Iterable[bytes]) -> Child | None:
        status, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        status.settimeout(Child.PATIENCE)
        talk = socket.socketpair() if request.entry else ()
        sent = [theirs, *talk[1:]]
        asked = parent.ask(request.encode(), [end.fileno() for end in sent])
        for end in sent:
            end.close()
        child = (
            ExaminerProcess(request, status, talk[0]) if talk else KernelProcess(request, status)
        )
        try:
            for content in contents if asked else ():
                for start in range(0, len(content), MESSAGE):
                    status.send(content[start : start + MESSAGE])
        except OSError:
            asked = False
        if not asked:
            child.kill()
            return None
        return child

    def _parent(self, kind: str) -> Parent:
        with self._lock:
            if not self.base:
                self._open()
            parent = self._parents.get(kind)
            if parent is not None and not parent.alive():
                parent.close()
                parent = None
            if parent is None:
                parent = self._parents[kind] = Parent(
                    self.base,
                    self._stage,
                    self._modules[kind],
                    sandboxed=self.sandboxed,
                    whole_package=kind == "examiners",
                    locked=self._locked if kind == "examiners" else {},
                    known=self._known if kind == "examiners" else None,
                    core=self._core.number if kind == "learners" and self._core else None,
                )
            return parent

    def _open(self) -> None:
        """Create the folder for the sockets, with a path short enough for them."""
        clear_left_over()
        where = "/tmp" if os.access("/tmp", os.W_OK | os.X_OK) else tempfile.gettempdir()
        base = tempfile.mkdtemp(prefix=PREFIX, dir=where)
        if len(base) > _LONGEST:
            os.rmdir(base)
            raise SandboxError(
                f"A socket's path would be too long in {where}. Set TMPDIR to a shorter folder."
            )
        self._folder = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._folder, fcntl.LOCK_EX)
        os.chmod(base, 0o711)
        jail.write_etc(Path(base, "etc"))
        self._stage = f"{base}{STAGE}"
        os.mkdir(self._stage, 0o755)
        self._core = Core()
        self.base = base

    def _slot(self) -> Slot:
        with self._lock:
            self._count += 1
            slot = Slot(self.base, f"s{self._count}")
        os.mkdir(slot.path, 0o700)
        if self.sandboxed and os.geteuid() == 0:
            os.chown(slot.path, *jail.owner())
        return slot

    def _home(self, slot: Slot, isolated: bool) -> str:
        if not self.sandboxed:
            return f"{slot.path}/home"
        return HOME if isolated else f"{HOME}/{slot.name}"


def clear_left_over() -> None:
    """Remove the folders of nurseries whose process was killed."""
    for where in {"/tmp", tempfile.gettempdir()}:
        for path in Path(where).glob(f"{PREFIX}*"):
            if path.suffix == STAGE and path.with_suffix("").exists():
                continue  # it is removed with the folder that it belongs to
            try:
                folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            except OSError:
                continue
            try:
                about = os.fstat(folder)
                if about.st_uid == os.geteuid() and time() - about.st_mtime > _YOUNG:
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
                    shutil.rmtree(f"{path}{STAGE}", ignore_errors=True)
            except OSError:  # its owner is alive
                continue
            finally:
                os.close(folder)


def _check_files(files: Mapping[str, bytes], limits: Limits) -> None:
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in name:
            raise ValueError(f"files must have paths inside the working folder, got {name!r}")
    total = sum(len(content) for content in files.values())
    if total > limits.scratch_mb * 2**20 / 2:
        raise ValueError(
            f"files must take at most half of the scratch space of {limits.scratch_mb} MB, "
            f"got {total / 2**20:.0f} MB"
        )
