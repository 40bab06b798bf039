"""Return feedback pages through nbgrader's exchange, or in a zip for Canvas or Moodle."""

from __future__ import annotations

import hashlib
import re
import secrets
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import nbformat
from nbformat.v4 import new_markdown_cell

from nbjudge.collect import archives, naming
from nbjudge.collect.tables import COLUMNS
from nbjudge.files import Unreadable, write_whole
from nbjudge.intake import find
from nbjudge.intake.which import ENDINGS, SECRET, TIMESTAMP, alike, is_junk, stem_of
from nbjudge.report.exports import check_kind
from nbjudge.report.feedback import NOT_FINAL, Redact
from nbjudge.report.outputs import harmless_markdown
from nbjudge.store.folder import GradingFolder
from nbjudge.store.results import Report, StudentResult
from nbjudge.wording import number

#: Format of a submission's secret. nbgrader's are 128 hexadecimal digits.
_SECRET = re.compile(r"[0-9A-Za-z_=+/-]{16,512}")

# -- by nbgrader's exchange ------------------------------------------------------------------------


def keep_for_exchange(folder: GradingFolder, student: str, submission: Path, received: str) -> None:
    """Write what ``nbgrader release_feedback`` needs next to the page.

    That is the submission's time and its secret, by which only the learner who handed it in finds
    the page.

    Work that did not come through the exchange gets a secret that nobody knows: the exchange would
    stop at the first page without one, and return none at all.
    """
    secret = _text(submission / SECRET).strip()
    if not _SECRET.fullmatch(secret):
        kept = _text(folder.path("feedback", student) / SECRET).strip()
        secret = kept if _SECRET.fullmatch(kept) else secrets.token_hex(64)
    stamp = _text(submission / TIMESTAMP).strip() or received
    try:
        # Parse only the exchange's own format: lenient parsers can be made to fail in any way.
        when = datetime.fromisoformat(stamp.replace(" UTC", "+00:00"))
        stamp = f"{when if when.tzinfo is None else when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError):
        stamp = received
    for step in ("feedback", "autograded"):
        place = folder.path(step, student)
        for file, text in ((TIMESTAMP, stamp), (SECRET, secret)):
            # Write even an empty file: nbgrader opens it.
            if place.is_dir() and not ((place / file).is_file() and _text(place / file) == text):
                write_whole(place / file, text)


def _text(path: Path) -> str:
    """A small file's text; empty if it is missing or unreadable."""
    try:
        return find.read_file(path)[0][:1024].decode("ascii")
    except (Unreadable, UnicodeDecodeError):
        return ""


# -- in a zip --------------------------------------------------------------------------------------


@dataclass
class Returned:
    """A zip of feedback: its path, the students in it, and those left out and why."""

    path: Path
    students: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    provisional: list[str] = field(default_factory=list)


def write_zip(
    kind: str,
    download: Path,
    report: Report,
    people: dict[str, dict[str, str]],
    folder: GradingFolder,
    provisional: bool = False,
) -> Returned:
    """Write ``PS-feedback-canvas.zip`` or ``PS-feedback-moodle.zip`` to the folder of results.

    Both platforms identify a file's owner by its name, and only they know these names. So they are
    taken from the zip of downloaded submissions.

    Parameters
    ----------
    kind:
        ``"canvas"`` or ``"moodle"``.
    download:
        The zip of submissions as downloaded from the platform.
    report:
        The class's report.
    people:
        Each student's row of ``roster.csv``, by column.
    folder:
        The folder of results.
    provisional:
        Whether to include pages of work that awaits manual marking.

    Raises
    ------
    ValueError
        If ``kind`` is neither, or the download is not a zip from this platform.
    """
    check_kind(kind)
    entries = _entries(kind, download)
    made = Returned(folder.into / f"{report.problem_set}-feedback-{kind}.zip")
    temporary = made.path.with_suffix(".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as pages:
        owners = _owners(kind, entries, report, people)
        for name, student in report.students.items():
            if not student.digest:
                continue  # nothing was handed in
            if name not in owners:
                made.absent.append(name)
            elif report.is_provisional(name) and not provisional:
                made.provisional.append(name)
            else:
                for place, content in _files(kind, owners[name], student, name, folder):
                    pages.writestr(place, content)
                made.students.append(name)
    temporary.replace(made.path)
    return made


@dataclass
class _Entry:
    """A notebook in a download: its path, the name and number in the path, and its digest."""

    path: PurePosixPath
    name: str
    number: str
    digest: str


def _entries(kind: str, download: Path) -> list[_Entry]:
    entries = []
    for entry in archives.entries(download):
        owned = naming.owned(kind, entry.path)
        if owned is None or owned.typed or any(is_junk(part) for part in entry.path.parts):
            continue
        if stem_of(entry.path.name, ENDINGS) is None:
            continue
        try:
            digest = "" if entry.problem else hashlib.sha256(entry.read()).hexdigest()
        except Unreadable:
            digest = ""
        entries.append(_Entry(entry.path, owned.name, owned.number, digest))
    if not entries:
        raise ValueError(
            f"{download} has no notebook named as in {kind.capitalize()}'s download of all "
            "submissions: use that zip exactly as you downloaded it."
        )
    return entries


def _owners(
    kind: str, entries: list[_Entry], report: Report, people: dict[str, dict[str, str]]
) -> dict[str, _Entry]:
    """The entry that belongs to each student.

    It is found by the roster's columns, by the name of the student's folder, or because exactly
    this file was graded and nobody else's is identical.
    """
    owned: dict[str, _Entry] = {}
    digests: dict[str, list[str]] = {}
    for name, student in report.students.items():
        digests.setdefault(student.digest, []).append(name)
    same = {digest: [e for e in entries if e.digest == digest] for digest in digests}
    for name, student in report.students.items():
        about = people.get(name, {})
        column, called, *_ = COLUMNS[kind]
        numbers = {naming.digits(about.get(column, ""))} - {""}
        names = {alike(about.get(called, "")), alike(name)} - {""}
        by_number = [entry for entry in entries if entry.number in numbers]
        for fitting in (by_number, [entry for entry in entries if alike(entry.name) in names]):
            # Names on the platform can be changed, so exclude what someone else handed in.
            mine = [
                entry
                for entry in fitting
                if entry.digest == student.digest or entry.digest not in digests
            ]
            if len({entry.number for entry in mine}) == 1:
                # If there are several files, take the one that was graded.
                exact = [entry for entry in mine if entry.digest == student.digest]
                owned[name] = (exact or mine)[-1]
                break
        else:
            alone = len(digests[student.digest]) == 1 and len(same[student.digest]) == 1
            if student.digest and alone:
                owned[name] = same[student.digest][0]
    return owned


def _files(
    kind: str, entry: _Entry, student: StudentResult, name: str, folder: GradingFolder
) -> Iterator[tuple[str, bytes]]:
    if kind == "moodle":
        for page in sorted(folder.path("feedback", name).glob("*.html")):
            place = f"{entry.name}_{entry.number}_assignsubmission_file/{page.name}"
            yield place, page.read_bytes()
    else:
        # Canvas expects feedback under the name of the file that was handed in.
        yield entry.path.name, notebook(student, name, folder).encode()


def notebook(student: StudentResult, name: str, folder: GradingFolder) -> str:
    """The feedback as a notebook: each test's message, then the learner's work as executed."""
    path = folder.notebook("autograded", name)
    if path.is_file():
        redacted, _ = Redact().preprocess(nbformat.read(path, as_version=4), {})
    else:
        redacted = nbformat.v4.new_notebook()
    redacted.cells.insert(0, new_markdown_cell(harmless_markdown(_summary(student, folder))))
    for count, cell in enumerate(redacted.cells):
        cell.id, cell.metadata = f"cell-{count}", nbformat.NotebookNode()
    return nbformat.v4.writes(redacted)


def _summary(student: StudentResult, folder: GradingFolder) -> str:
    marked = student.max_score - student.waiting
    lines = [f"# {folder.problem_set}: {number(student.score)} of {number(marked)} points", ""]
    if student.waiting:
        lines += [f"{number(student.waiting)} more points await marking.", ""]
    if student.held:
        lines += [f"{NOT_FINAL}", ""]
    lines += [f"- {_cell(text)}" for text in student.told]
    lines += ["", "| test | points | message |", "|---|---|---|"]
    for test, result in student.tests.items():
        points = f"{number(result.score)} of {number(result.max_score)}"
        lines.append(f"| {test} | {points} | {_cell(result.message)} |")
    for test, comment in student.comments.items():
        lines += ["", f"**Comment on {test}:** {comment}"]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
