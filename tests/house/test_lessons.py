"""A lesson is a folder: what belongs to it lies there, and nothing else does."""

import json
import re
from pathlib import Path

import pytest

from coursebook.course import Lesson, lessons, record_paths, root
from coursebook.live.catalogue import FIGURES

ROOT = root(Path(__file__).parent)
LESSONS = lessons(ROOT)

#: The folders of tests.
TESTS = ("tests", "nbjudge/tests")

#: Lines that a file of tests may have: what is longer is about several things.
MOST = 600

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def loaded(lesson: Lesson) -> set[str]:
    """The records that a lesson or its evidence names in its code."""
    known, text = set(record_paths(ROOT)), ""
    for path in filter(Path.is_file, (lesson.notebook, lesson.evidence)):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        text += "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    return known & set(re.findall(r"records\.\w+\(\"([\w-]+)\"", text))


@each_lesson
def test_a_lessons_folder_holds_what_a_lesson_has(lesson):
    places = {
        *(lesson.notebook, lesson.evidence, lesson.claims, lesson.topics, lesson.quiz),
        *(lesson.measure, lesson.records, lesson.figures),
    }
    unknown = {path for path in lesson.folder.iterdir() if path.name[0] != "."} - places
    assert not unknown


def test_notebooks_has_lessons_and_assignments_and_nothing_else():
    wanted = {*(lesson.name for lesson in LESSONS), "assignments"}
    assert {path.name for path in (ROOT / "notebooks").iterdir() if path.name[0] != "."} == wanted


def test_no_file_elsewhere_is_named_after_a_lesson():
    names = {lesson.name for lesson in LESSONS}
    folders = ("book", "benchmarks", "coursebook", "nbjudge_tfcourse", *TESTS)
    found = [path for name in folders for path in (ROOT / name).rglob("*") if path.stem in names]
    assert not found


@each_lesson
def test_each_record_lies_beside_the_script_that_wrote_it(lesson):
    for path in lesson.records.glob("*.json"):
        script = json.loads(path.read_text("utf-8"))["command"].split()[1]
        assert (ROOT / script).parent == lesson.measure, path.name


def test_a_record_that_a_lesson_loads_lies_with_a_lesson_or_is_shown_on_the_page_of_speeds():
    speed = {path.stem for path in (ROOT / "benchmarks" / "records").glob("*.json")}
    page = (ROOT / "book" / "speed.md").read_text("utf-8")
    speed -= {f"{name}-gpu" for name in re.findall(r"{beside-peers} ([\w-]+)", page)}
    named = {lesson.name: loaded(lesson) for lesson in LESSONS}
    assert sum(map(len, named.values())) > 40, "the test finds fewer than it did"
    assert not {name: names & speed for name, names in named.items() if names & speed}


@pytest.mark.parametrize("name", FIGURES)
def test_each_live_figure_has_a_file_of_tests(name):
    path = ROOT / "tests" / "site" / "figures" / f"test_{name.replace('-', '_')}.py"
    assert path.is_file() and f'Keys(shown, "{name}")' in path.read_text("utf-8")


def test_no_file_of_tests_is_too_long():
    paths = [path for name in TESTS for path in (ROOT / name).rglob("*.py")]
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in paths}
    assert len(lengths) > 300, "the test finds fewer than it did"
    assert not {path: lines for path, lines in lengths.items() if lines > MOST}
