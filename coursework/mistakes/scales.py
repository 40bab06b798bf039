"""By what the scores of several heads are divided in place of √d_k."""

from __future__ import annotations

from coursework.mistakes.later import later


@later
def wrong_factors(width: int, sizes: dict[str, int]) -> dict[str, float]:
    """Message → what the dot products were multiplied by.

    Parameters
    ----------
    width:
        ``K``, the width of one head.
    sizes:
        What is taken for the width of a head → how large that is here.
    """
    found = {
        f"Your scores are not scaled: divide them by √d_k = √{width}, the width of one head.": 1.0,
        f"Your scores are divided by d_k = {width}: divide by its square root, √{width}.": (
            1 / width
        ),
        f"Your scores are multiplied by √d_k = √{width}: divide by it instead.": width**0.5,
    }
    for size in {n: None for n in sizes.values() if n > 1}:  # divided by √1 they are not scaled
        what = ", or ".join(name for name, n in sizes.items() if n == size)
        found[
            f"Your scores are divided by √{size}: {size} is {what}. d_k = {width} is the width of "
            "one head."
        ] = size**-0.5
    # If two sizes coincide, a wrong factor may be the right one.
    return {message: factor for message, factor in found.items() if factor != width**-0.5}
