"""What is left of a gradient on its way back through a recurrent network."""

from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers
from live_site import computed, stored_model

from coursebook.live import maker
from coursebook.live.catalogue import FIGURES


def gradients_by_the_package(course: Path, gain: float, linear: bool) -> list[float]:
    """The norm of d h_n / d x_1 for each n, as its power of ten."""
    cell, x = maker("gradient").load(stored_model(course, "gradient"), gain)
    if linear:
        cell.g = lambda z: z
    first = x[:1].requires_grad_()
    h, found = None, []
    for t in range(len(x)):
        h = cell(first if t == 0 else x[t : t + 1], h)
        (G,) = torch.autograd.grad(
            h[0], first, torch.eye(h.shape[1]).double(), retain_graph=True, is_grads_batched=True
        )
        found.append(G.norm().log10().item())
    return found


@browser
@pytest.mark.parametrize(("gain", "linear"), [(1.0, False), (2.4, False), (1.3, True)])
def test_the_scripts_gradients_are_the_packages(loaded, course: Path, gain, linear) -> None:
    found = computed(
        loaded,
        "([gain, linear]) => Live.gradients(Live.data.gradient, gain, linear)",
        [gain, linear],
    )
    assert found == pytest.approx(gradients_by_the_package(course, gain, linear), abs=NEAR)


@browser
def test_gradient(shown, course: Path) -> None:
    keys, data = Keys(shown, "gradient"), FIGURES["gradient"].data
    lengths, gain = [1, 2, 4, 8, 16, 32, 64], data["gain"]

    def compare(linear: bool = False) -> None:
        powers = gradients_by_the_package(course, round(gain, 1), linear)
        drawn = numbers(keys.drawn().partition("64: ")[2])
        assert drawn == pytest.approx([powers[n - 1] for n in lengths], abs=0.0005 + NEAR)

    keys.reach("Number of words")
    keys.press("End")
    assert keys.said.startswith("Length 64: ") and "It vanishes" in keys.said
    keys.reach("Scale of U")
    for press, change in (("ArrowRight", 0.1), ("ArrowRight", 0.1), ("End", 3 - gain - 0.2)):
        keys.press(press)
        gain += change
        compare()
    assert "It explodes" in keys.said
    keys.reach("Without the tanh")
    keys.press("Space")
    compare(linear=True)
