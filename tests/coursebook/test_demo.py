"""The example class of `make demo`: what it hands in, and that a second run does nothing again."""

import json
import shutil

import pytest
import yaml

from coursebook import demo as demo_module
from coursebook import site
from nbjudge import sandbox
from nbjudge.intake import release
from nbjudge.run import engine


@pytest.fixture(scope="module")
def example(course):
    return demo_module.read_class(course)


@pytest.fixture(scope="module")
def written(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "submitted"
    return folder, demo_module.write_class(course, folder)


def notebook(written, example, name):
    problem_set = example["problem_set"]
    return written[0] / name / problem_set / f"{problem_set}.ipynb"


def test_a_learners_copy_says_what_it_lacks(tmp_path):
    (tmp_path / "examples").mkdir()
    with pytest.raises(FileNotFoundError, match=r"no solutions/.*`make lab`"):
        demo_module.demo(tmp_path)


def test_it_is_a_class_of_eight_with_every_kind_of_work(example):
    learners = example["learners"].values()
    assert len(learners) == 8
    assert {entry.get("from") for entry in learners} >= {"solution", "other", "release"}
    assert {entry.get("file") for entry in learners} == {None, "cut-off", "none"}
    for key in ("variants", "code", "delete", "kernel"):
        assert any(key in entry for entry in learners), key


def test_what_is_written_is_what_the_entries_say(written, example):
    folder, about = written
    for name, entry in example["learners"].items():
        path = notebook(written, example, name)
        assert path.is_file() == (entry.get("file") != "none"), name
        if entry.get("file") is None:
            assert json.loads(path.read_text("utf-8"))["cells"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(notebook(written, example, "emeka").read_text("utf-8"))
    assert set(about) == set(example["learners"])
    assert "BEGIN HIDDEN" not in notebook(written, example, "ada").read_text("utf-8")


def test_the_bytes_are_the_same_each_time(written, example, course, tmp_path):
    demo_module.write_class(course, tmp_path / "submitted")
    for path in written[0].rglob("*.ipynb"):
        assert (tmp_path / "submitted" / path.relative_to(written[0])).read_bytes() == (
            path.read_bytes()
        )


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"from": "release", "variant": {}}, "'variant', which is not known"),
        ({"from": "nowhere"}, "`from` is 'nowhere'"),
        ({"from": "release", "file": "torn"}, "`file` is 'torn'"),
        ({"from": "release", "variants": {"scaling": "none-such"}}, "scaling/none-such"),
        ({"from": "release", "code": {"none-such": ""}}, "'none-such'"),
        ({"from": "release", "delete": ["none-such"]}, "'none-such'"),
    ],
)
def test_an_entry_that_cannot_be_followed_is_named(entry, said, example, course, tmp_path):
    (tmp_path / "examples" / "class").mkdir(parents=True)
    for name in ("solutions", "notebooks"):
        (tmp_path / name).symlink_to(course / name)
    text = yaml.safe_dump({**example, "learners": {"eve": {"about": "", **entry}}})
    (tmp_path / "examples" / "class" / "class.yml").write_text(text)
    with pytest.raises(ValueError, match=said):
        demo_module.write_class(tmp_path, tmp_path / "submitted")


@pytest.mark.thorough("run of the demo")
def test_the_demo_twice(example, course, tmp_path, monkeypatch, capsys):
    """In a copy of the course, with the site left out: it has tests of its own."""
    for name in ("_toc.yml", "nbgrader_config.py"):
        shutil.copy(course / name, tmp_path)
    for name in ("solutions", "examples"):
        shutil.copytree(course / name, tmp_path / name)
    monkeypatch.setenv("COLUMNS", "80")
    index = tmp_path / "_build" / "html" / "index.html"
    monkeypatch.setattr(site, "build_site", lambda course, **_: index)
    demo_module.demo(tmp_path)
    said = capsys.readouterr().out
    grades = (tmp_path / "_build" / "demo" / "graded" / "grades.csv").read_text("utf-8")
    for name in example["learners"]:
        assert name in said and f"\n{name}," in grades
    assert "was not up to date, written" in said
    assert "_build/html/index.html" in said and "_build/demo/graded/grades.csv" in said
    assert ("Graded without a sandbox" in said) != sandbox.status().works
    path = next(line.split()[-1] for line in said.splitlines() if line.startswith("A page"))
    assert (tmp_path / path).is_file()

    report = json.loads(
        (tmp_path / "_build" / "demo" / "graded" / "report.json").read_text("utf-8")
    )
    students = report[example["problem_set"]]["students"]
    score = {name: student["score"] for name, student in students.items()}
    waits = students["ada"]["tests"]["explain--written"]["max_score"]
    assert score["ada"] == score["boris"] == students["ada"]["max_score"] - waits
    assert score["chen"] == score["emeka"] == score["hana"] == 0
    for name, key in (("dalia", "variants"), ("farah", "variants"), ("goro", "code")):
        lost = {
            exercise
            for exercise, found in students[name]["exercises"].items()
            if found["score"] is not None and found["score"] < found["max_score"]
        }
        assert lost == set(example["learners"][name][key]), name

    def refuse(*_, **__):
        raise AssertionError("something was judged or made again")

    monkeypatch.setattr(engine, "judge_all", refuse)
    monkeypatch.setattr(release, "is_current", refuse)
    demo_module.demo(tmp_path)
    said = capsys.readouterr().out
    assert ": up to date" in said and "\n  0 notebooks run" in said
    assert (tmp_path / "_build" / "demo" / "graded" / "grades.csv").read_text("utf-8") == grades
