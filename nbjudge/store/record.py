"""What the ledger keeps of a submission that was graded."""

from __future__ import annotations

from nbjudge.inside.messages import Message

#: The tests that are void, and the points of those that are rescaled.
Adjustments = tuple[list[str], list[tuple[str, float]]]


class TestRecord(Message):
    """A test's judgement, besides its score: see :class:`nbjudge.judge.job.TestScore`."""

    __test__ = False  # pytest would collect a class of this name

    message: str = ""
    seconds: float = 0.0
    seen: list[str] = []
    measured: dict[str, float] = {}
    in_hidden: bool = False


class Record(Message):
    """A submission's grading, besides what the gradebook holds.

    Attributes
    ----------
    digest, enclosed:
        Of the notebook and of the files handed in with it: they reveal whether the work changed.
    received, late:
        When it came in, empty if only the learner says so; whether it came late, if that is known.
    left_out:
        The files that were handed in and not looked at.
    flags, told, held:
        What was noticed: see :class:`nbjudge.intake.notes.Notes`.
    tests:
        The tests' judgements, by name.
    prints:
        The answers' fingerprints; ``None`` if they were not taken.
    auto:
        The points that grading wrote to the gradebook, to detect any written otherwise.
    scores:
        The points that the judge gave, before tests were void or rescaled.
    adjusted:
        What was void and rescaled when the gradebook was written.
    set_aside:
        Manual marks on tests that are void.
    old_marks, old_points:
        Manual marks given before the work changed, and before the points of their test did.
    seconds, cpu_seconds, memory_mb, sandbox:
        What running it took, and the sandbox that it ran in.
    shown:
        What its page shows besides this record.
    """

    digest: str = ""
    enclosed: str = ""
    received: str = ""
    late: bool | None = None
    left_out: list[str] = []
    flags: list[str] = []
    told: list[str] = []
    held: list[str] = []
    tests: dict[str, TestRecord] = {}
    prints: dict[str, str] | None = None
    auto: dict[str, float | None] = {}
    scores: dict[str, float | None] = {}
    adjusted: Adjustments = ([], [])
    set_aside: dict[str, float] = {}
    old_marks: dict[str, float] = {}
    old_points: dict[str, float] = {}
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0
    sandbox: str = ""
    shown: str = ""
