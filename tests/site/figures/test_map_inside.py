"""What the map shows of one stage: how a score is made, the last step, and what leaks."""

import re

import pytest
import torch
from figure_pages import Keys, browser, typed
from live_site import offline, own_page

from .test_inside import opened
from .test_map import DATA, SHOWN, bench, family, unfold, written

#: The height of the figure at each place that the mouse comes to on its way over the map.
HEIGHTS = """() => {
  const figure = document.querySelector("#figure-map");
  const map = [...figure.querySelectorAll(".live-map")].find((one) => one.getClientRects().length);
  const { x, y, width, height } = map.getBoundingClientRect(), heights = new Set();
  for (const down of [0.3, 0.5]) for (let across = 0.03; across < 1; across += 0.06) {
    const place = { clientX: x + across * width, clientY: y + down * height, bubbles: true };
    map.dispatchEvent(new PointerEvent("pointermove", place));
    heights.add(figure.getBoundingClientRect().height);
  }
  return [...heights];
}"""


def listed(said: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in said.split(", ")]


@pytest.fixture
def first_head(captioner):
    """Queries, keys, values and weights of the head that is shown first, and the tokens."""
    model, tokenizer = captioner
    ids = tokenizer.encode(DATA["texts"]["decoder"])
    ours = opened(model, torch.tensor([ids]), True, True, "")["blocks"][0]
    attention = model.blocks[0].attention
    d = model.config.d_model // model.config.num_heads
    own = slice(DATA["head"] * d, (DATA["head"] + 1) * d)
    with torch.no_grad():
        rows = ours["before"][0] @ attention.W_QKV.double() + attention.b_QKV.double()
    q, k, v = (part[:, own] for part in rows.split(attention.widths, dim=1))
    return q, k, v, ours["maps"][DATA["head"]], len(ids)


@browser
def test_a_score_is_made_of_products_and_a_sum_of_values(shown, first_head) -> None:
    q, k, v, weights, T = first_head
    keys = Keys(shown, "map")
    row = keys.figure.locator(".map-row").filter(visible=True)

    def agrees(j: int) -> None:
        said = row.get_attribute("aria-label")
        found = re.search(
            r"times the key of .+?: (.*); sum (.*); divided by √(\d+): ([−\d]+\.\d+)", said
        )
        products = q[-1] * k[j]
        assert listed(found[1]) == pytest.approx(products.tolist(), abs=SHOWN)
        assert listed(found[2]) == pytest.approx([products.sum().item()], abs=SHOWN)
        assert int(found[3]) == len(products)
        score = products.sum().item() / len(products) ** 0.5
        assert listed(found[4]) == pytest.approx([score], abs=SHOWN)
        handed = re.search(r"times the value of .+?: (.*)\. The head's sum: (.*)\.$", said)
        assert listed(handed[1]) == pytest.approx((weights[-1, j] * v[j]).tolist(), abs=SHOWN)
        assert listed(handed[2]) == pytest.approx((weights[-1] @ v).tolist(), abs=SHOWN)

    keys.reach("Your text")
    agrees(int(weights[-1].argmax()))
    first = row.locator(".place").first
    first.hover(position={"x": 3, "y": 5})
    agrees(0)
    keys.page.mouse.move(0, 0)
    agrees(int(weights[-1].argmax()))
    # The keyboard leads from key to key, and along the numbers.
    for _ in range(30):
        if first.evaluate("one => one === document.activeElement"):
            break
        keys.press("Tab")
    agrees(0)
    keys.press("ArrowDown")
    agrees(1)
    keys.press("ArrowRight", "ArrowRight")
    said = keys.figure.locator(".map-number").inner_text()
    numbers = [float(one.replace("−", "-")) for one in re.findall(r"[−]?\d+\.\d\d", said)]
    own = [q[-1, 1], k[1, 1], q[-1, 1] * k[1, 1], weights[-1, 1], v[1, 1], weights[-1, 1] * v[1, 1]]
    assert said.startswith("Number 2 of ")
    assert numbers == pytest.approx([*map(float, own), (weights[-1] @ v)[1].item()], abs=6e-3)
    assert row.locator("rect.mark").count() == 6


@browser
@pytest.mark.parametrize("width", [1000, 1280, 1600])
def test_the_figure_keeps_its_height_as_the_mouse_crosses_it(chromium, page_file, width) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        for name in "Decoder", "Translator":
            family(keys, name)
            assert len(page.evaluate(HEIGHTS)) == 1, name
            assert keys.figure.locator(".map-rows:not(.of-attention)").count()  # the bars were last


@browser
def test_scores_become_probabilities_at_a_temperature(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    ids = tokenizer.encode(DATA["texts"]["decoder"])
    logits = opened(model, torch.tensor([ids]), True, True, "")["logits"]
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option("0.scores.")
    tensor = keys.figure.locator(".map-tensor")
    for power in 0, -0.3, 0.5:
        keys.figure.get_by_label("Temperature").fill(str(power))
        T = round(10**power, 2)
        best = logits.sort(descending=True).values[:12]
        texts = tensor.locator("text").all_text_contents()
        assert texts[1] == f"softmax(logits / T), T = {T:.2f}"
        assert texts[3:7] == ["token", "score", "score ÷ T", "softmax"]
        shares = (logits / T).softmax(-1).sort(descending=True).values[:12]
        for n, column in (1, best), (2, best / T), (3, shares):
            found = [float(one.replace("−", "-")) for one in texts[7 + n :: 4]]
            digits = 5e-4 if n == 3 else 5e-3
            assert found == pytest.approx(column.tolist(), abs=digits + SHOWN)


@browser
def test_the_keyboard_reaches_each_stage_and_bar(shown, captioner) -> None:
    _, tokenizer = captioner
    keys = Keys(shown, "map")
    places = keys.figure.locator(".live-map").filter(visible=True).locator(".place")
    choice = keys.figure.get_by_label("Open", exact=True)
    keys.reach("Your text")  # the opening pass ends
    opened = choice.input_value()
    for _ in range(30):
        if places.evaluate_all("all => all.includes(document.activeElement)"):
            break
        keys.press("Tab")
    assert choice.input_value() == opened, "the Tab key leads to the stage that is open"
    keys.press("Home")
    names = []
    for _ in range(places.count()):
        names.append(shown.evaluate("document.activeElement.getAttribute('aria-label')"))
        keys.press("ArrowRight")
    assert len(names) == 7 + DATA["bars"]
    assert names[1:3] == ["block 1: self-attention", "block 1: feed-forward"]
    tells = keys.figure.locator(".map-tells")
    keys.press("Home", "ArrowRight", "ArrowRight")
    assert tells.inner_text().startswith("Feed-forward") and choice.input_value() == "0.ffn.0"
    keys.press("Home")
    assert choice.input_value() == "0.embed."  # what is shown follows
    keys.press("ArrowRight", "ArrowRight", "Enter", "Tab")
    assert choice.input_value() == "0.ffn.0"  # and stays with what is chosen
    keys.press("Shift+Tab", "End")
    assert tells.inner_text().endswith("Press to write it.")
    before, bar = written(keys), names[-1].split(",")[0]
    keys.press("Enter")
    assert written(keys) == before + bar.replace("␣", " ")


@browser
def test_without_the_mask_each_rows_guess_stands_beside_the_truth(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    leak = keys.figure.locator(".map-leak")
    assert not leak.is_visible()
    unfold(keys)
    keys.figure.get_by_label("Causal mask").uncheck()
    ids = tokenizer.encode(DATA["texts"]["decoder"])
    with torch.no_grad():
        each = []
        for causal in False, True:
            x = opened(model, torch.tensor([ids]), causal, True, "")["blocks"][1]["after"][0]
            each.append((model.norm(x.float()) @ model.embedding.weight.T).softmax(-1))
    rows = leak.locator("tbody tr").all()
    assert len(rows) == len(ids) - 1
    for t, row in enumerate(rows):
        cells = row.locator("td").all_text_contents()
        assert cells[1] == tokenizer.tokens[ids[t + 1]].replace("Ġ", "␣")
        found = [float(cells[2].split()[-1]), *map(float, cells[3:])]
        shares = [each[0][t].max(), *(one[t, ids[t + 1]] for one in each)]
        assert found[0] == pytest.approx(float(shares[0]), abs=5e-3 + SHOWN)
        assert found[1:] == pytest.approx([float(one) for one in shares[1:]], abs=5e-4 + SHOWN)
    keys.figure.get_by_label("Causal mask").check()
    assert not leak.is_visible()


@browser
@pytest.mark.parametrize("part", ["Causal mask", "Positions"])
def test_what_a_part_changes_is_counted(shown, captioner, part: str) -> None:
    """In the text in which the part is seen to matter: the page offers it."""
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    mask, places = part == "Positions", part != "Positions"
    leak, text = keys.figure.locator(".map-leak"), DATA["striking"]["decoder"][mask]
    unfold(keys)
    keys.figure.get_by_label(part).uncheck()
    leak.get_by_role("button", name=text).click()
    assert written(keys) == text
    assert not leak.get_by_role("button").count()
    ids = torch.tensor([tokenizer.encode(text)])
    with torch.no_grad():
        whole, without = (
            (model.norm(opened(model, ids, *one, "")["blocks"][1]["after"][0].float())
             @ model.embedding.weight.T).softmax(-1)[:-1]
            for one in ((True, True), (mask, places))
        )  # fmt: skip
    each = torch.arange(ids.shape[1] - 1)
    changed = int((whole.argmax(-1) != without.argmax(-1)).sum())
    right = [one[each, ids[0, 1:]] for one in (without, whole)]
    first = int((right[0] - right[1]).abs().argmax())
    said = leak.locator("p").inner_text()
    assert f"changes in {changed} of {len(each)} rows" in said
    means = [f"{float(one.mean()):.2f}" for one in right]
    assert f"probability {means[0]} on average, and {means[1]} with the " in said
    guesses = [tokenizer.tokens[int(one[first].argmax())].replace("Ġ", "␣")
               + f" {float(one[first].max()):.2f}" for one in (whole, without)]  # fmt: skip
    assert f"it guessed {guesses[0]}, and now {guesses[1]}." in said
    if not mask:  # the difference is striking, as the page says
        assert changed >= 5 and float(right[0].mean()) < 0.5 * float(right[1].mean())
        assert "it guessed ␣shirt 0.55, and now ␣motorcycle 0.20." in said
    else:
        assert changed >= 2 and float(right[0].mean()) < 0.95 * float(right[1].mean())


@browser
def test_a_model_says_what_it_cannot_read(shown) -> None:
    keys = Keys(shown, "map")
    note = keys.figure.locator(".live-note").first
    family(keys, "Translator")
    typed(keys, "42", "Your text")
    assert note.inner_text().startswith("Write a number in words: not 42, but forty-two")
    typed(keys, "3 May 1999", "Your text")
    assert not note.inner_text()
    typed(keys, "zwei Millionen", "Your text")
    assert "never seen “millionen”" in note.inner_text() and "means nothing" in note.inner_text()
    family(keys, "Encoder")
    typed(keys, "she sang a loud low note", "Your text")
    assert "knows 264 words. It does not know loud" in note.inner_text()
    examples = re.search(r"It knows (.*) and the like\.", note.inner_text())[1]
    typed(keys, f"the {examples.replace(' and', '')}", "Your text")
    assert "does not know" not in note.inner_text()  # the page keeps its word
    typed(keys, "she sang a loud low note", "Your text")
    keys.figure.get_by_label("Hidden word", exact=True).fill("4")
    assert not note.inner_text()  # a hidden word is not read


@browser
def test_the_line_of_text_is_selected_whole(shown) -> None:
    keys = Keys(shown, "map")
    keys.figure.get_by_role("button", name="Write the next token").press("Enter")
    keys.reach("Your text")
    keys.page.keyboard.type("To be")
    assert written(keys) == "To be"


@browser
def test_it_plays_once_and_stops_with_the_head_as_it_was(chromium, page_file) -> None:
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        head = page.locator("#figure-map").get_by_label("Head", exact=True)
        page.get_by_role("button", name="Stop").wait_for()
        page.get_by_role("button", name="Stop").wait_for(state="hidden", timeout=5 * DATA["lap"])
        assert head.input_value() == str(DATA["head"])
        assert page.evaluate("document.querySelectorAll('.moving circle').length") == 0
        page.wait_for_timeout(500)
        assert page.get_by_role("button", name="Stop").count() == 0


@browser
def test_a_finger_finds_each_attention_of_the_larger_decoder(chromium, page_file) -> None:
    viewport = {"width": 390, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        family(keys, "Larger decoder")
        for place in keys.figure.locator(".live-map.tall .place[aria-label$=self-attention]").all():
            assert place.bounding_box()["width"] >= 32


@browser
def test_without_a_head_half_of_the_answer_is_in_another_language(shown) -> None:
    """As the page invites."""
    keys = Keys(shown, "map")
    family(keys, "Translator")
    keys.figure.get_by_label("Into").select_option("français")
    unfold(keys)
    keys.figure.get_by_label("Switch off").select_option("decoder.1.cross.1")
    for _ in range(2):
        keys.figure.get_by_role("button", name="Write the next word").press("Enter")
    assert written(keys) == "sieben und dreißig → trente seven"
