"""What one process judges with, and what all kinds of workers have in common."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from nbjudge.inside.program import Program, program
from nbjudge.judge.messages import KnownAnswers
from nbjudge.judge.session import judge
from nbjudge.run.parcels import pack_judged, unpack_job
from nbjudge.sandbox import Nursery

_log = logging.getLogger("nbjudge")


class JudgeFailed(RuntimeError):
    """The judge itself failed, through no fault of the submission."""


@dataclass(frozen=True)
class RunSettings:
    """Settings shared by all jobs of a run.

    Whether learners' code runs in a sandbox, the problem set's data files, the locked cells by
    name, the judge's digest (the same on every machine, or empty if there is only one), the
    course's wrong answers
    (:func:`nbjudge.intake.sources.known_of`), the libraries that the notebook imports, and what
    the course tells the judge: the workers of a process may have been started for another course.
    """

    sandboxed: bool = True
    files: dict[str, bytes] = field(default_factory=dict)
    locked: dict[str, str] = field(default_factory=dict)
    digest: str = ""
    known: KnownAnswers = field(default_factory=KnownAnswers)
    imported: tuple[str, ...] = ()
    program: Program = field(default_factory=program)


@dataclass(frozen=True)
class Outcome:
    """The result of one job: the judgement as bytes, or why there is none."""

    student: str
    parcel: bytes | None
    problem: str = ""


# -- in the process that judges ------------------------------------------------------------------


class Bench:
    """One process's nursery, started at the first job and restarted when it breaks."""

    def __init__(self, terms: RunSettings):
        self.terms = terms
        self._nursery: Nursery | None = None
        self._lock = threading.Lock()
        self._ended = False

    def judge(self, parcel: bytes) -> bytes:
        """Judge one job.

        Raises
        ------
        JudgeFailed
            If the judge failed twice.
        """
        job = unpack_job(parcel, self.terms.files)
        with self._lock:
            for last in (False, True):
                try:
                    return pack_judged(judge(job, self._opened()))
                except Exception as error:
                    self._close()
                    if self._ended:
                        raise JudgeFailed("grading was stopped") from None
                    if last:
                        _log.exception("judging failed")
                        raise JudgeFailed(f"{type(error).__name__}: {error}") from None
        raise AssertionError

    def _opened(self) -> Nursery:
        if self._ended:
            raise JudgeFailed("grading was stopped")
        if self._nursery is None:
            terms = self.terms
            nursery = Nursery(
                terms.sandboxed,
                locked=terms.locked,
                known=terms.known,
                imported=terms.imported,
            )
            self._nursery = nursery.__enter__()
            self._nursery.start()
        return self._nursery

    def _close(self) -> None:
        nursery, self._nursery = self._nursery, None
        if nursery is not None:
            with suppress(Exception):
                nursery.__exit__(None, None, None)

    def end(self) -> None:
        """Stop the nursery and everything in it, whatever it is doing, for good."""
        self._ended = True
        self._close()


# -- in the process that grades ------------------------------------------------------------------


class Crew(Protocol):
    """Workers: :class:`nbjudge.run.pool.Pool`, or :class:`nbjudge.run.cluster.Cluster`.

    Attributes
    ----------
    patience:
        Seconds to wait for the result of a job that is done; ``None`` if it is here by then.
    """

    patience: float | None

    def size(self) -> int:
        """The number of workers that are there now."""

    def submit(self, parcel: bytes) -> Any:
        """Send a job; gives a future, whose error says that its worker was lost."""

    def look(self) -> None:
        """Called when nothing is heard: raises ``GradingFailed`` if nobody is left to wait for."""
