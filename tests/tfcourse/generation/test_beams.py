"""Beam search against exhaustive search, against greedy search, and on a hand-made tree."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from writers import END, MODELS, ask, frequent, make, next_log_p, text_log_p

from tfcourse.generation import beam_search, greedy, length_penalty

names = st.sampled_from(list(MODELS))
seeds = st.integers(0, 50)


def all_hypotheses(V, N):
    """Every text of at most ``N`` tokens that ends where its end token is, or is ``N`` long."""
    others = [v for v in range(V) if v != END]
    for n in range(N):
        for begin in itertools.product(others, repeat=n):
            yield [*begin, END]
    yield from map(list, itertools.product(others, repeat=N))


def best_of_all(model, asked, V, N, alpha):
    """The best of them with its score, each scored on its own."""
    found = []
    for text in all_hypotheses(V, N):
        read, log_p = asked["prompt"], 0.0
        for token in text:
            log_p += float(next_log_p(model, asked, read)[0, token])
            read = torch.cat([read, torch.tensor([[token]])], dim=1)
        found.append((log_p / length_penalty(len(text), alpha), text))
    return sorted(found, reverse=True)


@pytest.mark.thorough("comparison of long texts")
@pytest.mark.parametrize("name", ["gpt learned", "lm lstm", "transformer post sinusoidal",
                                  "seq2seq additive"])  # fmt: skip
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_with_enough_beams_it_is_exhaustive(name, alpha):
    V, N = 3, 3
    for seed in range(2):
        model = make(name, seed, V).eval()
        asked = ask(name, B=1, seed=seed, vocabulary=V)
        expected = best_of_all(model, asked, V, N, alpha)
        got = beam_search(model, **asked, max_new_tokens=N, eos_id=END, num_beams=len(expected),
                          length_penalty=alpha, num_return_sequences=5,
                          early_stopping="never")  # fmt: skip
        for place, (score, text) in enumerate(expected[:5]):
            assert got.tokens[place, : got.lengths[place]].tolist() == text
            torch.testing.assert_close(float(got.scores[place]), score, rtol=0, atol=1e-9)
            assert bool(got.ended[place]) == (text[-1] == END)


@settings(max_examples=40, deadline=None)
@given(name=names, seed=seeds, alpha=st.sampled_from([0.0, 0.6, 2.0]))
def test_one_beam_is_greedy(name, seed, alpha):
    model, asked = make(name, seed), ask(name, seed=seed)
    expected = greedy(model, **asked, max_new_tokens=9, eos_id=END)
    got = beam_search(
        model,
        **asked,
        max_new_tokens=9,
        eos_id=END,
        num_beams=1,
        length_penalty=alpha,
        early_stopping=True,
    )
    assert got.rows() == expected.rows()
    assert torch.equal(got.lengths, expected.lengths) and torch.equal(got.ended, expected.ended)
    penalty = torch.tensor([length_penalty(n, alpha) for n in got.lengths.tolist()])
    torch.testing.assert_close(got.scores * penalty, expected.scores, rtol=1e-6, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(name=names, seed=seeds, beams=st.integers(1, 12), alpha=st.sampled_from([0.0, 1.0]),
       early=st.sampled_from([True, False, "never"]), cached=st.booleans())  # fmt: skip
def test_a_batch_equals_its_rows_and_cached_equals_uncached(
    name, seed, beams, alpha, early, cached
):
    model, asked = make(name, seed), ask(name, seed=seed)
    how = {"max_new_tokens": 6, "eos_id": END, "num_beams": beams, "length_penalty": alpha,
           "early_stopping": early, "num_return_sequences": min(2, beams)}  # fmt: skip
    together = beam_search(model, **asked, **how, cached=cached)
    for b in range(3):
        one = {key: x[b : b + 1] for key, x in asked.items()}
        if "source" in one:
            one["source"] = one["source"][:, : one["source_lengths"][0]]
        alone = beam_search(model, **one, **how)
        mine = slice(b * how["num_return_sequences"], (b + 1) * how["num_return_sequences"])
        torch.testing.assert_close(alone.scores, together.scores[mine], rtol=0, atol=1e-9)
        assert alone.rows() == together._replace(**{
            key: getattr(together, key)[mine] for key in together._fields
        }).rows()  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(name=names, seed=seeds, alpha=st.sampled_from([0.0, 0.6, 1.0]))
def test_scores_are_those_of_the_text_and_stopping_late_is_never_worse(name, seed, alpha):
    model, asked = make(name, seed).eval(), ask(name, seed=seed)
    late, soon = (
        beam_search(
            model,
            **asked,
            max_new_tokens=7,
            eos_id=END,
            num_beams=3,
            length_penalty=alpha,
            num_return_sequences=3,
            early_stopping=e,
        )
        for e in ("never", True)
    )
    assert (late.scores[::3] >= soon.scores[::3] - 1e-12).all()
    for got in (late, soon):
        assert (got.scores.view(3, 3).diff() <= 0).all()
        for b in range(9):
            one = {key: x[b // 3 : b // 3 + 1] for key, x in asked.items()}
            log_p = text_log_p(model, one, got.tokens[b, : got.lengths[b]])
            score = log_p / length_penalty(int(got.lengths[b]), alpha)
            torch.testing.assert_close(got.scores[b], score, rtol=0, atol=1e-9)


def search_by_lists(next_log_p, K, N, end, keep, early, lp):
    """Beam search again, with lists and sorting alone; ``next_log_p(texts)`` is ``(n, V)``.

    The rules are those that :func:`beam_search` states. Returns the ``keep`` best as
    ``(score, tokens)``.
    """
    running, aside = [(0.0, ())], []
    for n in range(1, N + 1):
        following = next_log_p([text for _, text in running]).tolist()
        ranked = sorted(
            (
                (log_p + step, (*text, token))
                for (log_p, text), steps in zip(running, following, strict=True)
                for token, step in enumerate(steps)
            ),
            key=lambda found: -found[0],
        )
        aside += [(log_p / lp(n), text) for log_p, text in ranked[:K] if text[-1] == end or n == N]
        aside = sorted(aside, key=lambda found: -found[0])[:K]
        running = [(log_p, text) for log_p, text in ranked if text[-1] != end][:K]
        if n == N:
            break
        best, full = running[0][0] if running else -math.inf, len(aside) == K
        best_to_come = max(best / lp(length) for length in range(n + 1, N + 1))
        if len(aside) >= keep and aside[keep - 1][0] >= best_to_come:
            break
        if full and (early is True or (early is False and best / lp(n) <= aside[-1][0])):
            break
    return aside[:keep]


class Chains:
    """``B`` random models, one a row: the next token depends on the last one and on the place."""

    def __init__(self, seed, B, V, N):
        draw = torch.Generator().manual_seed(seed)
        table = torch.randn(B, N + 1, V, V, generator=draw, dtype=torch.float64) * 2
        self.table, self.row, self.t = table.log_softmax(-1), torch.arange(B), 0

    def read(self, tokens):
        found = self.table[self.row, self.t, tokens[:, -1]]
        self.t += 1
        return found

    def reorder(self, rows):
        self.row = self.row[rows]

    def after(self, b, texts, start):
        """The same for texts, all of one length, of row ``b``."""
        last = [text[-1] if text else start for text in texts]
        return self.table[b, len(texts[0]), last]


SEARCHES = [  # beams, keep, alpha, form, early, end
    (4, 4, 1.0, "gnmt", "never", END), (5, 2, 0.6, "gnmt", True, END),
    (8, 8, 1.0, "power", "never", END), (3, 3, 0.5, "power", True, END),
    (6, 1, 0.0, "gnmt", "never", END), (4, 4, 1.0, "power", "never", None),
    (5, 3, 0.0, "gnmt", True, None), (4, 2, 1.0, "power", False, END),
    (3, 1, -0.7, "power", "never", END), (4, 4, -0.7, "power", False, END),
]  # fmt: skip


def check_searches(got, expected, end, keep):
    """The same hypotheses in the same order with the same scores, and none runs on after an end."""
    for b, lists in enumerate(expected):
        for place, (score, text) in enumerate(lists):
            row = b * keep + place
            found = tuple(got.tokens[row, : got.lengths[row]].tolist())
            assert end not in found[:-1], f"hypothesis {found} runs on after its end"
            assert found == text
            assert abs(float(got.scores[row]) - score) < 1e-9
            assert bool(got.ended[row]) == (text[-1] == end)
        assert (got.scores[b * keep + len(lists) : (b + 1) * keep] == -math.inf).all()


@pytest.mark.parametrize(("beams", "keep", "alpha", "form", "early", "end"), SEARCHES)
def test_500_random_models_as_a_search_by_lists(beams, keep, alpha, form, early, end):
    V, N, B, start = 7, 7, 500, 0
    how = {
        "num_beams": beams,
        "num_return_sequences": keep,
        "length_penalty": alpha,
        "penalty_form": form,
        "early_stopping": early,
    }
    models = Chains(beams, B, V, N)
    got = beam_search(models, torch.full((B, 1), start), max_new_tokens=N, eos_id=end, **how)
    expected = [
        search_by_lists(lambda texts, b=b: models.after(b, texts, start), beams, N, end, keep,
                        early, lambda n: length_penalty(n, alpha, form))
        for b in range(B)
    ]  # fmt: skip
    check_searches(got, expected, end, keep)


@pytest.mark.parametrize("name", ["transformer post sinusoidal", "gpt learned", "lm lstm"])
@pytest.mark.parametrize("ends", [True, False])
def test_models_and_sources_as_a_search_by_lists(name, ends):
    K, N, B = 5, 6, 5
    for seed in range(4):
        model, asked = make(name, seed).eval(), ask(name, B=B, seed=seed)
        end = frequent(model, asked, N, K) if ends else None
        got = beam_search(
            model, **asked, max_new_tokens=N, eos_id=end, num_beams=K, num_return_sequences=K
        )
        expected = []
        for b in range(B):
            one = {key: x[b : b + 1] for key, x in asked.items()}

            def following(texts, model=model, one=one):
                rows = {key: x.expand(len(texts), *x.shape[1:]) for key, x in one.items()}
                new = torch.tensor(texts).long().view(len(texts), -1)
                return next_log_p(model, rows, torch.cat([rows["prompt"], new], dim=1))

            expected.append(
                search_by_lists(following, K, N, end, K, "never", lambda n: length_penalty(n, 1.0))
            )
        check_searches(got, expected, end, K)


class Tree:
    """Probabilities by what was written, for each row: greedy search is led astray."""

    def __init__(self, table, V):
        self.table, self.V, self.written = table, V, None

    def read(self, tokens):
        if self.written is None:
            self.written = [() for _ in tokens]
        else:
            new = zip(self.written, tokens[:, -1].tolist(), strict=True)
            self.written = [(*old, token) for old, token in new]
        rows = [self.table.get(written, {END: 1.0}) for written in self.written]
        p = torch.tensor([[row.get(v, 0.0) for v in range(self.V)] for row in rows]).double()
        return p.log()

    def reorder(self, rows):
        self.written = [self.written[row] for row in rows.tolist()]


TREE = {(): {0: 0.6, 1: 0.4}, (0,): {0: 0.5, 1: 0.5}, (1,): {0: 0.9, END: 0.1}}


def test_it_finds_what_begins_with_an_unlikely_word():
    prompt = torch.zeros(1, 1).long()
    led = greedy(Tree(TREE, 3), prompt, max_new_tokens=5, eos_id=END)
    assert led.tokens[0, 0] == 0
    torch.testing.assert_close(led.scores.exp(), torch.tensor([0.3]).double())
    found = beam_search(
        Tree(TREE, 3), prompt, max_new_tokens=5, eos_id=END, num_beams=2, length_penalty=0.0
    )
    assert found.rows() == [[1, 0]]
    torch.testing.assert_close(found.scores.exp(), torch.tensor([0.36]).double())


def test_hypotheses_that_do_not_exist_score_minus_infinity():
    sure = {(): {0: 1.0}}
    got = beam_search(Tree(sure, 3), torch.zeros(1, 1).long(), max_new_tokens=4, eos_id=END,
                      num_beams=3, length_penalty=0.0, num_return_sequences=3)  # fmt: skip
    assert got.scores.tolist() == [0.0, -torch.inf, -torch.inf]
    assert got.rows() == [[0], [], []] and got.ended.tolist() == [True, False, False]


def test_the_gnmt_form_is_wu_and_others():
    assert [length_penalty(n, a, "gnmt") for n, a in ((1, 0.7), (25, 0.0), (7, 1.0))] == [1, 1, 2]
    assert length_penalty(19, 0.5, "gnmt") == 2.0


def test_with_exponent_1_the_score_is_the_mean_over_tokens():
    assert [length_penalty(n, 1.0) for n in (1, 4, 9)] == [1, 4, 9]
    assert [length_penalty(16, a) for a in (0.5, 0.0, -0.5)] == [4.0, 1.0, 0.25]


def test_a_larger_alpha_prefers_longer_text():
    tree = {(): {END: 0.5, 0: 0.5}, (0,): {0: 0.9, END: 0.1}, (0, 0): {END: 1.0}}
    prompt = torch.zeros(1, 1).long()
    texts = [
        beam_search(Tree(tree, 3), prompt, max_new_tokens=5, eos_id=END, num_beams=2,
                    length_penalty=a, early_stopping=early).rows()
        for a, early in ((0.0, "never"), (1.0, "never"), (1.0, True))
    ]  # fmt: skip
    # Stopping early, it is content with the two that ended first.
    assert texts == [[[]], [[0, 0]], [[]]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"num_beams": 0}, "num_beams must be at least 1, got 0"),
        ({"num_return_sequences": 6}, "num_return_sequences must be at most num_beams=5, got 6"),
        ({"penalty_form": "hf"}, r"penalty_form must be one of \['power', 'gnmt'\], got 'hf'"),
        ({"early_stopping": "no"}, r"must be one of \[True, False, 'never'\], got 'no'"),
        ({"eos_id": 9}, "eos_id must lie between 0 and 8, got 9"),
        ({"max_new_tokens": 16}, "stay within the model's 16 positions"),
    ],
)
def test_what_does_not_fit_is_refused(change, told):
    name = "transformer pre learned"
    with pytest.raises(ValueError, match=told):
        beam_search(make(name), **ask(name), **{"max_new_tokens": 3, "eos_id": END, **change})
