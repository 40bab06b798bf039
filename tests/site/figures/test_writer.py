"""A small GPT that goes on with a text, and what it may draw."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser
from live_site import computed

from tfcourse.generation import keep_top_k, keep_top_p


def next_logits(model, ids: list[int]) -> torch.Tensor:
    """The next token's scores; of a text that is too long, whole halves of the context go."""
    longest = model.config.context_length
    too_long = max(0, len(ids) - longest)
    first = longest // 2 * -(-too_long // (longest // 2))
    with torch.no_grad():
        return model(torch.tensor([ids[first:]])).logits[0, -1]


@browser
def test_a_text_that_grows_is_read_as_if_it_were_new(loaded, writer) -> None:
    """With a cache, past the end of the context, and after the text has changed or got shorter."""
    model, tokenizer = writer
    longest = model.config.context_length
    text = tokenizer.encode("Speak, what trade art thou? " * 30)[: longest + longest // 2 + 2]
    lengths = [9, 9, 7, *range(longest - 1, longest + 3), 5, len(text) - 1, len(text)]
    found = computed(
        loaded,
        """rows => {
            const model = Live.gpt(Live.data.writer);
            return rows.map((row) => model.next(row));
        }""",
        rows := [*(text[:length] for length in lengths), [*text[:4], 5, *text[5:9]]],
    )
    for row, logits in zip(rows, found, strict=True):
        assert (torch.tensor(logits) - next_logits(model, row)).abs().max() < NEAR


@browser
def test_the_scripts_gpt_is_the_packages(loaded, writer) -> None:
    model, tokenizer = writer
    ids = tokenizer.encode("My lord, I would not have you speak of it so soon, for the king")
    found = computed(loaded, "ids => Live.gpt(Live.data.writer).read(ids)", ids)
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
    found = computed(
        loaded,
        "([logits, settings]) => Live.chosen(logits, settings).shares",
        [logits.tolist(), settings],
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
    ids = tokenizer.encode("What say you, my")

    def agrees(**settings) -> None:
        logits = next_logits(model, ids) / settings.get("temperature", 1)
        logits = keep_top_k(logits, settings["k"]) if "k" in settings else logits
        likeliest = logits.softmax(-1).topk(min(3, settings.get("k", 3)))
        said = keys.drawn().partition("tokens: ")[2].partition(". The text")[0]
        for share, id_ in zip(*(found.tolist() for found in likeliest), strict=True):
            token = tokenizer.token(id_).replace("Ġ", "␣").replace("Ċ", "⏎")
            assert f"{token} {share:.3f}" in said or f"{token} {share:.4f}" in said

    agrees()
    keys.reach("Write 40 tokens greedily", "button")
    keys.press("Enter")
    for _ in range(40):
        ids.append(int(next_logits(model, ids).argmax()))
    assert keys.drawn().partition("The text so far: ")[2] == tokenizer.decode(ids)
    keys = Keys(shown, "writer")
    keys.reach("Top-k")
    keys.press("Home", "ArrowRight", "ArrowRight")
    agrees(k=2)
    assert keys.said.startswith("2 of 512 tokens can be drawn")
    keys.reach("Draw one token", "button")
    keys.press("Enter")
    text = keys.drawn().partition("The text so far: ")[2]
    assert text.startswith(tokenizer.decode(ids)) and len(text) > 20
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
