"""Learning rates over the course of training: each is a function of the step, counted from 1.

``cosine(...)`` is a schedule for :func:`~tfcourse.training.fit`; ``cosine_rate(step, ...)`` is the
formula alone, for a training loop of one's own. The formulas also take step 0, before training.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from tfcourse.arguments import above_zero, at_least_one


@dataclass(frozen=True)
class Schedule:
    """A learning rate for each step, with the words that describe it.

    Two schedules are equal where their words are; a run that resumes compares them.

    Attributes
    ----------
    says:
        How it was made, such as ``"cosine(peak=0.001, steps=2000, warmup=100, lowest=0.0)"``.
    rate:
        The learning rate at a step, counted from 1.
    """

    says: str
    rate: Callable[[int], float] = field(compare=False, repr=False)

    def __call__(self, step: int) -> float:
        """The learning rate of this step; the first step is 1.

        Raises
        ------
        ValueError
            If ``step`` is below 1.
        """
        at_least_one(step=step)
        return self.rate(step)

    def __repr__(self) -> str:
        return self.says


def constant(peak: float, warmup: int = 0) -> Schedule:
    r"""One rate throughout, after a straight rise over the first ``warmup`` steps.

    .. math:: \eta(s) = \eta \min(1, s / w)

    Parameters
    ----------
    peak:
        The rate, :math:`\eta`.
    warmup:
        Steps of the rise, :math:`w`; none unless given.

    Raises
    ------
    ValueError
        If ``peak`` is not above 0 or ``warmup`` is below 0.
    """
    _checked(peak=peak, warmup=warmup)
    return Schedule(
        f"constant(peak={peak}, warmup={warmup})",
        lambda step: constant_rate(step, peak, warmup),
    )


def constant_rate(step: int, peak: float, warmup: int = 0) -> float:
    """The learning rate of :func:`constant` at a step."""
    return peak * min(1.0, step / warmup) if warmup else peak


def cosine(peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> Schedule:
    r"""A rise to ``peak``, then half a wave of a cosine down to ``lowest`` at the last step.

    .. math::
        \eta(s) = \begin{cases} \eta\, s / w & s \le w \\
            \eta_0 + \tfrac12 (\eta - \eta_0)\left(1 + \cos \pi \frac{s - w}{S - w}\right)
            & w < s \le S \\ \eta_0 & s > S \end{cases}

    Parameters
    ----------
    peak, lowest:
        The rates after the rise, :math:`\eta`, and at the end, :math:`\eta_0`.
    steps, warmup:
        All steps, :math:`S`, and those of the rise among them, :math:`w`.

    Raises
    ------
    ValueError
        If ``peak`` is not above 0, ``lowest`` does not lie between 0 and it, or ``warmup`` is
        not below ``steps``.

    Notes
    -----
    Loshchilov and Hutter 2017 ("SGDR"), equation 5, without restarts; the rise as in Radford et al.
    2018, section 4.1.
    """
    _checked_fall(peak=peak, steps=steps, warmup=warmup, lowest=lowest)
    return Schedule(
        f"cosine(peak={peak}, steps={steps}, warmup={warmup}, lowest={lowest})",
        lambda step: cosine_rate(step, peak, steps, warmup, lowest),
    )


def cosine_rate(step: int, peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> float:
    """The learning rate of :func:`cosine` at a step."""
    if warmup and step <= warmup:
        return peak * step / warmup
    way = min(1.0, (step - warmup) / (steps - warmup))
    return lowest + 0.5 * (peak - lowest) * (1 + math.cos(math.pi * way))


def linear(peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> Schedule:
    r"""A rise to ``peak``, then a straight fall to ``lowest`` at the last step.

    .. math::
        \eta(s) = \begin{cases} \eta\, s / w & s \le w \\
            \eta_0 + (\eta - \eta_0) \frac{S - s}{S - w} & w < s \le S \\ \eta_0 & s > S \end{cases}

    Parameters
    ----------
    peak, lowest:
        The rates after the rise, :math:`\eta`, and at the end, :math:`\eta_0`.
    steps, warmup:
        All steps, :math:`S`, and those of the rise among them, :math:`w`.

    Raises
    ------
    ValueError
        If ``peak`` is not above 0, ``lowest`` does not lie between 0 and it, or ``warmup`` is not
        below ``steps``.

    Notes
    -----
    Devlin et al. 2019, appendix A.2: BERT's schedule.
    """
    _checked_fall(peak=peak, steps=steps, warmup=warmup, lowest=lowest)
    return Schedule(
        f"linear(peak={peak}, steps={steps}, warmup={warmup}, lowest={lowest})",
        lambda step: linear_rate(step, peak, steps, warmup, lowest),
    )


def linear_rate(step: int, peak: float, steps: int, warmup: int = 0, lowest: float = 0.0) -> float:
    """The learning rate of :func:`linear` at a step."""
    if warmup and step <= warmup:
        return peak * step / warmup
    return lowest + (peak - lowest) * max(0.0, (steps - step) / (steps - warmup))


def inverse_root(peak: float, warmup: int) -> Schedule:
    r"""A rise to ``peak``, then a fall with the root of the step.

    .. math:: \eta(s) = \eta \min\left(\frac{s}{w}, \sqrt{\frac{w}{s}}\right)

    Parameters
    ----------
    peak:
        The highest rate, :math:`\eta`, at step ``warmup``.
    warmup:
        Steps of the rise, :math:`w`, at least 1.

    Raises
    ------
    ValueError
        If ``peak`` is not above 0 or ``warmup`` is below 1.

    Notes
    -----
    The form of :func:`noam` that names its peak; fairseq calls it ``inverse_sqrt``.
    """
    _checked(peak=peak, warmup=warmup)
    at_least_one(warmup=warmup)
    return Schedule(
        f"inverse_root(peak={peak}, warmup={warmup})",
        lambda step: inverse_root_rate(step, peak, warmup),
    )


def inverse_root_rate(step: int, peak: float, warmup: int) -> float:
    """The learning rate of :func:`inverse_root` at a step."""
    return peak * (min(step / warmup, (warmup / step) ** 0.5) if step else 0.0)


def noam(d_model: int, warmup: int = 4000, factor: float = 1.0) -> Schedule:
    r"""The schedule of "Attention Is All You Need": wider models learn at lower rates.

    .. math:: \eta(s) = f\, d_{model}^{-0.5} \min(s^{-0.5},\ s\, w^{-1.5})

    Its peak, at step :math:`w`, is :math:`f (d_{model} w)^{-0.5}`.

    Parameters
    ----------
    d_model:
        Width of the model.
    warmup:
        Steps of the rise, :math:`w`, at least 1.
    factor:
        What the paper's rate is multiplied by, :math:`f`.

    Raises
    ------
    ValueError
        If one of them is not above 0.

    Notes
    -----
    Vaswani et al. 2017, section 5.3, equation 3.
    """
    at_least_one(d_model=d_model, warmup=warmup)
    above_zero(factor=factor)
    return Schedule(
        f"noam(d_model={d_model}, warmup={warmup}, factor={factor})",
        lambda step: noam_rate(step, d_model, warmup, factor),
    )


def noam_rate(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    """The learning rate of :func:`noam` at a step."""
    return factor * d_model**-0.5 * (min(step**-0.5, step * warmup**-1.5) if step else 0.0)


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
