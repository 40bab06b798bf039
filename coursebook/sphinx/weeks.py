"""``{week-plan}``: a plan for a term, with the hours that its lessons and problem sets state."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from coursebook import course
from coursebook.sphinx import tree
from coursebook.sphinx.map import MarkdownTable, in_hours
from coursebook.yaml_files import read_yaml

#: A chapter that a lesson says it needs.
_NEEDED = re.compile(r"\[chapters? \d+\]\((?:\.\./\d\d-[\w-]+/)?(?P<name>\d\d-[\w-]+)\.ipynb")


def plans(root: Path) -> dict[int, dict]:
    """The plans of ``book/weeks.yml``, by their number of weeks.

    Raises
    ------
    ValueError
        If a plan has another number of weeks than it is called after, names a lesson twice or one
        that is not there, or has a lesson before another that it needs.
    """
    found = read_yaml(root / "book" / "weeks.yml")
    known = {chapter.name for chapter in tree.plan(root)}
    for length, plan in found.items():
        lessons = [name for week in plan["weeks"] for name in week]
        where = f"weeks.yml: the plan of {length} weeks"
        if len(plan["weeks"]) != length:
            raise ValueError(f"{where} has {len(plan['weeks'])}.")
        for name in [*lessons, *plan.get("assumes", [])]:
            if name not in known:
                raise ValueError(f"{where} names {name!r}, which is no lesson.")
        if len(set(lessons)) < len(lessons):
            raise ValueError(f"{where} has a lesson twice.")
        before = set(plan.get("assumes", []))
        for name in lessons:
            if missing := needs(course.Lesson(root, name).notebook) - before:
                raise ValueError(f"{where} has {name} before {min(missing)}, which it needs.")
            before.add(name)
    return found


def needs(notebook: Path) -> set[str]:
    """The lessons that a lesson says it needs."""
    said = (tree.source(cell).partition("**You need**")[2] for cell in tree.cells(notebook))
    return {found["name"] for text in said for found in _NEEDED.finditer(text.partition("**")[0])}


def table(root: Path, length: int) -> list[str]:
    """The plan as Markdown: what each week holds, and about how many hours it takes."""
    sets = {released.path.stem[2:4]: released for released in tree.problem_sets(root)}
    titles = {chapter.name: chapter.title for chapter in tree.plan(root)}
    plan = plans(root)[length]
    lines = [plan["about"], "", "| Week | Lesson | Problem set | Together |", "|--:|---|---|--:|"]
    whole = 0.0
    for number, names in enumerate(plan["weeks"], 1):
        hours, lessons, tasks = 0.0, [], []
        for name in names:
            path = course.Lesson(root, name).notebook
            minutes = tree.minutes(path)
            hours += minutes / 60
            page = course.page(root, path)
            lessons.append(f"[{int(name[:2])} {titles[name]}](/{page}.ipynb), {minutes} min")
            if released := sets.get(name[:2]):
                hours += in_hours(released.time)
                page = course.page(root, released.path)
                points = sum(released.points.values())
                tasks.append(
                    f"[{int(name[:2])}](/{page}.ipynb), {released.time}, {points:g} points"
                )
        whole += hours
        cells = str(number), "; ".join(lessons), "; ".join(tasks), _in_halves(hours)
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, f"| | | **All weeks** | **{round(whole):g} h** |"]


def _in_halves(hours: float) -> str:
    halves = round(2 * hours)
    return f"{halves // 2}{'½' * (halves % 2)} h"


class WeekPlan(MarkdownTable):
    """One of the plans, named by its number of weeks."""

    required_arguments = 1
    classes = ["week-plan"]

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "weeks.yml"))
        for week in plans(root)[int(self.arguments[0])]["weeks"]:
            for name in week:
                self.env.note_dependency(str(course.Lesson(root, name).notebook))
        for released in tree.problem_sets(root):
            self.env.note_dependency(str(released.path))
        return self.markdown(table(root, int(self.arguments[0])))


def setup(app: Sphinx) -> dict:
    app.add_directive("week-plan", WeekPlan)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
