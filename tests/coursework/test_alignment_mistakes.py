"""Each message about a mistake is told of that mistake, and never of the right answer."""

import itertools

import pytest
import torch
from telling import told_of_other_mistakes

from coursework.mistakes import alignment, search
from nbjudge.testing import close

END = 1


def drawn(generator, *shapes):
    return [torch.randn(shape, generator=generator) for shape in shapes]


def test_no_mistake_of_additive_scores_is_right(generator):
    s, H, W_a, U_a, v_a = drawn(generator, (4, 3), (4, 4, 3), (3, 5), (3, 5), 5)
    right = torch.tanh((s @ W_a)[:, None] + H @ U_a) @ v_a
    found = alignment.additive_mistakes(s, H, W_a, U_a, v_a)
    assert len(found) == 11
    assert told_of_other_mistakes(found, right) == {}


def test_no_mistake_of_general_scores_is_right(generator):
    s, H, W = drawn(generator, (4, 3), (4, 4, 3), (3, 3))
    right = torch.einsum("bi,ij,bsj->bs", s, W, H)
    found = alignment.general_mistakes(s, H, W)
    assert len(found) == 8
    assert told_of_other_mistakes(found, right) == {}


def test_no_mistake_of_the_look_back_is_right(generator):
    scores, H = drawn(generator, (3, 6), (3, 6, 2))
    weights = torch.zeros(3, 6)
    for b, n in enumerate([5, 2, 3]):
        weights[b, :n] = scores[b, :n].softmax(0)
    right = torch.einsum("bs,bsd->bd", weights, H), weights
    found = alignment.look_back_mistakes(scores, H, torch.tensor([5, 2, 3]))
    assert told_of_other_mistakes(found, right, ("The context", "The weights")) == {}


def test_no_mistake_of_a_step_is_right(generator):
    shapes = (2, 3), (2, 4), (2, 5, 4), (3, 4), (4, 4), 4, (4, 4), (8, 4), (4, 6)
    inputs = y, s, H, W_y, W_s, b, W_a, W_t, W_U = drawn(generator, *shapes)
    new = torch.tanh(y @ W_y + s @ W_s + b)
    weights = torch.einsum("bi,ij,bsj->bs", new, W_a, H).softmax(-1)
    t = torch.cat([torch.einsum("bs,bsd->bd", weights, H), new], dim=1) @ W_t
    found = alignment.step_mistakes(*inputs)
    right = t.tanh() @ W_U, new, weights
    assert told_of_other_mistakes(found, right, ("Logits", "State", "Weights")) == {}


def test_no_mistake_of_the_loss_is_right(generator):
    (logits,) = drawn(generator, (3, 5, 7))
    target = torch.tensor([[1, 3, 5, 4, 6, 2], [1, 3, 2, 6, 6, 6], [1, 0, 4, 2, 6, 6]])
    target[0, 4] = 3
    real = target[:, 1:] != 6
    log_p = logits.log_softmax(-1).gather(-1, target[:, 1:, None])[..., 0]
    found = alignment.loss_mistakes(logits, target, pad=6)
    assert told_of_other_mistakes(found, -log_p[real].mean()) == {}


def test_no_mistake_of_padding_is_right(generator):
    inputs = drawn(generator, (4, 5, 2), (2, 3), (3, 3), 3)
    X, *cell = inputs
    lengths = torch.tensor([5, 2, 4, 1])
    state, rows = torch.zeros(4, 3), []
    for b, n in enumerate(lengths.tolist()):
        h, states = torch.zeros(3), []
        for x in X[b, :n]:
            h = torch.tanh(x @ cell[0] + h @ cell[1] + cell[2])
            states.append(h)
        weights = (torch.stack(states) @ h).softmax(0)
        state[b] = h
        rows.append((weights @ torch.stack(states), torch.cat([weights, torch.zeros(5 - n)])))
    context, weights = (torch.stack(part) for part in zip(*rows, strict=True))
    found = alignment.padding_mistakes(X, lengths, *cell)
    assert len(found) == 9
    right = state, context, weights
    assert told_of_other_mistakes(found, right, ("State", "Context", "Weights")) == {}


def test_no_mistake_of_continuations_is_right(generator):
    total, log_p = drawn(generator, 3, (3, 5))
    total, log_p = total - 3, log_p.log_softmax(-1)
    values, rows, words = zip(
        *sorted(((total[n] + log_p[n, v]).item(), n, v) for n in range(3) for v in range(5))[
            :-5:-1
        ],
        strict=True,
    )
    right = torch.tensor(values), torch.tensor(rows), torch.tensor(words)
    for wrong in search.continuation_mistakes(total, log_p, 4).values():
        with pytest.raises(AssertionError):
            close(wrong, right, ("Values", "Rows", "Words"))


def table(generator, V=5):
    log_p = 1.5 * torch.randn(V, V, generator=generator)
    log_p[:, 0] = -torch.inf
    return log_p.log_softmax(-1)


@pytest.mark.parametrize("alpha", [0.0, 0.7, 2.0])
def test_a_wide_beam_finds_the_best_of_all_texts(generator, alpha):
    texts = [
        (*words, END) for n in range(3) for words in itertools.product((2, 3, 4), repeat=n)
    ] + list(itertools.product((2, 3, 4), repeat=3))
    for _ in range(5):
        log_p = table(generator)
        scores = [
            (log_p[(0, *text[:-1]), text].sum() / ((5 + len(text)) / 6) ** alpha).item()
            for text in texts
        ]
        ids, score = search.found_by_search(log_p, 0, END, 60, 3, alpha)
        assert score.item() == pytest.approx(max(scores), abs=1e-5)
        assert tuple(ids.tolist()) == texts[scores.index(max(scores))]


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_no_mistake_of_the_search_is_right_and_each_can_be_made(generator, alpha):
    names, seen = ("The text", "Its score"), set()
    for _ in range(30):
        log_p = table(generator, V=6)
        right = search.found_by_search(log_p, 0, END, 2, 5, alpha)
        found = search.search_mistakes(log_p, 0, END, 2, 5, alpha)
        seen |= set(found)
        for wrong in found.values():
            got = tuple(r if w is None else w for w, r in zip(wrong, right, strict=True))
            with pytest.raises(AssertionError):
                close(got, right, names, mistakes=found)
    # Some need a length penalty, or a rare table.
    assert not alpha or len(seen) == 25
