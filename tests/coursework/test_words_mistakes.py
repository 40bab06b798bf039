"""Each message about a mistake is told of that mistake, and never of the right answer."""

from collections import Counter

import pytest
import torch
import torch.nn.functional as F
from telling import told_of_other_mistakes

from coursework.mistakes import words as mistakes


def test_no_mistake_of_pairs_is_right_and_no_two_are_alike():
    text = [list(words) for words in ("abcade", "ffghi", "jk", "lmlmnop")]
    right = Counter(
        (s[i], s[j])
        for s in text
        for i in range(len(s))
        for j in range(len(s))
        if 0 < abs(i - j) <= 2
    )
    found = [Counter(wrong) for wrong in mistakes.pair_mistakes(text, 2).values()]
    assert right not in found
    assert all(a != b for n, a in enumerate(found) for b in found[:n])


def test_no_mistake_of_a_look_ups_gradient_is_right(generator):
    ids, n = torch.tensor([3, 1, 3, 0, 3, 1]), 5
    G = torch.randn(6, 2, generator=generator)
    right = F.one_hot(ids, n).float().mT @ G
    found = mistakes.look_up_gradient_mistakes(ids, G, n)
    assert told_of_other_mistakes(found, right) == {}


def test_no_mistake_of_noise_is_right():
    counts = torch.tensor([0.0, 1.0, 2.0, 5.0, 4.0])
    right = counts**0.75 / (counts**0.75).sum()
    assert told_of_other_mistakes(mistakes.noise_mistakes(counts), right) == {}


@pytest.mark.parametrize("counts", [[64.0, 16.0, 3.0], [0.0, 64.0, 16.0, 1.0]])
def test_no_mistake_of_keeping_is_right(counts):
    counts = torch.tensor(counts)
    right = (0.04 * counts.sum() / counts).sqrt().clamp(max=1)
    assert told_of_other_mistakes(mistakes.keep_mistakes(counts, 0.04), right) == {}


def test_no_mistake_of_the_logarithm_is_right(generator):
    x = torch.randn(7, generator=generator)
    assert told_of_other_mistakes(mistakes.log_sigmoid_mistakes(x), F.logsigmoid(x)) == {}


@pytest.fixture
def batch(generator):
    """Vectors of four pairs with three negatives each."""
    return tuple(torch.randn(s, generator=generator) for s in ((4, 5), (4, 5), (4, 3, 5)))


def loss(w, v, negatives):
    true, drawn = (w * v).sum(-1), (negatives * w[:, None]).sum(-1)
    return (F.softplus(-true) + F.softplus(drawn).sum(-1)).mean()


def test_no_mistake_of_the_loss_is_right(batch):
    assert told_of_other_mistakes(mistakes.loss_mistakes(*batch), loss(*batch)) == {}


def test_no_mistake_of_the_gradients_is_right(batch):
    leaves = [x.clone().requires_grad_() for x in batch]
    right = torch.autograd.grad(loss(*leaves), leaves)
    found = mistakes.gradient_mistakes(*batch)
    assert told_of_other_mistakes(found, right, ("w", "v", "negatives")) == {}


def test_no_mistake_of_neighbours_is_right(generator):
    W = torch.randn(12, 3, generator=generator) * torch.arange(1.0, 13.0)[:, None]
    W[5] = 0.0
    right = F.cosine_similarity(W, W[2][None]).topk(7).indices[1:]
    assert told_of_other_mistakes(mistakes.neighbour_mistakes(W, 2, 6), right) == {}


def test_no_mistake_of_analogies_is_right(generator):
    W = torch.randn(40, 3, generator=generator) * torch.arange(1.0, 41.0)[:, None]
    U = F.normalize(W, dim=1)
    found = mistakes.analogy_mistakes(W, 0, 1, 2)
    order = (U @ (U[1] - U[0] + U[2])).argsort(descending=True).tolist()
    right = next(r for r in order if r > 2)
    assert all(right not in answers for answers in found.values())
    assert {0, 1, 2} in found.values() and sum(map(bool, found.values())) == 5
