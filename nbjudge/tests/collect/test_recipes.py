"""The recipes of `book/teach.md` under "Collect", each run word for word."""

import re
import shlex
import shutil

import nbformat
import pytest
from command_line import run_in_one_line
from small_set import COURSE_ID, NAME, answered, hand_in
from test_collect import CANVAS, GRADEBOOK, below, download, notebook, table

from nbjudge.collect.collecting import collect
from nbjudge.course import problem_set_names
from nbjudge.intake import cells, roster
from nbjudge.intake.find import parse, take_in
from nbjudge.intake.merge import blank, merge
from nbjudge.intake.sources import release_folder
from nbjudge.judge import names_of
from nbjudge.report import filling
from nbjudge.store.results import Report, StudentResult, TestResult

EXCHANGE = "/usr/local/share/nbgrader/exchange"


@pytest.fixture
def run(in_small_course, tmp_path, monkeypatch):
    """Run a recipe in an empty folder: the files that it names are put there by the test."""
    monkeypatch.chdir(tmp_path)

    def call(line):
        program, *arguments = shlex.split(line.replace(EXCHANGE, str(tmp_path / "exchange")))
        assert program == "tfcourse"
        code, output = run_in_one_line(*arguments)
        assert code == 0, output
        return output

    return call


@pytest.fixture(scope="module")
def recipes(course):
    """The lines of the first block below the heading, by what they collect from."""
    text = (course / "book" / "teach.md").read_text("utf-8").split("\n## Collect\n")[1]
    lines = re.search(r"```bash\n(.*?)```", text, re.DOTALL)[1].strip().splitlines()
    return {line.split()[2]: line for line in lines}


def test_all_four_are_there(recipes):
    assert list(recipes) == ["canvas", "moodle", "folder", "exchange"]


def test_canvas(recipes, run, tmp_path):
    (tmp_path / "gradebook.csv").write_text(GRADEBOOK)
    download(tmp_path, {f"loveada_17_9_{NAME}.ipynb": notebook(), "x.txt": "?"})
    output = run(recipes["canvas"])
    assert f"{NAME}: 1 learner collected, 0 handed in again, 0 unchanged, in submitted" in output
    assert "not taken: x.txt: not named as Canvas names files: whose is it?" in output
    assert below(tmp_path / "submitted") == {f"loveada/{NAME}/{NAME}.ipynb"}
    assert len(table(tmp_path / "submitted" / "roster.csv")) == 4


def test_from_canvas_and_back(tmp_path):
    """Its gradebook names the class, and takes the marks; two learners have one name."""
    theirs = tmp_path / "gradebook.csv"
    theirs.write_text(GRADEBOOK)
    into = tmp_path / "submitted"
    collect("canvas", download(tmp_path, CANVAS), into, [NAME], gradebook=theirs)
    people = roster.people(into)
    assert [*people] == ["awayal", "loveada", "wangwei-4711", "wangwei-4712"]
    tests = {"a--x": TestResult(1.0, 13.0)}
    marked = Report(NAME, {name: StudentResult(tests) for name in people if name != "awayal"})
    made = filling.fill("canvas", theirs, marked, people, tmp_path, column="77")
    assert made.remarks == []
    assert made.path.read_text() == re.sub(r"(?m)(ada|wei\d),([AB]),$", r"\1,\2,1", GRADEBOOK)


def test_moodle(recipes, run, tmp_path):
    (tmp_path / "worksheet.csv").write_text("Identifier,Full name\nParticipant 4,Ada Love\n")
    download(tmp_path, {f"Ada Love_4_assignsubmission_file/{NAME}.ipynb": notebook()})
    assert "1 learner collected" in run(recipes["moodle"])
    assert below(tmp_path / "submitted") == {f"Ada Love/{NAME}/{NAME}.ipynb"}


def test_folder(recipes, run, small_course, tmp_path):
    hand_in(tmp_path / "mail", "ada", answered(small_course))
    assert "1 learner collected" in run(recipes["folder"])
    assert take_in(tmp_path / "submitted" / "ada", NAME).content


def test_exchange(recipes, run, small_course, tmp_path):
    inbound = tmp_path / "exchange" / COURSE_ID / "inbound"
    for time, double in (("09", "double = abs"), ("10", "def double(x): return 2 * x")):
        folder = f"ada+{NAME}+2026-11-30 {time}:00:00 UTC+x"
        path = hand_in(inbound, folder, answered(small_course, double=double))
        for file in path.parent.iterdir():  # nbgrader's exchange has no folder in between
            shutil.move(file, path.parents[1])
        path.parent.rmdir()
        (path.parents[1] / "timestamp.txt").write_text("2020-01-01 00:00:00 UTC\n")
    output = run(recipes["exchange"])
    assert "1 learner collected" in output and "Written to receipts.csv: 1 time." in output
    assert "claims to have come in at" in output
    submitted = tmp_path / "submitted"
    assert b"2 * x" in take_in(submitted / "ada", NAME).content, "the last one"
    assert (submitted / "ada" / NAME / "timestamp.txt").is_file()
    assert table(submitted / "receipts.csv")["ada"]["received"]
    assert "0 handed in again, 1 unchanged" in run(recipes["exchange"])


@pytest.mark.parametrize(
    ("kind", "name", "learners"), [("canvas", "canvas-names", 9), ("moodle", "moodle-4.1", 3)]
)
def test_downloads_that_once_failed(shared, course, tmp_path, kind, name, learners):
    sets = problem_set_names(course)
    made = collect(kind, shared / "cases" / "collect" / f"{name}.zip", tmp_path, sets)
    assert (len(made.new), made.left) == (learners, [])
    for student in made.new:
        submission = take_in(tmp_path / student, made.problem_set, sets=sets)
        assert submission.content, student


def test_submissions_that_once_failed(shared, course):
    """Each is graded with a flag, or the flag names what is there."""
    name, sets = "ps05-self-attention", problem_set_names(course)
    for folder in sorted((shared / "cases" / "submitted").iterdir()):
        submission = take_in(folder, name, sets=sets)
        assert submission.problem != "nothing handed in", folder.name
        assert submission.content or submission.held, folder.name


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("08-retyped-answer", "its own cell is missing"),
        ("10-answer-above-stub", "its own cell has only the stub"),
        ("14-answer-as-raw", "turned into a raw cell"),
    ],
)
def test_an_answer_that_once_counted_as_not_written_is_found(shared, course, folder, message):
    name = "ps05-self-attention"
    submission = take_in(shared / "cases" / "submitted" / folder, name)
    release = nbformat.read(release_folder(name, course) / f"{name}.ipynb", as_version=4)
    source = nbformat.read(course / "solutions" / name / f"{name}.ipynb", as_version=4)
    handed = parse(submission.content).cells
    merged, notes = merge(handed, blank(source, release), release, names=names_of(source))
    (answer,) = [c.source for c in merged.cells if cells.grade_id(c) == "scaling"]
    (stub,) = [c.source for c in release.cells if cells.grade_id(c) == "scaling"]
    assert answer.strip() != stub.strip() and "def scaled_scores" in answer
    assert [flag for flag in notes.flags if flag.startswith("answer scaling") and message in flag]
