"""MathJax from the installed package, and fixes to what Sphinx and the theme write."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from coursebook import mathjax

#: The site's own styles and scripts; every page loads them.
STATIC = Path(__file__).resolve().parents[1] / "static"

#: What a page may load: the engine, TeX extensions loaded on demand, the fonts, and, if a reader
#: turns it on in MathJax's own menu, formulas spoken in English.
MATHJAX = (
    "tex-chtml.js",
    "input/tex/extensions",
    "input/mml.js",
    "output/chtml/fonts/woff-v2",
    "a11y",
    "sre/mathmaps/base.json",
    "sre/mathmaps/en.json",
)


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the part of MathJax that pages use into the built site."""
    if error is not None or app.builder.format != "html":
        return
    source, target = mathjax.folder(), Path(app.outdir) / "_static" / "mathjax"
    for part in MATHJAX:
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, target / part, dirs_exist_ok=True)
        else:
            shutil.copyfile(source / part, target / part)


def add_static(app: Sphinx, config: Config) -> None:
    """Have the site's styles and scripts copied and loaded on every page."""
    config.html_static_path = [*config.html_static_path, str(STATIC)]
    for path in sorted(STATIC.iterdir()):
        if path.suffix == ".css":
            app.add_css_file(path.name)
        elif path.suffix == ".js":
            app.add_js_file(path.name, loading_method="defer")


def drop_thebe(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Drop sphinx-thebe's script: it is declared twice, which is an error in the browser."""
    kept = []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body") or ""
        if "THEBE_JS_URL" not in body and "sphinx-thebe" not in str(script):
            kept.append(script)
    context["script_files"] = kept


def mend_body(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Fix lists and the labels of folded cells for screen readers."""
    if "body" not in context:
        return
    body = re.sub(r'(?s)<dt class="sig .*?</dt>', _signature, context["body"])
    # A list's children must be list items, and the entries' own role is deprecated.
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    # A folded cell says what it hides; this label would override that.
    context["body"] = body.replace(' aria-label="Toggle hidden content"', "")


def _signature(found: re.Match[str]) -> str:
    """One parameter per line, without a definition list that defines nothing."""
    text = found[0]
    for written, meant in (("dl", "sig-lines"), ("dd", "sig-line")):
        text = text.replace(f"<{written}>", f'<span class="{meant}">')
        text = text.replace(f"</{written}>", "</span>")
    return text


def first_page(app: Sphinx, *_: object) -> list[str]:
    """The first page, which is always read again: if no page is, Sphinx copies no style sheet."""
    return [app.config.root_doc]


def setup(app: Sphinx) -> dict:
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("config-inited", add_static)
    app.connect("env-get-outdated", first_page)
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("html-page-context", mend_body)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
