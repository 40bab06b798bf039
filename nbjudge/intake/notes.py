"""What is noticed about a submission: flags, words to the learner, reasons to hold a mark."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Notes:
    """What was noticed, one line each.

    ``flags`` are for the instructor; ``told`` says to the learner, in a learner's words, what to
    do; ``held`` names the reasons for which the mark is not final until the instructor has looked.
    """

    flags: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)

    def add(self, flag: str, message: str = "", *, held: bool = False) -> None:
        """Add a flag, with what the learner is told about it and whether it holds the mark."""
        self.flags.append(flag)
        if message:
            self.told.append(message)
        if held:
            self.held.append(flag)

    def refuse(self, problem: str) -> None:
        """Add the reason why nothing can be judged, although something was handed in."""
        self.held.append(problem)
        self.told.append(
            f"Your work could not be graded: {problem}. Hand in the notebook again, or ask your "
            "instructor."
        )

    def extend(self, other: Notes) -> None:
        """Add another's notes."""
        self.flags += other.flags
        self.told += other.told
        self.held += other.held
