"""The five minutes of ``nbjudge/README.md``, command by command, where neither torch nor Dask is.

Imports are refused here; ``tests/packaging`` does the same in an environment that lacks them.
"""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nbjudge import sandbox

pytestmark = pytest.mark.thorough("use of another environment")

README = Path(__file__).resolve().parents[1] / "README.md"
ALONE = Path(__file__).parent / "courses" / "alone"


def commands(text: str) -> list[str]:
    """The commands that the page tells to type, in order, without the first, which installs."""
    typed = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    assert typed[0].startswith("pip install './nbjudge[grade]'")
    return typed[1:]


def type_all(folder: Path, programs: Path, **variables: str) -> list[str]:
    """Type the page's commands in a folder; gives what each says."""
    outputs = []
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TFCOURSE_", "NBJUDGE_"))}
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    kept |= {"PATH": path, "COLUMNS": "200"} | variables
    for command in commands(README.read_text("utf-8")):
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        if command.startswith("nbjudge grade") and not sandbox.status().works:
            command += " --no-sandbox"
        done = subprocess.run(
            command, shell=True, cwd=folder, env=kept, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, (command, done.stdout + done.stderr)
        outputs.append(done.stdout)
    return outputs


def as_promised(folder: Path, outputs: list[str]) -> None:
    """Check what the page promises of its commands."""
    with (folder / "course101" / "graded" / "grades.csv").open(encoding="utf-8") as file:
        scores = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"ada": 0, "bob": 3}
    *_, why, again, check = outputs
    assert "correct_squares" in why and "0 of 2 notebooks run" in again and "failed" not in check
    assert (folder / "course101" / "graded" / "feedback" / "ada" / "ps1").is_dir()


def test_five_minutes_without_torch_and_dask(tmp_path):
    refused = {"PYTHONPATH": str(ALONE), "LOADED": str(tmp_path / "loaded"), "REFUSE": "1"}
    as_promised(tmp_path, type_all(tmp_path, Path(sys.executable).parent, **refused))


@pytest.mark.parametrize(
    ("name", "extra"), [("nbgrader", "grade"), ("zmq", "check"), ("dask.config", "cluster")]
)
def test_what_is_missing_is_told_with_its_extra(name, extra):
    from nbjudge.__main__ import missing

    message = missing(ModuleNotFoundError(name=name))
    assert message and message.startswith(f"{name} is not installed") and f"`{extra}`" in message
    assert "pip install" not in message
    assert missing(ModuleNotFoundError(name="coursework")) is None
