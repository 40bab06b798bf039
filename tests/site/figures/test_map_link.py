"""The map of a whole model: a link to what is shown, and the page that such a link opens."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from figure_pages import Keys, browser, typed
from live_site import offline, own_page

from .test_map import DATA, bench, family, unfold, written

COPIED = "one => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"
REFUSED = "one => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }"


@pytest.fixture
def still(chromium, page_file):
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = page_file.parent
        yield page
        assert not page.faults


def link(keys: Keys) -> str:
    keys.figure.evaluate(COPIED)
    keys.figure.get_by_role("button", name="Copy link").click()
    keys.figure.get_by_role("status").get_by_text("Link copied", exact=True).wait_for()
    return keys.page.evaluate("window.copied")


def state(keys: Keys) -> dict:
    """All that is shown: the text, the numbers, the open tensor, and the controls."""
    figure = keys.figure
    shown = {
        "written": written(keys),
        "map": keys.drawn(),
        "tensor": figure.locator(".map-tensor").get_attribute("aria-label"),
        "pressed": figure.locator("[aria-pressed=true]").inner_text(),
        "off": figure.locator(".map-off").inner_text(),
        "rows": figure.locator(".map-rows svg.wide:not([hidden])").get_attribute("aria-label"),
    }
    for label in "Your text", "Head", "Open", "Token", "Hidden word", "Temperature", "Into":
        control = figure.get_by_label(label, exact=True)
        shown[label] = control.input_value() if control.count() else None
    return shown


def opened(page, address: str) -> Keys:
    page.goto("about:blank")
    page.goto(address)
    keys = Keys(page, "map")
    keys.figure.get_by_text("being loaded").wait_for(state="detached")
    return keys


def set_decoder(keys: Keys) -> None:
    typed(keys, "A man & a dog + 100% ü", "Your text")
    keys.figure.get_by_role("button", name="Write the next token").click()
    keys.figure.get_by_label("Temperature").fill("0.35")
    unfold(keys)
    keys.figure.get_by_label("Causal mask").uncheck()
    keys.figure.get_by_label("Positions").uncheck()
    keys.figure.get_by_label("Switch off").select_option("1.2")
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option("0.self.1")
    keys.figure.get_by_label("Token", exact=True).fill("2")
    keys.figure.get_by_label("Head", exact=True).select_option("3")


def set_encoder(keys: Keys) -> None:
    typed(keys, "he sang a low note for me", "Your text")
    keys.figure.get_by_role("slider", name="Hidden word").fill("2")
    unfold(keys)
    keys.figure.get_by_label("Causal mask").check()
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option("0.ffn.0")


def set_translator(keys: Keys) -> None:
    keys.figure.get_by_label("Into").select_option("français")
    typed(keys, "twenty-one", "Your text")
    for _ in range(2):
        keys.figure.get_by_role("button", name="Write the next word").click()
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option("0.self.0")
    keys.figure.get_by_label("Head", exact=True).select_option("2")


@browser
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("Decoder", set_decoder),
        ("Larger decoder", set_decoder),
        ("Encoder", set_encoder),
        ("Translator", set_translator),
    ],
)
def test_a_link_shows_what_was_shown(still, name: str, change) -> None:
    keys = Keys(still, "map")
    family(keys, name)
    first = state(keys)
    change(keys)
    before, address = state(keys), link(keys)
    assert before != first
    assert urlsplit(still.url).query == ""  # the page's own address stays
    assert address.startswith(own_page(still.folder, "map").as_uri() + "?model=")
    assert state(opened(still, address)) == before


@browser
def test_what_a_link_asks_for_and_the_model_does_not_have_is_ignored(still) -> None:
    plain = state(Keys(still, "map"))
    page = own_page(still.folder, "map").as_uri()
    wrong = {
        "open": "7.self.9", "row": "0.400", "head": "99", "temperature": "hot", "off": "9.9",
        "text": " ", "mask": "maybe", "positions": "0", "written": "1-x", "hidden": "-1",
    }  # fmt: skip
    for model in "decoder", "toString", "":
        assert state(opened(still, f"{page}?{urlencode({'model': model, **wrong})}")) == plain
    assert state(opened(still, f"{page}?model=decoder&text=%E0%A4%A&open=%&row=&head=")) != {}
    keys = opened(still, f"{page}?{urlencode({'model': 'encoder', **wrong, 'hidden': '500'})}")
    assert keys.figure.get_by_label("Your text").input_value() == DATA["texts"]["encoder"]
    long = opened(still, f"{page}?{urlencode({'model': 'decoder', 'text': 'a dog ' * 900})}")
    assert len(long.figure.get_by_label("Your text").input_value()) == 2000


@browser
def test_where_copying_is_refused_the_address_stands_selected_in_a_field(still) -> None:
    keys = Keys(still, "map")
    keys.figure.evaluate(REFUSED)
    keys.reach("Copy link", "button")
    keys.press("Enter")
    field = keys.figure.get_by_label("Link to what is shown")
    field.wait_for()
    query = parse_qs(urlsplit(field.input_value()).query)
    assert query["model"] == ["decoder"] and query["text"] == [DATA["texts"]["decoder"]]
    chosen = "one => one === document.activeElement && one.selectionEnd === one.value.length"
    assert field.evaluate(chosen) and field.evaluate("one => one.selectionStart") == 0
    still.set_viewport_size({"width": 390, "height": 844})
    assert field.bounding_box()["width"] >= 120
    assert still.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keys.press("Tab")
    assert not field.is_visible()
