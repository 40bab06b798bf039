"""What is lost when heads are taken out."""

import math
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers
from live_site import computed, stored_model
from torch import Tensor

from coursebook.live import maker
from coursebook.live.catalogue import FIGURES


@pytest.fixture(scope="module")
def filler(course: Path):
    """The model that fills in hidden words: the script that trains it, the file, and the model."""
    module, stored = maker("filler"), stored_model(course, "filler")
    return module, stored, module.load(stored)


def places(gone: tuple[str, ...]) -> list[tuple[int, int]]:
    return [(int(layer), int(head)) for layer, head in (one.split(".") for one in gone)]


@browser
@pytest.mark.parametrize("gone", [(), ("1.1",), ("0.0", "0.3", "1.0")])
def test_the_scripts_filler_is_the_packages(loaded, filler, gone: tuple[str, ...]) -> None:
    module, stored, model = filler
    roles = module.heads_roles
    found = computed(
        loaded,
        """([gone, n]) => {
            const model = Live.filler(Live.data.filler), out = new Set(gone);
            const run = model.read(model.hide(model.tests[n]), out);
            return { ...run, shares: run.states.map(model.shares), loss: model.loss(out) };
        }""",
        [list(gone), 13],
    )
    test = stored["tests"][13]
    ids = torch.tensor(test["ids"])
    ids[test["hidden"]] = roles.HIDDEN
    with roles.without(model, places(gone)), torch.no_grad():
        states, maps = model(ids[None], fused=False)
        shares = model.read(states[0]).softmax(-1)
        loss = module.loss(model, stored["tests"])
    assert (torch.tensor(found["maps"]) - torch.stack(maps)[:, 0]).abs().max() < NEAR
    assert (torch.tensor(found["states"]) - states[0]).abs().max() < NEAR
    assert (torch.tensor(found["shares"]) - shares).abs().max() < NEAR
    assert found["loss"] == pytest.approx(loss, abs=NEAR)


@browser
def test_ablation(shown, filler) -> None:
    module, stored, model = filler
    roles = module.heads_roles
    keys, data = Keys(shown, "ablation"), FIGURES["ablation"].data

    def agrees(gone: tuple[str, ...]) -> None:
        with roles.without(model, places(gone)):
            now = module.loss(model, stored["tests"])
        whole = module.loss(model, stored["tests"])
        said = numbers(keys.drawn(1).partition("sentences: ")[2])
        guessing = math.log(len(stored["words"]))
        assert said == pytest.approx([whole, now, guessing], abs=0.00005 + NEAR)
        assert f"the loss is {now:.2f}" in keys.said

    agrees(())
    keys.reach("Take this head out")
    keys.press("Space")
    agrees(("1.1",))
    assert keys.said.startswith("Without layer 2, head 2: ") and "out" in keys.texts(1)
    keys = Keys(shown, "ablation")
    keys.reach("Head")
    keys.press("Home")
    assert not keys.figure.get_by_label("Take this head out").is_checked()
    assert keys.drawn(0).startswith("Weights of layer 1, head 1.")
    keys.reach("Keep only this head", "button")
    keys.press("Enter")
    agrees(tuple(f"{layer}.{head}" for layer, head in roles.PLACES if (layer, head) != (0, 0)))
    keys.reach("Put all back", "button")
    keys.press("Enter")
    agrees(())
    keys = Keys(shown, "ablation")
    keys.reach("Sentence")
    keys.press("End")
    test = stored["tests"][data["sentences"][-1]]
    place = test["hidden"][0]
    ids = torch.tensor(test["ids"])
    ids[test["hidden"]] = roles.HIDDEN
    with torch.no_grad():
        states, maps = model(ids[None], fused=False)
        shares = model.read(states[0, place]).softmax(-1)
    assert numbers(keys.drawn(0).rpartition(": ")[2]) == pytest.approx(
        [maps[0][0, 0, place].max().item()], abs=0.005 + NEAR
    )
    top = shares.topk(5)
    listed = ", ".join(
        f"{stored['words'][i]} {share:.2f}"
        for share, i in zip(*map(Tensor.tolist, top), strict=True)
    )
    assert keys.drawn(2).partition(": ")[2].startswith(f"{listed}. The right word, ")
