"""``{chapter-map}`` and ``{problem-set-list}``: what is written, and what is only planned."""

from __future__ import annotations

from pathlib import Path

import course_tree
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from tfcourse import course

logger = logging.getLogger(__name__)


class MarkdownTable(SphinxDirective):
    """A directive that writes Markdown and lets the page's own parser read it."""

    def markdown(self, lines: list[str]) -> list[nodes.Node]:
        holder = nodes.container(classes=self.classes)
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), 0, holder)
        return [holder]


class ChapterMap(MarkdownTable):
    """The course's chapters by part; those that are written are links."""

    classes = ["chapter-map"]

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "chapters.yml"))
        written = {path.stem: path for path in course.chapter_paths(root)}
        lines, part = [], ""
        for chapter in course_tree.plan(root):
            if chapter.part != part:
                part = chapter.part
                lines += ["", f"**{part}**", "", "| Chapter | What it asks | |", "|---|---|---|"]
            number, name, state = chapter.name[:2], chapter.title, "not written yet"
            if chapter.name in written:
                page = course_tree.docname(root, written[chapter.name])
                name, state = f"[{name}](/{page}.ipynb)", "written"
            lines.append(f"| {number} {name} | {chapter.about} | {state} |")
        return self.markdown(lines)


class ProblemSetList(MarkdownTable):
    """The released problem sets: page, points for each piece, and the file itself."""

    classes = ["problem-set-list"]

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        lines = []
        for released in course_tree.problem_sets(root):
            page = course_tree.docname(root, released.path)
            self.env.note_dependency(str(released.path))
            total = sum(released.points.values())
            lines += ["", f"**[{released.title}](/{page}.ipynb)**", ""]
            lines += [f"{{download}}`Download the notebook </{page}.ipynb>`", ""]
            lines += ["| Piece | Points |", "|---|--:|"]
            lines += [f"| `{piece}` | {points:g} |" for piece, points in released.points.items()]
            lines += [f"| together | {total:g} |"]
        return self.markdown(lines or ["No problem set has been released yet: `make release`."])


def check_plan(app: Sphinx) -> None:
    """Warn where a chapter stands in the tree and not in the plan."""
    root = Path(app.srcdir)
    planned = {chapter.name for chapter in course_tree.plan(root)}
    for path in course.chapter_paths(root):
        if path.stem not in planned:
            logger.warning("%s is not in book/chapters.yml: add it there", path.name, type="course")


def setup(app: Sphinx) -> dict:
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("problem-set-list", ProblemSetList)
    app.connect("builder-inited", check_plan)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
