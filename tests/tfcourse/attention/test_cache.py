"""Token by token with a cache equals all tokens at once, with each kind of positions."""

import pytest
import torch
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcourse import attention
from tfcourse.attention import KeyValueCache, MultiHeadAttention
from tfcourse.positions import (
    ALiBi,
    ConcatenatedPositions,
    LearnedPositions,
    Positions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
    TreePositions,
)
from tfcourse.rolling_cache import RollingCache

T, D, H = 7, 8, 2
TREES = torch.tensor([[1, -1, 1, 4, 2, 4, 5], [-1, 0, 0, 2, 3, -1, 5], [6, 6, 6, 6, 6, 6, -1]])


def tree_positions():
    scheme = TreePositions(H, max_distance=3)
    scheme.set_trees(TREES)
    return scheme


SCHEMES = {
    "none": Positions,
    "learned": lambda: LearnedPositions(T, D),
    "sinusoidal": lambda: SinusoidalPositions(D),
    "concatenated": lambda: ConcatenatedPositions(D, 2, SinusoidalPositions(2)),
    "rotary": lambda: RotaryPositions(D // H),
    "rotary halves": lambda: RotaryPositions(D // H, "halves", ntk=2.0),
    "rotary in part": lambda: RotaryPositions(D // H, rotary_dim=2),
    "relative": lambda: RelativePositions(D // H, max_distance=2),
    "alibi": lambda: ALiBi(H),
    "tree": tree_positions,
}


@settings(max_examples=30, deadline=None)
@given(cuts=st.sets(st.integers(1, T - 1)), seed=st.integers(0, 1000),
       scheme=st.sampled_from(list(SCHEMES)), kv_heads=st.sampled_from([1, 2]),
       fused=st.booleans())  # fmt: skip
def test_in_pieces_equals_at_once(cuts, seed, scheme, kv_heads, fused):
    positions = SCHEMES[scheme]()
    layer = MultiHeadAttention(D, H, num_kv_heads=kv_heads, positions=positions).double()
    layout.scramble(layer, seed)
    x = torch.randn(3, T, D, generator=torch.Generator().manual_seed(seed)).double()
    at_once, all_weights = layer(positions.embed(x), causal=True)
    cache, start = KeyValueCache(T), 0
    with torch.no_grad():
        for stop in [*sorted(cuts), T]:
            part = positions.embed(x[:, start:stop], start)
            output, weights = layer(part, causal=True, cache=cache, fused=fused)
            torch.testing.assert_close(output, at_once[:, start:stop], rtol=0, atol=1e-10)
            if not fused:
                expected = all_weights[:, :, start:stop, :stop]
                torch.testing.assert_close(weights, expected, rtol=0, atol=1e-10)
            assert cache.length == stop
            start = stop


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("window", "kv_heads"), [(1, 2), (3, 1)])
@torch.no_grad()
def test_a_window_and_a_mask_in_pieces_equal_at_once(scheme, kv_heads, window, generator):
    """The mask covers all tokens, though a rolling cache returns only the last keys."""
    positions = SCHEMES[scheme]()
    layer = MultiHeadAttention(
        D, H, num_kv_heads=kv_heads, positions=positions, window=window
    ).double()
    layout.scramble(layer, 0)
    x = torch.randn(3, T, D, generator=generator).double()
    for mask in (torch.rand(3, 1, T, generator=generator) < 0.6, torch.ones(3, 1, 1).bool()):
        at_once, all_weights = layer(positions.embed(x), mask=mask, causal=True)
        for fused in (False, True):
            for cache in (RollingCache(window), RollingCache(window + 2), KeyValueCache(T)):
                for start, stop in ((0, 2), (2, 3), (3, 6), (6, 7)):
                    output, weights = layer(
                        positions.embed(x[:, start:stop], start), mask=mask[..., :stop],
                        causal=True, cache=cache, fused=fused,
                    )  # fmt: skip
                    torch.testing.assert_close(output, at_once[:, start:stop], rtol=0, atol=1e-10)
                    if not fused:
                        kept = weights.shape[-1]
                        expected = all_weights[:, :, start:stop, stop - kept : stop]
                        torch.testing.assert_close(weights, expected, rtol=0, atol=1e-10)


def test_a_cache_or_a_mask_for_too_few_keys_is_refused():
    layer, x = MultiHeadAttention(D, H, window=4), torch.zeros(2, 6, D)
    with pytest.raises(ValueError, match=r"mask must cover all 7 tokens so far, got \(2, 1, 4\)"):
        cache = RollingCache(4)
        layer(x, causal=True, cache=cache)
        layer(x[:, :1], mask=torch.ones(2, 1, 4).bool(), causal=True, cache=cache)
    for wide in (layer, MultiHeadAttention(D, H)):
        cache = RollingCache(3)
        wide(x, causal=True, cache=cache)  # nothing is forgotten yet
        with pytest.raises(ValueError, match="cache must return all keys within the layer's win"):
            wide(x[:, :1], causal=True, cache=cache)
    cache = RollingCache(3)
    layer(x, x, cache=cache)
    with pytest.raises(ValueError, match="must hold the 6 tokens of the context, it holds 2"):
        layer(x, x, cache=cache)


def test_every_scheme_was_meant():
    """A new scheme of positions must be tried with the cache too."""
    made = {type(make()) for make in SCHEMES.values()}
    # Not a reader's own scheme, which another test may have defined in this process.
    ours = {kind for kind in Positions.__subclasses__() if kind.__module__ == Positions.__module__}
    assert made == {Positions, *ours}


@pytest.mark.parametrize("fused", [False, True])
def test_a_context_is_projected_once(fused, generator, monkeypatch):
    layer = layout.scramble(MultiHeadAttention(D, H, d_context=5), 0)
    x = torch.randn(2, 4, D, generator=generator)
    context = torch.randn(2, 6, 5, generator=generator)
    mask = torch.rand(2, 4, 6, generator=generator) < 0.7
    expected = layer(x, context, mask)[0]
    cache, widths = KeyValueCache(6), []
    linear = attention.affine
    monkeypatch.setattr(
        attention, "affine", lambda x, W, b: widths.append(x.shape[-1]) or linear(x, W, b)
    )
    with torch.no_grad():
        for t in range(4):
            out = layer(x[:, t : t + 1], context, mask[:, t : t + 1], cache=cache, fused=fused)[0]
            torch.testing.assert_close(out, expected[:, t : t + 1], rtol=0, atol=1e-6)
    # The queries' product and the output's at each call; the context's (of width 5) at the first.
    assert widths == [D, 5, D] + 3 * [D, D]
    assert cache.length == 6


def test_rows_are_taken_as_beam_search_asks(generator):
    k = torch.randn(3, H, 2, 4, generator=generator)
    cache = KeyValueCache(5)
    cache.reorder(torch.tensor([0, 0]))  # nothing is held yet: nothing to take
    cache.append(k, -k)
    cache.reorder(torch.tensor([2, 0, 0, 1]))
    new = torch.ones(4, H, 1, 4)
    held, values = cache.append(new, new)
    assert torch.equal(held, torch.cat([k[[2, 0, 0, 1]], new], dim=2))
    assert torch.equal(values, torch.cat([-k[[2, 0, 0, 1]], new], dim=2))
    assert all(torch.equal(a, b) for a, b in zip(cache.held(), (held, values), strict=True))


def test_memory_is_taken_once():
    cache = KeyValueCache(4)
    one = torch.zeros(2, H, 1, 4)
    places = {cache.append(one, one)[0].data_ptr() for _ in range(4)}
    assert len(places) == 1


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="max_length must be at least 1, got 0"):
        KeyValueCache(0)
    cache = KeyValueCache(3)
    with pytest.raises(ValueError, match="must hold at least one token, it is empty"):
        cache.held()
    two = torch.zeros(2, H, 2, 4)
    cache.append(two, two)
    with pytest.raises(ValueError, match="the cache must hold 4 tokens, max_length is 3"):
        cache.append(two, two)
    # A batch of one would broadcast over the cache's two rows without a word.
    with pytest.raises(ValueError, match=r"k must have shape \(2, 2, 1, 4\), got \(1, 2, 1, 4\)"):
        cache.append(torch.zeros(1, H, 1, 4), torch.zeros(1, H, 1, 4))
    with pytest.raises(ValueError, match=r"v must have shape \(2, 2, 1, 4\), got \(2, 2, 1, 3\)"):
        cache.append(torch.zeros(2, H, 1, 4), torch.zeros(2, H, 1, 3))
    assert cache.length == 2


def test_what_a_full_cache_gives_lies_in_memory_as_before():
    """Or a compiled step would be compiled once more for the last token."""
    cache, strides = KeyValueCache(3), set()
    for _ in range(3):
        given = cache.append(*torch.randn(2, 2, 4, 1, 8).unbind())
        strides.add(tuple((x.stride(), x.is_contiguous()) for x in given))
    assert len(strides) == 1 and not given[0].is_contiguous()
