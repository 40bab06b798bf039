"""A page of feedback for a student: nbgrader's own converter with a page that shows no hidden
test and runs no script."""

from __future__ import annotations

import html
import re
from pathlib import Path

import bleach
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor

from tfcourse.grading import cells
from tfcourse.grading.execute import TidyOutputs
from tfcourse.grading.gradebook import GradingFailed, GradingFolder, OneStudent
from tfcourse.grading.release import METADATA, quiet_log
from tfcourse.grading.results import WAITS, StudentResult, write_whole

TEMPLATES = Path(__file__).parent / "templates"

TAGS = {
    *bleach.ALLOWED_TAGS,
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "div", "span", "del", "sub"),
    *("table", "thead", "tbody", "tr", "th", "td", "sup", "dl", "dt", "dd"),
}


def safe_html(text: str) -> str:
    """HTML with only harmless tags and attributes left."""
    attributes = {"a": ["href", "title"], "*": ["class"]}
    return bleach.clean(str(text), tags=TAGS, attributes=attributes, strip=True)


class Redact(NbGraderPreprocessor):
    """Leave out what a student is not to see, or has in their own notebook anyway.

    Hidden tests become one comment line. Of the instructor's text the headings stay, of locked code
    the tests.
    """

    def preprocess(self, nb, resources):
        kept = []
        for cell in nb.cells:
            judged = cells.is_answer(cell) or cells.is_graded(cell)
            if not judged and not cell.id.startswith("own-"):
                cell.source = "\n".join(re.findall(r"^#{1,6} .+$", cell.source, re.MULTILINE))
                if cell.cell_type != "markdown" or not cell.source:
                    continue
            cell.source = cells.without_hidden_tests(
                cell.source, "# hidden test: its source is not shown"
            )
            cell.metadata = type(cell.metadata)(
                {key: value for key, value in cell.metadata.items() if key == "nbgrader"}
            )
            kept.append(cell)
        nb.cells = kept
        nb.metadata = type(nb.metadata)(METADATA)
        return nb, resources


class Panel(NbGraderPreprocessor):
    """Hand the page the table at its top: each test's points and what it said."""

    def __init__(self, student: StudentResult, name: str, **traits):
        super().__init__(**traits)
        self.student, self.name = student, name

    def preprocess(self, nb, resources):
        resources["panel"] = panel(self.name, self.student)
        return nb, resources


class OnePage(OneStudent, GenerateFeedback):
    """nbgrader's converter for one student."""


def number(value: float) -> str:
    """Points as a reader writes them: ``3``, ``2.5``."""
    return f"{round(value, 2):g}"


def panel(name: str, student: StudentResult) -> str:
    """The top of the page as HTML: the score, what was noticed, and a table of the tests."""
    text = html.escape
    lines = [
        f"<h1>{text(name)}: {number(student.score)} of {number(student.max_score)} points</h1>"
    ]
    # The table says itself what waits for a mark.
    if flags := [flag for flag in student.flags if not flag.endswith(WAITS)]:
        items = "".join(f"<li>{text(flag)}</li>" for flag in flags)
        lines.append(f"<p>Noticed when this was graded:</p><ul>{items}</ul>")
    lines.append(
        "<table><thead><tr><th scope='col'>test</th><th scope='col'>points</th>"
        "<th scope='col'>what it says</th></tr></thead>"
    )
    for piece, whole in student.pieces.items():
        lines.append(
            f"<tbody><tr class='piece'><th scope='rowgroup'>{text(piece)}</th>"
            f"<td>{of(whole.score, whole.max_score)}</td><td class='says'></td></tr>"
        )
        for test, found in student.tests.items():
            if cells.piece_of(test) == piece:
                full = found.score is not None and found.score >= found.max_score
                sign = "✓" if full else "…" if found.score is None else "✗"
                says = WAITS if found.score is None else found.message
                shown = text(test.partition(cells.SEPARATOR)[2] or piece)
                lines.append(
                    f"<tr class='{'full' if full else 'lost'}'>"
                    f"<td>{sign} <a href='#{text(test)}'>{shown}</a></td>"
                    f"<td>{of(found.score, found.max_score)}</td>"
                    f"<td class='says'>{text(says)}</td></tr>"
                )
        lines.append("</tbody>")
    return "\n".join([*lines, "</table>"])


def of(score: float | None, most: float) -> str:
    """A score and what could be had: ``3 of 4``, ``– of 4`` while it is not known."""
    return f"{'–' if score is None else number(score)} of {number(most)}"


def write_feedback(folder: GradingFolder, name: str, student: StudentResult) -> Path:
    """Write ``feedback/STUDENT/PS/PS.html`` from what was graded; returns the page's path.

    Raises
    ------
    GradingFailed
        Where nbgrader's converter fails; its log says why.
    """
    config = folder.config.copy()
    config.HTMLExporter.template_name = "feedback"
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES)]
    config.TemplateExporter.filters = {"safe_html": safe_html, "number": number}
    log = quiet_log()
    place = CourseDirectory(config=config, log=log)
    place.student_id, place.assignment_id = name, folder.problem_set
    converter = OnePage(coursedir=place, config=config, log=log, force=True)
    converter.preprocessors = [
        Redact,
        TidyOutputs,
        GetGrades,
        Panel(student, folder.problem_set),
        CSSHTMLHeaderPreprocessor,
    ]
    try:
        converter.start()
    except Exception as error:
        raise GradingFailed(f"no feedback could be written for {name}") from error
    return folder.path("feedback", name) / f"{folder.problem_set}.html"


def write_note(folder: GradingFolder, name: str, student: StudentResult) -> Path:
    """Write the page of someone whose work could not be read: the table, and why."""
    page = folder.path("feedback", name) / f"{folder.problem_set}.html"
    head = (TEMPLATES / "feedback" / "head.html").read_text(encoding="utf-8")
    body = panel(folder.problem_set, student)
    write_whole(page, f"{head}</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n")
    return page
