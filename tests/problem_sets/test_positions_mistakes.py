"""Each message about a mistake is told of that mistake, and never of the right answer."""

import math

import pytest
import torch
from test_words_mistakes import told_of_other_mistakes

from tfcourse.grading.mistakes import offsets, positions
from tfcourse.positions import (
    ALiBi,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
    alibi_slopes,
)


@pytest.fixture
def draw(generator):
    """Random numbers of a shape, of 64 bits."""
    return lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)


def test_no_mistake_of_the_codes_is_right():
    at = torch.tensor([20.0, 21.0, 98.0, 3.0]).double()
    right = SinusoidalPositions(100).table(at, torch.float64)
    found = positions.sinusoid_mistakes(at, 100)
    assert told_of_other_mistakes(found, right) == {}


@pytest.mark.parametrize(("d", "base"), [(10, 1e4), (6, 64.0)])
def test_no_mistake_of_the_wavelengths_is_right(d, base):
    right = 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
    assert told_of_other_mistakes(positions.wavelength_mistakes(d, base), right) == {}


def test_no_mistake_of_the_shift_is_right():
    theta = torch.tensor([0.9, 0.4, 0.1])
    codes = SinusoidalPositions(6)
    angle = torch.arange(40)[:, None] * theta
    codes = torch.stack([angle.sin(), angle.cos()], -1).flatten(1).double()
    right = torch.linalg.lstsq(codes[:-3], codes[3:]).solution.float()
    found = positions.shift_mistakes(3, theta)
    assert told_of_other_mistakes(found, right) == {}


def test_no_mistake_of_the_similarity_is_right():
    theta = torch.tensor([0.9, 0.4, 0.1]).double()
    right = (3 * theta).cos().sum().item()
    found = positions.similarity_mistakes(3, theta)
    assert told_of_other_mistakes(found, right) == {}


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
@pytest.mark.parametrize("leading", [(), (5,), (2, 3)])
def test_no_mistake_of_turning_is_right(draw, pairing, leading):
    x, scheme = draw(*leading, 5, 6), RotaryPositions(6, pairing, base=5.0)
    theta = scheme.angles(torch.ones(1))[0]
    found = positions.rotary_mistakes(x, torch.arange(5) + 2, theta, pairing)
    assert told_of_other_mistakes(found, scheme.rotate(x, 2)) == {}


@pytest.mark.parametrize(("heads", "K"), [(2, 8), (3, 6)])
def test_no_mistake_of_reordering_is_right(draw, heads, K):
    W = draw(12, heads * K)
    order = torch.arange(heads * K).view(heads, K // 2, 2).mT.flatten()
    found = positions.halves_mistakes(W, heads)
    assert told_of_other_mistakes(found, W[:, order]) == {}


@pytest.mark.parametrize("heads", [2, 4, 16, 6, 7, 12])
def test_no_mistake_of_the_slopes_is_right(heads):
    right = torch.tensor(alibi_slopes(heads))
    found = offsets.slope_mistakes(heads)
    # Where one alone is filled in it is the first, so that taking them in a row is right.
    found = {message: wrong for message, wrong in found.items() if not torch.equal(wrong, right)}
    assert told_of_other_mistakes(found, right) == {}


@pytest.mark.parametrize("queries", [4, 3])
def test_no_mistake_of_the_distances_is_right(queries):
    scheme = ALiBi(3)
    found = offsets.alibi_mistakes(scheme.slopes.flatten(), queries, 4)
    assert told_of_other_mistakes(found, scheme.bias(torch.ones(queries, 1), 4)) == {}


@pytest.mark.parametrize("queries", [7, 4])
def test_no_mistake_of_the_relative_bias_is_right(draw, queries):
    q, scheme = draw(2, queries, 3), RelativePositions(3, 2).double()
    found = offsets.relative_mistakes(q, scheme.a.detach(), 7)
    assert told_of_other_mistakes(found, scheme.bias(q, 7).detach()) == {}


@pytest.mark.parametrize("start", [0, 2])
def test_no_mistake_of_the_places_is_right(draw, start):
    x, table = draw(4, 4, 2), draw(9, 2)
    found = offsets.place_mistakes(x, table, start)
    assert told_of_other_mistakes(found, x + table[start : start + 4]) == {}
