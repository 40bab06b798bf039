"""Every page in headless Chromium with the network off: wide and narrow, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from site_pages import toc_pages

pytestmark = pytest.mark.browser

PAGES = [*toc_pages(), "search.html", "genindex.html", "404.html"]

#: What a page may load before it is scrolled, but the engine for formulas, in bytes on the disk.
WEIGHT = 1_000_000

#: From the narrowest telephone to a wide screen, in pixels.
WIDTHS = (320, 390, 600, 768, 1000, 1280, 1600)

FORMULAS = """async () => {
    if (!document.querySelector('.math')) return [];
    if (!window.MathJax?.startup) return ['MathJax is not there'];
    await MathJax.startup.promise;
    const faults = [], count = (query) => document.querySelectorAll(query).length;
    const [shown, written] = [count('mjx-container'), count('.math')];
    if (shown !== written) faults.push(`${written} formulas written, ${shown} rendered`);
    for (const error of document.querySelectorAll('mjx-merror')) faults.push(error.textContent);
    for (const text of document.querySelectorAll('mjx-mtext'))
        if (getComputedStyle(text).color === 'rgb(255, 0, 0)')
            faults.push(`a command that TeX does not know: ${text.textContent}`);
    return faults;
}"""

IMAGES = """() => [...document.images]
    .filter((image) => image.loading !== 'lazy' && image.naturalWidth === 0)
    .map((image) => `broken image: ${image.src}`)"""

OVERFLOW = """() => {
    const root = document.documentElement, width = root.clientWidth;
    if (root.scrollWidth <= width) return [];
    const scrolls = (element) => element && element !== document.body
        && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    return [...document.body.querySelectorAll('*')]
        .filter((element) => element.getBoundingClientRect().right > width + 1)
        .filter((element) => !scrolls(element)).slice(0, 6)
        .map((element) => `${element.tagName}.${element.className}`)
        .concat(`the page is ${root.scrollWidth} wide`);
}"""

FIGURES = """() => [...document.querySelectorAll('.cell_output img')]
    .filter((image) => !image.closest('a[href]')
        || image.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map((image) => `a figure that does not fit, or does not open alone: ${image.alt}`)"""

#: Called with the rules to judge by; with none it judges by all.
AXE = """async (rules) => {
    const only = rules ? {runOnly: {type: 'rule', values: rules}} : {};
    const found = await axe.run(document, {resultTypes: ['violations'], ...only});
    return found.violations
        .filter((violation) => ['serious', 'critical'].includes(violation.impact))
        .map((violation) => `${violation.id}: ${violation.nodes.length} times, such as `
            + `${violation.nodes[0].html.slice(0, 160)} ${violation.nodes[0].failureSummary}`);
}"""


def set_theme(page, theme: str) -> None:
    page.evaluate(
        "theme => Object.assign(document.documentElement.dataset, {theme, mode: theme})", theme
    )


@pytest.mark.case_of("page")
@pytest.mark.parametrize("name", PAGES)
def test_it_loads_without_a_fault(name: str, page, address: str, site: Path) -> None:
    page.goto(f"{address}/{name}", wait_until="load")
    faults = page.faults
    faults += page.evaluate(FORMULAS) + page.evaluate(IMAGES)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    faults += [f"asks elsewhere: {u}" for u in loaded if not u.startswith((address, "data:"))]
    own = {
        site / url.removeprefix(f"{address}/").split("?")[0].split("#")[0]
        for url in {f"{address}/{name}", *loaded}
        if url.startswith(f"{address}/") and "/mathjax/" not in url
    }
    weight = sum(file.stat().st_size for file in own if file.is_file())
    faults += [f"it weighs {weight} bytes"] if weight > WEIGHT else []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        wide = page.evaluate(OVERFLOW) + page.evaluate(FIGURES)
        faults += [f"at {width} px: {fault}" for fault in wide]
    assert not faults, "\n".join(faults)


@pytest.mark.case_of("page")
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(name: str, page, address: str, axe: str) -> None:
    page.goto(f"{address}/{name}", wait_until="load")
    page.evaluate(FORMULAS)
    # Colours are judged once they have arrived, not on their way.
    page.add_style_tag(content="*, *::before, *::after { transition: none !important; }")
    page.evaluate(axe)
    faults = []
    # A theme changes colours alone, so the second is judged by these.
    for theme, rules in (("light", None), ("dark", ["color-contrast", "link-in-text-block"])):
        set_theme(page, theme)
        faults += [f"{theme}: {fault}" for fault in page.evaluate(AXE, rules)]
    assert not faults, "\n".join(faults)


def test_formulas_can_be_spoken_without_a_network(chromium, address: str) -> None:
    """What MathJax's own menu turns on for those who listen is part of the site."""
    context = chromium.new_context()
    context.add_init_script(
        "localStorage.setItem('MathJax-Menu-Settings', '{\"explorer\": true, \"speech\": true}')"
    )
    page = context.new_page()
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(f"{address}/book/glossary.html")
    spoken = page.locator("[data-semantic-speech*='d Subscript k']").first
    spoken.wait_for(state="attached", timeout=60_000)
    assert not failed
    context.close()
