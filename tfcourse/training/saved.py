"""A trained model as a folder: config, weights, tokenizers, and its preset; no pickle.

``config.json`` names the model by its config's class, one of :data:`KINDS`; nothing else is ever
created from it. It holds the SHA-256 of the files beside it, so an incomplete copy is detected.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tfcourse.files import digest_of, write_whole
from tfcourse.tokenizers import Tokenizer
from tfcourse.training.checkpoints import check_names, pack, unpack
from tfcourse.wrapped import class_of, unwrapped, weights_of

CONFIG, WEIGHTS = "config.json", "model.safetensors"
#: The models that can be saved: their config's class, its module, and the model's class.
KINDS = {
    "SkipGramConfig": ("skipgram", "SkipGram"),
    "RecurrentLMConfig": ("recurrent_lm", "RecurrentLM"),
    "Seq2SeqConfig": ("seq2seq", "Seq2Seq"),
    "GPTConfig": ("gpt", "GPT"),
    "BERTConfig": ("bert", "BERT"),
    "TransformerConfig": ("transformer", "Transformer"),
    "ViTConfig": ("vit", "ViT"),
    "PoolingConfig": ("classifiers", "PoolingClassifier"),
    "HierarchicalConfig": ("classifiers", "HierarchicalClassifier"),
    "TransformerClassifierConfig": ("classifiers", "TransformerClassifier"),
}


class Saved(NamedTuple):
    """A model in ``eval()`` mode on the CPU, and what else was saved, by name."""

    model: nn.Module
    extra: dict[str, Any]


def save(folder: str | Path, model: nn.Module, **extra: Any) -> Path:
    """Write a model so that :func:`open_saved` and the commands of ``tfcourse`` can open it.

    A missing folder is created; an earlier model in it is replaced. ``extra`` are tokenizers, each
    written to ``NAME.json`` in Hugging Face's format, and anything that JSON can hold, such as the
    preset. A compiled, data-parallel or sharded model gives the same files as the model itself; if
    it is sharded, every process must call this. Raises ``ValueError`` if JSON cannot hold ``extra``
    or the model is not one of ``tfcourse.models`` with the tensors that its config asks for.
    """
    folder, config = Path(folder), getattr(unwrapped(model), "config", None)
    kind = type(config).__name__
    if config is None or kind not in KINDS:
        raise ValueError(
            f"model must have a config of one of {', '.join(KINDS)}, got a "
            f"{class_of(model).__name__} with {'none' if config is None else kind}"
        )
    if wrong := [name for name in extra if f"{name}.json" == CONFIG]:
        raise ValueError(f"extra must have another name than {wrong[0]!r}, which {CONFIG} has")
    files = {n: value for n, value in extra.items() if isinstance(value, Tokenizer)}
    plain = {n: value for n, value in extra.items() if n not in files}
    says = {"kind": kind, "config": dataclasses.asdict(config), "extra": plain}
    try:
        json.dumps(says)
    except (TypeError, ValueError) as error:
        raise ValueError(f"extra must be tokenizers or what JSON can hold: {error}") from None
    weights = weights_of(model)
    _check_fits(config, weights)
    folder.mkdir(parents=True, exist_ok=True)
    sums = {WEIGHTS: write_whole(folder / WEIGHTS, pack(weights))}
    for name, tokenizer in files.items():
        tokenizer.save(folder / f"{name}.json")
        sums[f"{name}.json"] = digest_of(folder / f"{name}.json")
    # Last: until it is written, the old one does not match the files, which is detected.
    text = json.dumps({**says, "sha256": sums}, indent=1, ensure_ascii=False)
    write_whole(folder / CONFIG, text + "\n")
    return folder


def open_saved(folder: str | Path) -> Saved:
    """Read what :func:`save` wrote.

    Raises ``ValueError`` if it is damaged, of unknown kind, or of another version of this package.
    """
    folder = Path(folder)
    try:
        says = json.loads((folder / CONFIG).read_text("utf-8"))
        kind, config = says["kind"], dict(says["config"])
        sums, extra = dict(says["sha256"]), dict(says["extra"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(
            f"folder must hold a model that was saved by tfcourse, got {folder}: no {CONFIG} there "
            "that describes it"
        ) from None
    if kind not in KINDS:
        raise ValueError(f"{folder / CONFIG} must name one of {', '.join(KINDS)}, got {kind!r}")
    for name, expected in sums.items():
        path = folder / name
        if not re.fullmatch(r"\w+\.(json|safetensors)", name):
            raise ValueError(f"{folder / CONFIG} must name files of its own folder, got {name!r}")
        if not path.is_file() or digest_of(path) != expected:
            raise ValueError(f"{path} must be what was saved; it is missing or was changed")
    model = _model(kind, config, folder)
    weights, _ = unpack(folder / WEIGHTS)
    check_names(folder / WEIGHTS, weights, model.state_dict())
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"{folder / WEIGHTS} must fit its config: {error}") from None
    for name in sums:
        if name != WEIGHTS:
            extra[name.removesuffix(".json")] = Tokenizer.load(folder / name)
    return Saved(model.eval(), extra)


def _check_fits(config: Any, weights: Mapping[str, Tensor]) -> None:
    """Raise ``ValueError`` for tensors that a model made from ``config`` could not load."""
    model_class, _ = _classes(type(config).__name__)
    with torch.device("meta"):  # shapes only
        wanted = {n: tuple(t.shape) for n, t in model_class(config).state_dict().items()}
    given = {n: tuple(t.shape) for n, t in weights.items()}
    if wrong := sorted(n for n in {**wanted, **given} if wanted.get(n) != given.get(n)):
        n = wrong[0]
        raise ValueError(
            f"model must have the tensors of a {model_class.__name__} with its config, or it could "
            f"not be opened; {len(wrong)} differ, such as {n}: must be {wanted.get(n, 'absent')}, "
            f"got {given.get(n, 'none')}"
        )


def _classes(kind: str) -> tuple[type[nn.Module], Any]:
    """The model's class and the config's, by the config's name."""
    where, name = KINDS[kind]
    module = importlib.import_module(f"tfcourse.models.{where}")
    return getattr(module, name), getattr(module, kind)


def _model(kind: str, choices: Mapping[str, Any], folder: Path) -> nn.Module:
    """A model of these sizes, without its saved weights."""
    model_class, config = _classes(kind)
    # JSON has lists where a config has tuples.
    choices = {k: tuple(v) if isinstance(v, list) else v for k, v in choices.items()}
    check_names(folder / CONFIG, choices, (f.name for f in dataclasses.fields(config)))
    with torch.random.fork_rng():
        try:
            return model_class(config(**choices))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{folder / CONFIG} must hold a {kind}: {error}") from None
