"""No known mistake is blamed for another.

If several give the same numbers on all inputs of a test, all of them are named.
"""

import contextlib
import io

import jaxtyping
import pytest
import torch
from whole_class import COURSE, source_notebook

from coursebook.course import problem_set_names
from nbjudge.inside.testing.by_hand import by_hand
from nbjudge.inside.testing.checks import close, deciding
from nbjudge.inside.testing.fresh import SEED_VARIABLE
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.intake import cells
from nbjudge.judge import lies
from nbjudge.judge import names as cell_names
from nbjudge.judge.examiner import read

pytestmark = pytest.mark.case_of("problem set")

#: The sets that know mistakes by the numbers which they give. A translator's results have none.
SETS = [
    name
    for name in problem_set_names(COURSE)
    if any("mistakes=" in cell.source for cell in source_notebook(name, COURSE).cells)
]


def whole(wrong, expected):
    """All parts of an answer: those that a mistake leaves alone are as they should be."""
    if not isinstance(expected, tuple):
        wrong, expected = (wrong,), (expected,)
    return tuple(e if w is None else w for w, e in zip(wrong, expected, strict=True))


def compared(problem_set, source=lambda cell: cell.source):
    """Test → what it compares with, in order: pairs of what is due and message → numbers.

    ``source`` gives what of a test cell is run.
    """
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
            seen = found.setdefault(name, [])
            link = lies.Liar(solved, None)
            ours |= {n: link.name(n) for n in learners & set(solved)}

            def noted(got, expected, *args, mistakes=None, seen=seen, **kwargs):
                seen.append((expected, dict(mistakes or {})))
                return close(got, expected, *args, mistakes=mistakes, **kwargs)

            ours["close"] = noted
            by_hand()
            exec(read(name, source(cell)).body, dict(ours))
        elif cell.cell_type == "code" and cells.is_locked(cell):
            exec(cell.source, solved)
            if not cell_names.used(cell.source) & learners:
                exec(cell.source, ours)
    by_hand()
    return found


def told(message, seen, graded=True):
    """What a test says to whoever makes this mistake; nothing if all of it comes out right."""
    try:
        with deciding() if graded else contextlib.nullcontext():
            for expected, mistakes in seen:
                due = whole(expected, expected)
                got = whole(mistakes[message], expected) if message in mistakes else due
                got = tuple(map(_as_tensor, got, due))
                if isinstance(expected, tuple):
                    names = [f"Part {n}" for n in range(len(due))]
                    close(got, expected, names, mistakes=mistakes)
                else:
                    close(got[0], expected, "It", mistakes=mistakes)
    except Mistake as mistake:
        return str(mistake)
    return ""


def _as_tensor(given, expected):
    """Numbers written out, as a learner's function gives them back."""
    if isinstance(given, torch.Tensor) or not isinstance(given, list):
        return given
    like = expected.dtype if isinstance(expected, torch.Tensor) else None
    return torch.tensor(given, dtype=like)


def blamed(found, graded=True):
    """Who is told of other mistakes and not of their own, a line each."""
    lines, names = [], {m for seen in found.values() for _, ms in seen for m in ms}
    for test, seen in found.items():
        for message in dict.fromkeys(m for _, mistakes in seen for m in mistakes):
            said = told(message, seen, graded)
            if message not in said and any(name in said for name in names):
                lines.append(f"{test}: {message[:60]!r} is told {said[:60]!r}")
    return lines


@pytest.fixture
def as_graded(monkeypatch):
    torch.manual_seed(0)
    monkeypatch.setenv(SEED_VARIABLE, "1")
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.mark.parametrize("problem_set", SETS)
def test_who_is_named_is_named_with_all_that_look_the_same(problem_set, as_graded):
    with contextlib.redirect_stdout(io.StringIO()):
        found = compared(problem_set)
    assert len({m for seen in found.values() for _, ms in seen for m in ms}) > 20
    assert not (lines := blamed(found)), "\n".join(lines)


#: If more mistakes give the same numbers than are named, the test's own message comes first, which
#: is true of all of them.
OF_MANY = {"pooling--padding: 'A document without words spreads its weight over padding"}


@pytest.mark.parametrize("problem_set", SETS)
def test_what_a_learner_sees_of_the_tests_names_all_that_look_the_same(problem_set, as_graded):
    """On their own machine, where no result after a wrong one decides."""
    with contextlib.redirect_stdout(io.StringIO()):
        found = compared(problem_set, lambda cell: cells.without_hidden_tests(cell.source, ""))
    lines = [line for line in blamed(found, graded=False) if not line.startswith(tuple(OF_MANY))]
    assert not lines, "\n".join(lines)
