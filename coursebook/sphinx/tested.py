"""The verdicts in a lesson, which a style sheet puts beside the text where there is room.

A verdict is a quotation that begins with **Tested:**, or with **Shown:** if the claim is shown, not
tested, and links to the evidence; see ``lesson.css``.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

#: How a verdict may begin.
BEGIN = ("Tested:", "Shown:")

#: The theme folds its contents, in the same margin, while something of the last class is seen.
CLASSES = ("tested", "margin")


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Give each quotation that is a verdict its classes."""
    for quotation in doctree.findall(nodes.block_quote):
        if quotation.astext().startswith(BEGIN):
            quotation["classes"] += CLASSES


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
