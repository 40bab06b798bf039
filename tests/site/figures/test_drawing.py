"""A vision transformer reads what the reader draws."""

from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Finger, Keys, browser, numbers
from live_site import computed, offline, stored_model

from coursebook.live import maker
from coursebook.live.catalogue import FIGURES
from tfcourse.data.arrows import distance, ink
from tfcourse.models.vit import patchify


@browser
def test_the_scripts_ink_is_the_corpus_own(loaded) -> None:
    """A line on the canvas has the darkness of the corpus' strokes; what is rubbed out is gone."""
    at = torch.arange(28).double()
    for x, y, to_x, to_y in ((3, 4, 20, 9), (14.5, 2.25, 14.5, 26), (6, 6, 6, 6)):
        found = computed(
            loaded,
            """([from, to]) => {
                const model = Live.vit(Live.data.drawing), drawn = model.blank();
                model.stroke(drawn, from, to);
                const gone = drawn.map((row) => [...row]);
                model.stroke(gone, from, to, true);
                return [drawn, gone];
            }""",
            [[x, y], [to_x, to_y]],
        )
        expected = ink(distance(x, y, to_x, to_y, at[None, :], at[:, None])).int()
        assert (torch.tensor(found[0]) - expected).abs().max() <= 1  # a half may round either way
        assert torch.tensor(found[1]).max() <= 128


def read_canvas(page, name: str = "drawing") -> torch.Tensor:
    """The pixels of the canvas, from the squares of ink in the picture."""
    marks = page.locator(f"#figure-{name} svg.live-picture").first.locator("rect.ink")
    dot, pixels = 268 / 28, torch.zeros(28, 28)
    for x, y, share in marks.evaluate_all(
        "all => all.map(one => ['x', 'y', 'fill-opacity'].map(n => +one.getAttribute(n)))"
    ):
        pixels[round((y - 28) / dot), round((x - 46) / dot)] = share * 255
    return pixels


@browser
def test_drawing_by_keyboard(shown, course: Path) -> None:
    module, stored = maker("arrow"), stored_model(course, "drawing")
    model, keys = module.load(stored), Keys(shown, "drawing")
    images, labels, _ = module.images_of("drawing", "test", module.TESTED, seed=0)
    hint = keys.figure.inner_text()
    assert f"was right on {100 * stored['tested']['right']:.0f} % of 2,000 new ones" in hint
    assert f"was right on {100 * stored['tested']['stamped']:.0f} % of them" in hint

    def agrees(pixels, mask=None) -> None:
        """The bars are the package's probabilities of these pixels."""
        with torch.no_grad():
            x = module.scaled(stored, pixels.view(1, 1, 28, 28))
            if mask is None:
                shares = model(x).logits[0].softmax(-1)
            else:
                tokens = patchify(x, 7) @ model.W_P + model.b_P
                h = model.positions.embed(torch.cat([model.c.expand(1, 1, -1), tokens], dim=1))
                for block in model.blocks:
                    h, _ = block(h, mask)
                shares = (model.norm(h[:, 0]) @ model.W + model.b)[0].softmax(-1)
        assert numbers(keys.drawn(1)) == pytest.approx(shares.tolist(), abs=0.0005 + NEAR)
        assert f"says {stored['letters'][shares.argmax()]} with probability" in keys.said

    first = FIGURES["drawing"].data["first"]
    agrees(images[first])
    assert f"The arrow points at {stored['letters'][labels[first]]}." in keys.said
    keys.reach("Next example", "button")
    keys.press("Enter")
    agrees(images[first + 1])
    keys.reach("Next example", "button")
    keys.press("Shift+Tab", "Enter")  # Clear
    agrees(torch.zeros(28, 28))
    assert "Nothing is drawn" in keys.drawn() and "The arrow points" not in keys.said
    # An L in the top left corner: two lines from point to point.
    lines, at = torch.zeros(28, 28), torch.arange(28).double()
    places = [(1, 1), (1, 7), (6, 7)]
    for number, (across, down) in enumerate(places):
        keys = Keys(shown, "drawing")
        for label, value in (("Pen across", across), ("Pen down", down)):
            keys.reach(label)
            keys.press("Home", *["ArrowRight"] * value)
        if number == 0:
            keys.reach("Start a line at the pen", "button")
        else:
            keys.reach("Draw the line to the pen", "button")
            (x, y), (to_x, to_y) = places[number - 1], (across, down)
            stroke = ink(distance(x, y, to_x, to_y, at[None, :], at[:, None]))
            lines = torch.maximum(lines, stroke.float())
        keys.press("Enter")
        agrees(lines)
    # Of what is drawn in the first patch, nobody may know.
    keys.reach("Leave out the patch under the pen", "button")
    keys.press("Enter")
    mask = torch.ones(1, 1, 17, dtype=torch.bool)
    place = (7 // 7) * 4 + 6 // 7
    mask[..., 1 + place] = False
    agrees(lines, mask)
    assert "Left out: row 2, column 1." in keys.drawn()
    keys.reach("Put back the patch under the pen", "button")
    keys.press("Enter")
    agrees(lines)
    keys.reach("Undo", "button")
    keys.press("Enter")
    assert "row 1, column 1: " in keys.drawn()


@browser
@pytest.mark.parametrize("touch", [False, True])
def test_drawing_by_mouse_and_by_finger(chromium, page_file: Path, touch: bool) -> None:
    with offline(chromium, viewport={"width": 390, "height": 844}, has_touch=touch) as page:
        page.goto(page_file.as_uri())
        keys = Keys(page, "drawing")
        keys.figure.get_by_role("button", name="Clear").click()
        picture = keys.figure.locator("svg.live-picture").first
        picture.scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        box = picture.bounding_box()
        unit = box["width"] / 360
        points = [(box["x"] + (46 + x * 268 / 28) * unit, box["y"] + (28 + y * 268 / 28) * unit)
                  for x, y in ((3, 3), (3, 12), (3, 20), (12, 20))]  # fmt: skip
        if touch:
            Finger(page).along(*points)
        else:
            page.mouse.move(*points[0])
            page.mouse.down()
            for point in points[1:]:
                page.mouse.move(*point, steps=5)
            page.mouse.up()
        assert page.evaluate("scrollY") == before
        drawn = read_canvas(page)
        at = torch.arange(28).double()
        wanted = torch.zeros(28, 28)
        for a, b in (((2.5, 2.5), (2.5, 19.5)), ((2.5, 19.5), (11.5, 19.5))):
            stroke = ink(distance(*a, *b, at[None, :], at[:, None]))
            wanted = torch.maximum(wanted, stroke.float())
        assert (drawn - wanted).abs().max() < 40  # a hand's pixels are whole on the screen
        keys.figure.get_by_label("Mouse or finger", exact=True).select_option("leave")
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        middle_ = (box["x"] + (46 + 100) * unit, box["y"] + (28 + 30) * unit)
        (page.touchscreen.tap if touch else page.mouse.click)(*middle_)
        assert "Left out: row 1, column 2." in keys.drawn()
        keys.figure.get_by_label("Mouse or finger", exact=True).select_option("draw")
        keys.figure.get_by_role("button", name="Undo").click()
        assert read_canvas(page).max() == 0
        assert not page.faults
