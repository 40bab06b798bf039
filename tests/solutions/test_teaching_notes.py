"""The instructors' notes: for every lesson, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

from coursebook.course import Lesson, lessons_with_problem_sets
from nbjudge.answers import load_variants


def notes(course: Path) -> dict[str, str]:
    text = (course / "solutions" / "teaching-notes.md").read_text("utf-8")
    _, *parts = re.split(r"^## (\S+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_lesson_has_its_notes(course: Path) -> None:
    found = notes(course)
    assert list(found) == [lesson.name for lesson in lessons_with_problem_sets(course)]
    for name, text in found.items():
        questions = re.findall(r"^(\d)\. .+\n   \*\*Key:\*\* \S", text, re.MULTILINE)
        assert questions == ["1", "2", "3"], name


def test_a_demonstration_is_a_live_figure_of_the_lesson(course: Path) -> None:
    for name, text in notes(course).items():
        figure = re.search(r"\*\*Demonstration\*\* \(\d+ minutes\): `([\w-]+)`", text)
        assert figure, name
        shown = Lesson(course, name).notebook.read_text("utf-8")
        assert f'live.figure(\\"{figure[1]}\\")' in shown, figure[1]


def test_a_mistake_is_one_that_the_problem_set_knows(course: Path) -> None:
    folders = {path.name[2:4]: path for path in (course / "solutions").glob("ps*")}
    for lesson, text in notes(course).items():
        known = {
            f"{variant.exercise}/{variant.name}"
            for variants in load_variants(folders[lesson[:2]]).values()
            for variant in variants
            if not variant.right
        }
        named = re.findall(r"^- `([\w-]+/wrong-[\w-]+)`", text, re.MULTILINE)
        assert set(named) <= known, set(named) - known
        assert len(named) == 3, lesson
