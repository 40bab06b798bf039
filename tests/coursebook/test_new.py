"""`python -m coursebook new`: what it makes passes, and what it refuses leaves the course alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from coursebook import course as course_tree
from coursebook import hygiene, quizzes
from coursebook.browser import browser
from coursebook.claims import read_claims
from coursebook.course import Lesson, problem_set_names
from coursebook.new import changes, exercise
from coursebook.new.changes import MARK
from coursebook.new.commands import app
from coursebook.sphinx import tree
from coursebook.sphinx.claims import read_ledger
from coursebook.sphinx.coverage import read_coverage
from coursebook.sphinx.map import in_hours
from nbjudge import sandbox
from nbjudge.answers import load_broken, load_variants
from nbjudge.intake import cells, first_cell
from nbjudge.intake.release import is_current, make_release
from nbjudge.intake.sources import release_folder
from nbjudge.run.engine import grade
from nbjudge.variants import fill

ROOT = course_tree.root(Path(__file__).parent)
FILES = ("index.md", "_toc.yml", "_config.yml", "nbgrader_config.py", "course.toml",
         "pyproject.toml", "requirements.txt")  # fmt: skip
#: Of notebooks and solutions, what is copied. The rest are links: nothing may be written there.
COPIED = ("06-multi-head", "14-training-at-scale", "ps01-words", "ps06-multi-head")
#: As long as a name may be: lines that hold it must not become too long.
LONG = f"two-{'words':s<{changes.LONGEST - 4}}"


def cloned(folder: Path, *, tests: bool = False) -> Path:
    """A copy of the parts of the course that the commands read and write."""
    folder.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    without = shutil.ignore_patterns("__pycache__")
    for name in ("book", "coursebook", "nbjudge_tfcourse", *(["tests"] if tests else [])):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    for name in ("conftest.py", "tfcourse", "nbjudge", "benchmarks", "examples"):
        (folder / name).symlink_to(ROOT / name)
    for place in ("notebooks", "notebooks/assignments", "solutions"):
        (folder / place).mkdir()
        for path in (ROOT / place).iterdir():
            if path.name in COPIED:
                shutil.copytree(path, folder / place / path.name, ignore=without)
            elif path.name != "assignments":
                (folder / place / path.name).symlink_to(path)
    if not tests:
        (folder / "tests" / "site" / "figures").mkdir(parents=True)
        (folder / "tests" / "site" / "figures" / "test_for_everybody.py").touch()
    return folder


def content(folder: Path) -> dict[str, bytes]:
    """Every file that is not reached through a link, and every folder."""
    found = {}
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found |= {f"{here}/{name}": (Path(here) / name).read_bytes() for name in names}
        found[here] = b""
    return found


def type_in(clone: Path, *words: str):
    """Type a command in the folder of a course."""
    return CliRunner().invoke(app, ["new", *words], env={"TFCOURSE_ROOT": str(clone)})


def make(clone: Path, *words: str) -> str:
    """The same for what must succeed; gives what is printed."""
    done = type_in(clone, *words)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return cloned(tmp_path / "course")


# ---- what is refused ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def untouched(tmp_path_factory) -> Path:
    """A clone that stays as it is."""
    folder = cloned(tmp_path_factory.mktemp("untouched") / "course")
    lesson = Lesson(folder, "14-training-at-scale").notebook
    text = lesson.read_text("utf-8")
    lesson.write_text(re.sub(r"from coursebook import [^\\]+", "import coursebook", text), "utf-8")
    return folder


SET, LESSON = "ps06-multi-head", "06-multi-head"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("lesson diffusion", "it must be a number of two digits and a name"),
        ("lesson 15-Diffusion", "it must be lower-case words joined by hyphens"),
        (f"lesson 15-{LONG}x", "with at most 32 characters"),
        ("lesson 17-diffusion", "a new one comes last: name it 15-diffusion."),
        ("lesson 06-diffusion", "a new one comes last: name it 15-diffusion."),
        ("lesson 15-multi-head", "there is a lesson named 'multi-head' already"),
        ("lesson 15-assignments/x", "it must be a number of two digits and a name"),
        ("exercise ps06-multihead two-heads", "there is no problem set 'ps06-multihead': name one"),
        (f"exercise {SET} Two_heads", "it must be lower-case words joined by hyphens"),
        (f"exercise {SET} reshape", "has an exercise 'reshape' already"),
        (f"exercise {SET} close", "its function could not be called close"),
        (f"exercise {SET} sum", "its function could not be called sum"),
        (f"exercise {SET} split-heads", "its function could not be called split_heads"),
        ("exercise ps01-words two-words", "has 9 exercises, the most"),
        ("claim 06-multihead heads-noise", "there is no lesson '06-multihead': name one of 01-w"),
        (f"claim {LESSON} noise", "it must begin with its subject and a hyphen, such as "),
        (f"claim {LESSON} heads_noise", "it must be lower-case words joined by hyphens"),
        (f"claim {LESSON} words-onehot", "01-words has a claim 'words-onehot': choose another"),
        ("figure 06-multihead two-words", "there is no lesson '06-multihead': name one of 01-w"),
        (f"figure {LESSON} rotary", "there is a live figure or a script 'rotary' already"),
        (f"figure {LESSON} kit", "there is a live figure or a script 'kit' already"),
        (f"figure {LESSON} for-everybody", "tests/site/figures/test_for_everybody.py has the"),
        (f"figure {LESSON} Words", "it must be lower-case words joined by hyphens"),
        ("figure 14-training-at-scale two-words", "add `from coursebook import live` to its first"),
    ],
)
def test_what_cannot_be_made_is_told_in_a_sentence(untouched: Path, words: str, said: str) -> None:
    before = content(untouched)
    done = type_in(untouched, *words.split())
    assert done.exit_code == 1 and said in done.output
    assert done.output.startswith("Nothing was made: ") and done.output.count("\n") == 1
    assert content(untouched) == before


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("lesson 15-diffusion", "claim.number"),
        (f"exercise {SET} two-heads", "exercise._steps"),
        (f"claim {LESSON} heads-noise", "claim.number"),
        (f"figure {LESSON} two-words", "figure._steps"),
    ],
)
@pytest.mark.parametrize("error", [changes.Refused("no room"), OSError("no room")])
def test_what_fails_at_its_end_takes_all_of_it_back(clone, monkeypatch, words, last, error) -> None:
    def failing(*_, **__):
        raise error

    def outputs(cells, root):
        return nbformat.v4.new_notebook(cells=list(cells))

    for name in ("lesson", "claim", "figure"):
        monkeypatch.setattr(f"coursebook.new.{name}.run", outputs)
    monkeypatch.setattr("coursebook.new.figure.browser", lambda: None)
    monkeypatch.setattr(f"coursebook.new.{last}", failing)
    before = content(clone)
    done = type_in(clone, *words.split())
    assert done.exit_code == 1 and "no room" in f"{done.output}{done.exception}"
    assert content(clone) == before


def test_a_program_that_is_stopped_takes_all_of_it_back(clone: Path) -> None:
    before = content(clone)
    with pytest.raises(KeyboardInterrupt), changes.Changes(clone) as made:
        made.write(clone / "_toc.yml", "")
        made.write(clone / "book" / "new" / "a.md", "a")
        made.write(clone / "book" / "new" / "a.md", "b")
        raise KeyboardInterrupt
    assert content(clone) == before


# ---- what is made ------------------------------------------------------------------------------


def ruff_finds_nothing(clone: Path, *paths: str) -> None:
    for how in (("check",), ("format", "--check")):
        command = [sys.executable, "-m", "ruff", *how, "--no-cache", *paths]
        done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def still_to_be_written(clone: Path, *paths: str) -> None:
    for name in paths:
        text = (clone / name).read_text("utf-8")
        assert MARK in text and not re.search("@[A-Z]+@", text), name


def test_yaml_goes_below_the_whole_entry() -> None:
    text = "a:\n  b:\n    - c\n\nd: e\n"
    assert changes.after(text, "a:", ["f: g"]) == "a:\n  b:\n    - c\nf: g\n\nd: e\n"
    assert changes.after(text, "b:", ["f:", "  g: h"]) == (
        "a:\n  b:\n    - c\n  f:\n    g: h\n\nd: e\n"
    )


@pytest.mark.parametrize("name", problem_set_names(ROOT))
def test_a_sets_hours_are_counted_as_its_own_table_has_them(name: str) -> None:
    notebook = nbformat.read(ROOT / "solutions" / name / f"{name}.ipynb", as_version=4)
    overview = next(cell.source for cell in notebook.cells if cell.id == "overview")
    minutes = sum(map(int, re.findall(r"\| (\d+) min \|$", overview, re.MULTILINE)))
    (stated,) = re.findall(r"\*\* \| \*\*([^*]+)\*\* \|$", overview, re.MULTILINE)
    counted = in_hours(exercise.hours(minutes))
    assert abs(counted - minutes / 60) < 0.084 and abs(counted - in_hours(stated)) < 0.251


@pytest.mark.parametrize(("minutes", "said"), [(10, "10 min"), (60, "1 h"), (118, "2 h")])
def test_hours_in_words(minutes: int, said: str) -> None:
    assert exercise.hours(minutes) == said


def test_an_exercise_stands_before_the_bug_and_is_counted(clone: Path) -> None:
    said = make(clone, "exercise", SET, LONG)
    folder, file = clone / "solutions" / SET, f"solutions/{SET}/{LONG.replace('-', '_')}.py"
    assert f"Made:\n  {file}\nChanged:\n  solutions/{SET}/{SET}.ipynb\nTo do:\n  1. " in said
    notebook = nbformat.read(folder / f"{SET}.ipynb", as_version=4)
    texts = [cell for cell in notebook.cells if cell.id.endswith("-text")]
    assert [cell.source[:5] for cell in texts] == [f"## {n} " for n in range(1, 10)]
    assert [cell.id for cell in texts].index(f"{LONG}-text") == 5
    overview = next(cell.source for cell in notebook.cells if cell.id == "overview")
    assert f"| `{LONG}` | what is {MARK} | 2 | 10 min |\n| `bug` |" in overview
    assert "| | | **62** | **3¾ h** |" in overview
    assert max(len(line) for c in notebook.cells if c.cell_type == "code"
               for line in c.source.splitlines()) <= 72  # fmt: skip
    found = load_variants(folder)[LONG]
    assert [one.right for one in found] == [True, True, False, False] and found[2].says
    assert LONG in [line.exercise for line in load_broken(folder)]
    still_to_be_written(clone, file, f"solutions/{SET}/{SET}.ipynb")
    ruff_finds_nothing(clone, file)


def test_a_figure_comes_after_those_of_its_lesson(clone: Path, monkeypatch) -> None:
    monkeypatch.setattr("coursebook.new.figure.browser", lambda: None)
    monkeypatch.setattr(
        "coursebook.new.figure.run", lambda cells, root: nbformat.v4.new_notebook(cells=cells)
    )
    said = make(clone, "figure", LESSON, LONG)
    assert "Install Chromium: the still picture could not be drawn here. python -m" in said
    listed = "coursebook/live/self_attention.py"
    names = re.findall(r'Figure\(\n +"([\w-]+)"', (clone / listed).read_text("utf-8"))
    assert names[names.index("ablation") + 1] == LONG
    test = f"tests/site/figures/test_{LONG.replace('-', '_')}.py"
    script = f"notebooks/{LESSON}/figures/{LONG}/figure.js"
    still_to_be_written(clone, listed, test, script)
    ruff_finds_nothing(clone, listed, test)
    notebook = nbformat.read(Lesson(clone, LESSON).notebook, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    names = [cell.id for cell in notebook.cells]
    assert names[names.index("take-away") - 1] == f"live-{LONG}"


# ---- what is made passes -----------------------------------------------------------------------

EMPTY_RUN = "run of what is made empty"
NEW = "15-diffusion"
OTHER = "14-training-at-scale"
#: The tests of the course that judge what is made. Lessons that only got a cell are not run again.
JUDGES = ("tests/notebooks/test_chapters.py", "tests/notebooks/test_verdicts.py",
          "tests/notebooks/test_quoted.py", "tests/house/test_lessons.py",
          "tests/coursebook/test_live.py", "tests/solutions/test_notebooks.py",
          "tests/site/test_ledger.py", "tests/site/test_coverage.py",
          "tests/site/figures")  # fmt: skip
JUDGED = (
    f"{NEW} or (({LESSON} or {OTHER}) and not stored_outputs) or first-picture or two-words "
    "or first_picture or two_words or diffusion-first or heads-noise or scale-noise "
    "or each_figure_has or each_live_figure or test_lessons or has_no_fault or five_lectures "
    "or ps06 or ps15"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A clone with one of each, in an old lesson and in a new one."""
    clone = cloned(tmp_path_factory.mktemp("made") / "course", tests=True)
    for words in (
        f"lesson {NEW}",
        f"claim {LESSON} heads-noise",
        f"claim {OTHER} scale-noise",
        f"figure {LESSON} two-words",
        f"figure {NEW} first-picture",
        f"exercise {SET} two-heads",
        f"exercise ps{NEW} first-try",
    ):
        make(clone, *words.split())
    return clone


@pytest.mark.thorough(EMPTY_RUN)
@pytest.mark.parametrize("name", [LESSON, OTHER, NEW])
def test_the_notebooks_keep_to_the_rules(made: Path, name: str) -> None:
    lesson = Lesson(made, name)
    for path in (lesson.notebook, lesson.evidence):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert hygiene.problems(notebook) == []
        installs = next(cell for cell in notebook.cells if cell.cell_type == "code")
        assert installs.source == first_cell.first_cell(made, graded=False).source
        still_to_be_written(made, path.relative_to(made).as_posix())


@pytest.mark.thorough(EMPTY_RUN)
def test_the_readers_find_what_is_made(made: Path) -> None:
    claims = {"diffusion-first": NEW, "heads-noise": LESSON, "scale-noise": OTHER}
    ledger = read_ledger(made)
    assert not ledger.faults and not read_coverage(made).faults
    for claim, lesson in claims.items():
        assert read_claims(made)[claim]["chapter"] == lesson
        tested = ledger.tested[claim]
        assert (tested.verdict, tested.chapter) == ("not settled here", lesson)
        assert MARK in tested.limit
    assert quizzes.read(made)["diffusion-first"][0] == Lesson(made, NEW).quiz
    assert tree.plan(made)[-1].name == NEW
    assert tree.minutes(Lesson(made, NEW).notebook) == 45
    contents = (made / "_toc.yml").read_text("utf-8")
    for name in (OTHER, NEW):
        assert f"          - file: notebooks/{name}/evidence\n" in contents
    listed = re.findall(r"- file: notebooks/(\d\d)", contents)
    assert listed == sorted(listed[:15]) + sorted(listed[15:])
    assert f"        sections:\n          - file: notebooks/assignments/ps{NEW}/ps{NEW}" in contents


@pytest.mark.thorough(EMPTY_RUN)
@pytest.mark.timeout(1800)
def test_the_courses_own_tests_pass_on_it(made: Path) -> None:
    """Where there is no browser, a figure is not drawn, and its tests are skipped."""
    judged = JUDGED if browser() else f"({JUDGED}) and not still_picture"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:nbval", "-p", "no:cacheprovider",
               *JUDGES, "-k", judged]  # fmt: skip
    # A run of its own: it must not share what is built once with the run that it is a part of.
    outer = {name: word for name, word in os.environ.items() if not name.startswith("PYTEST_")}
    ours = {"PYTHONPATH": str(made), "TFCOURSE_ROOT": str(made)}
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, env=outer | ours)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 80


@pytest.mark.thorough(EMPTY_RUN)
def test_a_set_with_a_new_exercise_is_released(made: Path) -> None:
    make_release(SET, made)
    assert is_current(SET, made)
    text = (release_folder(SET, made) / f"{SET}.ipynb").read_text("utf-8")
    assert "two-heads--values" in text and "The result for 3 rows" not in text


@pytest.mark.thorough(EMPTY_RUN)
def test_its_known_answers_are_judged_as_they_say(made: Path, tmp_path: Path) -> None:
    name = f"ps{NEW}"
    release = nbformat.read(make_release(name, made), as_version=4)
    (variants,) = load_variants(made / "solutions" / name).values()
    answers = {one.name: one.source for one in variants}
    answers |= {f"broken-{n}": one.source for n, one in
                enumerate(load_broken(made / "solutions" / name))}  # fmt: skip
    for student, source in answers.items():
        path = tmp_path / "submitted" / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(fill(release, {"first-try": source}), path)
    report = grade(
        name, tmp_path / "submitted", tmp_path / "graded",
        course=made, workers=1, sandboxed=sandbox.status().works,
    )  # fmt: skip
    scores = {student: found.score for student, found in report.students.items()}
    assert scores == {
        "right-added": 2, "right-halved": 2,
        "wrong-unchanged": 0, "wrong-squared": 0, "broken-0": 0,
    }  # fmt: skip
    for one in variants:
        if not one.right:
            assert one.says in report.students[one.name].tests["first-try--values"].message
    assert cells.exercise_of("first-try--values") == "first-try"
