"""How large a module and a function may be, and what a package must not import."""

import ast

import pytest

#: Lines of code of a module and of a function, without docstrings, comments and empty lines.
MOST, MOST_OF_A_FUNCTION = 400, 80

PACKAGES = ["tfcourse", "nbjudge_tfcourse", "coursebook", "nbjudge"]

#: Module and the other package that it imports all the same → why.
EXCEPTIONS = {
    ("coursebook.demo", "nbjudge"): "shows the whole course at work: it grades an example class",
    ("coursebook.measuring", "tfcourse"): "runs presets for the lessons' measurements",
    ("coursebook.measuring.stack", "tfcourse"): "the model that several measurements vary",
    ("nbjudge_tfcourse.commands", "nbjudge"): "gives the course's command the judge's commands",
    ("nbjudge_tfcourse.translating", "nbjudge"): "raises what the judge's test cells raise",
}

every_package = pytest.mark.parametrize("package", PACKAGES)


def modules(course, package):
    """Every module of the package by its dotted name, with its source; not those of its tests."""
    found = {}
    tests = course / package / "tests"
    for path in sorted((course / package).rglob("*.py")):
        if path.is_relative_to(tests):
            continue
        name = ".".join(path.relative_to(course).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path.read_text("utf-8")
    return found


def functions(source):
    """Every function and method, those inside others too: its name and its source."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, "\n".join(lines[node.lineno - 1 : node.end_lineno]).lstrip()


def code_lines(source):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            docstrings |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(map(str.strip, source.splitlines()), 1)
    return sum(bool(x) and not x.startswith("#") and n not in docstrings for n, x in lines)


def packages_imported(source):
    """The first part of the name of everything that a module imports, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def imported(source, known):
    """The modules of the package that a module imports anywhere, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else node.module


def circle(graph):
    """The modules of a circle of imports; ``None`` if there is none."""
    left = dict(graph)
    while True:
        free = [name for name, needs in left.items() if not needs & left.keys()]
        if not free:
            return sorted(left) or None
        for name in free:
            del left[name]


def test_lines_of_code_are_counted_without_documentation():
    head = '"""One.\n\nTwo."""\n\n# a comment\nx = 1  # one\n'
    source = head + '\n\ndef f():\n    """Three."""\n    return x\n'
    assert code_lines(source) == 3


def test_functions_inside_others_are_found():
    inner = 'async def g():\n        """One."""\n        return 1'
    source = f"class C:\n    def f(self):\n        x = 0\n\n    {inner}\n"
    assert [(name, code_lines(text)) for name, text in functions(source)] == [("f", 2), ("g", 2)]


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) is None


def test_imports_of_packages_are_found():
    source = "import a.b, c\nfrom . import d\n\n\ndef f():\n    from e.f import g\n"
    assert list(packages_imported(source)) == ["a", "c", "e"]


def test_no_package_imports_another(course):
    found = {
        (name, other)
        for package in PACKAGES
        for name, source in modules(course, package).items()
        for other in packages_imported(source)
        if other in PACKAGES and other != package
    }
    assert found <= EXCEPTIONS.keys(), f"not allowed: {sorted(found - EXCEPTIONS.keys())}"
    assert found == EXCEPTIONS.keys(), f"no longer needed: {sorted(EXCEPTIONS.keys() - found)}"


def test_a_class_name_means_one_thing(course):
    """In what is about the subject and its book; the judge has names of its own."""
    found = {}
    for package in sorted(set(PACKAGES) - {"nbjudge"}):
        for name, source in modules(course, package).items():
            for node in ast.parse(source).body:
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name, []).append(name)
    assert len(found) > 200
    assert not {name: places for name, places in found.items() if len(places) > 1}


@every_package
def test_no_module_is_too_long_to_read_in_one_sitting(course, package):
    long = {name: n for name, s in modules(course, package).items() if (n := code_lines(s)) > MOST}
    assert not long, f"more than {MOST} lines of code: {long}"


@pytest.mark.parametrize(
    "folder", [*PACKAGES, "tests", "nbjudge/tests", "benchmarks", "notebooks", "examples"]
)
def test_no_function_is_too_long_to_read_at_once(course, folder):
    long = {
        f"{module}.{name}": lines
        for module, source in modules(course, folder).items()
        for name, text in functions(source)
        if text.count("\n") >= MOST_OF_A_FUNCTION and (lines := code_lines(text))
        if lines > MOST_OF_A_FUNCTION
    }
    assert not long, f"more than {MOST_OF_A_FUNCTION} lines of code: {long}"


@every_package
def test_no_module_imports_itself_through_others(course, package):
    known = modules(course, package)
    assert len(known) > 2
    graph = {name: set(imported(source, known)) - {name} for name, source in known.items()}
    if found := circle(graph):
        pytest.fail(f"a circle of imports among {found}")
