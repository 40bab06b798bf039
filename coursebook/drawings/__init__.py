"""Drawings of tensors, tokens and masks, built from pieces placed side by side or stacked.

A lesson's drawing is a few plain calls and no coordinates::

    from coursebook.drawings import arrow, draw, beside, matrix, stack

    x = matrix(X[7], "$x$", role="residual")
    q, k = matrix(X[7] @ W_Q, "$q$", role="q"), matrix(X[7] @ W_K, "$k$", role="k")
    draw(
        beside(x, stack(q, k), gap=3),
        arrow(x, q, "$W_Q$"),
        arrow(x, k, "$W_K$"),
        alt="The vector x becomes a query by W_Q and a key by W_K.",
    )

Every piece shows its shape, taken from the tensor that it is given. Queries, keys, values, the
residual stream and norms each have one colour throughout the course (:data:`COLOURS`); a number
below zero is yellow and has a minus. Every drawing needs a description for those who cannot see it.
It is drawn on a white card; on dark pages the site inverts the lightness and keeps the hues
(:mod:`coursebook.sphinx.dark`).
"""

from coursebook.drawings.colours import COLOURS
from coursebook.drawings.dials import dial
from coursebook.drawings.drawing import Drawing, arrow, draw
from coursebook.drawings.layout import beside, stack
from coursebook.drawings.pieces import block, frame, mask_grid, matrix, sign, step, words
from coursebook.drawings.sentences import bars, dependencies, looks, shaded, tokens, window

__all__ = [
    "COLOURS",
    "Drawing",
    "arrow",
    "bars",
    "beside",
    "block",
    "dependencies",
    "dial",
    "draw",
    "frame",
    "looks",
    "mask_grid",
    "matrix",
    "shaded",
    "sign",
    "stack",
    "step",
    "tokens",
    "window",
    "words",
]
