"""Turns a cell that only shows a question or a live figure into that directive on the site.

In a notebook, ``quiz("weight-shape")`` and ``live.figure("temperature")`` show what works there,
and that output is stored. The site has better forms of both, so the whole cell is replaced by
```` ```{quiz} weight-shape ```` or ```` ```{live} temperature ````.
"""

from __future__ import annotations

import ast
import json

from sphinx.application import Sphinx

from coursebook.sphinx import tree

#: The functions, as a lesson calls them, and the directives that replace them.
DIRECTIVES = {"quiz": "quiz", "coursebook.quiz": "quiz", "live.figure": "live"}


def directive(source: str) -> tuple[str, str] | None:
    """The directive and its argument if the cell is exactly one such call, else ``None``."""
    if not any(f"{name}(" in source for name in DIRECTIVES):
        return None
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    match body:
        case [ast.Expr(ast.Call(func, [ast.Constant(str(argument))], []))]:
            name = DIRECTIVES.get(ast.unparse(func))
            return (name, argument) if name else None
    return None


def exchange(app: Sphinx, docname: str, text: list[str]) -> None:
    """Replace calls by directives before the page is parsed."""
    if not app.env.doc2path(docname).endswith(".ipynb"):
        return
    notebook = json.loads(text[0])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and (found := directive(tree.source(cell))):
            name, argument = found
            for key in ("outputs", "execution_count"):
                cell.pop(key, None)
            cell |= {"cell_type": "markdown", "source": f"```{{{name}}} {argument}\n```"}
    text[0] = json.dumps(notebook)


def setup(app: Sphinx) -> dict:
    app.connect("source-read", exchange)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
