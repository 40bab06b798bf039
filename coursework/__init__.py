"""What this course's problem sets need besides their notebooks, and what the judge is told of it.

The entry point ``nbjudge.course`` leads here: the names in capitals are the fields of
:class:`nbjudge.inside.program.Program`.
"""

from coursework.forbidden import FORBIDDEN

__all__ = ["COMMAND", "FORBIDDEN", "PACKAGES", "TESTS_OWN", "VALUES", "WARM"]

#: What a learner types; ``TFCOURSE_ROOT`` and ``TFCOURSE_DB`` are named after it.
COMMAND = "tfcourse"

#: What answers may import, where an exercise does not forbid it.
PACKAGES = ["tfcourse"]

#: What test cells alone import: this package.
TESTS_OWN = ["coursework"]

#: What answers give back besides Python's own values.
VALUES = ["numpy", "torch"]

#: What most tests compare with.
WARM = ["tfcourse.attention"]
