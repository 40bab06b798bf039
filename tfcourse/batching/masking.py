"""Masked language modelling: hide words for an encoder to predict."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from tfcourse.arguments import check_integers, check_numbers, check_tensors


def mask_words(
    ids: Int[Tensor, "B T"],
    candidates: Bool[Tensor, "B T"],
    *,
    mask: int,
    words: Int[Tensor, " W"],
    share: float = 0.15,
    masked: float = 0.8,
    random: float = 0.1,
    generator: torch.Generator | None = None,
) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    r"""Choose some words to predict; mask most of them, replace a few, and keep a few.

    .. math:: P(\text{chosen}) = 0.15, \qquad
              \tilde x_t = \begin{cases}
                \text{[MASK]} & \text{in 80 \% of the chosen positions} \\
                \text{a random word} & \text{in 10 \%} \\
                x_t & \text{in 10 \%, and wherever } t \text{ is not chosen}
              \end{cases}

    The model reads :math:`\tilde x` and predicts :math:`x_t` at every chosen position: its targets
    are ``ids[chosen]``. By chance there may be none. The last two cases exist because [MASK] never
    occurs in the texts that the model will be used on: it must also keep a good vector for a word
    it can see. Mismatched shapes and invalid fractions raise ``ValueError``.

    Parameters
    ----------
    candidates:
        Which positions may be chosen: no special tokens, no padding.
    mask, words:
        The id of [MASK], and the ids from which a random word is drawn uniformly. It may be the
        original word.
    share:
        Probability with which each candidate is chosen, independently of the others.
    masked, random:
        The fractions of the chosen words that become [MASK] and a random word; the rest are kept.
        With ``masked=1, random=0`` every chosen word is masked, as in a test.

    Notes
    -----
    Devlin et al. 2019, section 3.1, "Task #1: Masked LM", and appendix A.1; 224N section 3.5.
    BERT's code chooses a fixed number of positions per sequence, so there is always one.
    """
    check_tensors(ids=ids, candidates=candidates, words=words)
    check_numbers(share=share, masked=masked, random=random)
    check_integers(mask=mask)
    if ids.dim() != 2 or ids.is_floating_point():
        raise ValueError(f"ids must be rows of ids (B, T), got {tuple(ids.shape)} of {ids.dtype}")
    if candidates.shape != ids.shape or candidates.dtype != torch.bool:
        raise ValueError(
            f"candidates must be {tuple(ids.shape)} of torch.bool, one for each id, got "
            f"{tuple(candidates.shape)} of {candidates.dtype}"
        )
    if words.dim() != 1 or not len(words) or words.is_floating_point():
        raise ValueError(
            f"words must be a row of at least one id, got {tuple(words.shape)} of {words.dtype}"
        )
    for name, part in (("share", share), ("masked", masked), ("random", random)):
        if not 0 <= part <= 1:
            raise ValueError(f"{name} must lie in [0, 1], got {part}")
    if masked + random > 1:
        raise ValueError(f"masked + random must be at most 1, got {masked} + {random}")
    if mask < 0:
        raise ValueError(f"mask must be an id of at least 0, got {mask}")

    device = ids.device if generator is None else generator.device
    choice, kind = torch.rand(2, *ids.shape, generator=generator, device=device).to(ids.device)
    places = torch.randint(len(words), ids.shape, generator=generator, device=device)
    drawn = words.to(ids.device)[places.to(ids.device)].to(ids.dtype)

    chosen = candidates & (choice < share)
    corrupted = ids.where(~chosen | (kind >= masked + random), drawn)  # a random word ...
    corrupted = corrupted.masked_fill(chosen & (kind < masked), mask)  # ... or [MASK]
    return corrupted, chosen
