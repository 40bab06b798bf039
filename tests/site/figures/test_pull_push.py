"""A step of skip-gram: the word pulled near, and noise pushed away."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers
from torch import Tensor

from coursebook.live.catalogue import FIGURES
from tfcourse.models.skipgram import SkipGram, SkipGramConfig


class Sampling:
    """One pair and its noise words in the package's skip-gram, which takes the same steps."""

    def __init__(self, data: dict) -> None:
        self.rate = data["rate"]
        self.model = SkipGram(SkipGramConfig(len(data["around"]), d_model=2)).double()
        with torch.no_grad():
            self.model.W[0] = torch.tensor(data["w"])
            self.model.V.copy_(torch.tensor(data["vectors"]).T)

    def loss(self, noise: int) -> Tensor:
        first, others = torch.tensor([0]), torch.arange(1, 1 + noise)[None]
        return self.model.loss(first, first, others)

    def step(self, noise: int) -> None:
        self.model.zero_grad()
        self.loss(noise).backward()
        with torch.no_grad():
            for table in (self.model.W, self.model.V):
                table -= self.rate * table.grad

    def agrees(self, keys: Keys, steps: int, noise: int, shown: int = 2) -> None:
        """The words in sight are as here, those too that are not drawn."""
        W, V = (table.detach() for table in (self.model.W, self.model.V))
        scores = W[0] @ V[:, : 1 + shown]
        says = scores.sigmoid()
        true = torch.zeros_like(says)
        true[0] = 1
        rows = torch.stack([scores, says, true, says - true], dim=1)
        said = numbers(keys.drawn(1).partition("difference: ")[2])
        assert said == pytest.approx(rows.flatten().tolist(), abs=0.00005 + NEAR)
        assert keys.said.startswith(f"Step {steps}: the loss is {self.loss(noise):.4f}.")
        placed = torch.cat([W[:1], V.T[: 1 + shown]]).flatten().tolist()
        found = numbers(keys.drawn(0).partition("steps: ")[2])
        assert found == pytest.approx(placed, abs=0.005 + NEAR)


@browser
def test_pull_and_push(shown) -> None:
    keys, data = Keys(shown, "pull-push"), FIGURES["pull-push"].data
    ours, noise = Sampling(data), data["noise"]
    ours.agrees(keys, 0, noise)
    keys.reach("Take a step", "button")
    for steps in (1, 2, 3):
        keys.press("Enter")
        ours.step(noise)
        ours.agrees(keys, steps, noise)
    keys = Keys(shown, "pull-push")
    keys.reach("Learning rate")
    keys.press("End")
    ours.rate = 1.0
    keys.reach("Noise words")
    keys.press("Home")
    keys.reach("Take ten steps", "button")
    keys.press("Enter")
    for _ in range(10):
        ours.step(0)
    ours.agrees(keys, 13, 0)
    assert ours.loss(0) < 0.1, "without noise the loss can fall towards 0"
    assert "not drawn" in keys.figure.inner_text()
    keys.reach("Start again", "button")
    keys.press("Enter")
    again = Sampling(data)
    again.agrees(keys, 0, 0)


def test_without_noise_the_model_goes_on_saying_yes_to_globe() -> None:
    data = FIGURES["pull-push"].data
    ours = Sampling(data)
    for _ in range(50):
        ours.step(0)
    assert ours.loss(0) < 0.01
    assert (ours.model.W[0] @ ours.model.V[:, data["around"].index("globe")]).sigmoid() > 0.6
