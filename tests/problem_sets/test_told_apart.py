"""No known mistake is blamed for another: where two come to the same numbers on an input, both are
named or neither is."""

import contextlib
import io

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
from tfcourse.grading.testing.checks import close
from tfcourse.grading.testing.fresh import SEED_VARIABLE
from tfcourse.grading.testing.mistake import Mistake


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

            def noted(got, expected, *args, mistakes=None, seen=seen, right=right, **kwargs):
                seen.append((expected, dict(mistakes or {})))
                return right(got, expected, *args, mistakes=mistakes, **kwargs)

            ours["close"] = noted
            by_hand()
            exec(read(name, cell.source).body, dict(ours))
        elif cell.cell_type == "code" and cells.is_locked(cell):
            exec(cell.source, solved)
            if not cell_names.used(cell.source) & learners:
                exec(cell.source, ours)
    by_hand()
    return found


@pytest.mark.parametrize("problem_set", problem_set_names(COURSE))
def test_who_is_named_is_named_with_all_that_look_the_same(problem_set, monkeypatch):
    torch.manual_seed(0)
    with contextlib.redirect_stdout(io.StringIO()):
        found = compared(problem_set, monkeypatch)
    blamed = []
    for piece, seen in found.items():
        for expected, mistakes in seen:
            parts = {m: whole(wrong, expected) for m, wrong in mistakes.items()}
            for message, wrong in parts.items():
                got = tuple(wrong) if isinstance(expected, tuple) else wrong[0]
                several = isinstance(expected, tuple)
                names = [f"Part {n}" for n in range(len(wrong))]
                try:
                    close(got, expected, names if several else "It", mistakes=mistakes)
                except Mistake as told:
                    named = {m for m in mistakes if m in str(told)}
                    same = {m for m, other in parts.items() if alike(other, wrong)}
                    if named and not same <= named:
                        blamed.append(f"{piece}: {message!r} is told {str(told)!r}")
    assert sum(len(seen) for seen in found.values()) > 20
    assert not blamed, "\n".join(blamed)
