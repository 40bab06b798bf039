"""The commands of the teaching assistants' page, each run on a class of the small set."""

import re
import shlex
import shutil

import pytest
from around import the_course
from command_line import run_in_one_line
from small_set import NAME, answered, hand_in

PAGE = (the_course() / "book" / "assist.md").read_text("utf-8")
#: The page's problem set and exercise, and the small set's.
HERE = {"ps05-self-attention": NAME, "masked-attention": "double"}


def commands():
    """The page's commands in their order, for the small set."""
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            for name, here in HERE.items():
                line = line.replace(name, here)
            yield shlex.split(line, comments=True)


@pytest.mark.thorough("grading of small classes")
def test_each_command_does_what_the_page_says(
    one_nursery, in_small_course, small_course, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, double in (("ada", "double = abs"), ("ben", "double = abs"), ("eve", None)):
        wrong = {"double": double} if double else {}
        hand_in(tmp_path / "submitted", name, answered(small_course, **wrong))
    (tmp_path / "assignments").mkdir()
    shutil.copytree(tmp_path / "submitted" / "ada" / NAME, tmp_path / "assignments" / NAME)
    grading = f"tfcourse grade {NAME} --submitted submitted --into graded --workers 1"
    outputs = []
    for program, *words in (shlex.split(grading), *commands()):  # the instructor grades before
        assert program == "tfcourse"
        if words[0] == "mark":  # it serves until Ctrl-C
            continue
        code, output = run_in_one_line(*words)
        assert code == (words[0] == "check"), output
        outputs.append(output)
    graded, check, one, why, likeness, _ = outputs
    assert "double" in check and "should be" in one
    assert "ada 5/13" in graded and "ada, double: 0 of 5 points" in why
    assert f"{NAME}.html" in likeness
    for line in PAGE.splitlines():
        for place in re.findall(r"`(graded/(?:report|overview)/\S+?)`", line):
            assert (tmp_path / place.replace("ps05-self-attention", NAME)).is_file(), place
    assert ",2," in (tmp_path / "graded/report/mistakes.csv").read_text("utf-8")
