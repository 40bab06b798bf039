"""Reference answers that test a problem set's grader.

The answers to an exercise are in ``solutions/PS/EXERCISE.py`` (hyphens in the exercise's name
become underscores), one entry per answer. Right answers are written differently from the
instructor's; each wrong answer must fail the tests aimed at it ::

    @right("adds", "an addition instead of a product")
    def double(x):
        return x + x


    @wrong("constant", "returns what the example gives", match="double.5. should be 10")
    def double(x):
        return 6


    wrong("halves", says="Your result is halved.", spares=["zero"], edit=("2 * x", "x / 2"))

    broken("2 * x", "2 + x")

The file is parsed, never run. An entry is a call, alone or as a decorator. An answer's source is
the code between its entry and the next, or an ``edit`` of the instructor's answer: ``(old, new)``,
or a list of such pairs. Each ``old`` must occur exactly once.

- ``right(name, about)`` gets all points; it may be an ``edit`` too. With ``edited=True``, later
  edits apply to this answer instead of the instructor's.
- ``wrong(name, about)`` must fail exactly these tests: all of its exercise, or those in ``loses``,
  or all but those in ``spares`` (without the exercise's name: ``"values"``). ``says`` is what
  learners are told whose results agree with this answer's; ``about``, for instructors, may then be
  left out. The message of at least one failed test must fit ``match``, a regular expression that
  ignores case; by default it must contain ``says`` or, without ``says``, ``about``.
- ``broken(old, new)`` breaks one line of the instructor's answer. The grader must blame this
  exercise and no other; any of its tests may catch it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from nbjudge.intake import cells
from nbjudge.judge.messages import KnownAnswers, KnownCell
from nbjudge.judge.names import keeping

#: Matches the start of an entry.
ENTRY = re.compile(r"""^@?(?:right|wrong|broken)\(\s*["']""", re.MULTILINE)

#: The file in which a release keeps which tests accept an answer that computes nothing.
ACCEPTS = "accepts.json"


@dataclass(frozen=True)
class Variant:
    """An answer to an exercise; ``about`` describes it, ``loses`` names the tests it must fail.

    ``says`` is what learners are told whose results agree with a wrong one's.
    """

    exercise: str
    name: str
    right: bool
    about: str
    source: str
    loses: tuple[str, ...] = ()
    match: str = ""
    says: str = ""


class Broken(NamedTuple):
    """The instructor's answer to an exercise with ``old`` replaced by ``new``."""

    exercise: str
    old: str
    new: str
    source: str


def holds_answers(path: Path) -> bool:
    """Whether a file says how answers are judged, so that no learner and no kernel may get it."""
    if path.name == ACCEPTS:
        return path.is_file()
    if path.suffix != ".py" or not path.is_file():
        return False
    return bool(ENTRY.search(path.read_text("utf-8", errors="replace")))


def load_variants(problem_set_folder: Path) -> dict[str, list[Variant]]:
    """The right and wrong answers of a problem set by exercise, in file order.

    Parameters
    ----------
    problem_set_folder:
        ``solutions/PS``.

    Raises
    ------
    ValueError
        If an entry is incomplete or does not match the notebook; the message names its line.
    """
    return {exercise.name: exercise.variants for exercise in _read(Path(problem_set_folder))}


def load_broken(problem_set_folder: Path) -> list[Broken]:
    """The broken lines of a problem set's solution, in file order.

    Raises
    ------
    ValueError
        As in :func:`load_variants`.
    """
    return [broken for exercise in _read(Path(problem_set_folder)) for broken in exercise.broken]


def known_answers(
    notebook: NotebookNode, variants: Mapping[str, Sequence[Variant]], stored: bytes = b""
) -> KnownAnswers:
    """The wrong answers that have a message, with the notebook's cells.

    Parameters
    ----------
    notebook:
        The instructor's notebook.
    variants:
        The reference answers of its exercises, from :func:`load_variants`.
    stored:
        What a release has stored of them.
    """
    known: list[KnownCell] = []
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if cell.cell_type != "code":
            continue
        if cells.is_test(cell):
            known.append(KnownCell(kind="test", name=name))
        elif cells.is_answer(cell):
            source = cells.learners_own(cell.source)
            known.append(KnownCell(kind="answer", name=name, source=source))
        elif cells.is_locked(cell):
            known.append(KnownCell(kind="setup", name=name, source=cell.source))
    wrong = {
        exercise: [(variant.says, variant.source) for variant in every if variant.says]
        for exercise, every in variants.items()
    }
    return KnownAnswers(
        cells=known,
        wrong={exercise: every for exercise, every in wrong.items() if every},
        keeping=sorted(keeping(notebook)),
        stored=stored,
    )


def _read(folder: Path) -> Iterator[_Exercise]:
    paths = [path for path in sorted(folder.glob("*.py")) if holds_answers(path)]
    if not paths:
        return
    notebook = nbformat.read(folder / f"{folder.name}.ipynb", as_version=4)
    tests = [cells.grade_id(cell) for cell in notebook.cells if cells.is_test(cell)]
    solution = {
        cells.grade_id(cell): cells.learners_own(cell.source)
        for cell in notebook.cells
        if cells.is_answer(cell)
    }
    for path in paths:
        name = path.stem.replace("_", "-")
        if name not in solution:
            raise ValueError(
                f"{path} is named for {name!r}, but the notebook's answer cells are: "
                f"{', '.join(solution)}."
            )
        own = [test for test in tests if cells.exercise_of(test) == name]
        exercise = _Exercise(name, solution[name], own)
        try:
            exercise.read(path.read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        yield exercise


@dataclass
class _Exercise:
    """The entries of one file; each entry's call is passed on to the method named after it."""

    name: str
    solution: str
    tests: list[str]
    variants: list[Variant] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    #: The source that edits apply to.
    base: str = ""

    def read(self, text: str) -> None:
        """Read all entries."""
        try:
            calls = [call for node in ast.parse(text).body if (call := _entry(node))]
        except SyntaxError as error:
            raise ValueError(f"this is not valid Python ({error})") from None
        self.base = self.solution
        lines = text.split("\n")
        ends = [call.lineno - 1 for call in calls[1:]] + [len(lines)]
        for call, end in zip(calls, ends, strict=True):
            source = "\n".join(lines[call.end_lineno : end]).strip("\n")
            try:
                given = [ast.literal_eval(argument) for argument in call.args]
                named = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
                getattr(self, f"add_{ast.unparse(call.func)}")(source, *given, **named)
            except (TypeError, ValueError, re.error) as error:
                message = str(error).replace("_Exercise.add_", "")
                raise ValueError(f"line {call.lineno}: {message}") from None

    def add_right(
        self,
        source: str,
        name: str,
        about: str,
        *,
        edited: bool = False,
        edit: tuple[str, str] | list[tuple[str, str]] | tuple[()] = (),
    ) -> None:
        source = self._edited(source, edit)
        self._add(Variant(self.name, f"right-{name}", True, about, source))
        if edited:
            self.base = source

    def add_wrong(
        self,
        source: str,
        name: str,
        about: str = "",
        *,
        says: str = "",
        match: str = "",
        loses: list[str] | None = None,
        spares: list[str] | None = None,
        edit: tuple[str, str] | list[tuple[str, str]] | tuple[()] = (),
    ) -> None:
        if loses is not None and spares is not None:
            raise ValueError("a wrong answer takes either loses or spares, not both")
        for test in [*(loses or ()), *(spares or ())]:
            if f"{self.name}--{test}" not in self.tests:
                raise ValueError(f"{test!r} is not one of the tests: {', '.join(self.tests)}")
        known = [test.removeprefix(f"{self.name}--") for test in self.tests]
        lost = known if loses is None else loses
        lost = [f"{self.name}--{test}" for test in lost if test not in (spares or ())]
        if not lost:
            raise ValueError("a wrong answer must fail a test")
        if not (about or says):
            raise ValueError("a wrong answer needs what it says, or what it is about")
        match = match or re.escape(says or about)
        re.compile(match)
        source = self._edited(source, edit)
        about = about or says
        name = f"wrong-{name}"
        self._add(Variant(self.name, name, False, about, source, tuple(lost), match, says))

    def _edited(
        self, source: str, edit: tuple[str, str] | list[tuple[str, str]] | tuple[()]
    ) -> str:
        """The source below an entry, or the base answer with the entry's edits applied."""
        if bool(edit) == bool(source):
            raise ValueError("an answer is either an edit or the source below it")
        edits = [edit] if isinstance(edit, tuple) and edit else list(edit)
        for old, new in edits:
            source = _replaced(source or self.base, old, new)
        return source

    def add_broken(self, source: str, old: str, new: str) -> None:
        if source:
            raise ValueError("nothing but an entry may follow a broken line")
        self.broken.append(Broken(self.name, old, new, _replaced(self.solution, old, new)))

    def _add(self, variant: Variant) -> None:
        if any(known.name == variant.name for known in self.variants):
            raise ValueError(f"there are two answers named {variant.name}")
        self.variants.append(variant)


def _replaced(source: str, old: str, new: str) -> str:
    if (times := source.count(old)) != 1:
        raise ValueError(f"{old!r} must occur once in the edited source, not {times} times")
    return source.replace(old, new)


def _entry(node: ast.stmt) -> ast.Call | None:
    """The call that starts an entry; ``None`` if ``node`` is not one."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        call = next(iter(node.decorator_list), None)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
        return call if call.func.id in ("right", "wrong", "broken") else None
    return None
