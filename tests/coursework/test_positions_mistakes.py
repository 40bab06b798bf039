"""Each message about a mistake is told of that mistake, and never of the right answer."""

import math

import pytest
import torch
from telling import told_of_other_mistakes

from coursework.mistakes import offsets, positions
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


@pytest.mark.parametrize(("d", "base"), [(100, 1e4), (4, 16.0), (6, 7.0)])
@pytest.mark.parametrize("at", [(20.0, 21.0, 98.0, 3.0), (5.0, 6.0, 7.0), (2.0**16,)])
def test_no_mistake_of_the_codes_is_right(d, base, at):
    at = torch.tensor(at).double()
    right = SinusoidalPositions(d, base).table(at, torch.float64)
    found = positions.sinusoid_mistakes(at, d, base)
    assert told_of_other_mistakes(found, right) == {}


@pytest.mark.parametrize("d", [4, 6])
def test_messages_about_codes_name_the_base_at_hand(d):
    at = torch.tensor([1.0, 3.0])
    said = [*positions.sinusoid_mistakes(at, d, 16.0), *positions.wavelength_mistakes(d, 16.0)]
    assert [m for m in said if "10000" in m] == [positions.BASE_UNUSED] * 2
    assert any("16^(2i/d)" in m for m in said)
    assert positions.BASE_UNUSED not in positions.sinusoid_mistakes(at, d)


def test_angles_of_32_bits_are_told_from_right_and_from_wrong_ones():
    at = torch.tensor([2.0**16, 3.0, 700.0]).double()
    right = SinusoidalPositions(6, 7.0).table(at, torch.float64)
    i = torch.arange(0, 6, 2)  # divided, it has 32 bits
    for theta in 7.0 ** (-i / 6), torch.exp(-i / 6 * torch.tensor(7.0).log()):
        for angle in at[:, None] * theta, (at[:, None].float() * theta).double():
            narrow = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
            assert len(positions.narrow_mistakes(narrow, right)) == 1
            assert positions.narrow_mistakes(narrow.float(), right) == {}
    for wrong in positions.sinusoid_mistakes(at, 6, 7.0).values():
        assert positions.narrow_mistakes(wrong, right) == {}
    assert positions.narrow_mistakes(right + 1e-12, right) == {}
    assert positions.narrow_mistakes(None, right) == {}


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
    assert positions.similarity_mistakes(0, theta) == {}  # so much is 0 or 1 there


def test_a_shift_back_may_have_lost_its_sign():
    theta = torch.tensor([0.9, 0.4, 0.1])
    (said,) = (m for m in positions.shift_mistakes(-2, theta) if "the other way" in m)
    assert "Does k lose its sign" in said


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
@pytest.mark.parametrize("leading", [(), (5,), (2, 3)])
def test_no_mistake_of_turning_is_right(draw, pairing, leading):
    x, scheme = draw(*leading, 5, 6), RotaryPositions(6, pairing, base=5.0)
    theta = scheme.angles(torch.ones(1))[0]
    found = positions.rotary_mistakes(x, torch.arange(5) + 2, theta, pairing)
    assert told_of_other_mistakes(found, scheme.rotate(x, 2)) == {}


def test_one_row_that_is_not_turned_is_told_what_it_may_be(draw):
    x, theta = draw(1, 6), torch.rand(3).double()
    found = positions.rotary_mistakes(x, torch.tensor([4]), theta)
    first = next(m for m, wrong in found.items() if torch.equal(wrong, x))
    assert "Do you rotate it" in first and "by `positions`" in first


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
