"""The map as a newcomer meets it: one place at a time, and what is said of what is seen."""

import re

import pytest
import torch
from figure_pages import Keys, browser, typed
from live_site import offline, own_page

from .test_inside import opened
from .test_map import DATA, SHOWN, bench, family, stops, written
from .test_map_views import panel

#: In each frame of the opening pass: where the wave and the frame are, what is said of the stage,
#: and what is drawn in the panel below.
PLACES = """() => new Promise((done) => {
  const seen = [], panels = new Set(), map = document.querySelector(".live-map.wide");
  const covers = (row) => {
    const note = [...row.querySelectorAll("text")].find((one) => /^length/.test(one.textContent));
    const heads = document.querySelector(".map-heads").getBoundingClientRect();
    return note && heads.bottom > note.getBoundingClientRect().top + 2;
  };
  const number = (element, name) => parseFloat(element.getAttribute(name));
  const look = () => {
    const wave = map.querySelector(".sweep"), open = map.querySelector(".mark.open");
    if (!wave && seen.length) { done(seen); return; }
    if (wave) {
      const x = number(wave, "x") + number(wave, "width") / 2, drawn = getComputedStyle(open);
      const row = document.querySelector(".map-row.wide:not([hidden])");
      panels.add(document.querySelector(".map-rows").innerHTML);
      seen.push({ x, from: parseFloat(drawn.x), wide: parseFloat(drawn.width),
        stage: open.getAttribute("x"), panel: panels.size,
        told: document.querySelector(".map-tells").textContent,
        said: row.getAttribute("aria-label").match(/^[^:“]*/)[0],
        leaving: document.querySelectorAll(".map-leaving").length, covers: covers(row) });
    }
    requestAnimationFrame(look);
  };
  look();
})"""
TOLD = ("Each token becomes", "Self-attention", "Feed-forward", "Self-attention", "Feed-forward",
        "The last vector", "Each token that")  # fmt: skip


@browser
def test_the_opening_pass_moves_the_map_only_and_at_one_place_at_a_time(
    chromium, page_file
) -> None:
    """The frame as it is drawn, the dots and the words, in each frame; the panel stays."""
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        page.locator("#figure-map.is-live").wait_for()
        seen = page.evaluate(PLACES)
        stages = list(dict.fromkeys(one["stage"] for one in seen))
        assert len(stages) == 7 and len(seen) > 50
        assert {one["panel"] for one in seen} == {1}
        assert seen[0]["said"] == f"Block 1, head {DATA['head'] + 1}"
        for one in seen:
            # The bars' frame stands beside the curves that lead there.
            if one["stage"] != stages[-1]:
                assert one["from"] - 4 <= one["x"] <= one["from"] + one["wide"] + 4, one
            assert one["told"].startswith(TOLD[stages.index(one["stage"])]), one
            assert not one["leaving"] and not one["covers"], one
        each = [sum(one["stage"] == stage for one in seen) for stage in stages]
        assert min(each) > len(seen) / 14  # time to read the narrow ones too


@browser
def test_the_tensors_are_folded_and_the_keyboard_opens_them(chromium, page_file) -> None:
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        fold, stage = keys.figure.locator("details.map-bench"), keys.figure.get_by_label("Open")
        assert not stage.is_visible() and fold.get_attribute("open") is None
        before = keys.figure.bounding_box()["height"]
        summary = fold.locator("summary")
        for _ in range(60):
            if summary.evaluate("one => one === document.activeElement"):
                break
            keys.press("Tab")
        assert "All tensors, one by one" in keys.figure.aria_snapshot()
        keys.press("Enter")
        assert stage.is_visible() and keys.figure.bounding_box()["height"] > before + 200
        keys.press("Tab")
        keys.reach("Tensor")
        keys.press("End")
        assert "Probabilities" in fold.locator(".map-tensor").get_attribute("aria-label")
        # What an encoder is asked for is no repetition, and stays in sight.
        summary.click()
        family(keys, "Encoder")
        assert not stage.is_visible()
        assert keys.figure.get_by_label("Hidden word", exact=True).is_visible()


@browser
def test_the_row_of_switches_needs_no_details(chromium, page_file) -> None:
    """Only some browsers let the content of a <details> stand in the row of its neighbours."""
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        for label in "Temperature", "Switch off", "Causal mask":
            inside = "one => one.closest('details') === null"
            control = keys.figure.get_by_label(label)
            assert control.evaluate(inside) and control.is_visible()
        for sheet in "live.css", "picture.css":
            (file,) = page_file.parent.rglob(sheet)
            assert "details-content" not in file.read_text("utf-8")


def bottom(box: dict) -> float:
    return box["y"] + box["height"]


@browser
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_what_a_tour_speaks_of_stands_whole_below_its_words(chromium, themed, size) -> None:
    """At each stop of each model's tour, before and after its question is answered."""
    width, height = size
    viewport = {"width": width, "height": height}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map", more=False)
        map_ = keys.figure.locator(".live-map").filter(visible=True)
        heat = keys.figure.get_by_label("Temperature")
        assert not heat.is_visible()

        def seen(at: tuple) -> float:
            """What is written is seen whole or not at all; the lower edge of the tour's words."""
            card, line = (
                keys.figure.locator(name).bounding_box() for name in (".map-tour", ".live-story")
            )
            assert card["y"] >= 0 and bottom(card) < height / 2, at
            end = keys.figure.locator(".map-tour > .live-buttons button").nth(2).bounding_box()
            assert end["x"] + end["width"] <= card["x"] + card["width"], at
            assert line["y"] >= bottom(card) or bottom(line) <= bottom(card), at
            return bottom(card)

        for name in [key for one in DATA["reads"].values() for key in one]:
            family(keys, name)
            keys.figure.get_by_role("button", name="Show me around").press("Enter")
            for stop in stops(keys, name, seen):
                at = name, stop["said"]
                card = seen(at)
                headings = map_.get_by_text(re.compile("^Block")).all()
                shown = map_.locator(".mark.open").bounding_box()
                if stop.get("see") == "numbers":
                    row = panel(keys).bounding_box()
                    assert card <= row["y"], at
                    assert row["y"] + min(row["height"], 300) <= height, at
                elif width > 390 or not ("off" in stop.get("uses", []) or "scores" in stop["open"]):
                    assert min(one.bounding_box()["y"] for one in headings) >= card, at
                    assert bottom(shown) <= height, at
                else:
                    bars = map_.locator(".bar").first.bounding_box()
                    last = map_.get_by_text(" others").first.bounding_box()
                    assert card <= bars["y"] and bottom(last) <= height, at
            # Who has seen it all finds the rest of the controls unfolded.
            if name == "decoder":
                assert heat.is_visible() == (width > 390)
        assert not page.faults


@browser
def test_the_pages_button_to_its_top_does_not_lie_upon_the_map(chromium, themed) -> None:
    viewport = {"width": 390, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        Keys(page, "map")
        button = page.locator("#pst-back-to-top")
        page.evaluate("document.body.style.paddingBottom = '5000px'; scrollTo(0, 400)")
        page.wait_for_function("document.documentElement.classList.contains('on-the-map')")
        page.wait_for_timeout(200)
        page.mouse.wheel(0, -150)
        page.wait_for_timeout(300)
        assert button.count() and not button.is_visible()
        page.evaluate("scrollTo(0, 5000)")
        page.wait_for_function("!document.documentElement.classList.contains('on-the-map')")


@browser
def test_the_translators_two_stacks_begin_together_and_its_numbers_are_in_sight(
    chromium, themed
) -> None:
    with offline(
        chromium, reduced_motion="reduce", viewport={"width": 1280, "height": 800}
    ) as page:
        page.folder = themed.parent
        keys = Keys(page, "map", more=False)
        family(keys, "Translator")
        page.evaluate("scrollTo(0, 0)")
        map_ = keys.figure.locator(".live-map.wide")
        blocks = [one.bounding_box() for one in map_.locator("rect.map-block").all()]
        # Two blocks of the encoder, then two of the decoder, which reach below all of the encoder.
        assert abs(blocks[2]["x"] - blocks[0]["x"]) < 80
        assert blocks[3]["x"] + blocks[3]["width"] > blocks[1]["x"] + blocks[1]["width"] + 200
        box, boxes = map_.bounding_box(), (blocks[0], blocks[3])
        empty = (box["y"] + box["height"]) - max(map(bottom, boxes))
        assert empty < 0.4 * box["height"]
        for name in "english", "sieben", "und", "dreißig":
            assert bottom(panel(keys).get_by_text(name, exact=True).bounding_box()) <= 800, (
                name
            )  # as on Explore
        # No word moves the encoder.
        rows = map_.locator("text.mono").evaluate_all(
            "all => all.map((one) => one.y.baseVal[0].value)"
        )
        keys.figure.get_by_role("button", name="Write the next word").press("Enter")
        keys.figure.get_by_role("button", name="Write the next word").press("Enter")
        after = map_.locator("text.mono").evaluate_all(
            "all => all.map((one) => one.y.baseVal[0].value)"
        )
        assert after[:5] == rows[:5]
        # All keys of the translator of captions are in a low window, too, and its line is not cut.
        family(keys, "Caption translator")
        page.evaluate("scrollTo(0, 0)")
        each = panel(keys).locator("text.end.mono").all()
        assert len(each) == 8 and max(bottom(one.bounding_box()) for one in each) <= 800
        line = keys.figure.get_by_label("Your text")
        assert line.evaluate("one => one.scrollWidth <= one.clientWidth")


@browser
def test_the_translators_tour_says_what_the_bright_curve_is(shown) -> None:
    keys = Keys(shown, "map")
    family(keys, "Translator")
    keys.figure.get_by_role("button", name="Show me around").press("Enter")
    for stop in stops(keys, "translator"):
        said = keys.figure.locator(".map-tour p").first.inner_text()
        if "{looks}" in stop.get("asks", {}).get("tells", ""):
            row = panel(keys).get_attribute("aria-label")
            weights = re.findall(r"(\w+): score [−\d.]+, weight ([\d.]+\d)", row)
            best, weight = max(weights, key=lambda one: float(one[1]))
            # The word of the source that the next word says: no curve to the source's end.
            weight = f"{float(weight):.2f}"
            assert f"“thirty”: it takes most from “{best}”, weight {weight}, and “seven” is" in said
            assert best == "sieben"
            break
    else:
        raise AssertionError("no stop says it")


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder"])
def test_with_twelve_tokens_the_map_and_the_panel_are_on_one_screen(chromium, themed, name) -> None:
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = themed.parent
        keys = Keys(page, "map", more=False)
        family(keys, name)
        keys.figure.get_by_label("Your text").fill(
            "A man in a red shirt is riding a bike down the street"
        )
        for stage in "0.self.0", "0.ffn.1", "0.scores.":
            bench(keys)
            keys.figure.get_by_label("Open", exact=True).select_option(stage)
            page.evaluate("scrollTo(0, 0)")
            assert bottom(panel(keys).bounding_box()) <= 900, stage
        keys.figure.get_by_label("Open", exact=True).select_option("0.self.0")
        names = """all => all.map((one) => one.y.baseVal[0].value)"""
        rows = panel(keys).locator("text.end.mono").evaluate_all(names)[1:]
        assert len(rows) == DATA["most"]
        assert min(b - a for a, b in zip(rows, rows[1:], strict=False)) >= 13


@browser
@pytest.mark.parametrize("name", ["writer", "two-senses", "translator", "captions"])
def test_a_figure_of_one_picture_has_its_controls_beside_it(chromium, themed, name: str) -> None:
    with offline(chromium, viewport={"width": 1600, "height": 1000}) as page:
        page.folder = themed.parent
        keys = Keys(page, name)
        keys.figure.evaluate("one => { one.style.width = '944px'; }")  # as on Explore
        picture = keys.figure.locator(".live-panels").bounding_box()
        figure, status = (
            keys.figure.bounding_box(),
            keys.figure.locator(".live-status").bounding_box(),
        )
        assert status["x"] >= picture["x"] + picture["width"]
        assert status["y"] < bottom(picture) + 100
        assert status["x"] + status["width"] > figure["x"] + 0.9 * figure["width"]


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder"])
def test_what_would_be_written_after_each_stage_is_the_packages(
    shown, captioner, writer, name: str
) -> None:
    model, tokenizer = captioner if name == "Decoder" else writer
    keys = Keys(shown, "map")
    family(keys, name)
    text = DATA["texts"][name.lower()]
    blocks = opened(model, torch.tensor([tokenizer.encode(text)]), True, True, "")["blocks"]
    states = [one[part][0, -1] for one in blocks for part in ("between", "after")]
    found = re.findall(r"Ended here: (.+?) (\d\.\d{4})\.", keys.drawn())
    assert len(found) == len(states)
    with torch.no_grad():
        logits = [model.norm(x.float()) @ model.embedding.weight.T for x in states]
    for (said, share), scores in zip(found, logits, strict=True):
        shares = scores.double().softmax(-1)
        assert said == tokenizer.tokens[int(shares.argmax())].replace("Ġ", "␣")
        assert float(share) == pytest.approx(float(shares.max()), abs=SHOWN)
    # They stand below the vectors, and the last is the likeliest of the bars.
    texts = keys.figure.locator(".live-map.wide text").all_text_contents()
    after = texts[texts.index("guess so far") + 1 :][: len(states) + 1]
    for (said, _), one in zip(found, after[1:], strict=True):
        assert said.startswith(one.rstrip("…"))
    assert found[-1][0] in keys.figure.locator(".map-guess").inner_text()
    # The bars are of the last token; what is open would write that once more, or another.
    last = tokenizer.tokens[tokenizer.encode(text)[-1]].replace("Ġ", "␣")
    assert f"after “{last}”" in texts
    told = keys.figure.locator(".map-tells").inner_text()
    again = " again" if found[0][0] == last else ""
    assert f"Guess so far: “{found[0][0]}”{again} (" in told


@browser
def test_it_says_what_a_strip_is_and_what_to_look_for(shown) -> None:
    keys = Keys(shown, "map")
    keys.reach("Your text")
    for name, width in ("Decoder", 24), ("Larger decoder", 64):
        family(keys, name)
        said = keys.figure.locator(".map-number").inner_text()
        assert (
            f"a cell for each of its {width} numbers" in said
            and "Where query and key have one colour, the score rises" in said
        )
        drawn = "".join(panel(keys).locator("text").all_text_contents())
        assert "query q = x WQ" in drawn and "W_" not in drawn
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option("0.embed.")
    told = keys.figure.locator(".map-tells").inner_text()
    assert "Two equal tokens differ here by their position only" in told


@browser
def test_a_word_of_several_tokens_is_named_and_its_pieces_are_joined(shown, writer) -> None:
    _, tokenizer = writer
    keys = Keys(shown, "map")
    note = keys.figure.locator(".live-note").first
    joined = keys.figure.locator(".live-map.wide .joined")
    assert not joined.count() and not note.inner_text()
    typed(keys, "A Zebra", "Your text")
    assert note.inner_text().endswith(" “Zebra”, so it is cut into 5: ␣ Z e b ra")
    typed(keys, "Zebra Quokka", "Your text")
    assert "“Zebra” and “Quokka”, and may guess badly" in note.inner_text()
    family(keys, "Larger decoder")
    assert not joined.count() and not note.inner_text()  # its own text has whole words
    typed(keys, "What news, my", "Your text")
    pieces = [tokenizer.tokens[id_].replace("Ġ", "␣") for id_ in tokenizer.encode("a news")][1:]
    assert len(pieces) > 1
    assert (
        note.inner_text() == f"It knows {len(tokenizer.tokens)} pieces of words. "
        f"No token is all of “news”, so it is cut into {len(pieces)}: {' '.join(pieces)}"
    )
    assert joined.count() == 1
    rows = """all => all.map((one) => one.getBoundingClientRect())
        .map(({ y, height }) => y + height / 2)"""
    names = keys.figure.locator(".live-map.wide text.end.mono").evaluate_all(rows)
    line = joined.bounding_box()
    inside = [y for y in names[:6] if line["y"] < y < bottom(line)]
    assert len(inside) == len(pieces)
    typed(keys, "What, my", "Your text")
    assert not joined.count() and not note.inner_text()


@browser
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_written_token_goes_from_its_bar_to_its_row(chromium, page_file, motion: str) -> None:
    """And bars glide to their new place and length; not for those who asked for less motion."""
    with offline(chromium, reduced_motion=motion) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        keys.reach("Write the next token", "button")
        before = written(keys)
        keys.press("Enter")
        going = page.locator(".live-map.wide .going text")
        gliding = """() => [...document.querySelectorAll(".live-map.wide .bar")]
            .flatMap((one) => one.getAnimations({ subtree: true })).length"""
        assert going.count() == (motion != "reduce")
        if motion != "reduce":
            assert going.text_content().replace("␣", " ") == written(keys).removeprefix(before)
            going.wait_for(state="detached")
        keys.figure.get_by_label("Temperature").fill("-0.3")
        assert (page.evaluate(gliding) > 0) == (motion != "reduce")
        assert not page.faults
