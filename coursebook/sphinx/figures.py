"""The ``{live}`` directive: a figure that the reader can move.

Usage: ```` ```{live} temperature ````; in a lesson, a cell with ``live.figure("temperature")``.
The figures are in :mod:`coursebook.live`. Only pages that need scripts and styles load them.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from coursebook import course, live


class live_figure(nodes.General, nodes.Element):
    """One figure."""


class LiveDirective(SphinxDirective):
    """See the module's docstring."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        try:
            figure = live.pick(self.arguments[0])
        except ValueError as error:
            raise self.error(f"live: {error}") from error
        known = self.env.temp_data.setdefault("live_figures", set())
        if figure.name in known:
            raise self.error(f"live: {figure.name!r} is on this page twice")
        known.add(figure.name)
        root = Path(self.env.srcdir)
        numbers = [course.figure_numbers(root, name) for name in figure.stored]
        for path in (*course.figure_pictures(root, figure.name), *numbers):
            self.env.note_dependency(str(path))
        return [live_figure("", ids=[figure.id], figure=figure)]


def visit_figure(self: HTML5Translator, node: live_figure) -> None:
    figure: live.Figure = node["figure"]
    up = "../" * self.builder.current_docname.count("/")
    pictures = "".join(
        f'<img class="live-picture" src="{up}_static/live/{path.name}" loading="lazy" '
        f'alt="{live.alt(path.read_text("utf-8"))}">'
        for path in course.figure_pictures(Path(self.builder.srcdir), figure.name)
    )
    # The address changes with the data; otherwise a browser could use an earlier build's copy.
    numbers = {
        name: course.figure_numbers(Path(self.builder.srcdir), name) for name in figure.stored
    }
    addresses = {
        name: f"{up}_static/live/{file}?v={zlib.crc32(numbers[name].read_bytes()):08x}"
        for name, file in zip(figure.stored, figure.needs(), strict=True)
    }
    needs = [address for name, address in addresses.items() if name not in figure.later]
    asked = [addresses[name] for name in figure.later]
    weight = sum(
        len(live.packed(numbers[name].read_text("utf-8")).encode()) for name in figure.stored
    )
    self.body.append(figure.html(pictures, needs=needs, weight=weight, asked=asked))
    raise nodes.SkipNode


def visit_plain(self: nodes.NodeVisitor, node: live_figure) -> None:
    """Print the title and caption, for other builders than HTML."""
    self.add_text(f"{node['figure'].title} {node['figure'].caption}")
    raise nodes.SkipNode


def load(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document) -> None:
    """Load what live figures need on pages that have them, and on no others."""
    figures = list(doctree.findall(live_figure)) if doctree else []
    files = dict.fromkeys(name for node in figures for name in node["figure"].files())
    for name in live.STYLES if figures else ():
        app.add_css_file(f"live/{name}")
    for name in files:
        app.add_js_file(f"live/{name}", loading_method="defer")


def copy(app: Sphinx, error: Exception | None) -> None:
    """Copy scripts, styles, data and still pictures into the built site, if it has any."""
    root = Path(app.srcdir)
    if error is None and app.builder.format == "html" and course.figure_folders(root):
        live.publish(root, Path(app.outdir) / "_static" / "live")


def setup(app: Sphinx) -> dict:
    app.add_node(live_figure, html=(visit_figure, None), text=(visit_plain, None))
    app.add_directive("live", LiveDirective)
    app.connect("html-page-context", load)
    app.connect("build-finished", copy)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
