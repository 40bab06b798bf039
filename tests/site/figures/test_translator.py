"""Numbers and dates translated, and what the decoder looks at."""

import random
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed
from live_site import computed

from tfcourse.data.number_pairs import draw_numbers
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
            logits, maps = computed(
                loaded,
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


def share_right(loaded, asked: list[tuple[str, str, str]]) -> float:
    """Of (language to write, text, translation), the share that the page translates exactly."""
    right = computed(
        loaded,
        """asked => {
            const model = Live.translator(Live.data.translator);
            const read = (text) => model.split(text).words;
            return asked.map(([into, text, target]) =>
                String(model.translate([into, ...read(text)]).said) === String(read(target)));
        }""",
        asked,
    )
    return sum(right) / len(asked)


def in_words(module, numbers: Iterable[int]) -> list[tuple[str, str, str]]:
    """Each number as it is spelled, from each language into the two others."""
    return [
        (module.LANGUAGES[b], number_words(number, a), number_words(number, b))
        for a, b in permutations(module.LANGUAGES, 2)
        for number in numbers
    ]


@browser
@pytest.mark.parametrize("numbers", [range(101), range(1000, 100_001, 1000)], ids=str)
def test_whoever_types_a_small_or_a_round_number_gets_it(loaded, translator, numbers) -> None:
    assert share_right(loaded, in_words(translator[0], numbers)) == 1


@browser
def test_of_new_numbers_below_a_million_as_many_are_right_as_the_page_says(
    loaded, translator, course: Path
) -> None:
    """More than nine in ten, of numbers that are in no training pair."""
    module = translator[0]
    page = " ".join((course / "book" / "explore.md").read_text("utf-8").split())
    assert "more than nine in ten" in page
    seen = {*draw_numbers("train", largest=999_999, examples=6000, held_out=1000, seed=0)}
    seen |= {*module.with_zeros(6000), *range(2000)}
    drawn = random.Random(2026).sample(sorted({*range(1_000_000)} - seen), 300)
    asked = [in_words(module, [number])[n % 6] for n, number in enumerate(drawn)]
    assert share_right(loaded, asked) > 0.9


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
