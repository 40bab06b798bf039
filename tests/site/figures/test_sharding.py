"""What each worker holds and sends when a model is shared out."""

import pytest
from figure_pages import Keys, browser, numbers

from coursebook.live.catalogue import FIGURES


@browser
def test_sharding(shown) -> None:
    """What a worker holds is what is left of the package's model when it is shared out."""
    data = FIGURES["sharding"].data
    N, layers, room = data["parameters"], data["layers"], data["room"]
    keys = Keys(shown, "sharding")
    keys.reach("Sharded")
    for stage in range(4):
        keys.press(*(["ArrowDown"] if stage else []))
        keys.reach("Workers")
        for place, workers in enumerate(data["counts"]):
            keys.press("ArrowRight" if place else "Home")
            held = {
                "weights": 4 * N / (workers if stage == 3 else 1),
                "gradients": 4 * N / (workers if stage >= 2 else 1),
                "optimiser": 8 * N / (workers if stage >= 1 else 1),
            }
            layer = 4 * N / layers if workers > 1 else 0
            rounds = 4 * N * (workers - 1) / workers
            # Between steps; with whole layers in passing; the most, with gradients too.
            passing = layer * (stage == 3) + layer * (stage >= 2)
            most = sum(held.values()) + passing
            sent = rounds * (3 if stage == 3 else 2)
            keys.reach("Part of the step")
            seen = 0.0
            for moment in range(5):
                keys.press("ArrowRight" if moment else "Home")
                now, at_most, in_all, part = numbers(keys.drawn(1))
                seen += part
                own = held | ({} if moment > 1 else {"gradients": 0})
                gathered = layer * (stage == 3) if moment in (1, 2) else 0
                gathered += layer * (stage >= 2) if moment == 2 else 0
                assert now == pytest.approx(sum(own.values()) + gathered, rel=1e-9)
                assert (at_most, in_all) == pytest.approx((most, sent), rel=1e-9)
                assert ("does not fit" in keys.said) == (most > room)
            assert seen == pytest.approx(sent, rel=1e-9)
            keys.press("Shift+Tab")
        keys.press("Shift+Tab")
