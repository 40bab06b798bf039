"""What the map's marks mean: what is off, what is open, what flows; and what pointing leads to."""

import re

import pytest
from figure_pages import MORE, Keys, browser
from live_site import offline, own_page

from .test_map import family, unfold, written
from .test_map_views import choose, panel, said

WAVE = "document.querySelectorAll('#figure-map .moving circle').length"
#: In each frame that is drawn: whether no view is whole, with its writing and not clipped.
LOOK = """() => {
  window.empty = []; window.frames_ = 0;
  const look = () => {
    const all = [...document.querySelectorAll(".map-rows > svg")]
      .filter((one) => one.getClientRects().length);
    const whole = all.filter((one) => {
      const { clipPath, opacity } = getComputedStyle(one);
      return one.querySelectorAll("text").length > 5 && clipPath === "none" && opacity === "1";
    });
    window.frames_ += 1;
    if (!whole.length) window.empty.push(window.frames_);
    requestAnimationFrame(look);
  };
  look();
}"""

#: The view that is open, and where the frame is.
STATE = """() => {
  const row = [...document.querySelectorAll(".map-row.wide")]
    .find((one) => !one.hasAttribute("hidden"));
  const frame = document.querySelector(".live-map.wide .mark.open");
  return `${row.getAttribute("aria-label").match(/^[^:“]*/)[0]}|${frame.getAttribute("x")}`;
}"""
#: What was seen of a state, and of the wave, until something holds.
UNTIL = """([state, enough]) => new Promise((done) => {
  const seen = new Set(), waves = new Set(), now = eval(state), until = eval(`(() => ${enough})`);
  const look = () => {
    seen.add(now());
    waves.add(document.querySelector(".live-map.wide .sweep")?.getAttribute("x"));
    if (until()) done([...seen]); else requestAnimationFrame(look);
  };
  look();
})"""


def switch_off(keys: Keys, part: str) -> None:
    if not keys.figure.get_by_label("Switch off").is_visible():
        unfold(keys)
    keys.figure.get_by_label("Switch off").select_option(part)


def arcs(keys: Keys, kind: str) -> list[float]:
    """How thick the map's curves of this kind are."""
    return keys.figure.locator(f".live-map.wide path.arc.{kind}").evaluate_all(
        "all => all.map(one => Number(one.getAttribute('stroke-width')))"
    )


@browser
@pytest.mark.parametrize(
    ("name", "part", "stage", "kind", "chip"),
    [
        ("Decoder", "1.1", "0.self.1", "q", "block 2, head 2"),
        ("Decoder", "0.ffn", "0.ffn.0", "two", "block 1, feed-forward"),
        ("Larger decoder", "2.1", "0.self.2", "q", "block 3, head 2"),
        ("Encoder", "0.1", "0.self.0", "q", "block 1, head 2"),
        ("Translator", "decoder.1.cross.1", "1.cross.1", "k", "cross, block 2, head 2"),
        ("Translator", "encoder.0.ffn", "0.ffn.0", "two", "encoder, block 1, feed-forward"),
    ],
)
def test_what_is_off_is_drawn_and_named_as_off(shown, name, part, stage, kind, chip) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    choose(keys, stage)
    before, tells = len(arcs(keys, kind)), keys.figure.locator(".map-tells")
    assert not arcs(keys, "off") and not keys.figure.locator(".map-off button").count()
    switch_off(keys, part)
    grey = arcs(keys, "off")
    assert grey and max(grey) < 1.5 and len(arcs(keys, kind)) < before
    style = keys.figure.locator(".live-map.wide path.arc.off").first.evaluate(
        "one => [getComputedStyle(one).stroke, getComputedStyle(one).strokeDasharray]"
    )
    rgb = [int(one) for one in re.findall(r"\d+", style[0])]
    assert max(rgb) - min(rgb) < 20 and style[1] != "none"
    assert " is off" in panel(keys).locator("text.name").text_content()
    assert " is off" in said(keys).split(":")[0]
    assert "is switched off, and adds nothing" in tells.inner_text()
    assert "attends most" not in tells.inner_text() and "looks most" not in tells.inner_text()
    assert "(off)" in keys.figure.locator(".map-tensor").get_attribute("aria-label")
    # Its name stays, after a tour too, until it is pressed.
    keys.figure.get_by_role("button", name="Show me around").press("Enter")
    keys.press("Escape")
    named = keys.figure.locator(".map-off button")
    assert named.all_inner_texts() == [f"{chip} is off ×"] and named.is_visible()
    named.press("Enter")
    assert not named.count() and not arcs(keys, "off")
    assert keys.figure.get_by_label("Switch off").input_value() == ""
    assert "everything on" not in keys.figure.locator(".map-guess").inner_text()
    assert shown.evaluate("document.activeElement !== document.body")


@browser
def test_without_positions_and_mask_the_map_says_so(shown) -> None:
    keys = Keys(shown, "map")
    unfold(keys)
    choose(keys, "0.embed.")
    keys.figure.get_by_role("checkbox", name="Positions").uncheck()
    keys.figure.get_by_label("Causal mask").uncheck()
    named = keys.figure.locator(".map-off button")
    assert named.all_inner_texts() == ["causal mask is off ×", "positions are off ×"]
    assert keys.figure.locator(".live-map.wide").get_by_text("position off").count()
    assert ", positions off: " in said(keys)
    assert "Positions are switched off" in keys.figure.locator(".map-tells").inner_text()
    named.first.click()
    named.first.click()
    assert not named.count() and keys.figure.get_by_label("Causal mask").is_checked()
    assert keys.figure.get_by_role("checkbox", name="Positions").is_checked()


@browser
def test_no_frame_is_empty_as_the_stage_changes(chromium, page_file) -> None:
    with offline(chromium) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        keys.reach("Your text")
        page.evaluate(LOOK)
        for stage in "0.ffn.0", "0.norm.", "0.self.1", "0.scores.", "0.embed.":
            choose(keys, stage)
            page.wait_for_timeout(120)
        area = keys.figure.locator(".live-map.wide").bounding_box()
        for share in 0.13, 0.25, 0.4, 0.5, 0.7, 0.95:
            page.mouse.move(area["x"] + share * area["width"], area["y"] + area["height"] * 0.4)
            page.wait_for_timeout(60)
        assert page.evaluate("window.frames_") > 10
        assert page.evaluate("window.empty") == []
        page.wait_for_timeout(500)
        assert not page.locator(".map-leaving").count() and not page.faults


@browser
def test_the_frame_stays_with_what_is_open_as_a_pass_runs(chromium, page_file) -> None:
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        page.locator("#figure-map.is-live").wait_for()
        # In the opening pass the frame goes from stage to stage, and the view below stays.
        pairs = page.evaluate(UNTIL, [STATE, "seen.size > 3"])
        assert {one.split("|")[0] for one in pairs} == {"Block 1, head 2"}, pairs
        page.get_by_role("button", name="Stop").click()
        page.evaluate(MORE)
        page.get_by_role("button", name="Let it run").click()
        page.wait_for_function(f"{WAVE} > 0")
        seen = page.evaluate(UNTIL, [STATE, "waves.size > 24"])
        assert len(seen) == 1, seen
        assert not page.faults


@browser
@pytest.mark.parametrize("name", ["Decoder", "Translator"])
def test_the_tab_key_leaves_the_map_without_losing_the_focus(shown, name: str) -> None:
    keys = Keys(shown, "map")
    keys.reach("Your text")
    family(keys, name)
    places = keys.figure.locator(".live-map.wide .place")
    places.first.focus()
    view = said(keys)
    assert view.startswith("Embedding of")
    keys.press("Tab")
    assert said(keys) == view
    inside = "document.activeElement.closest('#figure-map') !== null"
    assert shown.evaluate(inside)
    keys.press("Shift+Tab")
    assert places.first.evaluate("one => one === document.activeElement") and said(keys) == view


@browser
@pytest.mark.parametrize("name", ["Decoder", "Encoder", "Translator"])
def test_pressing_keeps_what_pointing_shows(shown, name: str) -> None:
    keys = Keys(shown, "map")
    keys.reach("Your text")
    family(keys, name)
    keys.press("Shift")
    wide, token = (
        keys.figure.locator(".live-map.wide"),
        keys.figure.get_by_label("Token", exact=True),
    )

    def state() -> tuple:
        chosen = wide.locator("text.mono.strong.q").all_text_contents()
        frame = wide.locator(".mark.open")
        return chosen, said(keys), frame.get_attribute("x"), frame.get_attribute("y")

    # A place in each column, in the first row.
    row = wide.locator("text.mono").first.bounding_box()
    y, blocks = row["y"] + row["height"] / 2, wide.locator("rect.map-block:not(.norm)")
    first = blocks.first.bounding_box()
    for x in first["x"] - 6, first["x"] + 20, first["x"] + first["width"] - 12:
        shown.mouse.move(x, y)
        pointed = state()
        shown.mouse.click(x, y)
        assert state() == pointed
        shown.mouse.move(0, 0)
        assert state() == pointed, x
    # A token's name.
    names = wide.locator("text.mono").nth(1).bounding_box()
    before = state()
    shown.mouse.move(names["x"] + names["width"] / 2, names["y"] + names["height"] / 2)
    pointed = state()
    assert pointed[:2] != before[:2]
    if name == "Encoder":  # there pressing hides the word
        tells = keys.figure.locator(".map-tells").inner_text()
        assert "Press to hide “" in tells
        return
    shown.mouse.down()
    shown.mouse.up()
    shown.mouse.move(0, 0)
    assert state() == pointed and token.get_attribute("aria-valuetext") in pointed[0][0]


@browser
def test_who_points_at_a_stage_can_go_down_to_its_view(shown) -> None:
    """Other stages are crossed on the way, at the speed of a hand, and the view stays."""
    keys = Keys(shown, "map")
    keys.reach("Your text")
    choice = keys.figure.get_by_label("Open", exact=True)
    stages = keys.figure.locator(".live-map").filter(visible=True).locator(".place")
    box, view = stages.nth(2).bounding_box(), keys.figure.locator(".map-rows").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    assert choice.input_value() == "0.self.0"
    shown.mouse.move(x, y)
    assert choice.input_value() == "0.ffn.0"
    goal = view["x"] + 0.85 * view["width"], view["y"] + view["height"] / 2
    for step in range(1, 41):
        shown.mouse.move(x + (goal[0] - x) * step / 40, y + (goal[1] - y) * step / 40)
    shown.wait_for_timeout(300)
    assert choice.input_value() == "0.ffn.0"


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder", "Encoder", "Translator"])
def test_enter_in_the_line_of_text_writes_nothing(shown, name: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    field = keys.figure.get_by_label("Your text")
    text = "he ate a ___ on the note" if name == "Encoder" else field.input_value()
    field.fill(text)
    before = written(keys)
    for _ in range(2):
        field.press("Enter")
        assert field.input_value() == text and written(keys) == before
    # The button writes.
    keys.figure.get_by_role("button", name=re.compile("^(Write|Fill in)")).press("Enter")
    assert written(keys) != before and (name == "Translator" or field.input_value() != text)
