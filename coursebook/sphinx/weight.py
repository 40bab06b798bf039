"""What keeps pages small: each loads only what it uses.

The engine for formulas is loaded only by pages with formulas. Pictures are compressed and loaded
as the reader scrolls near them. Of the theme's style sheets, icons and scripts, only the parts
that some page of the site uses are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_ICON_SCRIPT = re.compile(r"<script[^>]*fontawesome\.js[^>]*></script>\s*")


def without_icon_script(text: str) -> str:
    """The page's head without the theme's 1.5 MB of JavaScript for icons.

    The theme's style sheet shows the same icons from a font a tenth of that size.
    """
    return _ICON_SCRIPT.sub("", text)


def add_filter(app: Sphinx) -> None:
    """Give the layout a filter that drops the icon script."""
    environment = getattr(getattr(app.builder, "templates", None), "environment", None)
    if environment is not None:
        environment.filters["without_icon_script"] = without_icon_script


def drop_mathjax(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load the engine for formulas only on pages that have formulas."""
    if 'class="math' in context.get("body", ""):
        return
    context["script_files"] = [
        script for script in context.get("script_files", []) if "athjax" not in _written(script)
    ]


#: Styles and scripts that extensions add to every page, and the text on a page that needs them.
BROUGHT = {
    "ledger.js": "claims-ledger",
    "sphinx-design": 'class="sd-',
    "design-tabs": 'class="sd-',
    "sphinx-thebe": "thebe",
}


def drop_brought(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load an extension's styles and scripts only on pages that use them."""
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


def load_late(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load pictures only when the reader scrolls near them."""
    if "body" in context:
        context["body"] = re.sub(r"<img (?![^>]*loading=)", '<img loading="lazy" ', context["body"])


#: The end of a rule's selectors or of a statement; the braces of a block.
_NEXT, _BRACE = re.compile(r"[{;]"), re.compile(r"[{}]")

#: Comments: ordinary ones, and those that must stay because they name a licence.
_REMARK, _LICENCE = (re.compile(rf"/\*{sign}.*?\*/", re.DOTALL) for sign in ("(?!!)", "!"))

#: In a selector: parts in brackets, which require no class; the classes required.
_BRACKETS, _CLASS = re.compile(r"\([^()]*\)|\[[^\]]*\]"), re.compile(r"\.(-?[A-Za-z_][\w-]*)")


def _rules(sheet: str) -> Iterator[tuple[str, str | None]]:
    """The rules of a style sheet: selectors and block, or a statement and ``None``."""
    at = 0
    while found := _NEXT.search(sheet, at):
        before, end = sheet[at : found.start()].strip(), found.end()
        if found[0] == ";":
            yield before, None
        else:
            depth = 1
            for brace in _BRACE.finditer(sheet, end):
                depth += 1 if brace[0] == "{" else -1
                if depth == 0:
                    break
            yield before, sheet[end : brace.start()]
            end = brace.end()
        at = end


def _asks_for(selector: str) -> set[str]:
    """The classes without which a selector cannot match."""
    while selector != (bare := _BRACKETS.sub("", selector)):
        selector = bare
    return set(_CLASS.findall(selector))


def without_unused_rules(sheet: str, used: set[str]) -> str:
    """A style sheet without the rules for classes that are not ``used``.

    A word that ends with a hyphen stands for all classes that a script makes from it.
    """
    begun = tuple(word for word in used if word.endswith("-"))
    kept = []
    for written, block in _rules(_REMARK.sub("", sheet)):
        kept += _LICENCE.findall(written)
        before = _LICENCE.sub("", written).strip()
        if block is None:
            kept.append(f"{before};")
        elif before.startswith(("@media", "@supports", "@layer", "@container")):
            inner = without_unused_rules(block, used)
            kept += [f"{before}{{{inner}}}"] if inner else []
        elif before.startswith("@"):
            kept.append(f"{before}{{{block}}}")
        else:
            selectors = [
                one
                for one in re.split(r",(?![^(]*\))", before)
                if all(name in used or name.startswith(begun) for name in _asks_for(one))
            ]
            kept += [f"{','.join(selectors)}{{{block}}}"] if selectors else []
    return "".join(kept)


#: A class attribute on a page, and a word in a script that may be a class name.
_CLASSES, _WORD = re.compile(r"""class=(?:"([^"]*)"|'([^']*)')"""), re.compile(r"-?[A-Za-z_][\w-]*")


def used_classes(site: Path) -> set[str]:
    """All class names on the site's pages, and all words in its scripts."""
    used: set[str] = set()
    for page in site.rglob("*.html"):
        for one, other in _CLASSES.findall(page.read_text("utf-8")):
            used.update((one or other).split())
    for script in (site / "_static").rglob("*.js"):
        parts = script.relative_to(site).parts
        if "mathjax" in parts or script.name.startswith(("data-", "fontawesome")):
            continue
        used.update(_WORD.findall(script.read_text("utf-8")))
    return used


#: An icon's rule and its code point in it, and a font's second format in the rule that names it.
_ICON, _CODE = re.compile(r"\.fa-[\w-]+::?before[^{]*\{[^}]*\}"), re.compile(r"\\([0-9a-f]{2,5})")
_COMPRESSED = re.compile(r'url\([^)]*fa-[\w-]+\.woff2\) format\("woff2"\),')


def shrink_icons(static: Path) -> None:
    """Keep only those icons in the theme's fonts that its style sheet still uses."""
    sheet = static / "styles" / "pydata-sphinx-theme.css"
    fonts = static / "vendor" / "fontawesome" / "webfonts"
    if not sheet.is_file() or not fonts.is_dir():
        return
    text = sheet.read_text("utf-8")
    shown = {int(code, 16) for rule in _ICON.findall(text) for code in _CODE.findall(rule)}
    for font in fonts.glob("*.ttf"):
        with TTFont(font) as whole:
            subsetter = subset.Subsetter()
            subsetter.populate(unicodes=shown)
            subsetter.subset(whole)
            whole.save(font)
    # The remaining fonts are small enough without the other format's compression.
    sheet.write_text(_COMPRESSED.sub("", text), "utf-8")
    for other in fonts.glob("*.woff2"):
        other.unlink()


def drop_unused(app: Sphinx, error: Exception | None) -> None:
    """Remove the parts of the theme that no page uses: style rules, source maps, icons."""
    if error is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    if not static.is_dir():
        raise ExtensionError(f"{static} is missing")
    used = used_classes(Path(app.outdir))
    for sheet in static.rglob("*.css"):
        if "mathjax" not in sheet.parts:
            sheet.write_text(without_unused_rules(sheet.read_text("utf-8"), used), "utf-8")
    shrink_icons(static)
    for path in {*static.rglob("*.map"), *static.glob("scripts/fontawesome.js*")}:
        path.unlink()


#: A rectangle as matplotlib writes it, and a shape's style: fill and stroke.
_BOX = re.compile(r"M ([\d.]+) ([\d.]+) L ([\d.]+) \2 L \3 ([\d.]+) L \1 \4 z ?")
_STYLE = re.compile(r'style="fill: (#\w+); (stroke: [^"]+)"')

#: Adjacent paths with the same style, which a group can set once.
_ALIKE = re.compile(r'<path d="[^"]*"( class="o\d+" fill="#\w+")/>(?:<path d="[^"]*"\1/>)+')


def smaller(picture: str) -> str:
    """The same SVG in fewer bytes, because a matrix in it is hundreds of similar squares."""
    outlines = sorted({found[2] for found in _STYLE.finditer(picture)})
    rules = "".join(f".o{number}{{{outline}}}" for number, outline in enumerate(outlines))
    if not rules:
        return picture
    text = _BOX.sub(r"M\1 \2H\3V\4H\1z", picture)
    text = _STYLE.sub(lambda m: f'class="o{outlines.index(m[2])}" fill="{m[1]}"', text)
    text = re.sub(r"<g>(<path [^>]*/>)</g>", r"\1", text)
    text = _ALIKE.sub(lambda m: f"<g{m[1]}>{m[0].replace(m[1], '')}</g>", text)
    return re.sub(r"(<svg\b[^>]*>)", rf"\1<style>{rules}</style>", text, count=1)


def shrink_pictures(app: Sphinx, error: Exception | None) -> None:
    """Make the pictures of the built site smaller."""
    if error is None and app.builder.format == "html":
        for path in (Path(app.outdir) / "_images").glob("*.svg"):
            path.write_text(smaller(path.read_text("utf-8")), "utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", add_filter)
    app.connect("html-page-context", drop_mathjax, priority=900)
    app.connect("html-page-context", drop_brought, priority=900)
    app.connect("html-page-context", load_late)
    app.connect("build-finished", drop_unused, priority=900)
    app.connect("build-finished", shrink_pictures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
