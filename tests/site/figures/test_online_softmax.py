"""Softmax block by block."""

import math

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers
from torch import Tensor

from coursebook.live.catalogue import FIGURES
from tfcourse.kernels.flash import flash_attention


@browser
def test_online_softmax(shown) -> None:
    data = FIGURES["online-softmax"].data
    s = torch.tensor(data["scores"], dtype=torch.float64)
    v = torch.tensor(data["values"], dtype=torch.float64)
    keys = Keys(shown, "online-softmax")

    def agrees(scores: Tensor, values: Tensor, size: int) -> None:
        """From the first block on, what is drawn is the softmax of the words read so far."""
        kept = shown.evaluate(
            "a => Live.onlineSoftmax(...a)", [scores.tolist(), values.tolist(), size]
        )
        assert len(kept) == math.ceil(len(scores) / size) + 1
        for number, one in enumerate(kept[1:], 1):
            keys.press("ArrowRight")
            read = min(number * size, len(scores))
            assert one["read"] == read
            # The scores as queries of a key each: the package's tiles, of the same size.
            output = flash_attention(
                torch.ones(1, 1, dtype=torch.float64), scores[:read, None], values[:read],
                scale=1.0, block_k=size,
            )[0]  # fmt: skip
            total = (scores[:read] - scores[:read].max()).exp().sum()
            assert one["m"] == scores[:read].max().item()
            assert one["l"] == pytest.approx(total.item(), abs=NEAR)
            found = torch.tensor(one["acc"], dtype=torch.float64) / one["l"]
            assert (found - output).abs().max() < NEAR
            said = numbers(keys.drawn(1))
            wanted = [scores[:read].max(), total, *(output * total), *output]
            assert said == pytest.approx([float(x) for x in wanted], abs=NEAR)

    for order in ("last", "first"):
        for size in (1, 2, 3, 8):
            keys = Keys(shown, "online-softmax")
            keys.reach("Block size")
            keys.press("Home", *["ArrowRight"] * (size - 1))
            keys.reach("Blocks read")
            keys.press("Home")
            assert "Nothing is read yet" in keys.said
            agrees(*((s.flip(0), v.flip(0)) if order == "last" else (s, v)), size)
            assert f"Block {math.ceil(8 / size)} of {math.ceil(8 / size)}" in keys.said
        keys.reach("Read")
        keys.press("End")
