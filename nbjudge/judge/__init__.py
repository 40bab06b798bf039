"""Judge one submission: bytes in, bytes out.

A learner's cells run in a kernel from the nursery, the locked test cells in an examiner, which
reaches the learner's names only over a socket. Nothing that a learner does makes
:func:`nbjudge.judge.session.judge` raise.
"""

from nbjudge.inside.limits import Limits
from nbjudge.judge.job import Job, Judged
from nbjudge.judge.names import imports_of, names_of, solution_of

__all__ = ["Job", "Judged", "Limits", "imports_of", "names_of", "solution_of"]
