"""What is to be written by hand is written by hand: every known way round it gives nothing."""

import nbformat
import pytest
import ways_round
from judged_set import code, nursery
from nbformat.v4 import new_notebook

from nbjudge.judge import Job, Limits, judge

SETUP = """
import torch
from nbjudge.testing import *
"""

pytestmark = pytest.mark.thorough("way round what is forbidden")

#: Name of the exercise → kind, way.
WAYS = {
    f"{kind.replace(':', '').replace(' ', '-')}-{number}": (kind, way)
    for kind, (ways, _, _) in ways_round.KINDS.items()
    for number, way in enumerate(ways)
}


@pytest.fixture(scope="module")
def tests():
    """What the tests of one notebook came to in which each answer takes another way."""
    made = [code("setup", SETUP, locked=True)]
    for exercise, (kind, way) in WAYS.items():
        ways, inputs, compared = ways_round.KINDS[kind]
        name = exercise.replace("-", "_")
        answer = f"{ways[way]}\n{name} = f\ndel f"
        test = (
            f'by_hand("{kind.split(":")[0]}")\ngenerator = fresh("{exercise}")\n{inputs}\n'
            f'close({compared.format(f=name)}, "The result")'
        )
        made.append(code(exercise, answer, solution=True))
        made.append(code(f"{exercise}--values", test, grade=True, locked=True, points=1))
    text = nbformat.writes(new_notebook(cells=made)).encode()
    names = {exercise: (exercise.replace("-", "_"),) for exercise in WAYS}
    limits = Limits(call_seconds=20, cell_seconds=30, submission_seconds=400)
    found = judge(Job("someone", text, 1, limits, {}, names), nursery())
    return found.tests


@pytest.mark.parametrize("exercise", WAYS, ids=[f"{kind}: {way}" for kind, way in WAYS.values()])
def test_a_way_round_gives_nothing(tests, exercise):
    found = tests[f"{exercise}--values"]
    honest = WAYS[exercise][1].startswith("honest")
    assert found["score"] == honest, found["message"]
