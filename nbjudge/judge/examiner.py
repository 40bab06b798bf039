"""The examiner: our own process, out of a learner's reach, in which the locked test cells run.

It runs the problem set's set-up cells unchanged. A name that a learner's answer binds is a
:class:`Handle` here, which only verbs can use. Over a socket the judge tells it what to run, passes
it the connection to the learner's process, and receives the result of each test.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib
import io
import os
import re
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import monotonic
from types import CodeType
from typing import Any

from nbjudge.inside.causes import Guess
from nbjudge.inside.messages import unpack
from nbjudge.inside.program import program
from nbjudge.inside.testing import learner, recall, unseen
from nbjudge.inside.testing.by_hand import by_hand
from nbjudge.inside.testing.checks import deciding
from nbjudge.inside.testing.choices import scored_below
from nbjudge.inside.testing.enclosed import refuse
from nbjudge.inside.testing.fresh import SEED_VARIABLE, fresh
from nbjudge.inside.testing.handle import Handle, NotThroughAVerb
from nbjudge.inside.testing.measured import collected
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.testing.recall import Check, Find, Table
from nbjudge.inside.values import torch
from nbjudge.inside.wire import Channel, Closed
from nbjudge.intake import cells
from nbjudge.judge import lies
from nbjudge.judge.errors import FAULTY
from nbjudge.judge.halves import HIDDEN, SHOWN
from nbjudge.judge.known import Known
from nbjudge.judge.messages import (
    Ask,
    Connect,
    Connected,
    Connection,
    Finding,
    HowLong,
    KnownAnswers,
    LearnersNames,
    Open,
    Step,
    Waited,
)
from nbjudge.judge.names import names_in
from nbjudge.judge.remote import InTheirWords, Link, Lost, Missing

#: Maximum number of characters kept of a test's output and of its message.
MAX_TEXT = 50_000

#: Seconds that one message to or from the judge may take; both ends are ours.
TALK_SECONDS = 60.0


def warm() -> None:
    """Import what tests use, in the process that examiners are forked from."""
    for name in program().warm:
        importlib.import_module(name)
    learner.warm()


#: The course's wrong answers, which :func:`learn` was given.
_known = Known()


def learn(locked: Mapping[str, str], known: bytes) -> None:
    """Compile these cells in the process that examiners are forked from.

    Parameters
    ----------
    locked:
        Locked cells by name. The modules of the course's packages that they import are loaded.
        Errors are reported when a cell is run.
    known:
        The wrong answers that the course knows, packed; empty if none.
    """
    global _known
    _known = Known(unpack(known, KnownAnswers) if known else None)
    _known.compile()
    for name, source in locked.items():
        with contextlib.suppress(SyntaxError):
            set_up(source)
            for module in read(name, _marked(source)).ours:
                with contextlib.suppress(Exception):
                    importlib.import_module(module)


def main(sock: socket.socket) -> None:
    """Serve the judge's requests until it closes the connection."""
    if torch is not None:
        torch.set_num_threads(1)
    talk = Connection(Channel(sock))
    examiner = Examiner()
    while True:
        try:
            request = talk.receive(Open, Connect, Ask)
        except Closed:
            return
        match request:
            case Open():
                examiner.open(request)
            case Connect():
                _, (number,), _, _ = socket.recv_fds(sock, 1, 1)
                examiner.connect(socket.socket(fileno=number), request.most, lambda: _waited(talk))
                talk.send(Connected(), TALK_SECONDS)
            case Ask():
                talk.send(examiner.test(request), TALK_SECONDS)


def _waited(talk: Connection) -> float:
    """Ask the judge how long the learner's process has waited for a processor in this test."""
    talk.send(HowLong(), TALK_SECONDS)
    return talk.receive(Waited, seconds=TALK_SECONDS).seconds


def learners_seed(seed: int, what: str) -> int:
    """The seed for the learner's side, which reveals nothing about the hidden tests' seed."""
    digest = hashlib.sha256(f"learner/{seed}/{what}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


#: Message if a test's visible half passes when it is run first and fails later.
ONCE_ONLY = (
    "What is shown of this test passed when it was run alone, and failed when it was run again "
    "before the hidden half."
)


class _Hides(BaseException):
    """Raised where a test's hidden half begins."""


#: Message if a hidden test itself fails on the value that it received.
UNUSABLE = "this hidden test cannot use what your code returns: does it have the expected type?"


class Examiner:
    """The set-up cells' names, and the learner's names behind handles."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
        self.learners: set[str] = set()
        #: Both as they were at each place, by the number of cells that had run.
        self.places: dict[int | None, tuple[dict[str, Any], set[str]]] = {
            0: (dict(self.namespace), set())
        }
        self.link: Link | None = None
        self.seed = 0
        #: The names that the notebook only imports, with the code for it.
        self.imports: dict[str, str] = {}
        self.known = _known
        #: Seconds that known wrong answers took in the running test.
        self.aside = 0.0

    def open(self, request: Open) -> None:
        """Set the hidden tests' seed, why files were refused, and what the notebook imports."""
        self.seed, self.imports = request.seed, request.imports
        refuse(request.refused)
        os.environ[SEED_VARIABLE] = str(request.seed)

    def connect(self, sock: socket.socket, most: int, waited: Callable[[], float]) -> None:
        """Connection to the learner's process over this socket from now on.

        ``waited`` says how many seconds that process has waited for a processor.
        """
        if self.link is not None:
            self.link.channel.close()
        self.link = Link(sock, most)
        self.link.waited = waited

    def test(self, ask: Ask) -> Finding:
        """Run one test cell."""
        began, self.aside = monotonic(), 0.0
        recall.runs(ask.name)
        finding = Finding()
        printed = io.StringIO()
        collected()

        def hide() -> None:
            if ask.part == SHOWN:
                raise _Hides
            if ask.part == HIDDEN:
                printed.seek(0)
                printed.truncate()
            if self.link is not None:
                self.link.hide()

        try:
            self._stand(ask.place, ask.before)
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                value = self._run(ask, began + ask.seconds, hide)
            if value is not None:
                plain = type(value) in (int, float)
                finding.value = float(value) if plain else repr(type(value).__name__)
        except _Hides:
            pass
        except BaseException as error:
            self._explain(finding, ask.name, error)
        hidden = self.link is not None and self.link.hidden
        if hidden and finding.ours:
            finding.says, finding.ours = finding.ours, ""
        elif ask.part == HIDDEN and not hidden:
            printed.truncate(0)
            if finding.error in ("Mistake", "AssertionError") or finding.ours:
                finding.error, finding.says = "Mistake", ONCE_ONLY
                finding.ours, finding.guess = "", None
        finding.says = finding.says[:MAX_TEXT]
        finding.printed = printed.getvalue()[:MAX_TEXT]
        finding.lost = self.link is None or self.link.lost is not None
        finding.uses = sorted(recall.running.uses)
        finding.aside = self.aside + (self.link.given if self.link else 0.0)
        finding.seconds = monotonic() - began - finding.aside
        finding.calls = self.link.asked if self.link else 0
        finding.measured = collected()
        return finding

    def _explain(self, finding: Finding, test: str, error: BaseException) -> None:
        """Say in a test's finding what has stopped the test."""
        finding.error, finding.says = type(error).__name__, _text(error)
        match error:
            case Missing():
                finding.error, finding.missing = "Missing", error.name or ""
            case Lost():
                finding.error = error.what
            case NotThroughAVerb() | SyntaxError():
                finding.error = FAULTY
            case InTheirWords():
                finding.error, finding.ours = "Mistake", error.ours or ""
            case Mistake():
                finding.error, finding.ours = "Mistake", self._quoted(finding.says)
                finding.guess = self._guessed(test, error.guess)
            case _:
                # A learner's code raised it, or the test itself. The message of any other error
                # would reveal what the code returned.
                finding.ours = getattr(error, "ours", "")
                own = finding.ours or isinstance(error, AssertionError)
                if not own and self.link is not None and self.link.hidden:
                    finding.says = UNUSABLE

    def _quoted(self, says: str) -> str:
        """The message without the learner's words, if a test's own message quotes any."""
        without = unseen.without(says, self.link.heard if self.link else ())
        return without if without != says else ""

    def _guessed(self, test: str, guess: Guess | None) -> Guess | None:
        """A guess with the tests that its causes fail, without the learner's words."""
        if guess is None:
            return None
        fault = unseen.without(guess.fault, self.link.heard if self.link else ())
        fails = recall.failed_by(guess.causes, cells.exercise_of(test), self._stored())
        return replace(guess, fault=fault, fails=fails)

    def _stored(self) -> Mapping[str, Sequence[Table]]:
        """What a release has stored of the known wrong answers, by test."""
        if self.known.stored is None:
            return recall.all_stored()
        return {test: [table] for test, table in self.known.stored.items()}

    def weigh(
        self, notebook: list[lies.WeighedCell], learners: list[str]
    ) -> dict[str, lies.Believed]:
        """The instructor's tests in these cells that accept an answer that computes nothing.

        See :func:`nbjudge.judge.lies.accepting_nothing`.

        Parameters
        ----------
        notebook:
            The cells.
        learners:
            The names that tests use through verbs.
        """
        self.open(Open(seed=lies.SEED, refused={}))

        def run(name: str, source: str, link: lies.LyingLink, names: dict[str, Any]) -> Any:
            def drawn(test: str) -> Any:
                link.hidden()
                return fresh(test)

            test = read(name, _marked(source))
            learner.seed_all(learners_seed(self.seed, f"examiner/{name}"))
            by_hand()
            # Functions from set-up cells look up the learner's names there.
            names |= {learner: link.name(learner) for learner in learners if learner in link.names}
            names |= {"fresh": drawn, HIDDEN_BEGINS: link.hidden}
            namespace = dict(names)
            with scored_below() if "choices" in test.taken else contextlib.nullcontext():
                exec(test.body, namespace)
                return None if test.last is None else eval(test.last, namespace)

        return lies.accepting_nothing(notebook, run)

    def _stand(self, place: int | None, before: list[Step]) -> None:
        """Run what precedes a test, or restore the names as they were at its place."""
        first = (place or 0) - len(before)
        for number, step in enumerate(before, first + 1):
            self.prepare(step)
            self.places[number] = dict(self.namespace), set(self.learners)
        if place in self.places and not before:
            names, self.learners = self.places[place][0], set(self.places[place][1])
            self.namespace.clear()  # the same dictionary: functions of set-up cells look names up
            self.namespace.update(names)

    def prepare(self, step: Step) -> None:
        """Run a set-up cell, or note names that are the learner's."""
        if isinstance(step, LearnersNames):
            self.learners |= set(step.names)
            return
        code = set_up(step.source)
        self._import(names_in(step.source))
        bound = set(self.namespace)
        before = {name: id(value) for name, value in self.namespace.items()}
        nowhere = io.StringIO()
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            exec(code, self.namespace)
        self.learners -= set(self.namespace) - bound
        self.learners -= {n for n, number in before.items() if id(self.namespace.get(n)) != number}

    def _run(self, ask: Ask, deadline: float, hide: Callable[[], None]) -> Any:
        name = ask.name
        test = read(name, _marked(ask.source))
        learner.seed_all(learners_seed(self.seed, f"examiner/{name}"))
        by_hand()
        if self.link is None:
            raise Lost("KernelDied", "There is no notebook to test.")
        self._import(test.taken)
        # Names that a test uses and nothing else defines.
        self.learners |= test.taken - set(self.namespace) - {HIDDEN_BEGINS}
        for learners in self.learners:  # functions from set-up cells look them up there
            self.namespace[learners] = self.link.name(learners)
        self.link.begin(learners_seed(self.seed, name), ask.call_seconds, deadline, self.learners)
        self.link.keep, self.link.given = ask.keep, 0.0
        # Names that a test binds are its own: no test depends on another.
        ours = {name: self.namespace[name] for name in self.namespace.keys() - self.learners}
        namespace = Names({**ours, HIDDEN_BEGINS: hide}, self.link, self.learners)
        below = scored_below() if "choices" in test.taken else contextlib.nullcontext()
        try:
            with below, deciding(self._find(name, ask.source)):
                exec(test.body, namespace)
                value = None if test.last is None else eval(test.last, namespace)
        finally:
            self.link.end()
        return None if type(value) is Handle else value

    def _import(self, taken: Iterable[str]) -> None:
        """Import what a cell uses of what the notebook imports.

        What is not installed, such as a module beside the notebook, stays the learner's.
        """
        for name in self.imports.keys() & taken - self.namespace.keys():
            nowhere = io.StringIO()
            with contextlib.redirect_stdout(nowhere), contextlib.suppress(Exception):
                exec(set_up(self.imports[name]), self.namespace)
                self.learners.discard(name)

    def _find(self, name: str, source: str) -> Find:
        """What known wrong answers return in a test; its time is not the learner's."""
        link = self.link
        if link is None or not self.known.wrong.get(cells.exercise_of(name)):
            return lambda passed, suspects: recall.all_stored().get(name, [])
        find = self.known.find(name, source, lambda: link.hidden)

        def look_up(passed: Sequence[Check], suspects: Sequence[str]) -> Sequence[Table]:
            began = monotonic()
            try:
                return find(passed, suspects)
            except Exception:  # a learner whose result is wrong is told at least that
                return []
            finally:
                taken = monotonic() - began
                self.aside += taken
                link.deadline += taken

        return look_up


class Names(dict):
    """A test cell's namespace: its own names, the set-up's, and the learner's remote ones.

    Deleting a learner's name, or rebinding it to a learner's object, takes effect in the learner's
    process too, so that a test can see whether one function calls another. A name bound to anything
    else is the test's own from then on.

    Parameters
    ----------
    ours:
        The set-up's names.
    link:
        The connection to the learner's process.
    theirs:
        The learner's names.
    """

    def __init__(self, ours: Mapping[str, Any], link: Link, theirs: Iterable[str]):
        super().__init__(ours)
        self.link, self.theirs, self.learners = link, set(theirs), frozenset(theirs)

    def __getitem__(self, name: str) -> Any:
        if name in self.theirs:
            return self.link.load(name)
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self.learners and type(value) is Handle:
            self.link.bind(name, value)
            self.theirs.add(name)
            self.pop(name, None)
            return
        self.theirs.discard(name)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        if name not in self.theirs:
            super().__delitem__(name)
            return
        self.link.delete(name)
        self.theirs.discard(name)


#: Name of the function called where a test's hidden half begins.
HIDDEN_BEGINS = "_hidden_begins"


def _marked(source: str) -> str:
    """A test cell's source with a call where its hidden half begins."""
    return re.sub(rf"^( *)#.*{cells.BEGIN_HIDDEN}.*$", rf"\1{HIDDEN_BEGINS}()", source, flags=re.M)


@dataclass(frozen=True)
class TestCell:
    """A compiled test cell.

    Its body without a final expression, that expression, the names that it takes from outside, and
    the modules of the course's packages that it imports.
    """

    body: CodeType
    last: CodeType | None
    taken: frozenset[str]
    ours: tuple[str, ...]


@lru_cache(maxsize=1024)
def set_up(source: str) -> CodeType:
    """Compile a locked cell."""
    return compile(source, "<set-up>", "exec")


@lru_cache(maxsize=1024)
def read(name: str, source: str) -> TestCell:
    """Compile a test cell, cached: examiners inherit what was compiled before the fork.

    Raises
    ------
    SyntaxError
        If it is not Python.
    """
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    taken = frozenset(used - bound_anywhere(nodes) - set(dir(builtins)))
    last = tree.body[-1] if tree.body else None
    value = last.value if isinstance(last, ast.Expr) else None
    if value is not None:
        tree.body.pop()
    return TestCell(
        body=compile(tree, f"<{name}>", "exec"),
        last=compile(ast.Expression(value), f"<{name}>", "eval") if value is not None else None,
        taken=taken,
        ours=tuple(dict.fromkeys(_imported(nodes))),
    )


def _imported(nodes: Iterable[ast.AST]) -> list[str]:
    modules: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.append(node.module)
    packages = (*program().packages, *program().tests_own)
    return [name for name in modules if name.partition(".")[0] in packages]


def bound_anywhere(nodes: Iterable[ast.AST]) -> set[str]:
    """Names bound by definitions, imports, arguments, handlers or assignments, at any depth."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
    return names


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""
