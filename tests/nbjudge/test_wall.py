"""The judge stands alone: it imports nothing of a course, which tells it what it must know."""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nbjudge
import tfcourse.files
from nbjudge import files
from nbjudge.inside import kinds, program

#: The course's packages; the judge knows none of them.
COURSES = {"tfcourse", "coursebook", "nbjudge_tfcourse"}

HERE = Path(nbjudge.__file__).parent


def imported(source):
    """The packages that a module imports, at its top or later, by a statement or by name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in ("import_module", "__import__"):
                found.add(str(node.args[0].value).partition(".")[0])
    return found


def test_the_judge_imports_nothing_of_a_course():
    modules = sorted(HERE.rglob("*.py"))
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
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, path
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in found if name.partition(".")[0] == "nbjudge")


def test_what_is_inside_imports_nothing_that_is_not():
    """A learner's process sees that folder alone."""
    modules = sorted((HERE / "inside").rglob("*.py"))
    found = {name for path in modules for name in modules_of_the_judge(path)}
    assert found and {name for name in found if not name.startswith("nbjudge.inside")} == set()


def test_files_are_written_as_the_course_writes_them():
    """No package imports another, so that the function stands in both: it must be the same."""
    for name in ("write_whole", "sync_folder"):
        assert inspect.getsource(getattr(files, name)) == inspect.getsource(
            getattr(tfcourse.files, name)
        )


def told(folder, **registered):
    """What the judge knows of the courses that are installed in ``folder``, in a new process.

    The judge lies there too, by a link: beside its own folder lies the course's ``egg-info``.
    """
    (folder / "nbjudge").symlink_to(HERE)
    for name, source in registered.items():
        about = folder / f"{name}-2.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
        (about / "entry_points.txt").write_text(f"[{program.GROUP}]\n{name} = {name}\n")
        (folder / f"{name}.py").write_text(source)
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
        "import json, dataclasses\nfrom nbjudge.inside.program import program\n"
        "print(json.dumps(dataclasses.asdict(program()) | {'root': program().variable('ROOT')}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=folder
    )


def test_without_a_course_the_judge_goes_by_its_own_name(tmp_path):
    found = json.loads(told(tmp_path).stdout)
    assert (found["command"], found["root"], found["packages"]) == ("nbjudge", "NBJUDGE_ROOT", [])


def test_a_course_is_what_is_registered(tmp_path):
    found = json.loads(
        told(tmp_path, sorting="COMMAND = 'sorts'\nPACKAGES = ['sorted_lists']").stdout
    )
    assert (found["command"], found["root"]) == ("sorts", "SORTS_ROOT")
    assert found["distribution"] == "sorting" and found["packages"] == ["sorted_lists"]


def test_what_a_course_forbids_is_read_strictly(tmp_path):
    found = told(
        tmp_path, sorting="FORBIDDEN = {'sorting': {'why': 'sorts', 'python': {'b', 'a'}}}"
    )
    assert json.loads(found.stdout)["forbidden"] == {
        "sorting": {"why": "sorts", "python": ["a", "b"]}
    }
    assert kinds._read("sorting", {"why": "sorts", "python": ["heapq"]}).python == ("heapq",)
    for said in ({"python": ["heapq"]}, {"why": "sorts", "pythons": ["heapq"]}):
        with pytest.raises(ValueError, match="'sorting' cannot be read"):
            kinds._read("sorting", said)


def test_two_courses_at_once_are_refused(tmp_path):
    done = told(tmp_path, sorting="", searching="")
    assert (
        done.returncode and "several courses are installed here: searching, sorting" in done.stderr
    )
