"""Each message about a mistake is told of that mistake, and never of the right answer."""

import math

import pytest
import torch
import torch.nn.functional as F
from telling import told_of_other_mistakes

import tfcourse.tokenizers
from coursework.mistakes import decoder, language, subwords
from nbjudge.testing import Mistake, by_hand, call, close
from tfcourse.attention import KeyValueCache, MultiHeadAttention
from tfcourse.batching import Windows
from tfcourse.evaluation import perplexity
from tfcourse.generation import keep_top_k, keep_top_p
from tfcourse.tokenizers.merges import apply_merges, learn_merges

DOUBLE = {"dtype": torch.float64}


@pytest.fixture
def model(generator):
    """A small language model: V = 7, D = 5, two heads of width 3."""
    shapes = {"E": (7, 5), "P": (12, 5), "W_O": (6, 5)}
    shapes |= {f"W_{n}": (5, 6) for n in "QKV"}
    return {n: torch.randn(s, generator=generator, **DOUBLE) for n, s in shapes.items()}


def read(w, tokens, heads):
    """Logits, keys and values of all tokens, by the package."""
    layer = MultiHeadAttention(5, heads, d_k=6 // heads, d_v=6 // heads, bias=False).double()
    layer.load_state_dict({n: w[n] for n in w if n.startswith("W_")})
    layer.requires_grad_(False)
    x, cache = w["E"][tokens] + w["P"][: tokens.shape[1]], KeyValueCache(20)
    return (x + layer(x, causal=True, cache=cache)[0]) @ w["E"].T, *cache.held()


# -- merges ----------------------------------------------------------------------------------------

WORDS = [
    {"low": 5, "lot": 2, "owl": 4, "lolo": 1},
    {"aaaa": 1, "baab": 2, "né": 2, "éa": 1},
    {"cabcab": 2, "ba": 3, "ab": 1},
    {"zyzy": 1, "ab": 1},
    {"abab": 1, "ab": 1, "cd": 2},
    {"aaaa": 1, "AB": 2},
    {"caaabca": 3},
]


def test_no_mistake_of_merges_is_right():
    told = set()
    for words in WORDS:
        spelt = {tuple(word.encode()): count for word, count in words.items()}
        _, right = learn_merges(spelt, [chr(i) for i in range(256)], 256 + 6)
        found = subwords.merges_mistakes(words, 6, right)
        assert right not in found.values()
        assert all(wrong not in list(found.values())[:n] for n, wrong in enumerate(found.values()))
        told |= {message for message in found if "Each of these" not in message}
    assert len(told) == 13


def test_merges_that_two_mistakes_may_have_given_are_told_of_both():
    right = [(97, 98), (99, 97), (100, 256)]
    found = subwords.merges_mistakes({"dab": 3, "ca": 3}, 3, right)
    both = {message: wrong for message, wrong in found.items() if "met first" in message}
    ((message, wrong),) = both.items()
    assert "larger ids" in message and wrong == [(100, 97), (256, 98), (99, 97)]


@pytest.mark.parametrize("word", ["abcd", "aaaaa", "abcabc", "né", "cabd"])
def test_no_mistake_of_encoding_is_right(word):
    merges = [(98, 99), (97, 98), (195, 169), (97, 256), (97, 97), (260, 97), (99, 100)]
    right = apply_merges(list(word.encode()), {p: (r, 256 + r) for r, p in enumerate(merges)})
    found = subwords.encode_mistakes(word, merges, right)
    assert right not in found.values() and found


def test_no_mistake_of_decoding_is_right():
    merges = [(195, 169), (110, 256), (257, 101)]
    told = set()
    for ids, right in (
        ([258, 33], "née!"),
        ([110, 195, 169], "né"),
        ([97, 195, 98], "a\N{REPLACEMENT CHARACTER}b"),
    ):
        found = subwords.decode_mistakes(ids, merges, right)
        assert right not in found.values()
        told |= {message for message in found if "Each of these" not in message}
    assert len(told) == 5


# -- the loss --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("N", "T"), [(30, 7), (29, 7), (12, 3)])
def test_no_mistake_of_windows_is_right(generator, N, T):
    ids = torch.randperm(50, generator=generator)[:N]
    windows = Windows(ids, T)
    right = windows.batch(torch.arange(len(windows)))
    found = language.window_mistakes(ids, T)
    assert told_of_other_mistakes(found, right, ("inputs", "targets")) == {}
    assert len(found) == 9 - (N == 29)


def test_no_mistake_of_the_loss_is_right(generator):
    lengths = torch.tensor([4, 6, 3])
    logits = torch.randn(3, 6, 8, generator=generator, **DOUBLE)
    tokens = torch.randint(1, 8, (3, 6), generator=generator)
    tokens[torch.arange(6) >= lengths[:, None] - 1] = 0  # the end of a text, and the padding
    says = tokens.masked_fill(torch.arange(6) >= lengths[:, None], -100)
    right = F.cross_entropy(logits[:, :-1].mT, says[:, 1:])
    found = language.loss_mistakes(logits, tokens, lengths)
    assert told_of_other_mistakes(found, right) == {}
    (both,) = (message for message in found if "Each of these" in message)
    assert "The last real token of each row" in both and "padding by its id" in both
    assert len(found) == 19
    tokens[:, 2] = 0
    found = language.loss_mistakes(logits, tokens, lengths)
    says = tokens.masked_fill(torch.arange(6) >= lengths[:, None], -100)
    right = F.cross_entropy(logits[:, :-1].mT, says[:, 1:])
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 20


def test_the_loss_of_one_row_is_not_said_to_be_averaged_over_rows(generator):
    logits = torch.randn(1, 4, 5, generator=generator, **DOUBLE)
    found = language.loss_mistakes(logits, torch.tensor([[1, 3, 0, 2]]), torch.tensor([4]))
    assert "Your loss is the sum over the tokens. Return their mean." in found
    assert not any("averaged over the rows" in message for message in found)


def test_no_mistake_of_perplexity_per_byte_is_right():
    right = perplexity(3.2 * 30, 100)
    found = language.per_byte_mistakes(3.2, 30, 100)
    assert len(found) == 7 and len(set(found.values())) == 7
    assert all(not math.isclose(wrong, right, rel_tol=1e-6) for wrong in found.values())


# -- what may be drawn -----------------------------------------------------------------------------


def test_no_mistake_of_top_k_is_right(generator):
    logits = torch.randn(3, 9, generator=generator, **DOUBLE)
    logits[0, 1:3] = logits[0].sort(descending=True).values[2]
    found = language.top_k_mistakes(logits, 3)
    assert told_of_other_mistakes(found, keep_top_k(logits, 3)) == {}
    assert len(found) == 10 + 4


@pytest.mark.parametrize("low", [-1e4, -1e9, -1e10, torch.finfo(torch.float32).min])
def test_a_large_negative_number_is_not_minus_infinity(generator, low):
    logits = torch.randn(3, 9, generator=generator)
    for found, right in (
        (language.top_k_mistakes(logits, 3), keep_top_k(logits, 3)),
        (language.top_p_mistakes(logits, 0.6), keep_top_p(logits, 0.6)),
    ):
        got = right.masked_fill(right == -torch.inf, low)
        with pytest.raises(Mistake, match="which is still a number"):
            close(got, right, mistakes=found)


@pytest.mark.parametrize("p", [0.7, 0.8])
def test_no_mistake_of_top_p_is_right(generator, p):
    logits = torch.randn(3, 9, generator=generator, **DOUBLE)
    logits[0, 4] = 4.0  # likelier than p alone
    found = language.top_p_mistakes(logits, p)
    assert told_of_other_mistakes(found, keep_top_p(logits, p)) == {}
    assert len(found) == 14 + 4 - (p == 0.8)  # where two come to the same


# -- reading ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("past", "heads"), [(0, 2), (3, 2), (4, 1)])
def test_no_mistake_of_reading_on_is_right(generator, model, past, heads):
    tokens = torch.randint(7, (2, past + 3), generator=generator)
    logits, K, V = read(model, tokens, heads)
    right = logits[:, past:], K, V
    given = tokens[:, past:], model, heads, K[:, :, :past], V[:, :, :past]
    found = decoder.read_mistakes(*given)
    assert told_of_other_mistakes(found, right, ("logits", "keys", "values")) == {}
    assert len(found) == 11 + 2 * (heads > 1) + (past == 0) + 9 * (past > 0)


def test_no_mistake_of_a_batch_of_prompts_is_right(generator, model):
    lengths, front, T = [4, 2, 1], [1, 4, 2], 7
    spans = list(zip(front, lengths, strict=True))
    real = torch.tensor([[f <= t < f + n for t in range(T)] for f, n in spans])
    tokens = torch.randint(7, (3, T), generator=generator)
    rows = zip(tokens, real, strict=True)
    right = torch.cat([read(model, row[seen][None], 1)[0][:, -1] for row, seen in rows])
    found = decoder.next_mistakes(tokens, real, model)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 7


# -- what must be written by hand ------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1])),
        lambda: torch.nn.NLLLoss()(torch.ones(2, 3), torch.tensor([0, 1])),
        lambda: keep_top_k(torch.ones(2, 3), 1),
        lambda: tfcourse.tokenizers.BPETokenizer.train(["a b"], 300),
        lambda: apply_merges([1, 2], {}),
        lambda: Windows(torch.arange(9), 2)[0],
        lambda: dict(subwords.encode_mistakes("ab", [], [97, 98])),
    ],
)
def test_what_does_it_all_is_refused(use):
    try:
        call(lambda: (use(), 1)[1])
        by_hand("attention", "language models")
        with pytest.raises(Mistake, match="Take the call out"):
            call(lambda: (use(), 1)[1])
        call(lambda: torch.ones(2, 3).log_softmax(-1).topk(2).values.sort().values)
    finally:
        by_hand()
