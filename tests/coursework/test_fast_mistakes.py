"""Each message about a mistake is told of that mistake, and never of the right answer."""

import math

import pytest
import torch
from telling import told_of_other_mistakes

from coursework.mistakes import caches, tiles
from nbjudge.testing import Mistake, by_hand, call
from tfcourse.attention import causal_mask, scaled_dot_product_attention
from tfcourse.kernels.flash import flash_attention

FINISHED = ("The output", "L")


def drawn(generator, *shapes):
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


# -- what is right is what the package computes ----------------------------------------------------


def test_halves_merged_are_what_one_worker_keeps(generator):
    s, V = drawn(generator, (4, 7), (7, 3))
    halves = tiles.kept_of(s[:, :3], V[:3]), tiles.kept_of(s[:, 3:], V[3:])
    torch.testing.assert_close(tiles.merged_of(*halves[0], *halves[1]), tiles.kept_of(s, V))
    done = [(acc / total[:, None], m + total.log()) for m, total, acc in halves]
    out, L = tiles.finished_of(*done[0], *done[1])
    torch.testing.assert_close(out, s.softmax(1) @ V)
    torch.testing.assert_close(L, s.logsumexp(1))


@pytest.mark.parametrize("pad", [0, 2, 7])
def test_tiled_attention_is_the_packages_under_a_mask(generator, pad):
    Q, K, V = drawn(generator, (7, 4), (7, 4), (7, 3))
    seen = tiles.seen_of(7, pad)
    expected, _ = scaled_dot_product_attention(Q, K, V, seen)
    torch.testing.assert_close(tiles.tiled_of(Q, K, V, pad)[0], expected)


def test_aligned_attention_is_flash_attention_of_the_last_queries(generator):
    Q, K, V = drawn(generator, (6, 4), (6, 4), (6, 3))
    whole = flash_attention(Q, K, V, causal=True)
    for T in 1, 3, 6:
        torch.testing.assert_close(tiles.aligned_of(Q[-T:], K, V), whole[-T:])
    none = tiles.aligned_of(Q, K[:2], V[:2])
    assert (none[:4] == 0).all() and (none[4:] != 0).all()


def test_a_window_and_a_rolling_cache_agree_with_the_package(generator):
    Q, K, V = drawn(generator, (9, 4), (9, 4), (9, 3))
    expected, _ = scaled_dot_product_attention(Q, K, V, causal_mask(9, window=3))
    torch.testing.assert_close(caches.window_of(Q, K, V, 3), expected)
    held = caches.held_of(K, 2, 3)
    assert torch.equal(held[:2], K[:2]) and held[2].isnan().all()
    assert torch.equal(caches.held_of(K, 8, 3), K[[6, 7, 5]])


def test_a_shared_cache_is_that_of_copied_heads(generator):
    q, K, V = drawn(generator, (2, 6, 4), (2, 3, 5, 4), (2, 3, 5, 2))
    copied = (x.repeat_interleave(2, dim=1)[:, :, :4] for x in (K, V))
    expected, _ = scaled_dot_product_attention(q[:, :, None], *copied)
    seen = torch.tensor([4, 4])
    torch.testing.assert_close(caches.grouped_of(q, K, V, seen), expected[:, :, 0])


# -- no mistake is right, and each is told by its own message --------------------------------------


@pytest.mark.parametrize("T", [3, 5])
def test_no_mistake_of_merging_is_right(generator, T):
    s, V = drawn(generator, (T, 7), (7, 3))
    a, b = tiles.kept_of(s[:, :3], V[:3]), tiles.kept_of(s[:, 3:], V[3:])
    found = tiles.merge_mistakes(*a, *b)
    assert told_of_other_mistakes(found, tiles.merged_of(*a, *b), ("m", "l", "acc")) == {}
    assert len(found) >= 8
    assert ("multiply the columns" in str(list(found))) == (T == 3)
    given = V[:T], s[:, 0], 2 * V[-T:], s[:, 1]
    found = tiles.finished_mistakes(*given)
    assert told_of_other_mistakes(found, tiles.finished_of(*given), FINISHED) == {}
    assert len(found) >= 8
    assert ("multiply the columns" in str(list(found))) == (T == 3)


@pytest.mark.parametrize(("rows", "columns", "pad"), [(2, 3, 0), (3, 2, 3)])
def test_no_mistake_of_tiles_is_right(generator, rows, columns, pad):
    Q, K, V = drawn(generator, (7, 4), (7, 4), (7, 3))
    found = tiles.tiled_mistakes(Q, K, V, rows, columns, pad)
    assert told_of_other_mistakes(found, tiles.tiled_of(Q, K, V, pad), FINISHED) == {}
    assert len(found) >= 12
    counts = tiles.count_mistakes(7, rows, columns, pad)
    assert tiles.tiles_of(7, rows, columns, pad) not in counts.values()
    assert len(counts) >= 3


def test_tiles_of_the_text_are_counted():
    assert [tiles.tiles_of(8, 2, 2, pad) for pad in (0, 4)] == [10, 3]


@pytest.mark.parametrize(("T", "S"), [(1, 5), (3, 7), (5, 5), (6, 3)])
def test_no_mistake_of_alignment_is_right(generator, T, S):
    Q, K, V = drawn(generator, (T, 4), (S, 4), (S, 3))
    found = tiles.aligned_mistakes(Q, K, V)
    assert told_of_other_mistakes(found, tiles.aligned_of(Q, K, V)) == {}
    assert len(found) >= 3


@pytest.mark.parametrize(("w", "t", "n"), [(5, 3, 3), (5, 8, 1), (4, 1, 6)])
def test_no_mistake_of_writing_is_right(generator, w, t, n):
    cache, new = drawn(generator, (w, 2), (t, 2))
    found = caches.write_mistakes(cache, new, n)
    assert told_of_other_mistakes(found, caches.rolled_of(cache, new, n)) == {}
    assert len(found) >= 5


@pytest.mark.parametrize(("w", "t", "n"), [(3, 3, 4), (4, 3, 2)])
def test_no_mistake_of_reading_is_right(generator, w, t, n):
    Q, K, V = drawn(generator, *[(n + t, 4)] * 3)
    found = caches.rolling_mistakes(Q, K, V, n, w)
    assert told_of_other_mistakes(found, caches.window_of(Q, K, V, w)[n:]) == {}
    assert len(found) >= 7


@pytest.mark.parametrize("seen", [[2, 5, 3], [0, 4, 2]])
def test_no_mistake_of_a_shared_cache_is_right(generator, seen):
    q, K, V = drawn(generator, (3, 6, 4), (3, 2, 5, 4), (3, 2, 5, 3))
    seen = torch.tensor(seen)
    found = caches.grouped_mistakes(q, K, V, seen)
    assert told_of_other_mistakes(found, caches.grouped_of(q, K, V, seen)) == {}
    assert len(found) >= 11


def test_no_mistake_of_counting_is_right():
    n, d, tile, size = 15, 3, 4, 4
    down = math.ceil(n / tile)
    for found, right in (
        (caches.operation_mistakes(n, d), 4 * n * n * d),
        (caches.moved_mistakes(n, d, size), (4 * n * n + 4 * n * d) * size),
        (caches.flash_mistakes(n, d, tile, size), 2 * n * d * (1 + down) * size),
        (caches.second_mistakes(600, 80, 100, 40), 6.0),
        (caches.held_mistakes(3, 5, 7, 20, 4, 13), 2 * 3 * 5 * 7 * 13 * 4),
    ):
        assert right not in found.values()
        assert len(found) >= 4


@pytest.mark.parametrize(
    "use",
    [
        lambda: tiles.tiled_of(*torch.ones(3, 2, 2), 0),
        lambda: caches.window_of(*torch.ones(3, 2, 2), 2),
        lambda: flash_attention(*torch.ones(3, 2, 2)),
    ],
)
def test_what_does_it_all_is_refused(use):
    try:
        call(lambda: (use(), 1)[1])
        by_hand("attention")
        with pytest.raises(Mistake, match="take the call out"):
            call(lambda: (use(), 1)[1])
    finally:
        by_hand()
