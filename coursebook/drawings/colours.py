"""One colour for each role that a token's vector plays, the same in every lesson."""

from __future__ import annotations

#: The colour of each role. Each has a contrast of at least 3:1 with the page, light and dark, and
#: colour-blind readers can tell any two apart; ``tests/coursebook/test_drawings.py`` checks both.
COLOURS = {
    "q": "#0072B2",
    "k": "#D55E00",
    "v": "#009E73",
    "residual": "#626A76",
    "norm": "#C774B0",
}

#: The colour of a number below zero, whatever its role: lighter than that of a number above zero.
NEGATIVE = "#E6B800"

#: A drawing's background, its text and thin lines, and lines that stay in the background.
CARD, INK, FAINT = "#ffffff", "#22262c", "#9aa1ab"

#: The background inside a frame, and the fill of a cell that a mask hides.
PALE = "#f4f5f7"


def colour(role: str) -> str:
    """The colour of a role in :data:`COLOURS`; ``"plain"`` is the ink, for scores and weights.

    Raises
    ------
    ValueError
        If there is no such role.
    """
    if role == "plain":
        return INK
    if role not in COLOURS:
        raise ValueError(f"role must be plain or one of {', '.join(COLOURS)}, got {role!r}")
    return COLOURS[role]


def tint(strong: str, share: float) -> str:
    """``strong`` mixed with the card: a share of 0 is the card, 1 the colour itself."""
    mixed = (round(c + share * (s - c)) for s, c in zip(_parts(strong), _parts(CARD), strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def text_on(fill: str) -> str:
    """Black or white, whichever is easier to read on ``fill``; the contrast is at least 4.5:1."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, fill))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in _parts(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
