"""Distribute judging: in this process, to processes on this machine, or to a cluster.

Jobs go out as bytes and judgements come back as bytes; the number in flight is bounded.
"""

from __future__ import annotations

import logging
import os
import queue
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from nbjudge.failure import GradingFailed
from nbjudge.run import pool
from nbjudge.run.bench import Bench, Crew, JudgeFailed, Outcome, RunSettings

#: Maximum number of retries if a submission's worker was lost, and if the judge failed on it.
RETRIES, RETRIES_OF_JUDGE = 2, 1

#: Number of failures without a single judgement after which the judge itself is deemed broken.
BROKEN = 3

#: Jobs sent to each worker at a time: one running, one waiting.
AHEAD = 2

#: Up to this many submissions are judged in this process: starting workers would take longer.
FEW = 2

_log = logging.getLogger("nbjudge")


def judge_here(jobs: Iterable[tuple[str, bytes]], terms: RunSettings) -> Iterator[Outcome]:
    """Judge in this process, one job at a time."""
    bench = Bench(terms)
    try:
        for student, parcel in jobs:
            try:
                yield Outcome(student, bench.judge(parcel))
            except JudgeFailed as error:
                yield Outcome(student, None, str(error))
    finally:
        bench.end()


def unless_broken(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """The outcomes, provided that there is a judgement among the first few.

    Raises
    ------
    GradingFailed
        If there is none: the submissions are not at fault.
    """
    failed, judged = 0, False
    for outcome in outcomes:
        yield outcome
        judged = judged or outcome.parcel is not None
        failed += outcome.parcel is None
        if failed >= BROKEN and not judged:
            raise GradingFailed(f"The judge does not work on this machine: {outcome.problem}")


def judge_all(
    jobs: Iterable[tuple[str, bytes]],
    terms: RunSettings,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    scratch: Path | None = None,
) -> Generator[Outcome]:
    """Judge jobs, in no particular order.

    Parameters
    ----------
    jobs:
        Students with their jobs; taken one by one as capacity allows, so that memory stays flat.
    terms:
        The settings shared by all of them.
    workers:
        Number of processes on this machine; by default one per core. 0 and 1: this process.
    scheduler:
        The address of a Dask scheduler to use instead, such as ``tls://host:8786``.
    scratch:
        A folder for the workers' own files.

    Raises
    ------
    GradingFailed
        If no worker is left, or the scheduler cannot be reached. Everything judged until then has
        been yielded.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    jobs = iter(jobs)
    first = list(islice(jobs, max(workers, FEW + 1)))
    jobs = chain(first, jobs)
    if scheduler is None and (workers <= 1 or len(first) <= FEW):
        yield from unless_broken(judge_here(jobs, terms))
        return
    made: AbstractContextManager[Crew]
    if scheduler is None:
        made = pool.pool(min(workers, len(first)), terms, scratch)
    else:
        made = dask_cluster().cluster(scheduler, terms)
    with made as crew:
        yield from unless_broken(_Round(crew, jobs).outcomes())


def dask_cluster() -> Any:
    """The module :mod:`nbjudge.run.cluster`.

    Raises
    ------
    GradingFailed
        If Dask is not installed.
    """
    try:
        from nbjudge.run import cluster
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("dask", "distributed"):
            raise
        raise GradingFailed(
            "A scheduler needs Dask, which is not installed here: install the extra `cluster`, "
            "the same on all machines. Without a scheduler this machine's cores are used."
        ) from None
    return cluster


class _Round:
    """One round of jobs, each sent again if its worker is lost."""

    def __init__(self, crew: Crew, jobs: Iterable[tuple[str, bytes]]):
        self.crew, self.jobs = crew, iter(jobs)
        self.done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.under_way: dict[int, tuple[str, bytes, int]] = {}
        self.sent = 0

    def outcomes(self) -> Iterator[Outcome]:
        self._fill()
        while self.under_way:
            try:
                number, future = self.done.get(timeout=1)
            except queue.Empty:
                self.crew.look()
                continue
            outcome = self._outcome(number, future)
            # Workers get their next job before this result is stored.
            self._fill()
            if outcome is not None:
                yield outcome

    def _fill(self) -> None:
        room = AHEAD * max(1, self.crew.size())
        while len(self.under_way) < room:
            job = next(self.jobs, None)
            if job is None:
                return
            self._send(*job, attempt=0)

    def _send(self, student: str, parcel: bytes, attempt: int) -> None:
        self.sent += 1
        self.under_way[self.sent] = (student, parcel, attempt)
        self._listen(self.sent, self.crew.submit(parcel))

    def _listen(self, number: int, future: Any) -> None:
        future.add_done_callback(lambda done: self.done.put((number, done)))

    def _outcome(self, number: int, future: Any) -> Outcome | None:
        student, parcel, attempt = self.under_way[number]
        try:
            result = future.result(timeout=self.crew.patience)
        except TimeoutError:
            # Its worker was lost along with the result: it is being judged again.
            self.crew.look()
            self._listen(number, future)
            return None
        except Exception as error:
            del self.under_way[number]
            self.crew.look()
            _log.warning("%s: %s: %s", student, type(error).__name__, error)
            if attempt < (RETRIES_OF_JUDGE if isinstance(error, JudgeFailed) else RETRIES):
                self._send(student, parcel, attempt + 1)
                return None
            return Outcome(student, None, f"{type(error).__name__}: {error}")
        del self.under_way[number]
        return Outcome(student, result)
