"""The process that reads submissions: if somebody else ends it, no learner loses a point."""

import json

import nbformat
import pytest
from small_set import answered, source_notebook

from nbjudge.failure import GradingFailed
from nbjudge.intake.messages import Opened, Stage
from nbjudge.run.helper import Helper, StepFailed


@pytest.fixture
def opened(small_course):
    """A helper for the small set, and what was handed in there."""
    handed = json.dumps(answered(small_course)).encode()
    source = nbformat.writes(source_notebook())
    with Helper(Opened(template=source, release=source)) as helper:
        yield helper, handed


def end(helper):
    """End the process as a system does that is short of memory."""
    helper._process.kill()
    helper._process.join()


def ended_as_it_starts(helper, monkeypatch, times):
    """Let so many of its processes be ended once they have started; gives those that were."""
    start, ended = helper._start, []

    def start_and_end():
        start()
        if len(ended) < times:
            ended.append(helper._process.pid)
            end(helper)

    monkeypatch.setattr(helper, "_start", start_and_end)
    return ended


@pytest.mark.thorough("test of kills")
def test_one_that_was_ended_between_two_submissions_is_not_the_second_ones_fault(opened):
    helper, handed = opened
    first = helper.do(Stage(content=handed))
    assert first.problem == ""
    end(helper)
    assert helper.do(Stage(content=handed)) == first


@pytest.mark.thorough("test of kills")
def test_one_that_was_ended_in_a_step_is_not_the_submissions_fault(opened, monkeypatch):
    helper, handed = opened
    ended = ended_as_it_starts(helper, monkeypatch, times=1)
    assert helper.do(Stage(content=handed)).problem == ""
    assert len(ended) == 1


@pytest.mark.thorough("test of kills")
def test_what_ends_it_twice_is_told_and_the_next_step_has_a_new_one(opened, monkeypatch):
    helper, handed = opened
    ended = ended_as_it_starts(helper, monkeypatch, times=2)
    with pytest.raises(StepFailed, match="^crashes the program that reads it$"):
        helper.do(Stage(content=handed))
    assert len(ended) == 2
    assert helper.do(Stage(content=handed)).problem == ""


def test_one_that_never_starts_is_the_graders_failure():
    with (
        Helper(Opened(template="{", release="")) as helper,
        pytest.raises(GradingFailed, match="does not start"),
    ):
        helper.do(Stage(content=b"{}"))
