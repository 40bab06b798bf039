"""Back up a folder of graded work, with its gradebook and ledger, and restore it.

An archive is a zip: ``manifest.json``, which names the format and the SHA-256 of each file, the
folder's files under ``graded/``, and the learners' work as handed in under ``submitted/`` if that
was asked for. Databases are copied by SQLite's own backup, so that a grading may be running.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout

from nbjudge.run.workers import WORKERS
from nbjudge.store import ledger
from nbjudge.store.digests import versions
from nbjudge.store.ledger import FAILED, Ledger

#: The format of an archive. One that is older is read.
VERSION = 1

MANIFEST = "manifest.json"

#: The folders in an archive: of graded work, and of the learners' work as handed in.
GRADED, SUBMITTED = "graded", "submitted"

LEDGER, GRADEBOOK = "ledger.db", "gradebook.db"

_CHUNK = 1 << 20


@dataclass
class Kept:
    """What was backed up or restored.

    Attributes
    ----------
    path:
        The archive, or the restored folder.
    files, digest:
        The number of files, and the archive's SHA-256.
    notes:
        What the reader must know, such as that the gradebook is on a server.
    """

    path: Path
    files: int = 0
    digest: str = ""
    notes: list[str] = field(default_factory=list)


# -- backing up ------------------------------------------------------------------------------------


def backup(
    into: Path, archive: Path, submitted: Path | None = None, *, overwrite: bool = False
) -> Kept:
    """Write a folder of graded work to an archive, and read the archive back to verify it.

    A grading may be running. Work that it finished meanwhile is judged again after a restore.

    Parameters
    ----------
    into:
        The folder that ``grade`` wrote its results to.
    archive:
        The zip to write.
    submitted:
        The folder of the learners' work, with roster and receipts, to be included.
    overwrite:
        Whether to replace the archive if it exists.

    Raises
    ------
    ValueError
        If ``into`` is no folder of graded work, or the archive exists or lies in a folder that is
        backed up.
    """
    into, archive = Path(into).resolve(), Path(archive).resolve()
    if not (into / LEDGER).is_file():
        raise ValueError(f"into is {str(into)!r}, but that folder has no {LEDGER}.")
    if submitted is not None and not Path(submitted).is_dir():
        raise ValueError(f"submitted is {str(submitted)!r}, but there is no such folder.")
    folders = {GRADED: into} | ({} if submitted is None else {SUBMITTED: Path(submitted).resolve()})
    if any(archive.is_relative_to(folder) for folder in folders.values()):
        raise ValueError(f"{archive} would lie in the folder that it backs up: write it elsewhere.")
    if archive.exists() and not overwrite:
        raise ValueError(f"{archive} exists. Choose another name, or add --overwrite.")
    made = Kept(archive)
    archive.parent.mkdir(parents=True, exist_ok=True)
    new = archive.with_name(f".{archive.name}.{os.getpid()}.new")
    try:
        with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".backup-") as scratch:
            _write(new, folders, Path(scratch), made)
        _verify(new)
        made.digest = _digest(new)
        new.replace(archive)
    finally:
        new.unlink(missing_ok=True)
    return made


def _write(new: Path, folders: dict[str, Path], scratch: Path, made: Kept) -> None:
    into = folders[GRADED]
    # The ledger first: what it calls finished is then in what is copied after it.
    _copy_database(into / LEDGER, scratch / LEDGER)
    with Ledger(scratch / LEDGER) as copy:
        database = copy.fact("database")
    others = sorted(path for path in into.glob("*.db") if path.name != LEDGER)
    for path in others:
        _copy_database(path, scratch / path.name)
    if database not in ("", GRADEBOOK):
        made.notes.append(
            f"The gradebook is in {database}, which this archive does not hold. Back it up with "
            "the server's own means at the same time, for PostgreSQL: pg_dump --format=custom "
            "--file=gradebook.dump followed by the database's address."
        )
    digests: dict[str, str] = {}
    with zipfile.ZipFile(new, "x", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
        for name, folder in folders.items():
            for path in _files(folder):
                place = f"{name}/{path.relative_to(folder).as_posix()}"
                if path.is_symlink():
                    made.notes.append(f"left out, since it is a link: {place}")
                elif path not in (into / LEDGER, *others):
                    with contextlib.suppress(FileNotFoundError):  # replaced by a running grading
                        digests[place] = _add(file, path, place)
        _judge_again(into / LEDGER, scratch / LEDGER)
        for path in (*others, into / LEDGER):
            place = f"{GRADED}/{path.name}"
            digests[place] = _add(file, scratch / path.name, place)
        manifest = {
            "format": VERSION,
            "ledger": ledger.VERSION,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "database": database,
            "files": digests,
        }
        file.writestr(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False))
    made.files = len(digests)


def _files(folder: Path) -> Iterator[Path]:
    """What is backed up of a folder: no locks, nothing half written, no part of a database."""
    for where, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith(WORKERS))
        for name in sorted(names):
            halves = name.startswith(".") and name.endswith(".new")
            if name != ".lock" and not halves and not name.endswith(("-wal", "-shm", "-journal")):
                yield Path(where, name)


def _add(file: zipfile.ZipFile, path: Path, place: str) -> str:
    """Add a file that may be replaced meanwhile, but is never changed in place; its SHA-256."""
    total = hashlib.sha256()
    about = zipfile.ZipInfo(place)
    about.compress_type = zipfile.ZIP_DEFLATED
    with path.open("rb") as source, file.open(about, "w", force_zip64=True) as out:
        while chunk := source.read(_CHUNK):
            total.update(chunk)
            out.write(chunk)
    return total.hexdigest()


def _copy_database(path: Path, copy: Path) -> None:
    with (
        contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def _judge_again(live: Path, copied: Path) -> None:
    """Mark what has changed since the ledger was copied as not judged, in the copy."""
    query = "SELECT problem_set, student, key, state, seed, record, changed FROM submission"
    with (
        contextlib.closing(sqlite3.connect(f"file:{live}?mode=ro", uri=True, timeout=60)) as now,
        contextlib.closing(sqlite3.connect(copied)) as copy,
    ):
        unchanged = set(now.execute(query))
        for row in set(copy.execute(query)) - unchanged:
            copy.execute(
                "UPDATE submission SET state = ?, judged = NULL "
                "WHERE problem_set = ? AND student = ?",
                (FAILED, *row[:2]),
            )
        copy.commit()


# -- reading ---------------------------------------------------------------------------------------


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verify(archive: Path) -> dict:
    """Read an archive, and compare each file with its digest.

    Returns the manifest.

    Raises
    ------
    ValueError
        If it is no archive of ours, is newer than this version, or is damaged.
    """
    try:
        with zipfile.ZipFile(archive) as file:
            manifest = json.loads(file.read(MANIFEST))
            if manifest["format"] > VERSION:
                raise ValueError(
                    f"{archive} was written by a newer version of the grader (format "
                    f"{manifest['format']}; this one reads formats up to {VERSION})."
                )
            names = {name for name in file.namelist() if name != MANIFEST}
            if names != manifest["files"].keys() or not all(map(_is_safe, names)):
                raise ValueError(f"{archive} is damaged: files are missing, or were added.")
            for name, digest in manifest["files"].items():
                with file.open(name) as inner:
                    if hashlib.file_digest(inner, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                        raise ValueError(f"{archive} is damaged: {name} has changed.")
    except (zipfile.BadZipFile, KeyError, TypeError, json.JSONDecodeError, EOFError) as error:
        raise ValueError(
            f"{archive} is damaged, or is no archive that `backup` wrote: {error}"
        ) from None
    return manifest


def _is_safe(name: str) -> bool:
    path = PurePosixPath(name)
    return path.parts[0] in (GRADED, SUBMITTED) and ".." not in path.parts and "\\" not in name


def restore(
    archive: Path, into: Path, submitted: Path | None = None, *, overwrite: bool = False
) -> Kept:
    """Restore a folder of graded work from an archive, after verifying every file.

    Parameters
    ----------
    archive:
        What :func:`backup` has written.
    into:
        Where the folder of graded work goes.
    submitted:
        Where the learners' work goes; it is not restored without this.
    overwrite:
        Whether to replace folders that hold something. They are kept beside the new ones.

    Raises
    ------
    ValueError
        If the archive is damaged, newer than this version, or has no learners' work although
        ``submitted`` asks for it; if a folder holds something, or a grading is running there.
    """
    archive, into = Path(archive).resolve(), Path(into).resolve()
    if not archive.is_file():
        raise ValueError(f"archive is {str(archive)!r}, but there is no such file.")
    manifest = _verify(archive)
    if manifest["ledger"] > ledger.VERSION:
        raise ValueError(
            f"{archive} holds a ledger of a newer version of the grader (format "
            f"{manifest['ledger']}; this one reads formats up to {ledger.VERSION})."
        )
    places = {GRADED: into} | ({} if submitted is None else {SUBMITTED: Path(submitted).resolve()})
    held = {PurePosixPath(name).parts[0] for name in manifest["files"]}
    if submitted is not None and SUBMITTED not in held:
        raise ValueError(f"{archive} holds no work as handed in: leave out --submitted.")
    for place in places.values():
        _check_free(place, overwrite)
    made = Kept(into, digest=_digest(archive))
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=".restore-") as scratch:
        with zipfile.ZipFile(archive) as file:
            wanted = [name for name in manifest["files"] if PurePosixPath(name).parts[0] in places]
            file.extractall(scratch, wanted)
        made.files = len(wanted)
        for path in (Path(scratch, GRADED, LEDGER), Path(scratch, GRADED, GRADEBOOK)):
            _check_database(path)
        for name, place in places.items():
            if place.exists() and any(place.iterdir()):
                made.notes.append(f"What was in {place} is in {_set_aside(place)} now.")
            elif place.exists():
                place.rmdir()
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(scratch, name), place)
    if manifest["database"] not in ("", GRADEBOOK):
        made.notes.append(
            f"The marks are in {manifest['database']}, which the archive does not hold: restore "
            "that database from its own backup of the same time, before you grade here."
        )
    return made


def _check_free(place: Path, overwrite: bool) -> None:
    if place.exists() and not place.is_dir():
        raise ValueError(f"{place} is a file, not a folder.")
    if not place.exists() or not any(place.iterdir()):
        return
    if not overwrite:
        raise ValueError(f"{place} holds something. Choose another folder, or add --overwrite.")
    try:
        with FileLock(place / ".lock", timeout=0):
            pass
    except Timeout:
        raise ValueError(f"A grading is running in {place}: wait until it has finished.") from None


def _set_aside(place: Path) -> Path:
    stem = f"{place.name}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    others = sum(path.name.startswith(stem) for path in place.parent.iterdir())
    aside = place.with_name(f"{stem}-{others}" if others else stem)
    return place.rename(aside)


def _check_database(path: Path) -> None:
    if not path.is_file():
        return
    with contextlib.closing(sqlite3.connect(path)) as database:
        if (result := database.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise ValueError(f"{path.name} in the archive is damaged: {result}")
