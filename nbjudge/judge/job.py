"""The judge's input and output."""

from __future__ import annotations

from dataclasses import dataclass, field

from nbjudge.inside.limits import Limits
from nbjudge.inside.messages import Message


@dataclass(frozen=True)
class Job:
    """A submission to judge.

    Attributes
    ----------
    student:
        The student's name, for the judge's own messages.
    notebook:
        The instructor's notebook, including hidden tests, with the learner's answers and added
        cells, as JSON.
    seed:
        The seed of the hidden tests' inputs.
    limits:
        Resource limits for the learner's code.
    files:
        The problem set's data files, by name.
    names:
        The names bound by each answer cell's solution, by grade id: see
        :func:`nbjudge.judge.names.names_of`.
    accepts:
        The tests that accept an answer that computes nothing, each with such an answer's name.
        Their points depend on other tests: see :mod:`nbjudge.judge.holding_back`.
    enclosed:
        The files that the learner handed in with the notebook, by name.
    refused:
        Why each of the other files that the problem set accepts is missing.
    imports:
        The names that the released notebook imports, with the code for it: see
        :func:`nbjudge.judge.names.imports_of`.
    """

    student: str
    notebook: bytes
    seed: int
    limits: Limits = field(default_factory=Limits)
    files: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    accepts: dict[str, str] = field(default_factory=dict)
    enclosed: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)

    @property
    def readable(self) -> dict[str, bytes]:
        """The files that the learner's cells can read.

        Each refused one is replaced by an empty file, so that a notebook that creates the file if
        it is missing does not do so here.
        """
        return {**self.files, **dict.fromkeys(self.refused, b""), **self.enclosed}


class TestScore(Message):
    """The judgement of one test cell.

    Attributes
    ----------
    score, max_score:
        Its points.
    message:
        For people; empty if nothing is wrong.
    seconds:
        The time that it took.
    seen:
        Notes for the report.
    measured:
        Numbers by name.
    in_hidden:
        Whether what is shown of the test passed, and its hidden half decided.
    """

    __test__ = False  # pytest would collect a class of this name

    score: float
    max_score: float
    message: str = ""
    seconds: float = 0.0
    seen: list[str] = []
    measured: dict[str, float] = {}
    in_hidden: bool = False


@dataclass
class Judged:
    """The judgement of a submission.

    Attributes
    ----------
    notebook:
        The executed notebook as JSON. Its outputs are safe to show, and nbgrader's
        ``determine_grade`` reads the scores below from them.
    tests:
        The judgement of each test cell, by grade id.
    flags:
        Flags for the whole notebook, one line each.
    seconds, cpu_seconds, peak_memory_mb:
        The resources used.
    sandbox:
        The sandbox that the learner's code ran in.
    held:
        Those of the flags for which the mark is not final until the instructor has looked.
    told:
        What the learner is told about the notebook, in a learner's words, one line each.
    """

    notebook: bytes
    tests: dict[str, TestScore]
    flags: list[str]
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float
    sandbox: str
    held: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
