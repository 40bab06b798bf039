"""What of the course can run on this machine."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass

from tfcourse import course
from tfcourse.extras import missing

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


def _extra(name: str, use: str) -> Part:
    absent = missing(name)
    note = f"{use}; missing: {', '.join(absent)}. pip install 'tfcourse[{name}]'"
    return Part(f"packages for `{name}`", not absent, note if absent else use)


def examine() -> list[Part]:
    """All parts, in the order a reader meets them."""
    import torch

    from tfcourse.grading import sandbox

    try:
        course.root()
        tree = Part("the course's tree", True, "lessons, problem sets, the book")
    except FileNotFoundError as error:
        tree = Part("the course's tree", False, str(error))
    cuda = torch.cuda.is_available()
    shelter = sandbox.status()
    data = os.environ.get("TFCOURSE_DATA")
    return [
        Part(f"Python {platform.python_version()}", True, "3.11, 3.12 or 3.13 is needed"),
        Part(f"torch {torch.__version__}", True, "all lessons"),
        Part(
            torch.cuda.get_device_name() if cuda else "GPU",
            cuda,
            "the large presets" if cuda else "not needed: lessons run on the CPU",
        ),
        tree,
        _extra("learner", "lessons, problem sets, training, `tfcourse check`"),
        _extra("grade", "`tfcourse grade` and `tfcourse release`"),
        _extra("dev", "building the site, running the tests"),
        Part(
            "bubblewrap",
            shutil.which("bwrap") is not None,
            "a sandbox for learners' code: apt-get install bubblewrap (Linux only)",
        ),
        Part("the sandbox", shelter.works, shelter.why),
        Part("chromium", browser() is not None, "the tests that open the site in a browser"),
        Part("TFCOURSE_DATA", bool(data), data or "a folder of real corpora; optional"),
    ]
