"""What hostile submissions gain under plain nbgrader and under the course's grader.

The corpus is that of ``nbjudge/tests/hostile``. Plain nbgrader grades each submission, and then an
honest one, in a throw-away jail of its own, so that no attack can affect this machine. Needs Linux
and bubblewrap.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from coursebook import course, records
from nbjudge.intake.release import make_release
from nbjudge.judge import Limits
from nbjudge.run.engine import grade
from nbjudge.sandbox import jail

TESTS = course.root() / "nbjudge" / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "hostile")]
import corpus  # noqa: E402
import target_set  # noqa: E402

SEED = 11

#: Honest submissions: one graded before an attack, one after it.
BEFORE, AFTER = "a-neighbour", "z-neighbour"

FULL = float(sum(target_set.POINTS.values()))

#: The message if a kernel did not start in time on a busy machine: that is retried once.
NO_KERNEL = "Kernel didn't respond"

#: The total time for plain nbgrader to grade a submission and its neighbour.
SECONDS = 400

SETTINGS = """
c = get_config()
c.CourseDirectory.course_id = "target"
c.CourseDirectory.notebook_id = "*"
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("Your code goes here.")'}
c.IncludeHeaderFooter.enabled = False
"""

#: Run in the jail: copy the class to an in-memory file system, grade it, and report its marks.
INSIDE = """
import json, os, shutil, sqlite3, subprocess, sys
shutil.copytree("/prepared", "/learner/class", symlinks=True)
os.chdir("/learner/class")
command = [sys.executable, "-m", "nbgrader", "autograde", {name!r}]
for _ in range(2):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout={seconds}, check=False)
    if {no_kernel!r}.encode() not in done.stderr:
        break
book = sqlite3.connect("gradebook.db")
rows = book.execute(
    "SELECT s.student_id, sum(coalesce(g.manual_score, g.auto_score, 0)) "
    "FROM submitted_assignment s JOIN submitted_notebook n ON n.assignment_id = s.id "
    "JOIN grade g ON g.notebook_id = n.id GROUP BY s.student_id").fetchall()
if {keep}:
    shutil.copytree("/learner/class", "/out/class")
with open("/out/marks.json", "w") as out:
    json.dump({{"status": done.returncode, "marks": dict(rows)}}, out)
"""


def prepare(folder: Path) -> tuple[Path, nbformat.NotebookNode]:
    """A class for plain nbgrader with :data:`BEFORE` already graded, and the release."""
    root = folder / "class"
    source = root / "source" / target_set.NAME
    source.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(SETTINGS)
    nbformat.write(target_set.source_notebook(), source / f"{target_set.NAME}.ipynb")
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", target_set.NAME],
        cwd=root,
        check=True,
        capture_output=True,
        # nbgrader calls other programs of its environment by name.
        env=os.environ | {"PATH": f"{sys.prefix}/bin:{os.environ['PATH']}"},
    )
    path = root / "release" / target_set.NAME / f"{target_set.NAME}.ipynb"
    release = nbformat.read(path, as_version=4)
    hand_in_right(root / "submitted", BEFORE, release)
    marks = in_plain_nbgrader(root, folder / "first", keep=True)
    if marks is None or marks[BEFORE] != FULL:
        raise RuntimeError(f"plain nbgrader gives an honest learner {marks}")
    return folder / "first" / "out" / "class", release


def hand_in_right(submitted: Path, student: str, release: nbformat.NotebookNode) -> None:
    """An honest submission."""
    place = submitted / student / target_set.NAME
    place.mkdir(parents=True)
    right = target_set.answered(release, target_set.RIGHT)
    (place / f"{target_set.NAME}.ipynb").write_text(nbformat.writes(right))
    target_set.enclose(place)


def by_plain_nbgrader(root: Path, release: nbformat.NotebookNode, attack: corpus.Attack) -> dict:
    """How plain nbgrader grades one attack and the honest submission after it."""
    with tempfile.TemporaryDirectory(prefix="attack-") as made:
        folder = Path(made)
        shutil.copytree(root, folder / "class", symlinks=True)
        attack.hand_in(folder / "class" / "submitted", release)
        hand_in_right(folder / "class" / "submitted", AFTER, release)
        marks = in_plain_nbgrader(folder / "class", folder / "run")
    ended, marks = marks is not None, marks or {}
    return {
        "attack": marks.get(attack.name, 0.0),
        "neighbour": marks.get(AFTER),
        "earlier": marks.get(BEFORE),
        "ended": ended,
    }


def in_plain_nbgrader(root: Path, folder: Path, keep: bool = False) -> dict[str, float] | None:
    """The marks that plain nbgrader gives a class; ``None`` if it does not finish."""
    folder.parent.chmod(0o755)
    folder.mkdir()
    for name in ("out", "stage"):
        (folder / name).mkdir()
        (folder / name).chmod(0o777)
    for path in (folder, root, *root.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    inside = INSIDE.format(
        name=target_set.NAME, seconds=SECONDS // 2 - 5, no_kernel=NO_KERNEL, keep=keep
    )
    in_jail([sys.executable, "-c", inside], folder, root, folder / "out")
    try:
        return json.loads((folder / "out" / "marks.json").read_text())["marks"]
    except (OSError, ValueError):
        return None


def in_jail(program: Sequence[str], folder: Path, prepared: Path, out: Path) -> None:
    """Run an untrusted program: no network, a read-only system, limits, a timeout."""
    # Plain nbgrader runs notebooks with the full packages installed, judge and answers included.
    packages = [
        str(jail.PACKAGE_ROOT / name) for name in ("tfcourse", "nbjudge", "nbjudge_tfcourse")
    ]
    seen = [path for path in jail.visible() if not path.startswith(tuple(packages))] + packages
    asked = [str(jail.bubblewrap()), "--unshare-all", "--uid", "1000", "--gid", "1000"]
    asked += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    for path in seen:
        asked += ["--ro-bind", f"from:{path}", path]
    for name in ("bin", "lib", "lib64"):
        if os.path.islink(f"/{name}"):
            asked += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
    asked += ["--ro-bind", f"from:{prepared}", "/prepared", "--bind", f"from:{out}", "/out"]
    asked += ["--proc", "/proc", "--dev", "/dev", "--size", "300000000", "--tmpfs", "/tmp"]
    asked += ["--size", "300000000", "--tmpfs", "/learner", "--size", "50000000"]
    asked += ["--tmpfs", "/dev/shm", "--setenv", "HOME", "/learner", "--setenv", "PATH"]
    asked += [f"{sys.prefix}/bin:/usr/bin:/bin", "--setenv", "OMP_NUM_THREADS", "1"]
    limits = ["--nproc=300", "--fsize=200000000", "--as=6000000000", "--cpu=240", "--core=0"]
    asked += ["--setenv", "PYTHONPATH", str(jail.PACKAGE_ROOT), "--chdir", "/learner"]
    asked += ["--", shutil.which("prlimit"), *limits, *program]
    plan = {"package": str(jail.PACKAGE_ROOT), "stage": str(folder / "stage")}
    plan |= {"paths": [*seen, str(prepared), str(out)], "command": asked}
    plan |= dict(zip(("uid", "gid"), jail.owner(), strict=True))
    enter = str(Path(jail.__file__).with_name("enter.py"))
    running = subprocess.Popen(
        [sys.executable, "-I", "-S", enter, json.dumps(plan)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        running.wait(SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def by_ours(folder: Path, attacks: list[corpus.Attack]) -> dict[str, dict]:
    """How the course's grader grades all of them, in one class with two honest learners."""
    made = target_set.make_course(folder / "course")
    make_release(target_set.NAME, made)
    path = made / "notebooks" / "assignments" / target_set.NAME / f"{target_set.NAME}.ipynb"
    release = nbformat.read(path, as_version=4)
    submitted = folder / "submitted"
    for name in (BEFORE, AFTER):
        hand_in_right(submitted, name, release)
    for attack in attacks:
        attack.hand_in(submitted, release)
    limits = Limits(call_seconds=2, cell_seconds=10, submission_seconds=30, memory_mb=1024)
    report = grade(
        target_set.NAME, submitted, folder / "graded", course=made, workers=2, limits=limits,
        seed=SEED,
    )  # fmt: skip
    honest = {name: report.students[name].score for name in (BEFORE, AFTER)}
    if set(honest.values()) != {FULL} or report.unfinished:
        raise RuntimeError(f"honest learners have {honest}, unfinished: {report.unfinished}")
    return {
        attack.name: {
            "attack": report.students[attack.name].score,
            "flagged": bool(report.students[attack.name].flags),
        }
        for attack in attacks
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="jails at a time")
    parser.add_argument("--only", default="", help="attacks whose name contains this; no record")
    parser.add_argument("--keep", type=Path, help="where to keep results, which are not run again")
    jobs, only, keep = vars(parser.parse_args()).values()
    attacks = [attack for attack in corpus.attacks() if only in attack.name]
    lines = keep.read_text().splitlines() if keep and keep.is_file() else []
    plain = {found["name"]: found["found"] for found in map(json.loads, lines)}
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        root, release = prepare(Path(folder))

        def one(attack: corpus.Attack) -> None:
            found = plain[attack.name] = by_plain_nbgrader(root, release, attack)
            print(attack.name, found, flush=True)
            if keep:
                with keep.open("a") as out:
                    out.write(json.dumps({"name": attack.name, "found": found}) + "\n")

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, [attack for attack in attacks if attack.name not in plain]))
        ours = by_ours(Path(folder) / "ours", attacks)
    results = {
        "points": FULL,
        "attacks": [
            {
                "name": attack.name,
                "kind": attack.kind,
                "tries": attack.tries,
                "honest": attack.honest,
                "nbgrader": plain[attack.name],
                "tfcourse": ours[attack.name],
            }
            for attack in attacks
        ],
    }
    if only:
        print(json.dumps(results, indent=1))
    else:
        print(records.write("grading-attacks", results, seed=SEED).name)


if __name__ == "__main__":
    main()
