"""One submission judged: bytes in, bytes out.

A learner's cells run in a kernel of the nursery, the locked test cells in an examiner, which
reaches the learner's names over the wire alone. Nothing that a learner does makes :func:`judge`
raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbjudge.inside.limits import Limits
from nbjudge.judging.job import Job, Judged
from nbjudge.judging.names import names_of, solution_of

if TYPE_CHECKING:
    from nbjudge.sandbox import Nursery

__all__ = ["Job", "Judged", "Limits", "judge", "names_of", "solution_of"]


def judge(job: Job, nursery: Nursery) -> Judged:
    """Judge one submission.

    Parameters
    ----------
    job:
        What is to be judged.
    nursery:
        Where kernels and examiners are forked: :class:`nbjudge.sandbox.Nursery`.

    Raises
    ------
    Exception
        Only if the judge's own machinery fails, never for what a learner did.
    """
    from nbjudge.judging.session import Session

    with Session(job, nursery) as session:
        return session.judged()
