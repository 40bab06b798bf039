"""A slice of the fuzzing that ``benchmarks/grading_fuzz.py`` does at length."""

import fuzzing
import pytest


@pytest.mark.thorough("test of fuzzing")
@pytest.mark.parametrize("seed", [1, 2])
def test_odd_notebooks_are_taken_in_or_refused(seed):
    fuzz = fuzzing.NotebookFuzz(seed)
    for _ in range(200):
        fuzz.one()
    assert fuzz.came["no notebook"] and fuzz.came["merged, with flags"] and fuzz.came["merged"]


@pytest.mark.thorough("test of fuzzing")
@pytest.mark.parametrize("seed", [1, 2])
def test_odd_messages_are_taken_or_refused(seed):
    fuzz = fuzzing.MessageFuzz(seed)
    for _ in range(3000):
        fuzz.one()
    assert fuzz.came["Lost"] and fuzz.came["taken"] and fuzz.came["InTheirWords"]
