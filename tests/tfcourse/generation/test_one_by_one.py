"""Greedy and sampled text, against loops that reread everything and do not batch."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from writers import END, MODELS, V, ask, make, next_log_p, translates

from tfcourse.generation import Generated, greedy, keep_top_k, keep_top_p, sample
from tfcourse.models.bert import BERT, BERTConfig

names = st.sampled_from(list(MODELS))
N = 7


def by_hand(model, asked, new_tokens, end):
    """Greedy search of one row, all of it read anew for each token."""
    text, score, begin = asked["prompt"], 0.0, asked["prompt"].shape[1]
    for _ in range(new_tokens):
        log_p = next_log_p(model, asked, text)[0]
        token = int(log_p.argmax())
        score += float(log_p[token])
        text = torch.cat([text, torch.tensor([[token]])], dim=1)
        if token == end:
            break
    return text[0, begin:].tolist(), score


def row(asked, b, length=None):
    """One row of a question as a question of its own, without padding."""
    alone = {"prompt": asked["prompt"][b : b + 1, :length]}
    if "source" in asked:
        stop = int(asked["source_lengths"][b])
        alone["source"] = asked["source"][b : b + 1, :stop]
        alone["source_lengths"] = asked["source_lengths"][b : b + 1]
    return alone


@settings(max_examples=40, deadline=None)
@given(name=names, seed=st.integers(0, 50), ends=st.booleans(), cached=st.booleans())
def test_greedy_equals_each_row_written_alone(name, seed, ends, cached):
    model, asked = make(name, seed).eval(), ask(name, seed=seed)
    end = END if ends else None
    got = greedy(model, **asked, max_new_tokens=N, eos_id=end, cached=cached)
    assert got.tokens.shape == (3, int(got.lengths.max()))
    for b in range(3):
        tokens, score = by_hand(model, row(asked, b), N, end)
        assert got.tokens[b, : got.lengths[b]].tolist() == tokens
        assert bool(got.ended[b]) == (tokens[-1] == end)
        assert (got.tokens[b, got.lengths[b] :] == END).all()
        torch.testing.assert_close(float(got.scores[b]), score, rtol=0, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(name=names, seed=st.integers(0, 50), ends=st.booleans(), beyond=st.just("refuse"))
def test_prompts_of_several_lengths_equal_each_alone(name, seed, ends, beyond):
    model, asked = make(name, seed).eval(), ask(name, T=4, seed=seed)
    lengths, end = torch.tensor([2, 4, 1]), END if ends else None
    got = greedy(
        model, **asked, max_new_tokens=N, eos_id=end, prompt_lengths=lengths, beyond=beyond
    )
    for b in range(3):
        tokens, score = by_hand(model, row(asked, b, int(lengths[b])), N, end)
        assert got.tokens[b, : got.lengths[b]].tolist() == tokens
        torch.testing.assert_close(float(got.scores[b]), score, rtol=0, atol=1e-9)
        assert bool(got.ended[b]) == (tokens[-1] == end)


@pytest.mark.parametrize("name", MODELS)
def test_cached_equals_uncached_in_float32(name):
    """The text is the same and so are its scores; with room for twice the rounding that is seen."""
    model, asked = make(name, dtype=torch.float32), ask(name, B=4, S=6)
    ways = [
        sample(model, **asked, max_new_tokens=N, cached=cached, generator=generator)
        for cached, generator in ((c, torch.Generator().manual_seed(1)) for c in (True, False))
    ]
    assert torch.equal(ways[0].tokens, ways[1].tokens)
    torch.testing.assert_close(ways[0].scores, ways[1].scores, rtol=0, atol=1e-5)


def test_draws_follow_the_probabilities():
    """20,000 draws of one token against the model's own softmax, within four standard errors."""
    model = make("gpt learned").eval()
    n, prompt = 20_000, torch.tensor([[3, 1]])
    logits = model(prompt).logits[0, -1]
    for choices, expected in (
        ({}, logits),
        ({"temperature": 0.5}, logits / 0.5),
        ({"top_k": 3, "temperature": 2.0}, keep_top_k(logits / 2.0, 3)),
        ({"top_p": 0.7}, keep_top_p(logits, 0.7)),
        ({"top_k": 4, "top_p": 0.8}, keep_top_p(keep_top_k(logits, 4), 0.8)),
    ):
        p = expected.softmax(-1)
        generator = torch.Generator().manual_seed(0)
        drawn = sample(model, prompt.expand(n, 2), max_new_tokens=1, generator=generator, **choices)
        share = drawn.tokens[:, 0].bincount(minlength=V) / n
        assert ((share - p).abs() <= 4 * (p * (1 - p) / n).sqrt()).all(), choices
        own = logits.log_softmax(-1)[drawn.tokens[:, 0]]
        torch.testing.assert_close(drawn.scores, own, rtol=0, atol=1e-9)


def test_one_generator_gives_one_text_and_one_token_is_greedy():
    model, asked = make("gpt learned"), ask("gpt learned")
    one, again, other = (
        sample(model, **asked, max_new_tokens=12, generator=torch.Generator().manual_seed(s)).tokens
        for s in (0, 0, 1)
    )
    assert torch.equal(one, again) and not torch.equal(one, other)
    likeliest = greedy(model, **asked, max_new_tokens=12, eos_id=END)
    for choices in ({"top_k": 1}, {"top_p": 1e-9}):
        got = sample(model, **asked, max_new_tokens=12, eos_id=END, **choices)
        assert torch.equal(got.tokens, likeliest.tokens) and torch.equal(got.ended, likeliest.ended)


@pytest.mark.parametrize("name", ["transformer pre learned", "seq2seq additive", "lm lstm"])
def test_dropout_is_off_and_every_part_is_left_in_its_mode(name):
    model, asked = make(name), ask(name)
    next(iter(model.children())).eval()  # a part that somebody has frozen
    modes = [part.training for part in model.modules()]
    first = greedy(model, **asked, max_new_tokens=N)
    assert torch.equal(first.scores, greedy(model, **asked, max_new_tokens=N).scores)
    assert [part.training for part in model.modules()] == modes
    assert torch.equal(first.scores, greedy(model.eval(), **asked, max_new_tokens=N).scores)
    assert not first.scores.requires_grad


@pytest.mark.parametrize("name", MODELS)
def test_a_wrapped_model_writes_the_same(name):
    model = make(name)
    choices = {"max_new_tokens": 4, **ask(name)}
    assert torch.equal(greedy(torch.compile(model), **choices).tokens,
                       greedy(model, **choices).tokens)  # fmt: skip


def test_one_id_stands_for_a_prompt_of_each_source():
    name = "seq2seq additive"
    model, asked = make(name), ask(name)
    asked["prompt"] = torch.full((3, 1), 4)
    expected = greedy(model, **asked, max_new_tokens=N, eos_id=END)
    got = greedy(model, **asked | {"prompt": 4}, max_new_tokens=N, eos_id=END)
    assert torch.equal(got.tokens, expected.tokens)
    assert greedy(make("gpt learned"), 4, max_new_tokens=3).tokens.shape == (1, 3)


def test_rows_leave_the_end_out():
    got = Generated(torch.tensor([[5, 2, 2], [5, 3, 4]]), torch.tensor([2, 3]),
                    torch.zeros(2), torch.tensor([True, False]))  # fmt: skip
    assert got.rows() == [[5], [5, 3, 4]]


class Counting:
    """A decoder that is no module of ours: it always counts on."""

    def read(self, tokens):
        return torch.nn.functional.one_hot((tokens[:, -1] + 1) % V, V).double() * 9

    def reorder(self, rows):
        pass


def test_anything_that_reads_and_reorders_can_write():
    got = greedy(Counting(), torch.tensor([[3], [7]]), max_new_tokens=4)
    assert got.tokens.tolist() == [[4, 5, 6, 7], [8, 0, 1, 2]]


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("lm gru", {"max_new_tokens": 0}, "max_new_tokens must be at least 1, got 0"),
        ("lm gru", {"prompt": torch.zeros(2, 0).long()}, r"prompt must be ids .*got \(2, 0\)"),
        ("lm gru", {"prompt": torch.zeros(2).long()}, r"prompt must be ids .*got \(2,\)"),
        ("lm gru", {"eos_id": V}, "eos_id must lie between 0 and 8, got 9"),
        ("lm gru", {"temperature": 0.0}, "temperature must be above 0, got 0.0"),
        ("lm gru", {"top_k": 0}, "top_k must be at least 1, got 0"),
        ("lm gru", {"top_p": 1.5}, r"top_p must lie in \(0, 1\], got 1.5"),
        ("lm gru", {"beyond": "stop"}, r"beyond must be one of \['refuse', .*got 'stop'"),
        ("lm gru", {"beyond": "slide"}, 'beyond must not be "slide" for a RecurrentLM'),
        ("lm gru", {"source": torch.zeros(3, 2).long()}, "source must be None for a RecurrentLM"),
        ("lm gru", {"prompt_lengths": torch.tensor([1])}, r"must have shape \(3,\), got \(1,\)"),
        ("lm gru", {"prompt_lengths": torch.tensor([1, 2, 3])}, "between 1 and T=2, got"),
        ("seq2seq dot", {"source": None}, "source must be given for a Seq2Seq, got None"),
        ("seq2seq dot", {"prompt": torch.zeros(2, 1).long()}, "a row for each source, 3, got 2"),
    ],
)
def test_what_does_not_fit_is_refused(name, change, told, unchecked):
    plain = unchecked("tfcourse.generation.one_by_one").sample
    with pytest.raises(ValueError, match=told):
        plain(make(name), **{**ask(name), "max_new_tokens": 3, **change})


def test_a_model_that_does_not_write_is_refused():
    with pytest.raises(ValueError, match="model must be a GPT, .*got BERT"):
        greedy(
            BERT(BERTConfig(9, num_layers=1, num_heads=1, d_model=4, context_length=4)),
            1,
            max_new_tokens=1,
        )


@pytest.mark.parametrize("name", [n for n in MODELS if not n.startswith(("lm", "seq2seq"))])
def test_it_never_goes_past_the_positions_without_saying_so(name):
    model, asked = make(name), ask(name)
    assert greedy(model, **asked, max_new_tokens=15).tokens.shape == (3, 15)  # 2 + 15 - 1 are read
    with pytest.raises(ValueError, match="stay within the model's 16 positions.*got 17 tokens"):
        greedy(model, **asked, max_new_tokens=16)
    if "learned" in name:
        with pytest.raises(ValueError, match="which it has learned"):
            greedy(model, **asked, max_new_tokens=16, beyond="go_on")
    else:
        for cached in (True, False):
            got = greedy(model, **asked, max_new_tokens=20, beyond="go_on", cached=cached)
            assert got.tokens.shape == (3, 20)
        tokens, _ = by_hand(model.eval(), row(asked, 0), 20, None)
        assert got.tokens[0].tolist() == tokens


@pytest.mark.thorough("comparison of long texts")
@pytest.mark.parametrize("name", [n for n in MODELS if n.startswith(("gpt", "llama"))])
@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("T", [1, 13, 16, 21])
def test_sliding_reads_the_newer_half_anew(name, cached, T):
    model, asked = make(name).eval(), ask(name, T=T)
    got = greedy(model, **asked, max_new_tokens=30, beyond="slide", cached=cached)
    seen, text = asked["prompt"][:, -16:], []
    for _ in range(30):
        token = next_log_p(model, asked, seen).argmax(-1, keepdim=True)
        text.append(token)
        seen = torch.cat([seen, token], dim=1)
        if seen.shape[1] > 16:
            seen = seen[:, -8:]
    assert torch.equal(got.tokens, torch.cat(text, dim=1))


def test_translators_are_named_as_such():
    assert {name for name in MODELS if translates(name)} == {
        name for name in MODELS if "source" in ask(name)
    }
