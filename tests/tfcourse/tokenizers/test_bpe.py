"""Byte-pair encoding, compared with Hugging Face's."""

import gzip
import time

import hugging_face
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as TheirTokenizer

from tfcourse.tokenizers import BPETokenizer, Tokenizer, apply_merges, learn_merges

SPECIAL = ("<pad>", "<s>", "</s>")

#: Signs that Unicode has had for long: newer ones are letters for one library, but not yet for
#: the other.
SCRIPTS = st.sampled_from(
    "abcXYZ  \n\t\r\u00a0\u2003'’s.,!?-_<>|&019²½Ⅷéßñ§¿Ωωςбдж"
    "中文字語日本語한국어עבריתعربيहिन्दी🙂👩‍🔬é\x00\x1c\x85\u200d"
)


@pytest.fixture(scope="session")
def wikitext(shared):
    """The first megabyte of WikiText-2, cut where a line ends."""
    path = shared / "data" / "wikitext2" / "wiki.train.tokens.gz"
    if not path.is_file():
        pytest.skip("needs WikiText-2, which is not here")
    with gzip.open(path) as file:
        return file.read(2**20).rpartition(b"\n")[0].decode()


@pytest.fixture(scope="session")
def sources(course):
    """Text that is always here: the package's own."""
    return [path.read_text() for path in sorted((course / "tfcourse").glob("*.py"))]


@pytest.mark.thorough("comparison of long texts")
@pytest.mark.parametrize("vocabulary", [1000, 8000])
def test_wikitext_same_merges_and_ids_as_hugging_face(wikitext, vocabulary):
    lines = wikitext.splitlines(keepends=True)
    ours = BPETokenizer.train(lines, vocabulary)
    theirs = hugging_face.train_bpe(lines, vocabulary, SPECIAL)
    assert len(ours) == vocabulary
    hugging_face.assert_same_bpe(ours, theirs)
    assert ours.encode(wikitext) == theirs.encode(wikitext).ids


def test_own_sources_same_merges_and_ids_as_hugging_face(sources, tmp_path):
    ours = BPETokenizer.train(sources, 1000)
    theirs = hugging_face.train_bpe(sources, 1000, SPECIAL)
    assert len(ours) == 1000
    hugging_face.assert_same_bpe(ours, theirs)
    ours.save(tmp_path / "ours.json")
    theirs.save(str(tmp_path / "theirs.json"))
    read_by_them = TheirTokenizer.from_file(str(tmp_path / "ours.json"))
    read_by_us = Tokenizer.load(tmp_path / "theirs.json")
    read_by_them.encode_special_tokens = True  # our sources name <s>, which stands for no start
    for text in sources:
        ids = ours.encode(text)
        assert ids == read_by_them.encode(text).ids == read_by_us.encode(text)
        assert ours.decode(ids) == read_by_them.decode(ids) == text


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text("ab c", max_size=40), max_size=6), st.integers(256, 275),
       st.text("abc ", max_size=60))  # fmt: skip
def test_few_letters_same_as_hugging_face(texts, vocabulary, other):
    """Ties at every step, and pairs that overlap themselves."""
    ours = BPETokenizer.train(texts, vocabulary, special=())
    theirs = hugging_face.train_bpe(texts, vocabulary, ())
    hugging_face.assert_same_bpe(ours, theirs)
    for text in (*texts, other):
        assert ours.encode(text) == theirs.encode(text).ids


@settings(max_examples=100, deadline=None)
@given(st.text(SCRIPTS, max_size=40))
def test_words_are_cut_as_hugging_face_does(text):
    ours = BPETokenizer.train([text, "the end of it\n\n the"], 270)
    theirs = hugging_face.train_bpe([text, "the end of it\n\n the"], 270, SPECIAL)
    hugging_face.assert_same_bpe(ours, theirs)
    theirs.encode_special_tokens = True
    ids = ours.encode(text)
    assert ids == theirs.encode(text).ids
    # Any ids at all, of cut characters too.
    assert ours.decode(ids[1::2]) == theirs.decode(ids[1::2])


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_any_text_comes_back(text):
    tokenizer = BPETokenizer.train(["low lower lowest", "naïve ☃ ☃ ☃"], 280)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.decode(tokenizer.encode(text, start=True, end=True)) == text


def test_merges_by_hand():
    """Sennrich et al.'s words: after "es", "est" and "lo" the counts are 6, 9, 7 and so on."""
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    letters = sorted(set("".join(words)))
    spelt = {tuple(letters.index(c) for c in word): n for word, n in words.items()}
    tokens, merges = learn_merges(spelt, letters, len(letters) + 5)
    # e s: 9. Then es t: 9. Then l o: 7, lo w: 7. Then n e, e w, w est ... : 6, e w by its ids.
    assert tokens[len(letters) :] == ["es", "est", "lo", "low", "ew"]
    assert [(tokens[a], tokens[b]) for a, b in merges] == [
        ("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w"), ("e", "w"),
    ]  # fmt: skip


def test_the_earliest_merge_goes_first_and_of_equals_the_leftmost():
    a, b, aa, ab = range(4)
    merges = {(a, b): (0, ab), (a, a): (1, aa)}
    assert apply_merges([a, a, b], merges) == [a, ab]
    assert apply_merges([a, a, a], merges) == [aa, a]
    assert apply_merges([b], merges) == [b]
    assert apply_merges([], merges) == []


def test_the_vocabulary_ends_where_every_word_is_one_token():
    tokenizer = BPETokenizer.train(["abc abc"], 1000)
    assert 3 + 256 < len(tokenizer) < 1000
    assert tokenizer.tokenize("abc abc") == ["abc", "Ġabc"]
    assert len(BPETokenizer.train([], 300)) == 3 + 256


def test_names_of_special_tokens_in_a_text_are_text():
    tokenizer = BPETokenizer.train(["<s> </s> <pad>"] * 9, 300)
    ids = tokenizer.encode("<s></s><pad>")
    assert not {tokenizer.start, tokenizer.end, tokenizer.pad} & set(ids)
    assert tokenizer.decode(ids) == "<s></s><pad>"
    assert tokenizer.unknown is None


@pytest.mark.parametrize("name", ["the", "!", "...", "'s", "Ġ<", "é", "123"])
def test_a_special_name_that_bytes_may_be_joined_to_is_refused(name):
    with pytest.raises(ValueError, match="special must be names that bytes are never joined to"):
        BPETokenizer.train(["the"], 300, special=(name,))


def test_special_names_that_no_bytes_spell_are_taken():
    tokenizer = BPETokenizer.train(["the"], 300, special=("<｜end｜>", "two words", "[CLS]"))
    assert tokenizer.decode([0, 2, *tokenizer.encode("é")], special=True) == "<｜end｜>[CLS]é"


def test_gpt2s_form_of_file_is_read(tmp_path):
    """Special tokens last, merges as strings, no type named: as in files of 2019."""
    ours = BPETokenizer.train(["to be or not to be"] * 3, 265, special=())
    tokens = (*ours.tokens, "<|endoftext|>")
    moved = BPETokenizer(tokens, ours.merges, ("<|endoftext|>",))
    moved.save(tmp_path / "moved.json")
    text = (tmp_path / "moved.json").read_text()
    assert '"type": "BPE",\n' in text
    (tmp_path / "moved.json").write_text(text.replace('"type": "BPE",\n', ""))
    read = Tokenizer.load(tmp_path / "moved.json")
    assert read.tokens == tokens
    assert read.special == ("<|endoftext|>",)
    assert read.encode("to be") == ours.encode("to be")


def test_a_thousand_tokens_of_tinyshakespeare_take_seconds(shared):
    path = shared / "data" / "tinyshakespeare" / "input.txt.gz"
    if not path.is_file():
        pytest.skip("needs tinyshakespeare, which is not here")
    text = gzip.decompress(path.read_bytes()).decode()
    start = time.process_time()
    tokenizer = BPETokenizer.train([text], 1000)
    ids = tokenizer.encode(text)
    assert time.process_time() - start < 10
    assert len(tokenizer) == 1000
    assert len(ids) < len(text) / 2
    assert tokenizer.decode(ids) == text


def test_a_long_word_costs_little():
    """100,000 letters without a space: the square of that would be minutes."""
    tokenizer = BPETokenizer.train(["abab abab baba"] * 3, 270)
    word = "ab" * 50_000
    start = time.process_time()
    ids = tokenizer.encode(word)
    assert time.process_time() - start < 10
    assert len(ids) < 50_001
    assert tokenizer.decode(ids) == word
