"""Convert folders in Hugging Face's format to models of this package, and back.

A folder holds ``config.json`` and ``model.safetensors`` (or several shards with an index). GPT-2,
Llama, Qwen3, StableLM, BERT, Marian and ViT can be read and written; each has a file here that maps
its names onto ours. A pickle is never opened: reading one may run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tfcourse.arguments import one_of
from tfcourse.pretrained import folders
from tfcourse.pretrained.bert import Bert
from tfcourse.pretrained.family import FLOATS, Family
from tfcourse.pretrained.gpt2 import GPT2
from tfcourse.pretrained.llama import Llama
from tfcourse.pretrained.marian import Marian
from tfcourse.pretrained.qwen3 import Qwen3
from tfcourse.pretrained.settings import CheckpointConfig
from tfcourse.pretrained.stablelm import StableLM
from tfcourse.pretrained.vit import VisionTransformer
from tfcourse.wrapped import class_of, unwrapped

__all__ = ["load", "save"]

#: The families that can be read and written.
FAMILIES: tuple[Family, ...] = (
    GPT2(), Llama(), Qwen3(), StableLM(), Bert(), Marian(), VisionTransformer(),
)  # fmt: skip


def load(folder: str | Path, *, dtype: torch.dtype | None = None) -> nn.Module:
    """Load a model with its weights from a folder, in eval mode, on the CPU.

    The folder holds ``config.json`` and ``model.safetensors``, or shards and
    ``model.safetensors.index.json``, as ``save_pretrained`` of ``transformers`` writes them. Its
    ``model_type`` decides whether the model is a GPT, BERT, Transformer or ViT; ``dtype``, a
    floating-point type of 16 to 64 bits, defaults to that of the weights. A BERT without a head is
    used through ``encode`` and ``pool``.

    Raises
    ------
    ValueError
        If the folder holds no such files, or only a pickle; if ``config.json`` requires something
        that the model does not compute, or an entry has another type; or if the weights are
        quantised or do not fit, with the names and shapes that differ.
    """
    folder = Path(folder)
    if dtype is not None:
        one_of(FLOATS, dtype=dtype)
    settings = CheckpointConfig(folders.read_settings(folder))
    kind = settings.entries.get("model_type")
    family = next((f for f in FAMILIES if f.model_type == kind), None)
    if family is None:
        known = [f.model_type for f in FAMILIES]
        raise ValueError(
            f"model_type in {folder / 'config.json'} must be one of {known}, got {kind!r}"
        )
    return family.build(settings, folders.read_weights(folder), dtype, str(folder))


def save(
    model: nn.Module, folder: str | Path, *, settings: Mapping[str, Any] | None = None
) -> None:
    """Write a model to a folder from which :func:`load` and ``transformers`` can read it.

    A missing folder is created; ``config.json`` and ``model.safetensors`` in it are replaced.
    ``settings`` are further entries for ``config.json`` that the model does not know, such as
    ``eos_token_id``. Raises ``ValueError``, with the reasons, if ``transformers`` has no model that
    computes the same.
    """
    kind, config = class_of(model), getattr(unwrapped(model), "config", None)
    reasons = {f.model_type: f.differs(config) for f in FAMILIES if kind is f.model}
    if not reasons:
        models = sorted({f.model.__name__ for f in FAMILIES})
        raise ValueError(f"model must be one of {models}, got {kind.__name__}")
    family = next((f for f in FAMILIES if reasons.get(f.model_type) == []), None)
    if family is None:
        told = "; ".join(f"as {name}: {', '.join(why)}" for name, why in reasons.items())
        raise ValueError(f"model must compute what a model of transformers does, {told}")
    first = next(model.parameters())
    known = family.settings(config)
    known |= {"model_type": family.model_type, "dtype": str(first.dtype).removeprefix("torch.")}
    folders.write(Path(folder), dict(settings or {}) | known, family.export(model))
