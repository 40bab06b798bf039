"""Distribute judging: in this process, to workers on this machine, or to a cluster.

Jobs go out as bytes and judgements come back as bytes; the number in flight is bounded.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import queue
import shutil
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from itertools import chain, islice
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import SplitResult, urlsplit

from distributed import WorkerPlugin, get_worker

from nbjudge.failure import GradingFailed
from nbjudge.judge import judge, weighing
from nbjudge.run.parcels import pack_judged, unpack_job
from nbjudge.run.workers import WORKERS, warm_up
from nbjudge.sandbox import Nursery
from nbjudge.store.digests import judge_digest

#: Maximum number of retries if a submission's worker was lost, and if the judge failed on it.
RETRIES, RETRIES_OF_JUDGE = 2, 1

#: Number of failures without a single judgement after which the judge itself is deemed broken.
BROKEN = 3

#: Jobs sent to each worker thread at a time: one running, one waiting.
AHEAD = 2

#: Seconds to wait for a worker to come back if a scheduler has none left.
PATIENCE = 60.0

#: Seconds that our own workers may take to start or restart: on a busy machine it takes a while
#: to load what they need.
START_SECONDS = 300.0

#: Maximum number of attempts to register the plugin if a worker is lost meanwhile.
REGISTRATIONS = 5

#: Up to this many submissions are judged in this process: starting workers would take longer.
FEW = 2

_log = logging.getLogger("nbjudge")


class JudgeFailed(RuntimeError):
    """The judge itself failed, through no fault of the submission."""


@dataclass(frozen=True)
class Terms:
    """Settings shared by all jobs of a run.

    Whether learners' code runs in a sandbox, the problem set's data files, what all its tests
    forbid, the locked cells by name, the judge's digest (the same on every machine, or empty
    if there is only one), the instructor's own copies of the files that learners hand in
    with the notebook, the course's wrong answers
    (:func:`nbjudge.intake.release.known_answers`), and the libraries that the notebook imports.
    """

    sandboxed: bool = True
    files: dict[str, bytes] = field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    locked: dict[str, str] = field(default_factory=dict)
    digest: str = ""
    own: dict[str, bytes] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    imported: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of one job: the judgement as bytes, or why there is none."""

    student: str
    parcel: bytes | None
    problem: str = ""


# -- in the process that judges ------------------------------------------------------------------


class Bench:
    """One process's nursery, started at the first job and restarted when it breaks."""

    def __init__(self, terms: Terms):
        self.terms = terms
        self._nursery: Nursery | None = None
        self._lock = threading.Lock()

    def judge(self, parcel: bytes) -> bytes:
        """Judge one job.

        Raises
        ------
        JudgeFailed
            If the judge failed twice.
        """
        job = unpack_job(parcel, self.terms.files, self.terms.own)
        with self._lock:
            for last in (False, True):
                try:
                    return pack_judged(judge(job, self._opened()))
                except Exception as error:
                    self._close()
                    if last:
                        _log.exception("judging failed")
                        raise JudgeFailed(f"{type(error).__name__}: {error}") from None
        raise AssertionError

    def open(self) -> None:
        """Start the nursery ahead of the first job, which reports any failure to start."""
        with self._lock:
            try:
                self._opened()
            except Exception:
                self._close()

    def _opened(self) -> Nursery:
        if self._nursery is None:
            terms = self.terms
            nursery = Nursery(
                terms.sandboxed,
                forbidden=terms.forbidden,
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

    def close(self) -> None:
        """Stop the nursery and everything in it."""
        with self._lock:
            self._close()


class Judging(WorkerPlugin):
    """Brings the terms to each worker, including later ones, and stops its nursery with it."""

    name = "nbjudge"

    def __init__(self, terms: Terms):
        self.terms = terms

    def setup(self, worker) -> None:
        """Called on the worker: its nursery starts while the jobs are being prepared."""
        if self.terms.digest not in ("", judge_digest()):
            raise RuntimeError(
                f"the worker at {worker.address} has another version of the course: install the "
                "same on all machines"
            )
        if not self.terms.digest:  # the workers are ours, and so is the parent of their folders
            weighing.share(Path(worker.local_directory).parent)
        gc.freeze()  # everything loaded by now stays
        self.bench = Bench(self.terms)
        # In the thread that judges, ahead of its first job.
        worker.executors["default"].submit(self.bench.open)
        atexit.register(self.bench.close)

    def teardown(self, worker) -> None:
        """Called on the worker."""
        self.bench.close()


def judge_parcel(parcel: bytes) -> bytes:
    """The task that workers run: judge one job."""
    plugin = get_worker().plugins[Judging.name]
    assert isinstance(plugin, Judging)
    return plugin.bench.judge(parcel)


# -- in the process that grades ------------------------------------------------------------------


def judge_here(jobs: Iterable[tuple[str, bytes]], terms: Terms) -> Iterator[Outcome]:
    """Judge in this process, one job at a time."""
    bench = Bench(terms)
    try:
        for student, parcel in jobs:
            try:
                yield Outcome(student, bench.judge(parcel))
            except JudgeFailed as error:
                yield Outcome(student, None, str(error))
    finally:
        bench.close()


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
    terms: Terms,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    scratch: Path | None = None,
) -> Iterator[Outcome]:
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
    with _client(min(workers, len(first)), scheduler, scratch) as client:
        _teach(client, terms)
        patience = START_SECONDS if scheduler is None else PATIENCE
        yield from unless_broken(_Round(client, jobs, patience).outcomes())


def _teach(client, terms) -> None:
    """Have every worker, including later ones, judge by these terms.

    If a worker is lost just then, try again: a moment later the scheduler has noticed.
    """
    from distributed.comm import CommClosedError

    for left in reversed(range(REGISTRATIONS)):
        try:
            client.register_plugin(Judging(terms))
            return
        except Exception as error:
            if not left or not isinstance(error, CommClosedError):
                raise GradingFailed(f"The workers cannot judge: {error}") from None
            sleep(0.5)


class _Round:
    """One round of jobs on a Dask cluster."""

    def __init__(self, client, jobs: Iterable[tuple[str, bytes]], patience: float):
        self.client, self.jobs, self.patience = client, iter(jobs), patience
        self.done: queue.SimpleQueue = queue.SimpleQueue()
        self.under_way: dict[str, tuple[str, bytes, int]] = {}
        self.sent = 0
        self.since = monotonic()

    def outcomes(self) -> Iterator[Outcome]:
        self._fill()
        while self.under_way:
            try:
                future = self.done.get(timeout=1)
            except queue.Empty:
                self._look_after_workers()
                continue
            outcome = self._outcome(future)
            # Workers get their next job before this result is stored.
            self._fill()
            if outcome is not None:
                yield outcome

    def _fill(self) -> None:
        room = AHEAD * max(1, sum(self._threads().values()))
        while len(self.under_way) < room:
            job = next(self.jobs, None)
            if job is None:
                return
            self._send(*job, attempt=0)

    def _send(self, student: str, parcel: bytes, attempt: int) -> None:
        self.sent += 1
        key = f"judge-{os.getpid()}-{id(self)}-{self.sent}"
        self.under_way[key] = (student, parcel, attempt)
        future = self.client.submit(judge_parcel, parcel, key=key, pure=False)
        future.add_done_callback(self.done.put)

    def _outcome(self, future) -> Outcome | None:
        if future.key not in self.under_way:
            return None
        student, parcel, attempt = self.under_way[future.key]
        try:
            result = future.result(timeout=self.patience)
        except TimeoutError:
            # Its worker was lost along with the result: it is being judged again.
            self._look_after_workers()
            future.add_done_callback(self.done.put)
            return None
        except Exception as error:
            del self.under_way[future.key]
            self._look_after_workers()
            _log.warning("%s: %s: %s", student, type(error).__name__, error)
            if attempt < (RETRIES_OF_JUDGE if isinstance(error, JudgeFailed) else RETRIES):
                self._send(student, parcel, attempt + 1)
                return None
            return Outcome(student, None, f"{type(error).__name__}: {error}")
        del self.under_way[future.key]
        return Outcome(student, result)

    def _threads(self) -> dict[str, int]:
        try:
            return self.client.nthreads()
        except Exception:
            return {}

    def _look_after_workers(self) -> None:
        """Wait for workers, but not forever."""
        if self._threads():
            self.since = monotonic()
        elif monotonic() - self.since > self.patience:
            raise GradingFailed(
                f"There has been no worker for {self.patience:.0f} s. Finished work is kept: when "
                "there are workers again, run the same command to continue."
            )


@contextmanager
def _client(workers: int, scheduler: str | None, scratch: Path | None):
    """A client of the cluster at ``scheduler``, or of a cluster started for this run."""
    import dask
    from distributed import Client

    quiet = {
        "distributed.worker.daemon": False,
        "distributed.worker.multiprocessing-method": "forkserver",
        # A lost worker counts only against the submission that it was judging, and we resubmit
        # that one ourselves.
        "distributed.scheduler.worker-saturation": 1.0,
        "distributed.scheduler.allowed-failures": 0,
        "distributed.admin.large-graph-warning-threshold": "1 GB",
        # By default Dask profiles itself every 10 ms and checks its event loop every 20 ms. Nobody
        # here reads the results.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1 s",
        "distributed.admin.system-monitor.interval": "5 s",
        "logging": {"distributed": "error"},
    }
    logging.getLogger("distributed").propagate = False
    with dask.config.set(quiet):
        if scheduler is not None:
            _see_whether_it_answers(scheduler)
            try:
                client = Client(scheduler, timeout=10, set_as_default=False)
            except Exception as error:
                raise GradingFailed(
                    f"scheduler is {scheduler!r}, but nothing answers there: {error}"
                ) from None
            try:
                yield client
            finally:
                client.close()
            return
        warm_up()
        folder = tempfile.mkdtemp(prefix=WORKERS, dir=scratch)
        try:
            with (
                _cluster(workers, folder) as cluster,
                Client(cluster, timeout=START_SECONDS, set_as_default=False) as client,
            ):
                yield client
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def refuse_unencrypted(scheduler: str) -> None:
    """Refuse an address on another machine without TLS.

    Results are unpickled here: whoever could change them on their way could run code.

    Raises
    ------
    GradingFailed
        If it is one; the message says what to do.
    """
    found = _parts_of(scheduler)
    if found.scheme in ("tls", "wss", "inproc") or _is_this_machine(found.hostname or ""):
        return
    raise GradingFailed(
        f"scheduler is {scheduler!r}, which is not encrypted: whoever can reach it could run code "
        "on this machine. Use tls:// with certificates, or add --trust-network if the network is "
        "yours alone."
    )


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _parts_of(scheduler: str) -> SplitResult:
    """The parts of an address, by Dask's own default if it names no protocol."""
    import dask

    usual = dask.config.get("distributed.comm.default-scheme", "tcp")
    return urlsplit(scheduler if "://" in scheduler else f"{usual}://{scheduler}")


def _see_whether_it_answers(scheduler: str) -> None:
    """Refuse an address where nothing listens: Dask would keep trying, and log a lot."""
    found = _parts_of(scheduler)
    if found.scheme not in ("tcp", "tls"):
        return
    try:
        where = found.hostname or "", found.port or 8786
        socket.create_connection(where, timeout=10).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise GradingFailed(
            f"scheduler is {scheduler!r}, but nothing answers there ({why}). Start it, or check "
            "the address."
        ) from None


def _cluster(workers: int, folder: str):
    """Workers on this machine. If one of them is killed during the start, retry twice."""
    from distributed import LocalCluster
    from distributed.security import Security

    # We use no port but our own; another grading may have the usual one.
    warnings.filterwarnings("ignore", message="Port .* is already in use")
    for left in (2, 1, 0):
        try:
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                # Anyone on this machine could reach the port; only we have the key.
                security=Security.temporary(),
                memory_limit=0,
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:
            if not left:
                raise GradingFailed(f"The workers do not start: {error}") from None
    raise AssertionError
