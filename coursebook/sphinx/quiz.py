"""The ``{quiz}`` directive: a question that the reader answers on the page.

Usage: ```` ```{quiz} weight-shape ````, with the name of a question in a ``quiz.md``. A lesson
uses ``quiz("weight-shape")`` in a cell. :mod:`coursebook.quizzes` says how to write a question.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from coursebook import quizzes


class quiz(nodes.General, nodes.Element):
    """The whole question: holds a ``quiz_question`` and its ``quiz_choice`` nodes."""


class quiz_question(nodes.General, nodes.Element):
    """The question's text, as inline content."""


class quiz_choice(nodes.General, nodes.Element):
    """One choice: a ``quiz_label`` and a ``quiz_why``."""


class quiz_label(nodes.General, nodes.Element):
    """A choice's text, as inline content."""


class quiz_why(nodes.General, nodes.Element):
    """Why a choice is right or wrong."""


class QuizDirective(SphinxDirective):
    """See the module's docstring."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        for path in quizzes.paths(root):
            self.env.note_dependency(str(path))
        try:
            _, asked = quizzes.pick(quizzes.read(root), self.arguments[0])
        except quizzes.QuizError as error:
            raise self.error(f"quiz: {error}") from error
        name = f"quiz-{asked.name}"
        known = self.env.temp_data.setdefault("quiz_names", set())
        if name in known:
            raise self.error(f"quiz: {asked.name!r} is asked twice on this page")
        known.add(name)

        whole = quiz("", ids=[name], asked=asked)
        first, *more = self._parse(asked.question)
        whole += quiz_question("", *first.children)
        whole += more
        for number, choice in enumerate(asked.choices, 1):
            said = self._parse(choice.text)
            if len(said) != 1 or not isinstance(said[0], nodes.paragraph):
                raise self.error(f"quiz: a choice must be one paragraph, {choice.text!r} is more")
            node = quiz_choice("", right=choice.right, number=number, quiz_name=name)
            node += quiz_label("", *said[0].children, target=f"{name}-{number}")
            node += quiz_why("", *self._parse(choice.why), right=choice.right, number=number)
            whole += node
        return [whole]

    def _parse(self, text: str) -> list[nodes.Node]:
        holder = nodes.container()
        source = self.get_source_info()[0]
        self.state.nested_parse(StringList(text.splitlines(), source), self.content_offset, holder)
        return list(holder.children)


def visit_quiz(self: HTML5Translator, node: quiz) -> None:
    asked: quizzes.Quiz = node["asked"]
    kind = "several" if asked.several else "one"
    self.body.append(
        f'<div class="quiz" id="{node["ids"][0]}" data-kind="{kind}" '
        f'data-version="{asked.version}"><fieldset>'
    )


def depart_quiz(self: HTML5Translator, node: quiz) -> None:
    # quiz.js shows the buttons; without it, readers open the explanations themselves.
    self.body.append(
        '<div class="quiz-actions">'
        '<button type="button" class="quiz-check" hidden>Check</button>'
        '<button type="button" class="quiz-all" hidden>Show every explanation</button>'
        '<button type="button" class="quiz-forget" hidden>Forget my answer</button></div>'
        '<p class="quiz-status" role="status"></p></fieldset></div>'
    )


def visit_question(self: HTML5Translator, node: quiz_question) -> None:
    self.body.append('<legend class="quiz-question">')


def depart_question(self: HTML5Translator, node: quiz_question) -> None:
    self.body.append(f'</legend><p class="quiz-hint">{node.parent["asked"].hint}</p>')


def visit_choice(self: HTML5Translator, node: quiz_choice) -> None:
    kind = "checkbox" if node.parent["asked"].several else "radio"
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
    self.body.append(
        '<details class="quiz-why"><summary>Explanation'
        f'<span class="visually-hidden"> of choice {node["number"]}</span></summary>'
        f'<div><p class="quiz-truth">{quizzes.TRUTH[node["right"]]}</p>'
    )


def depart_why(self: HTML5Translator, node: quiz_why) -> None:
    self.body.append("</div></details>")


def _plain(self: nodes.NodeVisitor, node: nodes.Node) -> None:
    """For other builders: print the question, the choices and the reasons one after another."""


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
