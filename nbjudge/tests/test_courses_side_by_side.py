"""Two courses in one environment, in which a third is installed: each by its own folder."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from around import SMALL
from small_set import answered, hand_in

from nbjudge import sandbox
from nbjudge.intake import cells
from nbjudge.judge import solution_of
from nbjudge.run.judging import FEW

HERE = Path(__file__).parent / "courses"
BIN = Path(sys.executable).parent

#: Course → its problem set, the folders of its source and release, and the points there are.
COURSES = {
    "sorting": ("ps01-sorting", "solutions", "notebooks/assignments", 12),
    "heights": ("ps1", "source", "release", 12),
}

pytestmark = pytest.mark.thorough("use of another course")


def run(folder, program, *arguments):
    """Run a command of this environment's in a folder."""
    return subprocess.run(
        [BIN / program, *map(str, arguments)],
        env={**os.environ, "COLUMNS": "200"}, cwd=folder, capture_output=True, text=True,
        timeout=600,
    )  # fmt: skip


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """A folder with both courses, released by their folders, each with a class of two."""
    folder = tmp_path_factory.mktemp("side by side")
    for name, (problem_set, source, release, _) in COURSES.items():
        shutil.copytree(HERE / name, folder / name)
        made = run(folder, "nbjudge", "release", "--course", name)
        assert made.returncode == 0, made.stdout + made.stderr
        path = Path(problem_set, f"{problem_set}.ipynb")
        right = solution_of(nbformat.read(folder / name / source / path, 4))
        for student, answers in (("right", right), ("blank", {})):
            notebook = nbformat.read(folder / name / release / path, 4)
            for cell in notebook.cells:
                cell.source = answers.get(cells.grade_id(cell), cell.source)
            into = folder / name / "submitted" / student / path
            shutil.copytree(folder / name / release / problem_set, into.parent)
            nbformat.write(notebook, into)
    (folder / "sorting" / "course.toml").write_text('command = "sorts"\n')
    return folder


@pytest.mark.parametrize("name", COURSES)
@pytest.mark.parametrize("program", ["nbjudge", "tfcourse"])
def test_each_is_graded_by_its_folder(courses, tmp_path, name, program):
    """By either command, named or stood in."""
    problem_set, _, _, most = COURSES[name]
    stands_in_it = program == "nbjudge"
    asked = ["--submitted", courses / name / "submitted", "--into", tmp_path / "graded"]
    asked += [] if stands_in_it else ["--course", courses / name]
    asked += ["--sandbox" if sandbox.status().works else "--no-sandbox", "--workers", "1"]
    graded = run(courses / name if stands_in_it else courses, program, "grade", problem_set, *asked)
    assert graded.returncode == 0, graded.stdout + graded.stderr
    with (tmp_path / "graded" / "grades.csv").open(encoding="utf-8") as file:
        scores = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"right": most, "blank": 0}
    report = json.loads((tmp_path / "graded" / "report.json").read_text("utf-8"))
    assert "tfcourse" not in json.dumps(report[problem_set]["versions"])
    assert (f"{'sorts' if name == 'sorting' else 'nbjudge'} mark" in graded.stdout) or (
        " mark " not in graded.stdout
    )


def test_a_folder_without_a_course_is_refused(courses, tmp_path):
    done = run(tmp_path, "nbjudge", "release", "--course", courses)
    assert done.returncode == 2 and "there is no course in that folder" in done.stderr
    done = run(tmp_path, "nbjudge", "release")
    assert done.returncode == 2 and "name it with --course" in done.stderr


#: Its workers' server was started for the course in the first folder.
AFTER_ANOTHER = """
import sys
from pathlib import Path

other, own, tests, course, submitted, into = map(Path, sys.argv[1:])
sys.path.insert(0, str(tests))
import small_set
from nbjudge.inside.program import go_to
from nbjudge.run.workers import warm_up

go_to(other)
warm_up()
go_to(own)
print(small_set.grade(submitted, into, course, workers=2).students["ada"].score)
"""


def test_a_process_grades_one_course_after_another(courses, small_course, tmp_path):
    """The small set's values are tensors, those of the course before are not."""
    submitted = tmp_path / "submitted"
    for student in ("ada", *map(str, range(FEW))):  # more than the process judges itself
        hand_in(submitted, student, answered(small_course))
    folders = courses / "sorting", SMALL, Path(__file__).parent, small_course, submitted
    graded = run(tmp_path, "python", "-c", AFTER_ANOTHER, *folders, tmp_path / "graded")
    assert graded.stdout.split() == ["10.0"], graded.stdout + graded.stderr
