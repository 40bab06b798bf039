"""A class of 30 as Canvas and Moodle give it: collected, graded, exported, nothing renamed."""

import shutil
import zipfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from around import SMALL
from autograded import check_stored, marks
from command_line import printed_outside, table_in
from damaged import DAMAGED, content
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from small_set import (
    NAME,
    answered,
    cell,
    grade,
    release_of,
    source_notebook,
    with_first_lines,
)

from nbjudge.collect.collecting import collect
from nbjudge.intake import cells, roster
from nbjudge.intake.find import take_in
from nbjudge.intake.release import normalised
from nbjudge.report import exports

pytestmark = [
    pytest.mark.thorough("grading of small classes"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::sqlalchemy.exc.SAWarning"),
]

SETS = [NAME, "ps98-other"]

#: Not graded, or not as it may be meant: the mark waits for the instructor.
HELD = {"cutoff", "webpage", "export", "another", "deleted", "twofiles"}

#: Wrong or empty, and finally so.
LOST = {"empty", "away"}


def the_class(course):
    """Each learner's files: a list of a name and its content."""
    right = content(answered(course))
    deleted = answered(course)
    deleted.cells.remove(cell(deleted, "double"))
    packed = Path(course) / "packed.zip"
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(f"{NAME}/{NAME}.ipynb", right)
        file.writestr("__MACOSX/._x", "junk")
    own = answered(course, double="def double(x):\n    return sum([x, x])")
    named = {
        "plain": f"{NAME}.ipynb",
        "late": f"{NAME}-1.ipynb",
        "again": f"{NAME} (1).ipynb",
        "capitals": f"{NAME.upper()}.ipynb",
        "ownname": f"{NAME}-ownname.ipynb",
        "untitled": "Untitled3.ipynb",
        "text": f"{NAME}.ipynb.txt",
        "jason": f"{NAME}.json",
    }
    files = {student: [(name, right)] for student, name in named.items()}
    files["packed"] = [(f"{NAME}.zip", packed.read_bytes())]
    files["junk"] = [("my work.ipynb", right), ("._my work.ipynb", b"junk"), ("plot.png", b"?")]
    files |= {
        kind.replace("-", ""): [(f"{NAME}.ipynb", content(make(course)))]
        for kind, make in DAMAGED.items()
    }
    files |= {
        "wei one": [(f"{NAME}.ipynb", content(own))],
        "wei two": [(f"{NAME}.ipynb", right)],
        "empty": [(f"{NAME}.ipynb", content(release_of(course)))],
        "cutoff": [(f"{NAME}.ipynb", right[: len(right) // 2])],
        "webpage": [(f"{NAME}.ipynb", b"<!DOCTYPE html><html></html>")],
        "export": [(f"{NAME}.py", b"def double(x): ...")],
        "another": [
            (f"{NAME}.ipynb", content(new_notebook(cells=[new_code_cell("def merge(): ...")])))
        ],
        "deleted": [(f"{NAME}.ipynb", content(deleted))],
        "twofiles": [
            (f"{NAME}.ipynb", right),
            (f"{NAME} (1).ipynb", content(release_of(course))),
        ],
    }
    return files


def download(path, files, name):
    """A platform's zip of all submissions; ``name`` makes a path from learner, number and file."""
    with zipfile.ZipFile(path, "w") as file:
        for number, (student, handed) in enumerate(files.items(), 100):
            for place, (called, text) in enumerate(handed):
                who = "wei" if student.startswith("wei ") else student
                file.writestr(name(who, number, 9000 + 10 * number + place, called), text)
    return path


@pytest.fixture(scope="module")
def collected(small_course, tmp_path_factory):
    """The class as both platforms give it, and the names that its learners get."""
    folder = tmp_path_factory.mktemp("collected")
    files = the_class(small_course)
    lines = [
        f'"{who}",{number},S{number},login{number},A,'
        for number, who in enumerate(
            [*("wei" if w[:4] == "wei " else w for w in files), "away"], 100
        )
    ]
    (folder / "gradebook.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Small (1)\n    Points Possible,,,,,13\n"
        + "\n".join(lines)
    )
    (folder / "worksheet.csv").write_text(
        "Identifier,Full name,Email address,Status,Last modified (submission)\n"
        + "\n".join(
            f"Participant {number},{'wei' if who[:4] == 'wei ' else who},mail{number}@x.org,,-"
            for number, who in enumerate([*files, "away"], 100)
        )
    )

    def canvas(who, number, file, called):
        late = "LATE_" if who == "late" else ""
        return f"{who}_{late}{number}_{file}_{called}"

    def moodle(who, number, file, called):
        return f"{who}_{number}_assignsubmission_file/{called}"

    both = {}
    for kind, name in (("canvas", canvas), ("moodle", moodle)):
        source = download(folder / f"{kind}.zip", files, name)
        table = folder / ("gradebook.csv" if kind == "canvas" else "worksheet.csv")
        both[kind] = collect(kind, source, folder / kind, SETS, gradebook=table)
    names = {student: student for student in files}
    for number, student in enumerate(files, 100):
        if student.startswith("wei "):
            names[student] = f"wei-{number}"
    return SimpleNamespace(folder=folder, made=both, files=files, names=names)


@pytest.fixture(scope="module")
def marked(one_nursery, collected, small_course):
    """The class graded from Canvas's download."""
    into = collected.folder / "graded"
    report = grade(collected.folder / "canvas", into, small_course)
    return SimpleNamespace(report=report, into=into)


def test_everybody_is_collected_and_no_file_is_lost(collected):
    assert len(collected.files) == 30
    for kind in ("canvas", "moodle"):
        made = collected.made[kind]
        assert sorted(made.new) == sorted(collected.names.values()), kind
        assert (made.left, made.notes) == ([], [])
        for student in collected.names.values():
            one = take_in(collected.folder / "canvas" / student, NAME, sets=SETS)
            other = take_in(collected.folder / kind / student, NAME, sets=SETS)
            assert (one.content, one.flags) == (other.content, other.flags), student


def test_no_right_answer_has_a_zero_that_is_not_held(collected, marked):
    students = marked.report.students
    assert len(students) == 31
    assert set(marked.report.held) == HELD
    for name, student in students.items():
        if name in HELD | LOST:
            continue
        scores = {e: score.score for e, score in student.exercises.items()}
        assert scores == {"double": 5, "sum-squares": 5, "explain": None}, name
    assert students["away"].flags == ["nothing handed in"]
    for name in HELD - {"deleted", "twofiles"}:
        assert students[name].score == 0
    receipts = table_in(collected.folder / "canvas" / "receipts.csv")
    late = {row["student"]: row["late"] for row in receipts}
    assert [name for name, is_late in late.items() if is_late == "yes"] == ["late"]


def test_the_pages_speak_to_learners(marked):
    for student in marked.report.students:
        page = (marked.into / "feedback" / student / NAME / f"{NAME}.html").read_text("utf-8")
        assert "ours was run" not in page and "no answer counts" not in page
        assert ("Your points are not final" in page) == (student in HELD), student
    overview = (marked.into / "overview" / f"{NAME}.html").read_text("utf-8")
    assert overview.index("<h2>Held</h2>") < overview.index("<h2>Scores</h2>")


def test_what_is_held_is_exported_once_the_instructor_has_looked(
    collected, marked, small_course, tmp_path
):
    submitted = collected.folder / "canvas"
    people = roster.people(submitted)

    def exported(report):
        path = exports.write_export("canvas", report, people, tmp_path, provisional=True)
        return {row["ID"]: row[NAME] for row in table_in(path) if row["ID"]}

    ids = {name: people[name]["ID"] for name in people}
    first = exported(marked.report)
    assert first.keys() == {ids[name] for name in people if name not in HELD}
    assert first[ids[collected.names["wei two"]]] == "10"
    again = grade(submitted, marked.into, small_course, accept=["deleted", "cutoff"])
    assert again.executed == [], "nothing is run for it"
    assert set(again.held) == HELD - {"deleted", "cutoff"}
    assert exported(again)[ids["deleted"]] == "5"
    # What was accepted was that work: other work is looked at anew.
    path = submitted / "cutoff" / NAME / f"{NAME}.ipynb"
    path.write_bytes(path.read_bytes()[:-100])
    assert "cutoff" in grade(submitted, marked.into, small_course).held


def test_moodle_gets_the_same_marks_by_its_own_ids(collected, marked, tmp_path):
    """The names are the same in both downloads, the ids are each platform's own."""
    people = roster.people(collected.folder / "moodle")
    assert people.keys() == marked.report.students.keys()
    path = exports.write_export("moodle", marked.report, people, tmp_path, provisional=True)
    marks = {row["Email address"]: row[NAME] for row in table_in(path)}
    mail = {name: people[name]["Email address"] for name in people}
    assert marks.keys() == {mail[name] for name in people if name not in HELD}
    assert marks[mail[collected.names["wei two"]]] == "10" and marks[mail["empty"]] == "0"


#: Damaged notebooks that nbgrader grades too, for comparison. It ends with an error at two cells of
#: one name, and at a notebook of another name than the set's.
COMPARED = [kind for kind in DAMAGED if kind != "untouched-copy-last"]


@pytest.fixture
def for_nbgrader(tmp_path):
    """A course of nbgrader's, and what is compared, handed in there."""
    course = tmp_path / "course"
    (course / "source" / NAME).mkdir(parents=True)
    source = with_first_lines(source_notebook())
    nbformat.write(source, course / "source" / NAME / f"{NAME}.ipynb")
    shutil.copy(SMALL / "course.toml", course)  # its values are tensors
    (course / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'c'\n"
        "c.CourseDirectory.release_directory = 'notebooks/assignments'\n"
        "c.ClearSolutions.code_stub = {'python': 'raise NotImplementedError'}\n"
    )
    printed_outside(course, "nbgrader", "generate_assignment", NAME)
    for kind in COMPARED:
        path = course / "submitted" / kind / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(content(DAMAGED[kind](course)))
    ours = course / "submitted" / "ours" / NAME / f"{NAME}.ipynb"
    ours.parent.mkdir(parents=True)
    nbformat.write(answered(course), ours)
    ours.write_bytes(normalised(ours, course))  # with the cells that a release adds
    assert sum(map(cells.is_added, nbformat.read(ours, as_version=4).cells)) == 2
    return course


def autograde(course):
    """The points that nbgrader gives, by what was handed in."""
    printed_outside(course, "nbgrader", "autograde", NAME)
    with Gradebook(f"sqlite:///{course}/gradebook.db", "c") as book:
        return {
            submission.student.id: sum(
                result.auto_score or 0
                for notebook in submission.notebooks
                for result in notebook.grades
            )
            for submission in book.assignment_submissions(NAME)
        }


def test_never_less_than_nbgrader_gives_unless_it_is_held(marked, for_nbgrader):
    theirs = dict(marks("damaged", for_nbgrader, lambda: autograde(for_nbgrader)))
    assert theirs["retyped"] == theirs.pop("ours") == 10, "nbgrader does grade this set"
    assert {*theirs} == {*COMPARED}
    for kind, points in theirs.items():
        result = marked.report.students[kind.replace("-", "")]
        assert result.score >= points or result.held, kind


@pytest.mark.release("check of stored marks")
def test_the_stored_marks_are_nbgraders(for_nbgrader):
    check_stored("damaged", for_nbgrader, lambda: autograde(for_nbgrader))
