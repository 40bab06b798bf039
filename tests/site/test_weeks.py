"""The plans for a term: complete, in an order that works, with the hours that the pages state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tiny_site import build

from coursebook.course import Lesson, lessons_with_problem_sets
from coursebook.live.catalogue import FIGURES
from coursebook.sphinx import tree, weeks

LENGTHS = 6, 10, 14


def test_the_plans_are_those_of_the_page(course: Path) -> None:
    text = (course / "book" / "teach.md").read_text("utf-8")
    shown = [int(length) for length in re.findall(r"```\{week-plan\} (\d+)", text)]
    assert sorted(shown) == sorted(weeks.plans(course)) == list(LENGTHS)
    everything = [name for week in weeks.plans(course)[14]["weeks"] for name in week]
    assert everything == [lesson.name for lesson in lessons_with_problem_sets(course)]


def test_the_first_week_s_times_are_those_of_its_lesson_and_problem_set(course: Path) -> None:
    text = (course / "book" / "teach.md").read_text("utf-8")
    lesson, hours = re.search(
        r"the lesson \((\d+) minutes\) and do .+ \((\d+) hours\)", text
    ).groups()
    assert int(lesson) == tree.minutes(Lesson(course, "01-words").notebook)
    assert f"{hours} h" == tree.problem_sets(course)[0].time


def test_the_first_week_shows_what_its_lesson_has(course: Path) -> None:
    text = " ".join((course / "book" / "teach.md").read_text("utf-8").split())
    week = text.partition("## Week 1 ")[2].partition(" ## ")[0]
    figures = {one.title for one in FIGURES.values() if one.shown == "01-words"}
    shown = set(re.findall(r"\*([^*]+\?)\*", week))
    assert len(shown) == 2 and shown <= figures
    assert "A plan of 6 weeks begins with lesson 5, one of 10 with lesson 4." in week
    plans = weeks.plans(course)
    assert plans[6]["weeks"][0] == ["05-self-attention"]
    assert plans[10]["weeks"][0] == ["04-alignment"]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_week_s_hours_are_those_of_its_lessons_and_exercises(course: Path, length: int) -> None:
    rows = [row for row in weeks.table(course, length) if re.match(r"\| \d", row)]
    assert len(rows) == length
    for row, names in zip(rows, weeks.plans(course)[length]["weeks"], strict=True):
        minutes = 0
        for name in names:
            minutes += tree.minutes(Lesson(course, name).notebook)
            (released,) = (s for s in tree.problem_sets(course) if s.path.stem[2:4] == name[:2])
            text = "\n".join(map(tree.source, tree.cells(released.path)))
            minutes += sum(map(int, re.findall(r"^\| `.*\| (\d+) min \|$", text, re.MULTILINE)))
            assert f"{sum(released.points.values()):g} points" in row
        whole, half = re.search(r"\| (\d+)(½?) h \|$", row).groups()
        # To the nearest half hour (15 minutes); a problem set states its time to a third (10).
        assert abs(60 * int(whole) + 30 * bool(half) - minutes) <= 15 + 10


def a_course(folder: Path, course: Path, plan: str) -> Path:
    (folder / "book").mkdir()
    (folder / "book" / "chapters.yml").write_bytes((course / "book" / "chapters.yml").read_bytes())
    (folder / "book" / "weeks.yml").write_text(plan, "utf-8")
    for name in "notebooks", "solutions":
        (folder / name).symlink_to(course / name)
    return folder


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("2: {about: x, weeks: [[05-self-attention]]}", "plan of 2 weeks has 1"),
        ("1: {about: x, weeks: [[05-attention]]}", "'05-attention', which is no lesson"),
        ("2: {about: x, weeks: [[01-words], [01-words]]}", "has a lesson twice"),
        (
            "2: {about: x, weeks: [[06-multi-head], [05-self-attention]]}",
            "has 06-multi-head before 05-self-attention, which it needs",
        ),
    ],
)
def test_a_plan_that_cannot_be_taught_is_refused(
    course: Path, tmp_path: Path, plan: str, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        weeks.plans(a_course(tmp_path, course, plan))


def test_the_page_shows_the_plan_as_a_table(course: Path, tmp_path: Path) -> None:
    plan = "1: {about: Only words., weeks: [[01-words]]}"
    a_course(tmp_path, course, plan)
    html, _ = build(tmp_path, "```{week-plan} 1\n```", ("coursebook.sphinx.weeks",))
    assert "Only words." in html and re.search(r"<td[^>]*><p>1</p></td>", html)
