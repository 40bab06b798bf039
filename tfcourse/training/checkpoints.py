"""Checkpoints: everything needed to resume training bit for bit, written atomically.

A checkpoint is a folder ``step-00000100`` with weights (safetensors), the rest of the state (read
with ``weights_only``, so no code in it is run) and a manifest with the SHA-256 of both. It is
written under another name, flushed to disk and renamed; a damaged one is detected and the one
before it is used.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from tfcourse.arguments import at_least_one
from tfcourse.files import digest_of, sync_folder, write_whole
from tfcourse.wrapped import load_weights, names_of

WEIGHTS, STATE, MANIFEST, BEST = (
    "model.safetensors", "training.pt", "manifest.json", "best.safetensors",
)  # fmt: skip


def pack(weights: Mapping[str, Tensor], **says: str) -> bytes:
    """Weights as a safetensors file, with ``says`` in its header.

    Names that share one tensor, such as tied embeddings, are written once; the header says which.
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
    # Different views of one storage are not one tensor: each is written separately.
    places = {name: t.untyped_storage().data_ptr() for name, t in kept.items()}
    users = Counter(places.values())
    kept = {name: t.clone() if users[places[name]] > 1 else t for name, t in kept.items()}
    # One entry: safetensors writes several in any order, and files must be reproducible.
    header = {"says": json.dumps({"same": same, **says}, sort_keys=True)}
    return safetensors.torch.save(kept, metadata=header)


def unpack(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The weights in a file written by :func:`pack`, and its header.

    Raises ``ValueError`` if there is no such file or it is damaged.
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


class Checkpoint(NamedTuple):
    """A checkpoint as read: the model's tensors by name, the rest, and the run's settings."""

    path: Path
    weights: dict[str, Tensor]
    state: dict[str, Any]
    settings: dict[str, Any]


def write(
    folder: Path,
    step: int,
    weights: Mapping[str, Tensor],
    state: Mapping[str, Any],
    settings: Mapping[str, Any],
    keep: int = 2,
) -> Path:
    """Write the checkpoint of a step, and remove all but the newest ``keep``.

    If it cannot be written, for example on a full disk, an ``OSError`` names the last good one.
    """
    final = folder / f"step-{step:08d}"
    new = folder / f".writing-{final.name}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove(new)
        new.mkdir()
        buffer = io.BytesIO()
        torch.save(dict(state), buffer)
        files = {
            WEIGHTS: write_whole(new / WEIGHTS, pack(weights)),
            STATE: write_whole(new / STATE, buffer.getvalue()),
        }
        manifest = {"step": step, "sha256": files, "settings": dict(settings)}
        write_whole(new / MANIFEST, json.dumps(manifest, indent=1))
        _remove(final)  # a damaged one of this step
        new.replace(final)
        sync_folder(folder)
    except OSError as error:
        _remove(new)
        last = next((path for path in reversed(found(folder)) if path != final), None)
        raise OSError(
            error.errno,
            f"the checkpoint of step {step} could not be written ({error.strerror or error}); "
            + (f"the last good one is {last.name}" if last else "there is none before it"),
            str(folder),
        ) from error
    for old in found(folder)[:-keep]:
        _remove(old)
    return final


def clear(folder: Path) -> None:
    """Remove what a run that was killed while writing has left behind."""
    for path in folder.glob(".writing-step-*"):
        _remove(path)
    for path in folder.glob(f".{BEST}.*.new"):
        path.unlink(missing_ok=True)


def found(folder: Path) -> list[Path]:
    """The checkpoints in a folder, oldest first, damaged ones included."""
    return sorted(p for p in folder.glob("step-*") if re.fullmatch(r"step-\d{8,}", p.name))


def damage(path: Path) -> str | None:
    """What is wrong with a checkpoint; ``None`` if it is intact."""
    try:
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
        for name in (WEIGHTS, STATE):
            if digest_of(path / name) != manifest["sha256"][name]:
                return f"{name} is not what was written"
    except FileNotFoundError as error:
        return f"{Path(error.filename).name} is missing"
    except (ValueError, KeyError, TypeError):
        return f"{MANIFEST} is not what was written"
    return None


def newest(folder: Path) -> Path | None:
    """The newest intact checkpoint, with a warning for each damaged one that is skipped.

    ``None`` if there are none; raises ``ValueError`` if there are some and all are damaged.
    """
    paths = found(folder)
    for path in reversed(paths):
        wrong = damage(path)
        if wrong is None:
            return path
        warnings.warn(f"{path.name} is damaged ({wrong}); looking for the one before", stacklevel=2)
    if paths:
        raise ValueError(
            f"checkpoint must hold an intact checkpoint, all {len(paths)} in {folder} are damaged; "
            "remove them to start again"
        )
    return None


def read(path: Path) -> Checkpoint:
    """Read a checkpoint's folder; raises ``ValueError`` if it is damaged."""
    if wrong := damage(path):
        raise ValueError(f"{path} must be an intact checkpoint: {wrong}")
    state = torch.load(path / STATE, map_location="cpu", weights_only=True)
    settings = json.loads((path / MANIFEST).read_text("utf-8"))["settings"]
    return Checkpoint(path, unpack(path / WEIGHTS)[0], state, settings)


def check_names(
    path: Path,
    given: Iterable[str],
    known: Iterable[str],
    written: str = "by another version of tfcourse",
) -> None:
    """Raise ``ValueError`` if the names in a file are not exactly those that this version writes.

    There is no conversion: the sentence says by whom or for what the file was ``written``.
    """
    given, known = set(given), set(known)
    if given == known:
        return
    differs = [
        f"{says} {min(names)}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        for says, names in (("it lacks", known - given), ("it has", given - known))
        if names
    ]
    raise ValueError(f"{path} was written {written} and cannot be read: {', '.join(differs)}")


def compare(was: Mapping[str, Any], now: Mapping[str, Any], path: Path) -> None:
    """Raise ``ValueError``, naming the differences, if a run resumes with other settings.

    If the model's config has other fields, the checkpoint is of another version.
    """
    (kind, given), (known_kind, known) = (_config(str(one.get("model"))) for one in (was, now))
    if kind == known_kind:
        check_names(path, given, known)
    different = [
        f"{name} was {was.get(name)}, is now {now.get(name)}"
        for name in {**was, **now}
        if was.get(name) != now.get(name)
    ]
    if different:
        raise ValueError(
            f"the run in {path.parent} must keep its settings: {'; '.join(different)}. "
            "Restore them, or use another folder as checkpoint"
        )


def write_best(folder: Path, weights: Mapping[str, Tensor], step: int, value: float) -> None:
    """Save the weights of the best validation so far, replacing the previous ones."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / BEST, pack(weights, step=str(step), value=repr(value)))


def load_best(folder: str | Path, model: nn.Module) -> int:
    """Load the weights of the best validation into a model of the same sizes; return its step.

    ``folder`` is the ``checkpoint`` argument of :func:`~tfcourse.training.fit`. Raises
    ``ValueError`` if there are none, as without ``validate``, or they have other names.
    """
    path = Path(folder) / BEST
    weights, says = unpack(path)
    written = "for another model, or by another version of tfcourse,"
    check_names(path, weights, names_of(model), written)
    load_weights(model, weights)
    return int(says["step"])


def average_checkpoints(folder: str | Path, last: int = 5) -> dict[str, Tensor]:
    r"""The mean of the last checkpoints' weights, which often translates slightly better.

    .. math:: \bar\theta = \frac1N \sum_{i=1}^{N} \theta_{s_i}

    ``folder`` is the ``checkpoint`` argument of :func:`~tfcourse.training.fit`, ``last`` is
    :math:`N`; raises ``ValueError`` if there are fewer intact ones. Sums are in float64; tensors
    that are not floating-point come from the newest.

    Notes
    -----
    Vaswani et al. 2017, section 6.1, with the last 5 of the base model and 20 of the big one.
    """
    at_least_one(last=last)
    paths = [path for path in found(Path(folder)) if damage(path) is None][-last:]
    if len(paths) < last:
        raise ValueError(f"last must be at most {len(paths)}, the intact ones, got {last}")
    weights, _ = unpack(paths[-1] / WEIGHTS)
    mean = {name: t.double() for name, t in weights.items() if t.is_floating_point()}
    for path in paths[:-1]:
        others, _ = unpack(path / WEIGHTS)
        for name in mean:
            mean[name] = mean[name] + others[name]
    return weights | {name: (t / last).to(weights[name].dtype) for name, t in mean.items()}


def _config(model: str) -> tuple[str, list[str]]:
    """The classes of a model and of its config in a run's description, and the config's fields."""
    kind, _, fields = model.partition("(")
    return kind, re.findall(r"(\w+)=", fields)


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
