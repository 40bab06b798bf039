"""Dials: circles with hands, for angles that grow with position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Unpack

from matplotlib.axes import Axes
from matplotlib.patches import Circle, Wedge

from coursebook.drawings.colours import CARD, FAINT, INK, colour, tint
from coursebook.drawings.layout import Piece
from coursebook.drawings.pieces import Labels, _Labelled, arrow_patch


class _Dial(_Labelled):
    def __init__(
        self,
        angles: list[float],
        roles: list[str],
        seen: float,
        size: float,
        **labels: Unpack[Labels],
    ) -> None:
        self.angles, self.roles, self.seen, self.size = angles, roles, seen, size
        super().__init__((size, size), **labels)

    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        radius = self.size / 2
        middle = (self.x + self.body[0] + radius, self.y)
        ax.add_patch(Circle(middle, radius, facecolor=CARD, edgecolor=FAINT, lw=1.0))
        if self.seen:
            # The picture's y axis points down, so matplotlib's angles run clockwise.
            end = math.degrees(min(self.seen, 2 * math.pi)) - 90
            ax.add_patch(Wedge(middle, radius, -90, end, facecolor=tint(INK, 0.18)))
        for angle, role in zip(self.angles, self.roles, strict=True):
            tip = (
                middle[0] + 0.9 * radius * math.sin(angle),
                middle[1] - 0.9 * radius * math.cos(angle),
            )
            ax.add_patch(arrow_patch(middle, tip, colour=colour(role), width=1.5))

    def tensors(self) -> list:
        return [[*self.angles, self.seen]]


def dial(
    *angles: float,
    roles: Sequence[str] = (),
    seen: float = 0.0,
    name: str = "",
    label: str = "",
    size: float = 1.5,
) -> Piece:
    """A circle with a hand for each angle, like a clock.

    Parameters
    ----------
    angles:
        The direction of each hand, in radians, clockwise from the top.
    roles:
        The role whose colour each hand has; by default all are plain.
    seen:
        The angle of a shaded sector, clockwise from the top; from 2 pi on, the whole circle.
    name, label:
        Text above and below.
    size:
        The width, in cells.

    Raises
    ------
    ValueError
        If there are roles but not one for each hand, or a role is unknown.
    """
    roles = list(roles) or ["plain"] * len(angles)
    if len(roles) != len(angles):
        raise ValueError(f"roles must hold {len(angles)} roles, one for each, got {len(roles)}")
    for role in roles:
        colour(role)
    hands = [float(angle) for angle in angles]
    return _Dial(hands, roles, float(seen), size, name=name, shape=label)
