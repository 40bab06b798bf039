"""A GRU's gates while it reads a sentence."""

from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers, typed
from live_site import computed, stored_model

from coursebook.live import maker
from coursebook.live.catalogue import FIGURES


@pytest.fixture(scope="module")
def number_reader(course: Path):
    """The GRU of the figure in the package's own class, step by step, and its words."""
    module, stored = maker("gates"), stored_model(course, "gates")
    model = module.load(stored)
    ids = {word: i for i, word in enumerate(stored["words"])}

    @torch.no_grad()
    def read(words: list[str]) -> list[dict]:
        tokens = torch.tensor([[ids.get(word, module.UNKNOWN) for word in words]])
        cell, h, steps = model.recurrent.cells[0], torch.zeros(1, module.HIDDEN), []
        for x in model.embedding(tokens)[0]:
            gates = (x @ cell.W + cell.b + (h @ cell.U)[0]).chunk(3)
            h = cell(x[None], h)
            plural = torch.sigmoid(h[0] @ model.w + model.b)
            steps.append({"z": gates[1].sigmoid(), "h": h[0], "plural": plural.item()})
        said = model(tokens).sigmoid()[0].tolist()
        assert [one["plural"] for one in steps] == pytest.approx(said, abs=1e-6)
        return steps

    return read


@browser
def test_the_scripts_gru_is_the_packages(loaded, number_reader) -> None:
    for text in (FIGURES["gates"].data["sentence"], "the zebra said the cats in the tree"):
        found = computed(
            loaded, "words => Live.numberReader(Live.data.gates).read(words)", text.split()
        )
        for one, expected in zip(found, number_reader(text.split()), strict=True):
            for name in ("z", "h"):
                assert one[name] == pytest.approx(expected[name].tolist(), abs=NEAR)
            assert one["plural"] == pytest.approx(expected["plural"], abs=NEAR)


@browser
def test_gates(shown, number_reader) -> None:
    keys, said = Keys(shown, "gates"), "the keys to the old cabinet"
    typed(keys, said)
    steps = number_reader(said.split())
    keys.reach("Hidden unit")
    for unit, press in ((0, "Home"), (1, "ArrowRight"), (5, "End")):
        keys.press(press)
        drawn = keys.drawn()
        for label, values in (
            (f"Kept by unit {unit + 1} at each word: ", [one["z"][unit] for one in steps]),
            ("Its value: ", [one["h"][unit] for one in steps]),
            ("Probability of a plural verb: ", [one["plural"] for one in steps]),
        ):
            shown_numbers = numbers(drawn.partition(label)[2].partition(". ")[0].rstrip("."))
            assert shown_numbers == pytest.approx([float(v) for v in values], abs=0.005 + NEAR)
    keys = Keys(shown, "gates")
    keys.reach("Word")
    keys.press("Home", "ArrowRight")
    assert keys.said.startswith(f"After keys: plural with probability {steps[1]['plural']:.2f}.")
    keys = Keys(shown, "gates")
    typed(keys, "the zebra sleeps")
    assert "does not know zebra" in keys.figure.locator(".live-note").inner_text()


@browser
def test_a_longer_sentence_is_judged_at_its_end(shown) -> None:
    keys = Keys(shown, "gates")
    typed(keys, "the students in the exam where the old fire alarm is often ringing")
    assert keys.said.startswith("After ringing: ")
