"""A site of one page, built in a moment, to try a directive on."""

from __future__ import annotations

import io
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils


def build(
    folder: Path, text: str, extensions: tuple[str, ...] = ("course_quiz",)
) -> tuple[str, str]:
    """Build ``text`` as the only page: its HTML, and what Sphinx warned of."""
    (folder / "index.md").write_text(f"# Page\n\n{text}", "utf-8")
    settings = {
        "extensions": ["myst_nb", *extensions],
        "myst_enable_extensions": ["dollarmath"],
        "nb_execution_mode": "off",
        "exclude_patterns": ["book", "notebooks"],
        "html_theme": "basic",
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
