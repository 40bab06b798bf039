"""Before a release, nothing that `python -m coursebook new` has begun is still to be written."""

import pytest

from coursebook.course import lessons, lessons_with_problem_sets
from coursebook.new.changes import MARK

pytestmark = pytest.mark.release("test of what is still to be written")

#: Where what was begun lies, and the files that hold its texts.
PLACES = ("notebooks", "solutions", "book", "coursebook/live", "tests/site/figures")
TEXTS = {".ipynb", ".js", ".md", ".py", ".yml"}


def begun(course):
    """The files with a text that is still to be written, and how many they have."""
    found = {}
    for path in (path for place in PLACES for path in (course / place).rglob("*")):
        if path.suffix in TEXTS and path != course / "book" / "maintain.md":
            times = path.read_text("utf-8").count(MARK)
            found |= {path.relative_to(course).as_posix(): times} if times else {}
    return found


def test_no_text_is_still_to_be_written(course):
    found = [f"{name}: {times}" for name, times in sorted(begun(course).items())]
    assert not found, f"these files say {MARK!r} so many times:\n" + "\n".join(found)


def test_every_lesson_has_its_problem_set(course):
    without = {one.name for one in lessons(course)}
    without -= {one.name for one in lessons_with_problem_sets(course)}
    assert not without, "make it: python -m coursebook new exercise psNN-NAME EXERCISE"
