"""A lesson's *Your turn* on the site: a box of its own, with a field or the way to JupyterLab.

Nothing runs on the site, so the cell that judges an answer is replaced: by an input field if its
right answer is numbers that stand in the cell, otherwise by where the lesson can be run.
"""

from __future__ import annotations

import ast
import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

#: The page that says how to open a lesson in JupyterLab.
RUN = "book/take"

#: What a check that was given dots has printed; see :mod:`coursebook.turn`.
UNANSWERED = "Your turn:"

_SUMS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)

#: What a check may make of a typed number before it compares it.
_CONVERTS = {"float", "int", "map", "round", "tuple", "torch.tensor"}


class answer_field(nodes.General, nodes.Element):
    """An input field for numbers; ``judged`` says what is right and what to say."""


def numbers(node: ast.expr) -> list[float] | None:
    """The numbers that an expression says without running it: one, a tuple, or a row's tensor."""
    if isinstance(node, ast.Tuple | ast.List):
        found = [numbers(one) for one in node.elts]
        return (
            [one[0] for one in found if one]
            if all(one and len(one) == 1 for one in found)
            else None
        )
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.tensor" and node.args:
        return numbers(node.args[0])
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and type(inner.value) in (int, float):
            continue
        if isinstance(inner, (ast.BinOp, ast.UnaryOp, ast.USub, *_SUMS)):
            continue
        return None
    return [float(eval(compile(ast.Expression(node), "<answer>", "eval"), {"__builtins__": {}}))]


def judged(source: str) -> dict[str, Any] | None:
    """What a check cell says to numbers.

    Nothing if its right answer has to be computed, or if a function is typed, as in
    ``check(rate(60), 0.5)``.
    """
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "check" and len(call.args) == 2:
            said = {word.arg: word.value for word in call.keywords}
            right = None if _calls(call.args[0]) else numbers(call.args[1])
            if right is None or not isinstance(said.get("said"), ast.Constant):
                return None
            hints = [pair.elts for pair in getattr(said.get("hints"), "elts", [])]
            known = [(numbers(wrong), ast.literal_eval(text)) for wrong, text in hints]
            return {
                "right": right,
                "said": ast.literal_eval(said["said"]),
                "hints": [[wrong, text] for wrong, text in known if wrong],
                "hint": ast.literal_eval(said["hint"])
                if "hint" in said
                else "Not yet. Try again, or unfold the answer below.",
            }
    return None


def _calls(answer: ast.expr) -> bool:
    """Whether a check gets its answer from a function that was typed."""
    called = (ast.unparse(n.func) for n in ast.walk(answer) if isinstance(n, ast.Call))
    return not _CONVERTS.issuperset(called)


def boxes(doctree: nodes.document) -> Iterator[nodes.container]:
    """Put each turn, from its first words to the end of its answer, into a box; yield the boxes."""
    for paragraph in list(doctree.findall(nodes.paragraph)):
        words = next((node for node in paragraph if node.astext()), None)  # Text may be empty
        if not isinstance(words, nodes.strong) or words.astext() != "Your turn.":
            continue
        around = paragraph.parent
        start = around.index(paragraph)
        ends = (
            place
            for place, node in enumerate(around[start:], start)
            if isinstance(node, nodes.raw) and "</details>" in node.astext()
        )
        if (end := next(ends, None)) is not None:
            inside = around[start : end + 1]
            box = nodes.container("", classes=["turn"])
            around[start : end + 1] = [box]
            box += inside
            yield box


def show(app: Sphinx, doctree: nodes.document) -> None:
    """Box a lesson's turns, and replace what an unanswered check printed."""
    path = Path(doctree["source"])
    if path.suffix != ".ipynb":
        return
    cells = nbformat.read(path, as_version=4).cells
    for box in boxes(doctree):
        for shown in list(box.findall(nodes.container)):
            if shown.get("nb_element") != "cell_code":
                continue
            cell = cells[shown["cell_index"]]
            printed = "".join(output.get("text", "") for output in cell.outputs)
            if not printed.startswith(UNANSWERED):
                continue
            asked = judged(cell.source)
            said = (
                answer_field("", judged=asked, number=shown["cell_index"]) if asked else _where(app)
            )
            if "hide-input" in cell.metadata.get("tags", []):
                shown.replace_self(said)
            else:  # the learner's own cell: only what it printed
                (output,) = (n for n in shown if n.get("nb_element") == "cell_code_output")
                output.replace_self(said)


def _where(app: Sphinx) -> nodes.paragraph:
    """Where the lesson's code can be run."""
    said = nodes.paragraph("", "To try it, ", classes=["turn-where"])
    link: nodes.Element = nodes.inline("", "open this lesson in JupyterLab")
    if (Path(app.srcdir) / f"{RUN}.md").is_file():
        target = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=f"/{RUN}", refexplicit=True, refwarn=True
        )
        target["refdoc"] = app.env.docname
        target += link
        link = target
    said += link
    said += nodes.Text(". A check there says what is right, or which line to look at.")
    return said


def visit_field(self: HTML5Translator, node: answer_field) -> None:
    data, name = html.escape(json.dumps(node["judged"])), f"turn-{node['number']}"
    several = "s, with commas between them" if len(node["judged"]["right"]) > 1 else ""
    self.body.append(
        f'<form class="turn-field" data-turn="{data}"><label for="{name}">Your answer '
        f'(number{several}):</label> <input id="{name}" type="text" autocomplete="off"> '
        '<button type="submit">Check</button><p class="quiz-status" role="status"></p></form>'
    )


def depart_field(self: HTML5Translator, node: answer_field) -> None:
    """Nothing is open."""


def _plain(self: Any, node: nodes.Node) -> None:
    """Other builders have no field; the answer is below."""


def setup(app: Sphinx) -> dict:
    app.add_node(
        answer_field,
        html=(visit_field, depart_field),
        latex=(_plain, _plain),
        text=(_plain, _plain),
    )
    app.connect("doctree-read", show)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
