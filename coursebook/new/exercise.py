"""An empty exercise: its cells in the problem set's notebook, and its known answers."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from pathlib import Path

from nbformat import NotebookNode

from coursebook import course
from coursebook.course import Lesson
from coursebook.new.cells import cells, notebook_of, put, read, template, written
from coursebook.new.changes import MARK, Changes, Refused, after, in_words, named_well
from coursebook.sphinx.map import PARTS_OF_AN_HOUR

#: What every problem set's notebook says of itself.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

#: The exercises that come last in a problem set, in this order.
LAST = ("bug", "choices", "explain")

#: The most exercises of a problem set: their headings count with one digit.
MOST = 9

_ROW = re.compile(r"^\| `[\w-]+` \|.*\| (?P<points>[\d.]+) \| (?P<minutes>\d+) min \|$", re.M)
_TOTAL = re.compile(r"^\| \| \| \*\*[\d.]+\*\* \| \*\*[^*]+\*\* \|$", re.M)
_HEADING = re.compile(r"^## (\d) ")


def make(changes: Changes, problem_set: str, name: str) -> list[str]:
    """Add an exercise to a problem set, or make the set with it; returns what is left to do.

    Raises
    ------
    Refused
        If neither the problem set nor its lesson is there, the set is full, or the exercise's name
        is not in the form of all or is taken.
    """
    root = changes.root
    lesson = _lesson_of(root, problem_set)
    folder = root / "solutions" / problem_set
    path = folder / f"{problem_set}.ipynb"
    new_set = not path.is_file()
    notebook = _empty_set(lesson) if new_set else read(path)
    function = name.replace("-", "_")
    answers = folder / f"{function}.py"
    _check(notebook, problem_set, name, answers)
    number, last = _place(notebook)
    words = {
        "exercise": name,
        "function": function,
        "title": in_words(name),
        "lesson": lesson.name,
        "n": str(number),
    }
    made = cells("exercise", **words)
    _into_overview(notebook, name, last)
    _count_on(notebook, number)
    put(notebook, made, f"## {number + 1} " if last else "")
    changes.write(path, written(notebook))
    changes.write(answers, template("answers", **words))
    if new_set:
        _into_contents(changes, lesson, problem_set)
    return _steps(problem_set, name, function, new_set)


def _lesson_of(root: Path, problem_set: str) -> Lesson:
    """The lesson that a problem set follows."""
    sets = course.problem_set_names(root)
    lessons = {one.name[:2]: one for one in course.lessons(root)}
    have = {one[2:4] for one in sets}
    without = [f"ps{one.name}" for number, one in lessons.items() if number not in have]
    if problem_set in sets or problem_set in without:
        return lessons[problem_set[2:4]]
    raise Refused(
        f"there is no problem set {problem_set!r}: name one of {', '.join([*sets, *without])}; "
        "that of a new lesson is made with its first exercise."
    )


def _empty_set(lesson: Lesson) -> NotebookNode:
    words = {"number": str(int(lesson.name[:2])), "title": in_words(lesson.name[3:])}
    return notebook_of(cells("set", **words), METADATA)


def _check(notebook: NotebookNode, problem_set: str, name: str, answers: Path) -> None:
    named_well("exercise", name)
    function = name.replace("-", "_")
    if answers.exists() or f"{name}-text" in [cell.id for cell in notebook.cells]:
        raise Refused(f"{problem_set} has an exercise {name!r} already: choose another name.")
    taken = keyword.iskeyword(function) or hasattr(builtins, function) or not name[0].isalpha()
    if taken or function in _names(notebook):
        raise Refused(
            f"the exercise's name is {name!r}, but its function could not be called {function}: "
            "Python or the problem set's cells use that name. Choose another one."
        )
    if len(_ROW.findall(_overview(notebook).source)) >= MOST:
        raise Refused(
            f"{problem_set} has {MOST} exercises, the most that a problem set can have: "
            "replace one of them."
        )


def _names(notebook: NotebookNode) -> set[str]:
    """Every name that the notebook's code defines or uses."""
    found: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(ast.parse(re.sub(r"(?m)^[%!].*$", "", cell.source))):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.alias):
                found.add(node.asname or node.name)
    return found


def _place(notebook: NotebookNode) -> tuple[int, str]:
    """The new exercise's number, and which exercise follows it; empty if none does."""
    texts = [cell for cell in notebook.cells if cell.id.endswith("-text")]
    for name in LAST:
        for cell in texts:
            if cell.id == f"{name}-text" and (found := _HEADING.match(cell.source)):
                return int(found[1]), name
    return len(texts) + 1, ""


def _count_on(notebook: NotebookNode, number: int) -> None:
    """Give the exercises from a number on the next one, so that it is free."""
    for cell in notebook.cells:
        found = _HEADING.match(cell.source)
        if cell.id.endswith("-text") and found and int(found[1]) >= number:
            cell.source = _HEADING.sub(f"## {int(found[1]) + 1} ", cell.source)


def _overview(notebook: NotebookNode) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell.id == "overview")


def _into_overview(notebook: NotebookNode, name: str, last: str) -> None:
    """Add the exercise's row to the table of exercises, and count the points and hours anew."""
    overview = _overview(notebook)
    lines = overview.source.splitlines()
    below = f"| `{last}` |" if last else "| | | **"
    place = next(i for i, line in enumerate(lines) if line.startswith(below))
    lines.insert(place, f"| `{name}` | what is {MARK} | 2 | 10 min |")
    text = "\n".join(lines)
    rows = list(_ROW.finditer(text))
    points = sum(float(row["points"]) for row in rows)
    minutes = sum(int(row["minutes"]) for row in rows)
    overview.source = _TOTAL.sub(f"| | | **{points:g}** | **{hours(minutes)}** |", text)


def hours(minutes: int) -> str:
    """A time as a problem set states it: ``"40 min"``, or hours to the nearest quarter or third."""
    if minutes < 60:
        return f"{minutes} min"
    parts = {"": 0.0, **PARTS_OF_AN_HOUR}
    whole, rest = divmod(minutes, 60)
    near = min([*parts, "next"], key=lambda part: abs(parts.get(part, 1.0) - rest / 60))
    return f"{whole + 1} h" if near == "next" else f"{whole}{near} h"


def _into_contents(changes: Changes, lesson: Lesson, problem_set: str) -> None:
    contents = changes.root / "_toc.yml"
    entry = f"- file: notebooks/{lesson.name}/{lesson.name}"
    released = f"notebooks/assignments/{problem_set}/{problem_set}"
    new = ["  sections:", f"    - file: {released}"]
    changes.write(contents, after(contents.read_text("utf-8"), entry, new))


def _steps(problem_set: str, name: str, function: str, new_set: bool) -> list[str]:
    folder = f"solutions/{problem_set}"
    steps = [
        f"Write the exercise's cells in {folder}/{problem_set}.ipynb: text, answer and tests. "
        "tests/solutions/test_notebooks.py names a form that is not kept.",
        f"Write the known answers in {folder}/{function}.py: two right and two wrong ones at "
        "least. tests/solutions/test_variants.py names a test that no wrong answer loses.",
        "Write the exercise's row in the table of exercises, and its points and minutes in both "
        "places. tests/solutions/test_notebooks.py names those that differ.",
        f"tfcourse release {problem_set}, and commit what it writes. "
        "nbjudge/tests/intake/test_release.py names a release that is not current.",
        "pytest tests/solutions nbjudge/tests/intake/test_release.py "
        f"-k {problem_set.partition('-')[0]}",
    ]
    if not new_set:
        return steps
    return [
        *steps,
        "Add the other exercises in the same way, and break at least twenty lines. "
        "tests/solutions/test_variants.py names a set with fewer.",
        "Put the lesson into book/weeks.yml (tests/site/test_weeks.py names it) and write its "
        "notes in solutions/teaching-notes.md (tests/solutions/test_teaching_notes.py names it).",
    ]
