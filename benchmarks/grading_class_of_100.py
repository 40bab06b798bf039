"""Whether a class of 100 is graded as well with hostile notebooks in it as without.

The hostile corpus of ``tests/nbjudge/hostile`` and honest submissions, 100 in all or as many as the
corpus needs, are graded in one run, and then the same number of honest ones. What is measured:
both times, the most memory of all processes together, and whether the honest have the marks that
they have in the class without the hostile. Needs Linux and bubblewrap.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import psutil

from coursebook import course, records
from nbjudge.release import make_release

TESTS = course.root() / "tests" / "nbjudge"
sys.path[:0] = [str(TESTS), str(TESTS / "hostile"), str(Path(__file__).parent)]
import corpus  # noqa: E402
import target_set  # noqa: E402
from grading_speed import ENVIRONMENT, memory_mb  # noqa: E402

SEED = 11

CLASS, HONEST, WORKERS = 100, 10, 2

#: What both classes are graded with: an attack that only waits takes all the time that it may.
LIMITS = {"call-seconds": 2, "cell-seconds": 10, "submission-seconds": 30, "memory-mb": 1024}

#: The limits for such a class: its time as a multiple of a plain one's, and its memory.
MOST_TIMES, MOST_MB = 2.0, 4096.0

#: What honest learners hand in: everything right, or one piece left as it was or wrong.
WRONG = {
    "double": "def double(x):\n    return x * x",
    "sum-squares": "def sum_squares(numbers):\n    return sum(numbers)",
    "attend": "def attend(Q, K, V):\n    return (Q @ K.mT).softmax(-1) @ V",
    "shift": "class Shift(nn.Module):\n    pass",
    "choices": "answers = dict(a=True, b=True, c=True, d=True)",
}


def hand_in_honest(submitted: Path, release: nbformat.NotebookNode, number: int) -> None:
    """The honest submission of this number: right, or wrong in one piece."""
    answers = dict(target_set.RIGHT)
    if wrong := [*WRONG, ""][number % 6]:
        answers[wrong] = WRONG[wrong]
    place = submitted / f"honest-{number:03}" / target_set.NAME
    place.mkdir(parents=True)
    notebook = target_set.answered(release, answers)
    (place / f"{target_set.NAME}.ipynb").write_text(nbformat.writes(notebook))


def graded(made: Path, submitted: Path, into: Path) -> dict:
    """Grade a class by the command; the seconds, the most memory, and the rows of its marks."""
    program = "import sys; from tfcourse.cli import app; app(sys.argv[1:])"
    command = [sys.executable, "-P", "-c", program, "grade", target_set.NAME]
    command += ["--submitted", str(submitted), "--into", str(into), "--seed", str(SEED)]
    command += ["--workers", str(WORKERS)]
    command += [word for name, limit in LIMITS.items() for word in (f"--{name}", str(limit))]
    began, peak = time.perf_counter(), 0.0
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
    if running.returncode:
        log.seek(0)
        raise RuntimeError(f"grading ended with {running.returncode}: {log.read()[-4000:]}")
    with (into / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    return {"seconds": time.perf_counter() - began, "memory_mb": peak, "rows": rows}


def measured(folder: Path, attacks: list[corpus.Attack], honest: int) -> dict:
    """Both classes graded, and what came of it."""
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
        "limits": LIMITS,
        "submissions": len(mixed["rows"]),
        "hostile": len(attacks),
        "plain_seconds": round(plain["seconds"], 1),
        "mixed_seconds": round(mixed["seconds"], 1),
        "times": round(mixed["seconds"] / plain["seconds"], 2),
        "plain_memory_mb": round(plain["memory_mb"]),
        "mixed_memory_mb": round(mixed["memory_mb"]),
        "honest_marks_differ": differ,
        "gained": gained,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="attacks whose name holds this; no record")
    parser.add_argument(
        "--honest", type=int, default=0, help="number of honest submissions; writes no record"
    )
    only, honest = vars(parser.parse_args()).values()
    attacks = [attack for attack in corpus.attacks() if only in attack.name]
    with tempfile.TemporaryDirectory(prefix="class-") as folder:
        honest_ones = honest or max(HONEST, CLASS - len(attacks))
        found = measured(Path(folder), attacks, honest_ones)
    print(json.dumps(found, indent=1))
    if not only and not honest:
        print(records.write("grading-class-of-100", found, seed=SEED).name)
    fine = not found["honest_marks_differ"] and not found["gained"]
    fine = fine and found["times"] <= MOST_TIMES and found["mixed_memory_mb"] <= MOST_MB
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
