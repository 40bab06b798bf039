"""The tests lie in folders named like what they test."""

from collections import Counter

import pytest

#: What is tested whole, across the packages: the house's rules, the built site, the wheel.
WHOLE = {"house", "site", "packaging"}

#: What the judge is tried with: submissions, courses, a system that is not Linux.
GIVEN = {"hostile", "honest", "courses", "other_system"}


def folder_of_tests(course, package):
    """The folder of a package's tests: those of the judge are part of its own distribution."""
    own = course / package / "tests"
    return own if own.is_dir() else course / "tests" / package


def all_tests(course):
    """Every Python file of tests, and of what they share."""
    return [*(course / "tests").rglob("*.py"), *(course / "nbjudge" / "tests").rglob("*.py")]


def folders(path):
    """The folders below ``path`` that hold Python, by name."""
    return {
        folder.name for folder in path.iterdir() if folder.is_dir() and any(folder.glob("*.py"))
    }


def test_each_folder_of_tests_is_named_like_a_folder_of_the_course(course):
    tested = folders(course / "tests") - WHOLE
    ours = {path.name for path in course.iterdir() if path.is_dir()}
    assert tested <= ours, f"no folder of the course has this name: {sorted(tested - ours)}"
    packages = {path.parent.name for path in course.glob("*/__init__.py")}
    assert not {name for name in packages if not folder_of_tests(course, name).is_dir()}


@pytest.mark.parametrize("package", ["tfcourse", "nbjudge"])
def test_each_part_of_a_package_has_its_tests(course, package):
    parts, tested = course / package, folders(folder_of_tests(course, package)) - GIVEN
    packages = folders(parts) - {"tests"}
    modules = {path.stem for path in parts.glob("*.py")}
    assert packages <= tested, f"no folder of tests: {sorted(packages - tested)}"
    assert tested <= packages | modules, f"no such part: {sorted(tested - packages - modules)}"


def test_a_test_of_a_package_names_it(course):
    """Directly, or through what it shares with the tests beside it."""
    for package in {path.parent.name for path in course.glob("*/__init__.py")}:
        folder = folder_of_tests(course, package)
        shared = "\n".join(
            path.read_text("utf-8")
            for path in folder.rglob("*.py")
            if not path.name.startswith("test_")
        )
        for path in folder.rglob("test_*.py"):
            text = path.read_text("utf-8")
            assert package in text or (package in shared and "import" in text), path


def test_no_test_lies_outside_the_folders(course):
    assert not list((course / "tests").glob("test_*.py"))


def test_what_tests_share_has_one_name_each(course):
    """Each folder of tests is on the path, so the second module of a name would never be found.

    A folder that is a package is not, and is found by its own name.
    """
    known = {"conftest.py", "sitecustomize.py", "nbgrader_config.py"}
    modules = all_tests(course)
    packages = {path.parent for path in modules if path.name == "__init__.py"}
    modules = [path for path in modules if path.parent not in packages]
    names = [path.name for path in modules if path.name not in known]
    names += [f"{folder.name}.py" for folder in packages]
    assert [name for name, times in Counter(names).items() if times > 1] == []
