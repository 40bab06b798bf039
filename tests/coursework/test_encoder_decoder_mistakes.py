"""Each message about a mistake is told of that mistake, and never of the right answer."""

import math
from operator import attrgetter

import pytest
import torch
import torch.nn.functional as F
from sacrebleu.metrics import BLEU
from telling import told_of_other_mistakes

from coursework.mistakes import bleu, cross_blocks, search, smoothing, stopping, telling
from nbjudge.testing import close
from tfcourse.attention import MultiHeadAttention
from tfcourse.layers import Block, FeedForward
from tfcourse.training import noam

DOUBLE = {"dtype": torch.float64}


def test_mistakes_that_come_to_the_same_are_told_once():
    one, other, third = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 2.0])
    found = {"a": (one, None), "b": (third, one), "c": (other, third), "d": (None, None)}
    told = telling.told_once(found)
    assert list(told) == ["Each of these mistakes gives the same numbers here:\n- a\n- c", "b", "d"]
    assert told[next(iter(told))] == (one, None)
    assert list(telling.told_once(dict.fromkeys("abcd", 0.5) | {"e": 0.7})) == ["e"]


def test_a_mistake_fits_where_it_explains_all_that_came_back():
    known = {"a": (1, 2), "b": (1, None), "c": (3, 2), "d": (None, None), "e": (1, torch.ones(2))}
    assert list(telling.fitting((1, 2), known)) == ["a", "b"]
    assert list(telling.fitting([1, 5], known)) == ["b"]
    for other in (None, 1, (1,), (1, 2, 3), ("1", "2"), [None, None]):
        assert telling.fitting(other, known) == {}


def test_what_a_mistake_leaves_right_does_not_tell_of_it():
    right = torch.zeros(2), torch.ones(2)
    found = {"a": (torch.zeros(2), torch.zeros(2)), "b": (torch.ones(2), torch.zeros(2))}
    told = telling.faults(found, right)
    assert list(told) == ["b", "a"]
    assert told["a"][0] is None


def drawn(generator, *shapes):
    return [torch.randn(shape, generator=generator, **DOUBLE) for shape in shapes]


@pytest.mark.parametrize(("T", "S", "count"), [(4, 4, 46), (3, 4, 42)])
def test_no_mistake_of_a_decoders_block_is_right(generator, T, S, count):
    D, H, K, F_ = 6, 2, 3, 5
    own, cross = (MultiHeadAttention(D, H, d_k=K, d_v=K, bias=False) for _ in range(2))
    module = Block(own, FeedForward(D, F_), "post", cross=cross).double()
    names = {f"self_{n}": f"attention.W_{n}" for n in "QKVO"}
    names |= {f"cross_{n}": f"cross.W_{n}" for n in "QKVO"}
    names |= {n: f"ffn.{n}" for n in ("W_1", "b_1", "W_2", "b_2")}
    for n, part in enumerate(("attention", "cross", "ffn"), start=1):
        names |= {f"gain_{n}": f"{part}_norm.gain", f"bias_{n}": f"{part}_norm.shift"}
    shapes = [attrgetter(name)(module).shape for name in names.values()]
    w = dict(zip(names, drawn(generator, *shapes), strict=True))
    module.load_state_dict({names[name]: w[name] for name in names})
    y, m = drawn(generator, (2, T, D), (2, S, D))
    real = torch.arange(S) < torch.tensor([[S], [2]])
    output, (_, weights) = module(y, context=m, context_mask=real[:, None], causal=True)
    found = cross_blocks.decoder_block_mistakes(y, m, w, H, real)
    right = output.detach(), weights.detach()
    assert told_of_other_mistakes(found, right, ("The output", "The weights")) == {}
    assert len(found) == count


@pytest.mark.parametrize(("T", "S", "count"), [(4, 4, 9), (3, 4, 8)])
def test_no_mended_decoder_that_is_wrong_is_right(generator, T, S, count):
    y, m, *matrices = drawn(generator, (2, T, 3), (2, S, 3), *([(3, 2), (3, 2), (3, 3)] * 2))
    own, cross, lengths = matrices[:3], matrices[3:], torch.tensor([S, 2])

    def look(x, other, allowed, W_Q, W_K, W_V):
        return F.scaled_dot_product_attention(x @ W_Q, other @ W_K, other @ W_V, allowed)

    h = y + look(y, y, torch.ones(T, T, dtype=torch.bool).tril(), *own)
    right = h + look(h, m, (torch.arange(S) < lengths[:, None])[:, None].expand(2, T, S), *cross)
    found = cross_blocks.look_mistakes(y, m, lengths, own, cross, torch.tensor([1, 3]))
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == count


@pytest.mark.parametrize("epsilon", [0.3, 0.1])
def test_no_mistake_of_smoothing_is_right(generator, epsilon):
    (logits,) = drawn(generator, (3, 4, 7))
    says = torch.tensor([[3, 5, 2, 2], [4, 6, 0, 2], [1, 2, 2, 2]])
    right = F.cross_entropy(logits.mT, says, ignore_index=2, label_smoothing=epsilon)
    found = smoothing.smoothed_mistakes(logits, says, epsilon, 2)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 24


@pytest.mark.parametrize(("V", "epsilon"), [(4, 0.4), (50, 0.1)])
def test_no_mistake_of_the_lowest_loss_is_right(V, epsilon):
    target = torch.full((1, V), epsilon / V, **DOUBLE)
    target[0, 0] += 1 - epsilon
    right = F.cross_entropy(target.log(), torch.tensor([0]), label_smoothing=epsilon)
    found = smoothing.lowest_mistakes(V, epsilon)
    assert told_of_other_mistakes(found, right.item()) == {}
    assert len(found) == 11
    assert 0.0 not in smoothing.lowest_mistakes(V, 0.0).values()


@pytest.mark.parametrize("batch", [3, 11, 40, 200])
def test_no_mistake_of_a_batchs_rate_is_right(batch):
    found = smoothing.rate_mistakes(batch, 3, 16, 9)
    right = noam(16, 9)(batch // 3 + 1)
    assert all(wrong != pytest.approx(right) for wrong in found.values())
    assert len(found) >= 6


@pytest.mark.parametrize(("updates", "warmup"), [(50, 9), (9, 9), (4, 9)])
def test_no_mistake_of_the_rises_share_is_right(updates, warmup):
    found = smoothing.share_mistakes(updates, warmup)
    rates = [noam(8, warmup)(step + 1) for step in range(updates)]
    right = sum(rates[:warmup]) / sum(rates)
    assert all(wrong != pytest.approx(right, rel=1e-9) for wrong in found.values())
    assert updates < 50 or len(found) == 9


def table(generator, V=6):
    log_p = 1.5 * torch.randn(V, V, generator=generator, **DOUBLE)
    log_p[:, 0] = -torch.inf
    return log_p.log_softmax(-1)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
def test_a_search_that_stops_early_loses_nothing(generator, alpha):
    seen = set()
    for n in range(30):
        inputs = table(generator), 0, 1, 1 + n % 4, 6, alpha
        ids, score, steps = stopping.found_in_steps(*inputs)
        other, best = search.found_by_search(*inputs)
        assert torch.equal(ids, other)
        assert score == pytest.approx(best.item())
        assert steps <= stopping.found_in_steps(*inputs, rule="never")[2]
        for told, wrong in stopping.stop_mistakes(*inputs).items():
            assert not torch.equal(wrong[0], ids) or wrong[1:] != (score, steps), told
            seen.add(told)
    assert len(seen) >= (11 if alpha else 8)


def test_the_last_of_equal_texts_is_known():
    log_p = torch.full((4, 4), -torch.inf, **DOUBLE)
    log_p[0, 2:] = math.log(0.5)
    log_p[2:, 1] = 0.0
    inputs = log_p, 0, 1, 2, 4, 1.0
    assert stopping.found_in_steps(*inputs)[0].tolist() == [2, 1]
    assert stopping.found_in_steps(*inputs, rule="last")[0].tolist() == [3, 1]


def given(rows, V=5):
    log_p = torch.full((V, V), -torch.inf, **DOUBLE)
    for before, following in rows.items():
        for word, p in following.items():
            log_p[before, word] = math.log(p)
    return log_p


CHAIN = given({0: {2: 1.0}, 2: {1: 0.5, 3: 0.45, 4: 0.05}, 3: {4: 1.0}, 4: {1: 1.0}})


@pytest.mark.parametrize(
    ("longest", "alpha", "score", "steps", "words"),
    [
        (5, 1.0, math.log(0.5), 4, "penalty is missing"),
        (5, 1.0, math.log(0.5) * 7 / 6, 4, "is multiplied"),
        (5, 1.0, math.log(0.5) / (7 / 6), 2, "stops too soon"),
        (5, 1.0, math.log(0.5) / (7 / 6), 4, "too late to change"),
        (3, 2.0, math.log(0.5) / (7 / 6) ** 2, 3, "drop texts"),
    ],
)
def test_a_search_that_stops_too_soon_is_known_by_its_steps(longest, alpha, score, steps, words):
    inputs = CHAIN, 0, 1, 2, longest, alpha
    (told,) = stopping.found_mistakes((torch.tensor([2, 1]), score, steps), *inputs)
    assert words in told
    assert ("too soon" in told) == (words == "stops too soon")


def test_steps_alone_tell_nothing():
    inputs = CHAIN, 0, 1, 2, 5, 1.0
    ids, score, steps = stopping.found_in_steps(*inputs)
    (told,) = stopping.step_mistakes((ids, score, steps + 1), *inputs)
    assert "one too large" in told
    assert stopping.step_mistakes((ids, score - 0.5, steps + 1), *inputs) == {}
    assert stopping.step_mistakes(None, *inputs) == {}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((2, 7), "only the first reference"),
        ((4, 7), "only the last reference"),
        ((3, 7), "counts each matching n-gram once."),
        ((6, 7), "add up the counts"),
        ((7, 7), "not clipped"),
    ],
)
def test_each_way_to_look_at_references_has_a_count_of_its_own(found, words):
    references = [["one", "one"], ["one", "two", "two", "three"]]
    inputs = ["one"] * 3 + ["two"] * 3 + ["three"], references, 1
    (told,) = telling.fitting(found, bleu.match_mistakes(*inputs))
    assert words in told


@pytest.mark.parametrize(("n", "right"), [(1, (4, 7)), (2, (3, 6)), (3, (2, 5))])
def test_no_mistake_of_counting_n_grams_is_right(n, right):
    found = bleu.match_mistakes(list("abaaacb"), [list("aac"), list("baac")], n)
    assert len(found) >= 7
    for told, wrong in found.items():
        got = tuple(r if w is None else w for w, r in zip(wrong, right, strict=True))
        with pytest.raises(AssertionError):
            close(got, right, ("Found", "All"), mistakes=found)
        assert got != right, told


def test_no_mistake_of_bleu_is_right(generator):
    matched = torch.tensor([[7, 4, 2, 1], [5, 3, 1, 0], [9, 6, 4, 2]])
    lengths = torch.tensor([9, 8, 10])
    total = lengths[:, None] - torch.arange(4)
    theirs = torch.tensor([10, 12, 9])
    right = BLEU.compute_bleu(
        *(x.sum(0).tolist() for x in (matched, total)), int(lengths.sum()), int(theirs.sum())
    ).score
    found = bleu.bleu_mistakes(matched, total, lengths, theirs)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 13  # no order is without a match, and no text is too long
    nothing = bleu.bleu_mistakes(0 * matched, total, lengths, theirs)
    assert 0.0 not in nothing.values()
