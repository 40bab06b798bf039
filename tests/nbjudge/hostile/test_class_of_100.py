"""A class of 100 with hostile submissions in it costs at most twice what 100 plain ones do."""

import json
import subprocess
import sys

import corpus
import pytest


@pytest.mark.thorough("class of 100")
def test_a_hostile_class_of_100_is_graded_like_a_plain_one(course):
    """By processor time, of which what else runs on the machine takes little."""
    script = [sys.executable, "benchmarks/grading_class_of_100.py", "--hundred"]
    done = subprocess.run(script, cwd=course, capture_output=True, text=True, timeout=1500)
    assert done.stdout, done.stderr[-3000:]
    found = json.loads(done.stdout)["class of 100"]
    assert (found["submissions"], found["hostile"]) == (100, len(corpus.got_through()))
    assert found["hostile"] >= 34
    assert found["honest_marks_differ"] == found["gained"] == []
    assert found["times_processor"] <= 2
    assert found["mixed_memory_mb"] <= 4096
