"""Which parts of the course can run on this machine, and what to install if one cannot.

``pyproject.toml`` says which extra has which package; its metadata is read here, not repeated.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

#: The smallest first.
EXTRAS = ("colab", "learner", "grade", "hub", "dev")

#: Modules whose name differs from that of the package that installs them.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "a11y_pygments": "accessible-pygments",
    "markdown_it": "markdown-it-py",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}


def distribution(module: str) -> str:
    """The package that installs a top-level module, normalised: ``"pyyaml"`` for ``"yaml"``."""
    return normal(DISTRIBUTIONS.get(module, module))


def normal(name: str) -> str:
    """A distribution's name as the package index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> dict[str, list[str]]:
    """What each extra itself requires on this system; under ``""``, what the package always needs.

    Other extras of this package, which an extra may require, are left out; the judge's stand for
    what they require. What `colab` requires counts as the learner's, whose extra is the one to
    install except on Colab.
    """
    found: dict[str, list[str]] = {"": [], **{extra: [] for extra in EXTRAS}}
    for name, asks, more in _required("tfcourse"):
        names = [name]
        if name == "nbjudge":
            chosen = ["", *more]
            names = [one for one, wants, _ in _required(name) if wants in chosen and one != name]
        if name != "tfcourse":
            found.setdefault("learner" if asks == "colab" else asks, []).extend(names)
    return found


def _required(package: str) -> list[tuple[str, str, list[str]]]:
    """What a package requires on this system: name, for which extra, and with which extras."""
    found = []
    for line in importlib.metadata.requires(package) or []:
        name, more = re.findall(r"([\w.-]+)(?:\[([^]]*)\])?", line)[0]
        extra = re.search(r"""extra\s*==\s*["']([\w-]+)["']""", line)
        system = re.search(r"""sys_platform\s*==\s*["'](\w+)["']""", line)
        if system is None or system[1] == sys.platform:
            found.append((normal(name), extra[1] if extra else "", more.split(",")))
    return found


def missing(extra: str) -> list[str]:
    """The packages that an extra itself requires and that are not installed."""
    absent = []
    for name in declared()[extra]:
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            absent.append(name)
    return absent


def install(extra: str) -> str:
    """The command that installs an extra from where this package came from.

    That is a clone, a wheel or a repository, which the installer notes (PEP 610). The package is
    not on a package index, so its name alone is never a thing to install.
    """
    said = importlib.metadata.distribution("tfcourse").read_text("direct_url.json")
    origin = json.loads(said or "{}")
    url = origin.get("url", "")
    if url.startswith("file:"):
        path = Path(url2pathname(urlsplit(url).path))
        if path.exists():
            editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
            return f"pip install {editable}'{path}[{extra}]'"
    elif url:
        kind = origin["vcs_info"]["vcs"] + "+" if "vcs_info" in origin else ""
        return f"pip install 'tfcourse[{extra}] @ {kind}{url}'"
    return (
        f"pip install -e '.[{extra}]' in a clone of the course, or pip install 'WHEEL[{extra}]', "
        f"where WHEEL is the path of its wheel"
    )


def advice(error: ModuleNotFoundError) -> str | None:
    """One line that says what to install; ``None`` if the error is not about a missing package.

    An error without a ``name`` has a message that says what to do.
    """
    if error.name is None:
        return str(error)
    module = error.name.partition(".")[0]
    if module == "tfcourse":
        return None
    name = distribution(module)
    asked = declared()
    extra = next((extra for extra in EXTRAS if name in asked[extra]), None)
    # A module in no extra may come from a package of another name: nothing is advised then.
    how = f": {install(extra)}" if extra else ""
    return f"The package {name} is not installed, and this needs it{how}"


#: A part of the course: its name, whether it is present, and its use or what to do about it.
Part = tuple[str, bool, str]


def packages_for(name: str, use: str) -> Part:
    """Whether the packages of one extra are installed."""
    absent = missing(name)
    note = f"{use}; missing: {', '.join(absent)}. {install(name)}"
    return f"packages for `{name}`", not absent, note if absent else use


def examine(commands: list) -> list[Part]:
    """All parts, in the order a reader meets them.

    ``commands`` are the modules that :func:`tfcourse.cli.plugins` finds; those with a function
    ``parts`` add their own requirements.
    """
    import torch

    cuda = torch.cuda.is_available()
    data = os.environ.get("TFCOURSE_DATA")
    found = [
        (f"Python {platform.python_version()}", True, "3.11 to 3.14 is needed"),
        (f"torch {torch.__version__}", True, "all lessons"),
        (
            torch.cuda.get_device_name() if cuda else "GPU",
            cuda,
            "the large presets" if cuda else "not needed: lessons run on the CPU",
        ),
        packages_for("learner", "lessons, problem sets, training, `tfcourse check`"),
        packages_for("grade", "`tfcourse grade` and `tfcourse release`"),
        packages_for("dev", "building the site, running the tests"),
    ]
    for module in commands:
        found += getattr(module, "parts", list)()
    return [*found, ("TFCOURSE_DATA", bool(data), data or "a folder of real corpora; optional")]
