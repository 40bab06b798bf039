"""Restrict sampling to the most likely tokens: a fixed number, or a fixed probability."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from tfcourse.arguments import at_least_one, check_fraction


def keep_top_k(logits: Float[Tensor, "*batch V"], k: int) -> Float[Tensor, "*batch V"]:
    """Keep the ``k`` highest logits, and set the others to minus infinity.

    Those equal to the k-th are kept too, and all of them if ``V`` is at most ``k``. A softmax over
    them is the original one, truncated and rescaled to sum to 1.

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

    with tokens sorted from the most likely, which is always kept. So few are kept if the model is
    confident, and many if it is not. A ``p`` outside (0, 1] raises ``ValueError``.

    Notes
    -----
    Holtzman et al. 2020, section 3.1: nucleus sampling.
    """
    check_fraction(p=p)
    if p == 1:
        return logits
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    probability = ordered.softmax(dim=-1)
    before = probability.cumsum(dim=-1) - probability  # of all more likely tokens together
    cut = (before >= p).scatter(-1, order, before >= p)  # back in the vocabulary's order
    return logits.masked_fill(cut, -torch.inf)
