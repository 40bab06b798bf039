"""A run from its preset to its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from tfcourse import presets, training
from tfcourse.flops import count_parameters
from tfcourse.presets import Preset
from tfcourse.runs.images import images
from tfcourse.runs.language import language_model
from tfcourse.runs.masked import masked_words
from tfcourse.runs.task import Task
from tfcourse.runs.translation import translation
from tfcourse.runs.vectors import word_vectors
from tfcourse.training.checkpoints import found

_TASKS = {
    "language model": language_model, "translation": translation, "images": images,
    "word vectors": word_vectors, "masked words": masked_words,
}  # fmt: skip


def prepare(preset: Preset) -> Task:
    """Read the corpus, train the tokenizers, and make the model.

    The model's weights are determined by the preset's seed; torch's generator is left unchanged. A
    ``FileNotFoundError`` says how to get a real corpus that is not on this machine, and a
    ``ValueError`` which part of the preset does not fit its corpus.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(preset.training.seed)
        return _TASKS[preset.task](preset)


def run(
    preset: Preset,
    folder: str | Path,
    *,
    task: Task | None = None,
    device: str | None = None,
    resume: bool = False,
    progress: bool = False,
    tensorboard: bool = False,
) -> dict[str, Any]:
    """Train and evaluate what a preset describes.

    Parameters
    ----------
    folder:
        Gets the model with its tokenizers, ``preset.toml``, ``history.csv``, ``results.json`` and
        ``checkpoints/``.
    task, device:
        The result of :func:`prepare` for this preset, if already available; ``"cpu"``, ``"cuda"``
        ..., by default a GPU if there is one.
    resume:
        Whether to resume a run stopped in this folder; if not, an existing one is an error.
    progress, tensorboard:
        Whether to show a progress bar, and to log for TensorBoard into ``tensorboard/``.

    Returns
    -------
    results
        As in ``results.json``: parameters, steps, seconds of training, tokens per second,
        validation, and under ``"evaluation"`` the preset's measures. Under torchrun, only process 0
        evaluates; the others return an empty mapping.
    """
    folder = Path(folder)
    task = prepare(preset) if task is None else task
    t = preset.training
    history = training.fit(
        task.model,
        task.batches,
        loss=task.loss,
        steps=t.steps,
        lr=schedule(preset),
        optimiser=training.adamw(t.weight_decay, (t.betas[0], t.betas[1]), t.eps),
        clip=t.clip or None,
        accumulate=t.accumulate,
        autocast=t.autocast or None,
        compile=t.compile,
        attention=t.attention or None,
        device=device,
        seed=t.seed,
        max_seconds=t.max_seconds or None,
        validate=task.validate,
        validate_every=t.validate_every or max(1, t.steps // 10),
        checkpoint=folder / "checkpoints",
        checkpoint_every=t.checkpoint_every or max(1, t.steps // 10),
        keep=max(2, t.keep),
        resume=resume,
        log=[folder / "history.csv", *([folder / "tensorboard"] if tensorboard else [])],
        progress=progress,
    )
    if dist.is_initialized() and dist.get_rank():
        return {}
    _choose_weights(preset, task, folder / "checkpoints")
    training.save(folder, task.model, preset=presets.to_mapping(preset), **task.extra)
    (folder / "preset.toml").write_text(presets.to_toml(preset), "utf-8")
    results = {
        "parameters": count_parameters(task.model),
        **task.says,
        "steps": len(history),
        "training seconds": round(sum(history.seconds), 1),
        "tokens / s": round(history.tokens_per_second),
        "validation": history.validation,
        "evaluation": task.judge(task.model),
    }
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return results


def schedule(preset: Preset) -> training.Schedule:
    """The learning rate of each step."""
    t = preset.training
    if t.schedule == "constant":
        return training.constant(t.lr, t.warmup)
    if t.schedule == "cosine":
        return training.cosine(t.lr, t.steps, t.warmup, t.lowest)
    if t.schedule == "inverse_root":
        return training.inverse_root(t.lr, t.warmup)
    return training.noam(preset.model.choices.get("d_model", 512), t.warmup, t.lr)


def _choose_weights(preset: Preset, task: Task, checkpoints: Path) -> None:
    """Load the last weights, the best, or the mean of several."""
    t, device = preset.training, next(task.model.parameters()).device
    if t.best and task.validate is not None:
        training.load_best(checkpoints, task.model)
    elif t.average > 1:
        last = min(t.average, len(found(checkpoints)))  # a short run has fewer
        task.model.load_state_dict(training.average_checkpoints(checkpoints, last))
    task.model.to(device)
