"""Which tokens may be drawn: the likeliest few, of a fixed number or of a fixed probability."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from tfcourse.arguments import at_least_one


def keep_top_k(logits: Float[Tensor, "*batch V"], k: int) -> Float[Tensor, "*batch V"]:
    """Leave the ``k`` highest logits as they are, and set the others to minus infinity.

    Those equal to the k-th are kept too, and all where ``V`` is no more. A softmax over them is the
    old one, cut off and scaled up to sum to 1.

    Notes
    -----
    Fan et al. 2018, section 5.
    """
    at_least_one(k=k)
    if k >= logits.shape[-1]:
        return logits
    lowest = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < lowest, -torch.inf)


def keep_top_p(logits: Float[Tensor, "*batch V"], p: float) -> Float[Tensor, "*batch V"]:
    r"""Keep the fewest tokens that together have probability ``p``; the others get minus infinity.

    .. math:: \text{kept} = \{x^{(1)}, \dots, x^{(m)}\}, \qquad
              m = \min \Bigl\{n : \sum_{i \le n} P(x^{(i)}) \ge p \Bigr\}

    with tokens sorted from the likeliest, which is always kept. So few are kept where the model is
    sure, and many where it is not. If ``p`` does not lie in (0, 1] it raises ``ValueError``.

    Notes
    -----
    Holtzman et al. 2020, section 3.1: nucleus sampling.
    """
    if not 0 < p <= 1:
        raise ValueError(f"p must lie in (0, 1], got {p}")
    if p == 1:
        return logits
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    probability = ordered.softmax(dim=-1)
    before = probability.cumsum(dim=-1) - probability  # of all likelier tokens together
    cut = (before >= p).scatter(-1, order, before >= p)  # back in the vocabulary's order
    return logits.masked_fill(cut, -torch.inf)
