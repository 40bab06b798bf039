"""A class of 100 with hostile submissions in it costs at most twice what 100 plain ones do."""

import json
import subprocess
import sys

import corpus
import pytest

TWICE, MOST_MB = 2.0, 4096


def graded(course) -> dict:
    """What both classes took, and that the marks are right."""
    script = [sys.executable, "benchmarks/grading_class_of_100.py", "--hundred"]
    done = subprocess.run(script, cwd=course, capture_output=True, text=True, timeout=1500)
    assert done.stdout, done.stderr[-3000:]
    measured = json.loads(done.stdout)["class of 100"]
    assert (measured["submissions"], measured["hostile"]) == (100, len(corpus.got_through()))
    assert measured["hostile"] >= 34
    assert measured["honest_marks_differ"] == measured["gained"] == []
    assert measured["mixed_memory_mb"] <= MOST_MB
    return measured


@pytest.mark.release("class of 100")
def test_a_hostile_class_of_100_is_graded_like_a_plain_one(course):
    """By processor time, to which other work on the machine can only add.

    So if the first measurement is too much, each class counts with the less of two.
    """
    runs = [graded(course)]
    if runs[0]["times_processor"] > TWICE:
        runs.append(graded(course))
    plain, mixed = (
        min(run[f"{kind}_processor_seconds"] for run in runs) for kind in ("plain", "mixed")
    )
    assert mixed <= TWICE * plain, runs
