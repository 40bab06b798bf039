"""The wheels, and an environment for each kind of user that holds it and nothing undeclared."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import environments
import pytest

#: What the wheels are made from.
SOURCE = (*environments.PACKAGES, "pyproject.toml", *environments.LICENCES)


@pytest.fixture(scope="session")
def source(course: Path, tmp_path_factory) -> Path:
    """A copy of what the wheels are built from: setuptools writes beside its source."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCE:
        if (course / name).is_dir():
            shutil.copytree(
                course / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(course / name, source)
    return source


def build(into: Path, *sources: Path) -> dict[str, Path]:
    """The wheels of these folders or source distributions, by their packages' names."""
    # The build's own requirement, setuptools, is here; pip would fetch it.
    asked = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", into]
    subprocess.run([sys.executable, "-m", "pip", *asked, *sources], check=True)
    return {path.name.partition("-")[0]: path for path in into.glob("*.whl")}


@pytest.fixture(scope="session")
def wheels(source: Path, tmp_path_factory) -> dict[str, Path]:
    """The course's wheel and the judge's, in one folder; messages name the course's by its file."""
    return build(tmp_path_factory.mktemp("wheel"), source, source / environments.JUDGE)


@pytest.fixture(scope="session")
def sdist(source: Path, wheels: dict[str, Path], tmp_path_factory) -> SimpleNamespace:
    """The judge's source distribution, ``source``, and the ``wheel`` that is built from it."""
    built = tmp_path_factory.mktemp("sdist")
    ask = f"from setuptools import build_meta; build_meta.build_sdist({str(built)!r})"
    subprocess.run([sys.executable, "-c", ask], check=True, cwd=source / environments.JUDGE,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    (packed,) = built.iterdir()
    wheel = build(tmp_path_factory.mktemp("from-sdist"), packed)[environments.JUDGE]
    return SimpleNamespace(source=packed, wheel=wheel)


@pytest.fixture(scope="session")
def wheel(wheels: dict[str, Path]) -> Path:
    """The course's wheel."""
    return wheels["tfcourse"]


@pytest.fixture(scope="session")
def installed(
    wheels: dict[str, Path], tmp_path_factory
) -> Iterator[Callable[..., subprocess.CompletedProcess]]:
    """Run a program of an environment with one of the extras, in a folder outside any clone.

    An extra is the course's, or the judge's after its name: ``nbjudge:grade``.
    """
    made: dict[str, Path] = {}
    # pytest's own folders are closed to the user that a sandbox runs as if root starts it.
    environments_at = Path(tempfile.mkdtemp(prefix="tfcourse-"))
    environments_at.chmod(0o755)

    def run(extra: str, *command: object, folder: Path | None = None, **variables: str):
        if extra not in made:
            name, _, chosen = extra.rpartition(":")
            folder_of_it = environments_at / (extra.replace(":", "-") or "none")
            made[extra] = environments.make(folder_of_it, wheels, name or "tfcourse", chosen)
        outside = folder or tmp_path_factory.mktemp("outside")
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("TFCOURSE", "NBJUDGE", "PYTHON"))
        }
        kept |= {"PATH": f"{made[extra]}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "200"}
        program, *rest = map(str, command)
        return subprocess.run(
            [made[extra] / program, *rest],
            cwd=outside,
            env=kept | variables,
            capture_output=True,
            text=True,
            timeout=500,
        )

    yield run
    shutil.rmtree(environments_at)
