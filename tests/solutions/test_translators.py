"""The capstone from submission to leaderboard: three example translators, and bad files."""

import io
import pickle
import re
import runpy
import shutil
from types import SimpleNamespace

import pytest
import torch
from nbformat import read, write
from safetensors.torch import load_file, save
from typer.testing import CliRunner
from whole_class import COURSE, SANDBOXED, SEED, release_notebook

from nbjudge.answers import load_variants
from nbjudge.intake import cells, enclosures
from nbjudge.intake.release import make_release
from nbjudge.report.leaderboard import leaderboard
from nbjudge.run.engine import grade
from nbjudge.variants import fill
from tfcourse.cli import app

pytestmark = pytest.mark.thorough("grading of the capstone's examples")

#: How the examples' checkpoints are made, where they are, and the answers that they come with.
MADE = runpy.run_path(str(COURSE / "examples" / "translators" / "make.py"))
SET, CHECKPOINTS, answers = MADE["SET"], MADE["CHECKPOINTS"], MADE["answers"]

NAME, FILE = SET.name, "translator.safetensors"

#: Whose answer, and which file it comes with.
SUBMISSIONS = ("good", "weak", "peeks")

#: A parser of German number words: the weights are there to be counted, and compute nothing.
[RULES] = [v for v in load_variants(SET)["translator"] if v.name == "wrong-rules-alone"]

PROPERTIES = ("budget", "scores", "causal", "padding", "cached", "learned")


def torch_saved() -> bytes:
    file = io.BytesIO()
    torch.save(load_file(CHECKPOINTS["good"]), file)
    return file.getvalue()


def files() -> dict[str, tuple[str, bytes | None]]:
    """Each learner's answer and file."""
    content = {name: path.read_bytes() for name, path in CHECKPOINTS.items()}
    wide = {name: x.repeat_interleave(2, 0) for name, x in load_file(CHECKPOINTS["good"]).items()}
    half = {name: x.half() for name, x in wide.items()}
    return {
        **{name: (name, content[name]) for name in SUBMISSIONS},
        "torch-save": ("good", torch_saved()),
        "pickle": ("good", pickle.dumps({"weights": [1.0, 2.0]})),
        "too-large": ("good", save(wide)),
        "too-many": ("good", save(half)),
        "misfit": ("good", content["weak"]),
        "no-file": ("good", None),
        "no-code": ("", content["good"]),
        "rules": ("rules", content["good"]),
    }


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translators")
    course, submitted, into = folder / "course", folder / "submitted", folder / "graded"
    shutil.copytree(SET, course / "solutions" / NAME)
    for name in ("_toc.yml", "nbgrader_config.py"):
        shutil.copy(COURSE / name, course / name)
    make_release(NAME, course)
    sources = answers() | {"rules": RULES.source}
    for student, (answer, content) in files().items():
        filled = {"translator": sources[answer]} if answer else {}
        place = submitted / student / NAME
        place.mkdir(parents=True)
        write(fill(release_notebook(NAME, course), filled), place / f"{NAME}.ipynb")
        if content is not None:
            (place / FILE).write_bytes(content)
    report = grade(
        *(NAME, submitted, into), course=course, seed=SEED, workers=1, sandboxed=SANDBOXED
    )  # fmt: skip
    return SimpleNamespace(report=report, into=into)


def scores(graded, student):
    """What came of the translator's tests; nobody has written the report."""
    tests = graded.report.students[student].tests
    return {
        name.removeprefix("translator--"): test
        for name, test in tests.items()
        if name.startswith("translator--")
    }


def test_the_examples_checkpoints_are_within_the_budget():
    [(name, kilobytes)] = enclosures.declared(release_notebook(NAME, COURSE)).items()
    assert name == FILE
    for path in CHECKPOINTS.values():
        assert path.stat().st_size <= kilobytes * 1000
        assert sum(tensor.numel() for tensor in load_file(path).values()) <= 20_000


def test_the_page_for_instructors_names_what_the_notebook_has():
    page = " ".join((COURSE / "book" / "teach.md").read_text("utf-8").split())
    notebook = read(SET / f"{NAME}.ipynb", as_version=4)
    cell = {cells.grade_id(one): one for one in notebook.cells}
    bleu = cell["translator--bleu"]
    assert "200 numbers whose digits add up to a multiple of 7" in page
    assert "sum(map(int, str(number))) % 7 == 0" in cell["setup-data"].source
    assert "def held_out(" in cell["setup-data"].source
    assert "draw_pairs(200, generator, tests=True)" in bleu.source
    (thresholds,) = re.findall(r"^THRESHOLDS = (.+)$", cell["setup"].source, re.MULTILINE)
    assert len(thresholds.split(",")) == bleu.metadata.nbgrader.points
    assert "MOST_PARAMETERS = " in cell["setup"].source and "kilobytes=" in cell["setup"].source


def test_a_good_translator_gets_all_points(graded):
    found = scores(graded, "good")
    assert all(test.score == test.max_score for test in found.values()), found
    assert found["bleu"].measured["BLEU"] >= 99


def test_a_weak_translator_keeps_the_points_of_its_properties(graded):
    found = scores(graded, "weak")
    assert {name: found[name].message for name in PROPERTIES} == dict.fromkeys(PROPERTIES, "")
    assert 1 <= found["bleu"].score <= 5
    assert f"{found['bleu'].score:g} of 8 thresholds" in found["bleu"].message


def test_one_that_peeks_is_told_so(graded):
    found = scores(graded, "peeks")
    assert found["causal"].score == 0
    assert "your decoder peeks" in found["causal"].message
    assert found["bleu"].score == 0 and found["bleu"].measured["BLEU"] < 20


@pytest.mark.parametrize(
    ("student", "told"),
    [
        ("torch-save", f"{FILE} is a zip, such as torch.save writes, with a pickle in it."),
        ("pickle", f"{FILE} is a pickle."),
        ("too-large", f"{FILE} is 139 kB, over the limit of 90 kB"),
        ("no-file", f"{FILE} was not handed in"),
    ],
)
def test_a_bad_file_costs_the_translators_points_and_says_why(graded, student, told):
    result = graded.report.students[student]
    assert result.score == 0
    assert any(flag.startswith(told) for flag in result.flags)
    assert all(test.message.startswith(told) for test in scores(graded, student).values())


def test_numbers_of_half_the_size_do_not_stretch_the_budget(graded):
    found = scores(graded, "too-many")
    assert found["budget"].message.startswith("Your checkpoint holds 33,744 parameters. The budget")


def test_shapes_that_do_not_fit_are_told(graded):
    result = graded.report.students["misfit"]
    assert result.score == 0
    said = scores(graded, "misfit")["budget"].message
    assert "Error(s) in loading state_dict for Translator" in said


def test_a_file_without_code_gets_nothing(graded):
    assert graded.report.students["no-code"].score == 0


def test_rules_alone_get_no_points_and_no_place(graded):
    assert graded.report.students["rules"].score == 0
    assert RULES.match in scores(graded, "rules")["learned"].message
    board = leaderboard(NAME, graded.into)
    assert {row.name for row in board.rows} == set(SUBMISSIONS)


@pytest.mark.parametrize("anonymous", [False, True])
def test_the_leaderboard_is_drawn(graded, anonymous):
    words = ["report", NAME, "--into", str(graded.into), *(["--anonymous"] if anonymous else [])]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0, said.output
    page = (graded.into / "leaderboard" / f"{NAME}.html").read_text("utf-8")
    assert page.count("<circle") == len(SUBMISSIONS)
    assert "Ranked by BLEU" in page
    named = [name for name in files() if f"<td>{name}</td>" in page]
    assert named == ([] if anonymous else list(SUBMISSIONS))
    if not anonymous:
        assert page.index("<td>good</td>") < min(page.index(f"<td>{n}</td>") for n in named[1:])
