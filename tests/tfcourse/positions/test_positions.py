"""Each position scheme against its formula, and its properties."""

import math
from collections import deque

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import draw
from torch import nn

from tfcourse.attention import MultiHeadAttention
from tfcourse.positions import (
    ALiBi,
    LearnedPositions,
    Positions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
    TreePositions,
    alibi_slopes,
    relative_offsets,
    tree_distances,
)
from tfcourse.properties import (
    assert_gradients_reach_every_parameter,
    assert_permutation_equivariant,
    assert_shift_invariant,
    assert_stateless,
)

lengths = st.integers(1, 8)
seeds = st.integers(0, 2**32 - 1)
halves = st.integers(1, 6)
pairings = st.sampled_from(["interleaved", "halves"])


class Attending(nn.Module):
    """A layer with a scheme in it, as a model uses it."""

    def __init__(self, positions):
        super().__init__()
        torch.manual_seed(0)
        self.positions = positions
        self.attention = MultiHeadAttention(8, 2, positions=positions)

    def forward(self, x, mask=None):
        return self.attention(self.positions.embed(x), None, mask)


def test_the_table_of_the_lecture():
    """UCB "Position encodings": width 100, positions 20, 21 and 98, every tenth dimension.

    Its rows 10, 30, 50, 70 and 90 hold cosines, so they are those of dimensions 11, 31 and so on.
    """
    table = SinusoidalPositions(100).table(torch.tensor([20, 21, 98]), torch.float64)
    printed = torch.tensor([
        [0.91, 0.84, -0.57], [-0.11, -0.49, 0.25], [-0.03, -0.19, 0.18], [0.30, 0.24, 1.00],
        [0.48, 0.50, 0.63], [0.98, 0.98, 0.56], [0.08, 0.08, 0.38], [1.00, 1.00, 0.99],
        [0.01, 0.01, 0.06], [1.00, 1.00, 1.00],
    ])  # fmt: skip
    ours = table[:, [0, 11, 20, 31, 40, 51, 60, 71, 80, 91]].T
    off = (ours - printed).abs() > 0.005
    # One number was rounded twice: -0.4849 is -0.485 and then -0.49.
    assert off.nonzero().tolist() == [[1, 1]]
    assert f"{ours[1, 1]:.4f}" == "-0.4849"
    near, far = table[0] @ table[1], table[0] @ table[2]
    assert near > far


@settings(max_examples=40, deadline=None)
@given(half=halves, start=st.integers(0, 50), T=lengths, base=st.sampled_from([100.0, 10_000.0]))
def test_sinusoidal_follows_the_formula(half, start, T, base):
    d = 2 * half
    table = SinusoidalPositions(d, base).embed(torch.zeros(T, d, dtype=torch.float64), start)
    for t in range(T):
        for i in range(half):
            angle = (start + t) / base ** (2 * i / d)
            assert abs(table[t, 2 * i].item() - math.sin(angle)) < 1e-12
            assert abs(table[t, 2 * i + 1].item() - math.cos(angle)) < 1e-12


@given(half=halves, k=st.integers(-5, 40))
@settings(max_examples=30, deadline=None)
def test_a_shift_is_one_linear_map(half, k):
    """The same turn takes every position to the one k places on."""
    positions = torch.arange(10, 60)
    scheme = SinusoidalPositions(2 * half)
    here = scheme.table(positions, torch.float64)
    there = scheme.table(positions + k, torch.float64)
    shift = torch.zeros(2 * half, 2 * half, dtype=torch.float64)
    for i in range(half):
        a = k / 10_000 ** (i / half)
        shift[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(
            [[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]], dtype=torch.float64
        )  # (sin p, cos p) becomes (sin (p + a), cos (p + a)), row vectors
    torch.testing.assert_close(here @ shift, there, rtol=0, atol=1e-10)


def test_positions_run_along_the_tokens_not_the_batch():
    """A published course hands its encoding a tensor whose first axis is not the one it reads."""
    x = torch.zeros(3, 5, 8)
    torch.manual_seed(0)
    for scheme in (SinusoidalPositions(8), LearnedPositions(9, 8)):
        out = scheme.embed(x)
        assert torch.equal(out[0], out[1]) and torch.equal(out[0], out[2])
        assert not torch.isclose(out[:, :1], out[:, 1:]).all(-1).any()


def test_angles_hold_at_large_positions():
    """In float32 position 1e6 times a frequency loses digits; the table is made in double."""
    table = SinusoidalPositions(4).table(torch.tensor([1_000_003]))
    assert abs(table[0, 2].item() - math.sin(1_000_003 / 100)) < 1e-6


def test_learned_adds_its_rows_and_ends_where_it_ends():
    scheme = LearnedPositions(6, 4)
    x = draw(0, torch.float64, 2, 4, 4).float()
    assert torch.equal(scheme.embed(x, 2), x + scheme.P[2:6])
    with pytest.raises(ValueError, match="within the 6 learned positions, it ends at 7"):
        scheme.embed(x, 3)
    with pytest.raises(ValueError, match="no code past the training length"):
        scheme.embed(torch.zeros(1, 7, 4))


@settings(max_examples=50, deadline=None)
@given(T=lengths, S=lengths, half=halves, shift=st.integers(1, 500), pairing=pairings, seed=seeds,
       ntk=st.sampled_from([1.0, 4.0]))  # fmt: skip
def test_rotary_scores_depend_on_the_offset_alone(T, S, half, shift, pairing, seed, ntk):
    half = half + 1 if ntk > 1 else half
    scheme = RotaryPositions(2 * half, pairing, ntk=ntk)
    q, k = draw(seed, torch.float64, T, 2 * half), draw(seed + 1, torch.float64, S, 2 * half)
    here = scheme.rotate(q, 0) @ scheme.rotate(k, 0).T
    there = scheme.rotate(q, shift) @ scheme.rotate(k, shift).T
    torch.testing.assert_close(here, there, rtol=0, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(T=lengths, half=halves, start=st.integers(0, 30), pairing=pairings, seed=seeds)
def test_rotary_turns_each_pair(T, half, start, pairing, seed):
    d = 2 * half
    x = draw(seed, torch.float64, T, d)
    turned = RotaryPositions(d, pairing).rotate(x, start)
    for t in range(T):
        for i in range(half):
            first, second = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + half)
            angle = (start + t) * 10_000 ** (-2 * i / d)
            a, b = x[t, first].item(), x[t, second].item()
            expected = a * math.cos(angle) - b * math.sin(angle)
            assert abs(turned[t, first].item() - expected) < 1e-12
            expected = a * math.sin(angle) + b * math.cos(angle)
            assert abs(turned[t, second].item() - expected) < 1e-12
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
@pytest.mark.parametrize("choices", [{}, {"ntk": 4.0}, {"scaling": "yarn", "factor": 2.0,
                                                        "original": 8}], ids=str)  # fmt: skip
def test_in_part_rotary_turns_the_first_coordinates_alone(pairing, choices):
    x = draw(0, torch.float64, 2, 9, 10)
    turned = RotaryPositions(10, pairing, rotary_dim=6, **choices).rotate(x, 3)
    assert torch.equal(
        turned[..., :6], RotaryPositions(6, pairing, **choices).rotate(x[..., :6], 3)
    )
    assert torch.equal(turned[..., 6:], x[..., 6:])


@settings(max_examples=20, deadline=None)
@given(T=lengths, half=halves, start=st.integers(0, 30), seed=seeds)
def test_one_pairing_is_a_permutation_of_the_other(T, half, start, seed):
    """So weights can be carried over by reordering the columns of W_Q and W_K in each head."""
    x = draw(seed, torch.float64, T, 2 * half)
    order = torch.cat([torch.arange(0, 2 * half, 2), torch.arange(1, 2 * half, 2)])
    interleaved = RotaryPositions(2 * half, "interleaved").rotate(x, start)
    by_halves = RotaryPositions(2 * half, "halves").rotate(x[:, order], start)
    assert torch.equal(interleaved[:, order], by_halves)


def test_ntk_stretches_the_slowest_pair_and_leaves_the_fastest():
    plain, stretched = RotaryPositions(64), RotaryPositions(64, ntk=8.0)
    one = torch.tensor([1])
    ratio = (plain.angles(one) / stretched.angles(one))[0]
    assert ratio[0] == 1
    assert abs(ratio[-1].item() - 8) < 1e-9
    assert (ratio.diff() > 0).all()
    assert torch.equal(RotaryPositions(64, ntk=1.0).angles(one), plain.angles(one))


def in_heads(x, W, b, H):
    return (x @ W + b).unflatten(-1, (H, -1)).transpose(1, 2)


@settings(max_examples=20, deadline=None)
@given(T=lengths, longest=st.integers(1, 4), seed=seeds)
def test_shaws_scores_equal_a_loop(T, longest, seed):
    """Equation (4) of the paper with each pair of tokens on its own."""
    torch.manual_seed(seed)
    scheme = RelativePositions(3, longest)
    layer = MultiHeadAttention(6, 2, positions=scheme).double()
    x = draw(seed, torch.float64, 2, T, 6)
    b_Q, b_K, _ = layer.b_QKV.split(layer.widths)
    q, k = in_heads(x, layer.W_Q, b_Q, 2), in_heads(x, layer.W_K, b_K, 2)
    scores = torch.zeros(2, 2, T, T, dtype=torch.float64)
    for i in range(T):
        for j in range(T):
            a = scheme.a[max(-longest, min(longest, j - i)) + longest]
            scores[:, :, i, j] = (q[:, :, i] * (k[:, :, j] + a)).sum(-1) / math.sqrt(3)
    _, weights = layer(x)
    torch.testing.assert_close(weights, scores.softmax(-1), rtol=0, atol=1e-10)


def test_alibi_has_the_slopes_of_the_paper():
    assert alibi_slopes(8) == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    # No power of two: those of 8, then every other one of 16.
    assert alibi_slopes(12) == alibi_slopes(8) + [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]
    assert alibi_slopes(16)[::2] == [2 ** -(h + 0.5) for h in range(8)]
    assert alibi_slopes(1) == [1 / 256]


@settings(max_examples=20, deadline=None)
@given(T=lengths, more=st.integers(0, 4), H=lengths)
def test_alibi_penalises_by_distance(T, more, H):
    S = T + more
    bias = ALiBi(H).bias(draw(0, torch.float64, H, T, 3), S)
    for h, slope in enumerate(alibi_slopes(H)):
        for i in range(T):
            for j in range(S):
                assert abs(bias[h, i, j].item() + slope * abs(i + more - j)) < 1e-5
    assert "slopes" not in ALiBi(H).state_dict()  # nothing is learned, nothing is stored


def test_alibi_with_slope_one_is_the_notes_equation_13():
    """224N: [-i, ..., -1, 0, -1, ..., -(n - i)], its positions counted from 1 and keys from 1."""
    scheme = ALiBi(1)
    scheme.slopes.fill_(1.0)
    n = 6
    bias = scheme.bias(draw(0, torch.float64, 1, n, 2), n)[0]
    for i in range(n):
        expected = [*range(-i, 1), *range(-1, -(n - i), -1)]
        assert bias[i].tolist() == expected


@given(T=lengths, more=st.integers(0, 5))
def test_offsets(T, more):
    offsets = relative_offsets(T, T + more)
    assert offsets.tolist() == [[j - (i + more) for j in range(T + more)] for i in range(T)]


@st.composite
def forests(draw_from):
    """Random trees over a sentence: each word hangs on one drawn before it, or on none."""
    S = draw_from(st.integers(1, 9))
    order = draw_from(st.permutations(range(S)))
    parents = [-1] * S
    for n, word in enumerate(order[1:], start=1):
        parent = draw_from(st.sampled_from([-1, *order[:n]]))
        parents[word] = parent
    return parents


def distances_by_search(parents):
    """From each word breadth first over the links, in both directions."""
    S = len(parents)
    linked = [[] for _ in parents]
    for word, parent in enumerate(parents):
        if parent >= 0:
            linked[word].append(parent)
            linked[parent].append(word)
    found = []
    for start in range(S):
        steps, queue = {start: 0}, deque([start])
        while queue:
            word = queue.popleft()
            for other in linked[word]:
                if other not in steps:
                    steps[other] = steps[word] + 1
                    queue.append(other)
        found.append([steps.get(word, S) for word in range(S)])
    return found


@settings(max_examples=60, deadline=None)
@given(parents=forests())
def test_tree_distances_equal_a_search(parents):
    assert tree_distances(torch.tensor([parents]))[0].tolist() == distances_by_search(parents)


def test_tree_positions_look_their_distance_up():
    scheme = TreePositions(2, max_distance=2)
    scheme.w.data = torch.tensor([[0.0, 1.0, 2.0], [0.0, 10.0, 20.0]])
    scheme.set_trees(torch.tensor([[1, 2, 3, -1]]))  # a chain of four words
    bias = scheme.bias(torch.zeros(1, 2, 4, 3), 4)
    assert bias[0, 0].tolist() == [[0, 1, 2, 2], [1, 0, 1, 2], [2, 1, 0, 1], [2, 2, 1, 0]]
    assert torch.equal(bias[0, 1], 10 * bias[0, 0])
    # The last query among the first three words, as when a cache holds the two before it.
    assert scheme.bias(torch.zeros(1, 2, 1, 3), 3)[0, 0].tolist() == [[2, 1, 0]]


@pytest.mark.parametrize(
    "make",
    [lambda: RotaryPositions(4), lambda: RotaryPositions(4, "halves", ntk=2.0),
     lambda: RotaryPositions(4, rotary_dim=2),
     lambda: RelativePositions(4, 2), lambda: ALiBi(2)],
)  # fmt: skip
def test_relative_schemes_do_not_see_the_place(make):
    assert_shift_invariant(Attending(make()), draw(0, torch.float64, 2, 5, 8).float(), by=4)


@pytest.mark.parametrize("make", [lambda: LearnedPositions(40, 8), lambda: SinusoidalPositions(8)])
def test_schemes_added_to_the_tokens_see_the_place(make):
    torch.manual_seed(0)
    module = Attending(make())
    if isinstance(module.positions, LearnedPositions):
        nn.init.normal_(module.positions.P)
    with pytest.raises(AssertionError, match="positions matter"):
        assert_shift_invariant(module, draw(0, torch.float64, 2, 5, 8).float())


def tree_positions():
    scheme = TreePositions(2)
    scheme.set_trees(torch.tensor([[1, -1, 1, 2, 3]] * 2))
    nn.init.normal_(scheme.w)
    return scheme


@pytest.mark.parametrize(
    "make",
    [lambda: RotaryPositions(4), lambda: RelativePositions(4, 2), lambda: ALiBi(2),
     lambda: LearnedPositions(9, 8), lambda: SinusoidalPositions(8), tree_positions],
)  # fmt: skip
def test_every_scheme_sees_the_order_and_keeps_no_state(make):
    """Without a scheme the order is not noticed; with one it is, and every number in it learns."""
    x = draw(0, torch.float64, 2, 5, 8).float()
    torch.manual_seed(0)
    module = Attending(make())
    assert_permutation_equivariant(Attending(Positions()), x)
    with pytest.raises(AssertionError, match="the order matters"):
        assert_permutation_equivariant(module, x)
    assert_stateless(module, x)
    assert_gradients_reach_every_parameter(module, x, exempt=["b_K"])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: LearnedPositions(0, 4), "context_length must be at least 1, got 0"),
        (lambda: LearnedPositions(4, 0), "d_model must be at least 1, got 0"),
        (lambda: SinusoidalPositions(7), "d_model must be even and at least 2, got 7"),
        (lambda: SinusoidalPositions(0), "d_model must be even and at least 2, got 0"),
        (lambda: SinusoidalPositions(4, base=0.0), "base must be above 0, got 0.0"),
        (lambda: RotaryPositions(5), "d_k must be even and at least 2, got 5"),
        (lambda: RotaryPositions(4, "quarters"), "pairing must be .* got 'quarters'"),
        (lambda: RotaryPositions(4, base=-1.0), "base must be above 0, got -1.0"),
        (lambda: RotaryPositions(4, ntk=0.5), "ntk must be at least 1, got 0.5"),
        (lambda: RotaryPositions(2, ntk=2.0), "d_k must be at least 4 for ntk > 1, got 2"),
        (lambda: RotaryPositions(8, rotary_dim=5), "rotary_dim must be even and at least 2, got 5"),
        (lambda: RotaryPositions(8, rotary_dim=10), "rotary_dim must be at most d_k=8, got 10"),
        (lambda: RotaryPositions(8, ntk=2.0, rotary_dim=2), "rotary_dim must be at least 4 for nt"),
        (lambda: RelativePositions(0), "d_k must be at least 1, got 0"),
        (lambda: RelativePositions(4, 0), "max_distance must be at least 1, got 0"),
        (lambda: ALiBi(0), "num_heads must be at least 1, got 0"),
        (lambda: TreePositions(0), "num_heads must be at least 1, got 0"),
        (lambda: tree_distances(torch.tensor([[3, -1, 1]])), "between -1 and 2, got"),
        (lambda: tree_distances(torch.tensor([[-2, -1, 1]])), "between -1 and 2, got"),
        (lambda: tree_distances(torch.tensor([[1, 0, -1]])), "word 0 is its own ancestor"),
        (lambda: tree_distances(torch.tensor([[0, -1]])), "word 0 is its own ancestor"),
    ],
)
def test_what_makes_no_sense_is_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_rotary_refuses_another_width(unchecked):
    scheme = unchecked("tfcourse.positions").RotaryPositions(4)
    with pytest.raises(ValueError, match="x must have d_k=4 numbers .* got 6"):
        scheme.rotate(torch.zeros(2, 3, 6))


def test_relative_scores_do_not_overflow_in_float16():
    q = torch.full((1, 64), 60.0, dtype=torch.float16)
    scheme = RelativePositions(64, 1).half()
    scheme.a.data.fill_(60.0)
    assert torch.equal(scheme.bias(q, 1), torch.tensor([[60.0 * 60 * 8]]).half())


def test_trees_that_were_not_set_are_asked_for():
    scheme = TreePositions(2)
    q = torch.zeros(2, 2, 3, 4)
    with pytest.raises(ValueError, match="given 2 trees of at least 3 words, got none"):
        scheme.bias(q, 3)
    scheme.set_trees(torch.tensor([[-1, 0]] * 2))
    with pytest.raises(ValueError, match="given 2 trees of at least 3 words, got 2 of 2"):
        scheme.bias(q, 3)
    scheme.set_trees(torch.tensor([[-1, 0, 0]] * 3))
    with pytest.raises(ValueError, match="given 2 trees of at least 3 words, got 3 of 3"):
        scheme.bias(q, 3)
