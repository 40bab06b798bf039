"""When work came in through nbgrader's exchange, according to the file system.

The exchange's own record is written by the learner's process: the name of the submission's folder,
``timestamp.txt`` and the files' modification times can all be forged. The time of a file's last
change of any kind (``ctime``) cannot: the kernel sets it, and an unprivileged user can only move it
to the present. The latest of these counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

from nbjudge.files import Unreadable, read_file
from nbjudge.intake import enclosures, roster
from nbjudge.intake.policy import one_spelling
from nbjudge.intake.which import printable, which

pwd: ModuleType | None
try:
    import pwd
except ImportError:  # Windows has no exchange
    pwd = None

#: How far a submission's own time may differ from the system's before it is noted.
SLACK = timedelta(minutes=2)


@dataclass
class Stamped:
    """The result of :func:`write_receipts`: receipts written, and notes on what needs a look."""

    path: Path
    written: int = 0
    notes: list[str] = field(default_factory=list)


def write_receipts(
    submitted: Path,
    exchange: Path,
    course_id: str,
    problem_sets: Mapping[str, Mapping[str, Mapping[str, int]]],
) -> Stamped:
    """Record in ``receipts.csv`` when each collected submission entered nbgrader's exchange.

    Only the submission that was collected counts: the one in the exchange that holds the same in
    all files that are graded, the earliest if there are several. Other rows of the table are kept.

    Parameters
    ----------
    submitted:
        The folder that ``nbgrader collect`` filled.
    exchange:
        The exchange's root, nbgrader's ``Exchange.root``, on the machine where learners submit: a
        copy has new times.
    course_id:
        The course's id in the exchange.
    problem_sets:
        The problem sets, each with its notebooks and the files accepted with them: see
        :func:`nbjudge.intake.sources.graded_files`.

    Raises
    ------
    ValueError
        If a folder does not exist, or the table cannot be read.
    """
    if not submitted.is_dir():
        raise ValueError(f"submitted is {str(submitted)!r}, but there is no such folder.")
    inbound = inbound_of(exchange, course_id)
    made = Stamped(submitted / roster.RECEIPTS)
    fields, rows = roster.receipt_rows(made.path)
    by_place = {
        (one_spelling(row.get("student") or ""), row.get(roster.PROBLEM_SET)): row for row in rows
    }
    absent: dict[str, list[str]] = {}
    for student in sorted(submitted.iterdir()):
        if not student.is_dir() or not student.name.isprintable():
            continue
        for problem_set, notebooks in problem_sets.items():
            graded = _graded(student, problem_set, notebooks)
            if not graded:
                continue
            when = _came_in(inbound, student.name, problem_set, graded, made.notes)
            if when is None:
                absent.setdefault(problem_set, []).append(student.name)
                continue
            row = by_place.get((one_spelling(student.name), problem_set))
            if row is None:
                row = {"student": student.name, roster.PROBLEM_SET: problem_set}
                rows.append(row)
            row["received"] = when.isoformat(timespec="seconds")
            made.written += 1
    roster.write_table(made.path, fields, rows)
    made.notes += [
        f"{problem_set}: what was collected is not in the exchange, from {', '.join(who)}."
        for problem_set, who in absent.items()
    ]
    return made


def inbound_of(exchange: Path, course_id: str) -> Path:
    """The folder to which learners submit.

    Raises
    ------
    ValueError
        If there is none.
    """
    inbound = exchange / course_id / "inbound"
    if not inbound.is_dir():
        raise ValueError(
            f"exchange is {str(exchange)!r}, but it has no {course_id}/inbound: use nbgrader's "
            "Exchange.root, and the course's id in it."
        )
    return inbound


def parts_of(folder: Path) -> tuple[str, str, str] | None:
    """The student, the problem set and the time that a submission's name claims."""
    # nbgrader splits the name from the right too: a learner's name may contain a plus sign.
    parts = folder.name.rsplit("+", 3)
    return (one_spelling(parts[0]), parts[1], parts[2]) if len(parts) >= 3 else None


def changed(folder: Path, *files: Path) -> datetime:
    """When a submission was last changed, according to the system."""
    files = files or tuple(folder.iterdir())
    latest = max(path.lstat().st_ctime for path in (folder, *files))
    return datetime.fromtimestamp(int(latest), UTC)


def _graded(
    student: Path, problem_set: str, notebooks: Mapping[str, Mapping[str, int]]
) -> dict[Path, bytes]:
    """The files that grading reads, by their path in the problem set's folder."""
    place = student / problem_set
    files: dict[Path, bytes] = {}
    for name, accepted in notebooks.items():
        others = notebooks.keys() - {name}
        try:
            path, _, _ = which(student, problem_set, name, others, {problem_set})
            if path is None or not path.is_relative_to(place):
                continue
            taken = enclosures.take(path.parent, accepted)
            graded = {path: read_file(path)[0]}
        except (Unreadable, OSError):
            continue
        graded |= {path.parent / taken.called.get(n, n): file for n, file in taken.files.items()}
        files |= {file.relative_to(place): content for file, content in graded.items()}
    return files


def _came_in(
    inbound: Path, student: str, problem_set: str, graded: dict[Path, bytes], notes: list[str]
) -> datetime | None:
    """When the collected files entered the exchange; ``None`` if they are not there."""
    times = []
    for folder in sorted(inbound.iterdir()):
        parts = parts_of(folder)
        if parts is None or parts[:2] != (one_spelling(student), problem_set):
            continue
        try:
            if all(_holds(folder / path, content) for path, content in graded.items()):
                files = [folder / path for path in graded]
                times.append((changed(folder, *files), parts[2], folder))
        except (Unreadable, OSError):
            continue
    if not times:
        return None
    when, text, folder = min(times)
    if (owner := _owner(folder)) not in (student, ""):
        notes.append(f"{student}: the submission of {problem_set} belongs to the account {owner}.")
    try:
        claimed = datetime.fromisoformat(" ".join(text.split(" ")[:2])).replace(tzinfo=UTC)
    except ValueError:
        claimed = None
    if claimed is None or abs(claimed - when) > SLACK:
        notes.append(
            f"{student}: {problem_set} claims to have come in at {printable(text)}, but the system "
            f"says {when:%Y-%m-%d %H:%M:%S} UTC, which counts."
        )
    return when


def _holds(path: Path, content: bytes) -> bool:
    return read_file(path, len(content))[0] == content


def _owner(path: Path) -> str:
    """The account that owns a folder; empty if unknown."""
    try:
        return pwd.getpwuid(path.stat().st_uid).pw_name if pwd else ""
    except (KeyError, OSError):
        return ""
