"""Attention tile by tile, and what is read and written."""

import torch
from figure_pages import Keys, browser, numbers
from torch.utils._python_dispatch import TorchDispatchMode

from coursebook.live.catalogue import FIGURES
from tfcourse.kernels.flash import flash_attention


class Slices(TorchDispatchMode):
    """Counts the numbers in slices: what a loop over tiles reads and writes."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        if function is torch.ops.aten.slice.Tensor and found.shape != args[0].shape:
            self.numbers += found.numel()
        return found


@browser
def test_tile_walk(shown) -> None:
    data = FIGURES["tile-walk"].data
    n, width, size = data["n"], data["width"], data["size"]
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, n, width, generator=generator).unbind()
    keys = Keys(shown, "tile-walk")
    keys.reach("Tile size")
    keys.press("Home")
    for place, tile in enumerate(data["tiles"]):
        keys.press(*(["ArrowRight"] if place else []))
        across = n // tile
        if across > 1:  # what the package's loop reads and writes; a whole tensor is not sliced
            with Slices() as counted:
                flash_attention(q, k, v, block_q=tile, block_k=tile)
            tiled = size * counted.numbers
        else:
            tiled = size * (4 * n * width + n)
        held = size * (4 * tile * width + tile**2 + 2 * tile)
        keys.reach("Current tile")
        keys.press("End")
        assert f"Tile {across**2} of {across**2} is being computed" in keys.drawn()
        naive = size * (4 * n * width + 4 * n * n)
        assert numbers(keys.drawn(1)) == [naive, tiled, tiled, held]
        keys.press("Home")
        first = size * 3 * tile * width + (size * tile * (width + 1) if across == 1 else 0)
        assert numbers(keys.drawn(1)) == [naive, first, tiled, held]
        assert ("which fits" in keys.said) == (held <= data["fast"])
        keys.press("Shift+Tab")
