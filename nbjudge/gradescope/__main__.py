"""``python -m nbjudge.gradescope ROOT PS VISIBILITY``, which ``run_autograder`` calls."""

from __future__ import annotations

import sys
from pathlib import Path

from nbjudge.course import root
from nbjudge.gradescope.grading import grade
from nbjudge.terminal import plain_errors

if __name__ == "__main__":
    with plain_errors():
        folder, problem_set, hidden = sys.argv[1:]
        grade(problem_set, root(), Path(folder), hidden)
