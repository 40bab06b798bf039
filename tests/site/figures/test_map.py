"""The map of a whole model: its numbers, what opens, what is written, and how it moves."""

import re
from collections.abc import Callable, Iterator

import pytest
import torch
from figure_pages import MORE, NEAR, Keys, browser, typed
from live_site import offline, own_page

from coursebook.live.catalogue import FIGURES

from .test_inside import opened, opened_encoder
from .test_stacks import parts_off

DATA = FIGURES["map"].data
#: What is rounded to four digits, and computed in single precision.
SHOWN = 5e-5 + NEAR
ADDS = re.compile(r"it adds a vector of length ([\d.]+)\.")
WEIGHTS = re.compile(r"the weights of .*?: (.*?); it adds")
ITEM = re.compile(r" (\d\.\d{4})(?=[,.]|$)")
MOVING = "() => document.querySelectorAll('#figure-map .moving circle').length"


def numbers(keys: Keys) -> tuple[list[float], list[list[float]], list[float]]:
    """Sizes of what is added, weights of the chosen token in each attention, probabilities."""
    said = keys.drawn()
    weights = [[float(one) for one in ITEM.findall(row)] for row in WEIGHTS.findall(said)]
    bars = re.split(r" (?:Next token|Hidden word|Next word): ", said)[1].split(" The same ")[0]
    return [float(one) for one in ADDS.findall(said)], weights, list(map(float, ITEM.findall(bars)))


def agree(found: tuple, sizes: list, weights: list, logits: torch.Tensor) -> None:
    assert found[0] == pytest.approx([float(one.norm()) for one in sizes], abs=SHOWN)
    assert len(found[1]) == len(weights)
    for shown, row in zip(found[1], weights, strict=True):
        assert shown == pytest.approx(row.tolist(), abs=SHOWN)
    best = logits.softmax(-1).sort(descending=True).values[: DATA["bars"]]
    assert found[2] == pytest.approx(best.tolist(), abs=SHOWN)


CHOOSE = """(figure, [kind, key]) => {
    const tab = [...figure.querySelectorAll(".live-tabs button")].find((one) =>
        one.textContent.toLowerCase() === kind);
    tab.focus();
    tab.click();
    const list = figure.querySelector(".map-has select");
    if (list.value !== key) { list.value = key; list.dispatchEvent(new Event("change")); }
}"""


def family(keys: Keys, name: str) -> None:
    """Choose an architecture, and what its model has read; a heavy one is loaded now."""
    keys.figure.evaluate(CHOOSE, [name.lower().split()[-1], name.lower()])
    keys.figure.get_by_text("being loaded").first.wait_for(state="detached")


def unfold(keys: Keys) -> None:
    """Show the switches of the parts, which are folded on a telephone only."""
    if keys.figure.get_by_text("Switch parts off").is_visible():
        keys.figure.get_by_text("Switch parts off").click()
    else:
        keys.figure.locator(".map-said").click()  # whoever takes over stops the motion


def bench(keys: Keys) -> None:
    """Open what is folded below the map: the tensors, one by one."""
    keys.figure.locator("details.map-bench").evaluate("one => { one.open = true; }")


def stops(keys: Keys, tour: str, asked: Callable = lambda stop: None) -> Iterator[dict]:
    """Each stop of a model's tour, once its question is answered: its first choice is pressed.

    ``asked`` is called while the question is open.
    """
    choices = keys.figure.locator(".map-choices button")
    for stop in DATA["tours"].get(tour, DATA["tours"][tour.split()[-1]]):
        assert choices.count() in ((2, 3) if "asks" in stop else (0,)), stop
        if choices.count():
            asked((tour, stop["asks"]["kind"]))
            keys.press("Enter")
        yield stop
        keys.press("Enter")


def written(keys: Keys) -> str:
    return keys.figure.locator(".map-written").inner_text()


@browser
def test_the_decoders_numbers_are_the_packages(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    unfold(keys)
    for text in DATA["texts"]["decoder"], "A man rides a":
        typed(keys, text, "Your text")
        for causal, places, gone in (True, True, ""), (False, True, ""), (True, False, ""):
            for label, on in ("Causal mask", causal), ("Positions", places):
                keys.figure.get_by_role("checkbox", name=label).set_checked(on)
            ours = opened(model, torch.tensor([tokenizer.encode(text)]), causal, places, gone)
            agree(
                numbers(keys),
                [block[name][0, -1] for block in ours["blocks"] for name in ("added", "made")],
                [block["maps"][DATA["head"], -1] for block in ours["blocks"]],
                ours["logits"],
            )
        keys.figure.get_by_label("Positions").check()
    keys.figure.get_by_label("Switch off").select_option("1.2")
    ours = opened(model, torch.tensor([tokenizer.encode(text)]), True, True, "1.2")
    added = ours["blocks"][1]["added"][0, -1]
    assert numbers(keys)[0][2] == pytest.approx(float(added.norm()), abs=SHOWN)


@browser
def test_one_row_of_attention_in_numbers_is_the_packages(shown, captioner) -> None:
    """Scores and weights beside the map: of the token that was pointed at last."""
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    keys.reach("Your text")
    ids = tokenizer.encode(DATA["texts"]["decoder"])
    ours = opened(model, torch.tensor([ids]), True, True, "")
    row = keys.figure.locator(".map-row").filter(visible=True)

    def agrees(block: int, t: int) -> None:
        X, attention = ours["blocks"][block]["before"][0], model.blocks[block].attention
        d = X.shape[1] // model.config.num_heads
        own = slice(DATA["head"] * d, (DATA["head"] + 1) * d)
        with torch.no_grad():
            rows = X @ attention.W_QKV.double() + attention.b_QKV.double()
        q, k, _ = (part[:, own] for part in rows.split(attention.widths, dim=1))
        scores = k[: t + 1] @ q[t] / d**0.5
        weights = ours["blocks"][block]["maps"][DATA["head"], t, : t + 1]
        said = row.get_attribute("aria-label")
        assert f"Block {block + 1}, head {DATA['head'] + 1}: the row of " in said
        found = [float(one.replace("−", "-")) for one in re.findall(r"score ([−\d.]+),", said)]
        assert found == pytest.approx(scores.tolist(), abs=SHOWN)
        found = [float(one) for one in re.findall(r"weight ([\d.]+\d)", said)]
        assert found[: t + 1] == pytest.approx(weights.tolist(), abs=SHOWN)
        assert not any(found[t + 1 :])

    agrees(0, len(ids) - 1)
    area = keys.figure.locator(".live-map.wide rect.map-block:not(.norm)").nth(1).bounding_box()
    band = area["height"] * 31 / (31 * len(ids) + 28)  # the height of a row
    keys.page.mouse.move(area["x"] + 30, area["y"] + area["height"] - 3.6 * band)
    agrees(1, len(ids) - 4)
    below = row.bounding_box()
    keys.page.mouse.move(below["x"] + 5, below["y"] + 5)
    agrees(1, len(ids) - 4)  # it stays, so that one can go there
    keys.page.mouse.move(0, 0)
    agrees(0, len(ids) - 1)  # nothing was chosen
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option("0.ffn.0")
    assert row.get_attribute("aria-label").startswith("Block 1, feed-forward: ")


@browser
def test_the_temperature_and_a_token_drawn(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    with torch.no_grad():
        ids = tokenizer.encode(DATA["texts"]["decoder"])
        logits = model(torch.tensor([ids])).logits[0, -1].double()
    keys.reach("Temperature")
    keys.press("Home")
    shares = (logits / round(10**-0.7, 2)).softmax(-1)
    best = shares.sort(descending=True).values[: DATA["bars"]]
    assert numbers(keys)[2] == pytest.approx(best.tolist(), abs=SHOWN)
    rest = keys.figure.locator(".live-map.wide").get_by_text(" others").first
    assert rest.text_content().startswith(f"{len(logits) - DATA['bars']:,} ")
    keys.press("End")
    before = written(keys)
    found = set()
    for _ in range(6):  # boldly: not the likeliest each time
        keys.reach("Draw one", "button")
        keys.press("Enter")
        found.add(written(keys).removeprefix(before))
    assert len(found) == 6
    assert written(keys).startswith(before)
    family(keys, "Encoder")
    assert not keys.figure.get_by_role("button", name="Draw one").count()


@browser
def test_the_larger_decoders_numbers_are_the_packages(shown, writer) -> None:
    model, tokenizer = writer
    keys = Keys(shown, "map")
    family(keys, "Larger decoder")
    ids = tokenizer.encode(DATA["texts"]["larger decoder"])
    ours = opened(model, torch.tensor([ids]), True, True, "")
    sizes = [block[name][0, -1] for block in ours["blocks"] for name in ("added", "made")]
    weights = [block["maps"][DATA["head"], -1] for block in ours["blocks"]]
    agree(numbers(keys), sizes, weights, ours["logits"])


@browser
def test_the_encoders_numbers_are_the_packages(shown, gaps) -> None:
    encoder, known = gaps
    keys = Keys(shown, "map")
    family(keys, "Encoder")
    words = DATA["texts"]["encoder"].split()
    for place in DATA["gap"], len(words) - 1:
        keys.reach("Hidden word")
        keys.press("Home", *["ArrowRight"] * place)
        ids = [known.index("<mask>" if t == place else w) for t, w in enumerate(words)]
        ours = opened_encoder(encoder, torch.tensor([ids]), False, True, "", place)
        sizes = [ours["added"][0, place], ours["made"][0, place]]
        agree(numbers(keys), sizes, [ours["maps"][DATA["head"], place]], ours["logits"])
        assert f"You hid “{words[place]}”" in keys.said
    typed(keys, " ".join(words), "Your text")  # letter by letter: the last word stays hidden
    assert f"You hid “{words[-1]}”" in keys.said
    # Nobody asked for a gap: it says which word is hidden, until one is chosen.
    note = keys.figure.locator(".live-note").first
    assert f"No ___ was typed, so “{words[-1]}” is hidden" in note.inner_text()
    keys.reach("Hidden word")
    keys.press("Home")
    assert not note.inner_text()


@browser
def test_the_translators_numbers_are_the_packages(shown, translator) -> None:
    module, model, words = translator
    keys = Keys(shown, "map")
    family(keys, "Translator")
    assert written(keys) == "sieben und dreißig → …"
    keys.reach("Write the next word", "button")
    keys.press("Enter", "Enter")
    assert written(keys) == "sieben und dreißig → thirty seven"
    rows = keys.figure.locator(".live-map.wide text").all_text_contents()
    assert [one for one in rows if one.startswith("▸")] == ["▸ thirty", "▸ seven", "▸ ?"]
    assert "label smoothing, lesson 11" in rows and "answer went to all words:" in rows
    told = "For the word after “seven”, head 2 of block 2 looks most at “end”"
    keys.figure.locator(".map-tells").filter(has_text=told).wait_for()
    ids, row = module.as_pair(words, "english sieben und dreißig", "thirty seven")
    one, _ = parts_off(model, True, "")
    inputs = torch.tensor([ids]), torch.tensor([row[:-1]])
    added: list[torch.Tensor] = []
    for block in one.decoder:
        for part in block.attention, block.cross, block.ffn:
            part.register_forward_hook(
                lambda _, __, out: added.append(out[0] if isinstance(out, tuple) else out)
            )
    with torch.no_grad():
        found = one(*inputs, return_weights=True)
    pairs = zip(found.maps["decoder"], found.maps["cross"], strict=True)
    weights = [each[0, DATA["head"], -1] for pair in pairs for each in pair]
    agree(numbers(keys), [out[0, -1] for out in added], weights, found.logits[0, -1])
    keys.figure.get_by_label("Into").select_option("français")
    assert written(keys) == "sieben und dreißig → …"
    keys.reach("Write the next word", "button")
    keys.press("Enter", "Enter")
    assert written(keys) == "sieben und dreißig → trente sept"


@browser
def test_what_is_written_goes_on_with_the_text(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    text, most = DATA["texts"]["decoder"], DATA["most"]
    typed(keys, text, "Your text")
    assert written(keys) == text
    ids = tokenizer.encode(text)
    keys.reach("Write the next token", "button")
    for _ in range(most):  # beyond what is read at once
        keys.press("Enter")
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids[-most:]])).logits[0, -1].argmax()))
    said = tokenizer.decode(ids).replace("\n", " ⏎ ")
    assert written(keys).split() == said.split()
    note = keys.figure.locator(".live-note").first
    assert f"reads the last {most} tokens only" in note.inner_text()
    assert keys.drawn().count("the weights of") == model.config.num_layers
    typed(keys, f"{text}  ", "Your text")
    assert written(keys) == text  # a space at the end is left to the model
    # A bar that is chosen is written, however unlikely it is.
    bars = keys.figure.locator(".live-map.wide .place[aria-label*=probability]")
    bars.nth(1).click()
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer.encode(text)])).logits[0, -1]
    second = tokenizer.decode([int(logits.argsort(descending=True)[1])])
    assert written(keys) == text + second
    family(keys, "Larger decoder")  # has read something else, and has a text of its own
    assert written(keys) == DATA["texts"]["larger decoder"]
    family(keys, "Decoder")
    assert written(keys) == text


@browser
def test_let_it_run_fills_gaps_and_translates_word_by_word(shown) -> None:
    keys = Keys(shown, "map")
    family(keys, "Translator")
    keys.reach("Let it run", "button")
    keys.press("Enter")
    assert written(keys).endswith("→ …")
    keys.figure.get_by_role("button", name="Let it run").wait_for(timeout=30_000)
    assert written(keys) == "sieben und dreißig → thirty seven"
    keys.reach("Begin again", "button")
    keys.press("Enter")
    assert written(keys).endswith("→ …")
    family(keys, "Encoder")
    before = written(keys)
    keys.reach("Fill in and hide the next", "button")
    keys.press("Enter")
    assert before.startswith("she [sang]") and written(keys).startswith("she sang [a]")


@browser
def test_each_stage_opens_its_tensors(shown) -> None:
    keys = Keys(shown, "map")
    keys.press("Shift")
    tensor = keys.figure.locator(".map-tensor")
    bench(keys)
    for name, stages in ("Decoder", 7), ("Larger decoder", 11), ("Encoder", 5), ("Translator", 13):
        family(keys, name)
        choice = keys.figure.get_by_label("Open", exact=True)
        options = choice.locator("option").all()
        assert len(options) == stages
        seen = set()
        for option in options:
            choice.select_option(option.get_attribute("value"))
            seen.add(tensor.get_attribute("aria-label"))
        assert len(seen) == stages
        assert all(re.search(r"Shape .* = \d", said) for said in seen)
    family(keys, "Decoder")
    wide = keys.figure.locator(".live-map.wide")
    for box, said in (0, "Block 1: weights A"), (1, "Block 2: weights A"):
        area = wide.locator("rect.map-block:not(.norm)").nth(box).bounding_box()
        keys.page.mouse.click(area["x"] + 30, area["y"] + area["height"] - 12)
        assert said in tensor.get_attribute("aria-label")
    keys.reach("Tensor")
    keys.press("End")
    assert "Decoder. Probabilities: softmax(logits / T), T = 1.00." in tensor.get_attribute(
        "aria-label"
    )


@browser
@pytest.mark.parametrize(
    ("motion", "width"), [("reduce", 1280), ("no-preference", 1280), ("no-preference", 380)]
)
def test_it_moves_at_first_until_somebody_takes_over(chromium, page_file, motion, width) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion=motion, viewport=viewport) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        page.locator("#figure-map.is-live").wait_for()
        if motion == "reduce":
            page.wait_for_timeout(500)
            assert page.evaluate(MOVING) == 0
            assert page.get_by_role("button", name="Stop").count() == 0
            return
        page.wait_for_function(f"({MOVING})() > 0")
        assert any("data-map" in url for url in page.asked)
        heavy = "data-translator", "data-writer", "data-merges"  # until somebody asks
        assert not any(name in url for url in page.asked for name in heavy)
        told = page.locator(".map-tells").inner_text()
        page.wait_for_function(
            "told => document.querySelector('.map-tells').innerText !== told", arg=told
        )
        shown = page.locator(".live-map").filter(visible=True)
        assert page.get_by_text("what is added, by length").is_visible()
        frame = shown.locator(".mark.open")
        tells = page.locator(".map-tells")
        tells.filter(has_text=re.compile("^Feed-forward")).wait_for()
        flows = float(frame.get_attribute("x"))
        page.get_by_role("button", name="Stop the film").click()
        assert page.evaluate(MOVING) == 0
        assert float(frame.get_attribute("x")) < flows  # back around what is open
        assert frame.get_attribute("width") and "▸" in page.locator(".map-guess").inner_text()
        assert (
            page.locator(".map-tells").inner_text().startswith("Self-attention: ")
        )  # what is open
        page.evaluate(MORE)
        page.get_by_role("button", name="Let it run").click()
        page.wait_for_function(f"({MOVING})() > 0")
        page.evaluate("document.body.style.paddingBottom = '5000px'; scrollTo(0, 4000)")
        page.wait_for_function(f"({MOVING})() === 0")
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_function(f"({MOVING})() > 0")
        page.get_by_label("Your text").press("Shift")
        assert page.evaluate(MOVING) == 0
        page.wait_for_timeout(300)
        assert page.evaluate(MOVING) == 0
        page.get_by_label("Your text").fill("A man rides a")
        assert page.evaluate("document.querySelector('.map-written').innerText").startswith("A man")
        assert page.get_by_role("button", name="Let it run").is_visible()
        page.wait_for_function(f"({MOVING})() > 0")
        page.wait_for_function(f"({MOVING})() === 0")
        assert not page.faults


@browser
def test_bars_are_as_long_as_their_probabilities(shown) -> None:
    keys = Keys(shown, "map")
    keys.press("Shift")
    for name in "Decoder", "Encoder", "Translator":
        family(keys, name)
        drawn = keys.figure.locator(".live-map.wide rect").evaluate_all(
            """all => ["track", "cell one"].map(kind =>
                all.filter(one => one.getAttribute("class") === kind)
                    .map(one => one.width.baseVal.value))"""
        )
        tracks, bars = drawn
        lengths = zip(tracks, numbers(keys)[2], strict=True)
        # Half a pixel at least, so that one sees where it begins.
        least = [max(share * track, 0.5) for track, share in lengths]
        assert bars == pytest.approx(least, abs=0.06)


@browser
def test_it_says_when_a_token_is_a_byte(shown) -> None:
    keys = Keys(shown, "map")
    note = keys.figure.locator(".live-note").first
    typed(keys, "A dog 注", "Your text")
    assert "“æ” stands for one byte" in note.inner_text()
    typed(keys, "A dog", "Your text")
    assert not note.inner_text()


@browser
def test_a_gap_that_is_typed_is_the_word_that_is_guessed(shown) -> None:
    keys = Keys(shown, "map")
    family(keys, "Encoder")
    typed(keys, "she sang a ___ note", "Your text")
    assert written(keys) == "she sang a [___] note "
    assert "guess for the hidden word" in keys.said and "You hid" not in keys.said
    before = keys.said
    typed(keys, "a ___ and a ___ note", "Your text")
    assert "One word is hidden at a time" in keys.figure.locator(".live-note").first.inner_text()
    typed(keys, "she sang a ___ note", "Your text")
    typed(keys, "she sang a long note", "Your text")
    assert written(keys) == "she sang a [long] note " and keys.said.startswith(before)


@browser
def test_each_stage_and_tensor_is_explained(shown) -> None:
    """Pointed at in the map, or chosen with the keyboard: one plain sentence."""
    keys = Keys(shown, "map")
    keys.reach("Your text")  # whoever takes over stops the motion
    tells, note = (keys.figure.locator(one) for one in (".map-tells", ".live-is"))
    bench(keys)
    area = keys.figure.locator(".live-map.wide rect.map-block:not(.norm)").nth(1).bounding_box()
    keys.page.mouse.move(area["x"] + area["width"] - 20, area["y"] + area["height"] / 2)
    assert tells.inner_text().startswith("Feed-forward: a small network")
    keys.page.mouse.move(0, 0)
    assert tells.inner_text().startswith("Self-attention: "), "what is open is told again"
    for name in "Decoder", "Encoder", "Translator":
        family(keys, name)
        slider = keys.figure.get_by_label("Tensor", exact=True)
        slider.focus()
        keys.press("Home")
        told = {}
        for _ in range(int(slider.get_attribute("max"))):
            told.setdefault(slider.get_attribute("aria-valuetext"), note.inner_text())
            keys.press("ArrowRight")
        assert {"queries Q", "weights A", "Logits"} <= set(told)
        assert all(said.endswith(".") for said in told.values())
