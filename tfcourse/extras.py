"""What to install if a package that a command needs is missing.

``pyproject.toml`` says which extra has which package; its metadata are read here, not repeated.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys

#: The smallest first: the one to name if a package is in several.
EXTRAS = ("learner", "grade", "dev")

#: What is imported under another name than it is installed by.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "a11y_pygments": "accessible-pygments",
    "markdown_it": "markdown-it-py",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}


def distribution(module: str) -> str:
    """The name that a top-level module is installed by, normalised: ``"pyyaml"`` for ``"yaml"``."""
    return normal(DISTRIBUTIONS.get(module, module))


def normal(name: str) -> str:
    """A distribution's name as the package index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> dict[str, list[str]]:
    """What each extra asks for itself on this system; under ``""``, what the package needs anyway.

    Other extras of this package, which an extra may ask for, are left out.
    """
    found: dict[str, list[str]] = {"": [], **{extra: [] for extra in EXTRAS}}
    for line in importlib.metadata.requires("tfcourse") or []:
        name = normal(re.findall(r"[\w.-]+", line)[0])
        extra = re.search(r"""extra\s*==\s*["']([\w-]+)["']""", line)
        system = re.search(r"""sys_platform\s*==\s*["'](\w+)["']""", line)
        if name != "tfcourse" and (system is None or system[1] == sys.platform):
            found.setdefault(extra[1] if extra else "", []).append(name)
    return found


def missing(extra: str) -> list[str]:
    """The packages that an extra itself asks for and that are not installed."""
    absent = []
    for name in declared()[extra]:
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            absent.append(name)
    return absent


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
    what = f"tfcourse[{extra}]" if extra else name
    return f"The package {name} is not installed, and this needs it: pip install '{what}'"
