"""Learning-rate schedules: each is a function of the step, counted from 1.

``cosine(...)`` is a schedule for :func:`~tfcourse.training.fit`; ``cosine_rate(step, ...)`` is the
formula alone, for your own training loop. The formulas also accept step 0, before training.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tfcourse.arguments import above_zero, at_least_one


@dataclass(frozen=True)
class Schedule:
    """A learning rate for each step, with a description.

    ``says`` is the call that made it, ``"cosine(peak=0.001, steps=2000, warmup=100, lowest=0.0)"``.
    Two schedules are equal if these are; a resumed run compares them.
    """

    says: str
    rate: Callable[[int], float] = field(compare=False, repr=False)

    def __call__(self, step: int) -> float:
        """The learning rate of this step, counted from 1."""
        at_least_one(step=step)
        return self.rate(step)

    def __repr__(self) -> str:
        return self.says


def constant(peak: float, warmup: int = 0) -> Schedule:
    r"""A constant rate, after a linear warm-up over the first ``warmup`` steps.

    .. math:: \eta(s) = \eta \min(1, s / w)

    ``peak`` is :math:`\eta`, above 0; ``warmup`` the number of warm-up steps, :math:`w`.
    """
    _checked(peak=peak, warmup=warmup)
    return _schedule(constant_rate, peak=peak, warmup=warmup)


def constant_rate(step: int, peak: float, warmup: int = 0) -> float:
    """The learning rate of :func:`constant` at a step."""
    return peak * min(1.0, step / warmup) if warmup else peak


def cosine(peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> Schedule:
    r"""A linear warm-up to ``peak``, then half a cosine wave down to ``lowest`` at the last step.

    .. math::
        \eta(s) = \begin{cases} \eta\, s / w & s \le w \\
            \eta_0 + \tfrac12 (\eta - \eta_0)\left(1 + \cos \pi \frac{s - w}{S - w}\right)
            & w < s \le S \\ \eta_0 & s > S \end{cases}

    ``peak`` and ``lowest`` are the rates after the warm-up, :math:`\eta > 0`, and at the end,
    :math:`\eta_0 \le \eta`; of all ``steps``, :math:`S`, the warm-up takes ``warmup``,
    :math:`w < S`.

    Notes
    -----
    Loshchilov and Hutter 2017 ("SGDR"), equation 5, without restarts; the warm-up as in Radford et
    al. 2018, section 4.1.
    """
    _checked_fall(peak=peak, steps=steps, warmup=warmup, lowest=lowest)
    return _schedule(cosine_rate, peak=peak, steps=steps, warmup=warmup, lowest=lowest)


def cosine_rate(step: int, peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> float:
    """The learning rate of :func:`cosine` at a step."""
    if warmup and step <= warmup:
        return peak * step / warmup
    way = min(1.0, (step - warmup) / (steps - warmup))
    return lowest + 0.5 * (peak - lowest) * (1 + math.cos(math.pi * way))


def linear(peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> Schedule:
    r"""A linear warm-up to ``peak``, then a linear decay to ``lowest`` at the last step.

    .. math::
        \eta(s) = \begin{cases} \eta\, s / w & s \le w \\
            \eta_0 + (\eta - \eta_0) \frac{S - s}{S - w} & w < s \le S \\ \eta_0 & s > S \end{cases}

    Arguments and errors are those of :func:`cosine`.

    Notes
    -----
    Devlin et al. 2019, appendix A.2: BERT's schedule.
    """
    _checked_fall(peak=peak, steps=steps, warmup=warmup, lowest=lowest)
    return _schedule(linear_rate, peak=peak, steps=steps, warmup=warmup, lowest=lowest)


def linear_rate(step: int, peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> float:
    """The learning rate of :func:`linear` at a step."""
    if warmup and step <= warmup:
        return peak * step / warmup
    return lowest + (peak - lowest) * max(0.0, (steps - step) / (steps - warmup))


def inverse_root(peak: float, warmup: int) -> Schedule:
    r"""A linear warm-up to ``peak``, then a decay with the square root of the step.

    .. math:: \eta(s) = \eta \min\left(\frac{s}{w}, \sqrt{\frac{w}{s}}\right)

    ``peak`` is the highest rate, :math:`\eta`, above 0; ``warmup`` the number of warm-up steps,
    :math:`w`, at least 1.

    Notes
    -----
    :func:`noam`, parametrised by its peak; fairseq calls it ``inverse_sqrt``.
    """
    _checked(peak=peak, warmup=warmup)
    at_least_one(warmup=warmup)
    return _schedule(inverse_root_rate, peak=peak, warmup=warmup)


def inverse_root_rate(step: int, peak: float, warmup: int) -> float:
    """The learning rate of :func:`inverse_root` at a step."""
    return peak * (min(step / warmup, (warmup / step) ** 0.5) if step else 0.0)


def noam(d_model: int, warmup: int = 4000, factor: float = 1.0) -> Schedule:
    r"""The schedule of "Attention Is All You Need": wider models get lower rates.

    .. math:: \eta(s) = f\, d_{model}^{-0.5} \min(s^{-0.5},\ s\, w^{-1.5})

    Its peak, at step :math:`w`, is :math:`f (d_{model} w)^{-0.5}`.

    ``warmup`` is the number of warm-up steps, :math:`w`, at least 1; ``factor``, above 0,
    multiplies the paper's rate, :math:`f`.

    Notes
    -----
    Vaswani et al. 2017, section 5.3, equation 3.
    """
    at_least_one(d_model=d_model, warmup=warmup)
    above_zero(factor=factor)
    return _schedule(noam_rate, d_model=d_model, warmup=warmup, factor=factor)


def noam_rate(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """The learning rate of :func:`noam` at a step."""
    return factor * d_model**-0.5 * (min(step**-0.5, step * warmup**-1.5) if step else 0.0)


def _schedule(rate: Callable[..., float], **choices: float) -> Schedule:
    """The schedule of a formula, described by its name and arguments."""
    name = rate.__name__.removesuffix("_rate")
    says = ", ".join(f"{choice}={value}" for choice, value in choices.items())
    return Schedule(f"{name}({says})", partial(rate, **choices))


def _checked(*, peak: float, warmup: int) -> None:
    above_zero(peak=peak)
    if warmup < 0:
        raise ValueError(f"warmup must be at least 0, got {warmup}")


def _checked_fall(*, peak: float, steps: int, warmup: int, lowest: float) -> None:
    _checked(peak=peak, warmup=warmup)
    at_least_one(steps=steps)
    if not 0 <= lowest <= peak:
        raise ValueError(f"lowest must lie between 0 and peak={peak}, got {lowest}")
    if warmup >= steps:
        raise ValueError(f"warmup must be below steps={steps}, got {warmup}")
