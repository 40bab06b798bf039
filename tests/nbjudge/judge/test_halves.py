"""What learners see of a test cell is run first only if it tests anything."""

import pytest

from nbjudge.judge.halves import shows

HIDDEN = "### BEGIN HIDDEN TESTS\ncall(f, 1)\n### END HIDDEN TESTS\n"


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        (f'# Hidden.\nby_hand("attention")\nx = 1\n{HIDDEN}', False),
        (f"call(f, 0)\n{HIDDEN}", True),
        (f"{HIDDEN}call(f, 2)", False),
        (f"for x in y:\n    {HIDDEN}", True),
    ],
)
def test_a_half_that_calls_nothing_need_not_run(source, tests):
    assert shows(source) is tests
