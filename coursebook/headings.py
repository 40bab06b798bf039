"""A notebook's headings, and the anchors that the site links to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from markdown_it.renderer import RendererHTML
from markdown_it.tree import SyntaxTreeNode
from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import compute_unique_slug
from myst_parser.parsers.mdit import create_md_parser

from coursebook.yaml_files import read_yaml


@dataclass(frozen=True)
class Heading:
    """A heading: its cell's number, its level, its text and its anchor."""

    cell: int
    level: int
    title: str
    anchor: str


def headings(notebook: Path, root: Path) -> list[Heading]:
    """The headings of a notebook, down to the level to which the site gives anchors."""
    return list(_headings(notebook, root, notebook.stat().st_mtime))


@cache
def _headings(notebook: Path, root: Path, stamp: float) -> tuple[Heading, ...]:
    return tuple(_read(notebook, root))


def _read(notebook: Path, root: Path) -> Iterator[Heading]:
    book = read_yaml(root / "_config.yml")
    extensions = set(book["parse"]["myst_enable_extensions"])
    depth = book["sphinx"]["config"]["myst_heading_anchors"]
    parser = create_md_parser(MdParserConfig(enable_extensions=extensions), RendererHTML)
    taken: dict[str, str] = {}
    for number, cell in enumerate(nbformat.read(notebook, as_version=4).cells):
        if cell.cell_type != "markdown":
            continue
        for node in SyntaxTreeNode(parser.parse(cell.source)).walk():
            if node.type == "heading" and int(node.tag[1:]) <= depth:
                anchor = compute_unique_slug(node, taken)
                taken[anchor] = node.children[0].content
                yield Heading(number, int(node.tag[1:]), taken[anchor], anchor)
