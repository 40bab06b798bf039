"""``{chapter-cards}``, ``{course-facts}`` and ``{problem-set-list}``: the course's contents."""

from __future__ import annotations

import io
import re
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from coursebook import course
from coursebook.sphinx import dark, tree

#: The folder of the cards' pictures in the built site, and their maximum size in pixels.
CARDS, CARD_SIZE = "_static/cards", (480, 320)

logger = logging.getLogger(__name__)


class MarkdownTable(SphinxDirective):
    """A directive that writes Markdown and has the page's own parser read it."""

    def markdown(self, lines: list[str]) -> list[nodes.Node]:
        holder = nodes.container(classes=self.classes)
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), 0, holder)
        return [holder]


class ChapterCards(SphinxDirective):
    """A card for each lesson, by part: its picture, question, time and problem set."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "chapters.yml"))
        written = {path.stem: path for path in course.chapter_paths(root)}
        sets = {released.path.stem[2:4]: released for released in tree.problem_sets(root)}
        lines, part = [], ""
        for chapter in tree.plan(root):
            if chapter.name not in written:
                continue
            self.env.note_dependency(str(written[chapter.name]))
            if chapter.part != part:
                lines += ["</ul>"] if part else []
                lines += [f'<p class="cards-part">{escape(chapter.part)}</p>', '<ul class="cards">']
                part = chapter.part
            lines.append(self._card(root, chapter, written[chapter.name], sets))
        text = "\n".join([*lines, "</ul>"])
        return [nodes.raw("", text, format="html")]

    def _card(self, root: Path, chapter: tree.Planned, path: Path, sets: dict) -> str:
        number = chapter.name[:2]
        facts = [f"{tree.minutes(path)} min"]
        if number in sets:
            target = self._uri(course.page(root, sets[number].path))
            facts.append(f'<a href="{target}">problem set {int(number)}</a> ({sets[number].time})')
        page = course.page(root, path)
        figure = tree.first_figure(path)
        kept = f' class="{dark.CARD}"' if figure and dark.stays_on_a_card(figure) else ""
        root_of_site = "../" * self.env.docname.count("/")
        return (
            f'<li class="card-lesson" data-page="{page}">'
            f'<img{kept} src="{root_of_site}{CARDS}/{chapter.name}.png" alt="" loading="lazy"/>'
            f'<p class="card-title"><a href="{self._uri(page)}">{int(number)} '
            f"{escape(chapter.title)}</a></p>"
            f"<p>{escape(chapter.about)}</p>"
            f'<p class="card-facts">{" · ".join(facts)}</p></li>'
        )

    def _uri(self, page: str) -> str:
        return self.env.app.builder.get_relative_uri(self.env.docname, page)


class CourseFacts(SphinxDirective):
    """One line: the number of lessons and problem sets, and roughly how many hours they take."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        paths = course.chapter_paths(root)
        hours = round(sum(map(tree.minutes, paths)) / 60)
        text = f"{len(paths)} lessons, about {hours} hours to read and run"
        sets = tree.problem_sets(root)
        if sets:
            more = round(sum(map(in_hours, (released.time for released in sets))))
            text += f" · {len(sets)} problem sets, about {more} hours"
        return [nodes.paragraph("", text, classes=["course-facts"])]


#: Fractions of an hour as the problem sets write them.
PARTS_OF_AN_HOUR = {"¼": 0.25, "⅓": 1 / 3, "½": 0.5, "⅔": 2 / 3, "¾": 0.75}


def in_hours(time: str) -> float:
    """A time such as ``"3½ h"`` or ``"40 min"``, in hours; 0 if the text is not a time."""
    found = re.fullmatch(r"(\d*)([¼⅓½⅔¾]?) (h|min)", time)
    if found is None:
        return 0.0
    number = int(found[1] or 0) + PARTS_OF_AN_HOUR.get(found[2], 0)
    return number if found[3] == "h" else number / 60


class ProblemSetList(MarkdownTable):
    """The problem sets: title, points and time, with each set's exercises in a drop-down."""

    classes = ["problem-set-list"]

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        lines = []
        for released in tree.problem_sets(root):
            page = course.page(root, released.path)
            self.env.note_dependency(str(released.path))
            total = sum(released.points.values())
            facts = [f"{total:g} points", released.time, f"{len(released.points)} exercises"]
            lines += ["", f"**[{released.title}](/{page}.ipynb)**", ""]
            lines += [" · ".join(filter(None, facts)), ""]
            lines += [f"{{download}}`Download the notebook </{page}.ipynb>`", ""]
            lines += [
                ":::{dropdown} Points for each exercise",
                "| Exercise | Points |",
                "|---|--:|",
            ]
            lines += [
                f"| `{exercise}` | {points:g} |" for exercise, points in released.points.items()
            ]
            lines += [f"| **Total** | **{total:g}** |", ":::"]
        return self.markdown(lines or ["No problem set has been released yet: `make release`."])


def write_pictures(app: Sphinx, error: Exception | None) -> None:
    """Write the cards' pictures: each lesson's first figure, scaled down."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / CARDS
    folder.mkdir(parents=True, exist_ok=True)
    for path in course.chapter_paths(Path(app.srcdir)):
        target = folder / f"{path.stem}.png"
        if target.is_file() and target.stat().st_mtime > path.stat().st_mtime:
            continue
        if picture := tree.first_picture(path):
            with Image.open(io.BytesIO(picture)) as image:
                image.thumbnail(CARD_SIZE)
                small = Image.new("RGB", image.size, "white")
                opaque = image.convert("RGBA")
                small.paste(opaque, mask=opaque)
                small.quantize(64).save(target, optimize=True)


def check_plan(app: Sphinx) -> None:
    """Warn about a chapter that exists but is not in the plan."""
    root = Path(app.srcdir)
    planned = {chapter.name for chapter in tree.plan(root)}
    for path in course.chapter_paths(root):
        if path.stem not in planned:
            logger.warning("%s is not in book/chapters.yml: add it there", path.name, type="course")


def setup(app: Sphinx) -> dict:
    app.add_directive("chapter-cards", ChapterCards)
    app.add_directive("course-facts", CourseFacts)
    app.add_directive("problem-set-list", ProblemSetList)
    app.connect("builder-inited", check_plan)
    app.connect("build-finished", write_pictures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
