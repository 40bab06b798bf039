"""Judge one submission: bytes in, bytes out.

A learner's cells run in a kernel from the nursery, the locked test cells in an examiner, which
reaches the learner's names only over a socket. Nothing that a learner does makes :func:`judge`
raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbjudge.inside.limits import Limits
from nbjudge.judge.job import Job, Judged
from nbjudge.judge.names import imports_of, names_of, solution_of

if TYPE_CHECKING:
    from nbjudge.sandbox import Nursery

__all__ = ["Job", "Judged", "Limits", "imports_of", "judge", "names_of", "solution_of"]


def judge(job: Job, nursery: Nursery) -> Judged:
    """Judge one submission.

    Parameters
    ----------
    job:
        The submission and how to judge it.
    nursery:
        The :class:`nbjudge.sandbox.Nursery` that forks kernels and examiners.

    Raises
    ------
    Exception
        Only if the judge's own machinery fails, never for what a learner did.
    """
    from nbjudge.judge.session import Session  # needs Linux

    with Session(job, nursery) as session:
        return session.judged()
