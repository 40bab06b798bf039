"""BERT's tokenizer against Hugging Face's, on vocabularies of our own."""

import json

import pytest
import tokenizers as hf
from hypothesis import example, given
from hypothesis import strategies as st

from tfcourse.tokenizers import Tokenizer, WordPieceTokenizer

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WHOLE = "the note mel guitar didn ' t [ ] mask . , é ete σας 東 京 ! $ `"
PARTS = "##an ##cho ##lic ##s ##ete ##σας ##t ##mel"
LETTERS = "abcdeghilmnorstuσ"
EVERY = (*SPECIAL, *WHOLE.split(), *PARTS.split(), *LETTERS, *(f"##{c}" for c in LETTERS))
TOKENS = tuple(dict.fromkeys(EVERY))
PIECES = [*"aeéÉtS!$` .,'\n\t", "ΣΑΣ", "Σ", "東京", "melancholic", "The NOTE", "[MASK]", "[", "]",
          "\x00", "\u200b", "\ufffd", "\u0301", "\u00a0", "\u2028", "\x0b", "\x85", "zzz",
          "mel" * 40]  # fmt: skip


def saved(folder, **options):
    ours = WordPieceTokenizer(TOKENS, SPECIAL, **options)
    ours.save(folder / "t.json")
    return ours, hf.Tokenizer.from_file(str(folder / "t.json"))


@pytest.mark.parametrize("lower", [True, False])
def test_the_ids_are_hugging_faces(lower, tmp_path):
    ours, theirs = saved(tmp_path, lower=lower)

    @given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
    @example("The melancholic note didn't ete\u0301s ΣΑΣ")
    @example("".join(PIECES))
    def same(text):
        # Theirs looks for special tokens in every text; ours only if asked.
        assert ours.encode(text, special=True) == theirs.encode(text).ids, text
        assert "[MASK]" not in [ours.token(i) for i in ours.encode(text)]

    same()


def test_a_word_in_pieces_and_back(tmp_path):
    ours, theirs = saved(tmp_path)
    spelt = ours.tokenize("The MELANCHOLIC note")
    assert " ".join(spelt) == "the mel ##an ##cho ##lic note"
    ids = ours.encode("the melancholic notes", start=True, end=True)
    assert [ours.token(ids[0]), ours.token(ids[-1])] == ["[CLS]", "[SEP]"]
    assert ours.decode(ids) == "the melancholic notes" == theirs.decode(ids)
    assert ours.encode("zoo") == [ours.unknown]
    with pytest.raises(ValueError, match="text must consist of words .* got 'zoo'"):
        WordPieceTokenizer(TOKENS[1:]).encode("zoo")
    with pytest.raises(ValueError, match=r"start must be False without a token \[CLS\]"):
        WordPieceTokenizer(TOKENS).encode("a", start=True)


@given(st.lists(st.sampled_from(PIECES), max_size=10), st.booleans())
def test_parts_cut_anywhere_give_the_ids_of_the_whole(parts, special):
    ours = WordPieceTokenizer(TOKENS, SPECIAL)
    whole = ours.encode("".join(parts), special=special)
    assert list(ours.encode_iterable(parts, special=special)) == whole


def test_a_published_file_is_read_though_it_pads_and_cuts(tmp_path):
    """How long a batch becomes is for whoever makes it: the ids of a text are the same."""
    ours, _ = saved(tmp_path)
    path = tmp_path / "t.json"
    whole = json.loads(path.read_text())
    whole["truncation"] = {"max_length": 4, "strategy": "LongestFirst", "stride": 0}
    whole["padding"] = {"strategy": {"Fixed": 8}, "pad_id": 0}
    whole["post_processor"] = {"type": "TemplateProcessing"}
    path.write_text(json.dumps(whole))
    read = Tokenizer.load(path)
    assert isinstance(read, WordPieceTokenizer)
    assert read.encode("the guitar notes " * 9) == ours.encode("the guitar notes " * 9)
    assert (read.tokens, read.special, read.lower) == (ours.tokens, ours.special, True)


@pytest.mark.parametrize(("part", "change", "told"), [
    ("normalizer", {"strip_accents": False}, "strip_accents of normalizer must be None or True"),
    ("model", {"unk_token": "?"}, r"unk_token of model must be '\[UNK\]', got '\?'"),
    ("model", {"continuing_subword_prefix": "@"}, "continuing_subword_prefix of model must be"),
    ("model", {"max_input_chars_per_word": 0}, "max_input_chars_per_word must be"),
    ("decoder", {"type": "Fuse"}, "type of decoder must be None or 'WordPiece', got 'Fuse'"),
    ("pre_tokenizer", {"type": "Whitespace"}, "must hold a Tokenizer, got WordPiece after White"),
])  # fmt: skip
def test_a_file_that_asks_for_more_is_refused_with_the_reason(part, change, told, tmp_path):
    saved(tmp_path)
    path = tmp_path / "t.json"
    whole = json.loads(path.read_text())
    whole[part] |= change
    path.write_text(json.dumps(whole))
    with pytest.raises(ValueError, match=told):
        Tokenizer.load(path)


def test_it_cannot_be_trained_and_says_what_can():
    with pytest.raises(NotImplementedError, match=r"use BPETokenizer\.train"):
        WordPieceTokenizer.train(["a"])
