"""What a page says of itself: title, description, how long it takes, what belongs to it.

Also what it does not load: formulas' engine where there are none, and a script for icons.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from coursebook import course
from coursebook.sphinx import card, tree

TEMPLATES = Path(__file__).with_name("templates")

#: A description that search engines and messengers show in full.
DESCRIPTION = 155

_ICON_SCRIPT = re.compile(r"<script[^>]*fontawesome\.js[^>]*></script>\s*")


def without_icon_script(text: str) -> str:
    """The page's head without the theme's 1.5 MB of JavaScript for icons.

    The theme's style sheet shows the same icons from a font of a tenth of that size.
    """
    return _ICON_SCRIPT.sub("", text)


def use_templates(app: Sphinx, config: Config) -> None:
    """Have our layout wrap the theme's."""
    config.templates_path = [*config.templates_path, str(TEMPLATES)]


def allow_parallel(app: Sphinx) -> None:
    """Have pages read by several processes.

    Two extensions of Jupyter Book do not say that they allow it. They do: they act on the whole
    book, after all pages are read.
    """
    for name in ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"):
        extension = app.extensions.get(name)
        if extension is not None and extension.parallel_read_safe is None:
            extension.parallel_read_safe = True


def add_filter(app: Sphinx) -> None:
    """Let the layout leave out the script for icons."""
    environment = getattr(getattr(app.builder, "templates", None), "environment", None)
    if environment is not None:
        environment.filters["without_icon_script"] = without_icon_script


def description(doctree: nodes.document) -> str:
    """The first paragraph of a page, as plain text, cut at a word's end."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) > 40:
            return text if len(text) <= DESCRIPTION else text[:DESCRIPTION].rsplit(" ", 1)[0] + " …"
    return ""


#: Where notebooks of a public repository can be run.
RUNNERS = {
    "colab_url": "https://colab.research.google.com",
    "binderhub_url": "https://mybinder.org",
}


#: What Jupyter Book takes for the repository if none is configured.
NO_REPOSITORY = "https://github.com/executablebooks/jupyter-book"


def offer_to_run(app: Sphinx, config: Config) -> None:
    """Add links to the repository, for reporting a slip, and for running on Colab and Binder.

    They appear if the repository's address is configured; those for Colab and Binder on the pages
    of notebooks. Colab opens notebooks from GitHub alone.
    """
    options = config.html_theme_options
    address = options.get("repository_url", "")
    if address.rstrip("/") in ("", NO_REPOSITORY):
        options["repository_url"] = ""
        return
    launch = options.setdefault("launch_buttons", {})
    for name, runner in RUNNERS.items():
        if name != "colab_url" or "//github.com/" in address:
            launch[name] = launch.get(name) or runner
    launch["notebook_interface"] = "jupyterlab"
    options["use_issues_button"] = options["use_repository_button"] = True


#: What a server shows in place of a page that it does not have.
NOT_FOUND = """\
<h1>This page does not exist</h1>
<p>The address may be mistyped, or the page may have moved.</p>
<ul>
<li><a href="{home}">Home: all lessons and problem sets</a></li>
<li><a href="search.html">Search the course</a></li>
</ul>
"""


def not_found(app: Sphinx):
    """The page ``404.html``. It is shown at any address, so its links start from the site's own."""
    if app.builder.format != "html":
        return
    path = urlsplit(app.config.html_baseurl).path.rstrip("/") + "/"
    body = NOT_FOUND.format(home=html.escape(app.builder.get_target_uri(app.config.root_doc)))
    base = f'<base href="{html.escape(path)}"/>'
    yield "404", {"title": "This page does not exist", "body": body, "metatags": base}, "page.html"


def describe(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Give a page its title, its description and what a link to it shows elsewhere."""
    if page == app.config.root_doc:
        context["docstitle"] = ""  # the course's name once, not twice
    if doctree is None:
        return
    title = re.sub("<[^>]+>", "", context.get("title", ""))
    about = description(doctree)
    properties = {"og:type": "website", "og:site_name": app.config.project, "og:title": title}
    if about:
        properties["og:description"] = about
    address = app.config.html_baseurl
    if address:
        properties["og:url"] = f"{address.rstrip('/')}/{page}.html"
        properties["og:image"] = f"{address.rstrip('/')}/{card.PLACE}"
        properties["og:image:width"], properties["og:image:height"] = map(str, card.SIZE)
    tags = [f'<meta name="description" content="{html.escape(about)}"/>'] if about else []
    tags += [
        f'<meta property="{name}" content="{html.escape(html.unescape(value))}"/>'
        for name, value in properties.items()
    ]
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def drop_mathjax(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load the engine for formulas only on pages that have formulas."""
    if 'class="math' in context.get("body", ""):
        return
    context["script_files"] = [
        script for script in context.get("script_files", []) if "athjax" not in _written(script)
    ]


#: Styles and scripts that extensions bring for every page, and what a page has that needs them.
BROUGHT = {
    "ledger.js": "claims-ledger",
    "sphinx-design": 'class="sd-',
    "design-tabs": 'class="sd-',
    "sphinx-thebe": "thebe",
}


def drop_brought(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load what an extension brings only on pages that have what it is for."""
    for files in "css_files", "script_files":
        context[files] = [
            file
            for file in context.get(files, [])
            if not any(
                n in str(file) and m not in context.get("body", "") for n, m in BROUGHT.items()
            )
        ]


def _written(script: object) -> str:
    body = getattr(script, "attributes", {}).get("body") or ""
    return f"{script} {body}".replace("MathJax", "mathjax")


def add_facts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Below a lesson's title: how long it takes, its problem set and its evidence."""
    root = Path(app.srcdir)
    path = next((p for p in course.chapter_paths(root) if tree.docname(root, p) == page), None)
    if path is None or "body" not in context:
        return

    def link(target: str, text: str) -> str:
        return f'<a href="{app.builder.get_relative_uri(page, target)}">{text}</a>'

    facts = [f"About {tree.minutes(path)} minutes"]
    number = path.stem[:2]
    for released in tree.problem_sets(root):
        if released.path.stem.startswith(f"ps{number}-"):
            target = tree.docname(root, released.path)
            facts.append(link(target, f"Problem set {int(number)}") + f" ({released.time})")
    evidence = f"notebooks/evidence/{path.stem}"
    if evidence in app.env.found_docs:
        facts.append(link(evidence, "The evidence"))
    line = f'<p class="page-facts">{" · ".join(facts)}</p>'
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{line}", 1)


def write_sitemap(app: Sphinx, error: Exception | None) -> None:
    """List all pages for search engines, if the site's address is known (``html_baseurl``)."""
    address = app.config.html_baseurl
    if error is not None or app.builder.format != "html" or not address:
        return
    lines = [
        f"<url><loc>{html.escape(address.rstrip('/'))}/{page}.html</loc></url>"
        for page in sorted(app.env.found_docs)
    ]
    text = "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
            *lines,
            "</urlset>\n",
        ]
    )
    (Path(app.outdir) / "sitemap.xml").write_text(text, "utf-8")


#: A rule of the theme's style sheet that is about one icon.
_ICON = re.compile(r"((?:\.fa-[\w-]+::?before,?)+)\{[^}]*\}")

#: An icon's character in such a rule, and a font's second format in the rule that names it.
_CODE = re.compile(r"\\([0-9a-f]{2,5})")
_COMPRESSED = re.compile(r'url\([^)]*fa-[\w-]+\.woff2\) format\("woff2"\),')


def without_unused_icons(sheet: str, used: set[str]) -> str:
    """A style sheet without the rules for icons that no page shows; there are two thousand."""

    def kept(rule: re.Match[str]) -> str:
        names = set(re.findall(r"fa-[\w-]+", rule[1]))
        return rule[0] if names & used else ""

    return _ICON.sub(kept, sheet)


def shrink_icons(static: Path, used: set[str]) -> None:
    """Leave in the theme's style sheet and fonts only the icons that the site shows."""
    sheet = static / "styles" / "pydata-sphinx-theme.css"
    fonts = static / "vendor" / "fontawesome" / "webfonts"
    if not sheet.is_file() or not fonts.is_dir():
        return
    text = without_unused_icons(sheet.read_text("utf-8"), used)
    shown = {int(code, 16) for rule in _ICON.finditer(text) for code in _CODE.findall(rule[0])}
    for font in fonts.glob("*.ttf"):
        with TTFont(font) as whole:
            subsetter = subset.Subsetter()
            subsetter.populate(unicodes=shown)
            subsetter.subset(whole)
            whole.save(font)
    # The fonts that are left are small enough without the other format's compression.
    sheet.write_text(_COMPRESSED.sub("", text), "utf-8")
    for other in fonts.glob("*.woff2"):
        other.unlink()


#: A rectangle as matplotlib writes it, and the style of a shape: its colour, and its outline.
_BOX = re.compile(r"M ([\d.]+) ([\d.]+) L ([\d.]+) \2 L \3 ([\d.]+) L \1 \4 z ?")
_STYLE = re.compile(r'style="fill: (#\w+); (stroke: [^"]+)"')


def smaller(picture: str) -> str:
    """The same SVG picture in fewer bytes: a matrix in it is hundreds of alike squares."""
    outlines = sorted({found[2] for found in _STYLE.finditer(picture)})
    rules = "".join(f".o{number}{{{outline}}}" for number, outline in enumerate(outlines))
    if not rules:
        return picture
    text = _BOX.sub(r"M\1 \2H\3V\4H\1z", picture)
    text = _STYLE.sub(lambda m: f'class="o{outlines.index(m[2])}" fill="{m[1]}"', text)
    text = re.sub(r"<g>(<path [^>]*/>)</g>", r"\1", text)
    return re.sub(r"(<svg\b[^>]*>)", rf"\1<style>{rules}</style>", text, count=1)


def shrink_pictures(app: Sphinx, error: Exception | None) -> None:
    """Make the pictures of the built site smaller."""
    if error is None and app.builder.format == "html":
        for path in (Path(app.outdir) / "_images").glob("*.svg"):
            path.write_text(smaller(path.read_text("utf-8")), "utf-8")


def load_late(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Have pictures loaded when the reader comes near them."""
    if "body" in context:
        context["body"] = re.sub(r"<img (?![^>]*loading=)", '<img loading="lazy" ', context["body"])


def drop_unused(app: Sphinx, error: Exception | None) -> None:
    """Remove what the theme brings and no page uses: source maps, icons and their script."""
    if error is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    if not static.is_dir():
        raise ExtensionError(f"{static} is missing")
    pages = [*Path(app.outdir).rglob("*.html"), *static.glob("*.js"), *static.glob("scripts/*.js")]
    pages = [path for path in pages if path.name != "fontawesome.js"]
    used = {name for path in pages for name in re.findall(r"fa-[\w-]+", path.read_text("utf-8"))}
    shrink_icons(static, used)
    for path in {*static.rglob("*.map"), *static.glob("scripts/fontawesome.js*")}:
        path.unlink()


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", use_templates)
    app.connect("config-inited", offer_to_run)
    app.connect("html-collect-pages", not_found)
    app.connect("builder-inited", allow_parallel)
    app.connect("builder-inited", add_filter)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", add_facts)
    app.connect("html-page-context", drop_mathjax, priority=900)
    app.connect("html-page-context", drop_brought, priority=900)
    app.connect("html-page-context", load_late)
    app.connect("build-finished", write_sitemap)
    app.connect("build-finished", drop_unused, priority=900)
    app.connect("build-finished", shrink_pictures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
