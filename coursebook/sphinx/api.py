"""API pages: fixes to what autodoc gets wrong, links back to the chapters, the commands' help."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import typer
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from typer.cli import get_docs_for_click

from coursebook import course
from coursebook.sphinx import tree


def first_use(root: Path) -> dict[str, Path]:
    """The first chapter that imports each name of the package."""
    first: dict[str, Path] = {}
    for chapter in course.chapter_paths(root):
        for name in tree.imports(chapter):
            first.setdefault(name, chapter)
    return first


def keep_names_together(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Keep attributes that share a description together.

    Without this, ``W, U, b`` is rendered as ``b (W, U,)``: Sphinx reads all but the last word as a
    type.
    """
    for i, line in enumerate(lines):
        if line.startswith(":ivar "):
            names, colon, rest = line.partition(": ")
            start, names = names[:6], names[6:]
            lines[i] = start + names.replace(", ", ",\u200b") + colon + rest  # allows a line break


def skip_field(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Skip a named tuple's fields as members: its own docstring describes them."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def link_back(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """End an API entry with a link to the first chapter that uses it."""
    if what not in ("function", "class", "method", "data"):
        return
    page = met_first(app, name)
    linked(app.env).setdefault(app.env.docname, {})[name] = page
    if page:
        lines += ["", f"Met first in :doc:`/{page}`.", ""]


def met_first(app: Sphinx, name: str) -> str:
    """The page of the first chapter that uses ``name``; empty if none does."""
    root = Path(app.srcdir)
    chapter = first_use(root).get(name)
    page = course.page(root, chapter) if chapter else ""
    return page if page in app.env.found_docs else ""


def linked(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """For each API page, its entries and the chapter that each links to."""
    return vars(env).setdefault("first_uses", {})


def outdated(app: Sphinx, env: BuildEnvironment, *changes: set[str]) -> list[str]:
    """The API pages that a chapter's new imports change; others need not be read again."""
    return [
        page
        for page, entries in linked(env).items()
        if any(met_first(app, name) != there for name, there in entries.items())
    ]


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    linked(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: set[str], other: BuildEnvironment) -> None:
    """Merge what another process read."""
    linked(env).update({page: found for page, found in linked(other).items() if page in pages})


class CommandsDirective(SphinxDirective):
    """The reference of `tfcourse`, generated from the commands' own help."""

    def run(self) -> list[nodes.Node]:
        [script] = entry_points(group="console_scripts", name="tfcourse")
        group = typer.main.get_group(script.load())
        context = typer.Context(group, info_name="tfcourse")
        text: list[str] = []
        for name in sorted(getattr(group, "commands", {})):
            command = group.commands[name]
            said = get_docs_for_click(
                obj=command, ctx=context, indent=1, name=name, call_prefix="tfcourse"
            )
            text += [*said.splitlines(), ""]
        holder = nodes.section()
        self.state.nested_parse(
            StringList(text, self.get_source_info()[0]), 0, holder, match_titles=True
        )
        return list(holder.children)


def setup(app: Sphinx) -> dict:
    app.add_directive("commands", CommandsDirective)
    app.connect("autodoc-skip-member", skip_field)
    # After napoleon, which turns the docstring's sections into fields.
    app.connect("autodoc-process-docstring", keep_names_together, priority=900)
    app.connect("autodoc-process-docstring", link_back, priority=900)
    app.connect("env-get-outdated", outdated)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {
        "version": "2",
        "env_version": 1,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
