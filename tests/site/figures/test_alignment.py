"""A recurrent translator with attention reads German numbers."""

import re
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed
from live_site import computed, stored_model

from coursebook.live import maker
from tfcourse.data.number_pieces import number_pieces


@pytest.fixture(scope="module")
def aligner(course: Path):
    """The recurrent translator with attention, in the package's own class, and its words."""
    module, stored = maker("alignment"), stored_model(course, "alignment")
    return (module, *module.load(stored))


@browser
def test_the_scripts_aligner_is_the_packages(loaded, aligner) -> None:
    module, model, read, write = aligner
    for source, target in module.pairs_of("test")[:60:6]:
        ids, said = read.encode(source, end=True), write.encode(target, start=True, end=True)
        with torch.no_grad():
            found = model(torch.tensor([ids]), torch.tensor([said[:-1]]), return_weights=True)
        logits, maps = computed(
            loaded,
            """([ids, said]) => {
                const model = Live.aligner(Live.data.alignment);
                const source = model.encode(ids), logits = [], maps = [];
                let { s } = source;
                for (const id of said.slice(0, -1)) {
                    const next = model.step(id, s, source);
                    s = next.s;
                    logits.push(next.logits);
                    maps.push(next.weights);
                }
                return [logits, maps];
            }""",
            [ids, said],
        )
        assert (torch.tensor(maps) - found.maps["cross"][0][0, 0]).abs().max() < NEAR
        assert (torch.tensor(logits) - found.logits[0]).abs().max() < 1e-3


@browser
def test_alignment(shown, aligner) -> None:
    module, model, read, write = aligner
    label = "A German number, in words or in digits"
    for text, number in (("345627", 345627), ("Zwölftausendeins", 12001), ("1.000", 1000)):
        keys = Keys(shown, "alignment")
        typed(keys, text, label)
        source = " ".join(number_pieces(number, "de"))
        assert f"It reads: {source}." in keys.figure.locator(".live-note").inner_text()
        (said,) = module.translate(model, read, write, [source], max_new_tokens=16)
        assert keys.drawn().startswith(f"Written: {said}. Before {said.split()[0]} it looks at ")
    typed(keys, "345627", label)
    source, target = (" ".join(number_pieces(345627, language)) for language in ("de", "en"))
    weights = module.look(model, read, write, source, target)
    pieces, words = [*source.split(), "end"], target.split()
    for row in range(3):
        looked = re.findall(r"(\w+) (\d\.\d{4})", keys.drawn().partition("it looks at")[2])
        assert [float(w) for _, w in looked] == pytest.approx(
            weights[row].topk(3).values.tolist(), abs=NEAR
        )
        assert [piece for piece, _ in looked][0] == pieces[weights[row].argmax()]
        assert keys.said.startswith(
            f"Before writing {words[row]} it looks most at {looked[0][0]} ("
        )
        keys.reach("Word written")
        keys.press("ArrowRight")
    keys = Keys(shown, "alignment")
    typed(keys, "ein zebra", label)
    assert "It has never seen zebra" in keys.figure.locator(".live-note").inner_text()
    keys.press("Control+a", "Delete")
    assert "Type a number." in keys.figure.locator(".live-note").inner_text()


@browser
def test_the_scripts_german_is_the_packages(loaded) -> None:
    some = [*range(131), 200, 999, 1000, 1001, 1100, 21_021, 100_000, 345_627, 701_011, 999_999]
    spelled = computed(
        loaded, "some => some.map((n) => Live.aligner(Live.data.alignment).german(n))", some
    )
    assert [tuple(words) for words in spelled] == [number_pieces(n, "de") for n in some]
