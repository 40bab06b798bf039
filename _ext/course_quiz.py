"""The ``{quiz}`` directive: a question whose every choice explains itself.

Written as a fenced block that reads as plain text where directives are not known::

    ```{quiz}
    :id: quiz-output

    What is the output $y_i$?

    - [x] A vector of $d_v$ numbers.
      : It is a weighted sum of value rows, so it has their width.
    - [ ] A scalar.
      : A weight is a scalar; the output sums rows.
    ```

The question stands in the block or on the fence's own line. One ``[x]`` gives radio buttons,
several give check boxes. A choice without an explanation is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

CHOICE = re.compile(r"-\s+\[(?P<mark>[ xX])\]\s+(?P<text>.+)")
EXPLANATION = re.compile(r"\s+:\s+(?P<text>.+)")


class QuizError(ValueError):
    """A quiz that is not written as it must be; the message says what to write."""


@dataclass
class Choice:
    """One choice: whether it is right, what it says, and why."""

    right: bool
    text: list[str]
    why: list[str] = field(default_factory=list)


def parse_quiz(question: str, lines: list[str]) -> tuple[list[str], list[Choice]]:
    """Split a quiz's source into the question's lines and the choices.

    Raises
    ------
    QuizError
        Where there is no question, fewer than two choices, no right one, a choice without an
        explanation, or a line that belongs to nothing.
    """
    asked = [question] if question.strip() else []
    choices: list[Choice] = []
    for line in lines:
        if match := CHOICE.match(line):
            choices.append(Choice(match["mark"] != " ", [match["text"]]))
        elif not choices:
            asked.append(line)
        elif match := EXPLANATION.match(line):
            if choices[-1].why:
                raise QuizError(f"the choice {choices[-1].text[0]!r} has two explanations")
            choices[-1].why.append(match["text"])
        elif not line.strip() or line.startswith(" "):
            part = choices[-1].why or choices[-1].text
            part.append(line.strip())
        else:
            raise QuizError(
                f"{line!r} is neither a choice (`- [x] text` or `- [ ] text`) nor an explanation "
                "(`  : text`, indented); indent it to continue the line above"
            )
    if not any(line.strip() for line in asked):
        raise QuizError("the question is missing: write it above the first choice")
    if len(choices) < 2:
        raise QuizError(f"a quiz needs two choices or more, this one has {len(choices)}")
    if not any(choice.right for choice in choices):
        raise QuizError("no choice is marked right: write `- [x]` before each that is")
    for choice in choices:
        if not choice.why:
            raise QuizError(
                f"the choice {choice.text[0]!r} has no explanation: "
                "write it below, indented, as `  : because ...`"
            )
    return asked, choices


class quiz(nodes.General, nodes.Element):
    """The whole: holds a ``quiz_question`` and its ``quiz_choice`` nodes."""


class quiz_question(nodes.General, nodes.Element):
    """What is asked, as inline content."""


class quiz_choice(nodes.General, nodes.Element):
    """One choice: a ``quiz_label`` and a ``quiz_why``."""


class quiz_label(nodes.General, nodes.Element):
    """What a choice says, as inline content."""


class quiz_why(nodes.General, nodes.Element):
    """Why a choice is right or wrong."""


class QuizDirective(SphinxDirective):
    """See the module's own text."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {"id": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        try:
            asked, choices = parse_quiz(" ".join(self.arguments), list(self.content))
        except QuizError as error:
            raise self.error(f"quiz: {error}") from error
        name = nodes.make_id(self.options.get("id") or f"quiz-{self.env.new_serialno('quiz') + 1}")
        known = self.env.temp_data.setdefault("quiz_names", set())
        if name in known:
            raise self.error(f"quiz: there are two with the id {name!r} on this page")
        known.add(name)

        several = sum(choice.right for choice in choices) > 1
        whole = quiz("", ids=[name], several=several)
        first, *more = self._parse(asked)
        whole += quiz_question("", *first.children)
        whole += more
        for number, choice in enumerate(choices, 1):
            said = self._parse(choice.text)
            if len(said) != 1 or not isinstance(said[0], nodes.paragraph):
                raise self.error(f"quiz: a choice is one paragraph, {choice.text[0]!r} is more")
            node = quiz_choice(
                "", right=choice.right, number=number, quiz_name=name, several=several
            )
            node += quiz_label("", *said[0].children, target=f"{name}-{number}")
            node += quiz_why("", *self._parse(choice.why), right=choice.right, number=number)
            whole += node
        return [whole]

    def _parse(self, lines: list[str]) -> list[nodes.Node]:
        holder = nodes.container()
        source = self.get_source_info()[0]
        self.state.nested_parse(StringList(lines, source), self.content_offset, holder)
        return list(holder.children)


def visit_quiz(self: HTML5Translator, node: quiz) -> None:
    kind = "several" if node["several"] else "one"
    self.body.append(f'<div class="quiz" id="{node["ids"][0]}" data-kind="{kind}"><fieldset>')


def depart_quiz(self: HTML5Translator, node: quiz) -> None:
    # The buttons are shown by quiz.js: without it the explanations open by themselves.
    self.body.append(
        '<div class="quiz-actions">'
        '<button type="button" class="quiz-check" hidden>Check</button>'
        '<button type="button" class="quiz-all" hidden>Show every explanation</button></div>'
        '<p class="quiz-status" role="status"></p></fieldset></div>'
    )


def visit_question(self: HTML5Translator, node: quiz_question) -> None:
    self.body.append('<legend class="quiz-question">')


def depart_question(self: HTML5Translator, node: quiz_question) -> None:
    several = node.parent["several"]
    hint = "Choose every one that is true." if several else "Choose one."
    self.body.append(f'</legend><p class="quiz-hint">{hint}</p>')


def visit_choice(self: HTML5Translator, node: quiz_choice) -> None:
    kind = "checkbox" if node["several"] else "radio"
    target = f"{node['quiz_name']}-{node['number']}"
    right = "yes" if node["right"] else "no"
    self.body.append(
        f'<div class="quiz-choice" data-right="{right}">'
        f'<input type="{kind}" id="{target}" name="{node["quiz_name"]}" autocomplete="off">'
    )


def depart_choice(self: HTML5Translator, node: quiz_choice) -> None:
    self.body.append("</div>")


def visit_label(self: HTML5Translator, node: quiz_label) -> None:
    self.body.append(f'<label for="{node["target"]}">')


def depart_label(self: HTML5Translator, node: quiz_label) -> None:
    self.body.append('</label><span class="quiz-mark"></span>')


def visit_why(self: HTML5Translator, node: quiz_why) -> None:
    word = "True." if node["right"] else "Not true."
    self.body.append(
        '<details class="quiz-why"><summary>Explanation'
        f'<span class="visually-hidden"> of choice {node["number"]}</span></summary>'
        f'<div><p class="quiz-truth">{word}</p>'
    )


def depart_why(self: HTML5Translator, node: quiz_why) -> None:
    self.body.append("</div></details>")


def _plain(self, node: nodes.Node) -> None:
    """Other builders print the question, the choices and the reasons one after another."""


def setup(app: Sphinx) -> dict:
    visitors = {
        quiz: (visit_quiz, depart_quiz),
        quiz_question: (visit_question, depart_question),
        quiz_choice: (visit_choice, depart_choice),
        quiz_label: (visit_label, depart_label),
        quiz_why: (visit_why, depart_why),
    }
    for node, html in visitors.items():
        app.add_node(node, html=html, latex=(_plain, _plain), text=(_plain, _plain))
    app.add_directive("quiz", QuizDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
