"""Numbers and dates translated, and what the decoder looks at."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed

from tfcourse.data.number_words import number_words


@browser
def test_the_scripts_translator_is_the_packages(loaded, translator) -> None:
    module, model, words = translator
    pairs = module.pairs_of("test", held_out=6)[:40:2]
    assert len(pairs) == 20
    for source, target in pairs:
        ids, row = module.as_pair(words, source, target)
        for length in (1, len(row) - 1):
            with torch.no_grad():
                found = model(
                    torch.tensor([ids]), torch.tensor([row[:length]]), return_weights=True
                )
            logits, maps = loaded.evaluate(
                """([ids, row]) => {
                    const model = Live.translator(Live.data.translator);
                    const { logits, maps } = model.decode(row, model.encode(ids));
                    return [logits, maps];
                }""",
                [ids, row[:length]],
            )
            assert logits == pytest.approx(found.logits[0, -1].tolist(), abs=1e-3)
            for block, theirs in zip(maps, found.maps["cross"], strict=True):
                assert (torch.tensor(block) - theirs[0]).abs().max() < NEAR


@browser
def test_whoever_types_a_small_number_gets_it(loaded, translator) -> None:
    """0 to 100, as they are spelled, from each language into the two others."""
    languages = translator[0].LANGUAGES
    asked = [
        (name, number_words(number, a), number_words(number, b))
        for a in languages
        for b, name in languages.items()
        if a != b
        for number in range(101)
    ]
    said = loaded.evaluate(
        """asked => {
            const model = Live.translator(Live.data.translator);
            const read = (text) => model.split(text).words;
            return asked.map(([into, text]) => model.translate([into, ...read(text)]).said);
        }""",
        asked,
    )
    words = loaded.evaluate(
        "texts => texts.map((text) => Live.translator(Live.data.translator).split(text).words)",
        [target for *_, target in asked],
    )
    wrong = [one for one, a, b in zip(asked, said, words, strict=True) if a != b]
    assert not wrong and len(asked) == 606


@browser
def test_translator(shown, translator) -> None:
    module, model, words = translator
    keys = Keys(shown, "translator")
    for language, text in (
        ("english", "acht und neunzig"),
        ("english", "März 3, 1999"),
        ("english", "siebenunddreißigtausend"),
    ):
        typed(keys, text, "A number or a date, in words")
        read = shown.evaluate(
            "text => Live.translator(Live.data.translator).split(text).words", text
        )
        (said,) = module.translate(
            model, words, words, [" ".join([language, *read])], max_new_tokens=22
        )
        assert keys.drawn().startswith(
            f"Written: {said.replace(' ,', ',')}. Before {said.split()[0]} it looks at "
        )
    keys.reach("Word written")
    keys.press("ArrowRight")
    assert f"Before writing {said.split()[1]} it looks most at" in keys.said
    keys = Keys(shown, "translator")
    keys.reach("Into")
    keys.press("ArrowDown")
    (said,) = module.translate(
        model, words, words, [" ".join(["français", *read])], max_new_tokens=22
    )
    assert keys.drawn().startswith(f"Written: {said}. Before {said.split()[1]} ")
    keys = Keys(shown, "translator")
    typed(keys, "a zebra", "A number or a date, in words")
    assert "It has never seen a and zebra" in keys.figure.locator(".live-note").inner_text()
    keys.press("Control+a", "Delete")
    assert "Type at least one word." in keys.figure.locator(".live-note").inner_text()
