"""Put a class's work where grading looks for it: ``submitted/STUDENT/PS/``.

Learners' files keep their names; :mod:`nbjudge.intake.which` finds the notebook among them.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nbjudge.collect import archives, naming, tables
from nbjudge.collect.archives import MAX_FILES, MAX_LEARNER, ArchivedFile
from nbjudge.collect.naming import PLATFORMS, Owned
from nbjudge.collect.tables import Person, Roster
from nbjudge.files import Unreadable, read_file, write_whole
from nbjudge.intake import roster
from nbjudge.intake.which import alike, is_junk, is_named, printable, stem_of
from nbjudge.wording import counted

#: Where work is moved that a later download replaces, and where new work is put together.
EARLIER, NEW = ".earlier", ".collecting"

#: Number of folders that a file keeps around it.
_DEPTH = 3

#: What is added to a file's name for the note that takes its place, and how many are written.
NOT_TAKEN, _MOST_NOTES = " (not taken).txt", 20


@dataclass
class Collected:
    """What was collected, and what was not.

    ``renewed`` names learners whose earlier work was moved to ``.earlier``; ``left`` holds each
    file that was not taken, whose it was if that is known, and why.
    """

    problem_set: str
    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    left: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def summary(self, submitted: Path) -> list[str]:
        """How many came in, and whose earlier work was moved: a line each."""
        lines = [
            f"{self.problem_set}: {counted(len(self.new), 'learner')} collected, "
            f"{len(self.renewed)} handed in again, {len(self.unchanged)} unchanged, in {submitted}"
        ]
        if self.renewed:
            again, earlier = ", ".join(self.renewed), submitted / EARLIER
            lines.append(f"Handed in again (the earlier work is in {earlier}): {again}")
        return lines

    def to_look_at(self) -> list[str]:
        """The files that were not taken, and the notes: a line each."""
        left = [
            f"not taken: {path}{f', of {whose}' if whose else ''}: {why}"
            for path, whose, why in self.left
        ]
        return [*left, *self.notes]


@dataclass
class DownloadedWork:
    """One learner's files in a download.

    ``refused`` says why other files were not taken; ``aside`` holds what is worth a word only if
    there is nothing else: texts typed into the platform and hidden files.
    """

    name: str
    files: dict[PurePosixPath, bytes] = field(default_factory=dict)
    refused: dict[PurePosixPath, str] = field(default_factory=dict)
    aside: dict[PurePosixPath, str] = field(default_factory=dict)
    late: bool | None = None
    received: str = ""


class Collecting:
    """One run of collecting.

    Parameters
    ----------
    submitted:
        The folder for the work, the roster and the receipts.
    problem_set:
        The problem set that the work belongs to.
    platform:
        ``"canvas"`` or ``"moodle"``; empty if learners have no numbers.
    """

    def __init__(self, submitted: Path, problem_set: str, platform: str = ""):
        self.submitted, self.problem_set, self.platform = submitted, problem_set, platform
        self.roster = Roster.read(submitted, platform)
        self.receipts = submitted / roster.RECEIPTS
        self.columns, self.rows = roster.receipt_rows(self.receipts)
        self.made = Collected(problem_set)

    # -- reading ---------------------------------------------------------------------------------

    def download(self, source: Path, gradebook: Path | None) -> Collected:
        """Collect a platform's download of all submissions."""
        people = tables.read_gradebook(self.platform, gradebook) if gradebook else {}
        learners: dict[str, DownloadedWork] = {}
        for entry in archives.entries(source):
            owned = naming.owned(self.platform, entry.path)
            if owned is None:
                why = f"not named as {self.platform.capitalize()} names files: whose is it?"
                self.leave(entry.path, "", "" if _is_junk(entry.path) else why)
                continue
            learner = learners.setdefault(owned.number, DownloadedWork(owned.name))
            learner.late = learner.late or owned.late
            self.take(learner, entry, owned)
        if not learners:
            raise ValueError(
                f"{source} has no file named as in {self.platform.capitalize()}'s download of all "
                "submissions: use the zip exactly as you downloaded it."
            )
        self.settle(learners, people)
        return self.made

    def folder(self, source: Path) -> Collected:
        """Collect a folder that holds a folder or a file for each learner."""
        learners: dict[str, DownloadedWork] = {}
        for entry in archives.entries(source):
            name, path = self.owner(entry.path)
            if not name:
                why = "its name does not say whose it is"
                self.leave(entry.path, "", "" if _is_junk(entry.path) else why)
                continue
            learner = learners.setdefault(tables.as_folder(name), DownloadedWork(name))
            self.take(learner, entry, Owned(name, "", path))
        for student, learner in sorted(learners.items()):
            self.put(student, learner)
        self.finish({student: {} for student in learners})
        return self.made

    def owner(self, path: PurePosixPath) -> tuple[str, PurePosixPath]:
        """The learner whose file it is, and the file's own path; no name if it is not known."""
        first, *rest = path.parts
        if _is_junk(path):
            return "", path
        if rest:
            return first, PurePosixPath(*rest)
        stem = stem_of(first) or path.stem
        for gap in re.finditer(r"[_\- ]+", stem):
            before, after = stem[: gap.start()], stem[gap.end() :]
            if is_named(after, self.problem_set):
                return before, path
            if is_named(before, self.problem_set) and not is_named(stem, self.problem_set):
                return after, path
        return ("" if is_named(stem, self.problem_set) else stem), path

    def take(self, learner: DownloadedWork, entry: ArchivedFile, owned: Owned) -> None:
        """Take one file of a learner, or what is in it if it is a zip."""
        if _is_junk(owned.path):
            learner.aside[owned.path] = "is a hidden file, such as an editor writes"
            return
        if owned.typed:
            learner.aside[owned.path] = why = "was typed into the platform, not handed in as a file"
            self.leave(entry.path, learner.name, why)
            return
        try:
            if entry.problem:
                raise Unreadable(entry.problem)
            content = entry.read()
            if owned.path.suffix.lower() == ".zip" and self.unpack(learner, owned, content):
                return
            self.keep(learner, owned.path, content, owned.file)
        except Unreadable as error:
            learner.refused[owned.path] = str(error)
            self.leave(entry.path, learner.name, str(error))

    def unpack(self, learner: DownloadedWork, owned: Owned, content: bytes) -> bool:
        """Take what is in a learner's zip; returns whether anything was."""
        taken = False
        try:
            for entry in archives.unpacked(content):
                if _is_junk(entry.path):
                    continue
                try:
                    if entry.problem:
                        raise Unreadable(entry.problem)
                    self.keep(learner, entry.path, entry.read(), owned.file)
                    taken = True
                except Unreadable as error:
                    learner.refused[entry.path] = str(error)
                    self.leave(owned.path / entry.path, learner.name, str(error))
        except Unreadable:
            pass  # it is kept as the file that it is
        return taken

    def keep(
        self, learner: DownloadedWork, path: PurePosixPath, content: bytes, number: str
    ) -> None:
        """Keep a file under a name that no other of the learner's files has."""
        if len(learner.files) >= MAX_FILES:
            raise Unreadable(f"is one of more than {MAX_FILES} files")
        if sum(map(len, learner.files.values())) + len(content) > MAX_LEARNER:
            raise Unreadable(f"is beyond {MAX_LEARNER >> 20} MiB of files")
        parts = [_safe(part) for part in path.parts]
        if len(parts) > 1 and alike(parts[0]) == alike(self.problem_set):
            parts = parts[1:]
        path, count = PurePosixPath(*parts[-_DEPTH:]), 1
        named = {str(one).casefold(): text for one, text in learner.files.items()}
        while (there := named.get(str(path).casefold())) is not None:
            if there == content:
                return
            stem = stem_of(parts[-1]) or PurePosixPath(parts[-1]).stem
            again = number if count == 1 and number else str(count)
            path = path.with_name(f"{stem} ({again}){parts[-1][len(stem) :]}")
            count += 1
        learner.files[path] = content

    def leave(self, path: PurePosixPath, whose: str, why: str) -> None:
        """Record a file that is not taken; junk has no reason and is not worth a line."""
        if why:
            self.made.left.append((printable(str(path)), printable(whose), why))

    # -- writing ---------------------------------------------------------------------------------

    def settle(self, learners: dict[str, DownloadedWork], people: dict[str, Person]) -> None:
        """Give each learner of a platform a folder, and write everything."""
        called = {n: tables.name_in_files(self.platform, person) for n, person in people.items()}
        called |= {number: learner.name for number, learner in learners.items()}
        names = tables.names_for(self.roster.names(), called)
        for number, learner in learners.items():
            person = people.get(number)
            if people and person is None:
                self.made.notes.append(f"{names[number]} ({number}) is not in the gradebook.")
            if person and person.unreadable:
                self.made.notes.append(
                    f"{names[number]}: the time {person.unreadable!r} cannot be read; write it "
                    f"into {roster.RECEIPTS}."
                )
            learner.received = person.received if person else ""
            self.put(names[number], learner)
        column = tables.COLUMNS[self.platform][0]
        self.finish(
            {
                name: {column: number, **(people[number].row if number in people else {})}
                for number, name in names.items()
            }
        )

    def put(self, student: str, learner: DownloadedWork) -> None:
        """Put a learner's files in place; earlier work that differs is moved away, not lost.

        A note takes the place of each file that was not taken, so that grading knows of it.
        """
        refused = learner.refused if learner.files else learner.aside | learner.refused
        learner.files = _notes(refused) | learner.files
        if not learner.files:
            return
        place = self.submitted / student / self.problem_set
        before = _digests(place)
        after = {str(p): hashlib.sha256(text).hexdigest() for p, text in learner.files.items()}
        if before == after:
            self.made.unchanged.append(student)
            self.receive(student, learner, renewed=False)
            return
        new = self.submitted / NEW / student
        shutil.rmtree(new, ignore_errors=True)
        for path, content in learner.files.items():
            write_whole(new / path, content)
        if before:
            aside = self.submitted / EARLIER / student
            aside.mkdir(parents=True, exist_ok=True)
            number = 1 + len(list(aside.glob(f"{self.problem_set}-*")))
            place.rename(aside / f"{self.problem_set}-{number}")
            self.made.renewed.append(student)
        else:
            shutil.rmtree(place, ignore_errors=True)  # empty
            self.made.new.append(student)
        place.parent.mkdir(parents=True, exist_ok=True)
        new.rename(place)
        self.receive(student, learner, renewed=bool(before))

    def receive(self, student: str, learner: DownloadedWork, renewed: bool) -> None:
        """Record in the receipts when work came in, or that the platform calls it late."""
        key = {"student": student, roster.PROBLEM_SET: self.problem_set}
        row = next((row for row in self.rows if key.items() <= row.items()), None)
        late = {True: "yes", False: "no", None: ""}[learner.late]
        if row is None:
            if not (learner.received or late):
                return
            self.rows.append(row := dict(key))
        elif renewed and row.get("received") and not learner.received:
            self.made.notes.append(
                f"{student} handed in again: the time {row['received']} in {roster.RECEIPTS} was "
                "of the earlier work and is removed."
            )
        if renewed or learner.received:
            row["received"] = learner.received
        if late:
            self.columns += [roster.LATE] * (roster.LATE not in self.columns)
            row[roster.LATE] = late

    def finish(self, values: dict[str, dict[str, str]]) -> None:
        """Write the roster and the receipts, and remove what is no longer needed."""
        for student, known in sorted(values.items()):
            self.roster.add(student, known)
        self.roster.write()
        if self.rows:
            roster.write_table(self.receipts, self.columns, self.rows)
        shutil.rmtree(self.submitted / NEW, ignore_errors=True)


def _is_junk(path: PurePosixPath) -> bool:
    return any(is_junk(part) for part in path.parts)


def _notes(refused: dict[PurePosixPath, str]) -> dict[PurePosixPath, bytes]:
    """A file for each that was not taken, named after it, which says why."""
    notes = {}
    for path, why in list(refused.items())[:_MOST_NOTES]:
        name = _safe(path.name.lstrip(".~$"))[:100] or "file"  # a hidden file would not be seen
        notes[PurePosixPath(name + NOT_TAKEN)] = f"{printable(str(path))}: {why}\n".encode()
    return notes


def _safe(part: str) -> str:
    """A part of a learner's path that any system can write."""
    return re.sub(r'[\\:*?"<>|�]', "_", printable(part))[:150]


def _digests(folder: Path) -> dict[str, str]:
    """The digest of each file below a folder, as it would be collected."""
    digests = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        inner = path.relative_to(folder)
        if path.is_dir() or is_junk(path.name):
            continue
        try:
            digests[inner.as_posix()] = hashlib.sha256(read_file(path, MAX_LEARNER)[0]).hexdigest()
        except Unreadable:
            digests[inner.as_posix()] = ""
    return digests


def which_set(paths: Iterable[PurePosixPath], sets: Collection[str]) -> str:
    """The problem set that the files of a download are named after.

    Raises
    ------
    ValueError
        If the names do not say.
    """
    if len(sets) == 1:
        return next(iter(sets))
    text = [alike(str(path)) for path in paths]
    count = Counter({name: sum(alike(name) in one for one in text) for name in sets})
    likeliest, times = max(count.items(), key=lambda item: item[1], default=("", 0))
    if not times:
        raise ValueError(
            "The names of the files do not say which problem set this is: add --problem-set with "
            f"one of: {', '.join(sets)}."
        )
    return likeliest


def collect(
    kind: str,
    source: Path,
    submitted: Path,
    sets: Collection[str],
    *,
    problem_set: str | None = None,
    gradebook: Path | None = None,
) -> Collected:
    """Collect a class's work from a download or a folder.

    Parameters
    ----------
    kind:
        ``"canvas"``, ``"moodle"`` or ``"folder"``.
    source:
        The zip that the platform gave, or a folder.
    submitted:
        The folder to put the work in; it is created if it is missing.
    sets:
        All of the course's problem sets.
    problem_set:
        The problem set; by default the one that most files are named after.
    gradebook:
        The platform's own table of learners, for the roster.

    Raises
    ------
    ValueError
        If the source is no such download, or an argument names something that does not exist.
    """
    if problem_set is None:
        problem_set = which_set((entry.path for entry in archives.entries(source)), sets)
    elif problem_set not in sets:
        raise ValueError(f"problem_set is {problem_set!r}, but must be one of: {', '.join(sets)}.")
    submitted.mkdir(parents=True, exist_ok=True)
    if kind in PLATFORMS:
        return Collecting(submitted, problem_set, kind).download(source, gradebook)
    if not source.is_dir():
        raise ValueError(f"{source} is not a folder that holds a folder or a file per learner.")
    return Collecting(submitted, problem_set).folder(source)
