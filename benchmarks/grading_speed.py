"""Submissions per minute: this grader with two workers compared with ``nbgrader autograde``.

Both grade the same class on the same machine, which does nothing else, each by its own command
from start to end. Ours includes sandbox, examiner, gradebook and feedback pages. Theirs has its
defaults: one process, no sandbox, no pages. The class is graded at once. ``--blocks 2`` grades it
in two parts by turns, so that a busy moment affects both; each part starts anew, which takes ours
seconds.

Their marks may differ for four reasons, each of which is counted; any other difference is an error.

- nbgrader left the work ungraded.
- It took the points of a test that wrote a warning.
- Ours holds back the points of a test that an answer passes which computes nothing, until a test of
  values passes. The report says of each such test what it passes with.
- An answer changes its inputs in place. Plain nbgrader runs the verbs of ``nbjudge.testing`` in the
  learner's own process, where each one stops at that: all tests of the exercise fail, even if what
  they compare is right (the class's ``s0019`` loses four tests so). Ours takes the points of the
  test that is about it, and no others.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import nbformat
import psutil
from nbgrader.api import Gradebook

from coursebook import course as course_tree
from coursebook import records
from nbjudge.intake import cells
from nbjudge.intake.first_cell import put_first
from nbjudge.judge.holding_back import PASSES_WITH
from nbjudge.run.workers import workers_of
from nbjudge.variants import example_class

SEED = 0

#: The seed of the hidden tests' inputs, the same for both, so that marks can be compared.
INPUTS = 20170612

WORKERS = 2

#: The verbs' message for an answer that changes its inputs.
CHANGES = "changes its input"

#: One thread each, as in grading.
ENVIRONMENT = {
    **os.environ,
    "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
    "NBJUDGE_SEED": str(INPUTS),
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
}

SETTINGS = """\
c = get_config()
c.CourseDirectory.course_id = "speed"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "*.py"]
# A slow machine must not cost a learner marks.
c.Execute.timeout = 120
"""


def memory_mb(process: psutil.Process) -> float:
    """The memory of a process and its descendants, each shared page counted once."""
    return sum(map(share_mb, [process, *process.children(recursive=True)]))


def share_mb(process: psutil.Process) -> float:
    """The memory of a process, each shared page divided among its processes."""
    try:
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:") / 2**10


def look(whole: psutil.Process, peak: dict[str, float]) -> None:
    """Update the peaks with a command's current memory: in total, and of its largest worker.

    Each process is measured once, since that takes time from the command.
    """
    used = {one.pid: share_mb(one) for one in [whole, *whole.children(recursive=True)]}
    peak["all"] = max(peak["all"], sum(used.values()))
    for worker in workers_of(whole.pid):
        mine = [worker, *worker.children(recursive=True)]
        peak["worker"] = max(peak["worker"], sum(used.get(one.pid, 0.0) for one in mine))


def command(
    program: list[str], folder: Path, may_fail: bool = False
) -> tuple[float, dict[str, float]]:
    """Run a command; return the seconds it took, and the peak memory of it and of a worker."""
    began = time.perf_counter()
    log = (folder / "bench.log").open("w+")
    started = subprocess.Popen(program, cwd=folder, env=ENVIRONMENT, stdout=log, stderr=log)
    whole, peak = psutil.Process(started.pid), {"all": 0.0, "worker": 0.0}
    while started.poll() is None:
        with suppress(psutil.Error):
            look(whole, peak)
        # Rarely: measuring costs time, most of all with many processes.
        with suppress(subprocess.TimeoutExpired):
            started.wait(10)
    seconds = time.perf_counter() - began
    if started.returncode and not may_fail:
        log.seek(0)
        raise RuntimeError(f"{' '.join(program)[:200]} failed: {log.read()[-2000:]}")
    log.close()
    return seconds, peak


class Ours:
    """This grader, by its command."""

    def __init__(self, folder: Path, course: Path, problem_set: str):
        self.folder, self.problem_set = folder, problem_set
        folder.mkdir()
        ENVIRONMENT["TFCOURSE_ROOT"] = str(course)

    def grade(self, block: int, submitted: Path) -> tuple[float, dict[str, float]]:
        """Grade one block."""
        program = "import sys; from tfcourse.cli import app; app(sys.argv[1:])"
        asked = ["grade", self.problem_set, "--submitted", str(submitted)]
        asked += ["--into", str(self.folder / str(block)), "--workers", str(WORKERS)]
        asked += ["--seed", str(INPUTS)]
        return command([sys.executable, "-P", "-c", program, *asked], self.folder)

    def results(self) -> dict[tuple[str, str], dict]:
        """Student and test → the report's entry, over all blocks, for tests with points."""
        found = {}
        for report in self.folder.glob("*/report.json"):
            students = json.loads(report.read_text("utf-8"))[self.problem_set]["students"]
            for student, about in students.items():
                for test, result in about["tests"].items():
                    if result["score"] is not None:
                        found[student, test] = result
        return found


class Theirs:
    """A course folder of plain nbgrader's."""

    def __init__(self, folder: Path, course: Path, problem_set: str):
        self.folder, self.problem_set = folder, problem_set
        folder.mkdir()
        (folder / "nbgrader_config.py").write_text(SETTINGS)
        ignored = shutil.ignore_patterns("*.py")
        source = course / "solutions" / problem_set
        shutil.copytree(source, folder / "source" / problem_set, ignore=ignored)
        # Submissions have the first cell of the release, and nbgrader accepts no unknown cells.
        path = folder / "source" / problem_set / f"{problem_set}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        put_first(notebook, course, graded=True)
        nbformat.write(notebook, path)
        command(self.program("generate_assignment"), folder)

    def program(self, what: str) -> list[str]:
        """The command line of one of nbgrader's programs."""
        return [sys.executable, "-m", "nbgrader", what, self.problem_set]

    def grade(self, block: int, submitted: Path) -> tuple[float, dict[str, float]]:
        """Grade one block."""
        here = f"submitted-{block}"
        shutil.copytree(submitted, self.folder / here)
        asked = [f"--CourseDirectory.submitted_directory={here}"]
        # It fails as a whole if it could not grade one.
        return command([*self.program("autograde"), *asked], self.folder, may_fail=True)

    def marks(self) -> dict[tuple[str, str], float]:
        """Student and test → points given automatically."""
        url = f"sqlite:///{self.folder / 'gradebook.db'}"
        with Gradebook(url, "speed") as book:
            return {
                (submission.student.id, grade.name): grade.auto_score
                for submission in book.assignment_submissions(self.problem_set)
                for notebook in submission.notebooks
                for grade in notebook.grades
                if grade.auto_score is not None
            }

    def why_wrong(self, student: str, test: str) -> str:
        """Why its mark for a test is not the test's own verdict; empty if it is."""
        path = self.folder / "autograded" / student / self.problem_set / f"{self.problem_set}.ipynb"
        if not path.is_file():
            return "nbgrader did not grade the work"
        (cell,) = (c for c in nbformat.read(path, 4).cells if cells.grade_id(c) == test)
        errors = [out.evalue for out in cell.outputs if out.output_type == "error"]
        if any(CHANGES in error for error in errors):
            return "nbgrader takes the points of every test for one changed input"
        # Text on stderr without an exception is a warning.
        if not errors and any(out.get("name") == "stderr" for out in cell.outputs):
            return "nbgrader takes the points for a warning"
        return ""


def why_differ(key: tuple[str, str], ours: dict, theirs: Theirs) -> str:
    """Why the two give different marks; empty if that is not known."""
    mine = ours.get(key)
    if mine is None:
        return ""
    if any(note.startswith(PASSES_WITH) for note in mine["seen"]):
        return "ours holds the points back until a test of values passes"
    why = theirs.why_wrong(*key)
    exercise = cells.exercise_of(key[1])
    said = any(
        CHANGES in result["message"]
        for (student, test), result in ours.items()
        if student == key[0] and cells.exercise_of(test) == exercise
    )
    return why if said or "changed input" not in why else ""


def compare(ours: Ours, theirs: Theirs) -> dict:
    """How many marks differ for each known reason, and which differ for none."""
    results, other = ours.results(), theirs.marks()
    if not other:
        said = (theirs.folder / "bench.log").read_text()[-2000:]
        raise SystemExit(
            f"nbgrader graded nothing, so there is nothing to compare. It said:\n{said}"
        )
    mine = {key: result["score"] for key, result in results.items()}
    differ = sorted(key for key in mine.keys() | other.keys() if mine.get(key) != other.get(key))
    why = {key: why_differ(key, results, theirs) for key in differ}
    return {
        "marks compared": len(mine.keys() & other.keys()),
        "submissions that nbgrader did not grade": len(
            {student for student, _ in mine} - {student for student, _ in other}
        ),
        "marks that differ, by reason": dict(Counter(filter(None, why.values())).most_common()),
        "marks that differ otherwise": [
            {"student": s, "test": t, "ours": mine.get((s, t)), "nbgrader": other.get((s, t))}
            for s, t in differ
            if not why[s, t]
        ],
    }


def main() -> None:
    """Measure, print, and write the record unless it was a quick look."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--submissions", type=int, default=200)
    options.add_argument("--blocks", type=int, default=1)
    options.add_argument("--problem-set", default="ps05-self-attention")
    options.add_argument("--quick", action="store_true", help="8 submissions, 2 blocks, no record")
    asked = options.parse_args()
    if asked.quick:
        asked.submissions, asked.blocks = 8, 2
    course = course_tree.root()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        whole = folder / "class"
        example_class(asked.problem_set, course, whole, asked.submissions, SEED)
        students = sorted(path.name for path in whole.iterdir())
        ways = {
            "tfcourse": Ours(folder / "ours", course, asked.problem_set),
            "nbgrader": Theirs(folder / "theirs", course, asked.problem_set),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        peaks: dict[str, list[dict]] = {name: [] for name in ways}
        for block in range(asked.blocks):
            part = folder / f"block-{block}"
            for student in students[block :: asked.blocks]:
                shutil.copytree(whole / student, part / student)
            for name, way in ways.items():
                took, peak = way.grade(block, part)
                seconds[name].append(took)
                peaks[name].append(peak)
        ratios = [t / o for t, o in zip(seconds["nbgrader"], seconds["tfcourse"], strict=True)]
        count = len(students)
        results = {
            "problem set": asked.problem_set,
            "submissions": count,
            "workers": WORKERS,
            "seconds per submission": {n: round(sum(s) / count, 3) for n, s in seconds.items()},
            "submissions per minute": {
                n: round(60 * count / sum(s), 1) for n, s in seconds.items()
            },
            "times as many per minute, median of blocks": round(statistics.median(ratios), 2),
            "times as many per minute, each block": [round(ratio, 2) for ratio in ratios],
            "peak memory in MiB": {
                "tfcourse, a worker with its kernels and examiner": round(
                    max(peak["worker"] for peak in peaks["tfcourse"])
                ),
                "tfcourse, all of it": round(max(peak["all"] for peak in peaks["tfcourse"])),
                "nbgrader, all of it": round(max(peak["all"] for peak in peaks["nbgrader"])),
            },
            **compare(ways["tfcourse"], ways["nbgrader"]),
        }
    print(json.dumps(results, indent=1))
    if not asked.quick:
        records.write("grading-speed", results, seed=SEED)
    if results["marks that differ otherwise"]:
        sys.exit("marks differ for no known reason")


if __name__ == "__main__":
    main()
