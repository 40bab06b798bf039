"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch
import torch.nn.functional as F
from telling import told_of_other_mistakes

from coursework.mistakes import encoder, masking
from coursework.mistakes.norms import layer_norm_mistakes
from nbjudge.testing import close
from tfcourse.batching import mask_words
from tfcourse.models.bert import BERT, BERTConfig

PARTS = "The ids", "The segments", "The real places"
CLS, SEP, PAD, MASK = 1, 2, 0, 4


def line(*ids):
    return torch.tensor(ids)


@pytest.mark.parametrize(
    ("n", "m", "longest", "count"),
    [(3, 4, 14, 12), (6, 2, 9, 14), (2, None, 7, 8), (6, None, 5, 7)],
)
def test_no_mistake_of_an_input_is_right(n, m, longest, count):
    first, second = torch.arange(n) + 10, None if m is None else torch.arange(m) + 30
    room = longest - (2 if m is None else 3)
    a = first[: min(n, room - (m or 0))].tolist()  # here the first alone is ever too long
    b = [] if m is None else second.tolist()
    ids = [CLS, *a, SEP] + ([] if m is None else [*b, SEP])
    segments = [0] * (len(a) + 2) + [1] * (len(ids) - len(a) - 2)
    spare = longest - len(ids)
    right = (
        line(*ids, *[PAD] * spare),
        line(*segments, *[0] * spare),
        torch.arange(longest) < len(ids),
    )
    found = encoder.input_mistakes(first, second, longest, CLS, SEP, PAD)
    assert told_of_other_mistakes(found, right, PARTS) == {}
    assert len(found) == count


def test_words_go_off_the_longer_text_and_off_the_second_where_both_are_as_long():
    found = encoder.input_mistakes(torch.arange(5), torch.arange(5), 8, CLS, SEP, PAD)
    ids = {message: parts[0] for message, parts in found.items() if parts[0] is not None}
    first = next(
        wrong for message, wrong in ids.items() if "Your code shortens the first" in message
    )
    assert first.tolist() == [CLS, 0, 1, SEP, 0, 1, 2, SEP]


def test_no_mistake_of_an_encoders_input_is_right(generator):
    config = BERTConfig(11, 7, num_layers=1, num_heads=1, d_model=5, eps=0.3)
    model = BERT(config).double().eval()
    with torch.no_grad():
        for p in model.parameters():
            p.normal_(generator=generator)
    ids = torch.randint(5, 11, (3, 6), generator=generator)
    segments = (torch.arange(6) > torch.tensor([[2], [3], [1]])).long()
    norm = model.embedding_norm
    with torch.no_grad():
        x = model.positions.embed(model.embedding(ids)) + model.segments(segments)
        right = norm(x)
    tables = model.embedding.weight, model.positions.P, model.segments.weight
    given = (*(t.detach() for t in tables), norm.gain.detach(), norm.shift.detach())
    found = encoder.embed_mistakes(ids, segments, *given, 0.3)
    assert told_of_other_mistakes(found, right) == {}
    of_norm = layer_norm_mistakes(x, *given[3:], 0.3)
    assert set(of_norm) < set(found) and len(found) == 18 + len(of_norm)


def test_no_mistake_of_an_input_of_three_segments_is_right(generator):
    ids = torch.randint(5, 11, (2, 5), generator=generator)
    segments = torch.tensor([[0, 1, 1, 2, 2], [0, 0, 1, 2, 2]])
    E, P, S = (torch.randn(n, 4, generator=generator) for n in (11, 7, 3))
    gain, bias = torch.randn(2, 4, generator=generator)
    right = F.layer_norm(E[ids] + P[:5] + S[segments], (4,), gain, bias, 0.3)
    found = encoder.embed_mistakes(ids, segments, E, P, S, gain, bias, 0.3)
    assert told_of_other_mistakes(found, right) == {}
    two = E[ids] + P[:5] + torch.where(segments[..., None] > 0, S[1], S[0])
    anew = E[ids] + P[torch.tensor([[0, 0, 1, 0, 1], [0, 1, 0, 0, 1]])] + S[segments]
    for wrong, told in (two, "second row"), (anew, "start again"):
        wrong = F.layer_norm(wrong, (4,), gain, bias, 0.3)
        with pytest.raises(AssertionError, match=told):
            close(wrong, right, mistakes=found)


def test_no_mistake_of_one_vector_for_a_text_is_right(generator):
    shapes = (3, 4, 5), (5, 5), 5, (5, 5), 5
    X, W_p, b_p, W_c, b_c = given = [torch.randn(s, generator=generator) for s in shapes]
    right = F.linear(F.linear(X[:, 0], W_p.T, b_p).tanh(), W_c.T, b_c)
    found = encoder.cls_mistakes(*given)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 16

    real = torch.arange(4) < torch.tensor([[4], [2], [3]])
    right = torch.stack([row[mask].mean(0) for row, mask in zip(X, real, strict=True)])
    found = encoder.mean_mistakes(X, real)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 11


def test_no_mistake_of_hidden_words_is_right(generator):
    ids = torch.randint(5, 99, (6, 60), generator=generator)
    ids[:, 0], ids[:, -2:] = CLS, PAD
    words, candidates = torch.arange(1000, 2000), ids >= 5

    # The package draws by itself: what it draws is drawn again here.
    seed = torch.Generator().manual_seed(3)
    choice, kind = torch.rand(2, *ids.shape, generator=seed)
    drawn = words[torch.randint(len(words), ids.shape, generator=seed)]
    seed = torch.Generator().manual_seed(3)
    right = mask_words(ids, candidates, mask=MASK, words=words, share=0.4, generator=seed)
    found = masking.corrupt_mistakes(ids, candidates, choice, kind, drawn, MASK, 0.4)
    assert told_of_other_mistakes(found, right, ("Read", "Chosen")) == {}
    assert len(found) == 17  # no draw is just the share, 0.8 or 0.9


def test_a_draw_that_is_just_a_bound_is_told():
    kind = torch.tensor([[0.8, 0.9, 0.1, 0.85, 0.95]], dtype=torch.float64)
    ids, choice = torch.arange(5)[None] + 20, torch.zeros(1, 5)
    found = masking.corrupt_mistakes(ids, ids > 0, choice, kind, ids + 10, MASK, 0.15)
    found = {message: wrong[0] for message, wrong in found.items()}
    for first, second, told in (
        (MASK, 21, "exactly 0.8 does not give"),
        (30, 31, "exactly 0.9 does not give"),
        (MASK, 31, "limits 0.8 and 0.9"),
        (20, 21, "exactly 0.8 gives"),
    ):
        read = torch.tensor([[first, second, MASK, 33, 24]])
        with pytest.raises(AssertionError, match=told):
            close(read, [[30, 21, MASK, 33, 24]], mistakes=found)


def test_no_mistake_of_the_loss_is_right(generator):
    logits = torch.randn(3, 5, 7, generator=generator)
    ids = torch.randint(7, (3, 5), generator=generator)
    chosen = torch.tensor([[1, 1, 0, 1, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 1]]).bool()
    right = F.cross_entropy(logits[chosen], ids[chosen])
    found = masking.loss_mistakes(logits, ids, chosen)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 15
    some = masking.loss_mistakes(logits[:2], ids[:2], chosen[:2] & chosen[:1])
    assert sum("with 0 for a text" in message for message in some) == 1
    none = masking.loss_mistakes(logits, ids, torch.zeros_like(chosen))
    assert all(not torch.equal(wrong, torch.tensor(0.0)) for wrong in none.values())


def test_no_mistake_of_pre_training_is_right(generator):
    weights = torch.tensor([[1.0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    logits = torch.randn(3, 4, 7, generator=generator)
    words = torch.randint(1, 7, (3, 4), generator=generator) * weights.long()
    follows, truth = torch.randn(3, 2, generator=generator), torch.tensor([1, 0, 0])
    used = weights.bool()
    right = F.cross_entropy(logits[used], words[used]), F.cross_entropy(follows, truth)
    found = masking.pretraining_mistakes(logits, words, weights, follows, truth)
    assert told_of_other_mistakes(found, right, ("Words", "Next")) == {}
    assert len(found) == 13
    given = logits, words, torch.zeros_like(weights), follows, truth
    found = masking.pretraining_mistakes(*given)
    assert told_of_other_mistakes(found, (torch.tensor(0.0), right[1]), ("Words", "Next")) == {}
