"""A site of one page, built in a moment, to try a directive on."""

from __future__ import annotations

import io
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

#: What a page needs to look and behave as on the course's site.
WHOLE = ("coursebook.sphinx.assets", "coursebook.sphinx.quiz", "coursebook.sphinx.figures")


def build(
    folder: Path,
    text: str,
    extensions: tuple[str, ...] = ("coursebook.sphinx.quiz",),
    *,
    theme: str = "basic",
) -> tuple[str, str]:
    """Build ``text`` as the only page, or ``index.ipynb`` if the folder has one.

    Returns
    -------
    html, warnings
        The page, and what Sphinx warned of.
    """
    if not (folder / "index.ipynb").exists():
        (folder / "index.md").write_text(f"# Page\n\n{text}", "utf-8")
    settings = {
        "extensions": ["myst_nb", *extensions],
        "myst_enable_extensions": ["dollarmath"],
        "nb_execution_mode": "off",
        "exclude_patterns": ["book", "notebooks", "jupyter_execute"],
        "html_theme": theme,
        "html_context": {"default_mode": "auto"},
    }
    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=folder,
            confdir=None,
            outdir=folder / "out",
            doctreedir=folder / "doctrees",
            buildername="html",
            confoverrides=settings,
            status=None,
            warning=warnings,
        )
        app.build()
    return (folder / "out" / "index.html").read_text("utf-8"), warnings.getvalue()


def questions(folder: Path, text: str) -> None:
    """Give the site questions of its own."""
    (folder / "book").mkdir(exist_ok=True)
    (folder / "book" / "quiz.md").write_text(text, "utf-8")
