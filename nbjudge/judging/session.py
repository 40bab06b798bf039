"""One submission judged: its cells in order, here or there, and what came of each.

Most test cells forbid the same; the kernel made without that runs the notebook and gives the
outputs that are shown. A test cell that forbids more has a kernel of its own, in which the cells
before are run again.
"""

from __future__ import annotations

import json
import socket
from itertools import takewhile
from time import monotonic
from typing import Any

import nbformat
from nbformat import NotebookNode

from nbjudge import cells
from nbjudge.examiner import FAULTY
from nbjudge.inside.wire import Channel, Closed, TimedOut, WireError
from nbjudge.judging import likeness, names, outcome, remote, weighing
from nbjudge.judging.kernels import Kernels
from nbjudge.judging.learners import Learner, NoKernel
from nbjudge.judging.pump import DIED, FLOODED, OUT_OF_TIME, Ran
from nbjudge.outputs import Room

#: Beyond what a test may take, the examiner itself gets this.
EXAMINERS_SECONDS = 20.0

#: So long the examiner may take to weigh the tests of a piece.
WEIGHING_SECONDS = 300.0

#: What is said of an answer's cell after which the kernel answers no more.
BREAKS = "after this cell the kernel no longer runs anything: what does it change in it?"

#: What is said of an answer's cell that stopped, if what it says itself cannot be shown.
STOPPED = "The answer's own cell stopped."

#: What is said of a learner's cell whose outputs did not come about without the hidden tests.
NOT_SHOWN = "What this cell puts out is not shown: it did not come to its end without the tests."

#: When a notebook's cells have put out together what one may, each of the others may put out this
#: part of it; after twice as much, cells of the learner's own are not run any more: one that runs
#: away by mistake does not cost the others.
A_PART, MUCH = 0.1, 2.0
TOO_MUCH = "This cell was not run: the cells before put out too much."


class Session:
    """Judges one job. Used with ``with``: its kernels and examiner end with it."""

    def __init__(self, job: Any, nursery: Any):
        self.job, self.nursery, self.limits = job, nursery, job.limits
        self.began = monotonic()
        self.deadline = self.began + job.limits.submission_seconds
        self.notebook = nbformat.v4.reads(job.notebook.decode("utf-8"))
        self.cells = self.notebook.cells
        said = {i: names.forbidden(c.source) for i, c in enumerate(self.cells) if cells.is_test(c)}
        #: What the notebook itself is run without.
        self.common = names.forbidden_by_all(self.notebook)
        self.forbidden = {
            i: self.common if kinds is None else tuple(sorted(kinds)) for i, kinds in said.items()
        }
        self.keeping = names.keeping(self.notebook)
        #: By a learner's name, the cell that it is from.
        self.sources = {
            bound: cell.source
            for cell in self.cells
            for bound in job.names.get(cells.grade_id(cell), ())
        }
        self.kernels = Kernels(job, nursery, self._source, self._seconds)
        self.examiner: Any = None
        self.talk: Channel | None = None
        self.linked: Learner | None = None
        self.before: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        self.stopped: dict[str, str] = {}
        #: The kernels that have been called by hidden tests, and the visible tests to be run again
        #: in one that has not, as they tell something in the learner's own words.
        self.knowing: set[Learner] = set()
        self.in_their_words: dict[int, dict[str, Any]] = {}
        self.out_of_time: list[str] = []
        self.died: dict[str, list[str]] = {}
        self.slow: set[str] = set()
        self.tests: dict[str, dict[str, Any]] = {}
        self.found: dict[str, dict[str, Any]] = {}
        self.flags: list[str] = []
        self.room = Room()
        self.over = ""
        #: As parts of what one cell may put out.
        self.put_out = 0.0

    def __enter__(self) -> Session:
        try:
            # All at once: they come up while the first of them is waited for.
            for kinds in dict.fromkeys([self.common, *self.forbidden.values()]):
                self.kernels.start(kinds)
            if self.forbidden:
                self._new_examiner()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.kernels.end_all()
        self._end_examiner()

    def _new_examiner(self, own: bool = False) -> None:
        """An examiner that finds the learner's files, or the solution's ``own``."""
        files = {**self.job.files, **self.job.own} if own else self.job.found
        self.examiner = self.nursery.examiner(self.limits, files=files)
        self.talk, self.linked = Channel(self.examiner.socket), None
        refused = {} if own else self.job.refused
        opens = {"do": "open", "seed": self.job.seed, "refused": refused}
        self.talk.send(opens, EXAMINERS_SECONDS)
        self.before, self.told = self.told + self.before, []

    def _end_examiner(self) -> None:
        if self.examiner is not None:
            self.kernels.count(self.examiner.usage())
            self.examiner.kill()
            self.examiner = self.talk = None

    # -- the cells in order ----------------------------------------------------------------------

    def judged(self) -> Any:
        """Run every cell and say what came of it."""
        from nbjudge.judge import Judged

        last_use = {kinds: index for index, kinds in self.forbidden.items()}
        count = 0
        for index, cell in enumerate(self.cells):
            if cell.cell_type != "code":
                continue
            cell.outputs, cell.execution_count = [], None
            if not cell.source.strip():
                continue
            count += 1
            cell.execution_count = count
            if not self.over and monotonic() > self.deadline:
                self.over = f"the submission's {self.limits.submission_seconds:g} s were used up"
                self.flags.append(f"{self.over} before {_called(cell)}")
            if cells.is_test(cell):
                self._test(index, cell, self.forbidden[index])
                if (
                    index == last_use[self.forbidden[index]]
                    and self.forbidden[index] != self.common
                ):
                    self.kernels.end(self.forbidden[index])
            else:
                self._note(cell)
                self._run(index, cell)
            outcome.tidy(cell, self.room)
        self._show_without_tests()
        self._hold_back()
        self._note_likeness()
        self.__exit__()
        return Judged(
            notebook=json.dumps(self.notebook, ensure_ascii=False).encode("utf-8", "replace"),
            tests=self.tests,
            flags=list(dict.fromkeys([*self.flags, *self._summary()])),
            seconds=monotonic() - self.began,
            cpu_seconds=self.kernels.cpu_seconds,
            peak_memory_mb=self.kernels.peak_memory_mb,
            sandbox=self.nursery.description,
        )

    def _summary(self) -> list[str]:
        """Flags that name several cells in one line."""
        lines = [f"the kernel died in {cells.listed(n)}: {why}" for why, n in self.died.items()]
        if self.out_of_time:
            lines.append(f"ran out of time in {cells.listed(self.out_of_time)}")
        if broken := [_called(self.cells[index]) for index in self.kernels.broken]:
            lines.append(
                f"the kernel ran nothing more after {cells.listed(broken)}; what came after was "
                "judged without it"
            )
        return lines

    def _source(self, index: int) -> str:
        """What of a cell a learner's kernel is given: never a hidden test."""
        return cells.without_hidden_tests(self.cells[index].source, "")

    def _seconds(self, index: int) -> float:
        """How long a cell may take.

        A locked one is ours: if a machine runs it slowly, that is not the learner's fault.
        """
        locked = cells.is_locked(self.cells[index])
        limit = self.limits.submission_seconds if locked else self.limits.cell_seconds
        return max(0.1, min(limit, self.deadline - monotonic()))

    def _note(self, cell: NotebookNode) -> None:
        """Let the examiner know of a cell before the next test."""
        if cells.is_answer(cell):
            bound = list(self.job.names.get(cells.grade_id(cell), ()))
            self.before.append({"learners": bound})
        elif cells.is_locked(cell):
            steps = self.told + self.before
            learners = {name for step in steps for name in step.get("learners", ())}
            if names.used(cell.source) & learners:
                # What it computes of a learner's answer is the learner's.
                self.before.append({"learners": sorted(names.bound(cell.source))})
            else:
                self.before.append({"setup": cell.source})

    def _run(self, index: int, cell: NotebookNode) -> None:
        """Run a cell that is no test in the learner's kernel."""
        if self.over:
            cell.outputs = [outcome.error(outcome.NOT_RUN, f"This cell was not run: {self.over}.")]
            return
        if self.put_out > MUCH and cells.is_learners(cell) and not cells.is_answer(cell):
            cell.outputs = [outcome.error(outcome.NOT_RUN, TOO_MUCH)]
            return
        seconds = self._seconds(index)
        try:
            ran = self._ran(index, cell, seconds)
        except NoKernel as error:
            self.over = str(error)
            self.flags.append(f"{error}, from {_called(cell)} on")
            cell.outputs = [outcome.error(outcome.NOT_RUN, f"This cell was not run: {error}.")]
            return
        cell.outputs = ran.outputs
        if ran.how == OUT_OF_TIME:
            self.out_of_time.append(_called(cell))
        outcome.explain(cell, ran.how, seconds)
        if ran.cut:
            self.flags.append(f"{_called(cell)} puts out more than is kept")
        if cells.is_answer(cell) and (why := outcome.why_stopped(cell)):
            self.stopped[cells.grade_id(cell)] = why

    def _ran(self, index: int, cell: NotebookNode, seconds: float) -> Ran:
        """Run a cell.

        If the kernel does not come back from it, see whether another cell is to blame.
        """
        while True:
            learner = self.kernels.catch_up(self.common)
            try:
                ran = learner.run(self._source(index), seconds, max(A_PART, 1 - self.put_out))
            except NoKernel:  # it does not come back from the tests before
                ran = Ran(DIED, rests=False)
            self.put_out += ran.flood
            if ran.rests:
                learner.done.add(index)
                if ran.how not in (OUT_OF_TIME, FLOODED):
                    self.kernels.finished.append(index)
                return ran
            why = self._why_dead(learner)
            self.kernels.end(self.common)
            if not self._another_is_to_blame(self.common):
                if ran.how == DIED:
                    self.died.setdefault(why, []).append(_called(cell))
                return ran

    def _another_is_to_blame(self, kinds: tuple[str, ...], piece: str = "") -> bool:
        """Whether, the cells before run again with care, one of them is found to break a kernel."""
        found = self.kernels.be_careful()
        self.kernels.catch_up(kinds, piece)
        return len(self.kernels.broken) > found

    def _show_without_tests(self) -> None:
        """Take what the learner's cells show after a hidden test from a run without tests.

        A function could keep what it was given in a hidden test, and a later cell show it.
        """
        hidden = (
            index
            for index, cell in enumerate(self.cells)
            if cells.is_test(cell) and cells.has_hidden_tests(cell.source)
        )
        first = next(hidden, len(self.cells))
        later = [
            index
            for index, cell in enumerate(self.cells)
            if index > first
            and cell.cell_type == "code"
            and cells.is_learners(cell)
            and cell.outputs
        ]
        again = {kinds: [] for kinds in ([self.common] if later else [])}
        for index in self.in_their_words:
            again.setdefault(self.forbidden[index], []).append(index)
        for kinds, tests in again.items():
            cells_too = later if kinds == self.common else []
            shown = self._without_tests(kinds, tests, max(tests + cells_too))
            for index in tests:
                self._tell_again(index, shown.get(index))
            room = Room()
            for index in cells_too:
                self._show_again(index, shown.get(index), room)

    def _without_tests(self, kinds: tuple[str, ...], tests: list[int], last: int) -> dict[int, Any]:
        """What the cells show in a kernel of their own, up to one of them.

        Also what the visible part of these tests says there.
        """
        found: dict[int, Any] = {}
        learner = self.kernels.start_another(kinds)
        try:
            for index in sorted([*self.kernels.finished, *tests]):
                if index > last:
                    break
                if index in self.in_their_words:
                    if index in tests:
                        found[index] = self._told_by(learner, index)
                    continue
                ran = learner.run(self._source(index), self._seconds(index))
                if not ran.rests:
                    break
                found[index] = ran.outputs
        except (NoKernel, RuntimeError, WireError):
            return found
        finally:
            self.kernels.count(learner.end())
        return found

    def _told_by(self, learner: Learner, index: int) -> dict[str, Any]:
        """What a test's visible part says of what is in this kernel."""
        if self.examiner is None or not self.examiner.alive():
            self._end_examiner()
            self._new_examiner()
        learner.connect()
        self._link(learner)
        seconds = self._seconds_for_tests()
        return self._asked(self.cells[index], learner, self._source(index), seconds)

    def _tell_again(self, index: int, found: dict[str, Any] | None) -> None:
        """Have a visible test say what it says where no hidden test has been.

        Failing that, it says what can be said without the learner's own words.
        """
        cell, before = self.cells[index], self.in_their_words[index]
        name = cells.grade_id(cell)
        says = found["says"] if found and found.get("ours") else before["ours"]
        seen = self.tests[name]["seen"]
        self._settle(cell, self._told_once(name, {**before, "says": says}), seen)
        outcome.tidy(cell, self.room)

    def _show_again(self, index: int, shown: list[NotebookNode] | None, room: Room) -> None:
        """Show of a learner's cell what it puts out where no hidden test has been."""
        cell = self.cells[index]
        cell.outputs = shown or [outcome.error(outcome.NOT_RUN, NOT_SHOWN)]
        outcome.tidy(cell, room)
        piece = cells.grade_id(cell)
        if piece not in self.stopped:
            return
        before = self._why_missing(piece)
        self.stopped[piece] = outcome.why_stopped(cell)
        for test in filter(cells.is_test, self.cells):
            name = cells.grade_id(test)
            found = self.found[name]
            if before and found.get("error") == "Missing" and found["says"] == before:
                says = self._why_missing(piece) or STOPPED
                self._settle(test, {**found, "says": says}, self.tests[name]["seen"])
                outcome.tidy(test, self.room)

    # -- a test ----------------------------------------------------------------------------------

    def _test(self, index: int, cell: NotebookNode, kinds: tuple[str, ...]) -> None:
        name, seen = cells.grade_id(cell), []
        piece = cells.piece_of(name)
        try:
            if self.over:
                raise NoKernel(self.over)
            found = self._examined(cell, kinds, piece, seen)
            if found["error"] == remote.GARBLED and self._another_is_to_blame(kinds, piece):
                found = self._examined(cell, kinds, piece, seen)
        except NoKernel as error:
            found = {"error": outcome.NOT_RUN, "says": f"This test was not run: {error}."}
        what = found.get("error")
        if what == remote.OUT_OF_TIME:
            self.slow.add(piece)
            self.out_of_time.append(name)
        elif what == remote.GONE:
            self.died.setdefault(found["why"], []).append(name)
        elif what == remote.GARBLED:
            self.flags.append(f"{name}: {found['says']}")
        elif what == FAULTY:
            self.flags.append(f"test {name} cannot be run as it is: {found['says']}")
        elif what == "Missing" and (why := self._why_missing(piece)):
            found["says"] = why
        if found.get("ours"):
            self.in_their_words[index] = found
        self._settle(cell, self._told_once(name, found), seen)

    def _told_once(self, name: str, found: dict[str, Any]) -> dict[str, Any]:
        """An error that another test of the piece has told is not told again."""
        if not outcome.is_an_error(found):
            return found
        for other, before in takewhile(lambda item: item[0] != name, self.found.items()):
            same = cells.piece_of(other) == cells.piece_of(name)
            if same and outcome.is_an_error(before) and outcome.is_same(before, found):
                return {**found, "says": outcome.as_in(other, found)}
        return found

    def _settle(self, cell: NotebookNode, found: dict[str, Any], seen: list[str]) -> None:
        """Write down what a test came to."""
        name, points = cells.grade_id(cell), cells.points(cell)
        self.found[name] = found = outcome.settled(found, points)
        cell.outputs, score = outcome.scored(found, points)
        self.tests[name] = {
            "score": score,
            "max_score": points,
            "message": outcome.message(found, score, points),
            "seconds": round(found.get("seconds", 0.0), 4),
            "seen": seen,
            "measured": found.get("measured", {}),
        }

    def _note_likeness(self) -> None:
        """Flag the answers that stand in the files of what they were to be written without."""
        kinds: dict[str, set[str]] = {}
        for index, cell in enumerate(self.cells):
            if cells.is_test(cell):
                piece = cells.piece_of(cells.grade_id(cell))
                kinds.setdefault(piece, set()).update(self.forbidden[index])
        every = {kind for named in kinds.values() for kind in named}
        for cell in self.cells:
            name = cells.grade_id(cell)
            if cell.cell_type != "code" or cells.is_locked(cell):
                continue
            among = kinds.get(name, set()) if cells.is_answer(cell) else every
            for does in likeness.signs(cell.source, among):
                flag = f"{_called(cell)} {does}"
                self.flags += [flag] if flag not in self.flags else []
            if cells.is_answer(cell) and kinds.get(name):
                part, file = likeness.likeness(cell.source, kinds[name])
                if part >= likeness.MUCH:
                    self.flags.append(f"{name}: {part:.0%} of the answer is as in {file}")

    # -- points that wait for another test's -------------------------------------------------------

    def _hold_back(self) -> None:
        """Take back the points of tests that say little where no test of values passes."""
        tests = {cells.grade_id(c): c for c in self.cells if cells.is_test(c)}
        pieces: dict[str, list[str]] = {}
        for name in tests:
            pieces.setdefault(cells.piece_of(name), []).append(name)
        for piece, of_piece in pieces.items():
            passed = {n for n in of_piece if self.tests[n]["score"] >= self.tests[n]["max_score"]}
            # Where all is right or nothing is, there is nothing to weigh.
            if len(of_piece) == 1 or len(passed) == len(of_piece) or not passed:
                continue
            hollow = self._weighed(piece)
            uses = {n: self._functions(tests[n], piece) for n in of_piece}
            for name in passed & hollow.keys():
                waits = weighing.waits_for(name, uses, hollow, passed)
                if waits:
                    says = outcome.waiting(waits)
                    seen = [*self.tests[name]["seen"], f"passes with {hollow[name]} too"]
                    found = {**self.found[name], "error": "Mistake", "says": says, "printed": ""}
                    self._settle(tests[name], found, seen)
                    outcome.tidy(tests[name], self.room)

    def _functions(self, test: NotebookNode, piece: str) -> frozenset[str]:
        """The learner's functions of this piece that a test is about."""
        return names.names_in(test.source) & frozenset(self.job.names.get(piece, ()))

    def _weighed(self, piece: str) -> dict[str, str]:
        """The hollow tests of a piece, each with a lie that it believes."""
        if not self.job.solution:
            return {}
        steps: list[dict[str, Any]] = []
        learners = {name for bound in self.job.names.values() for name in bound} | self._made()
        for cell in self.cells:
            name = cells.grade_id(cell)
            if cells.is_test(cell):
                if cells.piece_of(name) == piece:
                    about = {"test": name, "source": cell.source, "points": cells.points(cell)}
                    steps.append(about)
            elif name in self.job.solution:
                steps.append({"answer": self.job.solution[name]})
            elif cell.cell_type == "code" and cells.is_locked(cell):
                kind = "answer" if names.used(cell.source) & learners else "setup"
                steps.append({kind: cell.source})
        return weighing.known(steps, lambda: self._ask_examiner(steps, sorted(learners), piece))

    def _made(self) -> set[str]:
        """The names that locked cells compute of a learner's."""
        told = self.told + self.before
        return {name for step in told for name in step.get("learners", ())}

    def _ask_examiner(
        self, steps: list[dict[str, Any]], learners: list[str], piece: str
    ) -> dict[str, str] | None:
        try:
            self._end_examiner()
            self._new_examiner(own=True)
            self.talk.send({"do": "weigh", "notebook": steps, "learners": learners}, 20.0)
            return self.talk.receive(WEIGHING_SECONDS)
        except WireError as error:
            self.flags.append(f"the tests of {piece} could not be weighed: {error}")
            self._end_examiner()
            return None

    def _why_missing(self, piece: str) -> str:
        broken = {cells.grade_id(self.cells[index]) for index in self.kernels.broken}
        why = BREAKS if piece in broken else self.stopped.get(piece, "")
        return why if why in ("", outcome.NO_ANSWER) else f"The answer's own cell stopped: {why}"

    def _examined(
        self, cell: NotebookNode, kinds: tuple[str, ...], piece: str, seen: list[str]
    ) -> dict[str, Any]:
        """Have the examiner run a test cell."""
        if self.examiner is None or not self.examiner.alive():
            self._end_examiner()
            self._new_examiner()
        learner = self._connected(kinds, piece, seen)
        seconds = self._seconds_for_tests()
        knew = learner in self.knowing
        if cells.has_hidden_tests(cell.source):
            self.knowing.add(learner)
        try:
            found = self._asked(cell, learner, cell.source, seconds)
        except WireError as error:
            late = isinstance(error, TimedOut)
            seen.append("the examiner " + ("took too long" if late else "ended"))
            self.flags.append(f"{cells.grade_id(cell)}: {seen[-1]}")
            self._end_examiner()
            self.kernels.end(kinds)
            return {
                "error": remote.OUT_OF_TIME if late else outcome.NOT_RUN,
                "says": f"This test was stopped after {seconds:.0f} s."
                if late
                else "This test could not be carried out: what came back was too much for it.",
            }
        if found["lost"]:
            seen.append("the kernel was replaced after this test")
            if found["error"] == remote.GONE:
                found["why"] = self._why_dead(learner)
                found["says"] = f"{found['says']} {found['why']}"
            self.kernels.end(kinds)
        if not knew:
            found["ours"] = ""
        return found

    def _why_dead(self, learner: Learner) -> str:
        """How a kernel ended, without a number of its own if it has seen a hidden test."""
        return learner.why_dead(briefly=learner in self.knowing)

    def _seconds_for_tests(self) -> float:
        return max(0.1, min(self.limits.cell_seconds, self.deadline - monotonic()))

    def _asked(
        self, cell: NotebookNode, learner: Learner, source: str, seconds: float
    ) -> dict[str, Any]:
        """What the examiner says of a test cell, or of this part of its source."""
        name = cells.grade_id(cell)
        piece = cells.piece_of(name)
        call_seconds = float(self.limits.call_seconds)
        if piece in self.slow:  # one endless loop does not eat the time of the other pieces
            call_seconds = max(call_seconds / 10, min(1.0, call_seconds))
        test = {
            "name": name,
            "source": source,
            "before": self.before,
            "seconds": float(seconds),
            "call_seconds": call_seconds,
            "keep": piece not in self.keeping,
        }
        self.told, self.before = self.told + self.before, []
        self.talk.send({"do": "test", "test": test}, EXAMINERS_SECONDS)
        found = self._answer(learner, seconds + EXAMINERS_SECONDS)
        for text in ("says", "ours"):
            found[text] = outcome.with_line(found[text], self.sources)
        return found

    def _connected(self, kinds: tuple[str, ...], piece: str, seen: list[str]) -> Learner:
        """A kernel that answers the examiner; one that does not is replaced."""
        for again in (False, True):
            learner = self.kernels.catch_up(kinds, piece)
            try:
                new = learner.connect()
                break
            except NoKernel as error:
                seen.append(str(error))
                self.kernels.end(kinds)
                self.kernels.be_careful()
                if again:
                    raise
        if new or self.linked is not learner:
            self._link(learner)
        return learner

    def _link(self, learner: Learner) -> None:
        """Have the examiner talk to this kernel from now on."""
        self.talk.send({"do": "link", "most": self.limits.message_mb << 20}, EXAMINERS_SECONDS)
        socket.send_fds(self.examiner.socket, [b"w"], [learner.wire.fileno()])
        self.talk.receive(EXAMINERS_SECONDS)
        self.linked = learner

    def _answer(self, learner: Learner, seconds: float) -> dict[str, Any]:
        """The examiner's answer; what the kernel prints meanwhile is thrown away."""
        deadline = monotonic() + seconds
        while not learner.pump.waits_for(self.talk.sock, deadline - monotonic()):
            if monotonic() > deadline:
                raise TimedOut("the examiner does not answer")
            if not self.examiner.alive():
                raise Closed("the examiner has ended")
        return self.talk.receive(max(0.1, deadline - monotonic()))


def _called(cell: NotebookNode) -> str:
    return cells.grade_id(cell) or "a cell of their own"
