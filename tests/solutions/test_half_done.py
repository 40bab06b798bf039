"""A learner who is half through a problem set reads the check of it on one screen."""

import nbformat
import pytest
from rich.console import Console
from whole_class import COURSE

from nbjudge.desk import check
from nbjudge.desk.show import show_checked
from nbjudge.intake import cells

SET = "ps05-self-attention"

#: The first exercises are right; two are wrong, in all that they are tested for or in part.
RIGHT = ("attention-loop", "attention-matrix", "scaling")
WRONG = {
    "masks": (
        "def causal_mask(T):\n    return torch.ones(T, T, dtype=torch.bool)\n\n"
        "def padding_mask(lengths, T):\n    return torch.ones(len(lengths), T, dtype=torch.bool)"
    ),
    "masked-attention": "def masked_attention(Q, K, V, mask):\n    return attention(Q, K, V)",
    "choices": "answers = dict.fromkeys('abcdefghijk', True)",
}


@pytest.mark.thorough("check of a half-done problem set")
def test_a_check_of_half_a_set_is_a_line_for_each_exercise_and_a_few_more(tmp_path, capsys):
    solved = nbformat.read(COURSE / "solutions" / SET / f"{SET}.ipynb", as_version=4)
    solutions = {cells.grade_id(c): cells.learners_own(c.source) for c in solved.cells}
    released = COURSE / "notebooks" / "assignments" / SET / f"{SET}.ipynb"
    notebook = nbformat.read(released, as_version=4)
    for cell in filter(cells.is_answer, notebook.cells):
        name = cells.grade_id(cell)
        cell.source = solutions[name] if name in RIGHT else WRONG.get(name, cell.source)
    path = tmp_path / f"{SET}.ipynb"
    nbformat.write(notebook, path)
    found = check.check(path, course=COURSE)
    show_checked(found, path, Console(width=80))
    lines = capsys.readouterr().out.strip().splitlines()
    assert len(lines) <= len(found.exercises) + 8 and max(map(len, lines)) <= 80
    assert lines[1].startswith("Visible tests: 22 of 49 points.")
    verdicts = {line.split()[0]: line for line in lines[3:12]}
    assert list(verdicts) == [exercise.name for exercise in found.exercises]
    assert "causal: Your mask" in verdicts["masks"] and "11 of 14" in verdicts["choices"]
    show_checked(found, path, Console(width=80), details=True)
    assert len(capsys.readouterr().out.splitlines()) > 2 * len(lines), "all of it is there to read"
