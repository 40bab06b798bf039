"""The numbers that the instructors' pages state are those of the code."""

import re

import pytest
from small_set import COURSE

from nbjudge.inside.limits import Limits
from nbjudge.intake.merge import MAX_EXTRA_CELLS
from nbjudge.judge.likeness import MUCH
from nbjudge.run.cluster import PATIENCE
from nbjudge.run.helper import MEMORY_MB, RESULT_MB
from nbjudge.store.statistics import FEWEST

PAGES = ("teach", "teach-elsewhere", "grading-safety")
TEXT = " ".join(
    word for page in PAGES for word in (COURSE / f"book/{page}.md").read_text("utf-8").split()
)


@pytest.mark.parametrize(
    ("said", "number"),
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
def test_a_number_is_the_codes(said, number):
    assert [float(found) for found in re.findall(said, TEXT)] == [number]


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("an answer of which three quarters match", MUCH == 0.75),
        ("If no worker is left for a minute", PATIENCE == 60),
        ("without names and only from five learners on", FEWEST == 5),
    ],
)
def test_a_number_in_words_is_the_codes(said, number):
    assert said in TEXT and number
