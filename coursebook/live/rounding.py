"""Weights of a trained model as a figure's file has them: rounded, one character each.

Each tensor has a step of its own, and a weight is a whole multiple of it. A figure computes with
these rounded numbers, and so do the tests that compare it with ``tfcourse``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from coursebook import live

M = TypeVar("M", bound=nn.Module)

#: A step is this part of a tensor's root mean square.
FINENESS = 1 / 12


def rounded(weights: Mapping[str, Tensor]) -> dict[str, dict[str, Any]]:
    """The weights by their names, as ``Live.weights`` reads them."""
    stored = {}
    for name, x in weights.items():
        x = x.detach()
        step = float(x.square().mean().sqrt()) * FINENESS or 1.0
        text = live.as_text((x / step).round().int().flatten().tolist())
        stored[name] = {"step": step, "rows": len(x) if x.dim() > 1 else 0, "text": text}
    return stored


@torch.no_grad()
def load_rounded(model: M, stored: Mapping[str, dict[str, Any]]) -> M:
    """The model with the weights that :func:`rounded` wrote, in ``eval()`` mode."""
    for name, p in model.named_parameters():
        one = stored[name]
        p.copy_(torch.tensor(live.as_numbers(one["text"])).view_as(p) * one["step"])
    return model.eval()
