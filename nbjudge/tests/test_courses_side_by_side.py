"""Two courses in one environment, in which a third is installed: each by its own folder."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from around import SMALL
from command_line import COURSES, run_outside, table_in
from small_set import answered, hand_in

from nbjudge import sandbox
from nbjudge.intake import cells
from nbjudge.judge import solution_of
from nbjudge.run.judging import FEW

#: Course → its problem set, the folders of its source and release, and the points there are.
SETS = {
    "sorting": ("ps01-sorting", "solutions", "notebooks/assignments", 12),
    "heights": ("ps1", "source", "release", 12),
}

pytestmark = pytest.mark.thorough("use of another course")


@pytest.fixture(scope="module")
def courses(tmp_path_factory):
    """A folder with both courses, released by their folders, each with a class of two."""
    folder = tmp_path_factory.mktemp("side by side")
    for name, (problem_set, source, release, _) in SETS.items():
        shutil.copytree(COURSES / name, folder / name)
        made = run_outside(folder, "nbjudge", "release", "--course", name)
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


@pytest.mark.parametrize(
    ("name", "programs"),
    [("sorting", ("nbjudge", "tfcourse")), ("heights", ("tfcourse", "nbjudge"))],
)
def test_each_is_graded_by_its_folder(courses, tmp_path, name, programs):
    """By either command, named or stood in: what one has judged, the other finds the same."""
    problem_set, _, _, most = SETS[name]
    for program in programs:
        stands_in_it = program == "nbjudge"
        asked = ["--submitted", courses / name / "submitted", "--into", tmp_path / "graded"]
        asked += [] if stands_in_it else ["--course", courses / name]
        asked += ["--sandbox" if sandbox.status().works else "--no-sandbox", "--workers", "1"]
        folder = courses / name if stands_in_it else courses
        graded = run_outside(folder, program, "grade", problem_set, *asked)
        assert graded.returncode == 0, graded.stdout + graded.stderr
        table = table_in(tmp_path / "graded" / "grades.csv")
        scores = {row["student"]: float(row["score"]) for row in table}
        assert scores == {"right": most, "blank": 0}
        report = json.loads((tmp_path / "graded" / "report.json").read_text("utf-8"))[problem_set]
        assert "tfcourse" not in json.dumps(report["versions"])
        assert len(report["executed"]) == (2 if program == programs[0] else 0)
        assert (f"{'sorts' if name == 'sorting' else 'nbjudge'} mark" in graded.stdout) or (
            " mark " not in graded.stdout
        )


def test_a_folder_without_a_course_is_refused(courses, tmp_path):
    done = run_outside(tmp_path, "nbjudge", "release", "--course", courses)
    assert done.returncode == 2 and "there is no course in that folder" in done.stderr
    done = run_outside(tmp_path, "nbjudge", "release")
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
    graded = run_outside(tmp_path, "python", "-c", AFTER_ANOTHER, *folders, tmp_path / "graded")
    assert graded.stdout.split() == ["10.0"], graded.stdout + graded.stderr
