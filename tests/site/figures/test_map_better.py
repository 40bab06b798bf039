"""The map of the larger models: the encoder of film reviews, and the translator of captions."""

import pytest
import torch
from figure_pages import Keys, browser, typed
from live_site import offline

from tfcourse.runs import translate

from .test_map import DATA, SHOWN, agree, family, numbers, written
from .test_map_views import choose, found, panel, said
from .test_stacks import parts_off

LETTERS = "one => parseFloat(getComputedStyle(one).fontSize)"


def note(keys: Keys) -> str:
    return keys.figure.locator(".live-note").first.inner_text()


@browser
def test_the_encoder_of_reviews_is_the_packages(shown, masked) -> None:
    models, tokenizer = masked
    model = models["both"].double()
    keys = Keys(shown, "map")
    family(keys, "Review encoder")
    text = DATA["texts"]["review encoder"]
    assert written(keys).split() == text.replace("___", "[___]").split() and not note(keys)
    cls, sep, mask = (tokenizer.tokens.index(one) for one in ("[CLS]", "[SEP]", "[MASK]"))
    ids = [mask if one == "___" else tokenizer.tokens.index(one) for one in text.split()]
    place, sizes = text.split().index("___") + 1, []
    hooks = [
        part.register_forward_hook(
            lambda _, __, out: sizes.append((out[0] if isinstance(out, tuple) else out)[0, place])
        )
        for block in model.blocks
        for part in (block.attention, block.ffn)
    ]
    tokens = torch.tensor([[cls, *ids, sep]])
    with torch.no_grad():
        logits = model(tokens).logits[0, place]
        for hook in hooks:
            hook.remove()
        _, maps = model.encode(tokens, return_weights=True)
    models["both"].float()
    agree(numbers(keys), sizes, [one[0, DATA["head"], place] for one in maps], logits)
    # A gap is typed as in BERT, too, and a word that it does not know is named at once.
    typed(keys, "he falls in [MASK] with a zebra", "Your text")
    assert written(keys).split() == ["he", "falls", "in", "[___]", "with", "a", "zebra"]
    assert "“zebra”" in note(keys)
    keys.figure.locator(".live-map.wide").get_by_text("falls", exact=True).click(force=True)
    assert "You hid “falls”" in keys.said
    family(keys, "Encoder")
    typed(keys, "she sang a [MASK] note", "Your text")
    assert written(keys) == "she sang a [___] note "


@browser
def test_the_translator_of_captions_is_the_packages(shown, captions) -> None:
    model, tokens, _ = captions
    keys = Keys(shown, "map")
    family(keys, "Caption translator")
    text = DATA["texts"]["caption translator"]
    assert written(keys) == f"{text} → …" and not note(keys)
    keys.reach("Write the next token", "button")
    keys.press("Enter", "Enter")
    ids, row = tokens.encode(text, end=True), tokens.encode("Two dogs", start=True)
    assert written(keys) == f"{text} → {tokens.decode(row[1:])}"
    one, _ = parts_off(model, True, "")
    added: list[torch.Tensor] = []
    for block in one.decoder:
        for part in block.attention, block.cross, block.ffn:
            part.register_forward_hook(
                lambda _, __, out: added.append(out[0] if isinstance(out, tuple) else out)
            )
    with torch.no_grad():
        ours = one(torch.tensor([ids]), torch.tensor([row]), return_weights=True)
    pairs = zip(ours.maps["decoder"], ours.maps["cross"], strict=True)
    weights = [each[0, DATA["head"], -1] for pair in pairs for each in pair]
    logits = ours.logits[0, -1]
    agree(numbers(keys), [out[0, -1] for out in added], weights, logits)
    # The norm at the end of the decoder stands before the scores.
    choose(keys, "1.norm.")
    assert panel(keys).count() == 1 and said(keys).startswith("Final norm, and scores: ")
    best = logits.sort(descending=True).values[:5].tolist()
    assert found(said(keys))[:5] == pytest.approx(best, abs=20 * SHOWN)
    keys.figure.get_by_role("button", name="Let it run").click()
    keys.figure.get_by_role("button", name="Begin again").wait_for()
    (whole,) = translate(model, tokens, tokens, [text], max_new_tokens=20)
    assert written(keys) == f"{text} → {whole}"
    typed(keys, "The dog runs", "Your text")
    assert "type a German sentence" in note(keys)


@browser
def test_a_number_of_the_sum_is_taken_apart_and_a_masked_score_is_infinite(shown) -> None:
    keys = Keys(shown, "map")
    keys.reach("Your text")
    cell = panel(keys)
    box, scale = cell.bounding_box(), cell.evaluate("one => one.getScreenCTM().a")
    sums = cell.get_by_text("sum of weight").bounding_box()
    x, y = box["x"] + 430 * scale, sums["y"] + sums["height"] / 2
    shown.mouse.click(x, y)
    texts = cell.locator("text").all_text_contents()
    assert {"key", "weight", "× v", "= term", "= number 1 of the sum"} <= set(texts)
    terms = said(keys).split("the terms of weight times value: ")[1]
    *each, total = found(terms)
    assert len(each) == len(DATA["texts"]["decoder"].split())
    assert total == pytest.approx(sum(each), abs=len(each) * SHOWN)
    assert total == pytest.approx(found(said(keys).split("The head's sum: ")[1])[0], abs=SHOWN)
    # The second row does not see the third.
    keys.figure.locator(".live-map.wide").get_by_text("␣dog").first.click(force=True)
    shown.mouse.move(0, 0)
    row = panel(keys).locator("text").all_text_contents()
    assert row.count("masked") == 3 and row.count("−∞") == 3


@browser
def test_the_picture_alone_for_a_lecture(chromium, themed) -> None:
    viewport = {"width": 1600, "height": 900}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = themed.parent
        keys = Keys(page, "map")
        map_, button = keys.figure.locator(".live-map.wide"), keys.figure.get_by_text("Write the")
        before = map_.bounding_box()["width"], button.evaluate(LETTERS)
        keys.figure.get_by_role("button", name="Large").press("Enter")
        assert not page.locator(".bd-article h1").is_visible()
        assert not page.locator(".bd-sidebar-primary").is_visible()
        assert map_.bounding_box()["width"] > 1.1 * before[0]
        assert button.evaluate(LETTERS) > 1.1 * before[1]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        keys.press("Escape")
        assert (map_.bounding_box()["width"], button.evaluate(LETTERS)) == before
        assert page.locator(".bd-article h1").is_visible()
