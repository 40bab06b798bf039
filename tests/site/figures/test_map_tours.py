"""The map of a whole model: what parts switched off change, its tours, and drawn text."""

import re

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed
from live_site import offline, own_page

from .test_inside import opened, opened_encoder
from .test_map import DATA, ITEM, SHOWN, family, numbers, stops, unfold, written

WORDS = ["no", "one", "two", "three", "four"]


def before(keys: Keys) -> list[float]:
    """The probabilities that the whole model gives to the tokens of the bars."""
    said = keys.drawn().split(" The same ")
    return list(map(float, ITEM.findall(said[1]))) if len(said) > 1 else []


@browser
@pytest.mark.parametrize("gone", ["0.3", "1.0"])
def test_a_head_switched_off_is_compared_with_the_whole_model(shown, writer, gone: str) -> None:
    model, tokenizer = writer
    keys = Keys(shown, "map")
    family(keys, "Larger decoder")
    text = DATA["texts"]["larger decoder"]
    typed(keys, text, "Your text")
    guess = keys.figure.locator(".map-guess")
    assert not before(keys) and "everything on" not in guess.inner_text()
    unfold(keys)
    keys.figure.get_by_label("Switch off").select_option(gone)
    ids = torch.tensor([tokenizer.encode(text)])
    with torch.no_grad():
        whole = model(ids).logits[0, -1].double().softmax(-1)
    now = opened(model, ids, True, True, gone)["logits"].softmax(-1)
    order = now.argsort(descending=True)[: DATA["bars"]]
    assert numbers(keys)[2] == pytest.approx(now[order].tolist(), abs=SHOWN)
    assert before(keys) == pytest.approx(whole[order].tolist(), abs=SHOWN)
    first, best = whole.argmax(), now.argmax()
    own, other = (tokenizer.tokens[i].replace("Ġ", "␣") for i in (best, first))
    said = f"▸ {own} {100 * now[best]:.0f} %"
    if best == first:
        said += f" ({100 * whole[first]:.0f} % with everything on)"
    else:
        said += f", with everything on {other} {100 * whole[first]:.0f} %"
        said += f" (now {100 * now[first]:.0f} %)"
    assert guess.inner_text().strip() == said
    # The grey bars behind are as long as those probabilities; all of the room is 1.
    wide = keys.figure.locator(".live-map.wide rect")
    lengths = """(all, kind) => all.filter(one => one.getAttribute("class") === kind)
        .map(one => one.width.baseVal.value)"""
    behind = wide.evaluate_all(lengths, "track")
    keys.figure.get_by_label("Switch off").select_option("")
    assert not before(keys) and "everything on" not in guess.inner_text()
    room = wide.evaluate_all(lengths, "track")
    # A bar is half a pixel long at least.
    long = [max(float(one) * all_, 0.5) for one, all_ in zip(whole[order], room, strict=True)]
    shares, drawn = ([one / room[0] for one in each] for each in (behind, long))
    assert shares == pytest.approx(drawn, abs=1e-3)


@browser
def test_an_encoder_with_a_mask_is_compared_with_the_trained_one(shown, gaps) -> None:
    encoder, known = gaps
    keys = Keys(shown, "map")
    family(keys, "Encoder")
    assert not before(keys)
    unfold(keys)
    keys.figure.get_by_label("Causal mask").check()
    assert ", as trained " in keys.figure.locator(".map-guess").inner_text()
    words, place = DATA["texts"]["encoder"].split(), DATA["gap"]
    ids = torch.tensor([[known.index("<mask>" if t == place else w) for t, w in enumerate(words)]])
    now, trained = (
        opened_encoder(encoder, ids, causal, True, "", place)["logits"].softmax(-1)
        for causal in (True, False)
    )
    order = now.argsort(descending=True)[: DATA["bars"]]
    assert numbers(keys)[2] == pytest.approx(now[order].tolist(), abs=SHOWN)
    assert before(keys) == pytest.approx(trained[order].tolist(), abs=SHOWN)
    # Its tour asks what a mask would change, and answers with the same numbers.
    keys.figure.get_by_label("Causal mask").uncheck()
    keys.figure.get_by_role("button", name="Show me around").press("Enter")
    tour = stops(keys, "encoder")
    assert [next(tour).get("asks", {}).get("kind") for _ in range(2)] == [None, "masked"]
    said = keys.figure.locator(".map-tour p").first.inner_text()
    best, other = int(trained.argmax()), int(now.argmax())
    assert (best != other) == (f"“{known[other]}”" in said) and f"“{known[best]}”" in said
    assert all(f"{float(one):.2f}" in said for one in (now[other], now[best], trained[best]))


@browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_switches_are_folded_beside_what_they_change(chromium, page_file, width: int) -> None:
    viewport = {"width": width, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        choice = page.get_by_label("Switch off")
        choice.wait_for(state="attached")
        assert not choice.is_visible()
        page.get_by_text("More", exact=True).click()
        if width < 768:
            assert not choice.is_visible()
            page.get_by_text("Switch parts off").click()
        choice.select_option("0.1")
        assert "with everything on" in page.locator(".map-guess").inner_text()
        bars = page.locator(".live-map").filter(visible=True).bounding_box()
        assert 0 < bars["y"] - choice.bounding_box()["y"] < 200
        names = page.locator(".live-map.tall text").all_text_contents()
        assert {"embedding", "self-attention"} <= set(names) and "attention" not in names
        strip = page.locator(".live-map.tall rect.map-block").evaluate_all(
            "all => all.map(one => one.width.baseVal.value)"
        )
        assert min(strip) >= 12  # the embedding's among them
        assert not page.faults


def of_the_model(said: str, config, layers: int, keys: Keys) -> str:
    heads = getattr(config, "num_heads", None)
    best = keys.figure.locator(".live-map.wide text.mono.strong").last.text_content()
    whole = re.search(r"with everything on (\S+)", keys.figure.locator(".map-guess").inner_text())
    weights = re.search(r"the weights of .*?: (.*?); it adds", keys.drawn())[1]
    shares = dict(re.findall(r"(\S+) (\d\.\d{4})", weights))
    ended = re.findall(r"Ended here: (\S+) ", keys.drawn())
    facts = {
        "width": config.d_model, "heads": WORDS[heads], "last": layers - 1, "next": best,
        "blocks": f"{WORDS[layers]} block{'s' if layers > 1 else ''}", "story": written(keys),
        "asks": keys.figure.locator(".live-map.wide text.mono.strong.q").text_content(),
        "looks": "sieben", "whole": whole[1] if whole else best,
        "takes": max(shares, key=lambda name: float(shares[name])),
        "guess": ended[1] if ended else "",
    }  # fmt: skip
    return said.format(**facts)


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder", "Encoder", "Translator"])
def test_a_tour_leads_through_the_model_that_is_chosen(
    shown, name: str, captioner, writer, gaps, translator
) -> None:
    models = captioner[0], writer[0], gaps[0], translator[1]
    names = "Decoder", "Larger decoder", "Encoder", "Translator"
    config = dict(zip(names, models, strict=True))[name].config
    layers = config.num_decoder_layers if name == "Translator" else config.num_layers
    keys = Keys(shown, "map")
    tour, choice = keys.figure.locator(".map-tour"), keys.figure.get_by_label("Open", exact=True)
    family(keys, name)
    keys.reach("Show me around", "button")
    keys.press("Enter")
    count = len(DATA["tours"][name.split()[-1].lower()])
    for number, stop in enumerate(stops(keys, name.lower()), start=1):
        said = tour.locator("p").first.inner_text()
        if "asks" not in stop:
            own = of_the_model(stop["said"], config, layers, keys)
            assert said == f"{number} of {count}. {own}"
        assert said.startswith(f"{number} of {count}. ") and "undefined" not in said
        assert choice.input_value() == of_the_model(stop["open"], config, layers, keys)
        assert tour.get_by_role("button", name="Back").is_disabled() == (number == 1)
        tab = keys.figure.get_by_role("button", name=name.split()[-1].capitalize(), exact=True)
        assert tab.get_attribute("aria-pressed") == "true"
        kept = stop.get("uses", [])
        for label, row in ("Your text", "text"), ("Head", "head"), ("Switch off", "off"):
            seen = keys.figure.get_by_label(label, exact=True).is_visible()
            assert seen == (row in kept), (number, label)
    assert not tour.is_visible() and keys.figure.get_by_label("Your text").is_visible()


@browser
def test_what_a_tour_asks_is_answered_with_the_packages_numbers(shown, captioner) -> None:
    """Each question of the first tour: its choices, the right one, and what is said of it."""
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    ids = tokenizer.encode(DATA["texts"]["decoder"])
    names = [tokenizer.tokens[one].replace("Ġ", "␣") for one in ids]

    def shares(row: list[int], places: bool = True, gone: str = "") -> torch.Tensor:
        return opened(model, torch.tensor([row]), True, places, gone)["logits"].softmax(-1)

    def token(row: torch.Tensor) -> str:
        return tokenizer.tokens[int(row.argmax())].replace("Ġ", "␣")

    whole, block = shares(ids), opened(model, torch.tensor([ids]), True, True, "")["blocks"][0]
    best, last = int(whole.argmax()), len(ids) - 1
    left_out = [shares(ids[:t] + ids[t + 1 :])[best] for t in range(last)]
    second, third = (block["maps"][head, -1] for head in (1, 2))
    twice = (2 * second.log()).softmax(-1)  # the same as of twice the scores
    before = model.embedding(torch.tensor([ids])).double()
    before = model.positions.embed(before)[0, -1].detach()
    with torch.no_grad():
        ended = (model.norm(block["after"][0, -1].float()) @ model.embedding.weight.T).softmax(-1)
    plain, without, then = (
        shares(ids, places=False),
        shares(ids, gone="0.ffn"),
        shares([*ids, best]),
    )
    said = f"“{token(whole)}”"
    right = {
        "without": (f"“{names[left_out.index(min(left_out))]}”", whole[best], min(left_out)),
        "positions": ("Yes" if plain.argmax() == best else "No", plain[best], whole[best]),
        "takes": (f"“{names[int(second.argmax())]}”", second.max()),
        "same": ("Yes" if second.argmax() == third.argmax() else "No", third.max()),
        "sharper": ("rise", second.max(), twice.max()),
        "longer": ("longer" if block["added"][0, -1].norm() > before.norm() else "shorter",
                   block["added"][0, -1].norm(), before.norm(), block["between"][0, -1].norm()),
        "guess": (f"“{token(ended)}”", ended.max()),
        "off": ("fall" if without[best] < whole[best] else "rise", without[best], whole[best]),
        "after": (f"“{token(then)}”", then.max()),
    }  # fmt: skip
    asked, words = [], keys.figure.locator(".map-tour p").first
    keys.reach("Show me around", "button")
    keys.press("Enter")
    for stop in DATA["tours"]["decoder"]:
        if "asks" in stop:
            kind = stop["asks"]["kind"]
            answer, *found = right[kind]
            choices = keys.figure.locator(".map-choices button")
            wrong = choices.filter(has_not_text=re.compile(f"^{re.escape(answer)}$"))
            assert choices.count() - wrong.count() == 1, kind
            first = kind != "takes"
            place = keys.figure.locator(".live-map.wide").bounding_box()["y"]
            (choices.get_by_text(answer, exact=True) if first else wrong.first).press("Enter")
            assert ("Right. " in words.inner_text()) == first
            moved = keys.figure.locator(".live-map.wide").bounding_box()["y"] - place
            lends = stop.get("uses")  # controls, in a row of their own below the answer
            assert abs(moved) < 1 or lends, f"the map moves {moved} as the answer of {kind} comes"
            # Small ones are written with more digits.
            said_ = [float(one) for one in re.findall(r"\d\.\d+", words.inner_text())]
            for one in found:
                assert min(abs(float(one) - shown_) for shown_ in said_) < 0.005 + NEAR, kind
            assert said in words.inner_text() or kind not in ("without", "positions", "off")
            asked.append(kind)
        end = words.inner_text()
        keys.press("Enter")
    assert asked == list(right) and "You predicted 8 of 9." in end


@browser
def test_a_tour_can_be_left_and_ends_with_its_model(shown) -> None:
    keys = Keys(shown, "map")
    tour = keys.figure.locator(".map-tour")
    keys.reach("Show me around", "button")
    keys.press("Enter", "Enter", "Enter")  # the first question is answered, and the next asked
    back = keys.figure.get_by_role("button", name="Back")
    back.press("Enter")
    assert tour.locator("p").first.inner_text().startswith("1 of ")
    family(keys, "Encoder")
    assert not tour.is_visible() and keys.figure.get_by_label("Your text").is_visible()
    for leave in ("Escape", "End"):
        keys.reach("Show me around", "button")
        keys.press("Enter")
        assert tour.is_visible()
        if leave == "End":
            keys.reach("End", "button")
        keys.press("Escape" if leave == "Escape" else "Enter")
        assert not tour.is_visible()


@browser
def test_the_translators_tour_shows_a_token_of_the_band_that_is_open(shown) -> None:
    keys = Keys(shown, "map")
    family(keys, "Translator")
    token = keys.figure.get_by_label("Token", exact=True)
    keys.reach("Show me around", "button")
    keys.press("Enter")
    shown_ = []
    for _ in stops(keys, "translator"):
        shown_.append((token.get_attribute("aria-valuetext"), written(keys)))
        row = keys.figure.locator(".map-rows.of-attention .map-row").filter(visible=True)
        if row.count():  # the numbers are those of the same token
            assert f": the row of {shown_[-1][0]} in numbers" in row.get_attribute("aria-label")
    source = "sieben und dreißig → "
    assert shown_[:3] == [(word, f"{source}…") for word in ("dreißig", "dreißig", "start")]
    assert shown_[3:] == [("thirty", f"{source}thirty")] * 3


@browser
def test_let_it_run_draws_in_a_decoder(chromium, page_file, captioner) -> None:
    model, tokenizer = captioner
    text, most, many = DATA["texts"]["decoder"], DATA["most"], DATA["run"]
    with offline(chromium, reduced_motion="reduce") as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        keys.reach("Temperature")
        keys.press("End")
        keys.reach("Let it run", "button")
        keys.press("Enter")
        left = page.evaluate(
            "n => { const next = Live.random(1); return Array.from({ length: n }, next); }", many
        )
        ids = tokenizer.encode(text)
        for one in left:
            with torch.no_grad():
                logits = model(torch.tensor([ids[-most:]])).logits[0, -1].double()
            ids.append(int(((logits / round(10**0.7, 2)).softmax(-1).cumsum(0) > one).nonzero()[0]))
        said = " ".join(tokenizer.decode(ids).replace("\n", " ⏎ ").split())
        assert " ".join(written(keys).split()) == said
        # The likeliest is written by the button that says so.
        press = keys.figure.get_by_role("button", name="Write the next token")
        assert press.get_attribute("title") == "Writes the likeliest token."
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids[-most:]])).logits[0, -1].argmax()))
        press.click()
        said = " ".join(tokenizer.decode(ids).replace("\n", " ⏎ ").split())
        assert " ".join(written(keys).split()) == said


@browser
def test_the_line_of_text_takes_what_was_written(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    text, line = DATA["texts"]["decoder"], keys.figure.get_by_label("Your text")
    keys.reach("Write the next token", "button")
    keys.press("Enter", "Enter")
    whole = written(keys)
    assert whole.startswith(text) and len(whole) > len(text) and line.input_value() == whole
    line.focus()
    keys.press("End")
    keys.page.keyboard.type(" you")
    assert written(keys) == f"{whole} you"
    ids = torch.tensor([tokenizer.encode(f"{whole} you".replace(" ⏎ ", "\n"))])
    with torch.no_grad():
        best = model(ids[:, -DATA["most"] :]).logits[0, -1].softmax(-1).max()
    assert numbers(keys)[2][0] == pytest.approx(float(best), abs=5e-5 + NEAR)
    keys.press("Enter")  # it is read already
    assert line.input_value() == written(keys) == f"{whole} you"
    keys.reach("Write the next token", "button")
    keys.press("Enter")
    assert line.input_value() == written(keys) != f"{whole} you"
    family(keys, "Encoder")
    keys.reach("Fill in and hide the next", "button")
    keys.press("Enter")
    line.focus()
    assert line.input_value() == re.sub(r"[\[\]]", "", written(keys)).strip()


#: Goes to the top, once what was under way has been laid out.
TOP = """() => new Promise((done) => {
  const twice = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  twice(() => { scrollTo({ top: 0, behavior: "instant" }); twice(done); });
})"""


@browser
@pytest.mark.parametrize("size", [(390, 844), (1280, 900)])
def test_what_a_run_writes_is_seen_whole_and_is_stopped_where_it_was_begun(
    chromium, themed, size
) -> None:
    viewport = dict(zip(("width", "height"), size, strict=True))
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        button = keys.figure.get_by_role("button", name="Let it run")
        page.evaluate(TOP)
        before = button.bounding_box()
        button.click()
        after = button.bounding_box()
        middle = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
        assert after["x"] < middle[0] < after["x"] + after["width"]
        assert after["y"] < middle[1] < after["y"] + after["height"]
        rooms = "one => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth]"
        assert keys.figure.locator(".live-story").evaluate(rooms) == [0, 0]
        # A text of one's own takes as little room as before.
        typed(keys, "A dog", "Your text")
        page.wait_for_function("!document.querySelector('.map-said.ran')")
        page.evaluate(TOP)
        assert button.bounding_box() == before


@browser
def test_a_run_keeps_its_pace_and_stops_at_once(chromium, page_file) -> None:
    """On an idle machine 24 tokens take some ten seconds."""
    assert DATA["pace"] * DATA["run"] < 10_000
    with offline(chromium) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        keys.press("Shift")
        keys.figure.get_by_role("button", name="Let it run").click()
        start = written(keys)
        page.wait_for_function(
            "length => document.querySelector('.map-written').textContent.length > length",
            arg=len(start),
            timeout=DATA["step"] * 5,
        )
        keys.figure.get_by_role("button", name="Stop").click()
        stopped = written(keys)
        page.wait_for_timeout(3 * DATA["pace"])
        assert written(keys) == stopped
        # The bars are those of what is written.
        (asked,) = page.locator(".live-map.wide text.mono.strong.q").all_text_contents()
        assert stopped.endswith(asked.strip("␣"))


@browser
def test_a_tour_begins_at_the_last_row_and_takes_a_part_out_for_one_stop(shown) -> None:
    """The row that was chosen before is not the one that its sentences are about."""
    keys = Keys(shown, "map")
    rows = keys.figure.locator(".live-map.wide text.mono.strong.q")
    keys.figure.locator(".live-map.wide").get_by_text("␣dog", exact=True).first.click(force=True)
    last = DATA["texts"]["decoder"].split()[-1]
    assert rows.text_content() == "␣dog"
    keys.reach("Show me around", "button")
    keys.press("Enter")
    choice, off = keys.figure.get_by_label("Switch off"), []
    for stop in stops(keys, "decoder"):
        own = "grass" if stop.get("asks", {}).get("writes") else last
        assert rows.text_content() == f"␣{own}"
        off.append(choice.input_value())
    assert off == [stop.get("off", "") for stop in DATA["tours"]["decoder"]] and any(off)
    assert choice.input_value() == ""


@browser
def test_during_a_tour_the_mouse_opens_nothing(shown) -> None:
    keys = Keys(shown, "map")
    keys.reach("Show me around", "button")
    keys.press("Enter", "Enter", "Enter", "Enter")
    panel_ = keys.figure.locator(".map-rows [aria-label].live-picture").filter(visible=True)
    before = panel_.inner_html()
    keys.figure.locator(".live-map.wide").get_by_text("feed-forward").first.hover(force=True)
    shown.wait_for_timeout(100)
    assert panel_.inner_html() == before


@browser
def test_what_is_switched_off_is_opened(shown) -> None:
    keys = Keys(shown, "map")
    unfold(keys)
    keys.figure.get_by_label("Switch off").select_option("1.3")
    assert keys.figure.get_by_label("Open", exact=True).input_value() == "0.self.1"
    assert keys.figure.get_by_label("Head", exact=True).input_value() == "3"
