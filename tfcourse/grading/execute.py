"""Run a notebook's cells in a kernel with limits, and make its outputs fit to be scored."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute, NbGraderPreprocessor

from tfcourse.grading import cells
from tfcourse.grading.release import NOT_COPIED

#: One thread each: as many as there are cores would fight when many are graded.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

#: A cell may print so many characters; what comes after is dropped.
MAX_OUTPUT = 200_000

#: Of each output only these are kept: the others can carry scripts.
KEPT_TYPES = ("text/plain", "image/png", "image/jpeg")

#: The names of the errors that the examiner itself writes into a cell.
OUT_OF_TIME, KERNEL_DIED, NOT_RUN, NOT_A_SCORE = "OutOfTime", "KernelDied", "NotRun", "NotAScore"
OUR_ERRORS = (OUT_OF_TIME, KERNEL_DIED, NOT_RUN, NOT_A_SCORE)

#: What is said of a stub.
NO_ANSWER = "No answer yet."

#: What can happen to a kernel: the error's name, what the cell says, and why others are not run.
DIED = (
    KERNEL_DIED,
    "The kernel died here: out of memory, or stopped from within?",
    "the kernel died",
)
STUCK = (
    OUT_OF_TIME,
    "This cell ran out of time and could not be interrupted.",
    "a cell could not be stopped",
)


class OwnKernel(AsyncKernelManager):
    """The kernel of the running Python, whatever kernels are registered on this machine."""

    @property
    def kernel_spec(self) -> KernelSpec:
        from ipykernel.kernelspec import get_kernel_dict

        return KernelSpec(**get_kernel_dict(python_arguments=["-Xfrozen_modules=off"]))


def error(name: str, message: str) -> NotebookNode:
    """An error output with a message and no traceback."""
    return new_output("error", ename=name, evalue=message, traceback=[f"{name}: {message}"])


class LimitedExecute(Execute):
    """nbgrader's Execute with a budget for the whole notebook, in a scratch folder.

    One cell may take ``cell_seconds``; the locked set-up may take more. Once a test of a piece has
    run out of time, the piece's other tests get a tenth of that, so that one endless loop does not
    eat the time of the other pieces. All cells together may take ``submission_seconds``; the cells
    after that are not run and say so. Where the kernel dies or cannot be interrupted, the rest of
    the piece is given up, and the other pieces go on in a new kernel. What happened is in
    ``flags``.

    Parameters
    ----------
    cell_seconds, submission_seconds:
        The limits, in seconds.
    seed:
        What the kernel finds in ``TFCOURSE_SEED``, for the inputs of hidden tests; ``None``: unset.
    data:
        A folder whose files (not its notebooks) the kernel finds in its working folder.
    """

    def __init__(
        self,
        *,
        cell_seconds: float,
        submission_seconds: float,
        seed: int | None = None,
        data: Path | None = None,
        **traits,
    ):
        super().__init__(**traits)
        self.cell_seconds, self.submission_seconds = cell_seconds, submission_seconds
        self.seed, self.data = seed, data
        self._flags: list[str] = []
        self._out_of_time: list[str] = []
        self.shutdown_kernel = "immediate"
        self.timeout_func = self._seconds_for
        self._slow: set[str] = set()
        self._given_up: dict[str, str] = {}
        self._over = ""

    @property
    def flags(self) -> list[str]:
        """What happened, a line each."""
        late = [f"ran out of time in {cells.listed(self._out_of_time)}"] * bool(self._out_of_time)
        return self._flags + late

    def create_kernel_manager(self) -> OwnKernel:
        self.km = OwnKernel(config=self.config)
        return self.km

    @contextmanager
    def setup_kernel(self, **kwargs):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            work = Path(scratch) / "work"
            if self.data is None:
                work.mkdir()
            else:
                ignored = shutil.ignore_patterns(*NOT_COPIED, "*.ipynb")
                shutil.copytree(self.data, work, ignore=ignored)
            environment = {**os.environ, **ONE_THREAD, "IPYTHONDIR": str(Path(scratch) / "ipython")}
            environment.pop("TFCOURSE_SEED", None)
            if self.seed is not None:
                environment["TFCOURSE_SEED"] = str(self.seed)
            self._deadline = monotonic() + self.submission_seconds
            # What the kernel itself says on the terminal is not the notebook's output.
            nowhere = subprocess.DEVNULL
            self._start = {
                "cwd": str(work),
                "env": environment,
                "stdout": nowhere,
                "stderr": nowhere,
            }
            with super().setup_kernel(**self._start, **kwargs):
                yield

    def _seconds_for(self, cell: NotebookNode) -> float:
        limit = self.cell_seconds
        if cells.is_locked(cell) and not cells.is_test(cell):
            # The set-up is ours: that a busy machine is slow to load torch is not the learner's.
            limit = self.submission_seconds
        elif cells.piece_of(cells.grade_id(cell)) in self._slow:
            limit = max(1.0, limit / 10)
        limit = max(0.1, min(limit, self._deadline - monotonic()))
        message = f"This cell was stopped after {limit:.0f} s: is there a loop that never ends?"
        self.error_on_timeout = {
            "ename": OUT_OF_TIME,
            "evalue": message,
            "traceback": [f"{OUT_OF_TIME}: {message}"],
        }
        return limit

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        name = cells.grade_id(cell)
        piece = cells.piece_of(name)
        if not self._over and monotonic() > self._deadline:
            self._over = f"the submission's {self.submission_seconds:.0f} s were used up"
            self._flags.append(f"{self._over} before {name or 'a cell of their own'}")
        if why := self._over or self._given_up.get(piece, ""):
            cell.outputs = [error(NOT_RUN, f"This cell was not run: {why}.")]
            return cell, resources
        self._characters = 0
        try:
            cell, resources = super().preprocess_cell(cell, resources, index)
        except (DeadKernelError, CellTimeoutError) as lost:
            died = isinstance(lost, DeadKernelError)
            self._mourn(cell, index, DIED if died else STUCK)
        out_of_time = [out for out in cell.outputs if out.get("ename") == OUT_OF_TIME]
        if out_of_time:
            # What the interrupt itself raised says nothing to a reader.
            errors = [out for out in cell.outputs if out.output_type == "error"]
            cell.outputs = [out for out in cell.outputs if out not in errors] + out_of_time[:1]
            if cells.is_test(cell):
                self._slow.add(piece)
            self._out_of_time.append(name or "a cell of their own")
        return cell, resources

    def _mourn(self, cell: NotebookNode, index: int, what: tuple[str, str, str]) -> None:
        """Say what happened to the kernel and go on in a new one, without the rest of the piece."""
        ename, message, why = what
        cell.outputs.append(error(ename, message))
        name = cells.grade_id(cell)
        if ename != OUT_OF_TIME:
            self._flags.append(f"{why} in {name or 'a cell of their own'}")
        if cells.is_test(cell):
            self._given_up[cells.piece_of(name)] = f"{why} in an earlier test of this exercise"
        try:
            self._cleanup_kernel()
            self.create_kernel_manager()
            self.start_new_kernel(**self._start)
            self.start_new_kernel_client()
            for place, earlier in enumerate(self.nb.cells[: index + 1]):
                if earlier.cell_type == "code" and earlier.source.strip():
                    again = nbformat.from_dict(dict(earlier))
                    # Something is run in place of every cell, so that their numbers stay the same.
                    if place == index or cells.is_test(earlier):
                        again.source = "pass"
                    self._characters = 0
                    self.execute_cell(again, place, store_history=True)
                    # nbclient puts what it ran into the notebook.
                    self.nb.cells[place] = earlier
        except (DeadKernelError, CellTimeoutError, RuntimeError):
            self._over = f"{why}, and so did its successor"

    def output(self, outs, msg, display_id, cell_index):
        content = msg["content"]
        self._characters += len(content.get("text", "")) + sum(
            len(value) for value in content.get("data", {}).values() if isinstance(value, str)
        )
        if self._characters > MAX_OUTPUT and msg["msg_type"] != "error":
            return None
        return super().output(outs, msg, display_id, cell_index)


class TidyOutputs(NbGraderPreprocessor):
    """Make a run notebook's outputs fit to be scored and shown.

    - Output that can carry a script is dropped, in every cell.
    - What a test cell wrote to stderr is dropped: nbgrader gives no points to a cell with anything
      there, and a warning of a library is no mistake (and shows the line of the test it came from).
    - Of a test's traceback the learner's own frames stay; the others would show hidden tests.
    - A score given by a test's last expression must be a number from 0 to the points of the cell;
      nbgrader would take NaN, a negative number or anything else for full points.
    """

    def preprocess(self, nb, resources):
        # Cell numbers as tracebacks name them, for the cells that are the learner's.
        self._own = {
            cell.execution_count
            for cell in nb.cells
            if cell.cell_type == "code" and not cells.is_locked(cell)
        }
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type != "code":
            return cell, resources
        cell.outputs = [out for out in map(_harmless, cell.outputs) if out is not None]
        if cells.is_locked(cell):
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
            for out in cell.outputs:
                if out.output_type == "error":
                    out.traceback = self._own_frames(out)
        if cells.is_test(cell):
            for out in cell.outputs:
                if out.output_type == "execute_result":
                    if wrong := _not_a_score(out.data.get("text/plain", ""), cells.points(cell)):
                        cell.outputs.append(error(NOT_A_SCORE, wrong))
                        cell.outputs.remove(out)
                    break
        return cell, resources

    def _own_frames(self, out: NotebookNode) -> list[str]:
        kept = []
        for frame in out.traceback:
            found = re.match(r"(?:Cell|Input) In ?\[(\d+)\]", strip_ansi(frame))
            if found and int(found.group(1)) in self._own:
                kept.append(frame)
        if out.ename == "Mistake":
            return [*kept, out.evalue]
        return [*kept, f"{out.ename}: {out.evalue}" if out.evalue else out.ename]


def _harmless(out: NotebookNode) -> NotebookNode | None:
    """The output without what could carry a script; ``None`` where nothing is left."""
    if out.output_type in ("display_data", "execute_result"):
        data = {kind: out.data[kind] for kind in KEPT_TYPES if isinstance(out.data.get(kind), str)}
        if not data:
            return None
        out.data, out.metadata = NotebookNode(data), NotebookNode()
    return out


def _not_a_score(text: str, points: float) -> str:
    """What is wrong with a test's last value as a score; empty where nothing is."""
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text.strip(), re.IGNORECASE):
        what = f"{text.strip()[:60]!r}, which is no number"
    elif not 0 <= float(text) <= points:
        what = f"{text.strip()}, but the test carries {points:g}"
    else:
        return ""
    return f"This test gave the score {what}; no points were given. Tell your instructor."


def shown_message(cell: NotebookNode) -> str:
    """What a test cell told the learner, in one text: its error, or else what it printed."""
    for out in cell.outputs:
        if out.output_type == "error":
            if out.ename == "NotImplementedError":
                return NO_ANSWER
            known = out.ename == "Mistake" or out.ename in OUR_ERRORS
            plain = out.ename == "AssertionError" and out.evalue
            text = out.evalue if known or plain else f"{out.ename}: {out.evalue}".removesuffix(": ")
            return strip_ansi(text).strip()
    printed = "".join(out.text for out in cell.outputs if out.output_type == "stream")
    return strip_ansi(printed).strip()


def messages(notebook: NotebookNode) -> dict[str, str]:
    """What each test cell of a run notebook told the learner, by its grade id.

    A test that fails because a name is missing, where the answer's own cell had stopped with an
    error, says that error.
    """
    stopped, told = {}, {}
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cells.grade_id(cell):
            continue
        failed = next((out for out in cell.outputs if out.output_type == "error"), None)
        if cells.is_answer(cell) and failed is not None:
            stopped[cells.grade_id(cell)] = shown_message(cell)
        elif cells.is_test(cell):
            name = cells.grade_id(cell)
            told[name] = shown_message(cell)
            why = stopped.get(cells.piece_of(name), "")
            if failed is not None and failed.ename == "NameError" and why:
                told[name] = why if why == NO_ANSWER else f"The answer's own cell stopped: {why}"
    return told
