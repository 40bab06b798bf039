"""Letters and arrows as if drawn by hand: the images for the figure *drawing*.

The classes and strokes are those of ``tfcourse.data.arrows``. Here every letter and arrow has its
own size, slant, rotation and position; the ends of strokes are shifted slightly, and lines bend. A
corner that the arrow does not point at may hold the same letter again, or nothing. No person drew
them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tfcourse.data.arrows import ARROW, CORNERS, LETTERS, REACH, SIDE, STROKES, distance, ink

#: The number of straight segments of a bent line.
PIECES = 4
#: Standard deviations of random shifts and bends, in pixels.
WOBBLE, BEND = 0.45, 0.4
#: The probability that a corner that the arrow does not point at is empty.
EMPTY = 0.2
#: The centre of each corner's letter: across and down from the centre of the image.
FROM_MIDDLE = 9.5


def _lines(strokes) -> Tensor:
    """The straight lines of a drawing: (lines, 4), from x, y to x, y."""
    return torch.tensor([[*a, *b] for one in strokes for a, b in zip(one, one[1:], strict=False)])


def _letters() -> Tensor:
    """The lines of all letters, ``(6, L, 4)``: the last one is repeated if there are fewer."""
    lines = [_lines(one) for one in STROKES.values()]
    most = max(map(len, lines))
    return torch.stack([torch.cat([one, one[-1:].expand(most - len(one), 4)]) for one in lines])


def wobbled(lines: Tensor, scale: Tensor, turn: Tensor, generator: torch.Generator) -> Tensor:
    """``lines`` (N, L, 4) as if drawn by hand: (N, L * PIECES, 4).

    ``scale`` (N,) is their magnification; ``turn`` (N,) is an angle in radians.
    """
    count = len(lines)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(count, *shape, generator=generator)

    def normal(spread: float, *shape: int) -> Tensor:
        return spread * torch.randn(count, *shape, generator=generator)

    x, y = lines.unflatten(-1, (2, 2)).unbind(-1)  # (N, L, 2) each
    # Ends that meet are moved together: the random shift depends only on the position.
    places = torch.stack([x, y], -1)
    same = (places[:, :, :, None, None] == places[:, None, None]).all(-1).flatten(1, 2).flatten(2)
    first = same.double().argmax(-1)  # (N, 2L): the first end at this position
    move = normal(WOBBLE, first.shape[1], 2)
    loose = normal(0.6 * WOBBLE, first.shape[1], 2)  # and a little apart
    move = move.gather(1, first[..., None].expand_as(move)) + loose
    wide, slant = uniform(0.8, 1.2)[:, None, None], uniform(-0.25, 0.25)[:, None, None]
    x, y = x * wide - slant * y, y
    size, cos, sin = (one[:, None, None] for one in (scale, turn.cos(), turn.sin()))
    x, y = size * (x * cos - y * sin), size * (x * sin + y * cos)
    x, y = x + move[..., 0].view_as(x), y + move[..., 1].view_as(y)
    # Each line bends: its points deviate from the straight line by a parabola.
    t = torch.linspace(0, 1, PIECES + 1)
    across, down = (one[..., :1] + (one[..., 1:] - one[..., :1]) * t for one in (x, y))
    length = ((x[..., 1] - x[..., 0]) ** 2 + (y[..., 1] - y[..., 0]) ** 2).sqrt().clamp(min=0.5)
    bow = normal(BEND, lines.shape[1])[..., None] * 4 * t * (1 - t)
    across = across - bow * ((y[..., 1] - y[..., 0]) / length)[..., None]
    down = down + bow * ((x[..., 1] - x[..., 0]) / length)[..., None]
    points = torch.stack([across, down], -1)
    return torch.cat([points[:, :, :-1], points[:, :, 1:]], -1).flatten(1, 2)


def scenes(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Drawings as lines ``(N, L, 4)``, which of them are drawn, the classes, the target corners."""

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(count, *shape, generator=generator)

    letters, arrow = _letters(), _lines(ARROW)
    angles = torch.tensor(list(CORNERS.values())).deg2rad()
    kinds = torch.randint(len(LETTERS), (count, 4), generator=generator)
    corners = torch.randint(4, (count,), generator=generator)
    there = torch.rand(count, 4, generator=generator) > EMPTY
    there[torch.arange(count), corners] = True
    middle = (SIDE - 1) / 2
    lines, kept = [], []
    for n in range(4):
        one = wobbled(letters[kinds[:, n]], uniform(0.9, 1.6), uniform(-0.3, 0.3), generator)
        place = torch.tensor([-1.0 if n % 2 == 0 else 1.0, -1.0 if n < 2 else 1.0]) * FROM_MIDDLE
        moved = middle + place + uniform(-1.5, 1.5, 2)
        lines.append(one + moved.repeat(1, 2)[:, None])
        kept.append(there[:, n, None].expand(count, one.shape[1]))
    one, tip = arrow.expand(count, -1, -1).clone(), torch.tensor([3.5, 0, 3.5, 0])
    one[:, 1:] = tip + (one[:, 1:] - tip) * uniform(0.7, 1.3)[:, None, None]  # its head
    turn = angles[corners] + uniform(-0.3, 0.3)
    one = wobbled(one, uniform(0.8, 1.4), turn, generator)
    lines.append(one + (middle + uniform(-1.2, 1.2, 2)).repeat(1, 2)[:, None])
    kept.append(torch.ones(count, one.shape[1], dtype=torch.bool))
    labels = kinds.gather(1, corners[:, None])[:, 0]
    # As in the figure's file, so that the page draws the same.
    return (torch.cat(lines, 1) * 10).round() / 10, torch.cat(kept, 1), labels, corners


def painted(lines: Tensor, kept: Tensor, times: int = 1) -> Tensor:
    """The images of such drawings, ``times`` as large: uint8 ``(N, 1, 28 times, 28 times)``."""
    side = times * SIDE
    at = (torch.arange(side, device=lines.device) + 0.5) / times - 0.5  # the pixels' centres
    near = torch.full((len(lines), side, side), 9.0, device=lines.device)
    for one, real in zip(lines.unbind(1), kept.unbind(1), strict=True):
        x, y, to_x, to_y = (value[:, None, None] for value in one.unbind(-1))
        apart = distance(x, y, to_x, to_y, at[None, None, :], at[None, :, None])
        near = torch.where(real[:, None, None], torch.minimum(near, apart), near)
    return ink(times * near, times * REACH)[:, None]


def drawn(
    count: int, seed: int, times: int = 1, device: str = "cpu"
) -> tuple[Tensor, Tensor, Tensor]:
    """Images painted on a device, their classes, and the corners that the arrows point at."""
    generator, found = torch.Generator().manual_seed(seed), []
    for some in torch.arange(count).split(500):
        lines, kept, labels, corners = scenes(len(some), generator)
        pixels = painted(lines.to(device), kept.to(device), times).cpu()
        found.append((pixels, labels, corners))
    return tuple(torch.cat(one) for one in zip(*found, strict=True))
