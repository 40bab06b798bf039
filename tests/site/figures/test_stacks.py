"""Every tensor of an encoder and a decoder together, with parts switched off."""

import copy

import pytest
import torch
from figure_pages import NEAR, Keys, browser
from live_site import computed

from .test_inside import without_ffn


def parts_off(model, places: bool, gone: str):
    """The package's translator with parts switched off, and what its blocks give."""
    model, outputs = copy.deepcopy(model).double(), {}
    with torch.no_grad():
        if gone.endswith(".ffn"):
            stack, layer, _ = gone.split(".")
            without_ffn(getattr(model, stack)[int(layer)])
        elif gone:
            stack, layer, name, head = gone.split(".")
            W_O = getattr(getattr(model, stack)[int(layer)], name).W_O
            across = model.config.d_model // model.config.num_heads
            W_O[int(head) * across : (int(head) + 1) * across] = 0
    for stack in ("encoder", "decoder"):
        for layer, block in enumerate(getattr(model, stack)):
            block.register_forward_hook(
                lambda _, __, out, name=f"{stack}.{layer}": outputs.__setitem__(
                    name, out[0] if isinstance(out, tuple) else out
                )
            )
    if not places:
        for positions in (model.source_positions, model.target_positions):
            positions.embed = lambda x, start: x
    return model, outputs


@browser
@pytest.mark.parametrize(
    ("places", "gone"),
    [(True, ""), (False, ""), (True, "encoder.0.attention.1"), (True, "decoder.1.cross.2"),
     (True, "encoder.1.ffn"), (True, "decoder.0.ffn")],
)  # fmt: skip
def test_what_a_translator_computes_is_the_packages(loaded, translator, places, gone) -> None:
    module, model, words = translator
    ids, row = module.as_pair(words, "english sieben und dreißig", "thirty seven")
    theirs = computed(
        loaded,
        """([ids, row, places, gone]) => {
            const model = Live.translator(Live.data.translator);
            const options = { places, gone: new Set(gone ? [gone] : []) };
            const encoder = model.read(ids, options);
            return { encoder, decoder: model.decode(row, encoder.states, options) };
        }""",
        [ids, row[:-1], places, gone],
    )
    one, outputs = parts_off(model, places, gone)
    with torch.no_grad():
        logits = one(torch.tensor([ids]), torch.tensor([row[:-1]])).logits[0, -1]
    assert len(outputs) == 4
    for name, ours in outputs.items():
        stack, layer = name.split(".")
        found = torch.tensor(theirs[stack]["blocks"][int(layer)]["after"])
        assert (found.double() - ours[0]).abs().max() < NEAR, name
    found = torch.tensor(theirs["decoder"]["logits"]).double()
    assert (found - logits).abs().max() < 1e-3


@browser
def test_a_stage_is_opened_by_its_name(shown) -> None:
    for name, stage, said in (
        ("inside", "block 1: self-attention", "Encoder. Block 1: weights A, head 1"),
        ("patches", "block 2: feed-forward", "Block 2: FFN, inside"),
    ):
        keys = Keys(shown, name)
        stages = keys.figure.get_by_label("Open", exact=True)
        stages.select_option(stage)
        assert keys.drawn(1).startswith(f"{said}: ")
        keys.reach("Step")
        keys.press("Home")
        assert stages.locator("option:checked").inner_text() == "embedding and position"
