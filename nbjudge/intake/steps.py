"""The steps that read what a learner wrote, run in the process of :mod:`nbjudge.run.helper`."""

from __future__ import annotations

import nbformat
from nbgrader.utils import determine_grade

from nbjudge.files import Unreadable
from nbjudge.inside import tensor_file
from nbjudge.inside.messages import Tagged
from nbjudge.inside.tensor_file import NotTensors
from nbjudge.intake import cells, find
from nbjudge.intake.merge import merge
from nbjudge.intake.messages import (
    AddOutputs,
    LookedInto,
    LookInto,
    Opened,
    Prints,
    Render,
    Rendered,
    Stage,
    Staged,
    TakePrints,
    WithOutputs,
    WritePage,
    Written,
)
from nbjudge.intake.notes import Notes
from nbjudge.intake.other_set import other_set
from nbjudge.intake.sources import quiet_log
from nbjudge.report.feedback import feedback
from nbjudge.report.outputs import Room, harmless
from nbjudge.report.pages import Colours
from nbjudge.report.rich import rich, source
from nbjudge.store.digests import fingerprints

#: All steps.
Steps = Stage | LookInto | TakePrints | AddOutputs | Render | WritePage


class Intake:
    """Takes the steps, with what they have in common."""

    def __init__(self, opened: Opened):
        self.template = nbformat.v4.reads(opened.template)
        self.release = nbformat.v4.reads(opened.release)
        self.opened = opened

    def take(self, step: Steps) -> Tagged:
        """The reply to a step."""
        match step:
            case Stage():
                return self.stage(step.content)
            case LookInto():
                return self.look_into(step.content)
            case TakePrints():
                notebook = nbformat.v4.reads(step.notebook)
                return Prints(prints=fingerprints(notebook, self.release))
            case AddOutputs():
                return self.add_outputs(step)
            case Render():
                return self.render(step.notebook)
            case WritePage():
                return self.write_page(step)

    def stage(self, content: bytes) -> Staged:
        """A learner's answers in the instructor's notebook."""
        opened = self.opened
        try:
            parsed = find.parse(content)
        except Unreadable as error:
            return Staged(notes=Notes(), problem=str(error))
        if other := other_set(parsed.cells, self.release.cells, opened.elsewhere):
            return Staged(notes=Notes(), problem=f"holds {other}, not {opened.notebook}")
        notes = Notes()
        notes.extend(parsed)
        if parsed.kernel and parsed.kernel != "python3":
            notes.add(f"the notebook's kernel is {parsed.kernel[:40]!r}; it was run in python3")
        notebook, merged = merge(
            parsed.cells, self.template, self.release, opened.given_out, opened.names
        )
        notes.extend(merged)
        return Staged(notebook=nbformat.v4.writes(notebook), notes=notes)

    def look_into(self, content: bytes) -> LookedInto:
        """Why a file handed in with the notebook is refused; empty if it is accepted."""
        try:
            tensor_file.contents(content)
        except NotTensors as error:
            return LookedInto(problem=str(error))
        return LookedInto()

    def add_outputs(self, step: AddOutputs) -> WithOutputs:
        """Our notebook with its cells' outputs."""
        try:
            returned = nbformat.v4.reads(step.judged.decode())
            by_id = {cell["id"]: cell for cell in returned.cells}
            run, room, colours = nbformat.v4.reads(step.notebook), Room(), Colours()
            for cell in run.cells:
                if cell.cell_type == "code":
                    back = by_id[cell.id]
                    kept = [] if step.bare and not cells.is_test(cell) else back["outputs"]
                    cell.outputs = harmless(kept, None if cells.is_test(cell) else room)
                    count = back.get("execution_count")
                    cell.execution_count = count if type(count) is int else None
                    if cells.is_learners(cell) and not colours.has_time_for(cell.source):
                        cell.metadata["magics_language"] = "text"
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return WithOutputs(failed=f"the judge returned something unexpected: {error!r}")
        own = {cells.grade_id(cell): cell for cell in run.cells if cells.is_test(cell)}
        if set(own) != set(step.tests):
            return WithOutputs(failed="the judge returned different tests from the notebook's")
        for name, cell in own.items():
            score, most = determine_grade(cell, quiet_log())
            test = step.tests[name]
            if abs(score - test.score) > 1e-9 or most != test.max_score:
                return WithOutputs(
                    failed=f"the judge gave {test.score:g} of {test.max_score:g} for {name}, but "
                    f"its notebook says {score:g} of {most:g}"
                )
        return WithOutputs(notebook=nbformat.v4.writes(run))

    def render(self, notebook: str) -> Rendered:
        """The answers that a person marks, by name, as harmless HTML."""
        answers = {
            cells.grade_id(cell): rich(cell.source)
            if cell.cell_type == "markdown"
            else source(cell.source)
            for cell in nbformat.v4.reads(notebook).cells
            if cells.is_answer(cell) and cells.is_graded(cell)
        }
        return Rendered(answers=answers)

    def write_page(self, step: WritePage) -> Written:
        """The feedback page."""
        run = None if step.run is None else nbformat.v4.reads(step.run)
        page = feedback(step.name, step.result, run, step.warnings, step.colours, step.about)
        return Written(page=page)
