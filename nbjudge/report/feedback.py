"""A student's feedback page: each test's message, the flags, and their own work.

It shows no hidden test and runs no script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bleach
from markupsafe import Markup
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from nbjudge.intake import cells
from nbjudge.intake.sources import METADATA
from nbjudge.report import outputs
from nbjudge.report.pages import code, page
from nbjudge.store.results import WAITS, StudentResult, TestResult
from nbjudge.wording import plain

#: Said of a mark that is held.
NOT_FINAL = "Your points are not final: your instructor will look at your work."

#: Replaces a hidden test.
HIDDEN = "# hidden test: its source is not shown"

#: HTML tags allowed in a marker's comment.
TAGS = {
    *bleach.ALLOWED_TAGS,
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "div", "span", "del", "sub"),
    *("table", "thead", "tbody", "tr", "th", "td", "sup", "dl", "dt", "dd"),
}


def safe_html(text: str) -> Markup:
    """HTML with only harmless tags and attributes left."""
    attributes = {"a": ["href", "title"], "*": ["class"]}
    return Markup(bleach.clean(str(text), tags=TAGS, attributes=attributes, strip=True))


def is_shown(cell: NotebookNode) -> bool:
    """Whether a cell is the learner's or graded; the rest is in the learner's own notebook."""
    return cells.is_learners(cell) or cells.is_graded(cell)


def headings(cell: NotebookNode) -> list[str]:
    """The headings in a Markdown cell."""
    if cell.cell_type != "markdown":
        return []
    titles = re.findall(r"^#{1,6} (.+)$", cell.source, re.MULTILINE)
    return [heading.replace("`", "") for heading in titles]


class Redact(NbGraderPreprocessor):
    """For pages made by nbgrader's own converter: remove what a student must not see.

    Hidden tests become one comment line. Of the instructor's text only headings remain, of locked
    code only tests, of outputs only what cannot execute.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """The notebook as the page shows it."""
        kept = []
        for cell in nb.cells:
            if not is_shown(cell):
                cell.source = "\n".join(f"## {heading}" for heading in headings(cell))
                if not cell.source:
                    continue
            elif cell.cell_type == "markdown":
                cell.source = outputs.harmless_markdown(cell.source)
            cell.source = cells.without_hidden_tests(cell.source, HIDDEN)
            cell.metadata = NotebookNode(
                {key: value for key, value in cell.metadata.items() if key == "nbgrader"}
            )
            if cell.cell_type == "code":
                cell.outputs = outputs.harmless(cell.outputs)
            kept.append(cell)
        nb.cells = kept
        nb.metadata = NotebookNode(METADATA)
        return nb, resources


@dataclass
class ShownCell:
    """One cell as the page shows it: an instructor's heading, or a cell with its outputs."""

    heading: str = ""
    label: str = ""
    name: str = ""
    is_code: bool = True
    source: Any = ""
    result: TestResult | None = None
    comment: Markup | str = ""
    by_item: list[dict] = field(default_factory=list)
    outputs: list[dict] = field(default_factory=list)


def shown(notebook: NotebookNode, student: StudentResult, colours: bool = True) -> list[ShownCell]:
    """The cells of an executed notebook, as the page shows them."""
    room = outputs.Room()
    cells_shown: list[ShownCell] = []
    for cell in notebook.cells:
        if not is_shown(cell):
            cells_shown += [ShownCell(heading=heading) for heading in headings(cell)]
            continue
        name, is_code = cells.grade_id(cell), cell.cell_type == "code"
        label = "A cell of your own"
        if name:
            label = "Your answer" if cells.is_answer(cell) else "Test"
        source = cells.without_hidden_tests(cell.source, HIDDEN) if name else cell.source
        comment = student.comments.get(name, "")
        cells_shown.append(
            ShownCell(
                label=label,
                name=name,
                is_code=is_code,
                source=code(source) if is_code and colours else source,
                result=student.tests.get(name),
                comment=safe_html(markdown2html(comment)) if comment else "",
                by_item=student.by_item.get(name, []),
                outputs=_outputs(cell, room) if is_code else [],
            )
        )
    return cells_shown


def _outputs(cell: NotebookNode, room: outputs.Room) -> list[dict]:
    parts = []
    for out in outputs.harmless(cell.outputs, None if cells.is_test(cell) else room):
        if out.output_type == "stream":
            parts.append({"kind": out.name, "text": plain(out.text)})
        elif out.output_type == "error":
            parts.append({"kind": "error", "text": plain("\n".join(out.traceback))})
        else:
            pictures = [kind for kind in outputs.PICTURES if kind in out.data]
            if pictures:
                parts.append({"kind": pictures[0], "picture": out.data[pictures[0]]})
            else:
                parts.append({"kind": "result", "text": plain(out.data["text/plain"])})
    return parts


def _table(student: StudentResult, linked: bool) -> list[tuple]:
    """Each exercise's name, result and tests, as shown in the table at the top."""
    rows = []
    for exercise, whole in student.exercises.items():
        tests = []
        for name, test in student.tests.items():
            if cells.exercise_of(name) != exercise:
                continue
            full = test.score is not None and test.score >= test.max_score
            tests.append(
                {
                    "name": name,
                    "shown": name.partition(cells.SEPARATOR)[2] or exercise,
                    "linked": linked,
                    "full": full,
                    "sign": _sign(test),
                    "result": test,
                    "says": WAITS if test.score is None else test.message,
                }
            )
        rows.append((exercise, whole, tests))
    return rows


def _sign(test: TestResult) -> str:
    """A symbol for all points, some, none, or not known yet."""
    if test.score is None:
        return "…"
    return "✓" if test.score >= test.max_score else "◐" if test.score > 0 else "✗"


def feedback(
    name: str,
    student: StudentResult,
    notebook: NotebookNode | None,
    warnings: list[str],
    colours: bool = True,
    about: Sequence[str] = (),
) -> str:
    """The page as HTML.

    Parameters
    ----------
    name:
        The problem set's name.
    student:
        The student's result.
    notebook:
        The executed notebook; ``None`` if it could not be read.
    warnings:
        Shown above everything else.
    colours:
        Whether to highlight code.
    about:
        Whose page it is, and of when: shown below the title.
    """
    return page(
        "feedback.html.j2",
        name=name,
        student=student,
        about=about,
        not_final=NOT_FINAL if student.held else "",
        warnings=warnings,
        exercises=_table(student, notebook is not None),
        shown=[] if notebook is None else shown(notebook, student, colours),
    )
