"""Trees of words: how far apart two words of a sentence stand in its parse."""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor


def tree_distances(parents: Int[Tensor, "B S"]) -> Int[Tensor, "B S S"]:
    """How many edges lie between each two words of each tree.

    .. math:: d(i, j) = a_i + a_j - 2 c_{ij}

    where :math:`a_i` counts the ancestors of word ``i``, itself among them, and :math:`c_{ij}`
    those that ``i`` and ``j`` share. ``parents`` has for each word its parent's index, -1 for a
    root; words of different trees are ``S`` apart. A parent that is no word of the sentence, and
    links that run in a circle, raise ``ValueError``.
    """
    B, S = parents.shape
    if parents.numel() and (int(parents.min()) < -1 or int(parents.max()) >= S):
        raise ValueError(f"parents must lie between -1 and {S - 1}, got {parents.tolist()}")
    above = torch.eye(S, device=parents.device).repeat(B, 1, 1)  # (B, word, ancestor)
    here = parents
    for _ in range(S):
        tree, word = (here >= 0).nonzero(as_tuple=True)
        above[tree, word, here[tree, word]] = 1
        here = torch.where(here >= 0, parents.gather(1, here.clamp(min=0)), -1)
    for word in (here >= 0).any(0).nonzero()[:1].flatten().tolist():
        raise ValueError(f"parents must form a tree, word {word} is its own ancestor")
    ancestors, shared = above.sum(-1), above @ above.mT
    distance = ancestors[:, :, None] + ancestors[:, None, :] - 2 * shared
    return distance.where(shared > 0, S).long()
