"""A trained model's weights in a figure's file, and back in the package's classes.

Weights are stored as whole multiples of a step, so that the file is small; the figure computes with
these rounded numbers, and so do the tests that compare it with ``tfcourse``.
"""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import Tensor, nn

from coursebook import live

#: A tensor's step is this part of its root mean square.
FINENESS = 1 / 12

M = TypeVar("M", bound=nn.Module)


def initialise(model: nn.Module, width: int) -> None:
    """Draw the matrices for the width, as in lesson 09: GPT-2's 0.02 is for 768."""
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02 * (768 / width) ** 0.5)


def rounded(model: nn.Module) -> dict[str, dict]:
    """The weights for a file: each tensor has a step of its own, each weight is one character."""
    return {name: _rounded(p.detach()) for name, p in model.named_parameters()}


def _rounded(x: Tensor) -> dict:
    step = float(x.square().mean().sqrt()) * FINENESS or 1.0
    text = live.as_text((x / step).round().int().flatten().tolist())
    return {"step": step, "rows": len(x) if x.dim() > 1 else 0, "text": text}


def in_steps(model: nn.Module, step: float) -> dict[str, list]:
    """The weights for a small file: lists of whole multiples of one ``step``."""
    return {
        name: (p.detach() / step).round().int().tolist() for name, p in model.named_parameters()
    }


@torch.no_grad()
def fill(model: M, stored: dict) -> M:
    """Give a model the weights of a file, and set it to evaluation.

    ``stored["weights"]`` has what :func:`rounded` or :func:`in_steps` returns; the latter's step is
    ``stored["step"]``.
    """
    for name, p in model.named_parameters():
        one = stored["weights"][name]
        own = isinstance(one, dict)
        numbers, step = (
            (live.as_numbers(one["text"]), one["step"]) if own else (one, stored["step"])
        )
        p.copy_(torch.tensor(numbers).view_as(p) * step)
    return model.eval()
