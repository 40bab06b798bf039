"""The lessons' questions: read from each ``quiz.md``, shown in a notebook without their answers.

A lesson's ``quiz.md`` is Markdown. Each question is a heading with the question's name, then the
question, then its choices::

    ## weight-shape

    What is the output $y_i$ of one token?

    - [x] A vector of $d_v$ numbers.
      : The output is a weighted sum of value rows, so it has their width.
    - [ ] A single number.
      : A *weight* is a single number. The output adds up rows.

With one ``[x]`` the reader chooses one answer; with several, any number. Every choice needs an
explanation. A lesson shows a question with a cell that calls :func:`quiz`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from pathlib import Path

from coursebook import course

NAME = re.compile(r"##\s+(?P<name>\S.*?)\s*")
CHOICE = re.compile(r"-\s+\[(?P<mark>[ xX])\]\s+(?P<text>.+)")
EXPLANATION = re.compile(r"\s+:\s+(?P<text>.+)")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

#: The words that a choice's explanation begins with.
TRUTH = {True: "Right.", False: "Not right."}

#: Formulas, which Markdown would otherwise parse; code comes first, since it may contain a dollar.
_FORMULA = re.compile(r"(?P<code>`[^`]+`)|(?P<formula>\$\$.+?\$\$|\$[^$\n]+?\$)", re.DOTALL)


class QuizError(ValueError):
    """A question is malformed, or there is none with that name."""


@dataclass(frozen=True)
class Choice:
    """One choice: whether it is right, what it says, and why. The texts are Markdown."""

    right: bool
    text: str
    why: str


@dataclass(frozen=True)
class Quiz:
    """One question. In a notebook its choices unfold; as text it is printed without answers."""

    name: str
    question: str
    choices: tuple[Choice, ...]

    @property
    def several(self) -> bool:
        """Whether more than one choice is right."""
        return sum(choice.right for choice in self.choices) > 1

    @property
    def hint(self) -> str:
        """How many choices the reader should make."""
        return "Choose every one that is true." if self.several else "Choose one."

    @property
    def version(self) -> str:
        """A short code that changes with the question's text, so that old answers are dropped."""
        return hashlib.sha256(repr((self.question, self.choices)).encode()).hexdigest()[:8]

    def __repr__(self) -> str:
        letters = (f"  {chr(65 + n)}. {choice.text}" for n, choice in enumerate(self.choices))
        return "\n".join([self.question, "", *letters, "", self.hint])

    def _repr_html_(self) -> str:
        choices = "".join(
            "<details><summary>" + html_of(choice.text, block=False) + "</summary>"
            f"<blockquote><strong>{TRUTH[choice.right]}</strong> {html_of(choice.why, block=False)}"
            "</blockquote></details>"
            for choice in self.choices
        )
        return (
            f"<div><strong>Question</strong>{html_of(self.question)}"
            f"<p><em>{self.hint} Open a choice to see whether it is right.</em></p>{choices}</div>"
        )


def html_of(text: str, *, block: bool = True) -> str:
    """Markdown as HTML; formulas stay between dollars, where Jupyter finds them."""
    from markdown_it import MarkdownIt

    formulas: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        if found["code"]:
            return found["code"]
        formulas.append(found["formula"])
        return f"\ue000{len(formulas) - 1}\ue001"

    markdown = MarkdownIt("commonmark").enable("table")
    safe = _FORMULA.sub(set_aside, text)
    html = markdown.render(safe) if block else markdown.renderInline(safe)
    return re.sub("\ue000(\\d+)\ue001", lambda n: escape(formulas[int(n[1])], quote=False), html)


def parse(text: str) -> dict[str, Quiz]:
    """The questions of one file, by name.

    Raises
    ------
    QuizError
        If a name is missing, malformed or used twice, or a question has no text, fewer than two
        choices, no right choice, a choice without an explanation, or a stray line.
    """
    found: dict[str, Quiz] = {}
    name, lines = None, []
    for line in [*text.splitlines(), "## end"]:
        if not (match := NAME.fullmatch(line)):
            lines.append(line)
            continue
        if name is not None:
            if not SLUG.fullmatch(name):
                raise QuizError(f"the name {name!r} must be lower-case words joined by hyphens")
            if name in found:
                raise QuizError(f"two questions are named {name!r}")
            found[name] = _one(name, lines)
        name, lines = match["name"], []
    return found


def _one(name: str, lines: list[str]) -> Quiz:
    asked: list[str] = []
    choices: list[tuple[bool, list[str], list[str]]] = []
    for line in lines:
        if match := CHOICE.match(line):
            choices.append((match["mark"] != " ", [match["text"]], []))
        elif not choices:
            asked.append(line)
        elif match := EXPLANATION.match(line):
            if choices[-1][2]:
                raise QuizError(f"{name}: the choice {choices[-1][1][0]!r} has two explanations")
            choices[-1][2].append(match["text"])
        elif not line.strip() or line.startswith(" "):
            part = choices[-1][2] or choices[-1][1]
            part.append(line.strip())
        else:
            raise QuizError(
                f"{name}: {line!r} is neither a choice (`- [x] text` or `- [ ] text`) nor an "
                "explanation (`  : text`, indented); indent it to continue the line above"
            )
    if not any(line.strip() for line in asked):
        raise QuizError(f"{name}: the question is missing: write it above the first choice")
    if len(choices) < 2:
        raise QuizError(f"{name}: a quiz needs two choices or more, this one has {len(choices)}")
    if not any(right for right, _, _ in choices):
        raise QuizError(f"{name}: no choice is marked right: write `- [x]` before each that is")
    for _, said, why in choices:
        if not why:
            raise QuizError(
                f"{name}: the choice {said[0]!r} has no explanation: "
                "write it below, indented, as `  : because ...`"
            )
    return Quiz(
        name,
        "\n".join(asked).strip(),
        tuple(
            Choice(right, "\n".join(said).strip(), "\n".join(why).strip())
            for right, said, why in choices
        ),
    )


def paths(root: Path) -> list[Path]:
    """The files that hold the course's questions."""
    found = [*(lesson.quiz for lesson in course.lessons(root)), root / "book" / "quiz.md"]
    return [path for path in found if path.is_file()]


def read(root: Path) -> dict[str, tuple[Path, Quiz]]:
    """Every question of the course by name, with the file that holds it.

    Raises
    ------
    QuizError
        If a file is malformed, or two files use the same name.
    """
    found: dict[str, tuple[Path, Quiz]] = {}
    for path in paths(root):
        try:
            questions = parse(path.read_text("utf-8"))
        except QuizError as error:
            raise QuizError(f"{_name(path)}: {error}") from None
        for name, one in questions.items():
            if name in found:
                raise QuizError(f"{_name(path)} and {_name(found[name][0])} both have {name!r}")
            found[name] = path, one
    return found


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def pick(found: dict[str, tuple[Path, Quiz]], name: str) -> tuple[Path, Quiz]:
    """The question with that name; if there is none, the error suggests a similar name."""
    if name in found:
        return found[name]
    near = get_close_matches(name, found, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ": write it in the lesson's quiz.md"
    raise QuizError(f"there is no question named {name!r}{hint}")


def quiz(name: str) -> Quiz:
    """Show the question ``name``; each choice unfolds to say whether it is right, and why.

    Parameters
    ----------
    name:
        The question's heading in a ``quiz.md``.

    Raises
    ------
    QuizError
        If there is no question with that name.
    FileNotFoundError
        If the course's folder is not found; the message says how to set it.
    """
    return pick(read(course.root()), name)[1]
