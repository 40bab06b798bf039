"""What of the course can run on this machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from dataclasses import dataclass

from tfcourse import course

#: Names under which a Chromium that the tests can drive is found.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Part:
    """One thing that the course uses: whether it is there, and what follows."""

    name: str
    present: bool
    note: str


def browser() -> str | None:
    """The path of a Chromium, where there is one."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def _package(name: str, note: str) -> Part:
    try:
        return Part(f"{name} {importlib.metadata.version(name)}", True, note)
    except importlib.metadata.PackageNotFoundError:
        return Part(name, False, f"{note}: pip install -r requirements.txt")


def examine() -> list[Part]:
    """All parts, in the order a reader meets them."""
    import torch

    from tfcourse.grading import sandbox

    try:
        course.root()
        tree = Part("the course's tree", True, "chapters, problem sets, the book")
    except FileNotFoundError as error:
        tree = Part("the course's tree", False, str(error))
    cuda = torch.cuda.is_available()
    shelter = sandbox.status()
    data = os.environ.get("TFCOURSE_DATA")
    return [
        Part(f"Python {platform.python_version()}", True, "3.11 or later is needed"),
        Part(f"torch {torch.__version__}", True, "every chapter"),
        Part(
            torch.cuda.get_device_name() if cuda else "GPU",
            cuda,
            "the large presets" if cuda else "not needed: chapters run on the CPU",
        ),
        tree,
        _package("jupyterlab", "working through chapters and problem sets"),
        _package("nbgrader", "grading"),
        _package("jupyter-book", "building the site"),
        Part(
            "bubblewrap",
            shutil.which("bwrap") is not None,
            "a sandbox for learners' code: apt-get install bubblewrap (Linux only)",
        ),
        Part("the sandbox", shelter.works, shelter.why),
        Part("chromium", browser() is not None, "the tests that open the site in a browser"),
        Part("TFCOURSE_DATA", bool(data), data or "a folder of real corpora; optional"),
    ]
