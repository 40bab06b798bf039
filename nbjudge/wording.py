"""Words that depend on a number."""


def counted(number: int, noun: str) -> str:
    """``1 learner``, ``2 learners``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
