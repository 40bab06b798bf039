"""Collect work from nbgrader's exchange, with the times that the file system recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from nbjudge.collect import archives
from nbjudge.collect.collecting import Collected, Collecting, DownloadedWork
from nbjudge.collect.naming import Owned
from nbjudge.intake import roster, stamps
from nbjudge.wording import counted


def collect_exchange(
    exchange: Path,
    submitted: Path,
    course_id: str,
    sets: Collection[str],
    graded_files: Callable[[str], Mapping[str, Mapping[str, int]]],
    *,
    problem_set: str | None = None,
) -> Collected:
    """Collect each learner's last submission from nbgrader's exchange.

    Parameters
    ----------
    exchange:
        The exchange's root, nbgrader's ``Exchange.root``, on the machine where learners submit.
    submitted:
        The folder to put the work in; it is created if it is missing.
    course_id:
        The course's id in the exchange.
    sets:
        All of the course's problem sets.
    graded_files:
        Gives a problem set's notebooks, each with the files accepted with it.
    problem_set:
        The problem set; needed if the exchange holds several.

    Raises
    ------
    ValueError
        If there is no such exchange, or it is not clear which problem set is meant.
    """
    inbound = stamps.inbound_of(exchange, course_id)
    last: dict[str, dict[str, Path]] = {}
    for folder in sorted(inbound.iterdir()):
        parts = stamps.parts_of(folder)
        if parts is None or parts[1] not in sets or folder.is_symlink():
            continue
        student, name, _ = parts
        mine = last.setdefault(name, {})
        if student not in mine or stamps.changed(mine[student]) <= stamps.changed(folder):
            mine[student] = folder
    if problem_set is None:
        if len(last) != 1:
            raise ValueError(
                f"The exchange holds work on {', '.join(last) or 'no problem set'}: add "
                "--problem-set."
            )
        [problem_set] = last
    submitted.mkdir(parents=True, exist_ok=True)
    run = Collecting(submitted, problem_set)
    for student, folder in sorted(last.get(problem_set, {}).items()):
        learner = DownloadedWork(student)
        for entry in archives.entries(folder):
            run.take(learner, entry, Owned(student, "", entry.path))
        run.put(student, learner)
    run.finish({student: {} for student in last.get(problem_set, {})})
    graded = {problem_set: graded_files(problem_set)}
    made = stamps.write_receipts(submitted, exchange, course_id, graded)
    run.made.notes += made.notes
    run.made.notes.append(f"Written to {roster.RECEIPTS}: {counted(made.written, 'time')}.")
    return run.made
