"""Every tensor of a vision transformer, with parts of it switched off."""

import copy

import pytest
import torch
from figure_pages import NEAR, Keys, browser, scaled
from live_site import computed

from coursebook.live.catalogue import FIGURES
from tfcourse.data import load as load_corpus


@browser
@pytest.mark.parametrize(("places", "gone"), [(True, ""), (False, ""), (True, "1.2")])
def test_what_a_vision_transformer_computes_is_the_packages(loaded, vit, places, gone) -> None:
    model, stored = vit
    model = copy.deepcopy(model).double()
    image = load_corpus("arrows", "test")[3].pixels[None]
    with torch.no_grad():
        if gone:
            layer, head = map(int, gone.split("."))
            across = model.config.d_model // model.config.num_heads
            model.blocks[layer].attention.W_O[head * across : (head + 1) * across] = 0
        if not places:
            model.positions.P.zero_()
        ours = model(scaled(stored, image).double(), return_states=True)
    theirs = computed(
        loaded,
        """([image, places, gone]) => Live.vit(Live.data.arrow)
            .read(image, new Set(), { places, gone: new Set(gone ? [gone] : []) })""",
        [image[0, 0].tolist(), places, gone],
    )
    states = [theirs["start"], *(block["after"] for block in theirs["blocks"])]
    assert len(states) == len(ours.states["self"])
    for found, state in zip(states, ours.states["self"], strict=True):
        assert (torch.tensor(found).double() - state[0]).abs().max() < NEAR
    assert (torch.tensor(theirs["logits"]).double() - ours.logits[0]).abs().max() < 1e-3


@browser
def test_patches(shown, vit) -> None:
    model, stored = vit
    keys, data = Keys(shown, "patches"), FIGURES["patches"].data

    def scene(corner: int, turn: int) -> list:
        return shown.evaluate(
            "scene => Live.vit(Live.data.arrow).paint(scene)",
            {
                "letters": [
                    {"kind": stored["letters"].index(letter), "turn": 2,
                     "top": 19 * (n // 2), "left": 19 * (n % 2)}
                    for n, letter in enumerate(data["letters"])
                ],
                "arrow": {"corner": corner, "turn": turn, "top": 9, "left": 9}, "dashes": [],
            },
        )  # fmt: skip

    def agrees(pixels: list, places: bool = True) -> None:
        one = copy.deepcopy(model)
        if not places:
            one.positions.P.data.zero_()
        with torch.no_grad():
            shares = one(scaled(stored, torch.tensor([[pixels]]))).logits[0].softmax(-1)
        letter = stored["letters"][shares.argmax()]
        assert keys.said.startswith(f"It says {letter} with probability {shares.max():.2f}")
        assert ("with everything on" in keys.said) != places

    agrees(scene(**data["arrow"]))
    keys.reach("Arrow")
    keys.press("Home")
    agrees(scene(0, 0))
    keys.reach("Positions")
    keys.press(" ")
    agrees(scene(0, 0), places=False)
    keys.press(" ")
    keys.reach("Switch off")
    keys.press("End")
    assert "with everything on" in keys.said
    assert keys.drawn(1).startswith("Block 2: weights A, head 1: softmax of each row. Shape T × T")
