"""A lesson stays quiet: at most two boxes with a verdict, the rest is said in its sentences."""

import json

import pytest

from coursebook import course

ROOT = course.root()


@pytest.mark.parametrize("lesson", course.lessons(ROOT), ids=lambda lesson: lesson.name)
def test_a_lesson_has_at_most_two_boxes_with_verdicts(lesson) -> None:
    notebook = json.loads(lesson.notebook.read_text("utf-8"))
    boxes = sum("".join(cell["source"]).count("> **Tested:**") for cell in notebook["cells"])
    assert boxes <= 2
