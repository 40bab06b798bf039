"""Whether hostile notebooks affect the grading of a class of 100.

Two classes: 100 submissions including the attacks that once succeeded or stopped a class, and the
whole corpus of ``nbjudge/tests/hostile`` with a few honest ones. Each is graded in one run, and
compared with a class of as many honest ones. Measured are the wall-clock and processor time of
both, the peak memory of all processes together, and whether the honest submissions get the same
marks as in the class without the hostile ones. Needs Linux and bubblewrap.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import psutil

from coursebook import course, records
from nbjudge.inside import linux
from nbjudge.intake.release import make_release

TESTS = course.root() / "nbjudge" / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "hostile"), str(Path(__file__).parent)]
import corpus  # noqa: E402
import target_set  # noqa: E402
from grading_speed import ENVIRONMENT, memory_mb  # noqa: E402

SEED = 11

CLASS, HONEST, WORKERS = 100, 10, 2

#: The limits for both classes: an attack that only waits takes all of its time.
LIMITS = {"call-seconds": 2, "cell-seconds": 10, "submission-seconds": 30, "memory-mb": 1024}

#: Thresholds for a class of 100: its time as a multiple of an honest class's, and its memory.
MOST_TIMES, MOST_MB = 2.0, 4096.0

#: What honest learners submit: everything right, or one exercise untouched or wrong.
WRONG = {
    "double": "def double(x):\n    return x * x",
    "sum-squares": "def sum_squares(numbers):\n    return sum(numbers)",
    "attend": "def attend(Q, K, V):\n    return (Q @ K.mT).softmax(-1) @ V",
    "shift": "class Shift(nn.Module):\n    pass",
    "choices": "answers = dict(a=True, b=True, c=True, d=True)",
}


def hand_in_honest(submitted: Path, release: nbformat.NotebookNode, number: int) -> None:
    """The honest submission with this number: right, or wrong in one exercise."""
    answers = dict(target_set.RIGHT)
    if wrong := [*WRONG, ""][number % 6]:
        answers[wrong] = WRONG[wrong]
    place = submitted / f"honest-{number:03}" / target_set.NAME
    place.mkdir(parents=True)
    notebook = target_set.answered(release, answers)
    (place / f"{target_set.NAME}.ipynb").write_text(nbformat.writes(notebook))
    target_set.enclose(place)


def graded(made: Path, submitted: Path, into: Path) -> dict:
    """Grade a class with the command; return the seconds, the peak memory, and the marks."""
    program = "import sys; from tfcourse.cli import app; app(sys.argv[1:])"
    command = [sys.executable, "-P", "-c", program, "grade", target_set.NAME]
    command += ["--submitted", str(submitted), "--into", str(into), "--seed", str(SEED)]
    command += ["--workers", str(WORKERS)]
    command += [word for name, limit in LIMITS.items() for word in (f"--{name}", str(limit))]
    began, used, peak = time.perf_counter(), processor_seconds(), 0.0
    log = (into.parent / f"{into.name}.log").open("w+")
    running = subprocess.Popen(
        command,
        env={**ENVIRONMENT, "TFCOURSE_ROOT": str(made)},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    whole = psutil.Process(running.pid)
    while running.poll() is None:
        try:
            peak = max(peak, memory_mb(whole))
        except psutil.NoSuchProcess:
            break
        time.sleep(0.5)
    running.wait()
    seconds, used = time.perf_counter() - began, processor_seconds() - used
    if running.returncode:
        log.seek(0)
        raise RuntimeError(f"grading ended with {running.returncode}: {log.read()[-4000:]}")
    with (into / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    return {"seconds": seconds, "processor": used, "memory_mb": peak, "rows": rows}


def processor_seconds() -> float:
    """The processor time of all finished descendants of this process."""
    for _ in range(100):  # wait for those that outlive the grader briefly
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.1)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(folder: Path, attacks: list[corpus.Attack], honest: int) -> dict:
    """Grade both classes, and return the results."""
    made = target_set.make_course(folder / "course")
    make_release(target_set.NAME, made)
    path = made / "notebooks" / "assignments" / target_set.NAME / f"{target_set.NAME}.ipynb"
    release = nbformat.read(path, as_version=4)
    for number in range(honest):
        hand_in_honest(folder / "mixed", release, number)
    for attack in attacks:
        attack.hand_in(folder / "mixed", release)
    for number in range(honest + len(attacks)):
        hand_in_honest(folder / "plain", release, number)
    plain = graded(made, folder / "plain", folder / "plain-graded")
    mixed = graded(made, folder / "mixed", folder / "mixed-graded")
    names = [f"honest-{number:03}" for number in range(honest)]
    differ = [name for name in names if plain["rows"][name] != mixed["rows"][name]]
    gained = [a.name for a in attacks if float(mixed["rows"][a.name]["score"]) > a.honest]
    return {
        "submissions": len(mixed["rows"]),
        "hostile": len(attacks),
        "plain_seconds": round(plain["seconds"], 1),
        "mixed_seconds": round(mixed["seconds"], 1),
        "times": round(mixed["seconds"] / plain["seconds"], 2),
        "plain_processor_seconds": round(plain["processor"], 1),
        "mixed_processor_seconds": round(mixed["processor"], 1),
        "times_processor": round(mixed["processor"] / plain["processor"], 2),
        "plain_memory_mb": round(plain["memory_mb"]),
        "mixed_memory_mb": round(mixed["memory_mb"]),
        "honest_marks_differ": differ,
        "gained": gained,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="attacks whose name contains this; no record")
    parser.add_argument(
        "--honest", type=int, default=0, help="number of honest submissions; writes no record"
    )
    parser.add_argument(
        "--hundred", action="store_true", help="only the class of 100; writes no record"
    )
    only, honest, hundred = vars(parser.parse_args()).values()
    linux.adopt_orphans()  # so that their resources are counted
    attacks = [attack for attack in corpus.attacks() if only in attack.name]
    classes = {
        "class of 100": [attack for attack in attacks if attack in corpus.got_through()],
        "whole corpus": attacks,
    }
    if hundred:
        del classes["whole corpus"]
    results = {"limits": LIMITS}
    for name, among in classes.items():
        with tempfile.TemporaryDirectory(prefix="class-") as folder:
            count = honest or max(HONEST, CLASS - len(among))
            results[name] = measured(Path(folder), among, count)
    print(json.dumps(results, indent=1))
    if not (only or honest or hundred):
        print(records.write("grading-class-of-100", results, seed=SEED).name)
    fine = all(not (results[name]["honest_marks_differ"] + results[name]["gained"])
               and results[name]["mixed_memory_mb"] <= MOST_MB for name in classes)  # fmt: skip
    fine = fine and results["class of 100"]["times"] <= MOST_TIMES
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
