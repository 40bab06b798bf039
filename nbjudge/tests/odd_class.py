"""A class of everybody: honest work, honest but odd work, and what arrives broken."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell
from small_set import NAME, answered, cell, hand_in, release_of


def _without(notebook, grade_id):
    notebook.cells.remove(cell(notebook, grade_id))
    return notebook


def _doubled(notebook, grade_id, source=None):
    copy = nbformat.from_dict(dict(cell(notebook, grade_id)))
    copy.id = "copy"
    copy.source = copy.source if source is None else source
    notebook.cells.insert(notebook.cells.index(cell(notebook, grade_id)), copy)
    return notebook


def hand_in_class(submitted: Path, course: Path) -> None:
    """Write everybody's work to ``submitted``."""
    _hand_in_honest(submitted, course)
    _hand_in_odd(submitted, course)
    _hand_in_tampered(submitted, course)
    _hand_in_endless(submitted, course)
    _hand_in_unreadable(submitted, course)
    _write_roster(submitted)


def _hand_in_honest(submitted: Path, course: Path) -> None:
    """Right, not begun and wrong."""
    hand_in(submitted, "right", answered(course))
    hand_in(submitted, "empty", release_of(course))
    hand_in(
        submitted,
        "wrong",
        answered(
            course,
            double="def double(x):\n    return x * x",
            sum_squares="def sum_squares(numbers):\n    return sum(numbers) if numbers else 0",
            explain="<script>alert('written')</script> Because.",
        ),
    )


def _hand_in_odd(submitted: Path, course: Path) -> None:
    """Honest but odd: full marks."""
    notebook = answered(course, double="def double(x):\n    return twice(x)")
    place = notebook.cells.index(cell(notebook, "double")) + 1
    notebook.cells.insert(place, new_code_cell("def twice(x):\n    return 2 * x"))
    hand_in(submitted, "function-after", notebook)
    notebook = _doubled(answered(course, double="def double(x):\n    return twice(x)"), "double")
    notebook.cells[
        [c.id for c in notebook.cells].index("copy")
    ].source = "def twice(x):\n    return 2 * x"
    hand_in(submitted, "split-answer", notebook)
    notebook = answered(course)
    notebook.metadata.kernelspec = {"name": "ir", "display_name": "R", "language": "R"}
    hand_in(submitted, "[odd] name, 学生 {x}", notebook, name="my work.ipynb")


def _hand_in_tampered(submitted: Path, course: Path) -> None:
    """Tests changed, answers moved, values and outputs that lie or attack."""
    notebook = _without(answered(course, double="double = abs"), "double--hidden")
    cell(notebook, "double--values").source = "pass"
    cell(notebook, "double--values").metadata.nbgrader.points = 100
    hand_in(submitted, "tests-tampered", notebook)
    hand_in(submitted, "answer-deleted", _without(answered(course), "double"))
    notebook = answered(course)
    cell(notebook, "double").metadata.nbgrader.update(solution=False, grade=True, points=50)
    hand_in(submitted, "flags-flipped", notebook)
    lies = (
        "class Lie(float):\n    def __eq__(self, other):\n        return float('nan')\n"
        "    __hash__ = float.__hash__\n"
        "def sum_squares(numbers):\n    return Lie()"
    )
    hand_in(submitted, "nan-score", answered(course, sum_squares=lies))
    shows = (
        "from IPython.display import HTML, Javascript, SVG, display\n"
        "display(HTML('<script>alert(1)</script>'), Javascript('alert(2)'),\n"
        "        SVG('<svg onload=\"alert(3)\"></svg>'))\n"
        "display({'image/png': '\"><script>alert(4)</script>'}, raw=True)\n"
        "def double(x):\n    return 2 * x"
    )
    notebook = answered(course, double=shows)
    notebook.cells.append(new_markdown_cell("<img src=x onerror=alert(5)>\n\n[x](javascript:a)"))
    hand_in(submitted, "scripts", notebook)


def _hand_in_endless(submitted: Path, course: Path) -> None:
    """Never ends, or dies."""
    stubborn = (
        "def double(x):\n    while True:\n        try:\n            while True:\n"
        "                pass\n        except BaseException:\n            pass"
    )
    hand_in(submitted, "stubborn", answered(course, double=stubborn))
    hand_in(
        submitted,
        "dies",
        answered(course, sum_squares="import os\nsum_squares = lambda x: os._exit(1)"),
    )
    hand_in(
        submitted,
        "prints",
        answered(course, double="def double(x):\n    while True:\n        print('ha' * 99)"),
    )


def _hand_in_unreadable(submitted: Path, course: Path) -> None:
    """Nothing that can be read, or no telling which file counts."""
    text = json.dumps(answered(course))
    hand_in(submitted, "cut-off", text[: len(text) // 2])
    hand_in(submitted, "no-bytes", b"")
    hand_in(submitted, "no-notebook", '{"a": 1}')
    hand_in(submitted, "a-picture", b"\x89PNG\r\n\x1a\n\xff\xfe\x00")
    hand_in(submitted, "deep", "[" * 200_000)
    (submitted / "no-file" / NAME).mkdir(parents=True)
    hand_in(submitted, "two-files", answered(course), name="one.ipynb")
    hand_in(submitted, "two-files", answered(course, double="double = abs"), name="two.ipynb")
    target = hand_in(submitted.parent / "elsewhere", "someone", answered(course))
    link = submitted / "a-link" / NAME / f"{NAME}.ipynb"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)


def _write_roster(submitted: Path) -> None:
    """List all but one of them, and one who handed in nothing."""
    students = sorted(path.name for path in submitted.iterdir())
    listed = [name for name in students if name != "right"] + ["absent"]
    rows = "".join(f'"{name}",\n' for name in listed)
    (submitted / "roster.csv").write_text("student,note\n" + rows, encoding="utf-8")
