"""A vision transformer finds the letter that an arrow points at."""

from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers, scaled
from live_site import computed

from coursebook.live.catalogue import FIGURES
from tfcourse.data import load as load_corpus
from tfcourse.data.arrows import scene as drawn_numbers
from tfcourse.data.draw import Draw
from tfcourse.models.vit import patchify


@browser
def test_the_scripts_vision_transformer_is_the_packages(loaded, vit, course: Path) -> None:
    model, stored = vit
    images, _ = load_corpus("arrows", "test", held_out=20).tensors()
    hide = {
        "nothing": [],
        "corners": [0, 3, 12, 15],
        "one": [6],
    }
    for name, places in hide.items():
        hidden = torch.zeros(1, 16, dtype=torch.bool)
        hidden[0, places] = True
        for image in images[:20:4]:
            found = computed(
                loaded,
                "([image, hidden]) => Live.vit(Live.data.arrow).read(image, new Set(hidden))",
                [image[0].tolist(), places],
            )
            mask = torch.nn.functional.pad(~hidden, (1, 0), value=True)[:, None]
            with torch.no_grad():
                x = scaled(stored, image[None])
                whole = model(x, return_weights=True)
                tokens = patchify(x, stored["sizes"]["patch"]) @ model.W_P + model.b_P
                h = model.positions.embed(torch.cat([model.c.expand(1, 1, -1), tokens], dim=1))
                maps = []
                for block in model.blocks:
                    h, (weights,) = block(h, mask)
                    maps.append(weights[0])
                logits = model.norm(h[:, 0]) @ model.W + model.b
            assert found["logits"] == pytest.approx(logits[0].tolist(), abs=1e-3)
            assert (torch.tensor(found["maps"]) - torch.stack(maps)).abs().max() < NEAR, name
            if not places:
                assert (logits - whole.logits).abs().max() < 1e-4


@browser
def test_the_scripts_images_are_the_corpus_own(loaded, vit) -> None:
    _, stored = vit
    letters, (corner, turn, *place), dashes = drawn_numbers(Draw("arrows test 0"), 4)
    scene = {
        "letters": [
            dict(zip(("kind", "turn", "top", "left"), one, strict=True)) for one in letters
        ],
        "arrow": {"corner": corner, "turn": turn, "top": place[0], "left": place[1]},
        "dashes": [dict(zip(("kind", "top", "left"), one, strict=True)) for one in dashes],
    }
    found = computed(loaded, "scene => Live.vit(Live.data.arrow).paint(scene)", scene)
    assert torch.equal(torch.tensor(found), load_corpus("arrows", "test")[0].pixels[0].int())


@browser
def test_arrow(shown, vit) -> None:
    model, stored = vit
    keys = Keys(shown, "arrow")
    given = FIGURES["arrow"].data
    keys.reach("Letter top left")
    keys.press("h")
    keys.reach("Dashes")
    keys.press("Home")
    letters = ["H", *given["letters"][1:]]
    keys = Keys(shown, "arrow")
    keys.reach("Arrow")
    for press, corner, turn in (("Home", 0, 0), ("End", 2, 4)):
        keys.press(press)
        pixels = shown.evaluate(
            "scene => Live.vit(Live.data.arrow).paint(scene)",
            {
                "letters": [
                    {"kind": stored["letters"].index(letter), "turn": 2,
                     "top": 19 * (n // 2), "left": 19 * (n % 2)}
                    for n, letter in enumerate(letters)
                ],
                "arrow": {"corner": corner, "turn": turn, "top": 9, "left": 9}, "dashes": [],
            },
        )  # fmt: skip
        with torch.no_grad():
            output = model(scaled(stored, torch.tensor([[pixels]])), return_weights=True)
        shares = output.logits[0].softmax(-1)
        told = numbers(keys.drawn(1))
        assert told == pytest.approx(shares.tolist(), abs=0.0005 + NEAR)
        assert f"the arrow points to the {stored['corners'][corner]}" in keys.drawn()
        on_patch = output.maps["self"][-1][0].mean(0)[0, 1 + [0, 3, 12, 15][corner]]
        assert f"Attention on the letter's patch: {on_patch:.2f}" in keys.said
        assert f"It says {stored['letters'][shares.argmax()]} with" in keys.said
    keys.reach("Attention of")
    keys.press("End")
    assert keys.texts()[0] == "[CLS] in layer 1, mean of the heads"
