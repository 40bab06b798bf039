"""Running text: tinyshakespeare and WikiText-2."""

from __future__ import annotations

from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.real.cards import hashes, size_bytes
from tfcourse.data.real.files import need, read
from tfcourse.data.real.registry import FILES


def tinyshakespeare(split: str) -> list[str]:
    """The lines of the first nine tenths of the characters, or of the last."""
    file = FILES["tinyshakespeare"]["input"]
    need("tinyshakespeare", [file])
    text = read(file).decode("ascii")
    border = int(0.9 * len(text))
    return (text[:border] if split == "train" else text[border:]).split("\n")


def wikitext2(split: str) -> list[str]:
    """The lines of a split; each, the empty ones too, begins and ends in a space."""
    file = FILES["wikitext-2"][split]
    need("wikitext-2", [file])
    return read(file).decode("utf-8").removesuffix("\n").split("\n")


register(
    Loader(
        Card(
            name="tinyshakespeare",
            title="Tiny Shakespeare",
            what=(
                "A line of Shakespeare's plays. Train is the first nine tenths of the characters, "
                "validation the rest, as in nanoGPT; the text of the two, put together, is the file"
            ),
            kind="real",
            task="language modelling",
            splits={"train": 35_526, "validation": 4_476},
            size_bytes=size_bytes("tinyshakespeare"),
            licence="Text in the public domain; the collection comes with char-rnn, MIT",
            licence_url="https://github.com/karpathy/char-rnn",
            citation="Karpathy (2015), char-rnn",
            homepage="https://github.com/karpathy/char-rnn",
            sha256=hashes("tinyshakespeare"),
        ),
        tinyshakespeare,
    )
)

register(
    Loader(
        Card(
            name="wikitext-2",
            title="WikiText-2",
            what=(
                "A line of a Wikipedia article, a heading or a paragraph, in words split by spaces "
                "with rare ones as <unk>. A copy in TFCOURSE_DATA may have the training articles "
                "in another order"
            ),
            kind="real",
            task="language modelling",
            splits={"train": 36_718, "validation": 3_760, "test": 4_358},
            size_bytes=size_bytes("wikitext-2"),
            licence="CC BY-SA 3.0 and GFDL",
            licence_url="https://creativecommons.org/licenses/by-sa/3.0/",
            citation="Merity, Xiong, Bradbury and Socher (2017), Pointer Sentinel Mixture Models",
            homepage="https://github.com/pytorch/examples/tree/main/word_language_model",
            sha256=hashes("wikitext-2"),
        ),
        wikitext2,
    )
)
