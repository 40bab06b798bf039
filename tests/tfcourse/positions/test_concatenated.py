"""Concatenated codes, and how that equals adding them after a matrix of their own."""

import pytest
import torch

from tfcourse.attention import MultiHeadAttention
from tfcourse.positions import (
    ConcatenatedPositions,
    LearnedPositions,
    SinusoidalPositions,
)
from tfcourse.properties import assert_gradients_reach_every_parameter


def test_the_codes_stand_beside_the_tokens():
    torch.manual_seed(0)
    scheme = ConcatenatedPositions(12, 4, SinusoidalPositions(4))
    x = torch.randn(2, 5, 12)
    out = scheme.embed(x, 3)
    codes = SinusoidalPositions(4).table(torch.arange(3, 8))
    assert out.shape == (2, 5, 12)
    assert torch.equal(out[..., 8:], codes.expand(2, 5, 4))
    assert torch.equal(out[..., :8], x @ scheme.W)


def test_a_matrix_after_it_is_two_matrices_whose_results_are_added():
    torch.manual_seed(0)
    scheme = ConcatenatedPositions(12, 4, LearnedPositions(9, 4)).double()
    x, W = torch.randn(2, 5, 12).double(), torch.randn(12, 7).double()
    added = x @ scheme.W @ W[:8] + scheme.codes.P[:5] @ W[8:]
    torch.testing.assert_close(scheme.embed(x) @ W, added)


def test_a_token_keeps_its_size_on_average():
    torch.manual_seed(0)
    x = torch.randn(400, 3, 64)
    out = ConcatenatedPositions(64, 32, SinusoidalPositions(32)).embed(x)
    assert abs(out[..., :32].var() - 1) < 0.1


def test_it_learns_with_what_it_is_made_of():
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.positions = ConcatenatedPositions(8, 2, LearnedPositions(5, 2))
            self.attention = MultiHeadAttention(8, 2)

        def forward(self, x):
            return self.attention(self.positions.embed(x))[0]

    assert_gradients_reach_every_parameter(Layer(), torch.randn(2, 5, 8), exempt=["b_K"])


def test_it_ends_where_its_codes_end():
    scheme = ConcatenatedPositions(8, 2, LearnedPositions(5, 2))
    with pytest.raises(ValueError, match="no code past the training length"):
        scheme.embed(torch.zeros(1, 6, 8))


@pytest.mark.parametrize(
    ("sizes", "told"),
    [((8, 0), "d_code must be at least 1, got 0"), ((8, 8), "d_model - d_code must be .* got 0")],
)
def test_widths_that_leave_nothing_are_refused(sizes, told):
    with pytest.raises(ValueError, match=told):
        ConcatenatedPositions(*sizes, SinusoidalPositions(8))


def test_tokens_of_another_width_are_refused(unchecked):
    scheme = unchecked("tfcourse.positions").ConcatenatedPositions(8, 2, SinusoidalPositions(2))
    with pytest.raises(ValueError, match="x must have d_model=8 numbers .* got 6"):
        scheme.embed(torch.zeros(2, 3, 6))
