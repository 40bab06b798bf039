"""Skips a costly test that has passed and of which nothing has changed since.

What a chapter's run depends on is its notebook, the modules that it imports, and theirs, the pins
and the processor; a problem set's variants depend on its folder and on the grader; the site's
pages on the site's sources. All are taken up into one digest. It is kept in pytest's own cache
(``.pytest_cache``, which git ignores) when the test passes, and forgotten when it does not.
``--fresh`` takes no notice of it, and ``-p no:cacheprovider`` does without.

Lessons, their evidence, the answers to problem sets and the live figures take long, and few changes
reach one. A release runs them all, and keeps the digest of what each depends on in
:data:`RELEASED`, a file of the course: `make test-all` runs those of which something has changed
since, on any machine. It runs the figures that `make test` takes in any case, since a browser's
version is no source.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from levels import AT_RELEASE, EVIDENCE, FIGURE, SAMPLE, case, left_out

from coursebook import browser

#: Where pytest's cache keeps the digests, by test.
KEPT = "tfcourse/passed"

#: The cases that the last release ran: test file and case → digest of what they depend on.
RELEASED = "tests/notebooks/released.json"

#: What decides how numbers are rounded, besides the processor.
ARITHMETIC = ("ATEN_CPU_CAPABILITY", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA",
              "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS",
              "NPY_DISABLE_CPU_FEATURES", "TFCOURSE_SIZE")  # fmt: skip

#: Programs that a test runs: another one is another test.
PROGRAMS = ("bwrap", "chromium-headless-shell", *browser.BROWSERS)

#: Besides what its test imports: the files of each kind of case, ``{}`` being its name. Those
#: that are Python or notebooks are read for their imports too.
FILES = {
    "chapter": ("notebooks/{}/**/*", "notebooks/*/records/*.json", "notebooks/*/figures/**/*"),
    EVIDENCE: (
        "notebooks/{}/evidence.ipynb",
        "notebooks/{}/measure/*",
        "notebooks/*/records/*.json",
        "benchmarks/records/*.json",
    ),
    "problem set": (
        "solutions/{}/**/*",
        "solutions/*.*",
        "_toc.yml",
        "nbgrader_config.py",
    ),
    FIGURE: (
        *("book/figures/**/*", "notebooks/*/figures/**/*"),
        *("book/*.yml", "book/explore.md", "node_modules/axe-core/package.json"),
    ),
    "measurement": ("benchmarks/{}.py", "notebooks/*/measure/{}.py"),
    "site": (
        *("_config.yml", "_toc.yml", "nbgrader_config.py", "package.json", "README.md"),
        *("index.md", *(f"{folder}/**/*" for folder in ("book", "notebooks", "solutions"))),
        *(
            f"{folder}/**/*"
            for folder in (
                "tfcourse",
                "nbjudge",
                "coursebook",
                "nbjudge_tfcourse",
                "benchmarks",
                "examples",
            )
        ),
        *("tests/site/*", "node_modules/axe-core/package.json"),
    ),
}

#: A name that may be a module's.
DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


# ---- what a test depends on --------------------------------------------------------------------


def _parsed(path: Path) -> ast.Module | None:
    """The Python of a module, or of a notebook's code cells; None if it is none."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        from IPython.core.inputtransformer2 import TransformerManager

        cells = (c for c in json.loads(text)["cells"] if c["cell_type"] == "code")
        transform = TransformerManager().transform_cell
        text = "\n".join(transform("".join(cell["source"])) for cell in cells)
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _docstrings(nodes: list[ast.AST]) -> set[int]:
    """What says what a module, a class or a function is."""
    holders = (n for n in nodes if isinstance(getattr(n, "body", None), list) and n.body)
    firsts = (n.body[0] for n in holders)
    return {id(first.value) for first in firsts if isinstance(first, ast.Expr)}


def _asked_for(tree: ast.Module) -> set[int]:
    """The calls in a module's own ``__getattr__``: who asks it for a part names that part."""
    asked = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "__getattr__")
    return {id(n) for function in asked for n in ast.walk(function) if isinstance(n, ast.Call)}


def _dotted(node: ast.expr) -> str:
    """``a.b.c`` as it is written; empty if it begins with something else than a name."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


class Tree:
    """A course's files: which modules import which, and a digest of each."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._kept: dict[tuple, object] = {}
        self._found: dict[tuple[str, Path | None], list[Path]] = {}

    def _once(self, about: str, path: Path, make) -> object:
        """What was made of a file, made again when the file has changed."""
        stat = path.stat()
        key = about, path, stat.st_mtime_ns, stat.st_size, stat.st_ino
        if key not in self._kept:
            self._kept[key] = make(path)
        return self._kept[key]

    def digest(self, path: Path) -> str:
        """The digest of a file's bytes."""
        return self._once("digest", path, lambda p: hashlib.sha256(p.read_bytes()).hexdigest())

    def find(self, name: str, importer: Path | None = None) -> list[Path]:
        """The files that importing ``name`` runs, packages first; none if it is not the course's.

        If ``importer`` is a script or a test, its own folder is searched too, and where tests find
        theirs.
        """
        beside = self._outside(importer) if importer else None
        if (name, beside) not in self._found:
            self._found[name, beside] = self._find(name, beside)
        return self._found[name, beside]

    def _find(self, name: str, beside: Path | None) -> list[Path]:
        for base in self._bases(beside):
            found, place = [], base
            for part in name.split("."):
                place = place / part
                init, module = place / "__init__.py", place.with_suffix(".py")
                if init.is_file():
                    found.append(init)
                    continue
                if module.is_file():
                    found.append(module)
                break
            if found:
                return found
        return []

    def _bases(self, beside: Path | None) -> list[Path]:
        """The folders in which Python finds modules; scripts find those of other lessons, too."""
        return [self.root, *([beside, self.root / "tests", *self._scripts] if beside else [])]

    @functools.cached_property
    def _scripts(self) -> list[Path]:
        return sorted(self.root.glob("notebooks/*/measure"))

    def _outside(self, path: Path) -> Path | None:
        """The folder that a script or the package of a test lies in; none if that is the root."""
        package = self._package(path)
        folder = path.parents[package.count(".") + 1] if package else path.parent
        return folder if folder != self.root or not package else None

    def _package(self, path: Path) -> str:
        """The dotted name of the package that a file lies in; empty outside packages."""
        parts, folder = [], path.parent
        while (folder / "__init__.py").is_file() and folder != self.root:
            parts.append(folder.name)
            folder = folder.parent
        return ".".join(reversed(parts))

    def _reached(self, path: Path) -> set[Path]:
        """The files that a Python file or a notebook may import.

        A dotted name counts wherever it is used: in ``import a``, then ``a.b.c``; and in a string,
        which may be given to ``import_module`` or to another Python, unless it is a docstring. If
        ``import_module`` is given a name that is known at run time only, all of the package that it
        can be of counts, except in a module's own ``__getattr__``.
        """
        package, found = self._package(path), set()
        tree = _parsed(path)
        if tree is None:  # a wrong answer, perhaps: every name in it counts
            for name in DOTTED.findall(path.read_text("utf-8")):
                found.update(self.find(name))
            return found
        nodes = list(ast.walk(tree))
        about = _docstrings(nodes) | _asked_for(tree)
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found.update(self.find(alias.name, path))
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    kept = package.split(".")
                    kept = kept[: len(kept) - node.level + 1]
                    base = ".".join([*kept, *([base] if base else [])])
                for alias in node.names:
                    found.update(self.find(f"{base}.{alias.name}", path))
            elif isinstance(node, ast.Attribute):
                # Of what is no name, such as a call's result, an attribute is no module.
                if name := _dotted(node):
                    found.update(self.find(name))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                for name in () if id(node) in about else DOTTED.findall(node.value):
                    found.update(self.find(name))
            elif isinstance(node, ast.Call) and node.args and id(node) not in about:
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if called in ("import_module", "__import__"):
                    found.update(self._at_run_time(node.args[0], package))
        return found

    def _at_run_time(self, name: ast.expr, package: str) -> Iterator[Path]:
        """All that an argument of ``import_module`` can name."""
        if isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
            package = name.values[0].value.rpartition(".")[0]
        if not isinstance(name, ast.Constant) and (files := self.find(package)):
            yield from files[-1].parent.rglob("*.py")

    def closure(self, start: Iterable[Path]) -> set[Path]:
        """These files, and of Python and notebooks all that they import, and what lies beside it.

        That is: any file that is no Python, in a package's own folders.
        """
        found, todo = set(), list(start)
        while todo:
            path = todo.pop()
            if path in found:
                continue
            found.add(path)
            if path.suffix in (".py", ".ipynb"):
                todo += self._once("imports", path, self._reached)
            if path.name == "__init__.py":
                found.update(_beside(path.parent))
        return found


def _beside(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            made = path.name == "__pycache__" or path.name.startswith(".")  # by a tool
            made |= path.suffix == ".egg-info"  # by an installation
            if not made and not (path / "__init__.py").is_file():
                yield from _beside(path)
        elif path.suffix not in (".py", ".pyc"):
            yield path


@functools.cache
def _machine() -> str:
    """The processor, Python, every installed package, and the programs that tests run."""
    try:
        told = Path("/proc/cpuinfo").read_text()
        processor = sorted(set(re.findall(r"^(?:model name|flags|Features)\s*:.*", told, re.M)))
    except OSError:
        processor = [platform.processor()]
    packages = sorted({f"{d.name}=={d.version}" for d in importlib.metadata.distributions()})
    programs = []
    for program in filter(None, map(shutil.which, PROGRAMS)):
        stat = os.stat(program)
        programs.append((program, stat.st_size, stat.st_mtime_ns))
    return repr((platform.platform(), processor, sys.version, packages, programs))


class Subject(NamedTuple):
    """What tests depend on together: a chapter, a problem set or the site.

    Attributes
    ----------
    kind, name:
        A key of :data:`FILES`, and the name of the case.
    modules:
        The file that holds the tests, each ``conftest.py`` that they see, and pytest's settings,
        from the root.
    """

    kind: str
    name: str
    modules: tuple[str, ...]

    def files(self, tree: Tree) -> list[Path]:
        """All files that these tests' passing depends on."""
        own = {
            path
            for pattern in FILES[self.kind]
            for path in tree.root.glob(pattern.format(self.name))
            if path.is_file() and "__pycache__" not in path.parts
            if not path.is_relative_to(tree.root / "nbjudge" / "tests")
        }
        modules = [tree.root / name for name in self.modules]
        # The site shows all packages, so that there is nothing to be found out.
        files = own | tree.closure(modules if self.kind == "site" else [*own, *modules])
        files |= {tree.root / "requirements.txt"}
        return sorted(filter(Path.is_file, files))

    def sources(self, tree: Tree) -> str:
        """One digest of what is in them."""
        whole = hashlib.sha256()
        for path in self.files(tree):
            whole.update(f"{path.relative_to(tree.root)} {tree.digest(path)}\n".encode())
        return whole.hexdigest()

    def digest(self, tree: Tree) -> str:
        """The same with the machine."""
        arithmetic = [(name, os.environ.get(name)) for name in ARITHMETIC]
        told = repr((self, _machine(), arithmetic, self.sources(tree)))
        return hashlib.sha256(told.encode()).hexdigest()

    def at_release(self, tree: Tree) -> str:
        """One digest of what a release keeps, on any machine.

        A notebook is its own test: what runs it is no source. A problem set's tests are the judge,
        and what a figure has to do is in its tests.
        """
        whole = self.kind in ("problem set", FIGURE)
        return (self if whole else self._replace(modules=())).sources(tree)

    @property
    def key(self) -> str:
        """Its place in :data:`RELEASED`."""
        return f"{self.modules[0]} {self.name}{' evidence' * (self.kind == EVIDENCE)}".strip()


def released(root: Path) -> dict[str, str]:
    """What :data:`RELEASED` holds; nothing where there is none."""
    path = root / RELEASED
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


# ---- the plugin --------------------------------------------------------------------------------

#: How many passed and have not changed since, here and at the last release.
_SKIPPED = pytest.StashKey[tuple[int, int]]()
#: How many tests a release has of each subject, whichever are asked for.
_WHOLE = pytest.StashKey[Counter]()


def _there(root: Path) -> set[str]:
    """Every file of the course."""
    found = set()
    for here, folders, names in os.walk(root):
        passed_by = {"_build", "node_modules", "__pycache__"}
        folders[:] = [f for f in folders if f not in passed_by and not f.startswith(".")]
        found |= {f"{here}/{name}" for name in names}
    return found


def _subject(item: pytest.Item) -> Subject | None:
    kind, name = case(item)
    if kind == "page":  # it depends on all that the site depends on
        kind, name = "site", ""
    if kind == FIGURE:  # as all tests of its file do
        name = ""
    if kind not in FILES:
        return None
    root = item.config.rootpath
    modules = [item.path, root / "pyproject.toml"]
    for folder in item.path.parents:
        if (folder / "conftest.py").is_file():
            modules.append(folder / "conftest.py")
        if folder == root:
            break
    return Subject(kind, name, tuple(path.relative_to(root).as_posix() for path in modules))


def _always(item: pytest.Item) -> bool:
    """Whether a browser in its present version shows one of the figures that stand for all."""
    kind, name = case(item)
    return kind == FIGURE and name in SAMPLE[FIGURE]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fresh", action="store_true", help="run what has passed and not changed since, too"
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Count before ``-k`` takes tests away: a release keeps a case whose every test has passed."""
    if (subject := _subject(item)) and not left_out(item, "release"):
        item.config.stash.setdefault(_WHOLE, Counter())[subject] += 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed unchanged."""
    if not hasattr(config, "cache"):
        return
    fresh, level = config.getoption("fresh"), config.getoption("level")
    kept = {} if fresh else config.cache.get(KEPT, {})
    tree = Tree(config.rootpath)
    digest = functools.cache(functools.partial(Subject.digest, tree=tree))
    at_release = functools.cache(functools.partial(Subject.at_release, tree=tree))
    whole = config.stash.get(_WHOLE, Counter())
    known = released(config.rootpath) if level == "all" and not fresh else {}
    here, there = [], []
    for item in items:
        if subject := _subject(item):
            item.user_properties.append(("subject", [*subject, whole[subject]]))
            if subject.kind in AT_RELEASE and level == "release":
                continue
            # Each process does this: a digest is found only where there is one to compare with.
            if (before := kept.get(item.nodeid)) and before == digest(subject):
                here.append(item)
            elif subject.kind in AT_RELEASE and not _always(item):
                before = known.get(subject.key)
                there += [item] if before and before == at_release(subject) else []
    config.stash[_SKIPPED] = len(here), len(there)
    if out := {*here, *there}:
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]


class Keeper:
    """Keeps what has passed, in the process that hears of all tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.called: set[str] = set()
        self.passed: dict[str, Subject] = {}
        self.whole: dict[Subject, int] = {}
        self.failed: set[str] = set()
        self.began, self.there = time.time(), _there(config.rootpath)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
            self.called.add(report.nodeid)
        told = dict(report.user_properties).get("subject")
        if told and report.when == "teardown" and report.nodeid in self.called:
            kind, name, modules, whole = told
            subject = Subject(kind, name, tuple(modules))
            self.passed[report.nodeid], self.whole[subject] = subject, whole

    def pytest_sessionfinish(self) -> None:
        tree, kept = Tree(self.config.rootpath), self.config.cache.get(KEPT, {})

        @functools.cache
        def digest(subject: Subject) -> str | None:
            """None if something was edited while the tests ran: it may have passed in no form."""
            edited = (path.stat().st_mtime >= self.began for path in subject.files(tree))
            return None if any(edited) else subject.digest(tree)

        if self.there <= _there(self.config.rootpath):  # else something was removed meanwhile
            found = {test: digest(subject) for test, subject in self.passed.items()}
            kept |= {test: value for test, value in found.items() if value}
            if self.config.getoption("level") == "release":
                self._keep_released(Counter(self.passed[t] for t in found if found[t]), tree)
        for test in self.failed:
            kept.pop(test, None)
        if self.passed or self.failed:
            self.config.cache.set(KEPT, kept)

    def _keep_released(self, ran: Counter[Subject], tree: Tree) -> None:
        if any("::" in arg for arg in self.config.args):  # of a file's other tests nothing is known
            return
        kept = {
            one.key: one.at_release(tree)
            for one, count in ran.items()
            if one.kind in AT_RELEASE and count == self.whole[one]
        }
        if kept:
            text = json.dumps(released(tree.root) | kept, indent=2, sort_keys=True)
            (tree.root / RELEASED).write_text(f"{text}\n", "utf-8")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        self.config.stash[_SKIPPED] = getattr(node, "workeroutput", {}).get("unchanged", (0, 0))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for count, when in zip(
            self.config.stash.get(_SKIPPED, (0, 0)),
            ("they passed", "the last release ran them"),
            strict=True,
        ):
            if count:
                terminalreporter.write_line(
                    f"{count:,} unchanged since {when}, not run again (--fresh runs them)"
                )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "cache") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Keeper(config))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["unchanged"] = session.config.stash.get(_SKIPPED, (0, 0))
