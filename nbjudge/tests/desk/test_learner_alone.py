"""Learning without a class: hidden tests, solutions when they are earned, and progress."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from command_line import run_command
from nbformat.v4 import new_code_cell
from rich.console import Console
from small_set import (
    NAME,
    RIGHT,
    answered,
    cell,
    hand_in,
    make_course,
    metadata,
    source_notebook,
)

from nbjudge.desk import check, lab
from nbjudge.desk.progress import CHECKED, START
from nbjudge.desk.show import show_checked
from nbjudge.intake.release import make_release


@pytest.fixture
def work(small_course, tmp_path):
    folder = tmp_path / "work"
    lab.furnish(folder, small_course)
    return folder


@pytest.fixture
def run(in_small_course, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        code, output = run_command(*arguments)
        assert max(map(len, output.splitlines())) <= 80, "it fits a terminal of 80 columns"
        return code, " ".join(output.split())

    return call


def answer(work, course, **answers):
    path = work / "assignments" / NAME / f"{NAME}.ipynb"
    path.write_text(json.dumps(answered(course, **answers)))
    return path


@pytest.mark.thorough("use of another environment")
def test_a_solution_is_shown_when_it_is_earned_or_given_up(run, small_course, work):
    path = answer(work, small_course, double="double = abs")
    one = ("check", path, "--full", "--exercise", "double")
    code, output = run(*one)
    assert code == 1 and "the instructor's way" not in output and "--give-up" in output
    assert "the instructor's way" in run(*one, "--give-up")[1]
    answer(work, small_course)
    code, output = run(*one)
    assert code == 0 and "the instructor's way" in output and "BEGIN SOLUTION" not in output
    assert "1 + 4" not in output, "of the exercise that was asked for, and no other"
    code, output = run("check", path, "--full", "--exercise", "explain")
    assert "3 points: says that squares are never negative." in output
    assert run("check", path, "--give-up")[0] == 2


def test_an_answer_in_words_must_be_there_first(run, small_course, work):
    path = answer(work, small_course, explain="YOUR ANSWER HERE")
    _, output = run("check", path, "--full", "--exercise", "explain")
    assert "not written yet" in output and "squares are never" not in output


CHOICES = """\
answered(answers, ["a", "b", "c"])
### BEGIN HIDDEN TESTS
choices(
    answers,
    {"c": True, "b": True, "a": True},
    {"a": "Since a.", "b": "Since b.", "c": "Since c."},
    points=3,
)
### END HIDDEN TESTS
"""


@pytest.mark.thorough("use of another environment")
def test_a_guess_is_told_how_many_are_right_and_not_which(run, tmp_path, monkeypatch):
    notebook = source_notebook()
    setup = cell(notebook, "setup")
    setup.source = setup.source.replace("import Mistake", "import Mistake, answered, choices")
    stub = "### BEGIN SOLUTION\nanswers = dict.fromkeys('abc', True)\n### END SOLUTION"
    test = metadata("choices--answers", grade=True, locked=True, points=3)
    notebook.cells += [
        new_code_cell(stub, metadata=metadata("choices", solution=True)),
        new_code_cell(CHOICES.strip(), metadata=test),
    ]
    course = make_course(tmp_path / "course", notebook)
    make_release(NAME, course)
    monkeypatch.setenv("TFCOURSE_ROOT", str(course))
    guess = "answers = {'a': False, 'b': True, 'c': False}"
    path = hand_in(tmp_path, "me", answered(course, choices=guess))
    whole = ("check", path, "--full", "--details")
    one = ("check", path, "--full", "--exercise", "choices")
    for words in (whole, one):
        code, output = run(*words)
        assert code == 1 and "it is" not in output and "Since" not in output
        assert "1 of 3 is right; add --exercise choices --give-up to see which." in output
    output = run(*one, "--give-up")[1]
    assert "a: it is True. Since a. c: it is True. Since c. 1 of 3 is right." in output
    gap = "answers = {'a': False, 'b': True, 'c': None}"
    path = hand_in(tmp_path, "me", answered(course, choices=gap))
    assert "c: not answered. 1 of 3 is right; add" in run(*one)[1]


def test_progress_is_what_the_last_checks_found(run, small_course, work):
    assert f"{NAME} – not started" in run("progress", work)[1]
    path = answer(work, small_course, double="double = abs")
    assert f"{NAME} – not checked yet" in run("progress", work)[1]
    run("check", path)
    code, output = run("progress", work)
    assert f"{NAME} 1/3 2 of 3 exercises done So far: 1 of 3 points" in output
    assert "| 1 of 3 | 2 of 3 |" in (work / START).read_text(), "a check writes the start page too"
    path = answer(work, small_course, **{"double": RIGHT["double"]})
    assert "changed since it was checked" in run("progress", work)[1]
    run("check", path, "--full")
    assert f"{NAME} 10/10 3 of 3 exercises done So far: 10 of 10 points" in run("progress", work)[1]
    (work / CHECKED).write_text("[")
    assert "not checked yet" in run("progress", work)[1], "what cannot be read is not there"


def test_progress_elsewhere_says_what_to_do(run, tmp_path):
    code, output = run("progress", tmp_path)
    assert code == 2 and "tfcourse lab" in output


@pytest.mark.parametrize("words", [(), ("work",), ("../../../work",)])
def test_progress_is_found_from_inside_the_folder(run, work, monkeypatch, words):
    """Nothing but the folder says where it is: the course has none of its own."""
    monkeypatch.chdir(work / "assignments" / NAME)
    code, output = run("progress", *words)
    assert code == 0 and f"{NAME} – not started" in output
    assert run("progress", "wrok")[0] == 2


@pytest.mark.thorough("use of another environment")
def test_a_check_loads_next_to_nothing_itself(small_course, work):
    """What runs the notebook loads torch meanwhile; this process only reads and tells."""
    path = answer(work, small_course, double="double = abs")
    program = (
        "import sys, pathlib\n"
        "from nbjudge.desk import check\n"
        f"found = check.check(pathlib.Path({str(path)!r}), full=True)\n"
        "assert {test.verdict for test in found.tests} >= {'passed', 'failed'}\n"
        "print(*(m for m in ('torch', 'lark', 'zmq', 'nbgrader', 'IPython') if m in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TFCOURSE_ROOT": str(small_course)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_what_failed_names_the_section_that_explains_it(capsys):
    text = "## 2 Twice (`double`)\n\n*2 points · see [Two times](../../07-sums.ipynb#two-times)*"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    two_times = check.Section("07-sums.ipynb", "Two times", "two-times")
    assert check.sections(notebook) == {"double": two_times}
    notebook.cells[0].source = text.replace("07-sums", "ps07-sums/ps07-sums")
    assert check.sections(notebook) == {}, "a section of a problem set explains nothing"
    tests = [
        check.CheckedTest("double--values", check.FAILED, 0.0, 2.0, "It is 3."),
        check.CheckedTest("half--values", check.FAILED, 0.0, 1.0, "It is 4."),
    ]
    checked = check.Checked(tests, chapter="08-more.ipynb", sections={"double": two_times})
    show_checked(checked, Path("ps07.ipynb"), Console(width=80), details=True)
    output = capsys.readouterr().out
    assert "explained in 07-sums.ipynb, “Two times”" in output
    assert "Chapter 8 explains" in output, "for the exercise that names no section"
