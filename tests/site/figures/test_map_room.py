"""The map of a whole model: what is in sight, on wide windows, in the tours, and on telephones."""

import pytest
from figure_pages import Keys, browser
from live_site import offline

from .test_map import DATA, bench, family, stops, written
from .test_map_views import panel

#: How high the smallest letters of the visible map are on the screen.
SMALLEST = """one => Math.min(...[...one.querySelectorAll("text")].map((text) =>
    parseFloat(getComputedStyle(text).fontSize) * one.getScreenCTM().a))"""


def bottom(box: dict) -> float:
    return box["y"] + box["height"]


@browser
def test_a_wide_window_shows_the_map_large_and_the_view_below(chromium, themed) -> None:
    viewport = {"width": 1600, "height": 1000}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        for name in "Decoder", "Larger decoder", "Encoder":
            family(keys, name)
            page.evaluate("scrollTo(0, 0)")
            view = keys.figure.locator(".live-map.wide")
            assert view.bounding_box()["width"] >= 900
            assert view.evaluate(SMALLEST) >= 12
            assert bottom(view.bounding_box()) <= panel(keys).bounding_box()["y"] + 2
            assert bottom(panel(keys).bounding_box()) <= 950  # Explore has a line above it


@browser
@pytest.mark.parametrize("width", [1280, 1920, 2560])
def test_the_map_takes_the_room_of_a_hidden_sidebar(chromium, themed, width: int) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        view = keys.figure.locator(".live-map.wide")
        letters = view.evaluate(SMALLEST)
        page.locator(".primary-toggle").first.click()
        page.locator(".bd-sidebar-primary.pst-sidebar-hidden").wait_for(state="attached")
        page.wait_for_function("Math.abs(document.querySelector('.bd-main').offsetLeft) < 1")
        large = min(width - 130, 1696)
        assert large <= view.bounding_box()["width"] <= 1700
        assert panel(keys).bounding_box()["width"] >= large  # what is below is as wide
        assert view.evaluate(SMALLEST) > 1.1 * letters
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@browser
def test_the_translators_numbers_are_in_sight_and_nothing_moves(chromium, themed) -> None:
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        family(keys, "Translator")
        page.evaluate("scrollTo(0, 0)")
        assert bottom(panel(keys).get_by_text("end", exact=True).bounding_box()) <= 850
        button = keys.figure.get_by_role("button", name="Write the next word", exact=True)
        map_ = keys.figure.locator(".live-map.wide")
        before = button.bounding_box(), map_.bounding_box(), panel(keys).bounding_box()["y"]
        keys.figure.get_by_role("button", name="Let it run").press("Enter")
        button = keys.figure.get_by_role("button", name="Begin again", exact=True)
        page.evaluate("scrollTo(0, 0)")
        after = button.bounding_box(), map_.bounding_box(), panel(keys).bounding_box()["y"]
        assert after == before


#: The words below the map at each stage, and at an attention of each token, if it is not to be
#: hidden: how high they are, and what they say.
CAPTIONS = """(each) => {
  const [stage] = document.querySelectorAll(".map-bench select"), found = [];
  const token = document.querySelector(".map-bench input[type=range]");
  const tells = document.querySelector(".map-tells");
  const set = (control, value, kind) => {
    control.value = value;
    control.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const keep = (value) => found.push([tells.offsetHeight, `${value}: ${tells.textContent}`]);
  for (const { value } of stage.options) {
    set(stage, value, "change");
    keep(value);
    for (let n = 1; each && value.includes(".self.") && n <= Number(token.max); n += 1) {
      set(token, n, "input");
      keep(value);
    }
  }
  return found;
}"""


@browser
def test_no_words_below_the_map_move_the_panel(chromium, themed) -> None:
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        for name in [key for one in DATA["reads"].values() for key in one]:
            family(keys, name)
            found = page.evaluate(CAPTIONS, "decoder" in name)
            least = min(height for height, _ in found)
            longer = [said for height, said in found if height > least]
            assert len(found) > 4 and not longer, (name, longer)


@browser
def test_what_is_unfolded_or_off_leaves_the_panels_heading_in_sight(chromium, themed) -> None:
    viewport = {"width": 1280, "height": 800}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")  # with More open
        page.evaluate("scrollTo(0, 0)")
        above = keys.figure.locator(".live-map.wide")
        top = panel(keys).bounding_box()["y"]
        keys.figure.get_by_label("Causal mask").uncheck()
        page.evaluate("scrollTo(0, 0)")
        assert top < panel(keys).bounding_box()["y"] < 720, above.bounding_box()


#: The pairs of texts of the card of the key at work that lie upon each other.
TOUCHING = """row => {
    const all = [...row.querySelectorAll("g[transform] text")].map((one) =>
        [one.getBoundingClientRect(), one.textContent]).filter(([box]) => box.width);
    return all.flatMap(([a, one], n) => all.slice(n + 1)
        .filter(([b]) => a.left < b.right && b.left < a.right
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.4 * a.height)
        .map(([, other]) => `${one} | ${other}`));
}"""


@browser
@pytest.mark.parametrize("width", [390, 1280])
def test_of_a_masked_key_no_words_lie_upon_others(chromium, page_file, width: int) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        for name in "Decoder", "Larger decoder":
            family(keys, name)
            bench(keys)
            keys.figure.get_by_label("Token", exact=True).fill("2")
            for n in range(4):
                panel(keys).locator(".place").nth(n).focus()
                shown = panel(keys).text_content()
                assert ("masked: score −∞" in shown) == (n > 1)
                assert panel(keys).evaluate(TOUCHING) == []


@browser
def test_a_tour_does_not_cover_what_it_speaks_of(chromium, themed) -> None:
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        keys.figure.get_by_role("button", name="Show me around").press("Enter")
        for stop in stops(keys, "decoder"):
            if "off" in stop.get("uses", []):
                keys.figure.get_by_label("Switch off").select_option("0.1")
                card = bottom(keys.figure.locator(".map-tour").bounding_box())
                assert keys.figure.locator(".live-story").bounding_box()["y"] >= card
                bars = keys.figure.locator(".live-map.wide").get_by_text(" others").first
                assert bottom(bars.bounding_box()) <= 900
                return


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder"])
def test_on_a_telephone_a_tour_shows_curves_and_bars(chromium, themed, name: str) -> None:
    viewport = {"width": 390, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        family(keys, name)
        keys.figure.get_by_role("button", name="Show me around").press("Enter")
        map_ = keys.figure.locator(".live-map.tall")
        for stop in stops(keys, "decoder"):
            card = bottom(keys.figure.locator(".map-tour").bounding_box())
            if "head" in stop.get("uses", []):
                shown = map_.locator(".mark.open").bounding_box()
                assert shown["y"] >= card and bottom(shown) <= 844
            if "off" in stop.get("uses", []):
                assert map_.get_by_text("Next token").bounding_box()["y"] >= card
                assert bottom(map_.get_by_text(" others").first.bounding_box()) <= 844


@browser
@pytest.mark.parametrize("width", [390, 1280])
def test_names_of_a_long_text_do_not_touch(chromium, page_file, width: int) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        map_ = keys.figure.locator(".live-map").filter(visible=True)
        left = map_.bounding_box()["x"]
        names = map_.locator("text.end.mono")
        assert min(one.bounding_box()["x"] for one in names.all()) >= left - 0.5  # none is cut
        text = "A man in a red shirt is riding a bike down the street"
        keys.figure.get_by_label("Your text").fill(text)
        rows = """all => all.map((one) => one.y.baseVal[0].value)"""
        rows = names.evaluate_all(rows)[: DATA["most"]]
        assert len(rows) == DATA["most"]
        assert min(b - a for a, b in zip(rows, rows[1:], strict=False)) >= 15


@browser
@pytest.mark.parametrize("width", [390, 1280])
def test_next_keeps_its_place_from_stop_to_stop(chromium, themed, width: int) -> None:
    viewport = {"width": width, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        for name in "Decoder", "Encoder", "Translator":
            family(keys, name)
            keys.figure.get_by_role("button", name="Show me around").press("Enter")
            onward = page.locator(".map-tour > .live-buttons > button").nth(1)
            places = []
            for _ in stops(keys, name.lower()):
                box = onward.bounding_box()
                places.append((box["x"], box["width"], round(box["y"])))
            assert len(set(places)) == 1, (name, places)


def test_a_step_that_speaks_of_a_head_opens_an_attention() -> None:
    for tour in DATA["tours"].values():
        for stop in tour:
            if "take out a head" in stop["said"]:
                assert stop["open"] == "0.self.{last}"


@browser
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_on_a_telephone_a_tap_brings_the_view_into_sight(chromium, themed, motion: str) -> None:
    settings = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with offline(chromium, reduced_motion=motion, **settings) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        page.evaluate("scrollTo(0, 0)")
        stages, heading = keys.figure.locator(".live-map.tall .place"), panel(keys)
        for n in 2, 1:  # a feed-forward network, and an attention
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
            assert heading.bounding_box()["y"] > 700
            stages.nth(n).tap()
            page.wait_for_timeout(1000)
            top = heading.bounding_box()["y"]
            assert 56 <= top <= 500
            assert bottom(heading.bounding_box()) <= 844 or top <= 80
        # The mouse scrolls nothing, nor does a bar, which writes its token, nor a tap in a tour.
        scrolled = "() => Math.round(scrollY)"
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        box = stages.nth(2).bounding_box()
        page.mouse.click(box["x"] + 3, box["y"] + 3)
        page.wait_for_timeout(500)
        assert page.evaluate(scrolled) == 0
        stages.last.scroll_into_view_if_needed()
        text, before = written(keys), page.evaluate(scrolled)
        stages.last.tap()
        page.wait_for_timeout(500)
        assert written(keys) != text and page.evaluate(scrolled) == before
        keys.figure.get_by_role("button", name="Show me around").press("Enter")
        stages.nth(2).scroll_into_view_if_needed()
        before = page.evaluate(scrolled)
        stages.nth(2).tap()
        page.wait_for_timeout(500)
        assert page.evaluate(scrolled) == before
        assert not page.faults
