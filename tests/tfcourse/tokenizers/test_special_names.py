"""The names of special tokens in a text."""

import random

import pytest
import tokenizers as hf

from tfcourse.tokenizers import BPETokenizer, WordTokenizer

SPECIAL = ("<s>", "<s>x", "</s>", "<|end|>", "<|end|><|end|>")
TEXTS = [
    "we're they'll it's don't   I'd  \n\n x'r  a  b\tc, 12 3ab!? <s> </s>\n" * 3,
    "été 東京 👍🏽 ",
]
BPE = BPETokenizer.train(TEXTS, 330, special=SPECIAL)
KINDS = {
    "bpe": BPE,
    "words": WordTokenizer.train(TEXTS, special=("<unk>", *SPECIAL)),
}
PIECES = [*"abrevl'sx< >/|!1", " ", "  ", "\n", "\n\n", "'r", "'re", "e", "<s>", "<s", "</s>",
          "<|end|>", "<|end", "|>", "été", "東", "👍🏽"]  # fmt: skip


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
