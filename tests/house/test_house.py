"""The house: what the package costs to import, where the course is, records, shown source."""

import json
import subprocess
import sys

import pytest

from coursebook import records
from coursebook.course import problem_set_names, record_paths, root
from coursebook.source import source_of

#: The folders of tests.
TESTS = ("tests", "nbjudge/tests")


def test_import_brings_nothing_slow_beside_torch():
    code = (
        "import sys, torch; before = set(sys.modules); import tfcourse, tfcourse.attention;"
        "print(*{n.partition('.')[0] for n in set(sys.modules) - before})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) - sys.stdlib_module_names == {"tfcourse", "jaxtyping", "numpy"}


def test_the_root_is_found_from_within_and_named_where_absent(course, tmp_path, monkeypatch):
    assert root(course / "notebooks" / "assignments") == course
    monkeypatch.setenv("TFCOURSE_ROOT", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="Set it to the folder"):
        root()


def test_every_problem_set_has_its_release(course):
    names = problem_set_names(course)
    assert names
    for name in names:
        assert (course / "notebooks" / "assignments" / name / f"{name}.ipynb").is_file()


def test_a_record_says_how_it_was_made(tmp_path, monkeypatch):
    monkeypatch.setattr("coursebook.course.root", lambda: tmp_path)
    path = records.write("speed", {"ms": 1.5}, seed=3)
    record = records.load("speed")
    assert json.loads(path.read_text()) == record
    assert record["results"] == {"ms": 1.5}
    for key in ("date", "command", "device", "threads", "versions", "seed"):
        assert record[key] is not None
    assert record["device"] in records.describe(record)
    with pytest.raises(FileNotFoundError, match="no record 'other'.*speed"):
        records.load("other")


def test_a_gpus_record_follows_the_laptops_if_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setattr("coursebook.course.root", lambda: tmp_path)
    with pytest.raises(FileNotFoundError, match="no record 'speed'"):
        records.by_device("speed")
    records.write("speed", {"ms": 3}, seed=0)
    assert [one["results"] for one in records.by_device("speed")] == [{"ms": 3}]
    records.write("speed-gpu", {"ms": 1}, seed=0)
    assert [one["results"] for one in records.by_device("speed")] == [{"ms": 3}, {"ms": 1}]


def test_stored_records_are_whole(course):
    stored = record_paths(course).values()
    assert stored
    for path in stored:
        record = json.loads(path.read_text())
        assert {"name", "date", "command", "device", "versions", "seed", "results"} <= set(record)
        assert record["name"] == path.stem
        script = record["command"].split()[1]
        assert (course / script).is_file(), f"{path.name} was made by {script}, which is gone"


def documented(x):
    """One line.

    And more.
    """
    # a comment that stays
    return x  # and this


def test_source_of_leaves_out_the_documentation_only():
    shown = source_of(documented)
    assert "One line" not in shown and "And more" not in shown
    assert "# a comment that stays" in shown and "return x  # and this" in shown


def test_what_tests_share_has_a_name_of_its_own(course):
    """Several folders have a conftest: which one an import by that name finds is chance."""
    for path in sorted(p for name in TESTS for p in (course / name).rglob("*.py")):
        assert "conftest " + "import" not in path.read_text("utf-8"), path


def test_the_course_names_no_machine(course):
    """No path of the machine it was written on, and no registry, goes into the course."""
    files = subprocess.run(["git", "ls-files"], cwd=course, capture_output=True, text=True)
    if files.returncode:
        pytest.skip("needs a git checkout: which files belong to the course is asked of git")
    marks = ["/ro" + "ot/", "/work/" + "main", "/tmp/" + "bash_", "pypi" + ".org/simple"]
    for name in files.stdout.split("\n"):
        path = course / name
        if path.is_file() and path.suffix not in {".png", ".ico"}:
            text = path.read_text(errors="replace")
            assert not [m for m in marks if m in text], name
