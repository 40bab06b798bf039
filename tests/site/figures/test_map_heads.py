"""All heads of an attention stand beside the choice of one, as small pictures."""

import re

import pytest
import torch
from figure_pages import Keys, browser
from live_site import offline, own_page

from .test_inside import opened
from .test_map import DATA, family

#: Where the cells of one picture lie, row by row, and how dark they are.
CELLS = """all => all.map(({ attributes: a }) =>
    [a.y.value, a.x.value, a["fill-opacity"].value].map(Number))"""


@browser
def test_a_head_can_be_pressed_and_its_picture_has_its_weights(shown, captioner) -> None:
    model, tokenizer = captioner
    ids = tokenizer.encode(DATA["texts"]["decoder"])
    each = opened(model, torch.tensor([ids]), True, True, "")["blocks"]
    keys = Keys(shown, "map")
    keys.press("Shift")
    family(keys, "Decoder")
    choice = keys.figure.get_by_label("Head", exact=True)
    heads = keys.figure.locator(".map-heads button")
    assert heads.count() == choice.locator("option").count() == len(each[0]["maps"])
    heads.nth(2).click()
    assert choice.input_value() == "2"
    chosen = "all => all.map((one) => one.classList.contains('chosen'))"
    assert [n for n, so in enumerate(heads.evaluate_all(chosen)) if so] == [2]
    assert "head 3" in keys.figure.locator(".map-row.wide").first.get_attribute("aria-label")
    told = keys.figure.locator(".live-map.wide text").all_text_contents()
    assert told.count(f"self-attention, head 3 of {heads.count()}") == len(each)
    drawn = heads.nth(2).locator("rect.cell").evaluate_all(CELLS)
    weights = each[0]["maps"][2].flatten().tolist()
    assert [one for *_, one in sorted(drawn)] == pytest.approx(
        [one for one in weights if one >= 0.005], abs=1e-4
    )


@browser
@pytest.mark.parametrize("stage", ["Each token becomes", "Self-attention", "Feed-forward"])
def test_a_press_on_a_head_ends_the_opening_and_shows_that_head(
    chromium, page_file, stage: str
) -> None:
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        page.locator("#figure-map.is-live").wait_for()
        page.locator(".map-tells").filter(has_text=re.compile(f"^{stage}[^.]*\\.$")).wait_for()
        head = page.locator(".map-heads button").nth(3)
        box = head.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.wait_for_timeout(
            50
        )  # a hand takes its time: what is drawn anew must not lose the press
        page.mouse.up()
        assert "chosen" in head.get_attribute("class")
        shown = page.locator(".map-rows .map-row").filter(visible=True).get_attribute("aria-label")
        assert shown.startswith("Block 1, head 4: ")
        assert not page.get_by_role("button", name="Stop").count()
