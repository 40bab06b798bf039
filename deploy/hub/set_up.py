"""Lay out a class's folders on one machine: learners' copy, exchange, and the instructor's clone.

    python deploy/hub/set_up.py FOLDER HOME [--owner ACCOUNT]

FOLDER/course is the course as learners get it, which all may read; FOLDER/exchange is nbgrader's.
HOME/course is a clone of the whole course, with its solutions, that only its owner can enter. What
is committed counts. Run again, it writes a newer version over the learners' copy, and leaves the
clone as it is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2]

#: What no learner gets. Problem sets come through the exchange, when the instructor releases them.
PRIVATE = ("solutions", "conftest.py", "tests", "nbjudge/tests", "examples")
RELEASED = "notebooks/assignments"


def git(folder: Path, *words: str) -> bytes:
    """What git prints; another account's folder is read too, as root does."""
    command = ["git", "-c", f"safe.directory={folder}", "-C", str(folder), *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def copy_for_learners(source: Path, target: Path) -> None:
    """Write what is committed in ``source``, without history and what is private."""
    without = [f":!{name}" for name in (*PRIVATE, RELEASED)]
    packed = git(source, "archive", "HEAD", "--", ".", *without)
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(target, filter="data")
    (target / RELEASED).mkdir(parents=True, exist_ok=True)


def clone_for_instructor(source: Path, target: Path, owner: str | None) -> None:
    """Clone the course, solutions included, into a folder that only its owner can enter."""
    if target.exists():
        return
    target.mkdir(parents=True)
    target.chmod(0o700)
    own = ["-c", f"safe.directory={source}/.git", "-c", f"safe.directory={source}"]
    subprocess.run(["git", *own, "clone", "--quiet", f"file://{source}", target], check=True)
    if owner:
        for path in (target, *target.rglob("*")):
            shutil.chown(path, owner) if not path.is_symlink() else None


def set_up(folder: Path, home: Path, owner: str | None = None, source: Path = COURSE) -> None:
    """Lay out the folders; see the module's text."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    exchange = folder / "exchange"
    exchange.mkdir(exist_ok=True)
    exchange.chmod(0o777)  # nbgrader asks for it: the instructor's account makes folders there
    copy_for_learners(source, folder / "course")
    clone_for_instructor(source, home / "course", owner)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--owner", help="the instructor's account, which gets the clone (as root)")
    parser.add_argument("--source", type=Path, default=COURSE, help="the clone to start from")
    asked = parser.parse_args()
    os.umask(0o022)
    set_up(asked.folder.resolve(), asked.home.resolve(), asked.owner, asked.source.resolve())
