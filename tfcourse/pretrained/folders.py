"""Folders with ``config.json`` and safetensors: read and written, never a pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

WEIGHTS, INDEX, SETTINGS = "model.safetensors", "model.safetensors.index.json", "config.json"
#: Files that hold Python objects: reading one may run code.
PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def read_settings(folder: Path) -> dict[str, Any]:
    """The content of ``config.json``."""
    if not folder.is_dir():
        raise ValueError(f"folder must be a folder with {SETTINGS} and {WEIGHTS}, got {folder}")
    return _read_json(folder / SETTINGS)


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors by name, from one file or all shards of the index; never from a pickle."""
    if (folder / WEIGHTS).is_file():
        return _read_file(folder / WEIGHTS)
    if (folder / INDEX).is_file():
        index = _read_json(folder / INDEX).get("weight_map")
        if not isinstance(index, dict) or not all(isinstance(n, str) for n in index.values()):
            raise ValueError(
                f"weight_map in {folder / INDEX} must be an object that names each tensor's file, "
                f"got {index!r}"
            )
        files = sorted(set(index.values()))
        if outside := [name for name in files if Path(name).name != name]:
            raise ValueError(f"{folder / INDEX} must name files of its own folder, got {outside}")
        tensors: dict[str, Tensor] = {}
        for name in files:
            tensors |= _read_file(folder / name)
        return tensors
    pickles = sorted(p.name for pattern in PICKLES for p in folder.glob(pattern))
    if pickles:
        raise ValueError(
            f"{folder} must hold {WEIGHTS}, it holds only {', '.join(pickles)}: a pickle, which "
            "may run code when it is read, so it is not opened. If you trust it, read it with "
            "transformers' from_pretrained; save_pretrained then writes safetensors"
        )
    raise ValueError(f"{folder} must hold {WEIGHTS} or {INDEX}, it holds neither")


def write(folder: Path, settings: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """Write both files; if writing fails, the old ones are unchanged."""
    folder.mkdir(parents=True, exist_ok=True)
    new = {name: folder / f".{name}.new" for name in (WEIGHTS, SETTINGS)}
    save_file(dict(tensors), new[WEIGHTS], metadata={"format": "pt"})
    text = json.dumps(settings, indent=2, sort_keys=True, ensure_ascii=False)
    new[SETTINGS].write_text(text + "\n", encoding="utf-8")
    for name, path in new.items():
        path.replace(folder / name)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path.parent} must hold {path.name}, it does not") from None
    except ValueError as error:  # not JSON, or not text
        raise ValueError(f"{path} must be JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} must hold a JSON object, got a {type(found).__name__}")
    return found


def _read_file(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        raise ValueError(f"{path.parent} must hold {path.name}, its index names it") from None
    except SafetensorError as error:
        raise ValueError(f"{path} must be a whole safetensors file: {error}") from None
