"""Weights as safetensors files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor


def pack(weights: Mapping[str, Tensor], **says: str) -> bytes:
    """Weights as a safetensors file, with ``says`` in its header.

    Names that stand for one tensor, such as tied embeddings, are written once; the header says
    which.
    """
    held: dict[tuple, str] = {}
    kept: dict[str, Tensor] = {}
    same: dict[str, str] = {}
    for name, tensor in weights.items():
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if tensor.numel() and place in held:
            same[name] = held[place]
        else:
            held[place] = name
            kept[name] = tensor.detach().cpu().contiguous()
    # Views of one storage that differ are not one tensor: each is written by itself.
    places = {name: t.untyped_storage().data_ptr() for name, t in kept.items()}
    users = Counter(places.values())
    kept = {name: t.clone() if users[places[name]] > 1 else t for name, t in kept.items()}
    # One entry: safetensors writes several in any order, and a file is to have the same bytes.
    header = {"says": json.dumps({"same": same, **says}, sort_keys=True)}
    return safetensors.torch.save(kept, metadata=header)


def unpack(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The weights that :func:`pack` made a file of, and what its header says.

    A ``ValueError`` if there is no such file or it is damaged.
    """
    try:
        with safe_open(path, framework="pt") as file:
            says = json.loads((file.metadata() or {}).get("says", "{}"))
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise ValueError(f"{path.parent} must hold {path.name}, it does not") from None
    except SafetensorError as error:
        raise ValueError(f"{path} must be a whole safetensors file: {error}") from None
    same = says.pop("same", {})
    return weights | {name: weights[other] for name, other in same.items()}, says
