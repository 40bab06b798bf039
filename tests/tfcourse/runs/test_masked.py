"""Masked words: what is hidden, how a model is evaluated, and that it learns from both sides."""

import pytest
import torch
from small_presets import LINES

from tfcourse import data, presets, runs
from tfcourse.data.examples import Labelled
from tfcourse.runs.masked import Hide, MaskedWord, documents, guess, running_text
from tfcourse.tokenizers import WordTokenizer

SPECIAL = ["<pad>", "[CLS]", "[SEP]", "<unk>", "[MASK]"]
NAME = "reviews-bert-cpu"


@pytest.fixture
def tokens():
    return WordTokenizer.train(LINES, special=SPECIAL)


@pytest.fixture
def both_and_left(small):
    """The two tasks that are compared, small."""
    small_left = presets.to_mapping(small(NAME))
    small_left["model"]["causal"] = True
    return runs.prepare(small(NAME)), runs.prepare(presets.from_mapping(small_left, "left"))


def test_a_batch_is_a_window_between_cls_and_sep_with_words_hidden_anew(small):
    task = runs.prepare(small(NAME))
    tokens = task.extra["tokenizer"]
    special = torch.tensor([tokens.id(name) for name in SPECIAL])
    text = running_text(tokens, LINES).tolist()
    windows = {tuple(text[i : i + 14]) for i in range(len(text) - 13)}
    seen = []
    for batch in (next(iter(task.batches)) for _ in range(2)):
        corrupted, ids, chosen = batch
        seen.append(chosen)
        assert corrupted.shape == ids.shape == chosen.shape == (8, 16)
        assert (ids[:, 0] == tokens.id("[CLS]")).all() and (ids[:, -1] == tokens.id("[SEP]")).all()
        assert {tuple(row) for row in ids[:, 1:-1].tolist()} <= windows
        assert not torch.isin(ids[chosen], special).any()
        assert torch.equal(corrupted[~chosen], ids[~chosen])
    assert not torch.equal(*seen)  # the same first batch, other words


def test_no_special_token_is_chosen_or_drawn(tokens):
    hide = Hide(tokens, share=1.0)
    assert hide.words.tolist() == list(range(5, len(tokens)))
    ids = torch.tensor([tokens.encode("the cat sat nowhere on the mat")])
    assert tokens.unknown in ids[0]
    corrupted, dressed, chosen = hide(ids, masked=0.0, random=1.0)
    assert chosen.tolist() == [[False, True, True, True, False, True, True, True, False]]
    assert dressed[0, 4] == corrupted[0, 4] == tokens.unknown
    assert (corrupted[chosen] >= 5).all()


def test_models_are_judged_on_the_same_words_all_of_them_hidden(both_and_left, small):
    other = runs.prepare(small(NAME, **{"training.seed": 5}))
    asked = []
    for task in (*both_and_left, other):
        batches = []

        def spy(model, inputs, choices, found=batches):
            found.append((inputs[0].clone(), choices["places"].clone()))

        handle = task.model.register_forward_pre_hook(spy, with_kwargs=True)
        torch.rand(3)  # what was drawn before does not matter
        task.judge(task.model)
        handle.remove()
        mask = task.extra["tokenizer"].id("[MASK]")
        assert all((read[places] == mask).all() for read, places in batches)
        asked.append(batches)
    for batches in asked[1:]:
        for one, two in zip(asked[0], batches, strict=True):
            assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))


def test_the_measures_are_those_of_a_loop_by_hand(small):
    preset = small(NAME, **{"training.masked": 0.5})
    task = runs.prepare(preset)
    found = task.judge(task.model)
    tokens = task.extra["tokenizer"]
    hide = Hide(tokens, 0.9)
    read, ids, chosen = hide.for_test(hide.windows(running_text(tokens, LINES[:9]), 16))
    logits = task.model(read).logits.detach()
    losses, right, common = [], [], []
    for row, t in chosen.nonzero().tolist():
        losses.append(-logits[row, t].log_softmax(-1)[ids[row, t]])
        right.append(logits[row, t].argmax() == ids[row, t])
        common.append(ids[row, t] == tokens.id("the"))
    assert found["n"] == len(losses) and 3 < len(losses) < 20  # 15 % of 56, whatever is trained on
    assert found["loss"] == pytest.approx(float(sum(losses)) / len(losses), abs=1e-5)
    assert found["accuracy"] == pytest.approx(float(sum(right)) / len(right))
    name = "accuracy of always the commonest word"
    assert found[name] == pytest.approx(float(sum(common)) / len(common))
    assert task.validate(task.model) == pytest.approx(found["loss"])
    loss, count = MaskedWord()(task.model, (read, ids, chosen))
    assert float(loss.detach()) == pytest.approx(found["loss"], abs=1e-5) and count == found["n"]


def test_both_sides_are_worth_more_than_one(tokens):
    """Where the word after tells what stood there and the word before does not."""
    lines = [f"x {a} {b}" for a, b in ("pq", "rs", "tu")] * 4
    text = running_text(tokens := WordTokenizer.train(lines, special=SPECIAL), lines)
    hide = Hide(tokens)
    windows = hide.windows(text, 5, 4)  # one line to a window
    _, ids, _ = hide(windows)
    chosen = torch.zeros_like(ids, dtype=torch.bool)
    chosen[:, 2] = True
    batch = ids.masked_fill(chosen, tokens.id("[MASK]")), ids, chosen
    losses = {}
    for causal in (False, True):
        from tfcourse.models.bert import BERT, BERTConfig
        from tfcourse.training import fit

        torch.manual_seed(0)
        model = BERT(BERTConfig(len(tokens), 8, 1, 2, 16, causal=causal, dropout=0.0))
        fit(model, [batch], loss=MaskedWord(), steps=100, lr=1e-2)
        losses[causal] = guess(model, [batch]).loss
    assert losses[False] < 0.1 and losses[True] > 1.0  # ln 3 = 1.10


def test_texts_are_lines_or_labelled_examples():
    lines = data.load("tiny-text", "validation")
    assert documents(lines) == LINES[:9]
    card = lines.card
    some = data.Corpus(card, "train", [Labelled("a b", 1), Labelled("  ", 0), Labelled("c", 0)], {})
    assert documents(some) == ["a b", "c"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tokenizer.special": SPECIAL[:4]}, r"tokenizer.special must have '\[MASK\]' for this"),
        ({"tokenizer.special": ["<unk>"]}, r"tokenizer.special must have '\[CLS\]' for this"),
        ({"model.predicts": ["next"]}, r"model.predicts must have 'words' .* got \['next'\]"),
        ({"training.window": 2}, "training.window must be at least 3 for masked words, got 2"),
        ({"training.window": 4000}, "ids must have at least window - 2 = 3998 tokens, got "),
        ({"data.name": "dates"}, "data.name must be a corpus of texts for masked words, got 'dat"),
    ],
)
def test_what_does_not_fit_is_refused(changes, told, small):
    with pytest.raises(ValueError, match=told):
        runs.prepare(small(NAME, **changes))


def test_a_share_of_nothing_and_no_words_to_guess_are_refused(tokens, small):
    with pytest.raises(ValueError, match=r"share must lie in \(0, 1\], got 0"):
        Hide(tokens, 0)
    task = runs.prepare(small(NAME))
    ids = torch.tensor([tokens.encode("the cat sat")])
    nothing = torch.zeros_like(ids, dtype=torch.bool)
    with pytest.raises(ValueError, match="words to guess must be at least 1, got 0"):
        guess(task.model, [(ids, ids, nothing)])
