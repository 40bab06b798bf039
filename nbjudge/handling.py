"""The steps that read what a learner wrote, done in the process of :mod:`nbjudge.helper`.

Text and numbers go in, text and numbers come out.
"""

from __future__ import annotations

from typing import Any

import nbformat
from nbgrader.utils import determine_grade

from nbjudge import cells, intake
from nbjudge.digests import fingerprints
from nbjudge.feedback import feedback
from nbjudge.files import Unreadable
from nbjudge.inside import tensor_file
from nbjudge.inside.tensor_file import NotTensors
from nbjudge.merge import merge
from nbjudge.outputs import Room, harmless
from nbjudge.pages import Colours
from nbjudge.release import quiet_log
from nbjudge.results import StudentResult, TestResult


class Desk:
    """Where the steps are done, with what they all need.

    Parameters
    ----------
    template:
        The instructor's notebook without solutions, as JSON.
    release:
        What learners were given, as JSON.
    given_out:
        The digests of each locked cell in every version that learners may have been given.
    """

    def __init__(self, template: str, release: str, given_out: dict[str, list[str]]):
        self.template, self.release = nbformat.v4.reads(template), nbformat.v4.reads(release)
        self.given_out = given_out

    def stage(self, content: bytes) -> dict[str, Any]:
        """A learner's answers in the instructor's ``notebook``, and the ``flags``.

        If the file cannot be read, the ``problem`` that it has.
        """
        try:
            parsed = intake.parse(content)
        except Unreadable as error:
            return {"problem": str(error), "flags": []}
        flags = list(parsed.flags)
        if parsed.kernel and parsed.kernel != "python3":
            flags.append(f"the notebook's kernel is {parsed.kernel[:40]!r}; it was run in python3")
        notebook, merged = merge(parsed.cells, self.template, self.release, self.given_out)
        return {"notebook": nbformat.v4.writes(notebook), "flags": flags + merged, "problem": ""}

    def enclosed(self, content: bytes) -> dict[str, Any]:
        """Why a file that was handed in beside the notebook is not taken; empty if it is."""
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
        """Our notebook with what its cells put out, ``run``.

        Nothing else of what came back is used. ``failed`` says why if the judgement is not one of
        this notebook.

        With ``bare`` only tests keep what they put out.
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
            return {"failed": f"the judge gave back something else: {error!r}"}
        own = {cells.grade_id(cell): cell for cell in run.cells if cells.is_test(cell)}
        if set(own) != set(tests):
            return {"failed": "the judge gave back other tests than there are"}
        for name, cell in own.items():
            score, most = determine_grade(cell, quiet_log())
            said = tests[name]
            if abs(score - said["score"]) > 1e-9 or most != said["max_score"]:
                return {
                    "failed": f"the judge gave {said['score']:g} of {said['max_score']:g} for "
                    f"{name}, its notebook {score:g} of {most:g}"
                }
        return {"run": nbformat.v4.writes(run), "failed": ""}

    def page(
        self, name: str, result: dict, run: str | None, warnings: list[str], colours: bool
    ) -> dict[str, Any]:
        """The page of feedback."""
        tests = {test: TestResult(**found) for test, found in result["tests"].items()}
        student = StudentResult(**{**result, "tests": tests})
        notebook = None if run is None else nbformat.v4.reads(run)
        return {"page": feedback(name, student, notebook, warnings, colours)}
