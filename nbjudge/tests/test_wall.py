"""The judge stands alone: it imports nothing of a course, which tells it what it must know."""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from around import WITHOUT

import nbjudge
from nbjudge import files
from nbjudge.inside import program
from nbjudge.inside.tables import Misspelt, read_table

#: The course's packages; the judge knows none of them.
COURSES = {"tfcourse", "coursebook", "nbjudge_tfcourse"}

HERE = Path(nbjudge.__file__).parent


def imported(source):
    """The packages that a module imports, at its top or later, by a statement or by name."""
    roots = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            roots.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in ("import_module", "__import__"):
                roots.add(str(node.args[0].value).partition(".")[0])
    return roots


def test_the_judge_imports_nothing_of_a_course():
    modules = files.own_files("*.py")
    assert len(modules) > 60
    for path in modules:
        assert not imported(path.read_text("utf-8")) & COURSES, path.relative_to(HERE)


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import tfcourse.layers",
        "from coursebook import course",
        "import importlib\nimportlib.import_module('tfcourse.files')",
    ],
)
def test_the_search_finds_imports(source):
    assert imported(source) & COURSES


def modules_of_the_judge(path):
    """The judge's own modules that a module imports, at its top or later."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, path
            dotted = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in dotted if name.partition(".")[0] == "nbjudge")


def test_what_is_inside_imports_nothing_that_is_not():
    """A learner's process sees that folder alone."""
    modules = sorted((HERE / "inside").rglob("*.py"))
    names = {name for path in modules for name in modules_of_the_judge(path)}
    assert names and {name for name in names if not name.startswith("nbjudge.inside")} == set()


def test_files_are_written_as_the_course_writes_them():
    """No package imports another, so that the function stands in both: it must be the same."""
    theirs = pytest.importorskip("tfcourse.files", reason=WITHOUT)
    for name in ("write_whole", "sync_folder"):
        ours = inspect.getsource(getattr(files, name))
        assert ours == inspect.getsource(getattr(theirs, name))


def ask_judge(folder, settings=None, **modules):
    """What the judge knows of the course in ``folder``, in a new process that starts there.

    The judge lies there too, by a link: beside its own folder lies this course's ``course.toml``.
    """
    (folder / "nbjudge").symlink_to(HERE)
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)
    if settings is not None:
        (folder / program.FILE).write_text(settings)
    code = (
        "import json, msgspec\nfrom nbjudge.inside.program import program\n"
        "print(json.dumps(msgspec.to_builtins(program()) | {'root': program().variable('ROOT')}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    environment.pop(program.VARIABLE, None)
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=folder
    )


def test_without_a_file_of_its_own_a_course_has_the_judges_defaults(tmp_path):
    settings = json.loads(ask_judge(tmp_path).stdout)
    assert (settings["command"], settings["root"], settings["packages"]) == (
        "nbjudge",
        "NBJUDGE_ROOT",
        [],
    )


def test_a_course_says_in_its_folder_what_it_needs(tmp_path):
    message = 'command = "sorts"\ndistribution = "sorting"\npackages = ["sorted_lists"]'
    settings = json.loads(ask_judge(tmp_path, message).stdout)
    assert (settings["command"], settings["root"]) == ("sorts", "SORTS_ROOT")
    assert settings["distribution"] == "sorting" and settings["packages"] == ["sorted_lists"]


def test_a_course_that_is_a_package_says_it_there(tmp_path):
    message = 'settings = "sorting"\ncommand = "sorts"'
    module = "COMMAND = 'other'\nFORBIDDEN = {'sorting': {'why': 'sorts', 'python': {'b', 'a'}}}"
    settings = json.loads(ask_judge(tmp_path, message, sorting=module).stdout)
    assert settings["command"] == "sorts"
    assert [*settings["forbidden"]] == ["sorting"]
    entry = settings["forbidden"]["sorting"]
    assert (entry["why"], entry["python"], entry["modules"]) == ("sorts", ["a", "b"], [])


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ('settings = "sorting"', "names the module 'sorting', but 'sorting' is not installed"),
        ('comand = "sorts"', "has 'comand', which is none of settings, command"),
        ("command = sorts", "cannot be read"),
        ('packages = "sorted_lists"', "packages must be a list of strings"),
        ("values = [1]", "values must be a list of strings"),
        ("wrong_results = 1", "wrong_results must be a string"),
        ('forbidden = "all"', "forbidden must be a table; got 'all'"),
    ],
)
def test_a_course_that_cannot_be_read_is_told_in_a_line(tmp_path, message, problem):
    done = ask_judge(tmp_path, message)
    assert done.returncode and problem in done.stderr.splitlines()[-1]


def test_what_a_course_forbids_is_read_strictly():
    def read(entry):
        return read_table({"forbidden": {"sorting": entry}}, program.Program).forbidden["sorting"]

    assert read({"why": "sorts", "python": ["heapq"]}).python == ("heapq",)
    for entry in ({"python": ["heapq"]}, {"why": "sorts", "pythons": ["heapq"]}):
        with pytest.raises(Misspelt, match="'sorting' cannot be read"):
            read(entry)


def test_the_first_course_above_counts(tmp_path, monkeypatch):
    """A plain course of nbgrader's in the folder of another is not that one."""
    monkeypatch.delenv(program.VARIABLE, raising=False)
    inner, graded = tmp_path / "course" / "inner", tmp_path / "course" / "inner" / "graded"
    graded.mkdir(parents=True)
    (tmp_path / "course" / program.FILE).touch()
    monkeypatch.chdir(graded)
    assert program.folder_of_settings() == tmp_path / "course"
    for name in ("nbgrader_config.py", "ledger.db"):
        (graded / name).touch()
    assert program.folder_of_settings() == tmp_path / "course", "that is graded work"
    (inner / "nbgrader_config.py").touch()
    assert program.folder_of_settings() is None
