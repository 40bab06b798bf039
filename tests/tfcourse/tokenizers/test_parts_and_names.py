"""Texts in parts, names of special tokens in a text, and GPT-2's two files."""

import json
import random

import pytest
import tokenizers as hf
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcourse.tokenizers import BPETokenizer, CharTokenizer, WordTokenizer

SPECIAL = ("<s>", "<s>x", "</s>", "<|end|>", "<|end|><|end|>")
TEXTS = [
    "we're they'll it's don't   I'd  \n\n x'r  a  b\tc, 12 3ab!? <s> </s>\n" * 3,
    "été 東京 👍🏽 ",
]
BPE = BPETokenizer.train(TEXTS, 330, special=SPECIAL)
KINDS = {
    "bpe": BPE,
    "characters": CharTokenizer.train([*TEXTS, "|endsx<>/"], special=("<unk>", *SPECIAL)),
    "words": WordTokenizer.train(TEXTS, special=("<unk>", *SPECIAL)),
    "punctuation": WordTokenizer.train(TEXTS, special=("<unk>", *SPECIAL), punctuation=True),
}
PIECES = [*"abrevl'sx< >/|!1", " ", "  ", "\n", "\n\n", "'r", "'re", "e", "<s>", "<s", "</s>",
          "<|end|>", "<|end", "|>", "été", "東", "👍🏽"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("special", [False, True])
@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=14), data=st.data())
def test_parts_cut_anywhere_give_the_ids_of_the_whole(kind, special, pieces, data):
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    parts = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    tokenizer = KINDS[kind]
    whole = tokenizer.encode(text, special=special)
    assert list(tokenizer.encode_iterable(parts, special=special)) == whole


def test_a_long_text_is_given_out_as_it_comes():
    seen = []

    def lines():
        for n in range(200):
            seen.append(n)
            yield f"line {n} of the file\n\n"

    ids = BPE.encode_iterable(lines())
    for _ in range(20):
        next(ids)
    assert len(seen) < 10  # not the whole file


def test_one_text_is_not_parts_of_one():
    with pytest.raises(ValueError, match="texts must be parts of a text, got one str"):
        next(BPE.encode_iterable("abc"))


@pytest.mark.parametrize("kind", ["bpe", "words"])
def test_special_names_as_hugging_face_finds_them(kind, tmp_path):
    ours = KINDS[kind]
    ours.save(tmp_path / "tokenizer.json")
    theirs = hf.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    draw = random.Random(0)
    for _ in range(500):
        text = "".join(draw.choices(PIECES, k=draw.randrange(12)))
        assert ours.encode(text, special=True) == theirs.encode(text).ids, text
    assert ours.encode("<s>", special=True) == [ours.id("<s>")]
    assert ours.encode("<s>") != [ours.id("<s>")]


def two_files(folder, tokenizer=BPE):
    vocab = {token: i for i, token in enumerate(tokenizer.tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in tokenizer.merges), ""]
    (folder / "merges.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder / "vocab.json", folder / "merges.txt"


def test_two_files_as_hugging_face_reads_them(tmp_path):
    ours = BPETokenizer.from_vocab_and_merges(*two_files(tmp_path))
    assert (ours.tokens, ours.merges) == (BPE.tokens, BPE.merges)
    assert set(ours.special) == set(SPECIAL)
    theirs = hf.Tokenizer(hf.models.BPE.from_file(*map(str, two_files(tmp_path))))
    theirs.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    draw = random.Random(1)
    for _ in range(300):
        text = "".join(draw.choices(PIECES, k=draw.randrange(12)))
        assert ours.encode(text) == theirs.encode(text).ids, text


def test_files_that_do_not_fit_are_refused(tmp_path):
    vocab, merges = two_files(tmp_path)
    lines = merges.read_text(encoding="utf-8")
    merges.write_text(lines + "a b c\n", encoding="utf-8")
    with pytest.raises(ValueError, match="merges must hold pairs, got 'a b c'"):
        BPETokenizer.from_vocab_and_merges(vocab, merges)
    merges.write_text(lines + "q q\n", encoding="utf-8")
    with pytest.raises(ValueError, match="'qq' is missing"):
        BPETokenizer.from_vocab_and_merges(vocab, merges)
    vocab.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(ValueError, match="vocab must hold tokens with ids 0, 1, 2"):
        BPETokenizer.from_vocab_and_merges(vocab, merges)
    vocab.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="vocab must hold JSON"):
        BPETokenizer.from_vocab_and_merges(vocab, merges)
