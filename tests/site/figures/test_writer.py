"""A small GPT that goes on with a text, and what it may draw."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser

from tfcourse.generation import keep_top_k, keep_top_p


@browser
def test_the_scripts_gpt_is_the_packages(loaded, writer) -> None:
    model, tokenizer = writer
    ids = tokenizer.encode("My lord, I would not have you speak of it so soon, for the king")
    found = loaded.evaluate("ids => Live.gpt(Live.data.writer).read(ids)", ids)
    with torch.no_grad():
        output = model(torch.tensor([ids]), return_weights=True)
    assert (torch.tensor(found["logits"]) - output.logits[0, -1]).abs().max() < NEAR
    maps = torch.stack(output.maps["self"])[:, 0]
    assert (torch.tensor(found["maps"]) - maps).abs().max() < NEAR


@browser
@pytest.mark.parametrize(
    "settings",
    [{}, {"temperature": 0.4}, {"k": 3}, {"p": 0.6}, {"temperature": 2, "k": 9, "p": 0.8}],
)
def test_what_may_be_drawn_is_as_in_the_package(loaded, generator, settings: dict) -> None:
    logits = torch.randn(50, generator=generator, dtype=torch.float64)
    found = loaded.evaluate(
        "([logits, settings]) => Live.chosen(logits, settings).shares", [logits.tolist(), settings]
    )
    kept = logits / settings.get("temperature", 1)
    if "k" in settings:
        kept = keep_top_k(kept, settings["k"])
    if "p" in settings:
        kept = keep_top_p(kept, settings["p"])
    assert found == pytest.approx(kept.softmax(-1).tolist(), abs=1e-12)


@browser
def test_writer(shown, writer) -> None:
    keys, (model, tokenizer) = Keys(shown, "writer"), writer
    keys.reach("Beginning")
    keys.press("Control+a")
    keys.page.keyboard.type("What say you, my")
    ids = torch.tensor([tokenizer.encode("What say you, my")])

    def agrees(**settings) -> None:
        with torch.no_grad():
            logits = model(ids[:, -model.config.context_length :]).logits[0, -1]
        logits = logits / settings.get("temperature", 1)
        logits = keep_top_k(logits, settings["k"]) if "k" in settings else logits
        likeliest = logits.softmax(-1).topk(min(3, settings.get("k", 3)))
        said = keys.drawn().partition("tokens: ")[2].partition(". The text")[0]
        for share, id_ in zip(*(found.tolist() for found in likeliest), strict=True):
            token = tokenizer.token(id_).replace("Ġ", "␣").replace("Ċ", "⏎")
            assert f"{token} {share:.3f}" in said or f"{token} {share:.4f}" in said

    agrees()
    keys.reach("Write 20 tokens greedily", "button")
    keys.press("Enter")
    for _ in range(20):
        with torch.no_grad():
            best = model(ids[:, -model.config.context_length :]).logits[:, -1:].argmax(-1)
        ids = torch.cat([ids, best], dim=1)
    assert keys.drawn().partition("The text so far: ")[2] == tokenizer.decode(ids[0].tolist())
    keys = Keys(shown, "writer")
    keys.reach("Top-k")
    keys.press("Home", "ArrowRight", "ArrowRight")
    agrees(k=2)
    assert keys.said.startswith("2 of 512 tokens can be drawn")
    keys.reach("Draw one token", "button")
    keys.press("Enter")
    text = keys.drawn().partition("The text so far: ")[2]
    assert text.startswith(tokenizer.decode(ids[0].tolist())) and len(text) > 20
    keys.reach("Start again", "button")
    keys.press("Enter")
    beginning = keys.figure.get_by_label("Beginning", exact=True)
    assert keys.drawn().endswith("The text so far: What say you, my"), "the reader's own text"
    assert beginning.input_value() == "What say you, my"
    drawn = []
    for _ in range(2):  # the same draws again
        keys.reach("Draw one token", "button")
        keys.press("Enter")
        drawn.append(keys.drawn())
        keys.reach("Start again", "button")
        keys.press("Enter")
    assert drawn[0] == drawn[1]
