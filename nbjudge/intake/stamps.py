"""When work came in through nbgrader's exchange, according to the file system.

The exchange's own record is written by the learner's process: the name of the submission's folder,
``timestamp.txt`` and the files' modification times can all be forged. The time of a file's last
change of any kind (``ctime``) cannot: the kernel sets it, and an unprivileged user can only move it
to the present. The latest of these counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

from nbjudge.files import Unreadable, read_file
from nbjudge.intake import roster
from nbjudge.intake.policy import one_spelling
from nbjudge.intake.which import printable

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
    submitted: Path, exchange: Path, course_id: str, problem_sets: Mapping[str, Collection[str]]
) -> Stamped:
    """Record in ``receipts.csv`` when each collected submission entered nbgrader's exchange.

    Only the submission that was collected counts: the one in the exchange with the same notebooks,
    the earliest if there are several. Other rows of the table are kept.

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
        All of the course's problem sets, each with the names of its notebooks.

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
    for student in sorted(submitted.iterdir()):
        if not student.is_dir() or not student.name.isprintable():
            continue
        for problem_set, names in problem_sets.items():
            paths = [student / problem_set / f"{name}.ipynb" for name in names]
            notebooks = [path for path in paths if path.is_file()]
            if not notebooks:
                continue
            found = _came_in(inbound, student.name, problem_set, notebooks, made.notes)
            if found is None:
                continue
            row = by_place.get((one_spelling(student.name), problem_set))
            if row is None:
                row = {"student": student.name, roster.PROBLEM_SET: problem_set}
                rows.append(row)
            row["received"] = found.isoformat(timespec="seconds")
            made.written += 1
    roster.write_table(made.path, fields, rows)
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
            "Exchange.root."
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


def _came_in(
    inbound: Path, student: str, problem_set: str, notebooks: list[Path], notes: list[str]
) -> datetime | None:
    """When the collected notebooks entered the exchange; ``None`` if they are not there."""
    try:
        collected = [_digest(path) for path in notebooks]
    except Unreadable:
        return None
    found = []
    for folder in sorted(inbound.iterdir()):
        parts = parts_of(folder)
        if parts is None or parts[:2] != (one_spelling(student), problem_set):
            continue
        try:
            files = [folder / path.name for path in notebooks]
            if [_digest(file) for file in files] == collected:
                found.append((changed(folder, *files), parts[2], folder))
        except (Unreadable, OSError):
            continue
    if not found:
        notes.append(f"{student}: what was collected for {problem_set} is not in the exchange.")
        return None
    when, said, folder = min(found)
    if (owner := _owner(folder)) not in (student, ""):
        notes.append(f"{student}: the submission of {problem_set} belongs to the account {owner}.")
    try:
        claimed = datetime.fromisoformat(" ".join(said.split(" ")[:2])).replace(tzinfo=UTC)
    except ValueError:
        claimed = None
    if claimed is None or abs(claimed - when) > SLACK:
        notes.append(
            f"{student}: {problem_set} claims to have come in at {printable(said)}, but the system "
            f"says {when:%Y-%m-%d %H:%M:%S} UTC, which counts."
        )
    return when


def _digest(path: Path) -> str:
    return hashlib.sha256(read_file(path)[0]).hexdigest()


def _owner(path: Path) -> str:
    """The account that owns a folder; empty if unknown."""
    try:
        return pwd.getpwuid(path.stat().st_uid).pw_name if pwd else ""
    except (KeyError, OSError):
        return ""
