"""The search: what each section of the site says, for ``static/search.js`` to rank.

The sections are collected as pages are read: their headings and their prose, without code,
formulas, quizzes and buttons. A term of the glossary and an entry of the reference are sections
of their own. They are written to one file, which a page loads when its reader begins to search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from coursebook.sphinx.coverage import read_coverage
from coursebook.sphinx.figures import live_figure
from coursebook.sphinx.quiz import quiz

#: The file's place in the built site. Its name begins as that of other data, see ``weight.py``.
PLACE = "_static/data-search.js"

#: What a page is, by its name; the first that fits. The script weighs by it.
KINDS = {
    "notebooks/assignments/*": "set",
    "notebooks/*/evidence": "evidence",
    "notebooks/*": "lesson",
    "book/api/*": "api",
    "book/glossary": "glossary",
    "book/maintain": "maintainer",
    "book/teach*": "instructor",
    "book/grading-safety": "instructor",
    "book/claims": "record",
    "book/coverage": "record",
    "book/references": "record",
    "*": "guide",
}

#: The most characters that are kept of a section, by the kind of its page: of prose all.
LONGEST = {"api": 240, "set": 500, "evidence": 400, "record": 400}

#: What is not prose of the section that holds it.
LEFT_OUT = (
    nodes.section,
    quiz,
    nodes.literal_block,
    nodes.math_block,
    nodes.raw,
    nodes.image,
    nodes.comment,
    nodes.system_message,
    nodes.target,
    nodes.title,
    addnodes.toctree,
    addnodes.index,
    addnodes.desc,
    addnodes.glossary,
)

#: The classes of a cell's code and of what it printed.
CELLS = {"cell_input", "cell_output"}

#: Of a formula in a line, the words that readers search for.
IN_FORMULAS = re.compile(r"\\(sqrt|softmax)")

#: A formula that reads as it is written, such as ``d_k`` or ``n = 3``.
PLAIN_FORMULA = re.compile(r"[\w\s+=<>().,/-]+")


def kind(page: str) -> str:
    """What a page is, by its name."""
    return next(kind for name, kind in KINDS.items() if fnmatchcase(page, name))


def sections(doctree: nodes.document) -> list[tuple[str, str, str, str]]:
    """Each section's anchor, heading and prose, and words that its formulas add.

    The first has no anchor: it is the page itself up to its first subsection.
    """
    found: list[tuple[str, str, str, str]] = []
    for section in doctree.findall(nodes.section):
        top = isinstance(section.parent, nodes.document)
        heading = section.next_node(nodes.title)
        found.append(
            ("" if top else section["ids"][0], heading.astext() if heading else "", *said(section))
        )
    for term in doctree.findall(nodes.term):
        if term["ids"] and isinstance(term.parent.parent.parent, addnodes.glossary):
            meaning = term.parent.next_node(nodes.definition)
            found.append((term["ids"][0], _words(term), *(said(meaning) if meaning else ("", ""))))
    for entry in doctree.findall(addnodes.desc):
        signature = entry.next_node(addnodes.desc_signature)
        content = entry.next_node(addnodes.desc_content)
        if signature is not None and signature["ids"] and content is not None:
            name = str(signature.get("fullname") or signature["ids"][0])
            first = content.next_node(nodes.paragraph)
            found.append((signature["ids"][0], name, *(said(first) if first else ("", ""))))
    return found


def said(node: nodes.Element) -> tuple[str, str]:
    """The prose of a section without its subsections, and words from its formulas."""
    text, formulas = [], set()
    for part in _parts(node):
        if isinstance(part, nodes.math):
            formula = part.astext().replace("{", "").replace("}", "")
            formulas.update(IN_FORMULAS.findall(formula))
            text.append(formula if PLAIN_FORMULA.fullmatch(formula) else "…")
        else:
            text.append(part if isinstance(part, str) else part.astext())
    return " ".join("".join(text).split()), " ".join(sorted(formulas))


def _parts(node: nodes.Element) -> Iterator[nodes.Node | str]:
    for child in node.children:
        if isinstance(child, nodes.Text | nodes.math):
            yield child
        elif isinstance(child, live_figure):
            yield f" {child['figure'].title} {child['figure'].caption} "
        elif not isinstance(child, LEFT_OUT) and not CELLS & set(child.get("classes", ())):
            yield from _parts(child)
            if not isinstance(child, nodes.Inline):
                yield " "


def _words(term: nodes.Element) -> str:
    return " ".join("".join(part.astext() for part in term.children).split())


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Keep what a page says."""
    _kept(app.env)[app.env.docname] = sections(doctree)


def _kept(env: BuildEnvironment) -> dict[str, list]:
    """The sections of the pages read so far; Sphinx stores them with its environment."""
    kept: dict[str, list] = vars(env).setdefault("course_sections", {})
    return kept


def purge(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Forget a page that is read again or gone."""
    _kept(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    _kept(env).update({page: _kept(other)[page] for page in pages if page in _kept(other)})


def table(kept: dict[str, list], taught: dict[tuple[str, str], str]) -> list[list]:
    """What the script reads: for each page its name, kind, title and sections.

    ``taught`` has the topics of the lectures that a section teaches, by page and heading.
    """
    rows = []
    for page, found in sorted(kept.items()):
        most = LONGEST.get(kind(page))
        parts = [
            [
                anchor,
                heading,
                _cut(text, most),
                f"{extra} {taught.get((page, heading), '')}".strip(),
            ]
            for anchor, heading, text, extra in found
        ]
        if parts:
            rows.append([page, kind(page), found[0][1], parts])
    return rows


def topics(root: Path) -> dict[tuple[str, str], str]:
    """The lectures' topics that each section of a lesson teaches, by its page and heading."""
    found: dict[tuple[str, str], str] = {}
    if (root / "book" / "coverage.yml").is_file():
        coverage = read_coverage(root)
        for topic, places in coverage.taught.items():
            for place in places:
                where = place.page, place.title
                found[where] = f"{found.get(where, '')} {coverage.topics[topic]}".strip()
    return found


def _cut(text: str, most: int | None) -> str:
    if most is None or len(text) <= most:
        return text
    return text[:most].rsplit(" ", 1)[0] + " …"


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the sections into the built site."""
    if error is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / PLACE
    target.parent.mkdir(parents=True, exist_ok=True)
    data = table(_kept(app.env), topics(Path(app.srcdir)))
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    target.write_text(f"CourseSearch.begin({text});\n", "utf-8")


def setup(app: Sphinx) -> dict:
    # After the cells that ask a question or show a figure have become what the site shows.
    app.connect("doctree-read", collect, priority=900)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
