"""What learners see of a test cell is run first only if it tests anything."""

import nbformat
import pytest
from judged_set import ANSWERS, NAMES, QUICK, SETUP, code, nursery
from nbformat.v4 import new_notebook

from nbjudge.judge import Job
from nbjudge.judge.halves import shows
from nbjudge.judge.session import judge

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


DUE = """
factor = 2

def due(x):
    return factor * x
"""

#: Both halves ask the set-up cells' function what is due.
FIRST = """
close(call(double, torch.ones(2)), due(torch.ones(2)), "The double")
### BEGIN HIDDEN TESTS
x = torch.rand(3, generator=fresh("double--first"))
close(call(double, x), due(x), "The double of hidden numbers")
### END HIDDEN TESTS
"""

#: It stands below the cell that changes the factor.
SECOND = """
### BEGIN HIDDEN TESTS
x = torch.rand(3, generator=fresh("double--second"))
close(1.5 * call(double, x), due(x), "Three times hidden numbers")
### END HIDDEN TESTS
"""


def test_hidden_halves_see_the_names_of_their_place():
    """They run after the last cell, and a later set-up cell has bound a name anew."""
    test = {"grade": True, "locked": True, "points": 1}
    cells = [
        code("setup", SETUP + DUE, locked=True),
        code("double", ANSWERS["double"], solution=True),
        code("double--first", FIRST, **test),
        code("setup-factor", "factor = 3", locked=True),
        code("double--second", SECOND, **test),
    ]
    text = nbformat.writes(new_notebook(cells=cells)).encode()
    names = {"double": NAMES["double"]}
    judgement = judge(Job("someone", text, 1, QUICK, {}, names), nursery())
    assert {test: about.message for test, about in judgement.tests.items()} == {
        "double--first": "",
        "double--second": "",
    }
