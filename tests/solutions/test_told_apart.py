"""No wrong answer is blamed for the mistake of another.

If several return the same at all checks of a test, all of them are named.
"""

import jaxtyping
import pytest
from whole_class import COURSE, source_notebook

from coursebook.course import problem_set_names
from nbjudge.answers import load_variants, steps
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.by_hand import by_hand
from nbjudge.inside.testing.checks import deciding
from nbjudge.inside.testing.fresh import SEED_VARIABLE
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.intake import cells
from nbjudge.judge.known import Known, compiled

pytestmark = pytest.mark.case_of("problem set")

#: The sets that know mistakes by their results. A translator's results have none.
SETS = [
    name
    for name in problem_set_names(COURSE)
    if any(v.says for every in load_variants(COURSE / "solutions" / name).values() for v in every)
]


#: Answers that are told of another's mistake all the same → why.
EXCEPTIONS = {
    ("attention-matrix", "wrong-softmax-over-batch"): "a verb of the test says it, and it is true",
    ("bug", "wrong-unchanged"): "of the code's two mistakes each test names the one that it meets",
}


class InPlace(Known):
    """Lets a test judge a wrong answer in this process, as if a learner had handed it in."""

    def told(self, test, source, answer, known=None):
        """The test's message for this answer.

        With ``known`` results after the first wrong one decide, as when work is graded; without,
        the stored table counts, as on a learner's machine.
        """
        exercise = cells.exercise_of(test)
        between = self._ready(exercise, test)
        with self._restored():
            try:
                for code in (answer, *between):
                    exec(compiled(code), self._space)
                self._space["call"] = self._verbs(exercise)["call"]
                if known is None:
                    recall.runs(test)
                    exec(compiled(source), self._space)
                else:
                    with deciding(lambda passed, suspects: [known]):
                        exec(compiled(source), self._space)
            except Mistake as mistake:
                return str(mistake)
            except Exception as error:  # what the answer itself raises, or a test on its result
                return f"{type(error).__name__}: {error}"
            finally:
                by_hand()
        return ""


@pytest.fixture
def as_graded(monkeypatch):
    monkeypatch.setenv(SEED_VARIABLE, "1")
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    recall.stored.cache_clear()
    assert recall.stored_folder() == COURSE / "coursework" / "told"


def wrongly_blamed(problem_set, graded):
    """Who is told of another's mistake and not of their own, a line each; and how many were."""
    notebook = source_notebook(problem_set, COURSE)
    variants = load_variants(COURSE / "solutions" / problem_set)
    judge = InPlace(**steps(notebook, variants))
    lines, told = [], 0
    for cell in notebook.cells:
        if not cells.is_test(cell):
            continue
        test = cells.grade_id(cell)
        source = cell.source if graded else cells.without_hidden_tests(cell.source, "")
        wrong = [v for v in variants.get(cells.exercise_of(test), ()) if not v.right]
        known = judge.table(test, source) if graded else None
        every = {v.says for v in wrong if v.says}
        for variant in wrong:
            said = judge.told(test, source, variant.source, known)
            named = {says for says in every if says in said}
            told += bool(named)
            excepted = (variant.exercise, variant.name) in EXCEPTIONS
            if named and variant.says not in named and not excepted:
                lines.append(f"{test}: {variant.name} is told {sorted(named)[0][:70]!r}")
    return lines, told


@pytest.mark.parametrize("problem_set", SETS)
def test_graded_work_is_told_of_its_own_mistake(problem_set, as_graded, capsys):
    lines, told = wrongly_blamed(problem_set, graded=True)
    assert told > 20
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("problem_set", SETS)
def test_a_learner_is_told_of_their_own_mistake(problem_set, as_graded, capsys):
    lines, told = wrongly_blamed(problem_set, graded=False)
    assert told > 20
    assert not lines, "\n".join(lines)
