"""Files that are there whole or not at all, and weights as safetensors."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor


def write_whole(path: Path, data: bytes) -> str:
    """Write ``data`` so that ``path`` holds either all of it or what it held before.

    The bytes go to a file beside it, are forced onto the disk, and only then take the name.

    Returns
    -------
    digest
        The SHA-256 of ``data``.

    Raises
    ------
    OSError
        Where the disk is full or refuses; nothing is left behind.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return digest(data)


def sync_folder(folder: Path) -> None:
    """Force the folder's list of names onto the disk, where the system can."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(data: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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

    Raises
    ------
    ValueError
        Where there is no such file or it is damaged.
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
