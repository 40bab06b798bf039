"""What the judge's digest depends on: its own modules that affect a grade, not its tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nbjudge
from nbjudge.files import own_files

JUDGE = Path(nbjudge.__file__).parent


@pytest.fixture
def copied(tmp_path) -> Path:
    """The judge's modules in a folder of their own, with one test beside them."""
    for path in own_files("*.py"):
        target = tmp_path / "nbjudge" / path.relative_to(JUDGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (tmp_path / "nbjudge" / "tests").mkdir()
    (tmp_path / "nbjudge" / "tests" / "test_one.py").write_text("def test(): pass\n")
    return tmp_path


def digest(folder: Path) -> str:
    """What the judge in ``folder`` says of itself."""
    code = (
        "import nbjudge; from nbjudge.store.digests import judge_digest\n"
        "print(nbjudge.__file__, judge_digest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    where, digest_there = done.stdout.split()
    assert Path(where).parent == folder / "nbjudge"
    return digest_there


def test_the_judges_tests_do_not_change_its_digest(copied):
    before = digest(copied)
    (copied / "nbjudge" / "tests" / "test_one.py").write_text("def test(): assert 1\n")
    assert digest(copied) == before
    shutil.rmtree(copied / "nbjudge" / "tests")
    assert digest(copied) == before
    with (copied / "nbjudge" / "judge" / "examiner.py").open("a") as module:
        module.write("# judged otherwise\n")
    assert digest(copied) != before
