"""What can be held in a picture follows the mouse and the finger."""

from pathlib import Path

import pytest
from figure_pages import Finger, Keys, browser
from live_site import begin, offline


def middle(element) -> tuple[float, float]:
    box = element.evaluate(
        "e => { const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }"
    )
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def to_the_middle(page, element) -> tuple[float, float]:
    element.evaluate("e => e.scrollIntoView({block: 'center', behavior: 'instant'})")
    page.wait_for_timeout(200)
    return middle(element)


HELD = [("important-word", ".handle.q"), ("arrows", ".handle.q"), ("arrows", ".handle.k >> nth=1"),
        ("rotary", ".handle.q"), ("positions", "svg >> nth=1 >> .knob.q")]  # fmt: skip


@browser
@pytest.mark.parametrize("name, part", HELD)
def test_the_mouse_drags(shown, name: str, part: str) -> None:
    figure = Keys(shown, name).figure
    x, y = to_the_middle(shown, figure.locator(part))
    before = figure.locator(".live-status").inner_text()
    shown.mouse.move(x, y)
    shown.mouse.down()
    shown.mouse.move(x - 40, y + 21, steps=4)
    shown.mouse.up()
    across, down = middle(figure.locator(part))
    assert across == pytest.approx(x - 40, abs=5)
    assert name == "positions" or down == pytest.approx(y + 21, abs=5)
    assert figure.locator(".live-status").inner_text() != before
    shown.mouse.move(x, y)
    assert middle(figure.locator(part))[0] == across, "the button is up"


@browser
def test_a_finger_drags_and_the_page_still_scrolls(chromium, page_file: Path) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    with offline(chromium, **phone) as page:
        page.goto(page_file.as_uri())
        for name, _ in HELD:
            begin(page.locator(f"#figure-{name}"))
        finger, scrolled = Finger(page), "window.scrollY"
        for name, part in HELD:
            held = page.locator(f"#figure-{name}").locator(part)
            x, y = to_the_middle(page, held)
            before = page.evaluate(scrolled)
            finger.drag((x, y), (24, 0 if name == "positions" else 40))
            assert middle(held)[0] == pytest.approx(x + 24, abs=5), (name, part)
            assert page.evaluate(scrolled) == before
        said = page.locator("#figure-positions .live-status")
        kept = said.inner_text()
        finger.drag(middle(held), (0, -150))
        # A finger that goes up scrolls the page.
        page.wait_for_function(f"{scrolled} > {before + 50}")
        assert said.inner_text() == kept, "scrolling must leave the figure as it was"
        assert not page.faults
