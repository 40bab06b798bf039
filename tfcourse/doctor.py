"""What of the course can run on this machine."""

from __future__ import annotations

import os
import platform

from tfcourse.extras import missing

#: One thing that the course uses: its name, whether it is there, and what it is for or what to do.
Part = tuple[str, bool, str]


def extra(name: str, use: str) -> Part:
    """Whether the packages of one extra are installed."""
    absent = missing(name)
    note = f"{use}; missing: {', '.join(absent)}. pip install 'tfcourse[{name}]'"
    return f"packages for `{name}`", not absent, note if absent else use


def examine(commands: list) -> list[Part]:
    """All parts, in the order a reader meets them.

    ``commands`` are the modules that :func:`tfcourse.cli.plugins` finds; those with a function
    ``parts`` add what they need themselves.
    """
    import torch

    cuda = torch.cuda.is_available()
    data = os.environ.get("TFCOURSE_DATA")
    found = [
        (f"Python {platform.python_version()}", True, "3.11, 3.12 or 3.13 is needed"),
        (f"torch {torch.__version__}", True, "all lessons"),
        (
            torch.cuda.get_device_name() if cuda else "GPU",
            cuda,
            "the large presets" if cuda else "not needed: lessons run on the CPU",
        ),
        extra("learner", "lessons, problem sets, training, `tfcourse check`"),
        extra("grade", "`tfcourse grade` and `tfcourse release`"),
        extra("dev", "building the site, running the tests"),
    ]
    for module in commands:
        found += getattr(module, "parts", list)()
    return [*found, ("TFCOURSE_DATA", bool(data), data or "a folder of real corpora; optional")]
