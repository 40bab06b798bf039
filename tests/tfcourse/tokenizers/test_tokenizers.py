"""What the three tokenizers share, and what is specific to characters and words."""

import json
import pickle

import hugging_face
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers import pre_tokenizers

from tfcourse.tokenizers import BPETokenizer, CharTokenizer, Tokenizer, WordTokenizer
from tfcourse.tokenizers.base import ROLES

TEXTS = ["the cat sat on the mat .", "the dog sat .", "A naïve café\n, isn't it?"]
KINDS = {
    "characters": lambda special: CharTokenizer.train(TEXTS, special=special),
    "words": lambda special: WordTokenizer.train(TEXTS, special=special),
    "punctuation": lambda special: WordTokenizer.train(
        TEXTS, special=special, punctuation=True, lower=True
    ),
    "bytes": lambda special: BPETokenizer.train(TEXTS, 280, special=special),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_roles_are_the_ids_of_their_tokens(kind):
    tokenizer = KINDS[kind](tuple(ROLES.values()))
    assert (tokenizer.pad, tokenizer.start, tokenizer.end, tokenizer.unknown) == (0, 1, 2, 3)
    assert [tokenizer.token(i) for i in range(4)] == ["<pad>", "<s>", "</s>", "<unk>"]
    bare = KINDS[kind](())
    assert (bare.pad, bare.start, bare.end, bare.unknown) == (None,) * 4
    assert len(bare) == len(tokenizer) - (0 if kind == "bytes" else 4)


@every_kind
def test_start_and_end_are_put_where_asked(kind):
    tokenizer = KINDS[kind](tuple(ROLES.values()))
    ids = tokenizer.encode("the cat")
    assert tokenizer.encode("the cat", start=True) == [tokenizer.start, *ids]
    assert tokenizer.encode("the cat", end=True) == [*ids, tokenizer.end]
    framed = [tokenizer.pad, tokenizer.start, *ids, tokenizer.end, tokenizer.pad]
    assert tokenizer.decode(framed) == "the cat"
    assert tokenizer.decode(framed, special=True).startswith("<pad>")
    for name in ("start", "end"):
        with pytest.raises(ValueError, match=f"{name} must be False without a token <"):
            KINDS[kind](()).encode("the cat", **{name: True})


@every_kind
def test_special_names_in_a_text_are_no_special_tokens(kind):
    tokenizer = KINDS[kind](tuple(ROLES.values()))
    roles = {tokenizer.pad, tokenizer.start, tokenizer.end}
    assert not roles & set(tokenizer.encode("<s> the </s> <pad> <s></s>"))
    with_names = WordTokenizer.train(["<s> the </s> <unk>"])
    assert with_names.tokens == ("<pad>", "<s>", "</s>", "<unk>", "the")
    assert with_names.encode("<s> the <unk>") == [3, 4, 3]


@every_kind
def test_save_and_load(kind, tmp_path):
    tokenizer = KINDS[kind](tuple(ROLES.values()))
    path = tmp_path / "tokenizer.json"
    path.write_text("what was there before")
    tokenizer.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["tokenizer.json"]
    theirs = TheirTokenizer.from_file(str(path))
    for again in (Tokenizer.load(path), type(tokenizer).load(path)):
        assert type(again) is type(tokenizer)
        assert vars(again).keys() == vars(tokenizer).keys()
        assert (again.tokens, again.special) == (tokenizer.tokens, tokenizer.special)
        again.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    for text in (*TEXTS, "", "the Unseen: ÉÀ 中文\n\n  x\t ſ"):
        ids = tokenizer.encode(text)
        assert ids == again.encode(text) == theirs.encode(text).ids
        assert tokenizer.decode(ids) == theirs.decode(ids)
        assert tokenizer.decode(ids, special=True) == theirs.decode(ids, skip_special_tokens=False)
    assert pickle.loads(pickle.dumps(tokenizer)).encode("the cat") == tokenizer.encode("the cat")


@every_kind
def test_a_kind_does_not_read_anothers_file(kind, tmp_path):
    tokenizer = KINDS[kind](())
    tokenizer.save(tmp_path / "t.json")
    for other in (CharTokenizer, WordTokenizer, BPETokenizer):
        if not isinstance(tokenizer, other):
            with pytest.raises(ValueError, match=f"path must hold a {other.__name__}, got "):
                other.load(tmp_path / "t.json")


@every_kind
def test_ids_come_as_lists_tensors_or_arrays(kind):
    tokenizer = KINDS[kind](())
    ids = tokenizer.encode("the cat")
    assert tokenizer.decode(torch.tensor(ids)) == tokenizer.decode(np.array(ids)) == "the cat"
    assert tokenizer.decode(iter(ids)) == tokenizer.decode([np.int64(i) for i in ids]) == "the cat"
    assert [tokenizer.id(token) for token in tokenizer.tokenize("the cat")] == ids


@every_kind
def test_what_does_not_fit_is_refused_with_the_reason(kind):
    tokenizer = KINDS[kind](())
    last = len(tokenizer) - 1
    for ids, told in (
        ([0, last + 1], f"id must lie between 0 and {last}, got {last + 1}"),
        ([-1], f"id must lie between 0 and {last}, got -1"),
        ([0.5], "id must be a whole number, got 0.5"),
    ):
        with pytest.raises(ValueError, match=told):
            tokenizer.decode(ids)
    with pytest.raises(ValueError, match=f"token must be one of the vocabulary's {last + 1}"):
        tokenizer.id("<nowhere>")
    with pytest.raises(ValueError, match=r"text must be .* got U\+DC80 at index 2: half of a sur"):
        tokenizer.encode("ab\udc80")
    with pytest.raises(ValueError, match="text must be a str, got bytes"):
        tokenizer.encode(b"the")
    train = type(tokenizer).train
    for texts, told in (
        ("the", "texts must be several texts, got one str"),
        (["\ud800"], r"each of texts must be text that UTF-8 can hold, got U\+D800 at index 0"),
        ([b"the"], "each of texts must be a str, got bytes"),
    ):
        with pytest.raises(ValueError, match=told):
            train(texts)
    for special, told in (
        ("<s>", "special must be several names, got one str, '<s>'"),
        (("<s>", "<s>"), "special must all be different"),
        (("",), "each of special must be a name, got an empty one"),
    ):
        with pytest.raises(ValueError, match=told):
            train(TEXTS, special=special)
    least = 256 if kind == "bytes" else 0
    with pytest.raises(
        ValueError, match=f"vocab_size must be at least {least + 1}, .* got {least}"
    ):
        train(TEXTS, least, special=("<s>",))


@pytest.mark.parametrize("kind", ["characters", "words"])
def test_an_unknown_piece_is_unknown_or_refused(kind):
    tokenizer = KINDS[kind](("<unk>",))
    assert tokenizer.encode("Z")[-1] == tokenizer.unknown
    assert tokenizer.decode(tokenizer.encode("Z"), special=True) == "<unk>"
    with pytest.raises(ValueError, match="got 'Z', and there is no <unk> to replace it"):
        KINDS[kind](()).encode("Z")


def test_characters_are_numbered_by_code_point():
    """As in nanoGPT's preparation of Shakespeare: sorted(list(set(data)))."""
    tokenizer = CharTokenizer.train(["hello", "a\n"], special=())
    assert tokenizer.tokens == ("\n", "a", "e", "h", "l", "o")
    assert tokenizer.encode("hello") == [3, 2, 4, 4, 5]


def test_the_most_frequent_pieces_are_kept():
    characters = CharTokenizer.train(["aabbbc"], 3, special=("<unk>",))
    assert characters.tokens == ("<unk>", "a", "b")
    assert CharTokenizer.train(["abab c"], special=(), at_least=2).tokens == ("a", "b")
    words = WordTokenizer.train(["b a c a b d"], 4, special=("<unk>", "<s>"))
    assert words.tokens == ("<unk>", "<s>", "a", "b")
    assert WordTokenizer.train(["b a c a b b"], special=(), at_least=2).tokens == ("b", "a")
    with pytest.raises(ValueError, match="at_least must be at least 1, got 0"):
        WordTokenizer.train(["a"], at_least=0)


@pytest.mark.parametrize(("punctuation", "split"), [
    (False, pre_tokenizers.WhitespaceSplit), (True, pre_tokenizers.Whitespace),
])  # fmt: skip
@pytest.mark.parametrize("at_least", [1, 3])
def test_words_same_ids_as_hugging_face(course, punctuation, split, at_least):
    texts = [path.read_text() for path in sorted((course / "tfcourse").glob("*.py"))]
    special = ("<pad>", "<unk>")
    ours = WordTokenizer.train(
        texts, 800, special=special, at_least=at_least, punctuation=punctuation
    )
    theirs = hugging_face.train_words(texts, 800, special, split, at_least)
    assert theirs.get_vocab() == {token: i for i, token in enumerate(ours.tokens)}
    for text in texts:
        if not any(name in text for name in special):
            assert ours.encode(text) == theirs.encode(text).ids


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_characters_come_back(text):
    tokenizer = CharTokenizer.train([text])
    assert tokenizer.decode(tokenizer.encode(text, start=True, end=True)) == text


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_words_come_back_with_one_space_between(text):
    tokenizer = WordTokenizer.train([text], special=())
    back = tokenizer.decode(tokenizer.encode(text))
    assert tokenizer.encode(back) == tokenizer.encode(text)
    assert "".join(back.split(" ")) == "".join(tokenizer.tokenize(text))


def test_words_by_hand():
    text = "Isn't it, Anna-Lena?"
    assert WordTokenizer.train([text], special=()).tokenize(text) == ["Isn't", "it,", "Anna-Lena?"]
    apart = WordTokenizer.train([text], special=(), punctuation=True, lower=True)
    assert apart.tokenize(text) == ["isn", "'", "t", "it", ",", "anna", "-", "lena", "?"]
    assert apart.decode(apart.encode(text)) == "isn ' t it , anna - lena ?"


def changed(path, **parts):
    """The file at ``path`` with some of its parts replaced."""
    whole = json.loads(path.read_text())
    for name, part in parts.items():
        whole[name] = whole[name] | part if isinstance(part, dict) and whole[name] else part
    path.write_text(json.dumps(whole))
    return path


@pytest.mark.parametrize(("parts", "told"), [
    ({"truncation": {"max_length": 5}}, "truncation must be absent"),
    ({"post_processor": {"type": "TemplateProcessing"}},
     "type of post_processor must be None or 'ByteLevel', got 'Tem"),
    ({"normalizer": {"type": "NFC"}}, "type of normalizer must be None, got 'NFC'"),
    ({"pre_tokenizer": {"add_prefix_space": True}},
     "add_prefix_space of pre_tokenizer must be False, got True"),
    ({"pre_tokenizer": {"use_regex": False}},
     "use_regex of pre_tokenizer must be None or True, got False"),
    ({"pre_tokenizer": {"type": "Metaspace"}}, "must hold a Tokenizer, got BPE after Metaspace"),
    ({"pre_tokenizer": "ByteLevel"}, "pre_tokenizer must be an object, got 'ByteLevel'"),
    ({"model": {"type": "Unigram"}}, "must hold a Tokenizer, got Unigram after ByteLevel"),
    ({"model": {"ignore_merges": True}}, "ignore_merges of model must be None or False, got True"),
    ({"model": {"vocab": {"a": 0, "b": 2}}}, "ids must be 0, 1, 2 ... without a gap"),
    ({"model": {"vocab": {"a": 3, "b": 4}}}, "tokens must have all bytes and merges"),
    ({"model": {"merges": [["q", "Ġzz"]]}}, "all bytes and merges, 'Ġzz' is missing"),
    ({"added_tokens": [{"id": 300, "content": "New York", "special": False}]},
     "special must be True in every added token, got .*'New York'"),
    ({"added_tokens": ["<s>"]}, "every added token must have an id and a content, got '<s>'"),
    ({"decoder": {"type": "WordPiece"}}, "type of decoder must be None or 'ByteLevel', got 'Word"),
])  # fmt: skip
def test_a_file_that_asks_for_more_is_refused_with_the_reason(parts, told, tmp_path):
    KINDS["bytes"](("<pad>", "<s>", "</s>")).save(tmp_path / "t.json")
    with pytest.raises(ValueError, match=told):
        Tokenizer.load(changed(tmp_path / "t.json", **parts))


@every_kind
@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word"])
def test_added_tokens_that_take_white_space_or_stand_alone_are_refused(kind, flag, tmp_path):
    KINDS[kind](("<pad>", "<s>", "</s>")).save(path := tmp_path / "t.json")
    added = json.loads(path.read_text())["added_tokens"]
    added[1][flag] = True
    with pytest.raises(ValueError, match=f"{flag} must be False in every added token, got .*<s>"):
        Tokenizer.load(changed(path, added_tokens=added))


def test_special_tokens_that_are_found_in_lower_case_are_refused(tmp_path):
    tokenizer = WordTokenizer.train(["a b"], special=("<S>",), lower=True)
    tokenizer.save(path := tmp_path / "t.json")
    added = [json.loads(path.read_text())["added_tokens"][0] | {"normalized": True}]
    with pytest.raises(ValueError, match="normalized must be False in every added token"):
        Tokenizer.load(changed(path, added_tokens=added))


@pytest.mark.parametrize("kind", ["characters", "words"])
@pytest.mark.parametrize(("parts", "told"), [
    ({"model": {"unk_token": "b"}}, "unk_token of model must be '<unk>', got 'b'"),
    ({"decoder": {"type": "WordPiece"}}, "type of decoder must be .*, got 'WordPiece'"),
])  # fmt: skip
def test_unknown_pieces_and_decoders_of_another_kind_are_refused(kind, parts, told, tmp_path):
    KINDS[kind](()).save(tmp_path / "t.json")
    with pytest.raises(ValueError, match=told):
        Tokenizer.load(changed(tmp_path / "t.json", **parts))


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path):
    path = tmp_path / "t.json"
    for content, told in ((b"\xff", "path must hold JSON"), (b"{", "path must hold JSON"),
                          (b"[]", "got no model"), (b"{}", "got no model")):  # fmt: skip
        path.write_bytes(content)
        with pytest.raises(ValueError, match=told):
            Tokenizer.load(path)
    with pytest.raises(FileNotFoundError):
        Tokenizer.load(tmp_path / "none.json")


def test_a_failed_save_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    KINDS["words"](()).save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        KINDS["characters"](()).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]


def test_tokens_that_contradict_are_refused():
    with pytest.raises(ValueError, match="tokens must all be different, got 'a' twice"):
        WordTokenizer(["a", "b", "a"])
    with pytest.raises(ValueError, match="special must be among the tokens, got '<s>'"):
        WordTokenizer(["a"], ["<s>"])
    with pytest.raises(ValueError, match="tokens must have one character each.* got 'ab'"):
        CharTokenizer(["ab"])
    with pytest.raises(ValueError, match="special ones more than one, got '#'"):
        CharTokenizer.train(["ab"], special=("#",))
    with pytest.raises(ValueError, match="tokens must be written in visible bytes, got '中'"):
        BPETokenizer([*KINDS["bytes"](()).tokens, "中"], [])
