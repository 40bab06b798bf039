"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch
from telling import told_of_other_mistakes

from coursework.mistakes import documents, pooling
from tfcourse.attention import average_by_scores

TWO = "The output", "The weights"


@pytest.fixture
def draw(generator):
    """Random numbers of a shape."""
    return lambda *shape: torch.randn(*shape, generator=generator)


@pytest.fixture
def words(draw):
    """Five documents of up to six words of width 3, the last without any; and where they stand."""
    mask = torch.arange(6) < torch.tensor([[6], [3], [1], [4], [0]])
    return 2 * draw(5, 6, 3), mask


def test_no_mistake_of_the_look_up_is_right(draw):
    q, K, V = draw(4), draw(5, 4), draw(5, 4)
    weights = (K @ q / 0.3).softmax(0)
    found = pooling.look_up_mistakes(q, K, V, 0.3)
    assert told_of_other_mistakes(found, (weights @ V, weights), TWO) == {}


def test_no_mistake_of_the_hard_look_up_is_right():
    q = torch.tensor([1.0, 0.0])
    K = torch.tensor([[2.0, 0.0], [1.0, 9.0], [2.0, 1.0], [-3.0, 1.0], [2.0, 2.0]])
    V = torch.tensor([[1.0, 5.0], [2.0, 6.0], [3.0, 9.0], [4.0, 4.0], [7.0, 7.0]])
    found = pooling.hard_mistakes(q, K, V)
    assert told_of_other_mistakes(found, V[[0, 2, 4]].mean(0)) == {}


def test_no_mistake_of_pooling_is_right(words, draw):
    x, mask = words
    v = draw(3)
    pooled, weights = average_by_scores((x @ v)[:, None], x, mask[:, None])
    found = pooling.pooling_mistakes(x, mask, v)
    assert told_of_other_mistakes(found, (pooled[:, 0], weights[:, 0]), TWO) == {}


@pytest.mark.parametrize("queries", [2, 4])
def test_no_mistake_of_several_queries_is_right(words, draw, queries):
    x, mask = words[0][:4], words[1][:4]
    W, b, v = draw(3, 3), draw(3), draw(queries, 3)
    right = average_by_scores(v @ torch.tanh(x @ W + b).mT, x, mask[:, None])
    found = pooling.query_mistakes(x, mask, W, b, v)
    # No document is empty here, so that what is wrong with empty ones is right.
    found = {m: w for m, w in found.items() if "without words" not in m}
    assert told_of_other_mistakes(found, right, TWO) == {}


def test_no_mistake_of_a_batch_is_right():
    nested = [[[3, 0, 5], [], [2]], [[7]], [[1, 4], [0, 6, 8, 9], [5, 5], []], []]
    ids = torch.zeros(4, 4, 4, dtype=torch.long)
    mask = torch.zeros_like(ids, dtype=torch.bool)
    for i, document in enumerate(nested):
        for n, sentence in enumerate(document):
            ids[i, n, : len(sentence)] = torch.tensor(sentence, dtype=torch.long)
            mask[i, n, : len(sentence)] = True
    found = documents.batch_mistakes(nested)
    right = ids, mask, mask.any(-1)
    assert told_of_other_mistakes(found, right, ("The ids", "Words", "Sentences")) == {}


def test_no_mistake_of_levels_is_right(draw):
    lengths = torch.tensor([[4, 2, 1, 3], [3, 0, 2, 0], [1, 4, 0, 0]])
    mask = torch.arange(4) < lengths[..., None]
    x, v, u = 2 * draw(3, 4, 4, 3), draw(3), draw(3)
    a = pooling.masked_softmax(x @ v, mask)
    s = (a[..., None] * x).sum(2)
    share = pooling.masked_softmax(s @ u, mask.any(-1))[..., None] * a
    right = (share[..., None] * x).sum((1, 2)), share
    found = documents.level_mistakes(x, mask, v, u)
    assert told_of_other_mistakes(found, right, ("The document", "The shares")) == {}


def test_no_mistake_of_deletion_is_right(words, draw):
    x, mask = words[0][:4], words[1][:4]
    v, W, b = draw(3), draw(3, 5), draw(5)
    rank = (x @ v).masked_fill(~mask, -torch.inf).argsort(1, descending=True)
    kept = mask.scatter(1, rank[:, :2], False)

    def classes(which):
        pooled, _ = average_by_scores((x @ v)[:, None], x, which[:, None])
        return (pooled[:, 0] @ W + b).softmax(-1)

    c = classes(mask).argmax(-1, keepdim=True)
    found = documents.deletion_mistakes(x, mask, v, W, b, 2)
    assert told_of_other_mistakes(found, classes(kept).gather(1, c)[:, 0]) == {}
