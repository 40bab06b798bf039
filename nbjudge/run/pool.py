"""Judge in processes on this machine: one for each worker, started again when it is lost.

They are processes of our own and not a ``ProcessPoolExecutor``, which gives up all jobs when one
process dies, cannot end a process that is busy, and leaves them all behind when it is killed.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path

from nbjudge.inside.program import take
from nbjudge.run.bench import Bench, JudgeFailed, RunSettings
from nbjudge.run.workers import WORKERS, warm_up

#: Seconds that a worker may take to end what it has started.
ENDING = 8.0

#: The first byte of an answer: a judgement, or why there is none.
_JUDGED, _FAILED = b"+", b"-"


class WorkerLost(RuntimeError):
    """The process that judged a submission has ended: it crashed, or was killed."""


@contextmanager
def pool(count: int, terms: RunSettings, scratch: Path | None) -> Iterator[Pool]:
    """``count`` processes, with a folder of their own in ``scratch``, while in the context."""
    warm_up()
    folder = tempfile.mkdtemp(prefix=WORKERS, dir=scratch)
    made = Pool(count, terms, folder)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)


class Pool:
    """A thread for each process, which waits for it."""

    patience: float | None = None

    def __init__(self, count: int, terms: RunSettings, folder: str):
        self._count, self._given = count, (terms, folder)
        self._mine = threading.local()
        self._workers: list[Worker] = []
        self._threads = ThreadPoolExecutor(count, initializer=self._begin)

    def _begin(self) -> None:
        self._mine.worker = Worker(*self._given)
        self._workers.append(self._mine.worker)

    def size(self) -> int:
        """The number of processes: a lost one is replaced at the next job."""
        return self._count

    def submit(self, parcel: bytes) -> Future[bytes]:
        """Have a job judged."""
        return self._threads.submit(lambda: self._mine.worker.judge(parcel))

    def look(self) -> None:
        """Nobody but the threads waits for a process."""

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.tell_to_end()
        for worker in self._workers:
            worker.close()
        self._threads.shutdown()


class Worker:
    """One process, started at the first job and after it was lost."""

    def __init__(self, terms: RunSettings, folder: str):
        self._given = terms, folder
        self._lock = threading.Lock()
        self._ended = False
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection

    def judge(self, parcel: bytes) -> bytes:
        """Judge one job.

        Raises
        ------
        JudgeFailed
            If the judge failed.
        WorkerLost
            If the process ended.
        """
        try:
            self._start()
            self._pipe.send_bytes(parcel)
            answer = self._pipe.recv_bytes()
        except (EOFError, OSError):
            self.close()
            raise WorkerLost("the process that judged it was lost") from None
        if answer[:1] == _FAILED:
            raise JudgeFailed(answer[1:].decode())
        return answer[1:]

    def _start(self) -> None:
        with self._lock:
            if self._ended:
                raise EOFError
            if self._process is not None:
                return
            context = multiprocessing.get_context("forkserver")
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, *self._given), daemon=True)
            with theirs:
                process.start()  # if it fails, the next job begins anew
            self._pipe, self._process = ours, process

    def tell_to_end(self) -> None:
        """Have it end now, and start no other."""
        with self._lock, suppress(OSError):
            self._ended = True
            if self._process is not None:
                self._pipe.send_bytes(b"")

    def close(self) -> None:
        """Wait until it has ended, or kill it."""
        with self._lock:
            process, self._process = self._process, None
        if process is None or process.pid is None:
            return
        process.join(ENDING)
        process.kill()
        process.join()
        self._pipe.close()


# -- in the process that judges ------------------------------------------------------------------


def _serve(pipe: Connection, terms: RunSettings, folder: str) -> None:
    """The process's main loop: until it is told to end, or whoever started it has gone."""
    gc.freeze()  # everything loaded by now stays
    take(terms.program)
    bench = Bench(terms)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_judge, args=(bench, jobs, pipe), daemon=True).start()
    with suppress(EOFError, OSError):
        while parcel := pipe.recv_bytes():
            jobs.put(parcel)
    bench.end()
    os._exit(0)  # the judge's thread may be busy


def _judge(bench: Bench, jobs: queue.SimpleQueue[bytes], pipe: Connection) -> None:
    while True:
        try:
            answer = _JUDGED + bench.judge(jobs.get())
        except JudgeFailed as error:
            answer = _FAILED + str(error).encode()
        with suppress(OSError):  # whoever asked has gone
            pipe.send_bytes(answer)
