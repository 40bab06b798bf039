"""The numbers that the instructors' pages state are those of the code."""

import json
import re

import pytest
from around import the_course

from nbjudge.inside.limits import Limits
from nbjudge.intake.merge import MAX_EXTRA_CELLS
from nbjudge.judge.likeness import MUCH
from nbjudge.run.cluster import PATIENCE
from nbjudge.run.helper import MEMORY_MB, RESULT_MB
from nbjudge.store.statistics import FEWEST

COURSE = the_course()
PAGES = ("teach", "teach-elsewhere", "grading-safety")
TEXT = " ".join(
    word for page in PAGES for word in (COURSE / f"book/{page}.md").read_text("utf-8").split()
)
SPEED = json.loads((COURSE / "benchmarks/records/grading-speed.json").read_text("utf-8"))["results"]
CLASS_OF_200 = SPEED["submissions"] * SPEED["seconds per submission"]["tfcourse"]
WITH_A_BUG = sorted(path.parent.name[:4] for path in COURSE.glob("solutions/*/bug.py"))


@pytest.mark.parametrize(
    ("message", "number"),
    [
        (
            r"`--call-seconds` for one call of a learner's function \((\d+) unless",
            Limits.call_seconds,
        ),
        (r"`--cell-seconds` for a cell \((\d+)\)", Limits.cell_seconds),
        (r"`--submission-seconds` for a whole submission \((\d+)\)", Limits.submission_seconds),
        (r"`--memory-mb` \((\d+)\)", Limits.memory_mb),
        (r"up to (\d+) cells of the learner's own", MAX_EXTRA_CELLS),
        (r"1 GiB of memory and (\d+) MiB of results", RESULT_MB),
        (r"`takes more than (\d+) MiB of memory to read`", MEMORY_MB),
    ],
)
def test_a_number_is_the_codes(message, number):
    assert [float(stated) for stated in re.findall(message, TEXT)] == [number]


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("an answer of which three quarters match", MUCH == 0.75),
        ("If no worker is left for a minute", PATIENCE == 60),
        ("without names and only from five learners on", FEWEST == 5),
        ("[A class of 200](grading-safety.md#speed) took about a minute", 50 < CLASS_OF_200 < 75),
        (
            "the bug, from published code, in problem sets 1 to 13",
            [f"ps{number:02}" for number in range(1, 14)] == WITH_A_BUG,
        ),
    ],
)
def test_a_number_in_words_is_the_codes(message, number):
    assert message in TEXT and number
