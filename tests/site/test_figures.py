"""The interactive figures: what the build draws, that all can move it, and that it tells true."""

from __future__ import annotations

import re
from pathlib import Path

import course_figures as figures
import pytest
import torch
from site_pages import toc_pages
from test_pages import AXE, OVERFLOW, set_theme
from tiny_site import build

from tfcourse.positions import RotaryPositions, SinusoidalPositions

BOTH = """```{positions-figure}
:id: one

Near positions have *codes* that are alike.
```

```{rotary-figure}
The score stays.
```
"""
NUMBER = re.compile(r"-?\d*\.?\d+")


# ---- the directives ----------------------------------------------------------------------------


def test_what_the_figures_become(tmp_path: Path) -> None:
    html, warnings = build(tmp_path, BOTH, ("course_figures",))
    assert not warnings
    assert '<figure class="interactive" id="one" data-figure="positions">' in html
    assert '<figure class="interactive" id="figure-rotary" data-figure="rotary">' in html
    assert html.count('<svg viewBox="0 0 360 200" role="img" aria-label="') == 2
    assert html.count('<div class="interactive-controls" hidden>') == 2
    assert "<figcaption><p>Near positions have <em>codes</em> that are alike.</p>" in html


def test_a_figure_without_a_sentence_fails_the_build(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, "```{rotary-figure}\n:id: one\n```", ("course_figures",))
    assert "the sentence is missing" in warnings


def test_two_figures_with_one_id_fail_the_build(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, BOTH + "\n" + BOTH, ("course_figures",))
    assert "two with the id 'one'" in warnings


@pytest.mark.parametrize("value, text", [(-0.0001, "0.000"), (-1.5, "−1.500"), (2, "2.000")])
def test_numbers_have_a_true_minus_and_no_minus_zero(value: float, text: str) -> None:
    assert figures.number(value) == text


# ---- in the browser ----------------------------------------------------------------------------


@pytest.fixture
def shown(page, address: str):
    """The page that shows both."""
    page.goto(f"{address}/book/maintain.html")
    yield page
    assert not page.faults


def says(figure, name: str) -> str:
    """A number that the reader sees."""
    return figure.locator(f"[data-show='{name}']").first.text_content()


def part(figure, name: str, attribute: str) -> str:
    return figure.locator(f"[data-part='{name}']").get_attribute(attribute)


def numbers(text: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(text.replace("−", "-"))]


def choose(figure, name: str, value: float) -> None:
    figure.locator(f"[data-input='{name}']").evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", value
    )


def middle(element) -> tuple[float, float]:
    """Where a part lies in the window."""
    box = element.evaluate(
        "e => { const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }"
    )
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def grip(figure, name: str):
    """What is taken hold of: an arrow's tip, or the dot on the curve."""
    found = figure.locator(f"[data-part='{name}'] .grip")
    found.scroll_into_view_if_needed()
    return found


def code(position: int) -> torch.Tensor:
    return SinusoidalPositions(figures.D_MODEL).table(torch.tensor([position]), torch.float64)[0]


def turned(pair: int, position: int, vector: tuple[float, float]) -> list[float]:
    x = torch.zeros(1, figures.D_K, dtype=torch.float64)
    x[0, 2 * pair : 2 * pair + 2] = torch.tensor(vector, dtype=torch.float64)
    return (
        RotaryPositions(figures.D_K).rotate(x, start=position)[0, 2 * pair : 2 * pair + 2].tolist()
    )


def arrow_at_zero(figure, name: str) -> tuple[float, float]:
    """The arrow before it is turned, from its sliders."""
    degrees, length = (float(says(figure, f"{name}-{part}")) for part in ("direction", "length"))
    angle = torch.deg2rad(torch.tensor(degrees, dtype=torch.float64))
    return float(length * angle.cos()), float(length * angle.sin())


def agrees(figure) -> None:
    """What the rotary figure shows and draws is what the package computes."""
    m, n = int(says(figure, "m")), int(says(figure, "n"))
    pair = int(figure.locator("[data-input=pair]").input_value())
    q = turned(pair, m, arrow_at_zero(figure, "q"))
    k = turned(pair, n, arrow_at_zero(figure, "k"))
    assert numbers(says(figure, "q-turned")) == pytest.approx(q, abs=6e-4)
    assert numbers(says(figure, "k-turned")) == pytest.approx(k, abs=6e-4)
    score = q[0] * k[0] + q[1] * k[1]
    assert numbers(says(figure, "score")) == pytest.approx([score], abs=6e-4)
    assert numbers(says(figure, "distance")) == [m - n]
    for name, tip in (("q", q), ("k", k)):
        angle = torch.rad2deg(torch.atan2(torch.tensor(tip[1]), torch.tensor(tip[0])))
        assert numbers(part(figure, name, "transform")) == pytest.approx([float(angle)], abs=1e-3)


@pytest.mark.browser
def test_the_scripts_formulas_are_the_packages(shown) -> None:
    codes = shown.evaluate("[...Array(128).keys()].map(n => sinusoidalCode(n, 32))")
    table = SinusoidalPositions(32).table(torch.arange(128), torch.float64)
    torch.testing.assert_close(torch.tensor(codes, dtype=torch.float64), table, atol=1e-12, rtol=0)
    for pair in range(4):
        for position in (0, 1, 7, 63):
            found = shown.evaluate(
                "([pair, n]) => rotaryTurn([1.2, -0.7], n * rotaryTheta(pair, 8))", [pair, position]
            )
            assert found == pytest.approx(turned(pair, position, (1.2, -0.7)), abs=1e-12)


@pytest.mark.browser
def test_the_script_draws_what_the_build_drew(chromium, shown) -> None:
    """Without a script the picture, its numbers and the sentence are there, and no dead slider."""
    still = chromium.new_context(java_script_enabled=False)
    page = still.new_page()
    page.goto(shown.url)
    for name in ("positions", "rotary"):
        figure, moving = page.locator(f"#figure-{name}"), shown.locator(f"#figure-{name}")
        for n in range(figure.locator("svg").count()):
            built, drawn = (f.locator("svg").nth(n).inner_html() for f in (figure, moving))
            assert NUMBER.sub("", built) == NUMBER.sub("", drawn)
            assert numbers(built) == pytest.approx(numbers(drawn), abs=1.1e-4)
        for f in (figure, moving):
            assert f.locator("figcaption p").is_visible()
        assert figure.locator(".interactive-panels > div").first.inner_text() == (
            moving.locator(".interactive-panels > div").first.inner_text()
        )
        assert not figure.locator("input").first.is_visible()
        assert moving.locator("input").first.is_visible()
    agrees(page.locator("#figure-rotary"))
    still.close()


@pytest.mark.browser
@pytest.mark.parametrize("position, other", [(0, 127), (20, 98), (127, 0), (64, 64)])
def test_codes_and_similarity_are_the_packages(shown, position: int, other: int) -> None:
    figure = shown.locator("#figure-positions")
    choose(figure, "position", position)
    choose(figure, "other", other)
    table = SinusoidalPositions(figures.D_MODEL).table(torch.arange(128), torch.float64)
    alike = (table @ table[position]).tolist()
    assert numbers(says(figure, "similarity")) == pytest.approx([alike[other]], abs=6e-4)
    curve = numbers(part(figure, "curve", "d"))
    assert curve[0::2] == list(range(128))
    assert curve[1::2] == pytest.approx(alike, abs=1e-4)
    dots = numbers(part(figure, "other-code", "d"))
    assert dots[1::3] == pytest.approx(code(other).tolist(), abs=1e-4)
    bars = [
        sum(float(bar.get_attribute(a)) * weight for a, weight in (("y", 2), ("height", 1)))
        for bar in figure.locator("rect").all()
    ]  # a bar runs from 0: twice its lower end and its height is its signed end
    assert bars == pytest.approx(code(position).tolist(), abs=3e-4)


@pytest.mark.browser
def test_a_position_is_moved_by_keyboard(shown) -> None:
    figure = shown.locator("#figure-positions")
    figure.get_by_label("Position", exact=True).focus()
    for key, reached in [("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1),
                         ("End", 127)]:  # fmt: skip
        shown.keyboard.press(key)
        assert says(figure, "position") == str(reached)
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert shown.evaluate(outline) == "solid"
    shown.keyboard.press("Tab")
    shown.keyboard.press("End")
    said = figure.get_by_role("status").inner_text()
    assert said == "Dot product of codes 127 and 127: 16.000; of 127 with itself: 16.000."


@pytest.mark.browser
def test_two_arrows_turned_together_keep_their_score(shown) -> None:
    figure = shown.locator("#figure-rotary")
    status, both = figure.get_by_role("status"), figure.get_by_label("Both together")
    score, q = says(figure, "score"), says(figure, "q-turned")
    distance = int(says(figure, "distance"))
    both.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        shown.keyboard.press(key)
        assert says(figure, "score") == score
        assert status.inner_text().startswith("Both moved") and f"still {score}" in (
            status.inner_text()
        )
        agrees(figure)
    assert says(figure, "m") == "62" and says(figure, "n") == str(62 - distance)
    assert both.get_attribute("aria-valuetext") == f"m = 62, n = {62 - distance}"
    assert says(figure, "q-turned") != q

    figure.get_by_label("m, position of q").focus()
    shown.keyboard.press("ArrowLeft")
    assert says(figure, "score") != score
    assert status.inner_text().startswith(f"m moved alone: m − n is now {distance - 1}")
    agrees(figure)
    figure.get_by_label("n, position of k").focus()
    shown.keyboard.press("Home")
    assert status.inner_text().startswith("n moved alone")
    agrees(figure)


@pytest.mark.browser
def test_every_pair_and_every_arrow_can_be_set_by_keyboard(shown) -> None:
    figure = shown.locator("#figure-rotary")
    pair = figure.get_by_label("Pair")
    for n in range(figures.D_K // 2):
        pair.select_option(str(n))
        agrees(figure)
    assert "turns by 0.001 radians a position" in figure.get_by_role("status").inner_text()
    pair.focus()
    shown.keyboard.press("Tab")
    shown.keyboard.press("Enter")  # the arrows' own sliders unfold
    ends = {"q, direction": "359", "q, length": "2", "k, direction": "359", "k, length": "2"}
    for label, last in ends.items():
        shown.keyboard.press("Tab")
        assert figure.get_by_label(label).evaluate("e => e === document.activeElement")
        shown.keyboard.press("End")
        assert says(figure, label.replace(", ", "-")) == last
        agrees(figure)


@pytest.mark.browser
def test_the_mouse_drags_the_line_the_dot_and_the_arrows(shown) -> None:
    mouse, figure = shown.mouse, shown.locator("#figure-positions")
    x, y = middle(grip(figure, "there"))
    step = figure.locator("[data-part=plane]").evaluate("e => e.getScreenCTM().a")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 60 * step, y + 9)
    mouse.move(x + 77 * step, y)
    mouse.up()
    assert [says(figure, name) for name in ("position", "other")] == ["20", "98"]
    mouse.move(x + 40 * step, y)  # the button is up
    assert says(figure, "other") == "98"
    mouse.move(x - step, y + 60)
    mouse.down()
    mouse.move(x - 900, y + 60)
    assert says(figure, "position") == "0"
    mouse.up()
    assert figure.get_by_label("Position", exact=True).input_value() == "0"

    figure = shown.locator("#figure-rotary")
    for name, by in (("q", (-70, 10)), ("k", (30, 60))):
        x, y = middle(grip(figure, name))
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + by[0], y + by[1], steps=4)
        mouse.up()
        tip = middle(grip(figure, name))
        assert tip == pytest.approx((x + by[0], y + by[1]), abs=4)
        assert figure.get_by_role("status").inner_text().startswith("An arrow was changed")
        agrees(figure)


class Finger:
    """One finger on the glass, as the browser itself gets it."""

    def __init__(self, page) -> None:
        self.page, self.session = page, page.context.new_cdp_session(page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def drag(self, start: tuple[float, float], by: tuple[float, float]) -> None:
        self.touch("touchStart", start)
        for n in range(1, 11):
            self.touch("touchMove", (start[0] + by[0] * n / 10, start[1] + by[1] * n / 10))
            self.page.wait_for_timeout(16)
        self.touch("touchEnd")


@pytest.mark.browser
def test_a_finger_drags_and_the_page_still_scrolls(chromium, address: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}/book/maintain.html")
    finger, scrolled = Finger(page), "window.scrollY"

    figure = page.locator("#figure-positions")
    figure.locator("svg").nth(1).evaluate(
        "e => e.scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    page.wait_for_timeout(300)
    x, y = middle(figure.locator("[data-part=here] .knob"))
    step = figure.locator("[data-part=plane]").evaluate("e => e.getScreenCTM().a")
    before = page.evaluate(scrolled)
    finger.drag((x, y), (50 * step, 0))
    assert says(figure, "position") == "70"
    assert page.evaluate(scrolled) == before
    finger.drag(middle(figure.locator("[data-part=there] .knob")), (77 * step, 0))
    assert says(figure, "other") == "98"
    finger.drag((x, y), (0, -150))
    page.wait_for_timeout(300)
    assert page.evaluate(scrolled) > before + 50, "a finger that goes up must scroll the page"
    assert says(figure, "position") == "70", "scrolling must leave the figure as it was"

    figure = page.locator("#figure-rotary")
    figure.locator("svg").evaluate("e => e.scrollIntoView({block: 'center', behavior: 'instant'})")
    page.wait_for_timeout(300)
    before = page.evaluate(scrolled)
    x, y = middle(grip(figure, "q"))
    finger.drag((x, y), (10, 60))
    assert middle(grip(figure, "q")) == pytest.approx((x + 10, y + 60), abs=4)
    agrees(figure)
    assert page.evaluate(scrolled) == before
    context.close()


@pytest.mark.browser
def test_nothing_is_asked_for_and_nothing_moves_by_itself(shown) -> None:
    shown.wait_for_load_state("networkidle")
    asked = []
    shown.on("request", lambda request: asked.append(request.url))
    for name in ("position", "other"):
        choose(shown.locator("#figure-positions"), name, 77)
    for name in ("m", "n", "both"):
        choose(shown.locator("#figure-rotary"), name, 7)
    assert not asked
    running = "f => f.getAnimations({subtree: true}).length"
    assert [f.evaluate(running) for f in shown.locator(".interactive").all()] == [0, 0]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_when_all_is_open(shown, axe: str, width: int) -> None:
    shown.wait_for_load_state("networkidle")
    shown.set_viewport_size({"width": width, "height": 844})
    # Which blocks of code scroll is seen when a page is loaded.
    shown.reload(wait_until="networkidle")
    figure = shown.locator("#figure-rotary")
    figure.locator("summary").click()
    choose(figure, "m", 9)
    assert not shown.evaluate(OVERFLOW)
    shown.add_style_tag(content="*, *::before, *::after { transition: none !important; }")
    shown.evaluate(axe)
    for theme in ("light", "dark"):
        set_theme(shown, theme)
        assert not shown.evaluate(AXE)


@pytest.mark.thorough("walk through all pages")
@pytest.mark.browser
def test_every_figure_of_the_site_moves(page, address: str, site: Path) -> None:
    pages = [p for p in toc_pages() if 'class="interactive"' in (site / p).read_text("utf-8")]
    assert pages, "no page has a figure"
    for name in pages:
        page.goto(f"{address}/{name}")
        for figure in page.locator("figure.interactive").all():
            if figure.get_attribute("data-figure") == "positions":
                choose(figure, "position", 50)
                assert says(figure, "itself") == "16.000"
            else:
                choose(figure, "m", 50)
                agrees(figure)
            assert figure.locator("figcaption").inner_text()
    assert not page.faults
