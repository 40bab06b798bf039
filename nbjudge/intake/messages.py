"""What the grader asks of the process that reads learners' files, and what it gets back."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from nbjudge.inside.messages import Message, Tagged
from nbjudge.intake.notes import Notes
from nbjudge.judge.job import TestScore
from nbjudge.store.results import StudentResult

Reply = TypeVar("Reply", bound=Tagged)


class Opened(Message):
    """What the steps have in common.

    Attributes
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

    template: str
    release: str
    given_out: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    notebook: str = ""
    elsewhere: dict[str, list[str]] = {}


class Broke(Tagged):
    """The step could not be taken; ``problem`` completes the sentence "it ..."."""

    problem: str


class Staged(Tagged):
    """A learner's answers in the instructor's notebook, or why the file cannot be read."""

    notes: Notes
    notebook: str = ""
    problem: str = ""


class LookedInto(Tagged):
    """Why a file is refused; empty if it is accepted."""

    problem: str = ""


class Prints(Tagged):
    """The answers' fingerprints."""

    prints: dict[str, str]


class WithOutputs(Tagged):
    """The notebook with its cells' outputs, or why the judgement does not belong to it."""

    notebook: str = ""
    failed: str = ""


class Rendered(Tagged):
    """The answers that a person marks, by name, as harmless HTML."""

    answers: dict[str, str]


class Written(Tagged):
    """The feedback page."""

    page: str


class ReadingStep(Tagged, Generic[Reply]):
    """A step, which is answered with a message of the type ``gives``."""

    gives: ClassVar[type[Tagged]]


class Stage(ReadingStep[Staged]):
    """Put a learner's answers into the instructor's notebook."""

    gives = Staged
    content: bytes


class LookInto(ReadingStep[LookedInto]):
    """Look whether a file handed in with the notebook is accepted."""

    gives = LookedInto
    content: bytes


class TakePrints(ReadingStep[Prints]):
    """Take the answers' fingerprints."""

    gives = Prints
    notebook: str


class AddOutputs(ReadingStep[WithOutputs]):
    """Add to a notebook the outputs in a judgement; nothing else in the judgement is used.

    With ``bare`` only tests keep their outputs.
    """

    gives = WithOutputs
    notebook: str
    judged: bytes
    tests: dict[str, TestScore]
    bare: bool


class Render(ReadingStep[Rendered]):
    """Show the answers that a person marks."""

    gives = Rendered
    notebook: str


class WritePage(ReadingStep[Written]):
    """Write the feedback page.

    Attributes
    ----------
    name, result:
        The notebook's name and the student's result.
    run:
        The notebook with outputs, if it is to be shown, with its code in ``colours`` or without.
    warnings, about:
        Lines for the page's head.
    """

    gives = Written
    name: str
    result: StudentResult
    run: str | None
    warnings: list[str]
    colours: bool
    about: list[str]
