"""Whether grading survives SIGKILL at random moments, to the grading process or its workers.

A class is graded once undisturbed and once with kills; after each kill of the grading process the
same command is started again. Afterwards every submission must have been graded once, finished work
not repeated, the gradebook intact, and the marks equal to those of the undisturbed run.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from coursebook import course as course_tree
from nbjudge.run.workers import workers_of
from nbjudge.variants import example_class

SEED = 0

#: The hidden tests' inputs: the same in both runs, so that marks can be compared.
INPUTS = 20170612


class Run:
    """Grading of one class into one folder, in separate processes."""

    def __init__(
        self, problem_set: str, course: Path, submitted: Path, into: Path, more: list[str]
    ):
        self.problem_set, self.into = problem_set, into
        arguments = ["grade", problem_set, "--submitted", str(submitted), "--into", str(into)]
        program = "import sys; from tfcourse.cli import app; app(sys.argv[1:])"
        self.command = [
            sys.executable,
            "-P",
            "-c",
            program,
            *arguments,
            "--seed",
            str(INPUTS),
            *more,
        ]
        self.environment = {**os.environ, "TFCOURSE_ROOT": str(course), "COLUMNS": "100"}

    def start(self) -> subprocess.Popen:
        """Start grading."""
        return subprocess.Popen(
            self.command,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def whole(self) -> float:
        """Grade to the end; return the seconds it took."""
        began = time.monotonic()
        process = self.start()
        _, said = process.communicate()
        if process.returncode:
            raise RuntimeError(f"grading failed: {said.decode()[-6000:]}")
        return time.monotonic() - began

    def finished(self) -> dict[str, str]:
        """The finished submissions, and when they finished."""
        path = self.into / "ledger.db"
        if not path.is_file():
            return {}
        with sqlite3.connect(path, timeout=30) as database:
            try:
                rows = database.execute(
                    "SELECT student, key || changed FROM submission WHERE state = 'finished'"
                )
                return dict(rows)
            except sqlite3.OperationalError:  # killed before there was a table
                return {}

    def marks(self) -> list[dict[str, str]]:
        """The rows of grades.csv."""
        with (self.into / "grades.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def wait_for_work(run: Run, process: subprocess.Popen, before: int) -> bool:
    """Wait until the run has finished one more; return whether it has and is still running."""
    while process.poll() is None:
        if len(run.finished()) > before:
            return True
        time.sleep(0.02)
    return False


def disturbed(run: Run, count: int, coordinators: int, workers: int, seed: int) -> dict:
    """Grade the class, killing processes at random moments.

    Each kill waits until one more submission has finished, so that kills happen during the work and
    not during start-up, and then for a random time of up to two seconds.
    """
    draw = random.Random(seed)
    plan = ["coordinator"] * coordinators + ["worker"] * workers
    draw.shuffle(plan)
    killed = {"coordinator": 0, "worker": 0}
    repeated, process, stood = 0, run.start(), {}
    try:
        for what in plan:
            if not wait_for_work(run, process, len(run.finished())):
                break
            time.sleep(draw.uniform(0, min(2.0, 20.0 / count * 2)))
            if what == "coordinator":
                process.send_signal(signal.SIGKILL)
                process.wait()
                now = run.finished()
                repeated += sum(now.get(name) != when for name, when in stood.items())
                stood = now
                process = run.start()
            else:
                alive = workers_of(process.pid) if process.poll() is None else []
                if not alive:
                    continue
                draw.choice(alive).kill()
            killed[what] += 1
        _, said = process.communicate()
        if process.returncode:
            raise RuntimeError(f"grading failed: {said.decode()[-6000:]}")
    finally:
        if process.poll() is None:
            process.kill()
    now = run.finished()
    repeated += sum(now.get(name) != when for name, when in stood.items())
    return {"killed": killed, "finished": len(now), "repeated": repeated}


def sound(run: Run, count: int) -> dict:
    """The gradebook's integrity check, and how many submissions it has."""
    with sqlite3.connect(run.into / "gradebook.db") as database:
        (integrity,) = database.execute("PRAGMA integrity_check").fetchone()
        (submissions,) = database.execute("SELECT count(*) FROM submitted_assignment").fetchone()
        (twice,) = database.execute(
            "SELECT count(*) FROM (SELECT 1 FROM submitted_assignment "
            "GROUP BY assignment_id, student_id HAVING count(*) > 1)"
        ).fetchone()
    return {"integrity": integrity, "submissions": submissions, "twice": twice, "of": count}


def main() -> None:
    """Run it, print the results, and write the record unless a class was given."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=1000)
    options.add_argument(
        "--coordinators", type=int, default=10, help="kills of the grading process"
    )
    options.add_argument("--workers", type=int, default=20, help="kills of workers")
    options.add_argument("--problem-set", default="ps05-self-attention")
    options.add_argument("--course", type=Path, default=None)
    options.add_argument("--submitted", type=Path, default=None, help="an existing class")
    options.add_argument("--quick", action="store_true", help="12 submissions, a kill of each kind")
    options.add_argument("--no-sandbox", action="store_true")
    asked = options.parse_args()
    if asked.quick:
        asked.submissions, asked.coordinators, asked.workers = 12, 1, 1
    course = asked.course or course_tree.root()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        submitted = asked.submitted
        if submitted is None:
            submitted = folder / "submitted"
            example_class(asked.problem_set, course, submitted, asked.submissions, SEED)
        count = sum(path.is_dir() for path in submitted.iterdir())
        more = ["--no-sandbox"] if asked.no_sandbox else []
        alone = ["--workers", "1" if asked.quick else "2", *more]
        more = ["--workers", "2", *more]
        quiet = Run(asked.problem_set, course, submitted, folder / "quiet", alone)
        seconds = quiet.whole()
        shaken = Run(asked.problem_set, course, submitted, folder / "shaken", more)
        began = time.monotonic()
        results = disturbed(shaken, count, asked.coordinators, asked.workers, SEED)
        results |= {
            "gradebook": sound(shaken, count),
            "rows of grades.csv that differ": sum(
                one != other for one, other in zip(quiet.marks(), shaken.marks(), strict=True)
            ),
            "seconds undisturbed": round(seconds, 1),
            "seconds with kills": round(time.monotonic() - began, 1),
        }
    print(json.dumps(results, indent=1))
    right = {
        "finished": count,
        "repeated": 0,
        "rows of grades.csv that differ": 0,
        "gradebook": {"integrity": "ok", "submissions": count, "twice": 0, "of": count},
    }
    wrong = {name: results[name] for name, value in right.items() if results[name] != value}
    if asked.submitted is None and not asked.quick:
        from coursebook import records

        records.write("grading-kills", results, seed=SEED)
    if wrong:
        sys.exit(f"not as it must be: {wrong}")


if __name__ == "__main__":
    main()
