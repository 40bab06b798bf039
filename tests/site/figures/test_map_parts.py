"""What a tour lights, and the map's panels that take a number apart."""

import re

import pytest
import torch
from figure_pages import NEAR, Keys, browser
from live_site import offline

from .test_inside import opened
from .test_map import DATA, SHOWN, family, stops
from .test_map_views import choose, found, panel, said

#: The named parts of a picture that are lit, and those that are dimmed, if anything is drawn there.
PARTS = """(one) => ["lit", "dim"].map((kind) => [...one.querySelectorAll(`g.${kind}`)]
    .filter((part) => { const { width, height } = part.getBBox(); return width + height; })
    .map((part) => part.dataset.parts.split(" ")))"""
TERM = re.compile(r"(\d+) ([−\d]+\.\d{4})")


def numbers(text: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in re.findall(r"[−]?\d+\.\d+", text)]


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder", "Encoder", "Translator"])
def test_each_stop_lights_what_it_names_and_shows_something_new(shown, name: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    map_ = keys.figure.locator(".live-map").filter(visible=True)
    keys.reach("Show me around", "button")
    keys.press("Enter")
    seen = []
    for number, stop in enumerate(stops(keys, name.lower()), start=1):
        assert stop["map"], number
        pictures = {"map": map_, "stage": panel(keys)}
        for which, picture in pictures.items():
            lit, dim = picture.evaluate(PARTS)
            names = stop.get(which, [])
            for part in names:
                assert any(part in own for own in lit), (number, which, part)
            assert not any(part in own for own in dim for part in names), (number, which)
            assert bool(dim) == bool(names), (number, which)
        seen.append("".join(one.evaluate("one => one.innerHTML") for one in pictures.values()))
    assert len(set(seen)) == len(seen)
    assert not map_.locator("g.dim").count() + panel(keys).locator("g.dim").count()


@browser
def test_a_telephone_shows_the_panel_that_a_stop_is_about(chromium, page_file) -> None:
    viewport = {"width": 390, "height": 844}
    with offline(chromium, reduced_motion="reduce", viewport=viewport) as page:
        page.folder = page_file.parent
        keys = Keys(page, "map")
        map_ = keys.figure.locator(".live-map").filter(visible=True)
        card = keys.figure.locator(".map-tour")
        keys.reach("Show me around", "button")
        keys.press("Enter")
        for number, stop in enumerate(stops(keys, "decoder"), start=1):
            lit, _ = map_.evaluate(PARTS)
            for part in stop["map"]:
                assert any(part in own for own in lit), (number, part)
            if stop.get("see") == "numbers":  # several in a row
                box, words = panel(keys).bounding_box(), card.bounding_box()
                assert words["y"] + words["height"] <= box["y"], number
                assert box["y"] + box["height"] <= 844, number


@browser
def test_a_number_of_a_query_key_or_value_is_the_row_times_a_column(shown, captioner) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    keys.reach("Your text")
    ids = torch.tensor([tokenizer.encode(DATA["texts"]["decoder"])])
    one = opened(model, ids, True, True, "")["blocks"][0]
    X, attention, h = one["before"][0], model.blocks[0].attention, DATA["head"]
    D, d = X.shape[1], X.shape[1] // model.config.num_heads
    best = int(one["maps"][h, -1].argmax())

    def agrees(which: int, t: int, i: int) -> None:
        column = which * D + h * d + i
        terms = X[t] * attention.W_QKV[:, column].detach().double()
        bias = float(attention.b_QKV.detach()[column])
        text = said(keys).split(f"Number {i + 1} of the {('query', 'key', 'value')[which]} of ")[1]
        assert text.startswith(tokenizer.tokens[ids[0, t]].replace("Ġ", "␣"))
        listed, rest = text.split("terms of x times W_")[1].split("; bias ")
        assert listed[0] == "QKV"[which]
        shown_ = {int(n) - 1: float(x.replace("−", "-")) for n, x in TERM.findall(listed)}
        assert [shown_[n] for n in range(D)] == pytest.approx(terms.tolist(), abs=SHOWN)
        sizes = [abs(float(x.replace("−", "-"))) for _, x in TERM.findall(listed)]
        assert sizes == sorted(sizes, reverse=True)
        assert numbers(rest) == pytest.approx([bias, float(terms.sum()) + bias], abs=SHOWN)
        # The card has the largest terms, the sum of all others, and the number.
        texts = panel(keys).locator("g[transform] > text").all_text_contents()[5:]
        rows = [numbers(" ".join(texts[n : n + 4])) for n in range(0, 12, 4)]
        order = terms.abs().argsort(descending=True).tolist()
        for row, n in zip(rows, order, strict=False):
            weight = float(attention.W_QKV.detach()[n, column])
            assert row == pytest.approx([float(X[t, n]), weight, float(terms[n])], abs=6e-3)
        assert numbers(texts[-1]) == pytest.approx([float(terms.sum()) + bias], abs=6e-3)
        count = len(texts) // 4 - 1
        left = float(terms.sum() - terms[order[:count]].sum()) + bias
        assert texts[4 * count].startswith(f"{D - count} more, bias")
        assert numbers(texts[-3]) == pytest.approx([left], abs=6e-3)

    row, closed = panel(keys), said(keys)
    box = row.bounding_box()
    scale = box["width"] / 910
    cell = (290 - 82) / d
    keys.page.mouse.click(box["x"] + scale * (82 + 2.5 * cell), box["y"] + scale * 32)
    agrees(0, -1, 2)
    assert row.locator("rect.mark").count() == 1
    keys.page.mouse.move(box["x"] + scale * (82 + 4.5 * cell), box["y"] + scale * 32)
    agrees(0, -1, 4)  # another one while the mouse is on it
    keys.page.mouse.move(0, 0)
    agrees(0, -1, 2)
    keys.page.mouse.click(box["x"] + scale * (82 + 2.5 * cell), box["y"] + scale * 32)
    keys.page.mouse.move(0, 0)
    assert said(keys) == closed
    # With the keyboard: Enter on a number opens the query's, the key's, the value's, and closes.
    row.locator(".place").nth(best).focus()
    keys.press("ArrowRight", "Enter")
    agrees(0, -1, 0)
    keys.press("Enter")
    agrees(1, best, 0)
    keys.press("ArrowRight")
    agrees(1, best, 1)
    keys.press("ArrowLeft", "Enter")
    agrees(2, best, 0)
    keys.press("Enter")
    assert "the terms of x" not in said(keys)


@browser
@pytest.mark.parametrize(
    ("name", "stage"),
    [("Larger decoder", "0.self.2"), ("Encoder", "0.self.0"), ("Translator", "1.cross.1"),
     ("Translator", "1.self.0"), ("Translator", "0.self.1")],
)  # fmt: skip
def test_the_terms_and_the_bias_add_up_in_each_model(shown, name: str, stage: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    choose(keys, stage)
    panel(keys).locator(".place").first.focus()
    keys.press("ArrowRight", "ArrowRight", "ArrowRight")
    for part in "query", "key", "value":
        keys.press("Enter")
        text = said(keys).split(f"Number 3 of the {part} of ")[1]
        listed, rest = text.split("; bias ")
        bias, whole = numbers(rest)
        terms = [float(x.replace("−", "-")) for _, x in TERM.findall(listed)]
        assert len(terms) > 20
        assert sum(terms) + bias == pytest.approx(whole, abs=len(terms) * 5e-5 + NEAR)


@browser
@pytest.mark.parametrize("block", [0, 1])
def test_all_heads_together_add_what_the_packages_attention_adds(shown, captioner, block) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    choose(keys, f"0.self.{block}")
    ids = torch.tensor([tokenizer.encode(DATA["texts"]["decoder"])])
    ours = opened(model, ids, True, True, "")
    one, attention = ours["blocks"][block], model.blocks[block].attention
    before = ours["blocks"][block - 1]["after"] if block else ours["start"]
    D = model.config.d_model
    with torch.no_grad():
        V = (one["before"][0] @ attention.W_QKV.double() + attention.b_QKV.double())[:, 2 * D :]
        heads = [w[-1] @ v for w, v in zip(one["maps"], V.chunk(len(one["maps"]), 1), strict=True)]
        added = torch.cat(heads) @ attention.W_O.double() + attention.b_O.double()
    press = keys.figure.get_by_role("button", name="All heads")
    press.press("Enter")
    assert press.get_attribute("aria-pressed") == "true"
    assert said(keys).startswith(f"Block {block + 1}, all heads: added to “")
    sizes = [float(torch.cat(heads).norm()), float(added.norm())]
    assert found(said(keys))[:2] == pytest.approx(sizes, abs=SHOWN)
    assert panel(keys).locator("path.cut").count() == len(heads) - 1
    panel(keys).locator(".place").nth(1).focus()
    keys.press("ArrowRight")
    rows = [float(x) for x in (before[0, -1, 0], added[0], one["between"][0, -1, 0])]
    assert found(said(keys))[-3:] == pytest.approx(rows, abs=SHOWN)
    press.press("Enter")
    assert f"Block {block + 1}, head " in said(keys)


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder", "Encoder"])
def test_the_last_norm_step_by_step(shown, captioner, writer, gaps, name: str) -> None:
    keys = Keys(shown, "map")
    family(keys, name)
    choose(keys, "0.norm.")
    if name == "Encoder":
        model, words = gaps
        norm = model.words.norm
        row = DATA["texts"]["encoder"].split()
        ids = [words.index("<mask>" if t == DATA["gap"] else w) for t, w in enumerate(row)]
        seen: list[torch.Tensor] = []
        hooks = [model.words.register_forward_pre_hook(lambda _, args: seen.append(args[0])),
                 norm.register_forward_pre_hook(lambda _, args: seen.append(args[0]))]  # fmt: skip
        with torch.no_grad():
            states = model.encode(torch.tensor([ids]))
            states = states[0] if isinstance(states, tuple) else states
            model.words(states[:, DATA["gap"]], model.embedding.weight)
        for hook in hooks:
            hook.remove()
        steps = [one.flatten().double() for one in seen]
    else:
        model, tokenizer = captioner if name == "Decoder" else writer
        norm = model.norm
        ids = torch.tensor([tokenizer.encode(DATA["texts"][name.lower()])])
        steps = [opened(model, ids, True, True, "")["blocks"][-1]["after"][0, -1]]
    x = steps[-1]
    even = (x - x.mean()) / (x.var(correction=0) + norm.eps).sqrt()
    gain, shift = norm.gain.detach().double(), norm.shift.detach().double()
    steps += [even, gain, shift, even * gain + shift]
    panel(keys).locator(".place").first.focus()
    for n in range(3):
        keys.press("ArrowRight")
        values = [float(one[n]) for one in steps]
        assert found(said(keys))[-len(values) :] == pytest.approx(values, abs=2 * SHOWN)
    lines = panel(keys).locator("text").all_text_contents()
    assert {"(x − mean) ÷ spread", "× γ, the gain", "+ β, the shift"} <= set(lines)
    # A token that is chosen shows its score, and again the norm.
    token = panel(keys).locator(".place").nth(len(steps))
    label = token.get_attribute("aria-label")
    token.focus()
    assert "× γ, the gain" not in panel(keys).locator("text").all_text_contents()
    focused = "document.activeElement.getAttribute('aria-label')"
    assert shown.evaluate(focused) == label and "score" in label
    keys.press("Enter", "Enter")
    assert "× γ, the gain" in panel(keys).locator("text").all_text_contents()


@browser
@pytest.mark.parametrize("block", [0, 1])
def test_a_unit_says_where_it_is_strong_and_what_it_changes(shown, captioner, block: int) -> None:
    model, tokenizer = captioner
    keys = Keys(shown, "map")
    choose(keys, f"0.ffn.{block}")
    ids = torch.tensor([tokenizer.encode(DATA["texts"]["decoder"])])
    ours, ffn = opened(model, ids, True, True, ""), model.blocks[block].ffn
    end = ours["blocks"][-1]["after"][0, -1]

    def token(i: int) -> str:
        return tokenizer.tokens[i].replace("Ġ", "␣")

    with torch.no_grad():
        inner = ours["blocks"][block]["again"][0] @ ffn.W_1.double() + ffn.b_1.double()
        inside = torch.nn.functional.gelu(inner, approximate="tanh")

        def shares(x: torch.Tensor) -> torch.Tensor:
            return (model.norm(x.float()) @ model.embedding.weight.T).double().softmax(-1)

        for place, unit in enumerate(inside[-1].argsort(descending=True)[:5].tolist()):
            without = shares(end - inside[-1, unit] * ffn.W_2[unit].double())
            change = shares(end) - without
            up, down = int(change.argmax()), int(change.argmin())
            panel(keys).locator(".place").nth(5 + place).focus()
            text = keys.figure.locator(".map-number").inner_text()
            strong = [
                n for n in inside[:, unit].argsort(descending=True)[:2] if inside[n, unit] > 0
            ]
            listed = ", ".join(
                f"“{token(int(ids[0, n]))}” {float(inside[n, unit]):.2f}" for n in strong
            )
            assert f"Strongest in this text at {listed}." in text
            told = re.search(r"at its end: next (.+)\.$", text)[1]
            names = re.findall(r"“(.+?)” (.+?), not ([\d.]+)", told)
            assert [one[0] for one in names] == [token(up), token(down)]
            for (_, left, whole), id_ in zip(names, (up, down), strict=True):
                expected = [float(without[id_]), float(shares(end)[id_])]
                assert numbers(f"{left} {whole}") == pytest.approx(expected, abs=6e-3)
            card = panel(keys).locator("g[transform] text").all_text_contents()
            label = f"{unit + 1} +{token(up)} −{token(down)}"
            assert any(one.rstrip("…") and label.startswith(one.rstrip("…")) for one in card)


@browser
@pytest.mark.parametrize("name", ["Encoder", "Translator"])
def test_no_unit_of_another_model_is_said_to_raise_a_token(shown, name: str) -> None:
    """Their norms follow each sum, so that what a unit gives does not reach the scores as it is."""
    keys = Keys(shown, "map")
    family(keys, name)
    choose(keys, "0.ffn.0")
    panel(keys).locator(".place").nth(4).focus()
    text = keys.figure.locator(".map-number").inner_text()
    assert "Strongest in this text" in text and "at its end" not in text
