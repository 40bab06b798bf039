"""Scores with and without division by the root of the width."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.live.catalogue import FIGURES
from tfcourse.attention import scaled_dot_product_attention


@browser
def test_scaling(shown) -> None:
    keys, data = Keys(shown, "scaling"), FIGURES["scaling"].data
    keys.reach("dₖ, width of a head")
    keys.press("Home")
    for seed in (data["seed"], data["seed"] + 1):
        drawn = shown.evaluate(
            """([seed, keys, wide]) => {
                const next = Live.normals(seed), row = () => Array.from({ length: wide }, next);
                return [row(), ...Array.from({ length: keys }, row)];
            }""",
            [seed, data["keys"], max(data["widths"])],
        )
        q, k = (torch.tensor(x, dtype=torch.float64) for x in (drawn[:1], drawn[1:]))
        assert abs(float(torch.cat([q, k]).std()) - 1) < 0.05
        for place, width in enumerate(data["widths"]):
            keys.press(*(["ArrowRight"] if place else []))
            for n, scale in enumerate((1.0, None)):
                scores = (q[:, :width] @ k[:, :width].T * (scale or width**-0.5)).requires_grad_()
                _, weights = scaled_dot_product_attention(
                    q[:, :width], k[:, :width], k[:, :width], scale=scale
                )
                own = scores.softmax(-1)
                gradient = sum(
                    torch.autograd.grad(own[0, i], scores, retain_graph=True)[0][0, i]
                    for i in range(len(k))
                )
                entropy = -(weights * weights.clamp_min(1e-300).log2()).sum()
                found = shown.evaluate("w => Live.peaked(w)", weights[0].tolist())
                assert found["gradient"] == pytest.approx(gradient.item(), abs=NEAR)
                said = numbers(keys.drawn(n).partition("largest ")[2])
                assert said == pytest.approx([weights.max().item(), entropy.item()], abs=0.0051)
                assert f"{gradient:.4f}" in " ".join(keys.texts(n))
        keys.reach("Draw new numbers", "button")
        keys.press("Enter", "Shift+Tab", "Home")
