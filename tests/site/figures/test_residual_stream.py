"""A stack of blocks at its start: residual path, norm and first weights."""

import math

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers
from live_site import computed
from torch import Tensor

from coursebook.live.catalogue import FIGURES
from tfcourse.attention import MultiHeadAttention
from tfcourse.layers import Block, FeedForward, LayerNorm

#: As the selects of the figure name them.
STREAMS = [
    (residual, norm, init)
    for residual, norm, init in [
        (True, "pre", "xavier"), (True, "post", "xavier"), (True, "post", "small"),
        (True, "post", "gpt2"), (True, "none", "gpt2"), (False, "pre", "large"),
        (False, "post", "gpt2"),
    ]
]  # fmt: skip


def packages_stream(page, residual: bool, norm: str, init: str) -> list[Tensor]:
    """The words before the first block and after each, by the package with the script's weights."""
    sizes = FIGURES["residual-stream"].data["sizes"]
    weights = computed(page, "([init, sizes]) => Live.stream.weights(init, sizes)", [init, sizes])

    class Replacing(Block):
        def _add(self, x: Tensor, out: Tensor) -> Tensor:
            return out

    width, x = sizes["width"], torch.tensor(weights["tokens"], dtype=torch.float64)[None]
    states = [x[0]]
    for numbers_ in weights["blocks"]:
        block = (Block if residual else Replacing)(
            MultiHeadAttention(width, sizes["heads"]), FeedForward(width, sizes["hidden"]),
            "post" if norm == "post" else "pre",
            make_norm=(lambda d, eps: torch.nn.Identity()) if norm == "none" else LayerNorm,
        ).double()  # fmt: skip
        with torch.no_grad():
            for name, values in numbers_.items():
                part = block.ffn if name in ("W_1", "W_2") else block.attention
                getattr(part, name).copy_(torch.tensor(values, dtype=torch.float64))
            x, _ = block(x)
        states.append(x[0])
    return states


def differing(x: Tensor) -> float:
    return ((x - x.mean(0)).norm() / x.norm()).item()


@browser
@pytest.mark.parametrize("residual, norm, init", STREAMS)
def test_the_scripts_stream_is_the_packages(loaded, residual: bool, norm: str, init: str) -> None:
    sizes = FIGURES["residual-stream"].data["sizes"]
    ours = computed(
        loaded,
        "([settings, sizes]) => Live.stream.run(settings, sizes)",
        [{"residual": residual, "norm": norm, "init": init}, sizes],
    )
    theirs = packages_stream(loaded, residual, norm, init)
    assert len(ours) == len(theirs) == sizes["blocks"] + 1
    for one, other in zip(ours, theirs, strict=True):
        largest = other.abs().max().item()
        assert torch.tensor(one, dtype=torch.float64).sub(other).abs().max() < NEAR * largest


@browser
def test_first_weights_have_the_deviation_that_is_named(loaded) -> None:
    sizes = FIGURES["residual-stream"].data["sizes"]
    wanted = {
        "xavier": (math.sqrt(2 / 32), math.sqrt(2 / 80)),
        "large": (3 * math.sqrt(2 / 32), 3 * math.sqrt(2 / 80)),
        "small": (0.02 * math.sqrt(768 / 16), 0.02 * math.sqrt(768 / 16)),
        "gpt2": (0.02 * math.sqrt(768 / 16), 0.02 * math.sqrt(768 / 16 / 48)),
    }
    for init, (query, down) in wanted.items():
        weights = computed(loaded, "([i, s]) => Live.stream.weights(i, s)", [init, sizes])
        for name, std in (("W_Q", query), ("W_2", down)):
            drawn = torch.tensor([block[name] for block in weights["blocks"]])
            assert drawn.std().item() == pytest.approx(std, rel=0.05), (init, name)
            assert abs(drawn.mean().item()) < 0.05 * std


@browser
def test_residual_stream(shown) -> None:
    """Every switch by keyboard; what is said and drawn is the package's."""
    keys = Keys(shown, "residual-stream")
    now = {"residual": True, "norm": "pre", "init": "xavier", "after": 12}

    def agrees() -> None:
        states = packages_stream(shown, now["residual"], now["norm"], now["init"])
        shares = [differing(x) for x in states]
        after = now["after"]
        assert numbers(keys.said)[:3] == pytest.approx([after, 24, shares[after]], abs=NEAR)
        drawn = numbers(keys.drawn(1))[1::2]
        assert drawn == pytest.approx(shares, abs=NEAR)

    agrees()
    for label, press, change in [
        ("Norm", "ArrowDown", {"norm": "post"}),
        ("Initial weights", "ArrowDown", {"init": "small"}),
        ("Initial weights", "ArrowDown", {"init": "gpt2"}),
        ("Blocks passed", "End", {"after": 24}),
        ("Residual path", "Space", {"residual": False}),
        ("Norm", "ArrowDown", {"norm": "none"}),
        ("Initial weights", "ArrowDown", {"init": "large"}),
        ("Blocks passed", "Home", {"after": 0}),
    ]:
        keys = Keys(shown, "residual-stream")
        keys.reach(label)
        keys.press(press)
        now |= change
        if label == "Initial weights" and not now["residual"]:
            continue  # sizes of 10^38, whose rounding the shares would show
        agrees()
