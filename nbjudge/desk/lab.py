"""Set up a learner's own folder, and open JupyterLab in it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbjudge.desk.progress import GIVEN, START, write_start
from nbjudge.files import write_whole
from nbjudge.inside.program import command_name, handed_on, program

#: JupyterLab's settings for a learner: no teacher's menus, no news, Markdown opens as a page.
SETTINGS = Path(__file__).parent / "lab_settings"


@dataclass
class Furnished:
    """The result of :func:`furnish`.

    ``new`` files, unchanged files ``renewed`` from the course, and changed files ``kept`` although
    the course has a newer version.
    """

    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def furnish(work: Path, course: Path) -> Furnished:
    """Copy the chapters and the released problem sets into a learner's folder.

    The folder has the same layout as ``notebooks/``, so that links between notebooks work. An
    existing file is never overwritten unless it is still byte for byte the version given before.
    The page to start from is written each time.
    """
    furnished = Furnished()
    record = work / GIVEN
    try:
        given = dict(json.loads(record.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        given = {}
    for path in _files(course / "notebooks"):
        name = path.relative_to(course / "notebooks").as_posix()
        content, target = path.read_bytes(), work / name
        digest = hashlib.sha256(content).hexdigest()
        if not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "xb") as file:
                file.write(content)
            furnished.new.append(name)
            given[name] = digest
            continue
        mine = hashlib.sha256(target.read_bytes()).hexdigest() if target.is_file() else ""
        if mine == given.get(name) != digest:
            write_whole(target, content)
            furnished.renewed.append(name)
            mine = digest
        elif given.get(name, digest) not in (mine, digest):
            furnished.kept.append(name)
        if mine == digest:
            given[name] = digest
    (work / "assignments").mkdir(parents=True, exist_ok=True)  # a hub's exchange puts sets there
    write_whole(record, json.dumps(given, indent=1, sort_keys=True))
    write_start(work)
    return furnished


def _files(notebooks: Path) -> list[Path]:
    """The learner's files in order: chapters, what goes with each, and the problem sets' files.

    A chapter is a notebook, or a folder with its notebook and others.
    """
    sets = [p for p in (notebooks / "assignments").rglob("*") if p.is_file()]
    hidden = [
        p for p in sets if any(part.startswith(".") for part in p.relative_to(notebooks).parts)
    ]
    chapters = [*notebooks.glob("[0-9][0-9]-*.ipynb"), *notebooks.glob("[0-9][0-9]-*/*.ipynb")]
    return [*sorted(chapters), *sorted(set(sets) - set(hidden))]


def command(work: Path, options: Sequence[str]) -> list[str]:
    """The command line that opens JupyterLab in a folder, on the page to start from.

    Where JupyterHub has started this, it opens as that user's server.
    """
    return [
        sys.executable,
        "-m",
        "jupyterhub.singleuser" if "JUPYTERHUB_SERVICE_URL" in os.environ else "jupyterlab",
        f"--ServerApp.root_dir={work}",
        f"--LabApp.app_settings_dir={SETTINGS}",
        f"--LabApp.default_url=/lab/tree/{START}",
        *options,
    ]


def environment(course: Path) -> dict[str, str]:
    """The environment for JupyterLab, its kernels and its terminals.

    It puts this Python's programs first, and its kernel ``python3`` before any other of that name.
    """
    programs = str(Path(sys.executable).parent)
    return {
        **os.environ,
        **handed_on(),
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")]),
        "JUPYTER_PREFER_ENV_PATH": "1",
        program().variable("ROOT"): str(course),
    }


def open_lab(work: Path, course: Path, options: Sequence[str]) -> int:
    """Open JupyterLab and wait until it exits; returns its exit code.

    Raises
    ------
    ValueError
        If JupyterLab is not installed.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise ValueError(
            f"JupyterLab is not installed in the environment that runs {command_name()}: "
            "pip install -r requirements-learner.txt"
        )
    words, variables = command(work, options), environment(course)
    os.chdir(work)  # where its terminals open
    if os.name == "posix":  # so that Ctrl-C and kill reach only JupyterLab
        os.execve(words[0], words, variables)
    with subprocess.Popen(words, env=variables) as lab:
        while True:
            try:
                return lab.wait()
            except KeyboardInterrupt:  # JupyterLab gets it too, and asks or exits
                continue
