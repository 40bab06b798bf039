"""What the judge is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nbjudge.inside.limits import Limits


@dataclass(frozen=True)
class Job:
    """What is to be judged.

    Attributes
    ----------
    student:
        Whose it is; for messages of the judge's own.
    notebook:
        The instructor's notebook with the learner's answers and cells of their own in it, hidden
        tests and all, as JSON.
    seed:
        What hidden tests draw their inputs from.
    limits:
        What the learner's code may use.
    files:
        The problem set's data files, by name.
    names:
        For each answer cell, by grade id, the names that its solution binds: see
        :func:`nbjudge.judging.names.names_of`.
    solution:
        For each answer cell, by grade id, the instructor's own source, which never goes where a
        learner's code runs. Without it no test's points wait for another's.
    enclosed:
        The files that the learner handed in beside the notebook, by name.
    refused:
        Why each of the other files that the problem set takes is not there.
    own:
        The instructor's own files of these names, which go with ``solution``.
    """

    student: str
    notebook: bytes
    seed: int
    limits: Limits = field(default_factory=Limits)
    files: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    solution: dict[str, str] = field(default_factory=dict)
    enclosed: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    own: dict[str, bytes] = field(default_factory=dict)

    @property
    def found(self) -> dict[str, bytes]:
        """The files that the learner's cells find.

        An empty one stands for each that was refused: a notebook that makes the file if it is
        missing does not do so here.
        """
        return {**self.files, **dict.fromkeys(self.refused, b""), **self.enclosed}


@dataclass
class Judged:
    """What came of it.

    Attributes
    ----------
    notebook:
        The executed notebook as JSON. Its outputs are harmless to show, and such that nbgrader's
        ``determine_grade`` gives the scores below.
    tests:
        For each test cell by grade id: ``score``, ``max_score``, ``message`` for people (empty
        where nothing is wrong), ``seconds``, ``seen``, a list of what was noticed, and
        ``measured``, numbers by name.
    flags:
        What was noticed in the whole notebook, a line each.
    seconds, cpu_seconds, peak_memory_mb:
        What it took.
    sandbox:
        What the learner's code ran in.
    """

    notebook: bytes
    tests: dict[str, dict[str, Any]]
    flags: list[str]
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float
    sandbox: str
