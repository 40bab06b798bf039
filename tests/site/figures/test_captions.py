"""Captions translated piece by piece: the package's numbers, texts and attention."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed
from live_site import computed

from tfcourse.runs import translate

OWN = "Zwei Hunde spielen im Schnee."


def as_ids(tokens, one: dict) -> tuple[list[int], list[int]]:
    return tokens.encode(one["source"], end=True), tokens.encode(one["reference"], start=True)


@browser
def test_the_scripts_translator_is_the_packages(loaded, captions) -> None:
    """At once, and token by token from caches: logits, and the weights of each head."""
    model, tokens, stored = captions
    for one in stored["captions"][:4]:
        ids, row = as_ids(tokens, one)
        with torch.no_grad():
            found = model(torch.tensor([ids]), torch.tensor([row]), return_weights=True)
        whole, last, maps = computed(
            loaded,
            """([ids, row]) => {
                const model = Live.translator(Live.data.captions), memory = model.encode(ids);
                const { logits, maps } = model.decode(row, memory);
                const caches = maps.map(() => ({ attention: [], cross: [] }));
                const each = row.map((id, first) => model.decode([id], memory, { caches, first }));
                return [logits, each.at(-1).logits, maps];
            }""",
            [ids, row],
        )
        right = found.logits[0, -1]
        assert (torch.tensor(whole) - right).abs().max() < NEAR
        assert (torch.tensor(last) - right).abs().max() < NEAR
        for block, theirs in zip(maps, found.maps["cross"], strict=True):
            assert (torch.tensor(block) - theirs[0]).abs().max() < NEAR


@browser
def test_pieces_are_cut_and_joined_as_in_the_package(loaded, captions) -> None:
    _, tokens, stored = captions
    texts = [one["source"] for one in stored["captions"]] + ["Übermut, groß & 3½ Œuvres!"]
    ids, again = computed(
        loaded,
        """texts => {
            const model = Live.translator(Live.data.captions);
            const cut = texts.map((text) => model.split(text).words);
            return [cut.map((one) => model.ids(one)), cut.map((one) => model.text(one))];
        }""",
        texts,
    )
    assert ids == [tokens.encode(text) for text in texts] and again == texts


@browser
@pytest.mark.parametrize("way", ["greedy", "beam"])
def test_the_texts_are_those_that_the_file_quotes(loaded, captions, way: str) -> None:
    model, tokens, stored = captions
    search, quoted = stored["search"], [one[way] for one in stored["captions"]][:5]
    beams = 1 if way == "greedy" else search["beams"]
    sources = [one["source"] for one in stored["captions"]][:5]
    said = computed(
        loaded,
        """([sources, beams, options]) => {
            const model = Live.translator(Live.data.captions);
            const read = (text) => model.split(text).words;
            const said = (one) => model.translate(read(one), beams, options).said;
            return sources.map((one) => model.text(said(one)));
        }""",
        [sources, beams, {"alpha": search["alpha"]}],
    )
    asked = {"num_beams": beams, "length_penalty": search["alpha"], "penalty_form": "gnmt"}
    longest = stored["sizes"]["longest"] - 1
    assert said == quoted == translate(
        model, tokens, tokens, sources, max_new_tokens=longest, **asked
    )  # fmt: skip


@browser
def test_captions(shown, captions) -> None:
    model, tokens, stored = captions
    keys = Keys(shown, "captions")
    typed(keys, OWN, "German caption")
    (said,) = translate(model, tokens, tokens, [OWN], max_new_tokens=59)
    assert keys.said.startswith(f"It wrote: {said} Before “end” it looks most at “")
    ids, row = tokens.encode(OWN, end=True), tokens.encode(said, start=True)
    with torch.no_grad():
        found = model(torch.tensor([ids]), torch.tensor([row]), return_weights=True)
    weights = found.maps["cross"][-1][0].mean(0)
    keys.reach("Piece written")
    keys.press("Home", "ArrowRight")
    piece = tokens.decode(row[2:3]).strip()
    best, place = weights[1].max(0)
    word = tokens.decode(ids[place : place + 1]).strip() if place < len(ids) - 1 else "end"
    told = f"Before “{piece}” it looks most at “{word}” ({best:.2f})"
    assert keys.said.startswith("Piece 2 of ") and told in keys.said
    assert "A person wrote" not in keys.drawn()
    choice = keys.figure.get_by_label("Of the test", exact=True)
    assert choice.input_value() == "-1"
    choice.select_option("1")
    one = stored["captions"][1]
    assert keys.figure.get_by_label("German caption", exact=True).input_value() == one["source"]
    keys.figure.get_by_role("button", name="Stop").click()
    keys = Keys(shown, "captions")
    keys.reach("Piece written")
    keys.press("End")
    assert keys.said.startswith(f"It wrote: {one['greedy']} ")
    assert keys.drawn().endswith(f"A person wrote: {one['reference']}")
    keys = Keys(shown, "captions")
    typed(keys, "", "German caption")
    keys.press("Delete")
    assert "Type at least one word." in keys.figure.locator(".live-note").inner_text()
