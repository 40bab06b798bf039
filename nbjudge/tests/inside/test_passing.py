"""A test cell that passes says so in the learner's own notebook."""

import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from nbjudge.inside.testing import passing

VALUES = "# double--values · 2 points\n# Two and two.\nassert double(2) == 4"


@pytest.mark.parametrize(
    ("source", "value", "message"),
    [
        (VALUES, None, "✓ Passed: 2 of 2 points."),
        (VALUES.replace("2 points", "1 point"), None, "✓ Passed: 1 of 1 point."),
        (f"{VALUES}\n# Further tests: other numbers.", None, "hidden half"),
        (VALUES, 2, "2 of 2"),
        (VALUES, 1.5, ""),
        ("# double--hidden · 3 points\n# Further tests: others.", None, ""),
        ("# choices--answers · 7 points\n# All of them.\nanswered(answers, ['a'])", None, "answer"),
        ("x = 1", None, ""),
        ("", None, ""),
    ],
)
def test_what_is_said_of_a_cell(source, value, message):
    praised = passing.praise(source, value)
    assert message in praised and bool(message) == bool(praised)


def test_a_notebook_says_it_below_the_cell_that_passed_and_no_other(capsys):
    shell = InteractiveShell()
    passing.speak(shell)
    for source in "double = abs", VALUES, "def double(x):\n    return 2 * x":
        shell.run_cell(source)
    assert "Passed" not in capsys.readouterr().out
    shell.run_cell(VALUES)
    assert capsys.readouterr().out == "✓ Passed: 2 of 2 points.\n"


def test_verbs_speak_in_a_kernel_and_nowhere_else():
    program = (
        "from IPython.core.interactiveshell import InteractiveShell as Shell\n"
        "shell = Shell.instance()\n"
        "shell.kernel = {kernel}\n"
        "import nbjudge.testing\n"
        "print(len(shell.events.callbacks['post_run_cell']))\n"
    )
    for kernel, expected in ("None", 0), ("object()", 1):
        done = subprocess.run(
            [sys.executable, "-c", program.format(kernel=kernel)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(done.stdout) == expected, "it says so once, and in a notebook alone"


def test_the_points_so_far_are_those_of_each_test_as_it_last_ended(capsys):
    shell = InteractiveShell()
    shell.run_cell("from nbjudge.inside.testing import passing")
    passing.SO_FAR.__init__()
    passing.speak(shell)
    part = "# double--part · 2 points\n# Part.\n1.5"
    hidden = "# double--hidden · 3 points\n# Further tests: others."
    looks = "# choices--answers · 7 points\n# All of them.\nlen('answered(')"
    for source in VALUES, part, hidden, looks, "# other--one · 1 point\n# One.\nassert False":
        shell.run_cell(source)
    totals = '{"double": 7, "choices": 7, "other": 1, "explain": 4}'
    capsys.readouterr()
    shell.run_cell(f"passing.points_so_far({totals})")
    assert capsys.readouterr().out.splitlines() == [
        "double   1.5 of 7  not passed: double--values, double--part; 3 open",
        "choices    – of 7  7 open",
        "other      0 of 1  not passed: other--one",
        "explain    – of 4  4 open",
        "1.5 of 19 points so far. Choices, written answers and hidden tests are judged when your "
        "work is graded.",
    ]
    shell.run_cell("def double(x):\n    return 2 * x")
    shell.run_cell(VALUES)
    capsys.readouterr()
    shell.run_cell(f"passing.points_so_far({totals})")
    assert "3.5 of 19 points so far." in capsys.readouterr().out
