"""Every page in headless Chromium with the network off: wide and narrow, light and dark."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_site import new_page
from page_parts import BESIDE, DRAWN, NOTEBOOKS, SHOWN, smallest
from site_pages import toc_pages

from coursebook.course import is_evidence
from coursebook.sphinx import pictures, tested

pytestmark = pytest.mark.browser

PAGES = [*toc_pages(), "search.html", "genindex.html", "404.html"]

#: What a page may load before it is scrolled, but the engine for formulas, in bytes on the disk.
WEIGHT = 1_000_000

#: From the narrowest telephone to a wide screen, in pixels.
WIDTHS = (320, 390, 600, 768, 1000, 1280, 1600)
#: Where verdicts have no room beside the text, just enough, and plenty.
BESIDE_AT = (1199, 1200, 1600)

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
    .filter((image) => !(image.closest('a[href]')?.getBoundingClientRect().right
        <= document.documentElement.clientWidth))
    .map((image) => `a figure that does not fit, or does not open alone: ${image.alt}`)"""

#: Called with the rules to judge by; with none it judges by all. Formulas are MathJax's own work:
#: it is judged on one page, and would be a quarter of the time on each.
AXE = """async (rules) => {
    const only = rules ? {runOnly: {type: 'rule', values: rules}} : {};
    const of = /glossary/.test(location) ? document : {exclude: [['mjx-container']]};
    const found = await axe.run(of, {resultTypes: ['violations'], ...only});
    return found.violations
        .filter((violation) => ['serious', 'critical'].includes(violation.impact))
        .map((violation) => `${violation.id}: ${violation.nodes.length} times, such as `
            + `${violation.nodes[0].html.slice(0, 160)} ${violation.nodes[0].failureSummary}`);
}"""

#: Answer each quiz: what it says then, and how many of its explanations are not seen.
ANSWERED = """() => [...document.querySelectorAll('.quiz')].map((quiz) => {
    for (const right of quiz.querySelectorAll('.quiz-choice[data-right=yes] input')) right.click();
    quiz.querySelector('.quiz-check').click();
    const whys = [...quiz.querySelectorAll('.quiz-why')];
    return [quiz.querySelector('[role=status]').innerText,
        whys.filter((why) => !why.checkVisibility()).length];
})"""

#: By which rules a page is judged in each theme: the second changes colours alone.
RULES = {"light": None, "dark": ["color-contrast", "link-in-text-block"]}

#: Have axe judge the contrast of one element of each colouring that is not `known`: a page has
#: thousands of words and thirty colourings, and most of these are on all pages. A link's colouring
#: is that of the words around it too.
COLOURINGS = """(known) => {
    const behind = (element) => {
        const {backgroundColor, backgroundImage} = getComputedStyle(element);
        const seen = backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none';
        return seen || !element.parentElement
            ? backgroundColor + backgroundImage : behind(element.parentElement);
    };
    const met = new Set(known), begun = met.size;
    for (const element of document.body.querySelectorAll('*')) {
        element.removeAttribute('data-colouring');
        const words = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
        if (!words || !element.checkVisibility()) continue;
        const style = getComputedStyle(element);
        const around = element.tagName === 'A'
            ? [style.textDecorationLine, getComputedStyle(element.parentElement).color] : [];
        const colouring = [style.color, style.opacity, style.fontSize, style.fontWeight,
                           behind(element), ...around].join();
        if (!met.has(colouring)) element.setAttribute('data-colouring', '');
        met.add(colouring);
    }
    axe.configure({rules: [{id: 'color-contrast', selector: '[data-colouring]'}]});
    return [...met].slice(begun);
}"""


def is_lesson(name: str) -> bool:
    return name in NOTEBOOKS and not is_evidence(NOTEBOOKS[name])


def too_small(site: Path, name: str, shown: list) -> list[str]:
    """The pictures of the page with words of fewer than nine pixels, or subscripts of seven."""
    sizes, found = pictures.named(NOTEBOOKS[name]) if name in NOTEBOOKS else {}, []
    for alt, address, across in shown:
        words, subscripts, width = smallest((site / name).parent / address, sizes.get(alt, 10))
        for what, size, least in ("words", words, 9), ("subscripts", subscripts, 7):
            if (size := size * across / width) < least:
                found.append(f"{what} of {size:.1f} pixels in: {alt}")
    return found


def set_theme(page, theme: str) -> None:
    page.evaluate(
        "theme => Object.assign(document.documentElement.dataset, {theme, mode: theme})", theme
    )


def at_rest(page) -> None:
    """Colours and widths are judged once they have arrived, not on their way."""
    page.add_style_tag(content="*, *::before, *::after { transition: none !important; }")


@pytest.fixture(scope="module", params=PAGES)
def name(request) -> str:
    """Each page in turn."""
    return request.param


@pytest.fixture(scope="module")
def reader(chromium) -> Iterator:
    """One reader's page, which keeps what several pages load; a page of its own costs more."""
    with new_page(chromium) as opened:
        yield opened


@pytest.fixture(scope="module")
def visited(name: str, reader, address: str):
    """The page, loaded once for the tests of it."""
    reader.goto("about:blank")  # what the page before still loads is broken off, and no fault
    reader.faults.clear()
    reader.set_viewport_size({"width": 1280, "height": 900})
    reader.goto(f"{address}/{name}", wait_until="load")
    at_rest(reader)
    return reader


@pytest.fixture(scope="module")
def measured(visited, name: str) -> dict:
    """What the tests of the page's widths judge, from one walk: each width is laid out once."""
    found = {"faults": [], "beside": {}}
    for width in sorted({*WIDTHS, *(BESIDE_AT if visited.locator(".tested").count() else ())}):
        visited.set_viewport_size({"width": width, "height": 844})
        wide = visited.evaluate(OVERFLOW) + visited.evaluate(FIGURES)
        found["faults"] += [f"at {width} px: {fault}" for fault in wide]
        if width == 390:
            found["pictures"] = visited.evaluate(SHOWN)
            style = visited.add_style_tag(content=".picture img { min-width: 0 !important; }")
            found["narrow"] = visited.evaluate(SHOWN)
            style.evaluate("style => style.remove()")
        elif width == 1280:
            found["drawings"] = visited.evaluate(DRAWN)
        if width in BESIDE_AT and name in NOTEBOOKS:
            found["beside"][width] = visited.evaluate(BESIDE)
    return found


@pytest.fixture(scope="module")
def judged() -> dict[str, set[str]]:
    """The colourings of each theme that were found good on an earlier page."""
    return {"light": set(), "dark": set()}


@pytest.mark.case_of("page")
def test_it_loads_without_a_fault(visited, request, name: str, address: str, site: Path) -> None:
    faults = [*visited.faults, *visited.evaluate(FORMULAS), *visited.evaluate(IMAGES)]
    loaded = visited.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    faults += [f"asks elsewhere: {u}" for u in loaded if not u.startswith((address, "data:"))]
    own = {
        site / url.removeprefix(f"{address}/").split("?")[0].split("#")[0]
        for url in {f"{address}/{name}", *loaded}
        if url.startswith(f"{address}/") and "/mathjax/" not in url
    }
    sizes = {file: file.stat().st_size for file in own if file.is_file()}
    models = sum(size for file, size in sizes.items() if file.name.startswith("data-"))
    for what, weight in ("it", sum(sizes.values()) - models), ("what its figures load", models):
        faults += [f"{what} weighs {weight} bytes"] if weight > WEIGHT else []
    faults += request.getfixturevalue("measured")["faults"]  # once all that it loads is known
    assert not faults, "\n".join(faults)


@pytest.mark.case_of("page")
def test_words_in_pictures_can_be_read_on_a_telephone(measured, name: str, site: Path) -> None:
    faults = too_small(site, name, measured["pictures"])
    assert not faults, "\n".join(faults)
    if is_lesson(name):
        assert too_small(site, name, measured["narrow"]), "a picture as narrow as the page"


@pytest.mark.case_of("page")
def test_a_drawing_is_as_wide_as_its_column_or_as_it_may_be(measured, name: str) -> None:
    filled = capped = 0
    for alt, shown, frame, most, own in measured["drawings"]:
        assert most == pytest.approx(pictures.LARGER * own, abs=1.5), alt
        assert shown == pytest.approx(min(frame, most), abs=1), alt
        filled, capped = filled + (shown > frame - 1), capped + (shown < frame - 1)
    assert (filled and capped) or not is_lesson(name)


@pytest.mark.case_of("page")
def test_verdicts_stand_beside_the_text_where_there_is_room(measured, name: str) -> None:
    if is_lesson(name):
        text = NOTEBOOKS[name].read_text("utf-8")
        boxes = sum(text.count(f"> **{word}**") for word in tested.BEGIN)
        assert {len(found["notes"]) for found in measured["beside"].values()} == {boxes}
        assert len(measured["beside"]) == 3 or not boxes
    for width, found in measured["beside"].items():
        for note in found["notes"]:
            assert note["right"] <= found["window"]
            assert (note["left"] > found["column"]) == (width >= 1200), width
        for one, other in itertools.pairwise(found["notes"]):
            assert one["bottom"] < other["top"], width


@pytest.mark.case_of("page")
def test_axe_finds_nothing_serious(visited, name: str, axe: str, judged: dict) -> None:
    visited.set_viewport_size({"width": 1280, "height": 900})
    visited.evaluate(FORMULAS)
    visited.evaluate(axe)
    for theme, rules in RULES.items():
        set_theme(visited, theme)
        new = visited.evaluate(COLOURINGS, list(judged[theme]))
        assert new or judged[theme], "there are no words on the page"
        if rules is None or new:
            faults = [f"{theme}: {fault}" for fault in visited.evaluate(AXE, rules)]
            assert not faults, "\n".join(faults)
        judged[theme].update(new)


@pytest.mark.case_of("page")
def test_every_quiz_calls_its_right_choices_right(visited) -> None:
    """Clicked by a script: test_quiz.py has the mouse and the keys."""
    for said, hidden in visited.evaluate(ANSWERED):
        assert said.startswith("Right") and not hidden
    assert not visited.faults


@pytest.mark.parametrize(
    ("theme", "colour"), [("light", "#bbb"), ("dark", "#555")], ids=["light", "dark"]
)
def test_a_word_of_poor_contrast_is_found(page, address, axe: str, theme, colour) -> None:
    page.goto(f"{address}/index.html")
    at_rest(page)
    page.evaluate(axe)
    set_theme(page, theme)
    page.evaluate(COLOURINGS, [])
    before = page.evaluate(AXE)
    page.locator("main p").last.evaluate("(p, colour) => { p.style.color = colour; }", colour)
    page.evaluate(COLOURINGS, [])
    after = page.evaluate(AXE)
    assert not before and len(after) == 1 and after[0].startswith("color-contrast")


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
