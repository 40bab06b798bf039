"""The processes on this machine: lost ones are replaced, and none outlives who started it."""

import os
import pickle
import signal
import subprocess
import sys
import time

import psutil
import pytest

from nbjudge.run import pool
from nbjudge.run.judging import RunSettings, judge_all

#: A judge that says which process it is, dies, or is busy.
JUDGE = """
import os, signal, time
from nbjudge.run import judging, pool

class Bench:
    def __init__(self, terms):
        pass
    def judge(self, parcel):
        if parcel == b"die" or parcel == b"die once" and not os.path.exists("died"):
            open("died", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if parcel == b"fail":
            raise judging.JudgeFailed("no more memory")
        if parcel == b"busy":
            open("busy", "w").close()
            time.sleep(600)
        return parcel + b" by " + str(os.getpid()).encode()
    def end(self):
        open(f"ended-{os.getpid()}", "w").close()

def serve(*given):
    pool.Bench = Bench
    real(*given)

real, pool._serve = pool._serve, serve
"""


@pytest.fixture
def deadly(tmp_path, monkeypatch):
    """The module of that name is the judge of all workers, here and in programs."""
    (tmp_path / "deadly.py").write_text(JUDGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(pool, "_serve", pool._serve)  # what it was is put back afterwards
    import deadly

    assert pool._serve is deadly.serve
    yield tmp_path
    del sys.modules["deadly"]


def outcomes(*parcels, workers=2):
    """What becomes of jobs, each with its place as its student."""
    jobs = ((str(n), parcel) for n, parcel in enumerate(parcels))
    return {o.student: o for o in judge_all(jobs, RunSettings(), workers=workers)}


def test_a_lost_worker_is_replaced_and_counts_against_its_own_submission_only(deadly):
    by_number = outcomes(b"a", b"die", b"b", b"die once", b"c", b"fail")
    assert {n: o.problem for n, o in by_number.items() if o.parcel is None} == {
        "1": "WorkerLost: the process that judged it was lost",
        "5": "JudgeFailed: no more memory",
    }
    processes = {o.parcel.split()[-1] for o in by_number.values() if o.parcel}
    assert str(os.getpid()).encode() not in processes


def test_a_worker_that_cannot_be_started_is_no_worker(monkeypatch):
    """A job that came after it would wait for an answer without end."""
    started = pool._serve
    monkeypatch.setattr(pool, "_serve", lambda *_: None)  # which cannot be sent to a process
    worker = pool.Worker(RunSettings(), "")
    for _ in range(2):
        with pytest.raises((AttributeError, pickle.PicklingError)):
            worker.judge(b"a")
    worker.close()
    assert started.__module__ == pool.__name__, "no test leaves another in its place"


def test_workers_end_what_they_have_started(deadly):
    by_number = outcomes(b"a", b"b", b"c")
    ended = {path.name.removeprefix("ended-") for path in deadly.glob("ended-*")}
    assert {o.parcel.split()[-1].decode() for o in by_number.values()} <= ended


def test_a_round_that_is_given_up_waits_for_nobody_who_is_busy(deadly):
    began = time.monotonic()
    jobs = ((str(n), parcel) for n, parcel in enumerate([b"a", b"busy", b"b"]))
    round_ = judge_all(jobs, RunSettings(), workers=2)
    next(round_)
    while not (deadly / "busy").exists():
        time.sleep(0.01)
    round_.close()
    assert time.monotonic() - began < 300
    assert list(deadly.glob("ended-*")), "and it has ended what it had started"


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_the_process_that_grades(deadly, sign):
    """Even in the middle of a job, however it ends."""
    program = (
        "import sys; sys.path.insert(0, '.'); import deadly\n"
        "from nbjudge.run.judging import RunSettings, judge_all\n"
        "if __name__ == '__main__':\n"
        "    list(judge_all([(str(n), b'busy') for n in range(4)], RunSettings(), workers=2))\n"
    )
    here = {**os.environ, "MARK": str(deadly)}
    started = subprocess.Popen([sys.executable, "-c", program], cwd=deadly, env=here)
    while not (deadly / "busy").exists():
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(sign)
    started.wait()
    end = time.monotonic() + 60
    while left := [p for p in psutil.process_iter() if _marked(p, str(deadly))]:
        assert time.monotonic() < end, left
        time.sleep(0.1)


def _marked(process, mark):
    try:
        return process.environ().get("MARK") == mark
    except psutil.Error:
        return False
