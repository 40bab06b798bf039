"""The steps that read what a learner wrote, run in the process of :mod:`nbjudge.run.helper`.

Text and numbers go in, text and numbers come out.
"""

from __future__ import annotations

from typing import Any

import nbformat
from nbgrader.utils import determine_grade

from nbjudge.files import Unreadable
from nbjudge.inside import tensor_file
from nbjudge.inside.tensor_file import NotTensors
from nbjudge.intake import cells, find
from nbjudge.intake.merge import merge
from nbjudge.intake.notes import Notes
from nbjudge.intake.other_set import other_set
from nbjudge.intake.release import quiet_log
from nbjudge.report.feedback import feedback
from nbjudge.report.outputs import Room, harmless
from nbjudge.report.pages import Colours
from nbjudge.report.rich import rich, source
from nbjudge.store.digests import fingerprints
from nbjudge.store.results import StudentResult, TestResult


class Intake:
    """Performs the steps, with the data that they share.

    Parameters
    ----------
    template:
        The instructor's notebook without solutions, as JSON.
    release:
        The released notebook, as JSON.
    given_out:
        Digests of each locked cell in every version that learners may have been given.
    names:
        The names that each answer's solution binds.
    notebook, elsewhere:
        The notebook's name, and the grade ids in the course's other notebooks.
    """

    def __init__(
        self,
        template: str,
        release: str,
        given_out: dict[str, list[str]],
        names: dict[str, list[str]],
        notebook: str = "",
        elsewhere: dict[str, list[str]] | None = None,
    ):
        self.template, self.release = nbformat.v4.reads(template), nbformat.v4.reads(release)
        self.given_out, self.names = given_out, names
        self.notebook, self.elsewhere = notebook, elsewhere or {}

    def stage(self, content: bytes) -> dict[str, Any]:
        """Put a learner's answers into the instructor's ``notebook``; also returns the ``notes``.

        If the file cannot be read, ``problem`` says why.
        """
        try:
            parsed = find.parse(content)
        except Unreadable as error:
            return {"problem": str(error), "notes": {}}
        if other := other_set(parsed.cells, self.release.cells, self.elsewhere):
            return {"problem": f"holds {other}, not {self.notebook}", "notes": {}}
        notes = Notes()
        notes.extend(parsed)
        if parsed.kernel and parsed.kernel != "python3":
            notes.add(f"the notebook's kernel is {parsed.kernel[:40]!r}; it was run in python3")
        notebook, merged = merge(
            parsed.cells, self.template, self.release, self.given_out, self.names
        )
        notes.extend(merged)
        return {"notebook": nbformat.v4.writes(notebook), "notes": vars(notes), "problem": ""}

    def enclosed(self, content: bytes) -> dict[str, Any]:
        """Why a file handed in with the notebook is refused; empty if it is accepted."""
        try:
            tensor_file.contents(content)
        except NotTensors as error:
            return {"problem": str(error)}
        return {"problem": ""}

    def prints(self, notebook: str) -> dict[str, Any]:
        """The answers' fingerprints."""
        return {"prints": fingerprints(nbformat.v4.reads(notebook), self.release)}

    def run(
        self, notebook: str, judged: bytes, tests: dict[str, dict], bare: bool
    ) -> dict[str, Any]:
        """Our notebook with its cells' outputs, as ``run``.

        Nothing else in the judgement is used. ``failed`` says why if the judgement does not belong
        to this notebook.

        With ``bare`` only tests keep their outputs.
        """
        try:
            returned = nbformat.v4.reads(judged.decode())
            found = {cell["id"]: cell for cell in returned.cells}
            run, room, colours = nbformat.v4.reads(notebook), Room(), Colours()
            for cell in run.cells:
                if cell.cell_type == "code":
                    back = found[cell.id]
                    kept = [] if bare and not cells.is_test(cell) else back["outputs"]
                    cell.outputs = harmless(kept, None if cells.is_test(cell) else room)
                    count = back.get("execution_count")
                    cell.execution_count = count if type(count) is int else None
                    if cells.is_learners(cell) and not colours.has_time_for(cell.source):
                        cell.metadata["magics_language"] = "text"
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return {"failed": f"the judge returned something unexpected: {error!r}"}
        own = {cells.grade_id(cell): cell for cell in run.cells if cells.is_test(cell)}
        if set(own) != set(tests):
            return {"failed": "the judge returned different tests from the notebook's"}
        for name, cell in own.items():
            score, most = determine_grade(cell, quiet_log())
            said = tests[name]
            if abs(score - said["score"]) > 1e-9 or most != said["max_score"]:
                return {
                    "failed": f"the judge gave {said['score']:g} of {said['max_score']:g} for "
                    f"{name}, but its notebook says {score:g} of {most:g}"
                }
        return {"run": nbformat.v4.writes(run), "failed": ""}

    def written(self, notebook: str) -> dict[str, Any]:
        """The answers that a person marks, by name, as harmless HTML."""
        answers = {
            cells.grade_id(cell): rich(cell.source)
            if cell.cell_type == "markdown"
            else source(cell.source)
            for cell in nbformat.v4.reads(notebook).cells
            if cells.is_answer(cell) and cells.is_graded(cell)
        }
        return {"answers": answers}

    def page(
        self,
        name: str,
        result: dict,
        run: str | None,
        warnings: list[str],
        colours: bool,
        about: list[str],
    ) -> dict[str, Any]:
        """The feedback page."""
        tests = {test: TestResult(**found) for test, found in result["tests"].items()}
        student = StudentResult(**{**result, "tests": tests})
        notebook = None if run is None else nbformat.v4.reads(run)
        return {"page": feedback(name, student, notebook, warnings, colours, about)}
