"""What has passed is not run again until something changes that its passing depends on."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import passed
import pytest

CONFTEST = 'pytest_plugins = ("levels", "passed", "spread")\n'
TESTS = """
import os
from pathlib import Path
import pytest

@pytest.mark.case_of("chapter")
@pytest.mark.parametrize("path", [Path(f"notebooks/{x}/{x}.ipynb") for x in ("05-one", "06-two")],
                         ids=lambda path: path.stem)
def test_a_chapter(path):
    how = Path("how").read_text()
    assert how != "fails"
    if how == "skips":
        pytest.skip("not here")
    if how == "edits":
        Path("small/deep.py").write_text("VALUE = 'edited meanwhile'")
    if how == "removes":
        Path("small/lazy/late.py").unlink(missing_ok=True)

def test_quick(): ...
"""


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]})


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of two chapters: 05 imports ``small.top``, which imports ``small.deep``."""
    files = {
        "notebooks/05-one/05-one.ipynb": notebook("%matplotlib inline", "from small import top"),
        "notebooks/06-two/06-two.ipynb": notebook("!ls", "import small.apart"),
        "small/__init__.py": "",
        "small/top.py": "from .deep import VALUE\n",
        "small/deep.py": "VALUE = 1\n",
        "small/apart.py": "",
        "small/lazy/__init__.py": "import importlib\ndef get(n): return importlib.import_module(n)",
        "small/lazy/late.py": "",
        "requirements.txt": "torch==2.13.0\n",
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "how": "passes",
        "tests/conftest.py": CONFTEST,
        "tests/test_chapters.py": TESTS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def subject(name: str) -> passed.Subject:
    return passed.Subject("chapter", name, ("tests/test_chapters.py", "tests/conftest.py"))


def digests(course: Path) -> tuple[str, str]:
    tree = passed.Tree(course)
    return subject("05-one").digest(tree), subject("06-two").digest(tree)


def append(course: Path, name: str, text: str = "# a comment\n") -> None:
    with (course / name).open("a") as file:
        file.write(text)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("small/top.py", (True, False)),
        ("small/deep.py", (True, False)),  # 05 imports it by way of another
        ("small/apart.py", (False, True)),
        ("small/lazy/late.py", (False, False)),  # nobody imports it
        ("small/__init__.py", (True, True)),
        ("requirements.txt", (True, True)),
        ("tests/test_chapters.py", (True, True)),
        ("tests/conftest.py", (True, True)),
    ],
)
def test_an_edit_counts_for_those_that_import_it(name, changed, course):
    before = digests(course)
    append(course, name)
    assert tuple(a != b for a, b in zip(before, digests(course), strict=True)) == changed


def test_an_edit_of_the_notebook_counts(course):
    before = digests(course)
    (course / "notebooks/05-one/05-one.ipynb").write_text(notebook("from small import top", "1"))
    after = digests(course)
    assert after[0] != before[0] and after[1] == before[1]


def test_a_file_that_a_package_reads_counts(course):
    before = digests(course)
    (course / "small" / "settings").mkdir()
    (course / "small" / "settings" / "one.toml").write_text("")
    assert digests(course)[0] != before[0]


def test_what_tools_leave_in_a_package_does_not_count(course):
    before = digests(course)
    (course / "small/small.egg-info").mkdir()
    (course / "small/small.egg-info/PKG-INFO").write_text("Name: small")
    (course / "small/.ruff_cache").mkdir()
    (course / "small/.ruff_cache/made").write_text("by a tool")
    assert digests(course) == before


def test_a_new_module_that_shadows_counts(course):
    before = digests(course)
    (course / "small" / "deep").mkdir()
    (course / "small" / "deep" / "__init__.py").write_text("VALUE = 2\n")
    assert digests(course)[0] != before[0]


@pytest.mark.parametrize(
    "source",
    [
        "import small.lazy",
        "small = __import__('small.lazy')",
        "'small.lazy.late'",
        "run(['python', '-c', 'from small.lazy.late import x'])",
    ],
)
def test_what_is_imported_by_a_name_at_run_time_counts(source, course):
    append(course, "small/deep.py", source + "\n")
    before = digests(course)
    append(course, "small/lazy/late.py")
    assert digests(course)[0] != before[0]


def test_another_arithmetic_is_another_test(course, monkeypatch):
    before = digests(course)
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    assert all(a != b for a, b in zip(before, digests(course), strict=True))


def test_another_version_of_a_package_is_another_test(course, monkeypatch):
    before = digests(course)
    monkeypatch.setattr(passed, "_machine", lambda: "torch==2.99")
    assert all(a != b for a, b in zip(before, digests(course), strict=True))


def test_the_machine_names_python_torch_and_the_processor():
    told = passed._machine()
    from importlib.metadata import version

    assert repr(sys.version) in told and f"'torch=={version('torch')}'" in told


def test_python_that_is_none_counts_by_the_names_in_it(course):
    (course / "small" / "deep.py").write_text("def (:\n small.apart.x")
    before = digests(course)
    append(course, "small/apart.py")
    assert digests(course)[0] != before[0]


# ---- this course -------------------------------------------------------------------------------


@pytest.mark.thorough("test of what has passed")
@pytest.mark.parametrize("chapter", ["05-self-attention", "09-decoder"])
def test_all_that_a_chapter_loads_is_known_beforehand(chapter, request):
    """Python itself says which modules a chapter's imports load."""
    root = request.config.rootpath
    path = root / "notebooks" / chapter / f"{chapter}.ipynb"
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    lines = [line.rstrip() for cell in cells for line in cell["source"]]
    imports = [x for x in lines if x.startswith(("import ", "from ")) and not x.endswith("(")]
    ask = "\n".join(
        [
            *("import sys, json", *imports),
            "files = [getattr(m, '__file__', 0) for n, m in list(sys.modules.items())]",
            f"ours = [f for f in files if f and f.startswith({str(root / 'tfcourse')!r})]",
            "print(json.dumps(ours))",
        ]
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr
    loaded = {Path(name) for name in json.loads(done.stdout.splitlines()[-1])}
    known = passed.Tree(root).closure([path])
    assert root / "tfcourse/attention.py" in loaded
    assert loaded - known == set()
    assert root / "tfcourse/cli.py" not in known


# ---- the plugin --------------------------------------------------------------------------------


def run(course: Path, *options: str) -> str:
    tests = Path(passed.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options],
        cwd=course, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tests), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.thorough("test of what has passed")
def test_what_passed_is_not_run_again_until_it_changes(course):
    assert "3 passed" in run(course)
    again = run(course)
    assert "1 passed, 2 deselected" in again
    assert "2 unchanged since they passed, not run again (--fresh runs them)" in again
    assert "3 passed" in run(course, "--fresh")
    append(course, "small/deep.py")
    assert "2 passed, 1 deselected" in run(course)
    assert "2 unchanged" in run(course)
    assert "3 passed" in run(course, "-p", "no:cacheprovider")


@pytest.mark.thorough("test of what has passed")
def test_among_several_processes_too(course):
    assert "3 passed" in run(course, "-p", "xdist", "-n", "2")
    again = run(course, "-p", "xdist", "-n", "2")
    assert "1 passed" in again and "2 unchanged since they passed" in again


SETS = """
import pytest
from small import top

@pytest.mark.case_of("problem set")
@pytest.mark.parametrize("problem_set", ["ps05", "ps06"])
@pytest.mark.parametrize("wrong", [False, True])
def test_an_answer(problem_set, wrong): ...
"""


@pytest.mark.thorough("test of what has passed")
def test_what_a_release_ran_waits_for_a_change(course):
    (course / "notebooks/05-one/evidence.ipynb").write_text(notebook("import small.deep"))
    more = '"06-two")] + [Path("notebooks/05-one/evidence.ipynb")]'
    (course / "tests/test_chapters.py").write_text(TESTS.replace('"06-two")]', more))
    (course / "tests/test_sets.py").write_text(SETS)
    (course / "tests/notebooks").mkdir()
    assert "7 passed" in run(course, "--level", "release")
    shutil.rmtree(course / ".pytest_cache")  # as in a new clone
    again = run(course, "-p", "no:cacheprovider", "--level", "all")
    assert "8 passed" in again, "without the cache, nothing is kept"
    again = run(course)
    assert "1 passed" in again and "7 unchanged since the last release ran them" in again
    append(course, "tests/test_chapters.py")
    assert "7 unchanged since the last release" in run(course), "no test is a source of a notebook"
    assert "8 passed" in run(course, "--fresh")
    shutil.rmtree(course / ".pytest_cache")
    append(course, "small/deep.py")
    assert "1 unchanged since the last release" in run(course), "06 does not import it"


FIGURES = """
import pytest
import helper

@pytest.mark.case_of("live figure")
def test_the_causal_mask_shuts_the_leak(): ...

@pytest.mark.case_of("live figure")
def test_gates(): ...
"""


@pytest.mark.thorough("test of what has passed")
def test_a_figure_that_a_release_ran_waits_but_for_those_that_stand_for_all(course):
    for name, text in {
        "tests/notebooks/x": "",
        "tests/site/figures/__init__.py": "",
        "tests/site/figures/test_figures.py": FIGURES,
        "tests/site/helper.py": "",
        "notebooks/05-one/figures/gates/figure.js": "",
        "notebooks/05-one/measure/gates.py": "",
    }.items():
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(text)
    only = ("-p", "no:cacheprovider", "tests/site")
    assert "2 passed" in run(course, "--level", "release", "tests/site")
    shutil.rmtree(course / ".pytest_cache")
    again = run(course, "tests/site")
    assert "1 passed" in again and "1 unchanged since the last release" in again
    append(course, "notebooks/05-one/measure/gates.py")
    shutil.rmtree(course / ".pytest_cache")
    assert "1 unchanged since the last release" in run(course, "tests/site"), "no figure uses it"
    for changed in "tests/site/helper.py", "notebooks/05-one/figures/gates/figure.js":
        shutil.rmtree(course / ".pytest_cache")
        append(course, changed)
        assert "2 passed" in run(course, "tests/site")
    assert "2 passed" in run(course, *only), "without the cache, nothing is kept"


@pytest.mark.thorough("test of what has passed")
@pytest.mark.parametrize(
    "part", [("-k", "True"), ("tests/test_sets.py::test_an_answer[True-ps05]",)], ids=["k", "name"]
)
def test_a_release_keeps_no_case_of_which_it_ran_a_part(part, course):
    (course / "tests/test_sets.py").write_text(SETS)
    (course / "tests/notebooks").mkdir()
    assert "passed" in run(course, "--level", "release", *part)
    assert not (course / passed.RELEASED).exists()


@pytest.mark.parametrize("how", ["fails", "skips"])
def test_only_what_passed_is_kept(how, course):
    (course / "how").write_text(how)
    for _ in range(2):
        assert f"2 {'failed' if how == 'fails' else 'skipped'}" in (said := run(course))
        assert "unchanged" not in said


def test_what_failed_after_it_passed_is_forgotten(course):
    run(course)
    (course / "how").write_text("fails")
    assert "2 failed" in run(course, "--fresh")
    assert "2 failed" in run(course)


def test_what_was_edited_while_it_ran_is_not_kept(course):
    (course / "how").write_text("edits")
    assert "3 passed" in run(course)
    assert "1 unchanged" in run(course)  # 06 does not import what was edited


def test_nothing_is_kept_if_a_file_was_removed_meanwhile(course):
    (course / "how").write_text("removes")
    assert "3 passed" in run(course)
    again = run(course)
    assert "3 passed" in again and "unchanged" not in again
