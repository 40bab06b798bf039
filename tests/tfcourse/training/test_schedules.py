"""Learning rates against their formulas, their ends, and another library's."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    get_cosine_schedule_with_warmup,
    get_inverse_sqrt_schedule,
    get_linear_schedule_with_warmup,
)

from tfcourse.training import (
    constant,
    constant_rate,
    cosine,
    cosine_rate,
    inverse_root,
    inverse_root_rate,
    linear,
    linear_rate,
    noam,
    noam_rate,
)


@given(d=st.integers(1, 2048), warmup=st.integers(1, 9999), step=st.integers(1, 10**6))
def test_noam_is_the_papers_formula_and_inverse_root_its_other_form(d, warmup, step):
    paper = d**-0.5 * min(1 / math.sqrt(step), step / warmup**1.5)
    assert noam(d, warmup)(step) == pytest.approx(paper)
    assert noam(d, warmup, factor=2.0)(step) == pytest.approx(2 * paper)
    assert inverse_root((d * warmup) ** -0.5, warmup)(step) == pytest.approx(paper)


def test_noam_of_the_base_model_peaks_at_its_warm_up():
    rates = [noam(512)(step) for step in range(1, 9001)]
    assert max(rates) == rates[3999] == pytest.approx(6.9877e-4, rel=1e-4)
    assert rates[0] == pytest.approx(1.7469e-7, rel=1e-4)


def test_cosine_at_its_marks():
    rate = cosine(1e-3, steps=110, warmup=10, lowest=1e-4)
    assert [rate(s) for s in (1, 10, 60, 110, 500)] == pytest.approx(
        [1e-4, 1e-3, 5.5e-4, 1e-4, 1e-4]
    )
    assert [constant(2.0)(1), constant(2.0, warmup=4)(1), constant(2.0, 4)(9)] == [2.0, 0.5, 2.0]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (cosine(1.0, 50, 8), lambda o: get_cosine_schedule_with_warmup(o, 8, 50)),
        (linear(1.0, 50, 8), lambda o: get_linear_schedule_with_warmup(o, 8, 50)),
        (linear(1.0, 50), lambda o: get_linear_schedule_with_warmup(o, 0, 50)),
        (inverse_root(1.0, 8), lambda o: get_inverse_sqrt_schedule(o, 8)),
    ],
)
def test_equal_to_transformers(ours, theirs):
    """Theirs count steps from 0 and so begin with a step of no length."""
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = theirs(optimiser)
    for step in range(1, 51):
        optimiser.step()
        schedule.step()
        assert ours(step) == pytest.approx(schedule.get_last_lr()[0], abs=1e-12)


def test_schedules_say_and_compare_how_they_were_made():
    assert repr(cosine(0.1, 9)) == "cosine(peak=0.1, steps=9, warmup=0, lowest=0.0)"
    assert cosine(0.1, 9) == cosine(0.1, 9) != cosine(0.1, 10)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: cosine(0.0, 9), "peak must be above 0, got 0.0"),
        (lambda: cosine(1.0, 9, 9), "warmup must be below steps=9, got 9"),
        (lambda: cosine(1.0, 9, lowest=2.0), "lowest must lie between 0 and peak=1.0, got 2.0"),
        (lambda: cosine(1.0, 0), "steps must be at least 1, got 0"),
        (lambda: constant(1.0, -1), "warmup must be at least 0, got -1"),
        (lambda: inverse_root(1.0, 0), "warmup must be at least 1, got 0"),
        (lambda: noam(0), "d_model must be at least 1, got 0"),
        (lambda: noam(8, factor=0), "factor must be above 0, got 0"),
        (lambda: constant(1.0)(0), "step must be at least 1, got 0"),
    ],
)
def test_bad_arguments_are_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize(
    ("schedule", "rate"),
    [
        (constant(0.3, 7), lambda step: constant_rate(step, 0.3, 7)),
        (cosine(0.3, 50, 7, 0.1), lambda step: cosine_rate(step, 0.3, 50, 7, 0.1)),
        (linear(0.3, 50, 7, 0.1), lambda step: linear_rate(step, 0.3, 50, 7, 0.1)),
        (inverse_root(0.3, 7), lambda step: inverse_root_rate(step, 0.3, 7)),
        (noam(64, 7), lambda step: noam_rate(step, 64, 7)),
    ],
    ids=["constant", "cosine", "linear", "inverse_root", "noam"],
)
def test_the_formulas_alone_also_take_step_0(schedule, rate):
    assert [schedule(step) for step in range(1, 70)] == [rate(step) for step in range(1, 70)]
    assert rate(0) == 0.0


def test_linear_at_its_marks_and_what_it_refuses():
    rate = linear(1e-3, steps=110, warmup=10, lowest=1e-4)
    assert [rate(s) for s in (1, 10, 60, 110, 500)] == pytest.approx(
        [1e-4, 1e-3, 5.5e-4, 1e-4, 1e-4]
    )
    with pytest.raises(ValueError, match="warmup must be below steps=5, got 5"):
        linear(1e-3, 5, 5)
    with pytest.raises(ValueError, match="lowest must lie between 0 and peak=0.1, got 0.2"):
        linear(0.1, 5, lowest=0.2)
