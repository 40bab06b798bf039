"""Show which answers of a class resemble each other: a page for the instructor, and a table.

It is shown and never judged: no mark depends on it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbjudge import course as course_tree
from nbjudge.files import write_whole
from nbjudge.intake.sources import notebooks_in, source_folder
from nbjudge.likeness import sources
from nbjudge.likeness.compare import (
    LEAST_WEIGHT,
    Alike,
    AnswerPair,
    Base,
    Compared,
    ComparedAnswer,
    compare,
    segments,
)
from nbjudge.report.pages import page
from nbjudge.store.folder import GradingFolder
from nbjudge.store.results import as_cell

#: The page shows at most this many pairs of an exercise, and of answers like the course's own.
MOST_PAIRS, MOST_OWN = 20, 15

#: An answer is listed as the course's own if at least the first share of it is found there; beside
#: another answer, this is shown from the second on. Less is found by chance.
MUCH, SOME = 0.75, 0.25

#: With fewer pairs than this, nothing can be said about what is usual.
MANY_PAIRS = 100

#: The columns of the table.
COLUMNS = (
    *("exercise", "learner", "other", "weight", "alike in form", "alike as written"),
    *("learner like the course's own", "found in", "other like the course's own"),
)


@dataclass
class Likeness:
    """What the answers of a class have in common, by exercise."""

    problem_set: str
    exercises: dict[str, Compared]
    base: Base
    earlier: list[str]

    @property
    def learners(self) -> int:
        """The number of learners in the class who answered anything."""
        students = (one.student for every in self.exercises.values() for one in every.answers)
        return len(set(students))

    @property
    def totals(self) -> list[tuple[str, str, float, list[str]]]:
        """Pairs of learners with the total weight of their answers, the heaviest first.

        The exercises that each pair is listed with are those in which they have much in common.
        """
        weights: dict[tuple[str, str], dict[str, float]] = {}
        for exercise, compared in self.exercises.items():
            for pair in compared.pairs:
                names = (pair.one.name, pair.other.name)
                weights.setdefault(names, {})[exercise] = pair.weight
        rows = [
            (
                *names,
                sum(each.values()),
                [n for n in sorted(each, key=lambda n: -each[n]) if each[n] >= LEAST_WEIGHT],
            )
            for names, each in weights.items()
        ]
        return sorted((row for row in rows if row[3]), key=lambda row: -row[2])


def likeness(
    problem_set: str,
    into: Path,
    earlier: Sequence[Path] = (),
    *,
    course: Path | None = None,
) -> Likeness:
    """Compare the answers of a graded class. Nothing is run, and no mark changes.

    Parameters
    ----------
    problem_set:
        Its name.
    into:
        The folder with the results of grading.
    earlier:
        Earlier cohorts: folders of submissions or of graded work, or files of fingerprints.
    course:
        The course's folder; searched for by default.

    Raises
    ------
    ValueError
        If the problem set was not graded there, or an earlier cohort holds nothing of it.
    """
    course = (course or course_tree.root()).resolve()
    notebooks = notebooks_in(source_folder(problem_set, course))
    folders = [GradingFolder(into, course, problem_set, notebook=name) for name in notebooks]
    if not (into / "ledger.db").is_file() or not (into / "release" / problem_set).is_dir():
        raise ValueError(f"into is {str(into)!r}, but {problem_set} has not been graded there.")
    before = [sources.earlier(path, folders) for path in dict.fromkeys(earlier)]
    answers = sources.of_class(folders)
    sources.keep(answers, problem_set, into)
    every = {
        exercise: [*own, *(one for cohort in before for one in cohort.get(exercise, ()))]
        for exercise, own in answers.items()
    }
    base = sources.base_of(folders, every)
    compared = {exercise: compare(each, base) for exercise, each in every.items()}
    order = [*sources.exercises(folders), sources.ADDED]
    return Likeness(
        problem_set,
        {exercise: compared[exercise] for exercise in order if exercise in compared},
        base,
        [str(path) for path in dict.fromkeys(earlier)],
    )


def write_likeness(result: Likeness, into: Path) -> tuple[Path, Path]:
    """Write ``likeness/PS.html`` and ``likeness/PS.csv``; returns their paths."""
    folder = into / sources.FOLDER
    shown, table = folder / f"{result.problem_set}.html", folder / f"{result.problem_set}.csv"
    write_whole(shown, as_page(result))
    write_whole(table, as_table(result))
    return shown, table


def as_page(result: Likeness) -> str:
    """The page as HTML."""
    exercises = [
        _exercise(name, compared, result.base) for name, compared in result.exercises.items()
    ]
    return page(
        "likeness.html.j2",
        likeness=result,
        totals=result.totals[:MOST_PAIRS],
        more=max(0, len(result.totals) - MOST_PAIRS),
        exercises=exercises,
    )


def as_table(result: Likeness) -> str:
    """Every pair with anything rare in common, as CSV."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for exercise, compared in result.exercises.items():
        for pair in compared.pairs:
            own, others = compared.own[pair.one], compared.own.get(pair.other, Alike())
            numbers = (pair.alike.form, pair.alike.as_written, own.form)
            row = [exercise, pair.one.name, pair.other.name, f"{pair.weight:.1f}"]
            row += ["" if share is None else f"{share:.2f}" for share in numbers]
            row += [own.source, "" if pair.other.cohort else f"{others.form:.2f}"]
            table.writerow([as_cell(cell) for cell in row])
    return text.getvalue()


def _exercise(name: str, compared: Compared, base: Base) -> dict[str, Any]:
    heavy = [pair for pair in compared.pairs if pair.weight >= LEAST_WEIGHT]
    own = [one for one in compared.answers if compared.own[one].form >= MUCH]
    own.sort(key=lambda one: (-(compared.own[one].as_written or 0), -compared.own[one].form))
    return {
        "name": name,
        "compared": compared,
        "usual": _usual(compared),
        "pairs": [_shown(pair, compared, base) for pair in heavy[:MOST_PAIRS]],
        "more": max(0, len(heavy) - MOST_PAIRS),
        "own": [(one, compared.own[one], _marked(one, set(), compared, base)) for one in own][
            :MOST_OWN
        ],
        "more_own": max(0, len(own) - MOST_OWN),
    }


def _usual(compared: Compared) -> float | None:
    """The weight that 95 of 100 pairs do not exceed; ``None`` if there are too few pairs."""
    if compared.compared < MANY_PAIRS:
        return None
    place = compared.compared // 20
    return compared.pairs[place].weight if place < len(compared.pairs) else 0.0


def _shown(pair: AnswerPair, compared: Compared, base: Base) -> dict[str, Any]:
    shared = pair.one.every_mark & pair.other.every_mark & compared.rare.keys()
    sides = [
        (answer, _own(answer, compared), _marked(answer, shared, compared, base))
        for answer in (pair.one, pair.other)
    ]
    return {"pair": pair, "sides": sides}


def _own(answer: ComparedAnswer, compared: Compared) -> Alike | None:
    """How an answer resembles the course's own code; ``None`` if not enough to be shown."""
    own = compared.own.get(answer)
    return own if own and own.form >= SOME else None


def _marked(
    answer: ComparedAnswer, shared: set[int], compared: Compared, base: Base
) -> list[tuple[str, int]]:
    """The answer in pieces: 0 for what is shared, 1 for the course's own, -1 for the rest."""
    own = _own(answer, compared)
    known = {m for m in answer.every_mark if own and base.is_in(m, own.source)}
    return segments(answer, shared, known)
