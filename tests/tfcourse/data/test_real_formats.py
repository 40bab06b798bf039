"""The formats of real corpora, as each loader reads them, on small files made here."""

import gzip
import hashlib
import io
import struct
import tarfile
import zipfile
from dataclasses import replace

import pytest
import torch

from tfcourse import data
from tfcourse.data import Agreement, Labelled, Pair, Similarity
from tfcourse.data.real.files import lines
from tfcourse.data.real.images import cifar_records, idx
from tfcourse.data.real.registry import FILES


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Put a file of a corpus there, with the hash that it has."""
    monkeypatch.setenv("TFCOURSE_DATA", str(tmp_path))

    def put(name, key, content):
        file = FILES[name][key]
        known = "sha256:" + hashlib.sha256(content).hexdigest()
        changed = replace(file, known=known, size=len(content), unpacked="", also=())
        monkeypatch.setitem(FILES, name, FILES[name] | {key: changed})
        (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.path).write_bytes(content)

    return put


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def test_lines_end_at_line_ends_only():
    text = "a\u2028b\r\nc\x85d\x0c\ne\n"
    assert lines(text.encode()) == ["a\u2028b", "c\x85d\x0c", "e"]
    assert lines("é\r\n".encode("latin-1"), "latin-1") == ["é"]


def test_wikitext_keeps_its_spaces_and_empty_lines(place):
    place("wikitext-2", "test", b" \n = A = \n \n b <unk> \n")
    corpus = data.load("wikitext-2", "test")
    assert list(corpus) == [" ", " = A = ", " ", " b <unk> "]
    assert corpus.text.split() == ["=", "A", "=", "b", "<unk>"]


def test_translation_and_its_options(place):
    place("multi30k", "raw test2016 de", gzip.compress("Ein Hund.\n Zwei Männer .\n".encode()))
    place("multi30k", "raw test2016 en", gzip.compress(b"A dog.\nTwo men.\n"))
    place("multi30k", "tokenised test2016 de", b"ein hund .\nzwei m .\n")
    place("multi30k", "tokenised test2016 en", b"a dog .\ntwo men .\n")
    assert list(data.load("multi30k", "test2016")) == [
        Pair("Ein Hund.", "A dog."), Pair(" Zwei Männer .", "Two men.")
    ]  # fmt: skip
    turned = data.load("multi30k", "test2016", source="en", target="de", form="tokenised")
    assert turned[0] == Pair("a dog .", "ein hund .")
    for options, said in (
        ({"source": "cs"}, r"source must be one of \['de', 'en', 'fr'\], got 'cs'"),
        ({"form": "bpe"}, r"form must be one of \['raw', 'tokenised'\], got 'bpe'"),
        ({"source": "en"}, "target must differ from source, got 'en' for both"),
        ({"form": "tokenised", "target": "fr"}, "form='tokenised' must be used with one of"),
    ):
        with pytest.raises(ValueError, match=said):
            data.load("multi30k", "test2016", **options)
    with pytest.raises(ValueError, match="got 'test2017 de'"):
        data.load("multi30k", "test2017", form="tokenised")
    place("multi30k", "raw test2016 en", gzip.compress(b"A dog.\n"))
    with pytest.raises(ValueError, match="zip"):
        data.load("multi30k", "test2016")


def test_folds_part_the_snippets(place):
    numbers = range(25)
    place("sentence-polarity", "archive", zipped({
        "sentence_polarity/rt-polarity.neg": "".join(f"bad {i} \n" for i in numbers),
        "sentence_polarity/rt-polarity.pos": "".join(f"good {i} \n" for i in numbers),
    }))  # fmt: skip
    every = list(data.load("sentence-polarity", "all"))
    assert every[:2] == [Labelled("bad 0", 0), Labelled("good 0", 1)] and len(every) == 50
    tests = [list(data.load("sentence-polarity", "test", fold=fold)) for fold in range(10)]
    assert sorted(sum(tests, [])) == sorted(every)
    assert tests[4] == [Labelled(f"{word} {i}", label) for i in (4, 14, 24)
                        for label, word in enumerate(("bad", "good"))]  # fmt: skip
    for fold, test in enumerate(tests):
        train = list(data.load("sentence-polarity", "train", fold=fold))
        assert sorted(train + test) == sorted(every) and not set(train) & set(test)
    for fold in (10, -1, True, 1.0):
        with pytest.raises(ValueError, match="fold must be a whole number, from 0 to 9"):
            data.load("sentence-polarity", fold=fold)


def test_reviews_keep_their_authors_folds(place):
    members = {
        f"movie_reviews/{end}/cv{i:03}_{9999 - i}.txt": f"{end} {i} . \nsecond \n"
        for end in ("pos", "neg")
        for i in reversed(range(1000))
    }
    place("movie-reviews", "archive", zipped(members | {"movie_reviews/README": "no review"}))
    test = data.load("movie-reviews", "test", fold=3)
    assert len(test) == 200 and test[0].sentences == ("neg 300 .", "second")
    assert test[1] == Labelled("pos 300 .\nsecond", 1)
    assert len(data.load("movie-reviews", fold=3)) == 1800


def test_imdb_reviews_by_number(place):
    members = {f"aclImdb/train/{end}/{i}_{i % 4}.txt": f"{end} {i}é".encode()
               for end in ("pos", "neg") for i in (10, 9, 0)}  # fmt: skip
    others = {"aclImdb/train/unsup/0_0.txt": b"no", "aclImdb/test/pos/0_9.txt": b"no",
              "aclImdb/train/pos/README": b"no"}  # fmt: skip
    place("imdb", "tenth", tarred(members | others))
    corpus = data.load("imdb", part="tenth")
    assert [text for text, _ in corpus] == ["neg 0é", "pos 0é", "neg 9é", "pos 9é", "neg 10é",
                                           "pos 10é"]  # fmt: skip
    assert [label for _, label in corpus] == [0, 1] * 3 and corpus.labels[1] == "positive"
    with pytest.raises(FileNotFoundError, match="aclImdb_v1.tar.gz"):
        data.load("imdb")
    with pytest.raises(ValueError, match="part must be one of"):
        data.load("imdb", part="half")


def test_sst_sentences_and_phrases(place):
    place("sst-2", "train", b"1 a fine film .\n0 no 2 ways\n")
    place("sst-2", "phrases", b"label\tsentence\r\n1\tfine \r\n0\tno film\r\n")
    assert list(data.load("sst-2")) == [Labelled("a fine film .", 1), Labelled("no 2 ways", 0)]
    found = data.load("sst-2", phrases=True)
    assert list(found) == [Labelled("fine", 1), Labelled("no film", 0)]


def test_linzen_leaves_out_what_does_not_line_up(place):
    place(
        "linzen", "text", b"the dogs bark <eos>\nthe dog runs <eos>\nshort <eos>\nit lies <eos>\n"
    )
    place(
        "linzen", "gold", b"2\tbark\tbarks\t0\n1\truns\trun\t0\n7\tis\tare\t2\n1\tlies\tlies\t0\n"
    )
    corpus = data.load("linzen", "test")
    assert list(corpus) == [
        Agreement(("the", "dogs", "bark"), 2, "bark", "barks", 0, None, None, "Wikipedia")
    ]


def test_words(place):
    place("wordsim-353", "pairs", b"# note\n# Word 1\tWord 2\tHuman\nlove\tsex\t6.77\n")
    assert list(data.load("wordsim-353", "test")) == [Similarity("love", "sex", 6.77)]
    table = "word1\tword2\tPOS\tSimLex999\tconc\r\nold\tnew\tA\t1.58\t2.72\r\n"
    place("simlex-999", "archive", zipped({"SimLex-999/SimLex-999.txt": table}))
    assert list(data.load("simlex-999", "test")) == [Similarity("old", "new", 1.58)]


def test_the_format_of_mnist(place):
    pixels = bytes(range(2 * 3 * 4))
    images = b"\0\0\x08\x03" + struct.pack(">3I", 2, 3, 4) + pixels
    place("mnist", "test images", gzip.compress(images))
    place("mnist", "test labels", gzip.compress(b"\0\0\x08\x01" + struct.pack(">I", 2) + b"\7\1"))
    x, y = data.load("mnist", "test").tensors()
    assert x.shape == (2, 1, 3, 4) and x.dtype == torch.uint8 and x.flatten().tolist() == [*pixels]
    assert y.tolist() == [7, 1] and y.dtype == torch.int64
    with pytest.raises(ValueError, match="must hold 24 numbers for its shape .*holds 23"):
        idx(images[:-1])
    for wrong in (b"", b"\0\0\x08", b"\0\0\x0d\x01", b"\1\0\x08\x01", images[:10]):
        with pytest.raises(ValueError, match="must be an idx array of uint8"):
            idx(wrong)


def test_the_format_of_cifar(place):
    def record(label, red):
        return bytes([label]) + bytes([red]) * 1024 + bytes([2]) * 1024 + bytes([3]) * 1024

    names = [f"data_batch_{i}" for i in (3, 1, 2, 5, 4)] + ["test_batch"]
    place("cifar-10", "archive", tarred({
        f"cifar-10-batches-bin/{name}.bin": record(i, 10 * i) for i, name in enumerate(names)
    } | {"cifar-10-batches-bin/readme.html": b"no"}))  # fmt: skip
    x, y = data.load("cifar-10").tensors()
    assert x.shape == (5, 3, 32, 32) and y.tolist() == [1, 2, 0, 4, 3]
    assert x[:, 0, 0, 0].tolist() == [10, 20, 0, 40, 30] and (x[:, 2] == 3).all()
    test = data.load("cifar-10", "test")
    assert len(test) == 1 and test[0].label == 5 and test.labels[5] == "dog"
    with pytest.raises(ValueError, match="records of 3073 bytes, got 100 bytes"):
        cifar_records(bytes(100))
    with pytest.raises(ValueError, match="labels up to 9, got 10"):
        cifar_records(record(10, 0))
