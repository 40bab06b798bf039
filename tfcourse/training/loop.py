"""The training loop, meant to be read from top to bottom; each concern has its own file."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tfcourse.devices import attention_backend
from tfcourse.training import randomness
from tfcourse.training.batches import moved
from tfcourse.training.distributed import Shared, Team, exact
from tfcourse.training.failures import Interrupted, Interrupts, Seen
from tfcourse.training.history import History
from tfcourse.training.losses import Loss, mean_and_count
from tfcourse.training.optimisers import OptimiserChoice, adamw
from tfcourse.training.reports import Reports
from tfcourse.training.run import Run, finite
from tfcourse.training.schedules import Schedule
from tfcourse.training.settings import Settings


def fit(
    model: nn.Module,
    batches: Iterable[Any],
    *,
    loss: Loss,
    steps: int,
    lr: float | Schedule | Callable[[int], float] = 1e-3,
    optimiser: OptimiserChoice | Callable[[nn.Module], torch.optim.Optimizer] = adamw(),  # noqa: B008
    clip: float | None = 1.0,
    accumulate: int = 1,
    autocast: str | None = None,
    compile: bool = False,
    attention: str | None = None,
    parallel: str = "ddp",
    device: str | torch.device | None = None,
    seed: int = 0,
    max_seconds: float | None = None,
    validate: Callable[[nn.Module], float | Mapping[str, float]] | None = None,
    validate_every: int | None = None,
    higher_is_better: bool = False,
    checkpoint: str | Path | None = None,
    checkpoint_every: int | None = None,
    keep: int = 2,
    resume: bool = True,
    log: str | Path | Iterable[str | Path] | None = None,
    progress: bool = False,
    on_step: Callable[[int, nn.Module, History], None] | None = None,
) -> History:
    r"""Train a model.

    .. math:: g = \nabla_\theta \frac{\sum_b n_b L_b}{\sum_b n_b}, \qquad
              g \leftarrow g \min\left(1, \frac{c}{\lVert g \rVert}\right), \qquad
              \theta \leftarrow \operatorname{optimiser}(\theta, g, \eta(s))

    where b runs over the batches of one step, accumulated and on all devices, and :math:`n_b` is
    their number of tokens: the step equals that of one big batch.

    Parameters
    ----------
    model:
        Trained in place and left on the device it was trained on (with ``parallel="fsdp"``, on its
        original one), in its original mode. A compiled model is run compiled, and kept in
        checkpoints under its own names.
    batches:
        An iterable of batches, nested structures of tensors, which is iterated over repeatedly. To
        resume, it must be a list or have ``state_dict()`` and ``load_state_dict(state)``; for
        several processes it needs ``shard(rank, world)``.
    loss:
        ``loss(model, batch) -> (mean, count)``: a scalar tensor, and the number of tokens it
        averages; see :mod:`tfcourse.training.losses`. The batches of a step in which nothing counts
        are passed over.
    steps, accumulate:
        Optimiser steps, and batches per step (in each process).
    lr:
        A learning rate, or a function of the step, counted from 1:
        :mod:`tfcourse.training.schedules`. It is set in every parameter group.
    optimiser, clip:
        Makes an optimiser for a model: :mod:`tfcourse.training.optimisers`. Maximum gradient norm,
        :math:`c`, or ``None``; the history keeps the norm before clipping.
    autocast, compile:
        ``"bfloat16"`` for matrix products in it; weights and their updates keep their dtype. (An
        LSTM stays in float32 on a CPU that has no kernel for it.) Whether to run the model through
        ``torch.compile``; validation does not.
    attention:
        Which kernel computes fused attention, see :func:`~tfcourse.devices.attention_backend`;
        by default PyTorch chooses.
    parallel, device:
        Under torchrun, ``"ddp"`` or ``"fsdp"``: whether each process holds the whole model or a
        shard. The device defaults to a GPU if there is one (one per process), else the CPU.
    seed:
        Seed of PyTorch's, NumPy's and Python's global generators, for dropout and the like. Under
        torchrun each process adds its rank.
    max_seconds:
        Stop early, after the step in which the total time of steps reaches this.
    validate:
        ``validate(model)``, called in ``eval()`` mode without gradients: one number, or numbers by
        name, of which the first decides which is best. Its random draws do not affect training.
        Under torchrun every process calls it. :func:`~tfcourse.training.losses.mean_loss` makes
        one.
    validate_every, higher_is_better:
        Steps between validations, in addition to the one at the end; whether higher values of the
        first number from ``validate`` are better.
    checkpoint:
        A folder for checkpoints and the weights of the best validation. A run that finds its own
        checkpoints there resumes from the newest intact one, on the CPU exactly as if it had never
        stopped.
    checkpoint_every, keep:
        Steps between checkpoints, in addition to the one at the end: default a tenth of ``steps``.
        How many of the newest to keep, at least 2, in case one is damaged.
    resume:
        ``False`` rejects a folder that already holds checkpoints.
    log, progress:
        A file that ends in ``.csv``, a folder for TensorBoard, or several of these; whether to show
        a progress bar. Otherwise nothing is printed.
    on_step:
        ``on_step(step, model, history)``, called after each step.

    Returns
    -------
    history
        Of all steps, including those before resuming.

    Raises
    ------
    ValueError
        If an argument is invalid, a run is resumed with other settings than it began with, or all
        checkpoints are damaged.
    NotFinite
        If the loss or the gradient is NaN or infinite. The weights are those before that step; the
        error names the step, keeps its batches, and names the last checkpoint.
    OSError
        If a checkpoint cannot be written. The last good one remains.
    Interrupted
        On Ctrl-C, a ``KeyboardInterrupt`` with the history: the step is finished and, with
        ``checkpoint``, saved. A second Ctrl-C stops at once.

    Notes
    -----
    Vaswani et al. 2017, section 5; clipping: Pascanu et al. 2013 ("On the difficulty of training
    recurrent neural networks"), algorithm 1.
    """
    settings = Settings(
        loss=loss, steps=steps, lr=lr, optimiser=optimiser, clip=clip, accumulate=accumulate,
        autocast=autocast, compile=compile, parallel=parallel, seed=seed, max_seconds=max_seconds,
        validate_every=validate_every, checkpoint_every=checkpoint_every, keep=keep,
    )  # fmt: skip
    team = Team.found(device)
    randomness.start(seed + team.rank)
    shared = Shared(model, team, parallel, compile)
    run = Run(shared, batches, settings, checkpoint, higher_is_better)
    run.resume(resume)
    history, stream = run.history, run.stream
    reports = Reports(history, steps, progress and team.leads, log if team.leads else None)

    with attention_backend(attention, team.device), Interrupts() as interrupts, reports:
        shared.model.train()
        run.optimiser.zero_grad()  # whatever a backward pass before left
        while len(history) < steps and not run.out_of_time():
            step, began = len(history) + 1, time.perf_counter()

            # 1. The gradient of the loss summed over all tokens: only then is their number known.
            seen: list[Seen] = []
            summed, tokens = 0.0, 0.0
            for turn in range(1, accumulate + 1):
                batch = moved(next(stream), team.device)
                with shared.no_sync(turn < accumulate):
                    with settings.cast(team.device):
                        mean, count = mean_and_count(loss(shared.run, batch))
                    settings.check_loss(mean)
                    (mean * count).backward()
                seen.append(Seen(stream.epoch, stream.index - 1, mean.detach(), batch))
                summed, tokens = summed + exact(mean) * count, tokens + count
            summed, tokens, asked = team.all_reduce([summed, tokens, float(interrupts.asked)])

            if not tokens and finite(summed):
                run.pass_over()
                continue

            # 2. Of the mean: what several processes give is already divided by their number.
            gradients, norm = run.gradients()
            factor = team.world / tokens if tokens else math.nan
            mean, norm = summed * factor / team.world, norm * factor
            run.check_finite(mean, norm, seen)
            if clip is not None and norm > clip:
                factor *= clip / norm
            for g in gradients:
                g.mul_(factor)

            # 3. The step.
            rate = run.set_rate(step)
            run.optimiser.step()
            run.optimiser.zero_grad()
            seconds = run.took(began, time.perf_counter())
            history.add(loss=mean, lr=rate, norm=norm, tokens=tokens, seconds=seconds)

            # 4. What there is to do between steps.
            _between_steps(run, reports, validate, on_step, stopping=bool(asked))
            if asked:
                break
    shared.hand_back()
    if interrupts.asked:
        raise Interrupted(run.stopped(), history)
    return history


def _between_steps(
    run: Run,
    reports: Reports,
    validate: Callable[[nn.Module], float | Mapping[str, float]] | None,
    on_step: Callable[[int, nn.Module, History], None] | None,
    stopping: bool,
) -> None:
    """Report the step just taken; validate, call ``on_step`` and write a checkpoint when due.

    There is always a checkpoint after the last step, and when training is ``stopping`` early.
    """
    reports.step()
    step = len(run.history)
    last = step == run.settings.steps or run.out_of_time()
    if validate is not None and run.settings.validates(step, last):
        run.validate(validate)
        reports.validation()
    if on_step is not None:
        on_step(step, run.shared.model, run.history)
    if run.settings.keeps(step, last) or stopping:
        run.keep()
