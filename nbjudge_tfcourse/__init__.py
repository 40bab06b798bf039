"""What this course's problem sets need besides their notebooks, and the course's judge settings.

``course.toml`` names this module: the names in capitals are the fields of
:class:`nbjudge.inside.program.Program`.
"""

from nbjudge_tfcourse.forbidden import FORBIDDEN

__all__ = [
    "COMMAND",
    "DISTRIBUTION",
    "FORBIDDEN",
    "PACKAGES",
    "TESTS_OWN",
    "WRONG_RESULTS",
    "VALUES",
    "WARM",
]

#: The command that a learner types; ``TFCOURSE_ROOT`` and ``TFCOURSE_DB`` are named after it.
COMMAND = "tfcourse"

#: Under which the packages are installed; marks depend on its version.
DISTRIBUTION = "tfcourse"

#: What answers may import, unless an exercise forbids it.
PACKAGES = ["tfcourse"]

#: What only test cells import: this package.
TESTS_OWN = ["nbjudge_tfcourse"]

#: Libraries whose values answers return, besides Python's own.
VALUES = ["numpy", "torch"]

#: What most tests compare answers with.
WARM = ["tfcourse.attention"]

#: Where a release keeps what known wrong answers return in the visible tests.
WRONG_RESULTS = "nbjudge_tfcourse/wrong_results"
