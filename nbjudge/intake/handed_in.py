"""What a class handed in on a problem set: the students, the rules for them, and their work."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbjudge.course import problem_set_names
from nbjudge.intake import find, policy, roster
from nbjudge.intake.find import Submission


@dataclass(frozen=True)
class HandedIn:
    """A class and its work on a problem set, as found in the folder ``submitted``.

    ``students`` are sorted, and ``folders`` says where each one's work is or would be. ``flags``
    are for students who are not as expected, ``received`` and ``late`` what the receipts say, and
    ``sets`` all problem sets of the course. ``notes`` are warnings about the class as a whole.
    """

    problem_set: str
    students: list[str]
    folders: dict[str, Path]
    flags: dict[str, str]
    rules: policy.Rules
    received: dict[str, datetime]
    late: dict[str, bool]
    sets: list[str]
    notes: list[str]

    @classmethod
    def read(cls, submitted: Path, problem_set: str, course: Path) -> HandedIn:
        """Read the tables in ``submitted``, and find the students' folders.

        Raises
        ------
        ValueError
            If there is no student, or a table is invalid.
        """
        students, flags = roster.class_of(submitted)
        sets = problem_set_names(course)
        rules = policy.read_rules(submitted, problem_set, sets, students)
        received = roster.receipts(submitted, problem_set, sets, rules.zone)
        late = roster.called_late(submitted, problem_set)
        notes = [*rules.notes, *roster.unknown(received, students)]
        there = roster.folders_of(submitted)
        folders = {student: there.get(student, submitted / student) for student in students}
        return cls(problem_set, students, folders, flags, rules, received, late, sets, notes)

    def named_by(self, option: str, names: Collection[str]) -> list[str]:
        """The students that an option names, as their names are stored.

        Raises
        ------
        ValueError
            If there is no such student.
        """
        students = [policy.one_spelling(name) for name in names]
        if unknown := sorted(set(students) - set(self.students)):
            raise ValueError(f"{option} names {unknown[0]!r}, but there is no such student.")
        return students

    def submission(
        self,
        student: str,
        notebook: str,
        others: Collection[str],
        enclosed: dict[str, int],
        given: dict[str, bytes],
    ) -> Submission:
        """Read a student's submission; the parameters are as in :func:`find.take_in`."""
        submission = find.take_in(
            self.folders[student],
            self.problem_set,
            self.received.get(student),
            enclosed,
            notebook=notebook,
            others=others,
            sets=self.sets,
            given=given,
        )
        submission.late = self.late.get(student)
        if student in self.flags:
            submission.flags.insert(0, self.flags[student])
        return submission
