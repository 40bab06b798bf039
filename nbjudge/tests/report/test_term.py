"""A term: two problem sets of one class, graded and reported together."""

import csv
import re
import shutil
from functools import partial
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import unquote

import nbformat
import numpy as np
import pytest
import small_set
from command_line import run_in_one_line
from made_course import TEST, code, notebook_of, put_into, release_in
from small_set import SANDBOXED, SETUP, answered, hand_in

from nbjudge.intake.release import make_release
from nbjudge.judge import Limits
from nbjudge.report import exports
from nbjudge.report.items import items
from nbjudge.report.term import HEIGHT, term, trend, write_term
from nbjudge.report.why import why
from nbjudge.run import engine
from nbjudge.store.results import Report, StudentResult, TestResult, read_reports, write_report

pytestmark = pytest.mark.thorough("grading of small classes")

FIRST, SECOND = small_set.NAME, "ps98-triple"

VALUES = 'assert call(triple, 2) == 6, "3 times 2 is 6"'
ONES = 'assert call(triple, 1) == 3, "3 times 1 is 3"'

KNOWN = """\
@wrong("squares", "squares instead of doubling", match="it is 9")
def double(x):
    return x * x
"""

SQUARES = "def double(x):\n    return x * x"
ODD = "Zoë O'Hara & co #1"

#: Learner → the answers of the first set, and of the second (``None``: nothing handed in).
CLASS = {
    "all": ({}, "def triple(x):\n    return 3 * x"),
    "squares-1": ({"double": SQUARES}, "def triple(x):\n    return x + 2"),
    "squares-2": ({"double": SQUARES}, "def triple(x):\n    return 3 * x"),
    "late": ({}, "def triple(x):\n    return x + 2"),
    "sums": ({"sum_squares": "sum_squares = sum"}, "def triple(x):\n    return 3"),
    "no-id": ({}, "def triple(x):\n    return 3 * x"),
    "gone": ({"double": SQUARES}, None),
    "idle": ({}, None),
    ODD: ({"double": "double = abs", "sum_squares": "sum_squares = max"}, None),
    "mixed-up": ({}, "the first set again"),
    **{f"more-{n}": ({"double": "double = abs"} if n else {}, "triple = abs") for n in range(2)},
}


def second_set():
    """A set that shares two names with the first."""
    solution = "def triple(x):\n    ### BEGIN SOLUTION\n    return 3 * x\n    ### END SOLUTION"
    made = notebook_of(
        [
            code("setup", SETUP, locked=True),
            code("triple", solution, solution=True),
            code("triple--values", VALUES, **TEST, points=3),
            code("triple--ones", ONES, **TEST, points=1),
            code("setup-more", "more = 1", locked=True),
        ]
    )
    for cell in made.cells:
        cell.id = f"2-{cell.id}"
    return made


def grade(name, place):
    return engine.grade(
        name, place.submitted, place.into, course=place.course, workers=1, sandboxed=SANDBOXED,
        limits=Limits(call_seconds=2, cell_seconds=2),
    )  # fmt: skip


@pytest.fixture(scope="module")
def graded(one_nursery, tmp_path_factory):
    """The class graded on both sets, the second before the first. Read only."""
    folder = tmp_path_factory.mktemp("term")
    course = small_set.make_course(folder / "course")
    (course / "solutions" / FIRST / "double.py").write_text(KNOWN)
    put_into(course, SECOND, second_set())
    for name in (FIRST, SECOND):
        make_release(name, course)
    place = SimpleNamespace(course=course, submitted=folder / "in", into=folder / "out")
    blank = release_in(course, SECOND)
    for name, (first, second) in CLASS.items():
        words = {} if name == "late" else {"explain": "YOUR ANSWER HERE\n"}
        hand_in(place.submitted, name, answered(course, **words, **first))
        if second is None:
            continue
        notebook = nbformat.from_dict(blank)
        small_set.cell(notebook, "triple").source = second
        if name == "mixed-up":
            notebook = answered(course)
        path = place.submitted / name / SECOND / f"{SECOND}.ipynb"
        path.parent.mkdir()
        nbformat.write(notebook, path)
    listed = [name for name in CLASS if name != "gone"]
    rows = [f'"{name}",{"" if name == "no-id" else n + 1}\n' for n, name in enumerate(listed)]
    (place.submitted / "roster.csv").write_text("student,ID\n" + "".join(rows), "utf-8")
    (place.submitted / "receipts.csv").write_text(
        f"student,problem_set,received\nlate,{SECOND},2026-11-02T12:00\n"
    )
    (place.submitted / "class.toml").write_text(
        f'timezone = "UTC"\n[{SECOND}]\ndue = 2026-11-01T12:00:00\npenalty = "0.5 points per day"\n'
        f'void = ["triple--values"]\n'
        f'[{FIRST}]\nvoid = ["sum-squares--values"]\n'
    )
    place.reports = {name: grade(name, place) for name in (SECOND, FIRST)}
    return place


@pytest.fixture(scope="module")
def class_term(graded):
    return term(graded.into, graded.submitted)


@pytest.fixture(scope="module")
def page(graded, class_term):
    return write_term(class_term, graded.into).read_text("utf-8")


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Links(HTMLParser):
    """The addresses that a page links to or fetches, and its tags."""

    def __init__(self, text):
        super().__init__()
        self.links, self.tags = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]


def test_what_is_stored_is_read_again(graded):
    stored = read_reports(graded.into)
    assert list(stored) == [SECOND, FIRST], "in the order of grading"
    for name, report in graded.reports.items():
        assert stored[name].as_dict() | {"executed": 0} == report.as_dict() | {"executed": 0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Expecting property name"),
        ('{"ps": []}', "Expected `object`, got `array`"),
        ('{"ps": {"problem_set": "ps"}}', "missing required field `students`"),
        ('{"ps": {"problem_set": 1, "students": {}}}', "Expected `str`, got `int`"),
    ],
)
def test_a_report_that_is_none_is_told_in_a_sentence(tmp_path, text, problem):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(ValueError, match=problem) as error:
        read_reports(tmp_path)
    assert "report.json cannot be read: " in str(error.value)
    assert "Move it away and grade its problem sets again" in str(error.value)


def test_the_matrix_has_everybody_in_every_set(class_term, page, graded):
    rows = {row["learner"]: row for row in read(graded.into / "report" / "learners.csv")}
    assert set(rows) == set(CLASS)
    names = [f"{SECOND}{column}" for column in ("", " raw", " penalty", " state")]
    for who, expected in (
        ("late", ["3.5", "4", "0.5", ""]),
        ("mixed-up", ["0", "0", "0", "held"]),
        ("idle", ["0", "0", "0", "missing"]),
    ):
        assert [rows[who][name] for name in names] == expected
    assert rows["late"][f"{FIRST} state"] == "provisional", "the written answer awaits marking"
    assert (rows["late"]["total"], rows["late"]["of"]) == ("13.5", "17")
    assert rows["mixed-up"]["state"] == "held"
    assert "(4 − 0.5)" in page
    about = class_term.numbers[SECOND]
    assert (about.handed_in, about.held, len(class_term.missing[SECOND])) == (9, 1, 2)
    # A held mark may be a zero that nobody earned.
    assert about.mean == pytest.approx(np.mean([4, 4, 4, 3.5, 4, 4, 3, 3]))


def test_missing_work_is_one_line_per_set_and_only_of_the_class(page, graded):
    assert {row["problem set"]: row["who"] for row in read(graded.into / "report/missing.csv")} == {
        SECOND: f"{ODD}; idle",
        FIRST: "",
    }
    assert page.count("handed in nothing") == 1


def test_who_is_not_on_the_roster_or_has_no_id_is_said_once(page, graded):
    assert read(graded.into / "report" / "roster.csv") == [
        {"learner": "gone", "what is missing": "a line in roster.csv"},
        {"learner": "no-id", "what is missing": "an id in roster.csv"},
    ]
    assert page.count("has no line for gone:") == page.count("has no id for no-id:") == 1
    without = term(graded.into, graded.into)  # where there is no roster
    assert (without.unlisted, without.nameless) == (["gone"], []), "as it was when it was graded"


def test_mistakes_are_named_and_counted(graded, page):
    rows = read(graded.into / "report" / "mistakes.csv")
    known = [row for row in rows if row["known as"]]
    assert [(row["known as"], row["learners"], row["who"]) for row in known] == [
        ("double/wrong-squares", "3", "gone; squares-1; squares-2")
    ]
    assert "squares instead of doubling" in page


def test_the_tests_of_all_sets_are_in_one_table(class_term, graded, page):
    rows = {
        (row["problem set"], row["test"]): row for row in read(graded.into / "report/tests.csv")
    }
    assert {name for name, _ in rows} == {FIRST, SECOND}
    hidden = rows[FIRST, "double--hidden"]
    assert (hidden["learners"], hidden["failure rate"], hidden["void"]) == ("12", "0.417", "no")
    (item,) = [one for one in items(graded.reports[FIRST]) if one.test == "double--hidden"]
    assert float(hidden["discrimination"]) == pytest.approx(item.discrimination, abs=1e-3)


def test_the_page_of_a_set_has_its_tests_and_its_learners(graded):
    text = (graded.into / "overview" / f"{FIRST}.html").read_text("utf-8")
    row = re.search(r"<tr><td>double--hidden</td>.*", text).group()
    shown = re.findall(r">([^<>]+)</td>", row)
    assert shown[1:5] == ["3", "12", "42 %", "58 %"]
    assert re.search(r'<tr><td>sum-squares--values</td>.*colspan="4">does not count', text)
    links = [link for link in Links(text).links if link.startswith("../feedback/")]
    assert len(links) == len(CLASS)
    assert all((graded.into / "overview" / unquote(link)).is_file() for link in links)


def test_the_index_links_to_what_exists_and_to_nothing_outside(page, graded):
    parsed = Links(page)
    assert {f"../overview/{name}.html" for name in (FIRST, SECOND)} <= set(parsed.links)
    assert sum(link.startswith("../feedback/") for link in parsed.links) == 2 * len(CLASS)
    for link in parsed.links:
        assert (graded.into / "report" / unquote(link)).resolve().is_file(), link
    assert not parsed.tags & {"script", "iframe", "img", "link", "object"}
    assert "Zoë O&#39;Hara &amp; co #1" in page and ODD not in page
    assert "default-src 'none'" in page


def test_a_new_set_adds_columns_after_those_before(graded, tmp_path):
    """Though its name comes first in the alphabet."""
    shutil.copy(graded.into / "report.json", tmp_path)
    path = write_term(term(tmp_path), tmp_path).with_name("learners.csv")
    before, grades = list(read(path)[0]), list(read(graded.into / "grades.csv")[0])
    tests = {"another--values": TestResult(1.0, 1.0)}
    new = Report("ps01-new", {"all": StudentResult(tests, digest="x"), "new": StudentResult({})})
    write_report(new, tmp_path)
    write_term(term(tmp_path), tmp_path)
    after = list(read(path)[0])
    assert after[: len(before)] == before
    assert after[len(before) :] == ["ps01-new" + c for c in ("", " raw", " penalty", " state")]
    wider = list(read(tmp_path / "grades.csv")[0])
    assert [name for name in wider if name in grades] == grades
    assert wider.index("another") == grades.index("raw score")


def test_the_trend_leaves_out_held_marks(class_term):
    rows = {one.name: one for one in class_term.learners}
    highest, lowest = 2, HEIGHT - 2
    assert [y for _, y in trend(rows["idle"], class_term.problem_sets)][0] == lowest
    assert [y for _, y in trend(rows["all"], class_term.problem_sets)][0] == highest
    assert len(trend(rows["mixed-up"], class_term.problem_sets)) == 1


def test_statistics_are_those_of_the_field(graded):
    """The item-rest correlation, against NumPy's."""
    students = graded.reports[FIRST].students.values()
    counted = ["double--values", "double--hidden", "sum-squares--partial"]
    scores = np.array([[student.tests[name].score for name in counted] for student in students])
    every = {item.test: item for item in items(graded.reports[FIRST])}
    for column, name in enumerate(counted):
        rest = np.delete(scores, column, axis=1).sum(1).astype(float)
        expected = np.corrcoef(scores[:, column].astype(float), rest)[0, 1]
        assert every[name].discrimination == pytest.approx(expected)
        full = [student.tests[name].score == student.tests[name].max_score for student in students]
        assert every[name].failure_rate == pytest.approx(1 - np.mean(full))
    assert every["sum-squares--values"].void
    assert every["explain--written"].learners == len(CLASS) - 1, "one awaits marking"


# -- a wrong set, dropped learners, a void test, the learner's page --------------------------------


def test_another_set_handed_in_is_recognised_and_held(graded):
    message = f"{SECOND}.ipynb holds {FIRST}, not {SECOND}"
    student = graded.reports[SECOND].students["mixed-up"]
    assert student.held == [message] and message in student.flags and student.score == 0
    text = (graded.into / "feedback" / "mixed-up" / SECOND / f"{SECOND}.html").read_text("utf-8")
    assert f"Your work could not be graded: {message}. Hand in" in text
    assert "Your points are not final" in text


def test_a_void_test_is_explained_as_void(graded):
    explained = why(
        FIRST, graded.submitted, graded.into, "sums", "sum-squares", course=graded.course
    )
    tests = {test.name: test for test in explained.tests}
    assert tests["sum-squares--values"].message.startswith("This test no longer counts.")
    assert tests["sum-squares--values"].mark.score == 1
    assert "right for" in tests["sum-squares--partial"].message


def test_a_page_names_learner_set_and_date(graded):
    text = (graded.into / "feedback" / "late" / SECOND / f"{SECOND}.html").read_text("utf-8")
    assert f"<h1>{SECOND}: 3.5 of 4 points" in text
    assert re.search(
        r"<p>late · handed in 2026-11-02 12:00 UTC · this page was written 20\d\d-\d\d-\d\d</p>",
        text,
    )
    text = (graded.into / "feedback" / "idle" / SECOND / f"{SECOND}.html").read_text("utf-8")
    assert f"You have not handed in {SECOND}.ipynb." in text


@pytest.mark.parametrize("kind", exports.PLATFORMS)
def test_a_learner_who_left_is_not_exported_and_that_is_said(graded, kind):
    report, people = graded.reports[SECOND], {name: {"student": name} for name in CLASS}
    del people["gone"]
    _, rows = exports.rows(kind, report, people)
    logins = [row.get("SIS Login ID") or row.get("Username") for row in rows]
    assert "gone" not in logins and {"late", "no-id"} <= set(logins)
    remarks = exports.remarks([kind], report, people, False)
    assert remarks == [
        "Not exported, since roster.csv does not list them: gone.",
        "Not exported, since their marks are held: mixed-up.",
    ]
    column = exports.IDENTIFY[kind][0]
    people |= {name: {"student": name, column: "1"} for name in people if name != "no-id"}
    assert "no id of " + kind.capitalize() in exports.remarks([kind], report, people, False)[-1]
    assert ": no-id. Their folder" in exports.remarks([kind], report, people, False)[-1]
    # Nobody is named as exported who is not.
    del people["mixed-up"][column]
    assert ": no-id. Their folder" in exports.remarks([kind], report, people, False)[-1]
    _, rows = exports.rows(kind, report, {})
    assert "gone" in [row.get("SIS Login ID") or row.get("Username") for row in rows], "no roster"


# -- the command -----------------------------------------------------------------------------------


def test_the_command_reports_on_the_term(graded, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    run = partial(run_in_one_line, "report")
    shutil.copy(graded.into / "report.json", tmp_path)
    code, text = run("--into", tmp_path, "--submitted", graded.submitted)
    assert code == 0, text
    assert f"{SECOND} 3.69/4 9 2 1 0 {FIRST} " in text
    assert "roster.csv has no line for: gone. roster.csv has no id for: no-id." in text
    assert f"Report: {tmp_path / 'report' / 'index.html'}" in text
    code, text = run("--into", tmp_path, "--anonymous")
    assert code == 2 and "need a problem set" in text
    code, text = run(FIRST, "--into", tmp_path)
    assert code == 2 and "measured nothing that a leaderboard could show" in text
    code, text = run("--into", tmp_path, "--submitted", tmp_path / "nosuch")
    assert code == 2 and "but there is no such folder" in text
    code, text = run("--into", tmp_path / "empty")
    assert code == 2 and "nothing has been graded there" in text


@pytest.mark.browser
def test_no_page_for_instructors_is_wider_than_a_telephone(chromium, graded, page):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, offline=True)
    shown = context.new_page()
    pages = [graded.into / "report" / "index.html", *(graded.into / "overview").glob("*.html")]
    assert len(pages) == 3
    for path in pages:
        shown.goto(path.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") <= 390, path.name
    context.close()
