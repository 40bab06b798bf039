"""Check a learner's own notebook on their own machine.

The visible tests run in a plain process, which works on every system: see :mod:`nbjudge.desk`.
If the course's sources are there, the hidden tests can run too, for those who learn without a
class. On Linux everything can run in the sandbox, as in grading.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge import sandbox
from nbjudge.desk.assemble import Assembled, assemble
from nbjudge.desk.named import find, lesson_of
from nbjudge.desk.run import Desk
from nbjudge.inside.limits import Limits
from nbjudge.inside.program import command_name
from nbjudge.intake import cells
from nbjudge.intake.sources import known_of
from nbjudge.judge import Job, names
from nbjudge.judge.job import TestScore
from nbjudge.judge.messages import KnownAnswers
from nbjudge.judge.names import names_of

#: Verdicts on a test, and on an answer that is judged only when work is graded.
PASSED, PARTLY, FAILED, HIDDEN = "passed", "partly", "failed", "hidden"
NOT_STARTED = "not started"
ANSWERED, BY_HAND, NOT_WRITTEN = "answered", "by hand", "not written yet"

#: nbgrader's default stub for a written answer.
WRITTEN_STUB = "YOUR ANSWER HERE"

#: Identifies a stub if there is no release to compare an answer with.
CODE_STUB = 'raise NotImplementedError("Your code goes here.")'

#: Shown in place of points for a multiple-choice test.
JUDGED_LATER = "Whether each answer is right is judged when your work is graded."

#: The message of a test that not every statement has an answer.
_SO_FAR = re.compile(r"(?P<count>\d+ of \d+) answered; not yet: ")

#: What a test says of one wrong statement, which includes the right answer and its reason.
_KEY = re.compile(r"(?ms)^[^\n:]+: it is (?:True|False)\. .*?(?=^[^\n:]+: |^\d+ of \d+ |\Z)")

#: The kernel that a released notebook names.
KERNEL = "python3"

#: The heading above an exercise, and a link to a section of a chapter.
_HEADED = re.compile(r"#+ .*\(`(?P<exercise>[\w-]+)`\)")
_SECTION = re.compile(
    r"\[(?P<title>[^\]]+)\]\([./]*(?P<notebook>(?:\d\d-[\w-]+/)?\d\d-[\w-]+\.ipynb)#(?P<anchor>[^)]+)\)"
)


@dataclass(frozen=True)
class Section:
    """A section of a chapter: the chapter's file, the section's title, and its anchor on a page."""

    notebook: str
    title: str
    anchor: str


@dataclass
class CheckedTest:
    """One test or written answer; ``score`` is ``None`` if this check cannot judge it.

    ``answered`` counts the statements that have an answer if some have none: ``"11 of 14"``.
    """

    name: str
    verdict: str
    score: float | None
    points: float
    hint: str = ""
    answered: str = ""


@dataclass
class Exercise:
    """The result of an exercise: its tests and their totals.

    ``score`` counts the points scored in what this check could judge, ``judged`` the points
    available there, and ``points`` those of the whole exercise.
    """

    name: str
    tests: list[CheckedTest]

    @property
    def verdict(self) -> str:
        """The overall verdict on its tests."""
        verdicts = {test.verdict for test in self.tests}
        if len(verdicts) == 1:
            return verdicts.pop()
        if FAILED in verdicts or PARTLY in verdicts:
            return FAILED if verdicts <= {FAILED, HIDDEN} else PARTLY
        return next(
            v for v in (NOT_STARTED, ANSWERED, PASSED, NOT_WRITTEN, BY_HAND) if v in verdicts
        )

    @property
    def score(self) -> float:
        """Points scored."""
        return sum(test.score for test in self.tests if test.score is not None)

    @property
    def judged(self) -> float:
        """Points available in what this check could judge."""
        return sum(test.points for test in self.tests if test.score is not None)

    @property
    def points(self) -> float:
        """Points of the whole exercise."""
        return sum(test.points for test in self.tests)


@dataclass
class Checked:
    """The result of a check.

    ``hidden`` counts the tests that run only when the work is graded, ``hidden_points`` their
    points, and ``partly_hidden`` names the tests that also have a hidden half, if that is known.
    ``sandboxed`` says whether it ran in a sandbox, as in grading; ``full``, whether hidden tests
    ran. ``problem_set`` is its name (empty if unknown), ``chapter`` the notebook that it follows,
    and ``sections`` the section that explains each exercise that links to one. If hidden tests ran,
    ``solution`` holds each answer cell's type and text, with the criteria for written answers.
    """

    tests: list[CheckedTest]
    flags: list[str] = field(default_factory=list)
    hidden: int = 0
    hidden_points: float = 0.0
    partly_hidden: list[str] = field(default_factory=list)
    from_course: bool = True
    sandboxed: bool = True
    full: bool = False
    problem_set: str = ""
    chapter: str = ""
    sections: dict[str, Section] = field(default_factory=dict)
    solution: list[tuple[str, str]] = field(default_factory=list)

    @property
    def all_passed(self) -> bool:
        """Whether every test that could be run passed in full."""
        return not any(test.verdict in (PARTLY, FAILED, NOT_STARTED) for test in self.tests)

    @property
    def exercises(self) -> list[Exercise]:
        """The tests grouped by exercise, in the notebook's order."""
        by_name: dict[str, Exercise] = {}
        for test in self.tests:
            name = cells.exercise_of(test.name)
            by_name.setdefault(name, Exercise(name, [])).tests.append(test)
        return list(by_name.values())


def check(
    notebook: Path,
    *,
    course: Path | None = None,
    cell_seconds: float | None = None,
    exercise: str | None = None,
    full: bool = False,
    give_up: bool = False,
    sandboxed: bool = False,
    desk: Desk | None = None,
) -> Checked:
    """Run a learner's notebook and judge it with the visible tests, as grading would.

    If the course is there, its test cells run in place of the notebook's, as in grading; otherwise
    the notebook's own do. By default they run in a plain process: it is the learner's own code on
    the learner's own machine.

    Parameters
    ----------
    notebook:
        The learner's file, or a folder with one notebook. It is not modified.
    course:
        The course's folder; searched for by default.
    cell_seconds:
        Time limit for a cell.
    exercise:
        Judge only this exercise; a prefix of its name is enough.
    full:
        Also run the hidden tests, which are in the course's ``solutions/``.
    give_up:
        Say which statements of a multiple-choice exercise are wrong, and why, and not only how many
        are right.
    sandboxed:
        Run in the sandbox, as grading does. Needs Linux.
    desk:
        The process to run it in, if one is already loading.

    Raises
    ------
    ValueError
        If the file is not a notebook or contains no tests of a problem set; if there is no such
        exercise; if hidden tests or a sandbox are requested but not available.
    """
    ready = assemble(find(notebook), course, full)
    limits = Limits()
    if cell_seconds is not None:
        limits = replace(limits, cell_seconds=cell_seconds)
    from_course = ready.release is not None
    blank = _blank(ready.notebook, ready.given, from_course)
    chosen = _chosen(ready.notebook, exercise)
    wanted = _tests_to_run(ready.notebook, chosen - blank)
    known = _known_answers(ready) if full else None
    run = _in_sandbox if sandboxed else _at_desk
    ran, noticed = run(ready, wanted, limits, desk, known)
    if not give_up:
        _keep_the_key(ready.notebook, ran)
    checked = _judged(ready.notebook, ran, ready.given, chosen, blank)
    handed = ready.handed
    checked.flags = [*handed.told, *_about_kernel(handed.kernel), *ready.notes.told, *noticed]
    checked.from_course, checked.sandboxed, checked.full = from_course, sandboxed, full
    if ready.release is not None and ready.course is not None:
        checked.problem_set = ready.release.stem
        lesson = lesson_of(ready.release.stem, ready.course / "notebooks")
        checked.chapter = lesson.name if lesson else ""
        checked.sections = sections(ready.given)
    if full:
        checked.solution = _solution(ready.whole, chosen)
    elif ready.source is not None:
        checked.partly_hidden = _partly_hidden(ready.source, chosen, checked.tests)
    return checked


def _tests_to_run(notebook: NotebookNode, exercises: frozenset[str]) -> frozenset[str]:
    """The tests of these exercises that can be run; a release has hidden ones as comments only."""
    return frozenset(
        cells.grade_id(cell)
        for cell in notebook.cells
        if cells.is_test(cell)
        and not cells.is_only_comments(cell.source)
        and cells.exercise_of(cells.grade_id(cell)) in exercises
    )


def _known_answers(ready: Assembled) -> KnownAnswers | None:
    """What the course knows about its answers, for messages; nothing without the course."""
    if ready.release is None or ready.course is None:
        return None
    return known_of(ready.release.stem, ready.course)


def _solution(source: NotebookNode, chosen: frozenset[str]) -> list[tuple[str, str]]:
    """The type and the text of each answer cell in the instructor's notebook."""
    return [
        (cell.cell_type, cells.learners_own(cell.source))
        for cell in source.cells
        if cells.is_answer(cell) and cells.exercise_of(cells.grade_id(cell)) in chosen
    ]


def _partly_hidden(
    source: NotebookNode, chosen: frozenset[str], tests: Sequence[CheckedTest]
) -> list[str]:
    """The tests that run here in part: their hidden half runs only when work is graded."""
    hidden = {test.name for test in tests if test.verdict == HIDDEN}
    return [
        cells.grade_id(cell)
        for cell in source.cells
        if cells.is_test(cell)
        and cells.has_hidden_tests(cell.source)
        and cells.exercise_of(cells.grade_id(cell)) in chosen
        and cells.grade_id(cell) not in hidden
    ]


def sections(notebook: NotebookNode) -> dict[str, Section]:
    """The section that explains each exercise, by the exercise's name.

    It is the first chapter section that the text below the exercise's heading links to. An exercise
    on something from an earlier chapter links to that chapter.
    """
    by_exercise = {}
    for cell in notebook.cells:
        name = _HEADED.match(cell.source) if cell.cell_type == "markdown" else None
        link = _SECTION.search(cell.source) if name else None
        if name and link:
            by_exercise[name["exercise"]] = Section(**link.groupdict())
    return by_exercise


def _chosen(notebook: NotebookNode, exercise: str | None) -> frozenset[str]:
    """The requested exercises."""
    every = list(
        dict.fromkeys(
            cells.exercise_of(cells.grade_id(c)) for c in notebook.cells if cells.is_graded(c)
        )
    )
    if exercise is None:
        return frozenset(every)
    if exercise in every:
        return frozenset([exercise])
    matching = [name for name in every if name.startswith(exercise)]
    if len(matching) != 1:
        raise ValueError(f"exercise is {exercise!r}, but it must be one of: {', '.join(every)}.")
    return frozenset(matching)


def _blank(notebook: NotebookNode, given: NotebookNode, from_course: bool) -> frozenset[str]:
    """The exercises whose code answer is still the stub."""
    stubs = {cells.grade_id(c): c.source.strip() for c in given.cells if cells.is_answer(c)}
    blank: set[str] = set()
    begun: set[str] = set()
    for cell in notebook.cells:
        if not cells.is_answer(cell) or cells.is_graded(cell) or cell.cell_type != "code":
            continue
        name = cells.grade_id(cell)
        same = cell.source.strip() == stubs.get(name) if from_course else CODE_STUB in cell.source
        (blank if same else begun).add(cells.exercise_of(name))
    return frozenset(blank - begun)


def _at_desk(
    ready: Assembled,
    wanted: frozenset[str],
    limits: Limits,
    desk: Desk | None,
    known: KnownAnswers | None,
) -> tuple[dict[str, TestScore], list[str]]:
    """Each test's result in a plain process, and the flags raised."""
    if not wanted:
        return {}, []
    if desk is None:
        with Desk() as desk:
            return _at_desk(ready, wanted, limits, desk, known)
    ran = desk.run(
        ready.notebook,
        bound=names_of(ready.whole),
        limits=limits,
        seed=secrets.randbits(62),
        files=ready.files,
        only=wanted,
        known=known,
    )
    return ran.tests, ran.flags


def _in_sandbox(
    ready: Assembled,
    wanted: frozenset[str],
    limits: Limits,
    desk: Desk | None,
    known: KnownAnswers | None,
) -> tuple[dict[str, TestScore], list[str]]:
    """The same in the sandbox, as in grading."""
    status = sandbox.status()
    if not status.works:
        raise ValueError(
            f"There is no sandbox on this machine. {status.why} Leave out --sandbox to run your "
            "notebook in a plain process."
        )
    from nbjudge.judge.session import judge  # only on Linux: a plain check does without zmq

    only = nbformat.from_dict(ready.notebook)
    only.cells = [c for c in only.cells if not cells.is_test(c) or cells.grade_id(c) in wanted]
    job = Job(
        student="",
        notebook=nbformat.writes(only).encode(),
        seed=secrets.randbits(62),
        limits=limits,
        files=ready.files,
        names=names_of(ready.whole),
    )
    with sandbox.Nursery(known=known) as nursery:
        judged = judge(job, nursery)
    return judged.tests, judged.told


def _about_kernel(kernel: str) -> Sequence[str]:
    """A warning if the notebook names a different kernel from the released one."""
    if kernel in ("", KERNEL):
        return []
    return [
        f"the notebook is set to the kernel {kernel!r}; here it was run by the Python that runs "
        f"{command_name()}. If it fails in Jupyter, choose Kernel > Change Kernel > Python 3 "
        "(ipykernel)"
    ]


def _keep_the_key(notebook: NotebookNode, ran: dict[str, TestScore]) -> None:
    """Take the right answers to statements out of the messages, and say how to see them."""
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if name not in ran or "choices" not in names.used(cell.source):
            continue
        message, keys = _KEY.subn("", ran[name].message)
        if keys:
            give_up = f"add --exercise {cells.exercise_of(name)} --give-up to see which"
            ran[name].message = f"{message.strip().removesuffix('.')}; {give_up}."


def _judged(
    notebook: NotebookNode,
    ran: dict[str, TestScore],
    given: NotebookNode,
    chosen: frozenset[str],
    blank: frozenset[str],
) -> Checked:
    """The verdict on each test; ``given`` is the notebook as it was released."""
    checked = Checked([])
    stubs = {}
    if given is not notebook:
        stubs = {cells.grade_id(cell): cell.source.strip() for cell in given.cells}
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if not cells.is_graded(cell) or cells.exercise_of(name) not in chosen:
            continue
        points = cells.points(cell)
        if not cells.is_test(cell):
            written = cell.source.strip() not in ("", WRITTEN_STUB, stubs.get(name))
            checked.tests.append(
                CheckedTest(name, BY_HAND if written else NOT_WRITTEN, None, points)
            )
        elif cells.is_only_comments(cell.source):
            hint = cell.source.strip().lstrip("# ").splitlines()[0] if cell.source.strip() else ""
            checked.tests.append(CheckedTest(name, HIDDEN, None, points, hint))
            checked.hidden += 1
            checked.hidden_points += points
        else:
            checked.tests.append(_judged_test(name, points, cell.source, ran, blank))
    return checked


def _judged_test(
    name: str, points: float, source: str, ran: dict[str, TestScore], blank: frozenset[str]
) -> CheckedTest:
    used = names.used(source)
    # That choices were made says nothing about whether they are right.
    later = "answered" in used and "choices" not in used
    if cells.exercise_of(name) in blank:
        return CheckedTest(name, NOT_STARTED, None if later else 0.0, points)
    score, hint = ran[name].score, ran[name].message
    verdict = PASSED if score >= points else PARTLY if score > 0 else FAILED
    if later and verdict == PASSED:
        return CheckedTest(name, ANSWERED, None, points, JUDGED_LATER)
    if later and (so_far := _SO_FAR.match(hint)):
        return CheckedTest(name, PARTLY, None, points, hint, so_far["count"])
    if verdict == PASSED:
        hint = ""
    return CheckedTest(name, verdict, None if later else score, points, hint)
