"""All figures: on paper, without a script, in the dark, at any width, and at rest."""

from pathlib import Path

from figure_pages import Keys, browser, typed
from live_site import offline, open_all
from test_pages import AXE, COLOURINGS, OVERFLOW, RULES, at_rest, set_theme

from coursebook.course import figure_pictures
from coursebook.live.__main__ import draw
from coursebook.live.catalogue import FIGURES


@browser
def test_the_stored_pictures_are_what_the_scripts_draw(chromium, course: Path) -> None:
    for name, pictures in draw(chromium, course).items():
        kept = [path.read_text("utf-8") for path in figure_pictures(course, name)]
        assert kept == pictures, f"run python -m coursebook.live {name}, then the lesson again"


@browser
def test_without_a_script_the_still_pictures_stand(chromium, page_file: Path) -> None:
    with offline(chromium, java_script_enabled=False) as page:
        page.goto(page_file.as_uri())
        for name in FIGURES:
            figure = page.locator(f"#figure-{name}")
            assert figure.locator("img").filter(visible=True).count() >= 1
            for image in figure.locator("img").filter(visible=True).all():
                image.scroll_into_view_if_needed()
                assert len(image.get_attribute("alt")) > 30
                assert image.bounding_box()["height"] > 80
            assert figure.locator("figcaption p").is_visible()
            assert figure.locator("input, button, select").count() == 0


@browser
def test_print_has_the_picture_without_the_controls(loaded) -> None:
    loaded.emulate_media(media="print")
    try:
        for name in FIGURES:
            figure = loaded.locator(f"#figure-{name}")
            assert figure.locator("svg.live-picture").first.is_visible()
            assert not figure.locator("input, button, select").first.is_visible()
    finally:
        loaded.emulate_media(media="screen")


def moves_nothing(page, plays: bool) -> None:
    """No figure goes on by itself, and one has a button that does so until it is pressed again."""
    asked = len(page.asked)
    running = "f => f.getAnimations({subtree: true}).length"
    for name in FIGURES:
        keys = Keys(page, name)
        if name in ("attends", "map"):  # those that move, until a key is pressed
            keys.press("Tab", "Shift")
            page.wait_for_timeout(500)  # what is under way when it stops comes to its end
        before = keys.figure.inner_html()
        assert keys.figure.evaluate(running) == 0
        assert keys.figure.inner_html() == before
    assert len(page.asked) == asked, "a figure asks for nothing after the page is loaded"
    keys = Keys(page, "attention-steps")
    play = keys.figure.get_by_role("button", name="Play")
    assert play.count() == plays
    if plays:
        typed(keys, "a note")
        keys.reach("Play", "button")
        keys.press("Enter")
        page.wait_for_timeout(1700)
        assert "Step 4 of 4" not in keys.said
        keys.press("Enter")
        stopped = keys.said
        page.wait_for_timeout(1700)
        assert keys.said == stopped


@browser
def test_nothing_moves_by_itself(loaded) -> None:
    moves_nothing(loaded, plays=True)


@browser
def test_nothing_plays_for_who_wants_no_motion(chromium, page_file: Path) -> None:
    with offline(chromium, reduced_motion="reduce") as page:
        open_all(page, page_file)
        moves_nothing(page, plays=False)


@browser
def test_axe_finds_nothing_and_nothing_is_too_wide(chromium, themed: Path, axe: str) -> None:
    own = AXE.replace("axe.run(of,", "axe.run({include: [['figure.live']]},")
    assert own != AXE
    with offline(chromium) as page:
        open_all(page, themed)
        page.locator("#figure-rotary summary").click()
        at_rest(page)
        page.evaluate(axe)
        for width in (1600, 1280, 768, 390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert not page.evaluate(OVERFLOW), width
            # The dark theme changes colours alone, which do not depend on the width.
            for theme in {1280: RULES, 320: ["light"]}.get(width, ()):
                set_theme(page, theme)
                page.evaluate(COLOURINGS, [])
                assert not page.evaluate(own, RULES[theme]), (width, theme)
