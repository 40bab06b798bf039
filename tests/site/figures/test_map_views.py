"""The map's panel: each stage has a view of its own, whose numbers are the package's."""

import re

import pytest
import torch
from figure_pages import Keys, browser
from live_site import offline

from .test_inside import opened
from .test_map import DATA, SHOWN, bench, family, stops, written

NUMBER = r"[−-]?\d+\.\d{4}"
#: What the panel's title begins with, by the kind of stage.
TITLES = {
    "embed": r"Embedding of “", "self": r"Block \d(, self-attention)?, head \d: ",
    "cross": r"Block \d, cross-attention, head \d: ", "ffn": r"Block \d, feed-forward: ",
    "norm": r"(Final norm|Word head), and scores: ", "scores": "Scores become probabilities: ",
}  # fmt: skip
#: And of what all heads of an attention add.
SUMS = r"Block \d(, (self|cross)-attention)?, all heads: added to “"


def panel(keys: Keys):
    return keys.figure.locator(".map-rows .map-row").filter(visible=True)


def said(keys: Keys) -> str:
    return panel(keys).get_attribute("aria-label")


def found(text: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in re.findall(NUMBER, text)]


def choose(keys: Keys, stage: str) -> None:
    bench(keys)
    keys.figure.get_by_label("Open", exact=True).select_option(stage)


@pytest.fixture
def first(captioner):
    """What the first decoder computes of its first text, and its parts."""
    model, tokenizer = captioner
    ids = torch.tensor([tokenizer.encode(DATA["texts"]["decoder"])])
    return model, tokenizer, ids, opened(model, ids, True, True, "")


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder", "Encoder", "Translator"])
def test_each_stage_opens_a_view_of_its_own(shown, name: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    seen = set()
    frame = keys.figure.locator(".live-map.wide .mark.open")
    for option in keys.figure.get_by_label("Open", exact=True).locator("option").all():
        stage = option.get_attribute("value")
        choose(keys, stage)
        assert panel(keys).count() == 1
        assert re.match(TITLES[stage.split(".")[1]], said(keys)), stage
        seen.add((frame.get_attribute("x"), frame.get_attribute("y"), said(keys)))
    stages = keys.figure.get_by_label("Open", exact=True).locator("option").count()
    assert len(seen) == stages and len({one[:2] for one in seen}) == stages


@browser
def test_the_frame_the_view_and_the_token_follow_the_mouse(shown) -> None:
    keys = Keys(shown, "map")
    keys.reach("Your text")
    wide = keys.figure.locator(".live-map.wide")
    frame, token = wide.locator(".mark.open"), keys.figure.get_by_label("Token", exact=True)
    before = frame.get_attribute("x"), said(keys), token.get_attribute("aria-valuetext")
    area = wide.locator("rect.map-block:not(.norm)").nth(1).bounding_box()
    keys.page.mouse.move(area["x"] + area["width"] - 20, area["y"] + area["height"] * 0.45)
    assert float(frame.get_attribute("x")) > float(before[0])
    row = re.match(r"Block 2, feed-forward: “(.+)”: ", said(keys))[1]
    assert token.get_attribute("aria-valuetext") == row != before[2]
    pointed = frame.get_attribute("x"), said(keys), token.get_attribute("aria-valuetext")
    view = panel(keys).bounding_box()
    keys.page.mouse.move(view["x"] + 40, view["y"] + 4)  # it stays, so that one can go there
    assert (frame.get_attribute("x"), said(keys), token.get_attribute("aria-valuetext")) == pointed
    keys.page.mouse.move(0, 0)  # nothing was pressed: what was chosen returns
    assert (frame.get_attribute("x"), said(keys), token.get_attribute("aria-valuetext")) == before
    # A press, in the map or in the view, chooses.
    keys.page.mouse.move(area["x"] + area["width"] - 20, area["y"] + area["height"] * 0.45)
    keys.page.mouse.move(view["x"] + 40, view["y"] + 4)
    keys.page.mouse.down()
    keys.page.mouse.up()
    keys.page.mouse.move(0, 0)
    assert (frame.get_attribute("x"), said(keys), token.get_attribute("aria-valuetext")) == pointed


@browser
def test_the_embedding_is_a_token_and_a_position(shown, first) -> None:
    model, _, ids, ours = first
    keys = Keys(shown, "map")
    choose(keys, "0.embed.")
    rows = [ours["embedded"][0, -1], ours["start"][0, -1] - ours["embedded"][0, -1],
            ours["start"][0, -1]]  # fmt: skip
    assert found(said(keys))[:3] == pytest.approx([float(one.norm()) for one in rows], abs=SHOWN)
    line = panel(keys).locator(".place").first
    line.focus()
    for number in range(1, 4):  # along the vector, with the keyboard
        keys.press("ArrowRight")
        assert f"Number {number} of {model.config.d_model}: token" in said(keys)
        expected = [float(one[number - 1]) for one in rows]
        assert found(said(keys))[-3:] == pytest.approx(expected, abs=SHOWN)
    box = panel(keys).bounding_box()
    keys.page.mouse.move(box["x"] + 3, box["y"] + 50)
    assert (
        f"Number 1 of {model.config.d_model}: token"
        in keys.figure.locator(".map-number").inner_text()
    )


@browser
@pytest.mark.parametrize("block", [0, 1])
def test_the_strongest_units_of_a_feed_forward_network_are_the_packages(
    shown, first, block: int
) -> None:
    model, _, _, ours = first
    keys = Keys(shown, "map")
    choose(keys, f"0.ffn.{block}")
    ffn, one = model.blocks[block].ffn, ours["blocks"][block]
    with torch.no_grad():
        inner = one["again"][0, -1] @ ffn.W_1.double() + ffn.b_1.double()
    inside = torch.nn.functional.gelu(inner, approximate="tanh")
    best = inside.argsort(descending=True)[:5].tolist()
    units = re.search(
        r"the strongest units: (.*?)\. It adds a vector of length ([\d.]+\d)", said(keys)
    )
    listed = re.findall(rf"(\d+): ({NUMBER}) becomes ({NUMBER})", units[1])
    assert [int(unit) - 1 for unit, _, _ in listed] == best
    for unit, before, after in listed:
        expected = [float(inner[int(unit) - 1]), float(inside[int(unit) - 1])]
        assert found(f"{before} {after}") == pytest.approx(expected, abs=SHOWN)
    assert float(units[2]) == pytest.approx(float(one["made"][0, -1].norm()), abs=SHOWN)
    panel(keys).locator(".place").first.focus()
    keys.press("ArrowRight")
    rows = [float(one[name][0, -1, 0]) for name in ("between", "made", "after")]
    assert found(said(keys))[-3:] == pytest.approx(rows, abs=SHOWN)


@browser
def test_the_last_vector_times_a_tokens_vector_is_its_score(shown, first) -> None:
    model, tokenizer, _, ours = first
    keys = Keys(shown, "map")
    choose(keys, "0.norm.")
    with torch.no_grad():
        last = model.norm(ours["blocks"][-1]["after"][0, -1].float()).double()
    logits, E = ours["logits"], model.embedding.weight.detach().double()
    best = logits.argsort(descending=True)[:5]
    listed = re.search(r"scores of the likeliest: (.*?)\. (?:The|Number)", said(keys))[1]
    assert found(listed) == pytest.approx(logits[best].tolist(), abs=1e-3)
    notes = panel(keys).locator("text.share").all_text_contents()
    for vector in ours["blocks"][-1]["after"][0, -1], last:
        mean, spread = float(vector.mean()), float(vector.std(correction=0))
        wanted = f"mean {mean:.2f}, spread {spread:.2f}".replace("-", "−")
        assert any(one.startswith(wanted) for one in notes), (wanted, notes)
    # The second token is chosen; then the first number of the products is pointed at.
    places = panel(keys).locator(".place")
    places.nth(6).press("Enter")
    places.first.focus()
    keys.press("ArrowRight")
    products = [last[0], E[best[1], 0], last[0] * E[best[1], 0]]
    assert found(said(keys))[-3:] == pytest.approx([float(one) for one in products], abs=SHOWN)
    name = tokenizer.tokens[int(best[1])].replace("Ġ", "␣")
    assert f"“{name}”" in said(keys)


@browser
@pytest.mark.parametrize("power", [0, -0.3, 0.5])
def test_scores_become_probabilities_step_by_step(shown, first, power: float) -> None:
    *_, ours = first
    keys = Keys(shown, "map")
    keys.figure.get_by_label("Temperature").fill(str(power))
    choose(keys, "0.scores.")
    T = round(10**power, 2)
    heat = ours["logits"] / T
    powers = (heat - heat.max()).exp()
    listed = found(said(keys))
    for n, id_ in enumerate(ours["logits"].argsort(descending=True)[: DATA["bars"]].tolist()):
        steps = [ours["logits"][id_], heat[id_], powers[id_], powers[id_] / powers.sum()]
        assert listed[4 * n : 4 * n + 4] == pytest.approx([float(x) for x in steps], abs=SHOWN)
    # What is printed divides: each score by the T above it.
    texts = panel(keys).locator("text").all_text_contents()
    assert texts[1:4] == ["token", "score s", f"s ÷ {T:.2f}"]
    for n in range(DATA["bars"]):
        score, divided = (float(one.replace("−", "-")) for one in texts[7 + 5 * n : 9 + 5 * n])
        assert divided == pytest.approx(score / T, abs=0.005 / T + 0.005)


@browser
@pytest.mark.parametrize("name", ["Decoder", "Encoder", "Translator"])
def test_each_stop_of_a_tour_shows_its_stage(shown, name: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    keys.reach("Show me around", "button")
    keys.press("Enter")
    for stop in stops(keys, name.lower()):
        title = SUMS if stop.get("sums") else TITLES[stop["open"].split(".")[1]]
        assert re.match(title, said(keys).replace(" is off", "")), stop["open"]
        if name != "Translator":  # the panel is in sight
            box = panel(keys).bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= 900


@browser
def test_the_first_screen_is_the_picture(chromium, themed) -> None:
    """Buttons above it, what answers a press within a low window, and nothing that moves."""
    viewport = {"width": 1280, "height": 800}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map", more=False)
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        # A model, a text, a tour and two examples: the rest is folded.
        above = keys.figure.locator(":is(.live-controls, .map-top) :is(button, input, select)")
        assert above.filter(visible=True).count() == 9
        row = [
            keys.figure.get_by_role("button", name=one, exact=True)
            for one in ("Decoder", "Translator", "Write the next token")
        ]
        boxes = [one.bounding_box() for one in (*row, keys.figure.get_by_label("Your text"))]
        middles = [box["y"] + box["height"] / 2 for box in boxes]
        assert max(middles) - min(middles) < 4
        view = keys.figure.locator(".live-map.wide").bounding_box()
        title = keys.figure.locator(".live-map.wide").get_by_text("Next token").bounding_box()
        assert title["y"] < 250
        head = keys.figure.get_by_label("Head", exact=True).bounding_box()
        rows = panel(keys).bounding_box()
        assert abs(head["y"] - rows["y"]) < 20 and view["y"] + view["height"] <= rows["y"] + 2
        sums = panel(keys).get_by_text("sum of weight").bounding_box()
        assert sums["y"] + sums["height"] <= 800
        keys.figure.get_by_role("button", name="More").click()
        view = keys.figure.locator(".live-map.wide").bounding_box()
        for label in "Draw one", "Let it run":
            button = keys.figure.get_by_role("button", name=label).bounding_box()
            assert middles[0] < button["y"] < view["y"] < button["y"] + 120
        keys.figure.get_by_role("button", name="Let it run").click()
        keys.figure.get_by_label("Switch off", exact=True).select_option("1.1")
        keys.figure.get_by_label("Positions").uncheck()
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        assert keys.figure.locator(".live-map.wide").bounding_box()["y"] == view["y"]
        choose(keys, "0.ffn.0")
        assert not keys.figure.get_by_label("Head", exact=True).is_visible()


@browser
def test_a_telephone_folds_what_is_not_needed_first(chromium, page_file) -> None:
    viewport = {"width": 390, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        heat = keys.figure.get_by_label("Temperature")
        assert not heat.is_visible()
        assert not keys.figure.get_by_text("Switch parts off").is_visible()
        keys.figure.get_by_text("More", exact=True).click()
        assert heat.is_visible() and keys.figure.get_by_text("Switch parts off").is_visible()


@browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_bars_and_the_text_stay_where_they_are_in_a_run(chromium, page_file, width) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        line, places = keys.figure.get_by_label("Your text"), set()

        def look() -> None:
            map_ = keys.figure.locator(".live-map").filter(visible=True)
            box = map_.get_by_text("Next token").bounding_box()
            places.add((round(box["y"] + page.evaluate("scrollY")), round(box["x"])))
            assert line.input_value() == written(keys)

        look()
        for label in "Draw one", "Write the next token", "Draw one":
            keys.figure.get_by_role("button", name=label).press("Enter")
            look()
        assert len(places) == 1
        # A run makes room for what it writes, once, as it begins.
        keys.figure.get_by_role("button", name="Let it run").press("Enter")
        ((high, _),) = places
        places.clear()
        look()
        assert 0 <= min(places)[0] - high <= 80
        keys.figure.locator(".live-map .place[aria-label*=probability]").filter(
            visible=True
        ).first.press("Enter")
        look()
        assert "reads the last" in keys.figure.locator(".live-note").first.inner_text()
        assert len(places) == 1
        story = keys.figure.locator(".live-story")
        added = written(keys).removeprefix(DATA["texts"]["decoder"])
        assert story.locator("strong").inner_text().strip() == added.strip()


@browser
def test_a_high_temperature_shows_numbers_and_bars_on_the_scale_of_before(shown, first) -> None:
    """So a bar that gets shorter is a probability that gets smaller."""
    *_, ours = first
    keys = Keys(shown, "map")
    keys.figure.get_by_label("Temperature").fill("0.7")
    wide = keys.figure.locator(".live-map.wide")
    hot, cold = ((ours["logits"] / T).softmax(-1).sort(descending=True) for T in (5.01, 1))
    texts = wide.locator("text").all_text_contents()
    for share in hot.values[: DATA["bars"]].tolist():
        assert 0.001 < share < 0.01 and f"{share:.3f}" in texts
    assert "grey: at T = 1" in texts
    guess = keys.figure.locator(".map-guess").inner_text()
    assert f"{100 * float(hot.values[0]):.1f} % (" in guess
    assert f"({100 * float(cold.values[0]):.0f} % at T = 1)" in guess
    lengths = """(all, kind) => all.filter((one) => one.getAttribute("class") === kind)
        .map((one) => one.width.baseVal.value)"""
    parts = wide.locator("rect")
    grey, own = (parts.evaluate_all(lengths, kind) for kind in ("track", "cell one"))
    keys.figure.get_by_label("Temperature").fill("0")
    assert "bars to 1" in wide.locator("text").all_text_contents()
    rooms = parts.evaluate_all(lengths, "track")
    for found_, expected in (grey, cold), (own, hot):
        shares = expected.values[: DATA["bars"]].tolist()
        drawn = [max(room * share, 0.5) for room, share in zip(rooms, shares, strict=True)]
        assert found_ == pytest.approx(drawn, abs=0.1)


@browser
def test_bars_are_full_at_1_or_if_all_are_small_at_a_fifth(shown) -> None:
    scale = """([shares, before]) => Live.mapStrip.full({ shares, before }, [0, 1])"""
    Keys(shown, "map")
    assert shown.evaluate(scale, [[0.34, 0.1], None]) == 1
    assert shown.evaluate(scale, [[0.05, 0.1], [0.5, 0.1]]) == 1
    assert shown.evaluate(scale, [[0.05, 0.1], [0.15, 0.1]]) == 0.2
    assert shown.evaluate(scale, [[0.05, 0.1], None]) == 0.2


@browser
def test_the_chosen_rows_vector_stands_below_each_stage(shown, first) -> None:
    *_, ours = first
    keys = Keys(shown, "map")
    each = [ours["start"], *(one[name] for one in ours["blocks"] for name in ("between", "after"))]
    most = max(float(one[0, -1].abs().max()) for one in each)
    wide = keys.figure.locator(".live-map.wide")
    assert f"to ±{most:.1f}" in wide.locator("text").all_text_contents()
    boxes = wide.locator("rect.slot").evaluate_all(
        "all => all.map(one => [one.y, one.width, one.height].map(({ baseVal }) => baseVal.value))"
    )
    lowest = max(y for y, _, _ in boxes)
    strips = [one for one in boxes if one[0] == lowest]
    assert len(strips) == len(each) and all(wide >= 60 and high >= 40 for _, wide, high in strips)


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder"])
def test_queries_keys_and_values_have_one_palette_and_scale(shown, name: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    row = panel(keys)
    assert not row.locator(".minus").count()
    kinds = row.locator("path.cell").evaluate_all("all => all.map(one => one.className.baseVal)")
    assert set(kinds) == {"cell above", "cell below"}
    # The sign is also a place: the upper half of a cell, or the lower.
    boxes = """all => all.map((one) => one.getBoundingClientRect())
        .map(({ y, height, width }) => [y, height, width])"""
    slots = row.locator("rect.slot").evaluate_all(boxes)
    for kind in "above", "below":
        for y, height, _ in row.locator(f"path.cell.{kind}").evaluate_all(boxes):
            top, high, _ = min(slots, key=lambda one: abs(one[0] + one[1] / 2 - y - height / 2))
            assert (y + height / 2 < top + high / 2) == (kind == "above")
    ((scale, *_),) = row.get_by_text("strips:").evaluate_all(boxes)
    beside = [width for y, _, width in slots if abs(y - scale) < 8]
    assert len(beside) == 1 and beside[0] < 120  # on a line of its own


@browser
@pytest.mark.parametrize("width", [390, 1280, 1600])
def test_nothing_runs_into_another_or_out_of_its_card(chromium, page_file, width: int) -> None:
    viewport = {"width": width, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        others = keys.figure.locator(".live-map").filter(visible=True).get_by_text(" others")
        right = others.evaluate(
            "one => [one.getBoundingClientRect().right, one.nextSibling.getBoundingClientRect().x]"
        )
        assert right[1] - right[0] > 4
        for name in "Decoder", "Larger decoder":
            family(keys, name)
            over = panel(keys).evaluate(
                """one => {
                    const cards = [...one.querySelectorAll("g[transform]")];
                    return cards.flatMap((card) => {
                        const { right } = card.querySelector(".map-block").getBoundingClientRect();
                        return [...card.children].filter((part) =>
                            part.getBoundingClientRect().right > right + 0.5);
                    }).map((part) => part.outerHTML);
                }"""
            )
            assert not over, over
