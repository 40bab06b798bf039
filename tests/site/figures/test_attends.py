"""The home page's figure: what a word attends to, and that it moves once."""

from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers, stored_sentence, typed
from live_site import offline, own_page, stored_model

from coursebook.live.catalogue import FIGURES


@browser
def test_attends(shown, reader, course: Path) -> None:
    """The home page's figure: a real encoder's weights, and the small model's for other texts."""
    keys, data = Keys(shown, "attends"), FIGURES["attends"].data

    def expect(words: list[str], place: int, row: torch.Tensor, name: str) -> None:
        for picture in 0, 1:
            assert keys.drawn(picture).startswith(f"{name}. The weights of {words[place]}: ")
            weights = numbers(keys.drawn(picture).partition(": ")[2])
            assert weights == pytest.approx(row.tolist(), abs=0.005 + NEAR)
        best = f"{words[int(row.argmax())]} ({round(100 * row.max().item())} %)"
        assert f"attends most to {best}" in keys.said

    keys.press("Shift")
    for n, sentence in enumerate((data["sentence"], *data["others"])):
        if n:
            keys.reach(sentence, "button")
            keys.press("Enter")
        one = stored_sentence(course, sentence)
        keys.reach("Word")
        keys.press("Home", *["ArrowRight"] * one["asks"])
        layer, head = one["head"].split(".")
        row = torch.tensor(one["heads"][one["head"]][one["asks"]]) / 1000
        expect(one["words"], one["asks"], row, f"Layer {layer}, head {head}")
        assert "all-MiniLM-L6-v2 has read this" in keys.figure.inner_text()
        assert "takes note" not in keys.said
    labels = stored_model(course, "reader")["senses"]["labels"]
    for text in "a note lay on the table", "the violinist played a high note on the cello":
        typed(keys, text, "Type a sentence")
        words, found = text.split(), reader(text.split())
        head = data["head"]
        expect(words, words.index("note"), found["weights"][head, words.index("note")],
               f"Head {head + 1}")  # fmt: skip
        sense = labels[int(found["sense"].argmax())]
        assert f"takes note for a {sense} (probability {found['sense'].max():.2f})" in keys.said
        assert not keys.figure.locator(".strange").count()
        assert "Read by our small model" in keys.figure.inner_text()
    typed(keys, "The zebra played a flute", "Type a sentence")
    assert keys.figure.locator(".strange").all_text_contents()[:1] == ["zebra"]
    assert "Type a sentence with the word note" in " ".join(keys.texts())


@browser
def test_the_home_pages_figure_moves_once_and_stops(chromium, page_file: Path) -> None:
    """Less than five seconds, and not for those who want less motion or who begin to type."""
    word = "() => document.querySelector('svg .q.name').textContent"
    for motion, key in (("reduce", ""), ("no-preference", "Shift"), ("no-preference", "")):
        with offline(chromium, reduced_motion=motion) as page:
            page.clock.install(time=0)
            page.clock.pause_at(1000)  # or a busy machine would see only the end
            page.goto(own_page(page_file.parent, "attends").as_uri())
            page.locator("#figure-attends.is-live").wait_for()
            if key:
                page.get_by_label("Type a sentence").press(key)
            seen = [page.evaluate(word)]
            for _ in range(12):
                page.clock.run_for(400)
                seen.append(page.evaluate(word))
            walks = motion != "reduce" and not key
            assert (len(set(seen)) > 5) == walks, seen
            assert seen[-1] == "it"
            page.clock.run_for(5000)
            assert page.evaluate(word) == "it"
