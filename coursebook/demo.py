"""``make demo``: make the releases, build the site and grade an example class, timing each step.

The site is built while the class is graded, because each leaves a processor idle some of the time.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import nbformat
from nbformat import NotebookNode
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from coursebook import site
from coursebook.course import problem_set_names
from coursebook.yaml_files import read_yaml
from nbjudge import sandbox
from nbjudge.answers import load_variants
from nbjudge.files import write_whole
from nbjudge.intake import cells
from nbjudge.intake.release import is_current, make_release, release_folder, state
from nbjudge.judge import Limits
from nbjudge.report.show import progress_bar, show_grades
from nbjudge.run.engine import grade
from nbjudge.store.results import Report
from nbjudge.variants import fill

#: The example class includes an infinite loop, and nobody wants to wait for it.
CALL_SECONDS, CELL_SECONDS = 5, 6

#: What is printed before anything else, on the first run and on later ones.
FIRST = (
    "The first time this takes a few minutes, most of them for the site. A bar shows what is left."
)
AGAIN = "Only what has changed is redone, so this takes seconds."

#: The keys that an entry of class.yml may have.
KEYS = {"about", "from", "variants", "code", "written", "file", "delete", "kernel"}


def demo(course: Path, fresh: bool = False) -> None:
    """Make the releases, build the site, grade the example class and say where to look.

    Parameters
    ----------
    course:
        The course's folder; everything is written to its ``_build``.
    fresh:
        Rebuild and regrade everything, not only what has changed.

    Raises
    ------
    FileNotFoundError
        If this is a learners' copy of the course, which has no class to grade.
    """
    for part in ("examples", "solutions"):
        if not (course / part).is_dir():
            raise FileNotFoundError(
                f"This copy of the course has no {part}/, so there is nothing to grade: the "
                "demonstration is for instructors. `make lab` opens the lessons."
            )
    site.require()
    console = Console(highlight=False)
    began = monotonic()
    built = course / "_build" / "demo"
    if fresh:
        shutil.rmtree(built, ignore_errors=True)
    first = fresh or not (built / "graded").is_dir()
    console.print(FIRST if first else AGAIN)
    with step(console, "1 of 3: the releases, which learners get"):
        make_releases(course, console, built / "releases.json")
    at = Position()
    # After the releases: the site shows them.
    with ThreadPoolExecutor(1) as beside:
        building = beside.submit(site.build_site, course, clean=fresh, report=at.tell)
        with step(console, "2 of 3: an example class, graded while the site is built"):
            about = write_class(course, built / "submitted")
            for name, what in about.items():
                console.print(f"  {escape(name)}: {escape(what)}", soft_wrap=True)
            report = grade_class(course, built, console)
        with step(console, "3 of 3: the rest of the site"):
            index = wait_for(building, at, console)
    console.print(f"Done in {monotonic() - began:.0f} s.")

    console.print()
    show_grades(report, console)
    console.print()
    graded = built / "graded"
    shown = next((name for name in ("dalia", *report.students) if name in report.students), "")
    page = graded / "feedback" / shown / report.problem_set / f"{report.problem_set}.html"
    for what, path in (
        ("The site", index),
        ("A page of feedback", page),
        ("The instructor's overview", graded / "overview" / f"{report.problem_set}.html"),
        ("The grades", graded / "grades.csv"),
        ("For nbgrader's Formgrader", graded),
    ):
        console.print(f"{what + ':':26} {path.relative_to(course)}", soft_wrap=True)
    for warning in report.warnings:
        console.print(
            f"\n[yellow]{escape(warning)}[/yellow] Before you grade a real class: "
            f"{escape(sandbox_advice())}",
            soft_wrap=True,
        )


class Position:
    """How far the build of the site has got."""

    done, page = 0.0, ""

    def tell(self, done: float, page: str) -> None:
        """Store the progress that the build reports."""
        self.done, self.page = done, page


def wait_for(building: Future[Path], at: Position, console: Console) -> Path:
    """Wait for the site, showing its current page and the time left; return its first page."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, speed_estimate_period=60) as bar:
        task = bar.add_task("reading the pages", total=1.0)
        while not building.done():
            bar.update(task, completed=at.done, description=escape(at.page))
            sleep(0.1)
    return building.result()


@contextmanager
def step(console: Console, what: str) -> Iterator[None]:
    """Print what is being done and then how long it took."""
    console.print(f"[bold]== {what}[/bold]")
    began = monotonic()
    yield
    console.print(f"   {monotonic() - began:.1f} s")


def make_releases(course: Path, console: Console, kept: Path) -> None:
    """Make each problem set's release, saying which ones were out of date.

    ``kept`` is a file with the state of each that was found or made current: one that is in the
    same state is not made again to be compared.
    """
    known = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    names = problem_set_names(course)
    for number, name in enumerate(names, 1):
        path = release_folder(name, course).relative_to(course)
        with console.status(f"{path} ({number} of {len(names)})"):
            current = known.get(name) == state(name, course) or is_current(name, course)
        if current:
            console.print(f"  {path}: up to date", soft_wrap=True)
        else:
            make_release(name, course)
            console.print(f"  {path}: [yellow]was not up to date, written[/yellow]", soft_wrap=True)
        known[name] = state(name, course)
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps(known).encode())


def read_class(course: Path) -> dict:
    """``examples/class/class.yml``, checked.

    Raises
    ------
    ValueError
        If an entry is not understood; the message names the learner.
    """
    found = read_yaml(course / "examples" / "class" / "class.yml")
    for name, entry in found["learners"].items():
        if unknown := set(entry) - KEYS:
            raise ValueError(f"class.yml: {name} has {sorted(unknown)[0]!r}, which is not known.")
        known = entry.get("from") in ("solution", "other", "release")
        if not known and entry.get("file") != "none":
            raise ValueError(
                f"class.yml: {name}'s `from` is {entry.get('from')!r}, but it must be "
                "solution, other or release."
            )
        if entry.get("file") not in (None, "cut-off", "none"):
            raise ValueError(
                f"class.yml: {name}'s `file` is {entry['file']!r}, but it must be cut-off or none."
            )
    return found


def write_class(course: Path, submitted: Path) -> dict[str, str]:
    """Write the example class's submissions, the same bytes each time.

    Returns each learner's ``about`` text, by name.
    """
    example = read_class(course)
    problem_set = example["problem_set"]
    shutil.rmtree(submitted, ignore_errors=True)
    submitted.mkdir(parents=True)
    learners = example["learners"]
    (submitted / "roster.csv").write_text("\n".join(["student", *learners]) + "\n", "utf-8")
    for name, entry in learners.items():
        if entry.get("file") == "none":
            continue
        text = nbformat.writes(handed_in(course, problem_set, entry))
        if entry.get("file") == "cut-off":
            text = text[: len(text) // 2]
        path = submitted / name / problem_set / f"{problem_set}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    return {name: entry["about"] for name, entry in learners.items()}


def handed_in(course: Path, problem_set: str, entry: dict) -> NotebookNode:
    """The notebook that one entry of class.yml describes.

    Raises
    ------
    ValueError
        If it names a variant, an answer or a cell that the problem set does not have.
    """
    folder = course / "solutions" / problem_set
    source = nbformat.read(folder / f"{problem_set}.ipynb", as_version=4)
    release = release_folder(problem_set, course) / f"{problem_set}.ipynb"
    notebook = nbformat.read(release, as_version=4)
    known = load_variants(folder)
    answers = {}
    if entry["from"] != "release":
        for cell in source.cells:
            if cells.is_answer(cell) and cell.cell_type == "code":
                answers[cells.grade_id(cell)] = cells.learners_own(cell.source)
    if entry["from"] == "other":
        for exercise, variants in known.items():
            if right := [variant for variant in variants if variant.right]:
                answers[exercise] = right[0].source
    for exercise, name in entry.get("variants", {}).items():
        named = {variant.name: variant for variant in known.get(exercise, [])}
        if name not in named:
            raise ValueError(f"class.yml names the variant {exercise}/{name}, which is not there.")
        answers[exercise] = named[name].source
    answers |= entry.get("code", {})
    if "written" in entry:
        written = [
            cells.grade_id(cell)
            for cell in source.cells
            if cells.is_answer(cell) and cell.cell_type == "markdown"
        ]
        answers |= dict.fromkeys(written, entry["written"].strip())
    notebook = fill(notebook, answers)
    for name in entry.get("delete", []):
        kept = [cell for cell in notebook.cells if cells.grade_id(cell) != name]
        if len(kept) == len(notebook.cells):
            raise ValueError(f"class.yml deletes the cell {name!r}, which is not there.")
        notebook.cells = kept
    if "kernel" in entry:
        notebook.metadata["kernelspec"]["name"] = entry["kernel"]
    return notebook


def grade_class(course: Path, built: Path, console: Console) -> Report:
    """Grade the example class, running only what is new or has changed."""
    with progress_bar(console) as progress:
        report = grade(
            read_class(course)["problem_set"],
            built / "submitted",
            built / "graded",
            course=course,
            limits=Limits(call_seconds=CALL_SECONDS, cell_seconds=CELL_SECONDS),
            # The example class is ours, so it is graded without a sandbox too, with a warning.
            sandboxed=sandbox.status().works,
            progress=progress,
        )
    stood = len(report.students) - len(report.executed)
    console.print(
        f"  {len(report.executed)} notebooks run; {stood} had nothing new or nothing to run"
    )
    return report


def sandbox_advice() -> str:
    """What to do to have learners' code run in a sandbox on this machine."""
    return sandbox.status().why
