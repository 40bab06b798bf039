"""The commands ``backup``, ``restore``, ``upgrade`` and ``forget``: what a class needs besides."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nbjudge.course import root
from nbjudge.intake.sources import course_config
from nbjudge.store import archive as archives
from nbjudge.store import forget as forgetting
from nbjudge.store.folder import lock
from nbjudge.store.upgrade import upgrade as upgraded
from nbjudge.terminal import Database, plain_errors, say
from nbjudge.wording import counted

INTO = Annotated[Path, typer.Argument(help="The folder that `grade` wrote its results to.")]


def backup(
    into: INTO,
    archive: Annotated[Path, typer.Argument(help="The zip to write.")],
    submitted: Annotated[
        Path | None, typer.Option(help="Include the learners' work as handed in.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the archive.")] = False,
) -> None:
    """Back up graded work, with gradebook and ledger, and verify the archive.

    A grading may be running: what it finishes meanwhile is judged again after a restore. A
    gradebook on a server is not included.
    """
    with plain_errors():
        made = archives.backup(into, archive, submitted, overwrite=overwrite)
    say([f"{made.path}: {made.files} files, verified.", f"SHA-256: {made.digest}"], made.notes)


def restore(
    archive: Annotated[Path, typer.Argument(help="What `backup` has written.")],
    into: Annotated[Path, typer.Argument(help="Where the folder of graded work goes.")],
    submitted: Annotated[
        Path | None, typer.Option(help="Where the learners' work goes, if it was included.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the folders; what they hold is set aside.")
    ] = False,
) -> None:
    """Restore graded work from a backup, after verifying every file in it."""
    with plain_errors():
        made = archives.restore(archive, into, submitted, overwrite=overwrite)
    say([f"{made.path}: {made.files} files restored, all as backed up."], made.notes)


def upgrade(
    into: INTO,
    archive: Annotated[Path, typer.Argument(help="The zip to back up to before.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the archive.")] = False,
) -> None:
    """Upgrade graded work that an earlier version wrote, after a backup of it.

    Marks stay as they are. `grade` does the same by itself, without the backup. If nbgrader's
    tables have changed, its own command that upgrades them is named, and nothing is done.
    """
    with plain_errors(), lock(into):
        made = archives.backup(into, archive, None, overwrite=overwrite)
        done = upgraded(into)
    say([f"{made.path}: {made.files} files, verified.", *done], made.notes)
    if not done:
        say([f"{into} is of this version already."], [])


def forget(
    learners: Annotated[
        list[str] | None, typer.Argument(help="The learners' names in the folders.")
    ] = None,
    *,
    into: Annotated[Path, typer.Option(help="The folder that `grade` wrote its results to.")],
    submitted: Annotated[
        Path | None, typer.Option(help="The folder of their work, roster.csv and receipts.csv.")
    ] = None,
    all_but: Annotated[
        list[str] | None, typer.Option(help="Forget everyone but this learner; repeatable.")
    ] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="Forget the whole class.")] = False,
    db: Database = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete learners' work, marks, feedback, receipts and every trace of them after a term.

    Says what is deleted, and asks first. The class's statistics are kept without names, in
    statistics.json.
    """
    with plain_errors():
        if bool(learners) + bool(all_but) + everyone != 1:
            raise ValueError("Name the learners, or use --all-but LEARNER, or --everyone.")
        with lock(into):
            names = learners or []
            if not learners:
                known = forgetting.learners_in(into, submitted, db)
                if unknown := sorted(set(all_but or ()) - set(known)):
                    raise ValueError(f"all_but names {unknown[0]!r}, but there is no such learner.")
                names = [name for name in known if name not in (all_but or ())]
            course_id = course_config(root(into)).CourseDirectory.course_id
            about = {"database": db, "course_id": course_id}
            would = forgetting.forget(names, into, submitted, pretend=True, **about)
            who = f"{counted(len(would.learners), 'learner')}: {', '.join(would.learners)}"
            lines = [f"{count} {what}" for what, count in would.deleted.items() if count]
            if not yes:
                say([f"To be deleted of {who}", *lines], [])
                if not sys.stdin.isatty() or not typer.confirm("Delete this for good?"):
                    raise ValueError("Nothing was deleted. Answer yes, or add --yes.")
            done = forgetting.forget(names, into, submitted, **about)
    lines = [f"{count} {what}" for what, count in done.deleted.items() if count]
    say([f"Deleted of {who}", *lines], done.notes)
