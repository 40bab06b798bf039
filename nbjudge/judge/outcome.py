"""The score and message of a cell's outcome, as outputs that nbgrader can score."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace
from nbformat import NotebookNode

from nbjudge.inside import causes
from nbjudge.inside.wire import IN_A_HIDDEN_TEST
from nbjudge.intake import cells
from nbjudge.judge.endings import DIED, FAILED, FLOODED, OUT_OF_TIME
from nbjudge.judge.messages import Finding
from nbjudge.report.outputs import Room, harmless, output
from nbjudge.wording import plain

#: The names of errors that the judge itself writes into a cell.
NOT_RUN, NOT_A_SCORE = "NotRun", "NotAScore"

#: Message for a stub.
NO_ANSWER = "No answer yet."

#: Maximum number of characters in a message for people.
MAX_MESSAGE = 4000


def error(name: str, message: str) -> NotebookNode:
    """An error output with a message and no traceback."""
    return output("error", ename=name, evalue=message, traceback=[f"{name}: {message}"])


def explain(cell: NotebookNode, how: str, seconds: float) -> None:
    """Add to a cell's outputs why it did not run to the end."""
    if how == OUT_OF_TIME:
        # The interrupt's own error tells a reader nothing.
        cell.outputs = [out for out in cell.outputs if out.output_type != "error"]
        message = f"This cell was stopped after {seconds:.0f} s: is there a loop that never ends?"
        cell.outputs.append(error("OutOfTime", message))
    elif how == FLOODED:
        cell.outputs = [out for out in cell.outputs if out.output_type != "error"]
        cell.outputs.append(error("TooMuchOutput", "This cell was stopped: it prints without end."))
    elif how == FAILED and all(out.output_type != "error" for out in cell.outputs):
        message = "This cell was stopped by an error, which was lost: it prints more than is kept."
        cell.outputs.append(error("TooMuchOutput", message))
    elif how == DIED:
        message = "The kernel died here: did it run out of memory, or did the code stop it?"
        cell.outputs.append(error("KernelDied", message))


def why_stopped(cell: NotebookNode) -> str:
    """What stopped an answer cell, in one line; empty if nothing did."""
    failed = next((out for out in cell.outputs if out.output_type == "error"), None)
    if failed is None:
        return ""
    if failed.ename == "NotImplementedError":
        return NO_ANSWER
    known = failed.ename in ("Mistake", "OutOfTime", "TooMuchOutput", "KernelDied", NOT_RUN)
    text = failed.evalue if known else f"{failed.ename}: {failed.evalue}".removesuffix(": ")
    # Replace the kernel's internal name for the cell.
    text = re.sub(r"\((?:\d+\.py|<[^>]*>), line (\d+)\)$", r"(line \1 of the cell)", text)
    return plain(text).strip()[:MAX_MESSAGE]


def why_missing(why: str) -> str:
    """What is said of a name that is missing, from why the answer's own cell stopped."""
    return why if why in ("", NO_ANSWER) else f"The answer's own cell stopped: {why}"


def settled(finding: Finding, points: float) -> Finding:
    """The finding in a test; an invalid score from its last line is an error too."""
    value = finding.value
    if value is None or finding.error:
        return finding
    if not isinstance(value, str) and 0 <= value <= points:
        return finding
    says = (
        f"This test gave the score {value if isinstance(value, str) else f'{value:g}'}, but it is "
        f"worth {points:g} points: none were given. Tell your instructor."
    )
    return replace(finding, error=NOT_A_SCORE, says=says)


def is_an_error(finding: Finding) -> bool:
    """Whether a test reports that the learner's code stopped with an error, or is missing.

    An unchanged stub is not an error.
    """
    if finding.says == NO_ANSWER:
        return False
    stopped = re.match(r"`.*` stops with |The answer's own cell stopped", finding.says)
    return finding.error == "Missing" or (finding.error == "Mistake" and bool(stopped))


def is_same(one: Finding, other: Finding) -> bool:
    """Whether two tests report the same error, whatever the inputs of their calls.

    A hidden test reveals only the error's type and line.
    """
    if one.says.splitlines()[0] == other.says.splitlines()[0]:
        return True
    kind = _kind_and_line(one)
    hidden = IN_A_HIDDEN_TEST in one.says or IN_A_HIDDEN_TEST in other.says
    return hidden and kind is not None and kind == _kind_and_line(other)


def _kind_and_line(finding: Finding) -> tuple[str, str] | None:
    kind = re.match(r"`[^`]*` stops with \w+", finding.says)
    line = re.search(r"^  line \d+ of the cell", finding.says, re.MULTILINE)
    return (kind.group(), line.group()) if kind and line else None


def with_line(says: str, sources: Mapping[str, str]) -> str:
    """A hidden test's message with the text of the learner's own line added to its number.

    Parameters
    ----------
    says:
        The message from :func:`nbjudge.inside.testing.unseen.sentence`.
    sources:
        A learner's name → the source of the cell that defines it.
    """
    first = rf"`([^`]*)` stops with \w+{re.escape(IN_A_HIDDEN_TEST)}"
    at = re.search(rf"{first}(?s:.*)\n  line (\d+) of the cell$", says)
    if at is None:
        return says
    # Without the blank lines that a cell begins with, as IPython counts.
    lines = re.sub(r"\A(\s*\n)+", "", sources.get(at.group(1), "")).splitlines()
    number = int(at.group(2))
    if lines and number > len(lines):  # a line number out of range could smuggle out data
        return says.rpartition("\n")[0]
    return f"{says}: {lines[number - 1].strip()}" if lines else says


def agreed(findings: Mapping[str, Finding]) -> dict[str, str]:
    """The messages of failed tests that a known mistake may explain, by test.

    Parameters
    ----------
    findings:
        The examiner's findings by test, in order.
    """
    return causes.agreed(
        {
            test: causes.Ending(frozenset(one.uses), not one.error, one.guess)
            for test, one in findings.items()
        }
    )


def as_in(test: str, finding: Finding) -> str:
    """The message for an error that another test already reports in full."""
    first = finding.says.splitlines()[0]
    error = re.search(r"\b\w*(Error|Exception)\b", first)
    return f"The same {error.group() if error else 'error'} as in {test}."


def waiting(functions: list[str]) -> str:
    """The message of a passing test while no test of these functions' values passes."""
    named = " and ".join(f"`{function}`" for function in functions)
    return (
        f"This test passes, and its points count as soon as a test of what {named} returns passes "
        "too. Look at the messages of the other tests first."
    )


def scored(finding: Finding, points: float) -> tuple[list[NotebookNode], float]:
    """A test cell's outputs and its score, from a finding that is :func:`settled`."""
    outputs = []
    if finding.printed:
        outputs.append(output("stream", name="stdout", text=finding.printed))
    if finding.error:
        ename = "NameError" if finding.error == "Missing" else finding.error
        return [*outputs, _error(ename, finding.says)], 0.0
    if finding.value is None:
        return outputs, points
    score = float(finding.value)
    return [*outputs, output("execute_result", data={"text/plain": repr(score)})], score


def _error(name: str, says: str) -> NotebookNode:
    out = error(name, plain(says)[:MAX_MESSAGE])
    if name == "Mistake":
        out.traceback = out.evalue.splitlines() or [""]
    return out


def message(finding: Finding, score: float, points: float) -> str:
    """A test's message to the learner; empty if it got all its points."""
    if score >= points:
        return ""
    name, says = finding.error, finding.says
    if not name:
        text = finding.printed or f"The score is {score:g} of {points:g}."
    elif name == "NotImplementedError" and "Your code goes here" in says:
        text = NO_ANSWER
    elif name in _SPEAK_FOR_THEMSELVES or (name == "AssertionError" and says):
        text = says
    else:
        text = f"{name}: {says}".removesuffix(": ")
    return plain(text).strip()[:MAX_MESSAGE]


_SPEAK_FOR_THEMSELVES = (
    "Mistake",
    "Missing",
    "OutOfTime",
    "KernelDied",
    "Garbled",
    NOT_RUN,
    NOT_A_SCORE,
)


def tidy(cell: NotebookNode, room: Room | None = None) -> None:
    """Keep only those of a code cell's outputs that are safe to show and within limits.

    A locked cell keeps no stderr, for which nbgrader would deduct the points.
    """
    # A test's outputs are bounded by the examiner, and contain the score.
    cell.outputs = harmless(cell.outputs, None if cells.is_test(cell) else room)
    if cells.is_locked(cell):
        cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
