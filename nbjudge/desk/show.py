"""Print the results of a check on a terminal of 80 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax
from rich.text import Text

from nbjudge.intake.cells import SEPARATOR, listed
from nbjudge.wording import number, plain

if TYPE_CHECKING:
    from nbjudge.desk.check import Checked, CheckedTest, Exercise
    from nbjudge.desk.progress import SetProgress

#: Printed below every check that did not run in the sandbox.
NOT_PROTECTED = (
    "This ran as in Jupyter, without a sandbox: it does not protect this computer from the code in "
    "the notebook."
)

#: The last line below a check that shows one message for each exercise.
FOR_MORE = "For the messages in full add --details or, for one exercise, --exercise NAME."

_COLOURS = {"passed": "green", "answered": "green", "partly": "yellow", "failed": "red"}


def show_checked(
    checked: Checked, notebook: Path, console: Console, *, details: bool = False
) -> None:
    """Print the total, and a line for each exercise with the first thing that is wrong in it.

    With ``details`` each message is printed in full, and what is judged when work is graded.
    """

    def say(text: str, indent: int = 0) -> None:
        for line in _filled(text, _width(console), indent):
            console.print(escape(line), highlight=False, soft_wrap=True)

    console.print(f"\n[bold]{escape(notebook.name)}[/bold]", highlight=False)
    say(_together(checked))
    console.print()
    names = max(len(exercise.name) for exercise in checked.exercises)
    verdicts = max(len(_verdict(exercise)) for exercise in checked.exercises)
    for exercise in checked.exercises:
        colour = _COLOURS.get(exercise.verdict, "dim")
        verdict = f"[{colour}]{_verdict(exercise):<{verdicts}}[/]"
        before = f"{escape(exercise.name):<{names}}  {verdict}  {_points(exercise)}"
        room = _width(console) - len(Text.from_markup(before)) - 2
        why = "" if details else textwrap.shorten(_first_message(exercise), room, placeholder="…")
        console.print(f"{before}  {escape(why)}".rstrip(), highlight=False, soft_wrap=True)
        if details:
            _say_all(exercise, checked, say)
    console.print()
    for flag in checked.flags:
        say(f"- {plain(flag)}")
    for line in _what_remains(checked) if details else []:
        say(line)
    if not checked.from_course:
        say("No release of it was found here: the tests in the notebook itself were run.")
    say(NOT_PROTECTED if not checked.sandboxed else "This ran in the sandbox, as grading does.")
    if not details:
        say(FOR_MORE)


def _say_all(exercise: Exercise, checked: Checked, say: Callable[[str, int], None]) -> None:
    """Print every message of an exercise, and the section that explains it."""
    wrong = _wrong(exercise)
    fine = [_short(t) for t in exercise.tests if t.verdict == "passed"]
    if wrong and fine:
        say(f"passed: {', '.join(fine)}", 4)
    for tests in _by_hint(wrong):
        verdict = "failed" if all(t.verdict == "failed" for t in tests) else "partly"
        say(f"{verdict}: {', '.join(map(_short, tests))} ({_of(tests)})", 4)
        say(plain(tests[0].hint), 8)
    section = checked.sections.get(exercise.name)
    if wrong and section:
        say(f"explained in {section.notebook}, “{section.title}”", 4)


def show_solution(checked: Checked, given_up: bool, console: Console) -> None:
    """Print the solution of the checked exercise, and the criteria for a written answer.

    They are shown once everything that can be judged passes and everything is answered, or if the
    learner gives up.
    """
    (exercise,) = checked.exercises
    if not (exercise.verdict in ("passed", "by hand") or given_up):
        console.print(
            "The solution is shown when all tests of the exercise pass. To see it now, add "
            "--give-up.",
            highlight=False,
        )
        return
    for kind, source in checked.solution:
        console.print("\n[bold]A solution[/bold]" if kind == "code" else "\n[bold]An answer[/bold]")
        console.print(
            Syntax(source, "python", background_color="default", word_wrap=True)
            if kind == "code"
            else escape(source),
            highlight=False,
        )


def show_progress(sets: list[SetProgress], console: Console) -> None:
    """Print a line for each problem set, and the total."""
    longest = max((len(one.name) for one in sets), default=0)
    for one in sets:
        points = f"{number(one.score)}/{number(one.judged)}" if one.exercises else "–"
        done = f"{one.passed} of {one.exercises} exercises done" if one.exercises else ""
        state = f"[dim]{', '.join(part for part in (done, one.state) if part)}[/dim]"
        console.print(f"{escape(one.name):<{longest}}  {points:>7}  {state}", highlight=False)
    score, judged = sum(one.score for one in sets), sum(one.judged for one in sets)
    console.print(
        f"\nSo far: {number(score)} of {_plural(judged)} that were checked.", highlight=False
    )


def _width(console: Console) -> int:
    return min(console.width, 100)


def _filled(text: str, width: int, indent: int) -> Iterator[str]:
    """The lines of a text, each wrapped with an indent of its own below this one."""
    for line in text.splitlines() or [""]:
        before = " " * (indent + len(line) - len(line.lstrip()))
        yield textwrap.fill(
            line.strip(),
            width,
            initial_indent=before,
            subsequent_indent=before,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _verdict(exercise: Exercise) -> str:
    """The verdict or, if statements have no answer yet, how many have one."""
    return next((test.answered for test in exercise.tests if test.answered), exercise.verdict)


def _wrong(exercise: Exercise) -> list[CheckedTest]:
    return [t for t in exercise.tests if t.hint and t.verdict in ("partly", "failed")]


def _first_message(exercise: Exercise) -> str:
    """The first test that did not pass, and the first sentence of its message."""
    if not (wrong := _wrong(exercise)):
        return ""
    line, *_ = plain(wrong[0].hint).strip().splitlines()
    sentence, *_ = re.split(r"(?<=[.?!])\s", line, maxsplit=1)
    return f"{_short(wrong[0])}: {sentence}"


def _short(test: CheckedTest) -> str:
    """A test's name within its exercise."""
    return test.name.partition(SEPARATOR)[2] or test.name


def _by_hint(tests: list[CheckedTest]) -> list[list[CheckedTest]]:
    """Group tests whose messages differ only in a call's inputs."""
    by_hint: dict[str, list[CheckedTest]] = {}
    for test in tests:
        hint = re.sub(r"(?m)^\s*called with .*$", "", plain(test.hint)).strip()
        by_hint.setdefault(hint, []).append(test)
    return list(by_hint.values())


def _of(tests: list[CheckedTest]) -> str:
    points = _plural(sum(test.points for test in tests))
    scores = [test.score for test in tests if test.score is not None]
    return points if len(scores) < len(tests) else f"{number(sum(scores))} of {points}"


def _points(exercise: Exercise) -> str:
    score = number(exercise.score if exercise.judged else None)
    return f"{score + '/' + number(exercise.points):>6}"


def _plural(points: float) -> str:
    return f"{number(points)} point{'s' * (points != 1)}"


def _together(checked: Checked) -> str:
    every = checked.exercises
    score, judged = sum(e.score for e in every), sum(e.judged for e in every)
    which = "All tests" if checked.full else "Visible tests"
    left = sum(exercise.points for exercise in every) - judged
    more = f" {number(left)} more will be judged when your work is graded." if left else ""
    return f"{which}: {number(score)} of {_plural(judged)}.{more}"


def _what_remains(checked: Checked) -> list[str]:
    """Where to read on, and what is judged only when work is graded."""
    lines = []
    unexplained = [e for e in checked.exercises if e.name not in checked.sections]
    if checked.chapter and any(e.verdict in ("partly", "failed") for e in unexplained):
        chapter = int(checked.chapter[:2])
        lines.append(f"Chapter {chapter} explains what these exercises ask: {checked.chapter}")
    if later := [t for t in checked.tests if t.score is None and t.verdict != "hidden"]:
        points = sum(test.points for test in later)
        lines.append(
            f"Judged when your work is graded: {_plural(points)} "
            f"({', '.join(dict.fromkeys(t.name.partition(SEPARATOR)[0] for t in later))})."
        )
    if checked.hidden:
        lines.append(
            f"{checked.hidden} hidden test{'s' * (checked.hidden > 1)} worth "
            f"{_plural(checked.hidden_points)} will be run when your work is graded."
        )
    if checked.partly_hidden:
        have = "has" if len(checked.partly_hidden) == 1 else "have"
        lines.append(
            f"{len(checked.partly_hidden)} of these tests {have} a hidden half that runs when "
            f"work is graded: {listed(checked.partly_hidden)}."
        )
    elif not checked.full:
        lines.append("Tests shown here may have a hidden half that runs only when work is graded.")
    return lines
