"""Environments that hold exactly what an extra asks for, made from the packages that are here.

Nothing is downloaded: the files of each package are linked. What no extra declares is absent, so an
import of it fails as it would for a user.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

COURSE = Path(__file__).parents[2]
_SAID = tomllib.loads((COURSE / "pyproject.toml").read_text("utf-8"))

#: The packages that the course's wheel holds, and its licences.
OWN = tuple(one.rstrip("*") for one in _SAID["tool"]["setuptools"]["packages"]["find"]["include"])
LICENCES = tuple(_SAID["project"]["license-files"])

#: The package that the other wheel holds, and all of ours.
JUDGE = "nbjudge"
PACKAGES = (*OWN, JUDGE)


def metadata(wheel: Path) -> importlib.metadata.Distribution:
    """What a wheel says of itself."""
    (folder,) = (path for path in zipfile.Path(wheel).iterdir() if path.name.endswith(".dist-info"))
    return importlib.metadata.PathDistribution(folder)


def closure(wheels: dict[str, Path], name: str, extra: str) -> set[str]:
    """The packages that ``pip install 'WHEEL[extra]'`` would bring; ``""`` is no extra.

    What the other packages ask for is read from the metadata of those that are installed here.
    Ours are left out.
    """
    own = {name: metadata(wheel) for name, wheel in wheels.items()}
    waiting, found = [(name, ""), *((name, one) for one in extra.split(","))], set()
    while waiting:
        name, chosen = one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        package = own[name] if name in own else importlib.metadata.distribution(name)
        for asked in map(Requirement, package.requires or []):
            if asked.marker is None or asked.marker.evaluate({"extra": chosen}):
                waiting += [(canonicalize_name(asked.name), each) for each in ("", *asked.extras)]
    return {name for name, _ in found} - own.keys()


def size(name: str) -> int:
    """The bytes of an installed package's files, without bytecode."""
    package = importlib.metadata.distribution(name)
    paths = (Path(package.locate_file(f)) for f in package.files or () if f.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def make(folder: Path, wheels: dict[str, Path], name: str, extra: str) -> Path:
    """Make an environment with a wheel and what its extra asks for; return its ``bin``.

    Of ours it holds the judge in any case, which the course asks for.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip())
    for one in sorted(closure(wheels, name, extra)):
        link(importlib.metadata.distribution(one), packages)
    ours = map(str, {wheels[JUDGE], wheels[name]})
    install = ["install", "--quiet", "--no-deps", "--no-index", *ours]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True)
    return folder / "bin"


def link(distribution: importlib.metadata.Distribution, packages: Path) -> None:
    """Put a package's files into a folder: as links to the same bytes if the disk allows it."""
    for file in distribution.files or ():
        if ".." in file.parts:  # a program, or data of one
            continue
        source, target = Path(distribution.locate_file(file)), packages / file
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            # A symbolic link would point out of what the sandbox shows to learners' code.
            os.link(source, target)
        except FileExistsError:
            continue
        except OSError:
            shutil.copy2(source, target)
