"""A lesson stays quiet: at most two boxes with a verdict, the rest is said in its sentences."""

import json
import re

import pytest

from coursebook import claims, course

ROOT = course.root()
BOX = re.compile(r"^> \*\*(Tested|Shown):\*\* (.*)", re.MULTILINE)


@pytest.mark.parametrize("lesson", course.lessons(ROOT), ids=lambda lesson: lesson.name)
def test_a_lesson_has_at_most_two_boxes_with_verdicts(lesson) -> None:
    assert len(boxes(lesson)) <= 2


@pytest.mark.parametrize("lesson", course.lessons(ROOT), ids=lambda lesson: lesson.name)
def test_a_box_says_shown_only_of_what_is_shown_and_not_tested(lesson) -> None:
    for word, text in boxes(lesson):
        assert (word == "Shown") == (f"[{claims.VERDICTS['shown']}](" in text), text


def boxes(lesson) -> list[tuple[str, str]]:
    """The boxes with verdicts: the word that each begins with, and its text."""
    cells = json.loads(lesson.notebook.read_text("utf-8"))["cells"]
    return [box for cell in cells for box in BOX.findall("".join(cell["source"]))]
