"""No condition is newer than the run that was judged by it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

from coursebook import claims, records
from coursebook.claims import read_claims
from coursebook.course import Lesson, record_paths, root

ROOT = root(Path(__file__).parent)
TODAY = read_claims(ROOT)
#: The records that a verdict rests on, as far as they were made since records keep conditions.
RECORDS = [path for path in record_paths(ROOT).values() if "stated" in json.loads(path.read_text())]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_was_judged_by_todays_conditions(path: Path) -> None:
    stated = json.loads(path.read_text())["stated"]
    for claim, condition in stated["refuted"].items():
        # What was added later may only weaken a verdict: tests/site/test_ledger.py.
        assert condition in claims.conditions(TODAY[claim]), (
            f"the condition of {claim} changed after {path.name} was measured: measure again, "
            "with fresh seeds, or add to it by `later`"
        )


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_condition_was_committed_before_the_run(path: Path) -> None:
    stated = json.loads(path.read_text())["stated"]
    then = committed(stated["commit"], {TODAY[claim]["chapter"] for claim in stated["refuted"]})
    if not then:
        pytest.skip("the history is not here")
    assert {c: claims.condition(then[c]) for c in stated["refuted"]} == stated["refuted"]


def committed(commit: str, lessons: set[str]) -> dict:
    """The claims as they were then, when they may have stood in one file."""
    found = {}
    for path in ("book/claims.yml", *(f"notebooks/{name}/claims.yml" for name in lessons)):
        shown = subprocess.run(
            ["git", "show", f"{commit}:{path}"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        found |= {} if shown.returncode else yaml.safe_load(shown.stdout)
    return found


@pytest.fixture
def small_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course in git with one claim, committed."""
    lesson = Lesson(tmp_path, "05-self-attention")
    lesson.folder.mkdir(parents=True)
    lesson.notebook.touch()
    for mark in ("_toc.yml", "nbgrader_config.py"):
        (tmp_path / mark).touch()
    write_claims(tmp_path, "a ratio below 2.")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "claims"]):
        git(tmp_path, *words)
    monkeypatch.setenv("TFCOURSE_ROOT", str(tmp_path))
    return tmp_path


def write_claims(folder: Path, refuted: str) -> None:
    claims = {"self-scale": {"claim": "Scores grow.", "refuted": refuted}}
    Lesson(folder, "05-self-attention").claims.write_text(yaml.safe_dump(claims))


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_record_holds_the_condition_and_the_commit(small_course: Path) -> None:
    stated = records.conditions("self-scale")
    path = records.write("scale", {"ratio": 3}, seed=1, stated=stated)
    assert json.loads(path.read_text())["stated"] == {
        "commit": git(small_course, "rev-parse", "HEAD").strip(),
        "refuted": {"self-scale": "a ratio below 2."},
    }


def test_a_condition_that_is_not_committed_is_refused(small_course: Path) -> None:
    write_claims(small_course, "a ratio below 1.5.")
    with pytest.raises(ValueError, match="Commit it first"):
        records.conditions("self-scale")
    git(small_course, "commit", "-q", "-a", "-m", "another condition")
    assert records.conditions("self-scale")["refuted"] == {"self-scale": "a ratio below 1.5."}


def test_an_unpacked_archive_names_its_commit(small_course: Path, tmp_path: Path) -> None:
    """On a GPU's machine there is no repository."""
    for name in (".gitattributes", ".git_archival.txt"):
        shutil.copy(ROOT / name, small_course)
    git(small_course, "add", ".")
    git(small_course, "commit", "-q", "-m", "archives name their commit")
    commit = git(small_course, "rev-parse", "HEAD").strip()
    path = records.write("here", {"ratio": 3}, seed=1)
    assert "commit" not in json.loads(path.read_text()), "a repository is no archive"
    archive = tmp_path / "course.tar"
    git(small_course, "archive", "-o", str(archive), "HEAD")
    shutil.rmtree(small_course / ".git")
    with tarfile.open(archive) as packed:
        packed.extractall(small_course, filter="data")
    stated = records.conditions("self-scale")
    assert stated == {"commit": commit, "refuted": {"self-scale": "a ratio below 2."}}
    record = json.loads(records.write("scale", {"ratio": 3}, seed=1, stated=stated).read_text())
    assert record["commit"] == commit[:8] and commit[:8] in records.where_and_when(record)


def test_an_unknown_claim_is_refused(small_course: Path) -> None:
    with pytest.raises(ValueError, match="a claim 'self-scales'"):
        records.conditions("self-scales")


def test_a_condition_grows_by_what_is_added() -> None:
    entry = {"refuted": "a ratio below 2.", "later": ["With five seeds.", "On real text."]}
    first, second, last = claims.conditions(entry)
    assert (first, second) == ("a ratio below 2.", "a ratio below 2. With five seeds.")
    assert last == claims.condition(entry) == f"{second} On real text."
