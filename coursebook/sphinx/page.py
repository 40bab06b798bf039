"""A page's own facts: title, description, reading time, and what goes with it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from coursebook import course
from coursebook.sphinx import card, tree

TEMPLATES = Path(__file__).with_name("templates")

#: The page that gathers the models that run in a browser.
EXPLORE = "book/explore"

#: Maximum length of a description that search engines and messengers show in full, in characters.
DESCRIPTION = 155


def use_templates(app: Sphinx, config: Config) -> None:
    """Add our templates, whose layout wraps the theme's."""
    config.templates_path = [*config.templates_path, str(TEMPLATES)]


def allow_parallel(app: Sphinx) -> None:
    """Allow several processes to read the pages.

    Two Jupyter Book extensions do not declare that they are safe for this. They are: they act on
    the whole book after all pages are read.
    """
    for name in ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"):
        extension = app.extensions.get(name)
        if extension is not None and extension.parallel_read_safe is None:
            extension.parallel_read_safe = True


def number_no_figures(app: Sphinx, config: Config) -> None:
    """Turn off figure numbers, because no page refers to a figure by number.

    Jupyter Book's LaTeX extension turns them on whatever ``_config.yml`` says, and each build
    would then read all pages again to count figures.
    """
    config.numfig = False


def description(doctree: nodes.document) -> str:
    """The first paragraph of a page as plain text, cut at the end of a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) > 40:
            return text if len(text) <= DESCRIPTION else text[:DESCRIPTION].rsplit(" ", 1)[0] + " …"
    return ""


#: Services that run notebooks from a public repository.
RUNNERS = {
    "colab_url": "https://colab.research.google.com",
    "binderhub_url": "https://mybinder.org",
}


#: The repository that Jupyter Book assumes if none is configured.
NO_REPOSITORY = "https://github.com/executablebooks/jupyter-book"


def offer_to_run(app: Sphinx, config: Config) -> None:
    """Add links to the repository, for reporting mistakes and for running on Colab and Binder.

    They appear if the repository's address is configured; those for Colab and Binder only on
    notebook pages. Colab opens notebooks only from GitHub.
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


#: What stands at the foot of each page: first where to report and ask, then what the theme has.
FOOT = ["ask.html", "author.html", "copyright.html", "last-updated.html", "extra-footer.html"]


def offer_to_ask(app: Sphinx, config: Config) -> None:
    """Give each page a foot from which a reader can report a slip in it, and ask.

    For slips the repository's address must be configured, for questions ``questions`` in
    ``html_context``, the address of a forum, a chat or the like. Nothing is loaded from there.
    """
    config.html_theme_options.setdefault("footer_content_items", FOOT)


def where_to_report(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    """Add the address of a new issue that names the page."""
    repository = app.config.html_theme_options.get("repository_url", "").rstrip("/")
    if repository:
        query = urlencode({"title": f"A slip on the page {page}"}, quote_via=quote)
        context["slip"] = f"{repository}/issues/new?{query}"


#: What a server shows for a page that it does not have.
NOT_FOUND = """\
<h1>This page does not exist</h1>
<p>The address may be mistyped, or the page may have moved.</p>
<ul>
<li><a href="{home}">Home: all lessons and problem sets</a></li>
<li><a href="search.html">Search the course</a></li>
</ul>
"""


def not_found(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """The page ``404.html``. It is shown at any address, so its links start at the site's base."""
    if app.builder.format != "html":
        return
    path = urlsplit(app.config.html_baseurl).path.rstrip("/") + "/"
    body = NOT_FOUND.format(home=html.escape(app.builder.get_target_uri(app.config.root_doc)))
    base = f'<base href="{html.escape(path)}"/>'
    yield "404", {"title": "This page does not exist", "body": body, "metatags": base}, "page.html"


#: Addresses from before: the page that each one leads to.
MOVED = {"book/preface": "index", "book/api/key_value_cache": "book/api/attention"}


def moved_to(root: Path) -> dict[str, str]:
    """:data:`MOVED`, and where lessons and their evidence were before each had a folder."""
    found = dict(MOVED)
    for lesson in course.lessons(root):
        found[f"notebooks/{lesson.name}"] = lesson.page
        found[f"notebooks/evidence/{lesson.name}"] = lesson.evidence_page
    return found


#: Leads on to the same section of the page; without a script, to its top.
LEAD_ON = "location.replace(document.currentScript.dataset.to + location.hash)"


def moved(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """A page at each address of before, which leads on without a script too."""
    for old, new in moved_to(Path(app.srcdir)).items():
        if app.builder.format != "html" or new not in app.env.found_docs:
            continue
        title = html.escape(app.env.titles[new].astext())
        target = html.escape(app.builder.get_relative_uri(old, new))
        yield (
            old,
            {
                "title": title,
                "docstitle": "",
                "body": f'<h1>This page has moved</h1>\n<p><a href="{target}">{title}</a></p>',
                "metatags": f'<script data-to="{target}">{LEAD_ON}</script>'
                f'<meta http-equiv="refresh" content="0; url={target}"/>',
                "pageurl": canonical(app, new) or target,
            },
            "page.html",
        )


def canonical(app: Sphinx, page: str) -> str:
    """A page's one address: the folder for the home page; empty if the site has no address."""
    address = app.config.html_baseurl.rstrip("/")
    return address and f"{address}/{'' if page == 'index' else page + '.html'}"


def describe(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    """Set a page's title, its description, and the metadata for link previews."""
    if page == app.config.root_doc:
        context["docstitle"] = ""  # otherwise the course's name appears twice
        context["pageurl"] = canonical(app, page) or app.builder.get_target_uri(page)
    if doctree is None:
        return
    title = re.sub("<[^>]+>", "", context.get("title", ""))
    about = description(doctree)
    properties = {"og:type": "website", "og:site_name": app.config.project, "og:title": title}
    if about:
        properties["og:description"] = about
    address = app.config.html_baseurl
    if address:
        properties["og:url"] = canonical(app, page)
        properties["og:image"] = f"{address.rstrip('/')}/{card.PLACE}"
        properties["og:image:width"], properties["og:image:height"] = map(str, card.SIZE)
    tags = [f'<meta name="description" content="{html.escape(about)}"/>'] if about else []
    tags += [
        f'<meta property="{name}" content="{html.escape(html.unescape(value))}"/>'
        for name, value in properties.items()
    ]
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def add_facts(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    """Add a line below a lesson's title: its time, its problem set, its evidence, the models."""
    root = Path(app.srcdir)
    lesson = next((one for one in course.lessons(root) if one.page == page), None)
    if lesson is None or "body" not in context:
        return

    def link(target: str, text: str) -> str:
        return f'<a href="{app.builder.get_relative_uri(page, target)}">{text}</a>'

    facts = [f"About {tree.minutes(lesson.notebook)} minutes"]
    number = lesson.name[:2]
    for released in tree.problem_sets(root):
        if released.path.stem.startswith(f"ps{number}-"):
            target = course.page(root, released.path)
            facts.append(link(target, f"Problem set {int(number)}") + f" ({released.time})")
    if lesson.evidence_page in app.env.found_docs:
        facts.append(link(lesson.evidence_page, "The evidence"))
    if EXPLORE in app.env.found_docs:
        facts.append(link(EXPLORE, "Try the models"))
    line = f'<p class="page-facts">{" · ".join(facts)}</p>'
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{line}", 1)


def write_sitemap(app: Sphinx, error: Exception | None) -> None:
    """List all pages for search engines, if the site's address is known (``html_baseurl``)."""
    if error is not None or app.builder.format != "html" or not app.config.html_baseurl:
        return
    lines = [
        f"<url><loc>{html.escape(canonical(app, page))}</loc></url>"
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


def setup(app: Sphinx) -> dict:
    app.setup_extension("coursebook.sphinx.weight")  # our layout uses its filter
    app.connect("config-inited", use_templates)
    app.connect("config-inited", offer_to_run)
    app.connect("config-inited", offer_to_ask)
    app.connect("config-inited", number_no_figures, priority=900)
    app.connect("html-collect-pages", not_found)
    app.connect("html-collect-pages", moved)
    app.connect("builder-inited", allow_parallel)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", add_facts)
    app.connect("html-page-context", where_to_report)
    app.connect("build-finished", write_sitemap)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
