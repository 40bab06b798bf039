"""MathJax from the installed package, and what Sphinx and the theme write that must be mended."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

#: What a page may ask for: the engine, TeX extensions it loads on demand, the fonts,
#: and, when a reader turns it on in MathJax's own menu, the spoken formulas in English.
MATHJAX = (
    "tex-chtml.js",
    "input/tex/extensions",
    "input/mml.js",
    "output/chtml/fonts/woff-v2",
    "a11y",
    "sre/mathmaps/base.json",
    "sre/mathmaps/en.json",
)


def _mathjax() -> Path:
    # The package's name has hyphens, so it cannot be imported by a statement.
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or not spec.submodule_search_locations:
        raise ExtensionError("MathJax is missing: pip install sphinx-mathjax-offline")
    return Path(spec.submodule_search_locations[0]) / "static" / "mathjax"


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the part of MathJax that pages use into the built site."""
    if error is not None or app.builder.format != "html":
        return
    source, target = _mathjax(), Path(app.outdir) / "_static" / "mathjax"
    for part in MATHJAX:
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, target / part, dirs_exist_ok=True)
        else:
            shutil.copyfile(source / part, target / part)


def drop_thebe(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Leave out sphinx-thebe's script: it is declared twice, which is an error in the browser."""
    kept = []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body") or ""
        if "THEBE_JS_URL" not in body and "sphinx-thebe" not in str(script):
            kept.append(script)
    context["script_files"] = kept


def mend_body(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Make two of Sphinx's lists ones that a screen reader understands."""
    if "body" not in context:
        return
    body = re.sub(r'(?s)<dt class="sig .*?</dt>', _signature, context["body"])
    # A list's children must be list items; the entries' own role is deprecated.
    context["body"] = body.replace('role="doc-biblioentry"', 'role="listitem"')


def _signature(found: re.Match[str]) -> str:
    """One parameter a line, without a definition list that defines nothing."""
    text = found[0]
    for written, meant in (("dl", "sig-lines"), ("dd", "sig-line")):
        text = text.replace(f"<{written}>", f'<span class="{meant}">')
        text = text.replace(f"</{written}>", "</span>")
    return text


def setup(app: Sphinx) -> dict:
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("html-page-context", mend_body)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
