"""What the extensions read from the course's own files: the plan, chapters and problem sets."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from coursebook import course
from coursebook.yaml_files import read_yaml

H1 = re.compile(r"^#\s+(?P<title>.+?)\s*$", re.MULTILINE)
GRADED = re.compile(r"(?P<exercise>.+?)--(?P<test>.+)")


@dataclass(frozen=True)
class Planned:
    """A chapter of the plan in ``book/chapters.yml``, written or not."""

    name: str
    title: str
    about: str
    part: str


def plan(root: Path) -> list[Planned]:
    """Every chapter in the plan, in order."""
    parts = read_yaml(root / "book" / "chapters.yml", list)
    return [
        Planned(name, entry["title"], entry["about"], part["part"])
        for part in parts
        for name, entry in part["chapters"].items()
    ]


@cache
def _cells(path: Path, stamp: float) -> tuple[dict, ...]:
    return tuple(json.loads(path.read_text("utf-8"))["cells"])


def cells(notebook: Path) -> tuple[dict, ...]:
    """The notebook's cells; read only once while the file does not change."""
    return _cells(notebook, notebook.stat().st_mtime)


def source(cell: dict) -> str:
    """A cell's text."""
    return "".join(cell["source"])


def stdout(cell: dict) -> str:
    """The text that a code cell's stored outputs printed."""
    streams = [o for o in cell.get("outputs", []) if o.get("name") == "stdout"]
    return "".join("".join(output["text"]) for output in streams)


def title(notebook: Path) -> str:
    """The first heading of a notebook, or its file's name if it has none."""
    for cell in cells(notebook):
        if cell["cell_type"] == "markdown" and (found := H1.search(source(cell))):
            return found["title"]
    return notebook.stem


def imports(notebook: Path) -> tuple[str, ...]:
    """The names of the package that a notebook imports: ``tfcourse.attention.causal_mask``."""
    return _imports(notebook, notebook.stat().st_mtime)


@cache  # called for every entry of the API
def _imports(notebook: Path, stamp: float) -> tuple[str, ...]:
    return tuple(_imported(notebook))


def _imported(notebook: Path) -> Iterator[str]:
    modules: dict[str, str] = {}
    for cell in cells(notebook):
        if cell["cell_type"] != "code":
            continue
        # Magics and shell lines are not Python.
        python = re.sub(r"(?m)^\s*[%!].*$", "", source(cell))
        try:
            tree = ast.parse(python)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tfcourse"):
                for name in node.names:
                    modules[name.asname or name.name] = f"{node.module}.{name.name}"
                    yield f"{node.module}.{name.name}"
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                # `from tfcourse import plots`, and then `plots.attention_map`
                yield f"{modules.get(node.value.id, '')}.{node.attr}"


#: Reading speed: words of prose and lines of code per minute.
WORDS, LINES = 180, 12

#: Minutes for looking at a figure.
FIGURE = 0.5


#: How a lesson states its time.
_TIME = re.compile(r"\*\*Time:\*\* about (?P<minutes>\d+) minutes")


def minutes(notebook: Path) -> int:
    """Roughly how long a notebook takes to read and run, in steps of five minutes.

    The notebook's own statement has priority. Otherwise folded code is not counted, and each
    figure counts as :data:`FIGURE` minutes.
    """
    spent = 0.0
    for cell in cells(notebook):
        if cell["cell_type"] == "markdown":
            if said := _TIME.search(source(cell)):
                return int(said["minutes"])
            spent += len(re.findall(r"\w+", source(cell))) / WORDS
            continue
        hidden = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
        if cell["cell_type"] == "code":
            if not hidden & set(cell["metadata"].get("tags", [])):
                spent += len(source(cell).splitlines()) / LINES
            spent += FIGURE * sum("image/png" in o.get("data", {}) for o in cell["outputs"])
    return max(5, 5 * round(spent / 5))


def first_figure(notebook: Path) -> dict | None:
    """The first stored output of a notebook that holds an image."""
    outputs = (output for cell in cells(notebook) for output in cell.get("outputs", []))
    return next((o for o in outputs if o.get("data", {}).get("image/png")), None)


def first_picture(notebook: Path) -> bytes | None:
    """The first stored figure of a notebook, as PNG bytes."""
    figure = first_figure(notebook)
    return base64.b64decode("".join(figure["data"]["image/png"])) if figure else None


#: The last row of a problem set's table of exercises: its points and its time.
_TOTAL = re.compile(
    r"^\|\s*\|\s*\|\s*\*\*[\d.]+\*\*\s*\|\s*\*\*(?P<time>[^*]+)\*\*\s*\|$", re.MULTILINE
)


@dataclass
class ProblemSet:
    """A released problem set: its page, its title, its time, and the points of each exercise."""

    path: Path
    title: str
    points: dict[str, float] = field(default_factory=dict)
    time: str = ""


def problem_sets(root: Path) -> list[ProblemSet]:
    """The released problem sets, read from the notebooks that learners get."""
    found = []
    for name in course.problem_set_names(root):
        path = root / "notebooks" / "assignments" / name / f"{name}.ipynb"
        if not path.is_file():
            continue
        released = ProblemSet(path, title(path))
        for cell in cells(path):
            if not released.time and (total := _TOTAL.search(source(cell))):
                released.time = total["time"].strip()
            marks = cell["metadata"].get("nbgrader", {})
            if marks.get("grade"):
                match = GRADED.match(marks["grade_id"])
                exercise = match["exercise"] if match else marks["grade_id"]
                released.points[exercise] = released.points.get(exercise, 0) + marks["points"]
        found.append(released)
    return found
