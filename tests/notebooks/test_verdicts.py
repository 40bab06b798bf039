"""What a verdict must say: how sure its figure is, and how many runs it rests on."""

import re

import pytest

from coursebook.course import root
from coursebook.sphinx.claims import Tested, read_ledger

TESTED = read_ledger(root()).tested.values()

#: "(0.1 to 0.3)", "[0.1, 0.3]", "in nine draws of ten"; or why there is none.
INTERVAL = re.compile(r"[(\[][^()\[\]]*\d(?: to |, )[+-]?\d[^()\[\]]*[)\]]|nine (?:draws )?of ten")
NONE_AS = re.compile(r"by algebra|by counting|without a random draw|without an interval")
RUNS = re.compile(
    r"runs|seed|start|draw|pairs? of|passes|questions|layers|sentences?\b|sizes|models"
)


@pytest.mark.parametrize("tested", TESTED, ids=lambda tested: tested.claim)
def test_a_verdict_gives_an_interval_or_says_why_not(tested: Tested) -> None:
    if tested.verdict.startswith("true by algebra"):
        return
    assert INTERVAL.search(tested.figure) or NONE_AS.search(tested.figure)
    assert RUNS.search(tested.figure)
