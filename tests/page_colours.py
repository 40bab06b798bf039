"""The pages on which a drawing's colours must stand out, and what a dark page makes of them."""

import math

#: The site's page in light and dark mode, and JupyterLab's dark notebook.
PAGES = {"light": "#ffffff", "dark": "#14181e", "jupyterlab-dark": "#111111"}


def on_dark(colour: str) -> str:
    """What the style sheet's filter makes of a colour: CSS's own formulas, on the dark page."""
    red, green, blue = (1 - int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    c, s = math.cos(math.pi), math.sin(math.pi)
    rows = (
        (
            0.213 + c * 0.787 - s * 0.213,
            0.715 - c * 0.715 - s * 0.715,
            0.072 - c * 0.072 + s * 0.928,
        ),
        (
            0.213 - c * 0.213 + s * 0.143,
            0.715 + c * 0.285 + s * 0.140,
            0.072 - c * 0.072 - s * 0.283,
        ),
        (
            0.213 - c * 0.213 - s * 0.787,
            0.715 - c * 0.715 + s * 0.715,
            0.072 + c * 0.928 + s * 0.072,
        ),
    )
    turned = [min(1.0, max(0.0, r * red + g * green + b * blue)) for r, g, b in rows]
    page = [int(PAGES["dark"][i : i + 2], 16) / 255 for i in (1, 3, 5)]
    screened = [1 - (1 - one) * (1 - other) for one, other in zip(turned, page, strict=True)]
    return "#" + "".join(f"{round(255 * part):02x}" for part in screened)
