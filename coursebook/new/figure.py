"""An empty live figure: its script, its entry in the catalogue, its test, and the lesson's cell."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

from coursebook import course, live
from coursebook.browser import browser
from coursebook.course import Lesson
from coursebook.new.cells import cells, number, put, read, run, template, written
from coursebook.new.changes import Changes, Refused, lesson_named, named_well
from coursebook.new.claim import END


class Entry(NamedTuple):
    """A figure in the catalogue: the page that shows it, and where its entry stands."""

    shown: str
    path: Path
    line: int
    depth: int


def make(changes: Changes, lesson_name: str, name: str) -> list[str]:
    """Make a live figure of a lesson; returns what is left to do.

    Raises
    ------
    Refused
        If there is no such lesson, the name is not in the form of all or is taken, the lesson does
        not import ``live``, or the figure does not draw itself.
    """
    root, function = changes.root, name.replace("-", "_")
    lesson = lesson_named(root, lesson_name)
    test = root / "tests" / "site" / "figures" / f"test_{function}.py"
    _check(root, lesson, name, test)
    script = lesson.figures / name / "figure.js"
    changes.write(script, template("figure", name=name))
    changes.write(test, template("figure_test", name=name, function=function))
    module = _into_catalogue(changes, lesson, name)
    drawn = browser() is not None
    if drawn:
        _draw(changes, script.parent, name)
    notebook = read(lesson.notebook)
    put(notebook, run(cells("shown", name=name), root).cells[1:], END)
    number(notebook)
    changes.write(lesson.notebook, written(notebook))
    return _steps(changes, lesson, name, module, drawn)


def _check(root: Path, lesson: Lesson, name: str, test: Path) -> None:
    named_well("figure", name)
    scripts = {path.stem for path in (live.FOLDER / "scripts").glob("*.js")}
    if name in {*course.figure_folders(root), *scripts}:
        raise Refused(f"there is a live figure or a script {name!r} already: choose another name.")
    if test.exists():
        raise Refused(
            f"{test.relative_to(root).as_posix()} has the name that the figure's test would have: "
            "choose another name."
        )
    code = (cell.source for cell in read(lesson.notebook).cells if cell.cell_type == "code")
    if not any(_imports_live(source) for source in code):
        raise Refused(
            f"{lesson.name} does not import what shows a live figure: add "
            "`from coursebook import live` to its first code cell."
        )


def _imports_live(source: str) -> bool:
    lines = (line for line in source.splitlines() if line.startswith("from coursebook import"))
    return any("live" in line.replace(",", " ").split() for line in lines)


def _entries(root: Path) -> list[Entry]:
    """The entries of lessons' figures, in the order of the lessons."""
    return sorted(
        Entry(str(shown.value), path, call.end_lineno or call.lineno, call.col_offset)
        for path in (root / "coursebook" / "live").glob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Figure" and len(call.args) > 3
        if isinstance(shown := call.args[3], ast.Constant) and str(shown.value)[:2].isdigit()
    )


def _into_catalogue(changes: Changes, lesson: Lesson, name: str) -> str:
    """Add the figure's entry below the last one of its lesson, or of the one before."""
    entries = _entries(changes.root)
    after = [one for one in entries if one.shown <= lesson.name][-1]
    lines = after.path.read_text("utf-8").splitlines(keepends=True)
    new = template("entry", name=name, lesson=lesson.name)
    lines.insert(after.line, textwrap.indent(new, " " * after.depth))
    changes.write(after.path, "".join(lines))
    return changes.relative(after.path)


def _draw(changes: Changes, folder: Path, name: str) -> None:
    """Have the figure draw itself: in a process of its own, which reads the new catalogue."""
    command = [sys.executable, "-m", "coursebook.live", name]
    done = subprocess.run(command, cwd=changes.root, capture_output=True, text=True)
    for path in folder.glob("*.svg"):
        changes.before[path] = None
    if done.returncode:
        said = (done.stderr.strip() or "it says nothing").splitlines()[-1]
        raise Refused(f"Chromium does not draw the figure: {said} Run `tfcourse doctor`.")


def _steps(changes: Changes, lesson: Lesson, name: str, module: str, drawn: bool) -> list[str]:
    folder, page = changes.relative(lesson.figures / name), changes.relative(lesson.notebook)
    install = "" if drawn else "Install Chromium: the still picture could not be drawn here. "
    test = f"tests/site/figures/test_{name.replace('-', '_')}.py"
    return [
        f"Write the question, the caption and the data of {name} in {module}.",
        f"Draw it in {folder}/figure.js with the pieces of coursebook/live/scripts/kit.js. If it "
        "needs numbers of tfcourse or of a training, write them by a make.py beside it, and name "
        "the file in `stored`. tests/coursebook/test_live.py names what is not there.",
        f"Test it in {test}: every control by the keyboard, and what it says against tfcourse.",
        f"Move the cell live-{name} of the lesson to its place.",
        f"{install}python -m coursebook.live {name} draws the still pictures, and "
        f"`tfcourse chapter {page}` stores them in the lesson. "
        "tests/site/figures/test_for_everybody.py and tests/notebooks/test_chapters.py name what "
        "was not drawn or stored again.",
        f"pytest {test} tests/site/figures/test_for_everybody.py tests/coursebook/test_live.py "
        "tests/house/test_lessons.py",
    ]
