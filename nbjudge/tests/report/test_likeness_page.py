"""A class of sixty on one page: who resembles whom, and what that does not mean."""

import csv
import hashlib
import random
import re
from html.parser import HTMLParser

import nbformat
import pytest
from command_line import run_command
from lookalikes import EXERCISES, MODEL, OBVIOUS, TEXT, graded, honest, program, words, written
from lookalikes import course as make
from small_set import NAME, hand_in, release_of

from nbjudge.likeness import sources
from nbjudge.report.likeness import as_page, likeness, write_likeness

pytestmark = pytest.mark.thorough("grading of small classes")

HOSTILE = """\
def task_3(values, limit):
    '''</pre></mark><script>alert("text")</script><img src=x onerror=alert(1)>'''
    return [f"<svg onload={value}>" for value in values if value < limit and "</style>" > "&lt;"]"""


def renamed(source):
    """The program under other names, with a helper before it."""
    for name in ("alpha", "beta", "gamma", "total", "count", "item", "found", "rest", "values"):
        source = re.sub(rf"\b{name}\b", f"my_{name}", source)
    return program(random.Random("helper"), "helper") + "\n\n\n" + source


def everybody():
    """The answers of sixty learners."""
    answers = {f"s{number:02}": honest(number) for number in range(50)}
    jane = answers["jane"] = honest(1001)
    answers["copycat"] = jane | {TEXT: words(random.Random("own"))}
    answers["copycat2"] = {
        name: f"unused = 1\n{text}" if name != TEXT else words(random.Random("own too"))
        for name, text in jane.items()
    }
    answers["kim"] = honest(1002)
    answers["renamer"] = honest(1003) | {"task-2": renamed(answers["kim"]["task-2"])}
    answers["=model"] = {n: MODEL.format(name=n.replace("-", "_")) for n in EXERCISES}
    answers["<b>evil"] = honest(1004) | {"task-3": HOSTILE}
    answers["evil-too"] = honest(1005) | {"task-3": HOSTILE}
    broken = program(random.Random("broken"), "task_5") + "\n    return (((\n  def ]"
    answers["broken"] = honest(1006) | {"task-5": broken}
    answers["broken-too"] = honest(1007) | {"task-5": broken + "\n'"}
    return answers


def last_years():
    """Three of an earlier class; one of them wrote what somebody hands in now."""
    return {f"old{number}": honest(2000 + number) for number in range(3)}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("lookalikes")


@pytest.fixture(scope="module")
def course(place):
    return make(place / "course")


@pytest.fixture(scope="module")
def compared_class(place, course):
    answers = everybody()
    answers["repeats"] = honest(1008) | {"task-4": last_years()["old1"]["task-4"]}
    answers["old2"] = honest(1009) | {"task-6": last_years()["old2"]["task-6"]}
    graded(place / "now", course, answers)
    graded(place / "before", course, last_years())
    return likeness(NAME, place / "now", [place / "before"], course=course)


def pairs(compared_class, exercise):
    """The pairs of an exercise with their weights, heaviest first."""
    return {(p.one.name, p.other.name): p for p in compared_class.exercises[exercise].pairs}


def test_copies_of_all_code_are_first_whatever_their_text(compared_class):
    assert compared_class.learners == len(everybody()) + 2
    rows = {(one, other): (weight, names) for one, other, weight, names in compared_class.totals}
    first = list(rows)[:4]
    assert {("copycat", "jane"), ("copycat2", "jane"), ("copycat", "copycat2")} < set(first)
    weight, names = rows["copycat", "jane"]
    # What jane wrote for task-0 is what most have written.
    assert set(names) >= set(EXERCISES[1:]) and TEXT not in names
    honest_ones = [row[2] for row in compared_class.totals if row[0][0] == row[1][0] == "s"]
    assert weight > 5 * max(honest_ones)


def test_new_names_are_seen_through(compared_class):
    first = next(iter(pairs(compared_class, "task-2").values()))
    assert {first.one.name, first.other.name} <= {"jane", "copycat", "copycat2", "kim", "renamer"}
    pair = pairs(compared_class, "task-2")["kim", "renamer"]
    assert pair.alike.form > 0.85 > pair.alike.as_written
    assert pair.weight > 10


def test_the_obvious_does_not_weigh(compared_class):
    obvious = OBVIOUS.format(name="task_0")
    texts = [one.text for one in compared_class.exercises["task-0"].answers]
    assert texts.count(obvious) > 30
    assert not [
        p for p in pairs(compared_class, "task-0").values() if p.one.text == p.other.text == obvious
    ]


def test_what_is_no_python_is_found(compared_class):
    assert next(iter(pairs(compared_class, "task-5"))) in (
        *[("broken", "broken-too"), ("copycat", "jane"), ("copycat2", "jane")],
        ("copycat", "copycat2"),
    )
    assert pairs(compared_class, "task-5")["broken", "broken-too"].weight > 10


def test_the_models_solution_is_the_courses_own(compared_class):
    for exercise in EXERCISES:
        (answer,) = (a for a in compared_class.exercises[exercise].answers if a.student == "=model")
        own = compared_class.exercises[exercise].own[answer]
        assert (own.form, own.as_written, own.source) == (1, 1, sources.SOLUTION)
    assert not [row for row in compared_class.totals if "=model" in row[:2]]


def earlier_copies(compared_class):
    """The pair of ``repeats`` with an earlier cohort's learner, and its heaviest exercise."""
    one, other, _, names = next(
        p for p in compared_class.totals if p[0] == "repeats" and "/" in p[1]
    )
    return one, other, names[0]


def test_an_earlier_cohort_is_found_in_its_graded_work(compared_class, place):
    assert earlier_copies(compared_class) == ("repeats", f"{place}/before/old1", "task-4")
    assert pairs(compared_class, "task-6")["old2", f"{place}/before/old2"].is_own
    assert "Perhaps the learner's own earlier work" in as_page(compared_class)


def test_an_earlier_cohort_is_found_in_its_fingerprints(place, course):
    likeness(NAME, place / "before", course=course)
    path = place / "before" / "likeness" / f"{NAME}.fingerprints.json"
    assert "values" not in path.read_text("utf-8"), "it holds no text"
    compared_class = likeness(NAME, place / "now", [path], course=course)
    assert earlier_copies(compared_class) == ("repeats", f"{path}/old1", "task-4")
    assert "Only the fingerprints of this answer were kept." in as_page(compared_class)


def test_an_earlier_cohort_as_it_was_handed_in(place, course):
    """In a folder of submissions, and in a cell that has lost its metadata."""
    notebook = written(release_of(course), last_years()["old1"])
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "task-4":
            cell.metadata, cell.id = nbformat.NotebookNode(), "typed-again"
    hand_in(place / "submissions", "old1", notebook)
    hand_in(place / "submissions", "unreadable", b"{")
    (place / "submissions" / "roster.csv").write_text("student\nold1\n")
    compared_class = likeness(NAME, place / "now", [place / "submissions"], course=course)
    assert earlier_copies(compared_class) == ("repeats", f"{place}/submissions/old1", "task-4")


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ("now", "the class's own folder"),
        ("empty", "holds no answers to ps99-small"),
        ("absent", "holds no answers to ps99-small"),
        ("empty/bad.json", "no fingerprints that this version can read"),
    ],
)
def test_what_is_no_earlier_cohort_is_refused(compared_class, place, course, earlier, message):
    (place / "empty").mkdir(exist_ok=True)
    (place / "empty" / "bad.json").write_text('{"version": 0}')
    with pytest.raises(ValueError, match=message):
        likeness(NAME, place / "now", [place / earlier], course=course)


def test_a_set_that_was_not_graded_is_refused(place, course):
    with pytest.raises(ValueError, match="has not been graded there"):
        likeness(NAME, place / "elsewhere", course=course)


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.marked, self.inside = set(), set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.inside += tag == "mark"

    def handle_endtag(self, tag):
        self.inside -= tag == "mark"

    def handle_data(self, data):
        if self.inside:
            self.marked.append(data)


def test_the_page_shows_and_does_nothing(compared_class, place):
    shown, _ = write_likeness(compared_class, place / "now")
    text = shown.read_text("utf-8")
    tags = Tags(text)
    assert tags.tags.isdisjoint({"script", "img", "svg", "b", "link", "iframe"})
    assert not [
        name for name in tags.attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert "default-src 'none'" in text
    assert any("onerror=alert(1)" in piece for piece in tags.marked), "the passage itself is shown"
    for expected in (
        "It is a reason to look, not a verdict, and it changes no mark.",
        "Likeness does not say who wrote an answer first, or whether anybody copied.",
        "&lt;b&gt;evil and evil-too: weight",
        "in the model solution",
        f"earlier work in {place}/before",
    ):
        assert expected in text, expected
    side = text[text.index("kim and renamer") :].partition("</details>")[0]
    assert side.count("<pre>") == 2 and side.count("<mark>") > 1


def test_the_table_has_every_pair(compared_class, place):
    _, table = write_likeness(compared_class, place / "now")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(compared.pairs) for compared in compared_class.exercises.values())
    (row,) = (
        row
        for row in rows
        if (row["exercise"], row["learner"], row["other"]) == ("task-2", "kim", "renamer")
    )
    assert float(row["weight"]) > 10 and float(row["alike in form"]) > 0.85
    assert not [row for row in rows if row["learner"].startswith("=")], "no cell is a formula"


def test_the_command_changes_no_mark(compared_class, place, course, monkeypatch):
    monkeypatch.setenv("TFCOURSE_ROOT", str(course))
    monkeypatch.setenv("COLUMNS", "200")
    before = marks(place / "now")
    given = ["likeness", NAME, "--into", place / "now", "--earlier", place / "before"]
    code, output = run_command(*given)
    assert code == 0, output
    assert "A reason to look, not a verdict. No mark has changed." in output
    assert "copycat and jane" in output
    assert marks(place / "now") == before
    code, output = run_command(*given[:3], place / "elsewhere")
    assert code == 2 and "has not been graded there" in output


def marks(into):
    """A digest of everything that holds a mark."""
    files = [path for path in into.rglob("*") if path.is_file() and "likeness" not in path.parts]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
