"""The inputs of the tests tell a piece's known mistakes from each other, and from the right answer.

Where two mistakes come to the same numbers on some input, both are told; on the inputs of the whole
piece together no two may.
"""

import contextlib
import io
from itertools import combinations

import pytest
import torch
from whole_class import COURSE, source_notebook

from tfcourse.course import problem_set_names
from tfcourse.grading import cells
from tfcourse.grading.examiner import read
from tfcourse.grading.judging import names as cell_names
from tfcourse.grading.judging import weighing
from tfcourse.grading.mistakes.telling import near
from tfcourse.grading.testing.by_hand import by_hand
from tfcourse.grading.testing.fresh import SEED_VARIABLE


def whole(wrong, expected):
    """All parts of an answer: those that a mistake leaves alone are as they should be."""
    if not isinstance(expected, tuple):
        wrong, expected = (wrong,), (expected,)
    return [e if w is None else w for w, e in zip(wrong, expected, strict=True)]


def alike(one, other):
    """Whether a check would take one answer for the other."""

    def plain(part, like):
        number = isinstance(part, list) and isinstance(like, torch.Tensor)
        return torch.as_tensor(part, dtype=like.dtype) if number else part

    return all(near(plain(a, b), plain(b, a)) for a, b in zip(one, other, strict=True))


def compared(problem_set, monkeypatch):
    """Piece → what its tests compare with: pairs of what is due and message → numbers."""
    monkeypatch.setenv(SEED_VARIABLE, "1")
    notebook = source_notebook(problem_set, COURSE)
    solution = cell_names.solution_of(notebook)
    learners = {n for found in cell_names.names_of(notebook).values() for n in found}
    solved, ours = {"__name__": "__main__"}, {"__name__": "__main__"}
    found: dict[str, list] = {}
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if name in solution:
            exec(solution[name], solved)
        elif cells.is_test(cell):
            seen = found.setdefault(cells.piece_of(name), [])
            link = weighing.Liar(solved, None)
            ours |= {n: link.name(n) for n in learners & set(solved)}
            right = solved["close"]

            def close(got, expected, *args, mistakes=None, seen=seen, right=right, **kwargs):
                seen.append((expected, dict(mistakes or {})))
                return right(got, expected, *args, mistakes=mistakes, **kwargs)

            ours["close"] = close
            by_hand()
            exec(read(name, cell.source).body, dict(ours))
        elif cell.cell_type == "code" and cells.is_locked(cell):
            exec(cell.source, solved)
            if not cell_names.used(cell.source) & learners:
                exec(cell.source, ours)
    by_hand()
    return found


@pytest.mark.parametrize("problem_set", problem_set_names(COURSE))
def test_no_two_known_mistakes_agree_on_all_inputs_of_a_piece(problem_set, monkeypatch):
    torch.manual_seed(0)
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere):
        found = compared(problem_set, monkeypatch)
    same, idle = {}, {}
    for piece, seen in found.items():
        together: dict[tuple[str, str], bool] = {}
        differs: dict[str, bool] = {}
        for expected, mistakes in seen:
            mistakes = {told: whole(wrong, expected) for told, wrong in mistakes.items()}
            for message, wrong in mistakes.items():
                apart = not alike(wrong, whole(expected, expected))
                differs[message] = differs.get(message, False) or apart
            for one, other in combinations(sorted(mistakes), 2):
                apart = not alike(mistakes[one], mistakes[other])
                together[one, other] = together.get((one, other), False) or apart
        same |= {f"{piece}: {pair}": 1 for pair, apart in together.items() if not apart}
        idle |= {f"{piece}: {message}": 1 for message, apart in differs.items() if not apart}
    assert not same, "\n".join(same)
    assert not idle, "\n".join(idle)
