"""macOS and Windows, in real processes that see no more than there is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from around import the_course
from nbformat.v4 import new_code_cell
from small_set import NAME, answered, hand_in

pytestmark = pytest.mark.release("test of a simulated system")

TREE = the_course()
SIMULATED = Path(__file__).with_name("other_system")
SYSTEMS = {"win32": "Windows", "darwin": "macOS"}

LOOP = "def sum_squares(numbers):\n    while True:\n        pass"
#: It cannot be interrupted, neither where there are signals nor where there are none.
STUBBORN = """\
def sum_squares(numbers):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""


@pytest.fixture(params=SYSTEMS)
def system(request):
    return request.param


def there(system, *words, course=TREE, **variables):
    """The exit code and what is said, by ``tfcourse`` or by Python's ``-c``, on that system."""
    program = ["-c", "from tfcourse.cli import app; app()", *map(str, words)]
    if words[0] == "-c":
        program = list(words)
    done = subprocess.run(
        [sys.executable, *program],
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "OTHER_SYSTEM": system,
            "PYTHONPATH": os.pathsep.join([str(SIMULATED), str(TREE)]),
            "TFCOURSE_ROOT": str(course),
            "COLUMNS": "200",
            **variables,
        },
    )
    output = " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in output, output
    return done.returncode, output


def test_the_other_system_is_another_one():
    look = """\
import sys, nbjudge.desk.worker as worker, nbjudge.desk.run as run
assert not hasattr(worker.signal, "pthread_kill") and not hasattr(worker.os, "killpg")
assert run.os.name == "nt" and run.sys.platform == "win32" and sys.platform == "linux"
try:
    import nbjudge.sandbox.nursery
except ModuleNotFoundError as error:
    print("no", error.name)
"""
    code, output = there("win32", "-c", look)
    assert (code, output) == (0, "no fcntl")


def test_help_and_doctor_answer(system):
    code, output = there(system, "--help")
    assert code == 0 and "check" in output and "translate" in output
    code, output = there(system, "doctor")
    assert code == 0, output
    assert f"this is {SYSTEMS[system]}" in output and "tfcourse check" in output


def test_grading_says_where_it_can_be_done(system, tmp_path):
    words = ("grade", NAME, "--submitted", tmp_path, "--into", tmp_path / "out", "--no-sandbox")
    code, output = there(system, *words)
    assert code == 2
    assert f"needs Linux, and this is {SYSTEMS[system]}" in output
    assert "deploy/README.md" in output and "`tfcourse check` works here" in output
    assert not (tmp_path / "out").exists()


def test_a_right_answer_passes(system, small_course, tmp_path):
    path = hand_in(tmp_path, "me and you", answered(small_course))
    code, output = there(system, "check", path, course=small_course)
    assert code == 0, output
    assert "Visible tests: 3 of 3 points." in output
    assert "does not protect this computer" in output
    code, output = there(system, "check", path, "--full", course=small_course)
    assert code == 0 and "All tests: 10 of 10 points." in output, output


def test_wrong_answers_are_told_what_is_wrong(system, small_course, tmp_path):
    notebook = answered(small_course, double="double = abs", sum_squares=LOOP)
    path = hand_in(tmp_path, "me", notebook)
    code, output = there(
        system, "check", path, "--details", "--cell-seconds", 2, course=small_course
    )
    assert code == 1
    assert "double(3) should be 6, but it is 3" in output
    assert "`sum_squares` was stopped after 2 s: is there a loop that never ends?" in output
    assert "ran out of time in sum-squares--values" in output


def test_what_cannot_be_interrupted_is_ended(system, small_course, tmp_path):
    notebook = answered(small_course, sum_squares=STUBBORN)
    path = hand_in(tmp_path, "me", notebook)
    code, output = there(
        system, "check", path, "--details", "--cell-seconds", 1, course=small_course
    )
    assert code == 1
    assert "This test was stopped after 1 s: is there a loop that never ends?" in output
    assert "double passed 2/5" in output, "the others are judged all the same"


def test_cells_that_stop_or_leave(system, small_course, tmp_path):
    leaving = "import sys\nsys.exit('enough')"
    notebook = answered(small_course, double="def double(x)\n    return 2", sum_squares=leaving)
    path = hand_in(tmp_path, "me", notebook)
    code, output = there(system, "check", path, "--details", course=small_course)
    assert code == 1
    assert "The answer's own cell stopped: SyntaxError: expected ':' (line 1 of the cell)" in output
    assert "The answer's own cell stopped: SystemExit: enough" in output


def test_a_cell_that_ends_its_process_takes_no_other_along(system, small_course, tmp_path):
    notebook = answered(small_course)
    notebook.cells.insert(1, new_code_cell("import os\nos._exit(7)"))
    code, output = there(system, "check", hand_in(tmp_path, "me", notebook), course=small_course)
    assert code == 0, output
    assert "the process that runs the notebook ended in cell 2" in output


def test_a_terminal_of_another_alphabet_is_no_error(small_course, tmp_path):
    notebook = answered(small_course, double="def double(x):\n    raise ValueError('→ ß 漢')")
    path = hand_in(tmp_path, "me", notebook)
    code, output = there("win32", "check", path, course=small_course, PYTHONIOENCODING="ascii")
    assert code == 1 and "ValueError" in output


def test_training_and_translating(tmp_path):
    into = tmp_path / "run"
    flags = ("--steps", "2", "--set", "training.warmup=1", "--device", "cpu", "--into", into)
    code, output = there("win32", "train", "dates", *flags)
    assert code == 0, output
    code, output = there("win32", "translate", into, "May 1, 1999", "--device", "cpu")
    assert code == 0, output


def test_a_chapter_is_run(tmp_path):
    from nbformat import write
    from nbformat.v4 import new_markdown_cell, new_notebook

    cells = [new_markdown_cell("# A title"), new_code_cell("print(6 * 7)")]
    write(new_notebook(cells=cells), tmp_path / "c.ipynb")
    _, output = there("win32", "chapter", tmp_path / "c.ipynb")
    assert "c.ipynb: " in output and "42" in (tmp_path / "c.ipynb").read_text()
