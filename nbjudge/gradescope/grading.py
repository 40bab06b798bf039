"""What ``run_autograder`` does in Gradescope's container: grade one submission."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import nbformat
from rich.console import Console

from nbjudge import sandbox
from nbjudge.files import write_whole
from nbjudge.gradescope.results import results
from nbjudge.intake import cells
from nbjudge.intake.sources import notebooks_in, source_folder
from nbjudge.report import show
from nbjudge.run import engine

#: The only student, in the folder of submissions that is made for the grader.
STUDENT = "submission"

#: Said to the instructor if learners' code ran unprotected.
NOT_PROTECTED = (
    "This container has no sandbox: {why} So the submission's code could read the hidden tests and "
    "the solutions, use the network, and change results. If a mark surprises you, read the code, "
    "or grade the submission on a machine with a sandbox."
)


def grade(problem_set: str, course: Path, root: Path, hidden: str) -> None:
    """Grade ``root/submission`` and write ``root/results/results.json``.

    What only the instructor may see is printed.

    Parameters
    ----------
    problem_set:
        The problem set's name.
    course:
        The course's folder.
    root:
        Gradescope's folder.
    hidden:
        When students see hidden tests: one of :data:`nbjudge.gradescope.VISIBILITIES`.
    """
    shelter, console = sandbox.status(), Console()
    with tempfile.TemporaryDirectory() as temporary:
        submitted = Path(temporary) / "submitted"
        (submitted / STUDENT).mkdir(parents=True)
        if (root / "submission").is_dir():
            shutil.copytree(root / "submission", submitted / STUDENT / problem_set, symlinks=True)
        report = engine.grade(
            problem_set,
            submitted,
            Path(temporary) / "graded",
            course=course,
            workers=0,
            sandboxed=shelter.works,
        )
    shown = results(report, sources_of_tests(problem_set, course), hidden)
    write_whole(root / "results" / "results.json", json.dumps(shown, indent=1) + "\n")
    show.show_grades(report, console)
    unsafe = [] if shelter.works else [NOT_PROTECTED.format(why=shelter.why)]
    show.show_remarks(report, unsafe, console)


def sources_of_tests(problem_set: str, course: Path) -> dict[str, str]:
    """The instructor's test cells, by the name that a report gives them."""
    sources: dict[str, str] = {}
    folder = source_folder(problem_set, course)
    for notebook in notebooks_in(folder):
        own = nbformat.read(folder / f"{notebook}.ipynb", as_version=4).cells
        tests = {cells.grade_id(cell): cell.source for cell in own if cells.is_test(cell)}
        sources |= {f"{notebook}/{n}" if n in sources else n: text for n, text in tests.items()}
    return sources
