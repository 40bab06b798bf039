"""What is declared, pinned and imported is the same: pyproject.toml, requirements*.txt, imports."""

import ast
import json
import os
import re
import sys
import tomllib
from pathlib import Path

import environments
import pytest
import torch
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tfcourse.data import info, names
from tfcourse.extras import EXTRAS, distribution

#: What may be imported without being declared: the code around it says what to do without.
#: Dask Gateway is in the image of a cluster that runs it.
OPTIONAL = {"triton", "dask_gateway"}

#: A notebook compares with them if they are installed; without them its cells say what to install.
NOTEBOOKS_OPTIONAL = {"09-decoder/evidence": {"transformers"}}

#: Where a lesson only shows its code, without the package.
SHOWN_WITHOUT = {"13-fast-attention": {"triton"}}


JUDGE = tomllib.loads((environments.COURSE / "nbjudge/pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def project(course) -> dict:
    return tomllib.loads((course / "pyproject.toml").read_text("utf-8"))["project"]


def asked(project: dict, extra: str = "") -> list[Requirement]:
    """What the package and an extra ask for, with the extras that the extra holds.

    The judge stands for what it asks for.
    """
    found: list[Requirement] = []
    for line in project["dependencies"] + project["optional-dependencies"].get(extra, []):
        one = Requirement(line)
        if one.name in ("tfcourse", environments.JUDGE):
            other = project if one.name == project["name"] else JUDGE
            for held in one.extras or {""}:
                found += asked(other, held)
        else:
            found.append(one)
    return found


def pins(path: Path) -> dict[str, set[str]]:
    """The versions that a requirements file names, by package: several if they carry markers."""
    found: dict[str, set[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if not line or line in ("-e .", "-e ./nbjudge"):
            continue
        one = Requirement(line)
        (only,) = one.specifier
        assert only.operator == "==", f"{path.name}: {line} is not pinned"
        found.setdefault(canonicalize_name(one.name), set()).add(only.version)
    return found


@pytest.mark.parametrize(
    ("file", "extra"), [("requirements.txt", "dev"), ("requirements-learner.txt", "learner")]
)
def test_requirements_hold_what_the_project_asks_for(course, project, file, extra):
    pinned = pins(course / file)
    for one in asked(project, extra):
        versions = pinned.get(canonicalize_name(one.name))
        assert versions, f"{file} lacks {one.name}: run .ci/requirements"
        assert all(one.specifier.contains(v) for v in versions), (
            f"{file}: {one.name} {versions} is not {one.specifier}: run .ci/requirements"
        )
    text = (course / file).read_text("utf-8")
    own = re.findall(r"^-e (\S+)", text, re.MULTILINE)
    assert own == [".", "./nbjudge"], f"{file} does not install the packages themselves"
    assert "://" not in text and "--" not in text, f"{file} names an index or an option"


def test_learners_get_the_versions_that_are_tested(course):
    everything = pins(course / "requirements.txt")
    learners = pins(course / "requirements-learner.txt")
    assert {name: everything.get(name) for name in learners} == learners
    assert len(learners) < len(everything)


def test_every_statement_of_the_versions_of_python_is_the_same(course, project):
    (asked_for,) = re.findall(r"^>=3\.(\d+),<3\.(\d+)$", project["requires-python"])
    minors = range(int(asked_for[0]), int(asked_for[1]))
    versions = [f"3.{minor}" for minor in minors]
    *but_last, last = versions
    listed, ranged = f"{', '.join(but_last)} or {last}", f"{versions[0]} to {last}"
    named = [c.rpartition(" ")[2] for c in project["classifiers"] if "Python :: 3." in c]
    assert named == versions
    for name, said in {
        "README.md": f"Python {listed} and `make`",
        "book/take.md": f"Python {listed}.",
        "Makefile": f"The course needs Python {listed};",
        "CONTRIBUTING.md": f"{ranged} on Linux",
        ".ci/requirements": f"Python {ranged} on Linux",
        ".github/workflows/tests.yml": f"python: {json.dumps(versions)}",
        "tfcourse/extras.py": f"{ranged} is needed",
    }.items():
        assert said in (course / name).read_text("utf-8"), f"{name} does not say: {said}"
    assert f"(3, {minors[0]}) <= sys.version_info[:2] <= (3, {minors[-1]})" in (
        course / "Makefile"
    ).read_text("utf-8")
    binder = (course / ".binder/runtime.txt").read_text("utf-8").strip()
    assert binder.removeprefix("python-") in versions


def test_an_address_to_write_to_is_configured_in_one_place(course):
    """CITATION.cff names a contact or none, and the other files send their readers there."""
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md"):
        text = (course / name).read_text("utf-8")
        assert "(CITATION.cff)" in text and not re.search(r"\w@\w", text), name


def test_each_extra_holds_the_one_before_it(project):
    assert tuple(project["optional-dependencies"]) == EXTRAS
    held = [{one.name for one in asked(project, extra)} for extra in EXTRAS]
    assert held == sorted(held, key=len) and all(
        a < b for a, b in zip(held, held[1:], strict=False)
    )


def test_corpora_are_pinned_to_what_their_hashes_hold_for(course, project):
    """The maintainer's extra pins what is needed for nothing else; its file pins all of it."""
    exact = {one.name: one for one in asked(project, "dev") if "==" in str(one.specifier)}
    pinned = pins(course / "requirements.txt")
    for corpus in names():
        for package, version in info(corpus).made_from.items():
            assert pinned[canonicalize_name(package)] == {version}, f"{corpus}: {package}"
            if package in exact:
                assert exact[package].specifier.contains(version)
            else:
                assert package in ("torch", "numpy", "matplotlib"), f"{package} is not exact"


def imported(source: str) -> set[str]:
    """The top-level modules that Python code imports, without those of Python itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - set(environments.PACKAGES)


def test_the_judge_lists_its_packages(course):
    said = tomllib.loads((course / "nbjudge/pyproject.toml").read_text("utf-8"))
    folders = [path.parent.relative_to(course) for path in course.glob("nbjudge/**/__init__.py")]
    listed = said["tool"]["setuptools"]["packages"]
    assert listed == sorted(".".join(folder.parts) for folder in folders)
    assert said["project"]["requires-python"] == ">=3.11,<3.15"


@pytest.mark.parametrize("judges", [False, True])
def test_what_the_packages_import_is_declared(course, project, judges):
    """What only the judge imports is for the judge to declare, and the other way round."""
    every = [one for extra in JUDGE["optional-dependencies"] for one in asked(JUDGE, extra)]
    declared = {canonicalize_name(one.name) for one in every}
    if not judges:
        declared |= {canonicalize_name(one.name) for one in asked(project, "dev")}
    names = (environments.JUDGE,) if judges else environments.OWN
    paths = sorted(path for name in names for path in (course / name).rglob("*.py"))
    for path in (path for path in paths if not path.is_relative_to(course / "nbjudge/tests")):
        for module in imported(path.read_text("utf-8")) - OPTIONAL:
            # What answers draw with is theirs to have: the judge only spares them the loading.
            ok = distribution(module) in declared or (judges and module == "matplotlib")
            assert ok, f"{path.name} imports {module}: not declared"


def test_what_learners_notebooks_import_is_in_the_smallest_extra(course, project):
    """Colab and Kaggle bring IPython, and the learner's extra does elsewhere."""
    import nbformat

    declared = {canonicalize_name(one.name) for one in asked(project, "colab")} | {"ipython"}
    assert "ipython" in {one.name for one in asked(project, "learner")}
    # Lessons, problem sets and their solutions; the evidence is for those who check the claims.
    folders = [course / "notebooks/assignments", course / "solutions"]
    sets = [path for folder in folders for path in folder.glob("ps*/*.ipynb")]
    paths = [*(course / "notebooks").glob("*/[0-9]*.ipynb"), *sets]
    assert len(paths) > 30
    for path in sorted(paths):
        for cell in nbformat.read(path, 4).cells:
            if cell.cell_type != "code":
                continue
            plain = re.sub(r"^\s*[%!].*", "", cell.source, flags=re.MULTILINE)
            for module in imported(plain) - SHOWN_WITHOUT.get(path.stem, set()):
                assert distribution(module) in declared, f"{path.name} imports {module}"


@pytest.mark.parametrize("name", NOTEBOOKS_OPTIONAL)
def test_without_an_optional_package_a_cell_says_in_a_line_what_to_install(
    course, monkeypatch, capsys, name
):
    import nbformat

    notebook = nbformat.read(course / "notebooks" / f"{name}.ipynb", 4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    touched = [one for one in code if "if transformers is None:" in one]
    assert len(touched) == 2
    for optional in NOTEBOOKS_OPTIONAL[name]:
        monkeypatch.setitem(sys.modules, optional, None)
    names = {"os": os, "torch": torch}
    for one in touched:
        exec(one, names)
        said = capsys.readouterr().out
        assert said.count("\n") == 1 and "pip install transformers" in said


def test_the_package_is_described_where_no_other_page_of_the_course_is(course, project, capsys):
    """A package index shows the description alone: a relative link leads nowhere there."""
    text = (course / project["readme"]).read_text("utf-8")
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert [link for link in links if not link.startswith("https://")] == []
    table = re.findall(r"^\| `(\w+)` \|", text, re.M)
    assert table == [name for name in project["optional-dependencies"] if name in table]
    assert set(table) == set(EXTRAS)
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(code, {})
    shown = re.search(r"print\(.*\)  # (.*)", code)[1]
    assert capsys.readouterr().out.strip() == shown
