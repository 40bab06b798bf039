"""A sentence as a row of tokens, and what one token takes from the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle
from torch import Tensor

from coursebook.drawings.colours import CARD, FAINT, INK, colour, text_on, tint
from coursebook.drawings.layout import LABEL, NUMBER, Piece, line_height, text_width
from coursebook.drawings.pieces import arrow_patch

#: One number for each token.
Weights = Tensor | Sequence[float]

HEIGHT, GAP, INSIDE = 0.95, 0.16, 0.18


class _Tokens(Piece):
    """A box for each token; ``rise`` is the room kept above them."""

    def __init__(self, sentence: Sequence[str], role: str, chosen: int | None, rise: float) -> None:
        if not len(sentence):
            raise ValueError("a row of tokens needs at least one, got none")
        if chosen is not None and not -len(sentence) <= chosen < len(sentence):
            raise ValueError(
                f"query must be the place of one of {len(sentence)} tokens, got {chosen}"
            )
        self.sentence, self.colour = list(sentence), colour(role)
        self.chosen = chosen if chosen is None else chosen % len(sentence)
        widths = [max(text_width(w, LABEL) + 2 * INSIDE, 0.8) for w in sentence]
        self.boxes, x = [], 0.0
        for width in widths:
            self.boxes.append((x, width))
            x += width + GAP
        self.width = x - GAP
        self.above, self.below = HEIGHT / 2 + rise, HEIGHT / 2
        self.body = (0.0, -HEIGHT / 2, self.width, HEIGHT)

    def middle(self, token: int) -> float:
        """The x position of the middle of a token's box."""
        left, width = self.boxes[token]
        return self.x + left + width / 2

    def draw(self, ax: Axes) -> None:
        for place, (word, (left, width)) in enumerate(zip(self.sentence, self.boxes, strict=True)):
            fill, edge, ink = self.look(place)
            corner = (self.x + left, self.y - HEIGHT / 2)
            box = FancyBboxPatch(
                corner, width, HEIGHT, boxstyle="round,pad=0,rounding_size=0.18",
                facecolor=fill, edgecolor=edge, lw=1.0,
            )  # fmt: skip
            ax.add_patch(box)
            ax.text(
                corner[0] + width / 2, self.y, word, size=LABEL, ha="center",
                va="center_baseline", color=ink,
            )  # fmt: skip

    def look(self, place: int) -> tuple[str, str, str]:
        """The colours of a token's box, its edge and its text."""
        fill = tint(self.colour, 0.95 if place == self.chosen else 0.12)
        return fill, self.colour, text_on(fill)


class _Weighted(_Tokens):
    def __init__(
        self, sentence: Sequence[str], weights: Weights, query: int | None, rise: float, role: str
    ) -> None:
        self.weights = np.asarray(
            weights.detach().cpu() if isinstance(weights, Tensor) else weights, float
        )
        if self.weights.shape != (len(sentence),):
            raise ValueError(
                f"weights must be ({len(sentence)},), one for each token, got {self.weights.shape}"
            )
        if not (self.weights >= 0).all():
            raise ValueError(f"weights must not be below 0, got {self.weights.min():g}")
        super().__init__(sentence, role, query, rise)

    def tensors(self) -> list:
        return [self.weights.tolist()]


class _Shares(_Weighted):
    """Weights of an average: one scale, from 0 to 1, for every picture of them."""

    def __init__(
        self, sentence: Sequence[str], weights: Weights, query: int | None, rise: float, role: str
    ) -> None:
        super().__init__(sentence, weights, query, rise, role)
        low, high = self.weights.min(), self.weights.max()
        if not 0 <= low <= high <= 1 + 1e-6:
            raise ValueError(f"weights must be from 0 to 1, got {low:g} to {high:g}")


class _Looks(_Shares):
    """Arrows above the tokens, and the weight of each token below it."""

    def __init__(
        self, sentence: Sequence[str], weights: Weights, query: int | None, rise: float, role: str
    ) -> None:
        super().__init__(sentence, weights, query, rise, role)
        self.below += line_height("0", NUMBER)

    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        for i, weight in enumerate(self.weights):
            ax.text(
                self.middle(i), self.y + HEIGHT / 2 + 0.08, f"{weight:.2f}", size=NUMBER,
                ha="center", va="top",
            )  # fmt: skip
        top, asked = self.y - HEIGHT / 2, self.middle(self.chosen or 0)
        furthest = max(abs(self.middle(i) - asked) for i in range(len(self.sentence)))
        for i, weight in enumerate(self.weights):
            if i == self.chosen:
                continue
            away = self.middle(i) - asked
            # An arc rises by half its curve times its length; the longest arc fills the space.
            height = (self.above - HEIGHT / 2 - 0.25) * (0.35 + 0.65 * abs(away) / furthest)
            curve = -2 * height / away
            strong, width = tint(INK, 0.25 + 0.75 * weight), 0.7 + 7.0 * weight
            ends = (asked, top), (self.middle(i), top)
            ax.add_patch(arrow_patch(*ends, colour=strong, width=width, curve=curve))


class _Dependencies(_Tokens):
    """Arcs above the tokens: the farther apart the two words, the higher the arc."""

    def __init__(
        self, sentence: Sequence[str], heads: Sequence[int | None], labels: Sequence[str], role: str
    ) -> None:
        pairs = list(zip(heads, labels, strict=True)) if len(heads) == len(labels) else []
        if len(pairs) != len(sentence):
            raise ValueError(
                f"heads and labels must have {len(sentence)} entries, one for each token, got "
                f"{len(heads)} and {len(labels)}"
            )
        for head, _ in pairs:
            if head is not None and not 0 <= head < len(sentence):
                raise ValueError(f"heads must be places of tokens or None, got {head}")
        self.arcs = [(i, head, said) for i, (head, said) in enumerate(pairs) if head is not None]
        super().__init__(sentence, role, None, 0.0)
        self.levels = self._levels()
        self.above += 0.75 * max(self.levels, default=0) + 0.6

    def _levels(self) -> list[int]:
        """The level of each arc: above every arc that it spans."""
        spans = [sorted(arc[:2]) for arc in self.arcs]
        levels = [0] * len(spans)
        for one in sorted(range(len(spans)), key=lambda n: spans[n][1] - spans[n][0]):
            left, right = spans[one]
            below = [
                levels[n] for n, (a, b) in enumerate(spans)
                if levels[n] and a < right and b > left
            ]  # fmt: skip
            levels[one] = 1 + max(below, default=0)
        return levels

    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        foot = self.y - HEIGHT / 2 - 0.08
        for (word, head, said), level in zip(self.arcs, self.levels, strict=True):
            # An arc leaves its head a little to the side, so that two arcs do not touch.
            start = self.middle(head) + (0.16 if word > head else -0.16)
            end = self.middle(word) - (0.1 if word > head else -0.1)
            top = foot - 0.75 * level
            ax.plot([start, start, end], [foot, top, top], color=self.colour, lw=1.1)
            ax.add_patch(arrow_patch((end, top), (end, foot), colour=self.colour, width=1.1))
            ax.text(
                (start + end) / 2, top, said, size=NUMBER, ha="center", va="center",
                bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1.0},
            )  # fmt: skip


class _Bars(_Weighted):
    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        foot = self.y - HEIGHT / 2 - 0.12
        tallest = self.above - HEIGHT / 2 - 0.12 - 0.6
        ax.plot([self.x, self.x + self.width], [foot, foot], color=FAINT, lw=0.8)
        for i, weight in enumerate(self.weights):
            height = tallest * weight / self.weights.max()
            corner = (self.middle(i) - 0.3, foot - height)
            ax.add_patch(Rectangle(corner, 0.6, height, facecolor=tint(INK, 0.7)))
            ax.text(
                self.middle(i), foot - height - 0.08, f"{weight:.2f}", size=NUMBER,
                ha="center", va="bottom",
            )  # fmt: skip


def _shade(strong: str, weight: float) -> str:
    """The background of a word with this weight, the same in every text.

    The square root keeps small weights apart: in a text of fifty words equal weights are 0.02.
    """
    return tint(strong, 0.95 * min(weight, 1.0) ** 0.5)


class _Shaded(_Shares):
    """Words in lines, as in running text; the more a word weighs, the darker its background.

    A word with twice the weight that equal weights would give shows its weight. A key below says
    what the shades mean, among them that of equal weights.
    """

    def __init__(
        self, sentence: Sequence[str], weights: Weights, width: float, key: bool, role: str
    ) -> None:
        super().__init__(sentence, weights, None, 0.0, role)
        if width <= 0:
            raise ValueError(f"width must be above 0, got {width}")
        self.equal, self.key = 1 / len(self.sentence), key
        self.numbers = [f"{w:.2f}" if w >= 2 * self.equal else "" for w in self.weights]
        self.lines, x, line = [], 0.0, 0
        self.boxes = []
        for word, number in zip(self.sentence, self.numbers, strict=True):
            wide = text_width(word, LABEL) + INSIDE
            wide += text_width(number, NUMBER) + 1.5 * INSIDE if number else 0.0
            if x and x + wide > width:
                x, line = 0.0, line + 1
            self.boxes.append((x, wide))
            self.lines.append(line)
            x += wide + 0.06
        self.swatches, x = [], text_width("weight", NUMBER) + 2 * INSIDE
        for weight in sorted({0.0, 0.25, 0.5, 1.0, self.equal}) if key else []:
            said = f"{weight:.2g}" + (" if all are equal" if weight == self.equal else "")
            self.swatches.append((weight, said, x))
            x += text_width(said, NUMBER) + 2 * INSIDE + 0.5
        self.width = max(x if key else 0.0, *(left + wide for left, wide in self.boxes))
        half = HEIGHT * (line + 1) / 2
        self.above, self.below = half, half + HEIGHT * key
        self.body = (0.0, -half, self.width, 2 * half)

    def draw(self, ax: Axes) -> None:
        for word, number, (left, wide), line, weight in zip(
            self.sentence, self.numbers, self.boxes, self.lines, self.weights, strict=True
        ):
            fill = _shade(self.colour, weight)
            corner = (self.x + left, self.y - self.above + HEIGHT * line + 0.06)
            ax.add_patch(Rectangle(corner, wide, HEIGHT - 0.12, facecolor=fill, edgecolor="none"))
            middle, inside = corner[1] + HEIGHT / 2 - 0.06, INSIDE / 2
            look: dict[str, Any] = {"va": "center_baseline", "color": text_on(fill)}
            ax.text(corner[0] + inside, middle, word, size=LABEL, ha="left", **look)
            if number:
                ax.text(corner[0] + wide - inside, middle, number, size=NUMBER, ha="right", **look)
        foot = self.y + self.below - HEIGHT / 2
        if self.key:
            ax.text(self.x, foot, "weight", size=NUMBER, ha="left", va="center_baseline")
        for weight, said, left in self.swatches:
            corner = (self.x + left, foot - 0.2)
            fill = _shade(self.colour, weight)
            ax.add_patch(Rectangle(corner, 0.4, 0.4, facecolor=fill, edgecolor=FAINT, lw=0.6))
            ax.text(corner[0] + 0.5, foot, said, size=NUMBER, ha="left", va="center_baseline")


class _Window(_Tokens):
    """The centre word, its neighbours in colour, the rest faint, and a bracket above."""

    def __init__(self, sentence: Sequence[str], centre: int, reach: int) -> None:
        if reach < 1:
            raise ValueError(f"reach must be at least 1, got {reach}")
        super().__init__(sentence, "k", centre, 0.45)
        centre %= len(sentence)
        self.first = max(centre - reach, 0)
        self.last = min(centre + reach, len(sentence) - 1)

    def look(self, place: int) -> tuple[str, str, str]:
        if place == self.chosen:
            fill = tint(colour("q"), 0.95)
            return fill, colour("q"), text_on(fill)
        near = self.first <= place <= self.last
        fill = tint(self.colour, 0.22) if near else "#ffffff"
        return fill, self.colour if near else FAINT, text_on(fill) if near else "#5b626c"

    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        left = self.x + self.boxes[self.first][0] - 0.06
        right = self.x + sum(self.boxes[self.last]) + 0.06
        top, foot = self.y - HEIGHT / 2 - 0.36, self.y - HEIGHT / 2 - 0.12
        ax.plot([left, left, right, right], [foot, top, top, foot], color=INK, lw=1.2)


def tokens(sentence: Sequence[str], *, query: int | None = None, role: str = "residual") -> Piece:
    """A sentence with a box for each token; the token at position ``query`` is dark."""
    return _Tokens(sentence, role, query, 0.0)


def looks(sentence: Sequence[str], weights: Tensor, *, query: int, role: str = "residual") -> Piece:
    """A sentence with an arrow from the token at ``query`` to each other token.

    The larger the weight, from 0 to 1, the thicker the arrow; each weight stands below its token.
    """
    return _Looks(sentence, weights, query, 3.0, role)


def dependencies(
    sentence: Sequence[str],
    heads: Sequence[int | None],
    labels: Sequence[str],
    *,
    role: str = "residual",
) -> Piece:
    """A sentence with an arrow to each token from the word it depends on, named by its label.

    Parameters
    ----------
    sentence:
        The tokens.
    heads:
        For each token the position of the word it depends on; ``None`` for the root.
    labels:
        For each token the name of the relation.
    role:
        Which colour to use.

    Raises
    ------
    ValueError
        If there is not one head and one label for each token, or a head is not a token's position.
    """
    return _Dependencies(sentence, heads, labels, role)


def bars(
    sentence: Sequence[str], weights: Tensor, *, query: int | None = None, role: str = "residual"
) -> Piece:
    """A sentence with a bar above each token, as high as the token's weight."""
    return _Bars(sentence, weights, query, 2.6, role)


def window(sentence: Sequence[str], *, centre: int, reach: int) -> Piece:
    """A sentence with a window marked: the centre, and up to ``reach`` words on either side."""
    return _Window(sentence, centre, reach)


def shaded(
    sentence: Sequence[str],
    weights: Tensor,
    *,
    width: float = 18.0,
    key: bool = True,
    role: str = "q",
) -> Piece:
    """A text in lines no longer than ``width``; the more a word weighs, the darker its background.

    A weight, from 0 to 1, has the same shade in every text, and words with at least twice the
    weight of equal weights show it. Without ``key``, another text's key must stand below.
    """
    return _Shaded(sentence, weights, width, key, role)
