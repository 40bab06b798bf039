"""Two places to look at: one head for both, or a head for each."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.live.catalogue import FIGURES
from tfcourse.attention import scaled_dot_product_attention


@browser
def test_two_places(shown) -> None:
    """One head asked for the sum of two directions, two heads for one each, by the package."""
    keys, data = Keys(shown, "two-places"), FIGURES["two-places"].data
    words = data["sentence"].split()
    first, second = data["wanted"]
    slider = lambda label: float(keys.figure.get_by_label(label, exact=True).input_value())  # noqa: E731
    wanted = torch.zeros(len(words), dtype=torch.float64)
    wanted[data["wanted"]] = 0.5
    for label, press in [
        ("Sharpness", "Home"), ("Sharpness", "End"), ("Key of dogs", "Home"),
        ("Key of dogs", "End"), ("Key of dogs", "ArrowLeft"), ("Sharpness", "PageDown"),
    ]:  # fmt: skip
        keys = Keys(shown, "two-places")
        keys.reach(label)
        keys.press(press)
        sharpness = round(10 ** slider("Sharpness"), 1)
        lengths = torch.ones(len(words), dtype=torch.float64)
        lengths[first] += slider("Key of dogs")
        k, each = lengths.diag(), sharpness * torch.eye(len(words), dtype=torch.float64)
        queries = torch.stack([each[first] + each[second], each[first], each[second]])
        _, weights = scaled_dot_product_attention(queries, k, k, scale=1.0)
        one, two = weights[0], weights[1:]
        shown_one = numbers(keys.drawn(0).partition(": ")[2])
        assert shown_one == pytest.approx(one.tolist(), abs=0.005 + NEAR)
        shown_two = [numbers(part.partition(": ")[2]) for part in keys.drawn(1).split(". Head 2")]
        assert sum(shown_two, []) == pytest.approx(two.flatten().tolist(), abs=0.005 + NEAR)
        lost = [(w - wanted).abs().sum().item() / 2 for w in (one, two.mean(0))]
        said = numbers(keys.said.partition(": ")[2])
        assert said == pytest.approx(lost, abs=0.005 + NEAR)
