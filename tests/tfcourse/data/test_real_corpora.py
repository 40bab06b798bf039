"""The real files, if available: the published number of examples, and known ones."""

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from tfcourse import data
from tfcourse.data.real.registry import FILES


@pytest.fixture(scope="module")
def folder(course):
    """`TFCOURSE_DATA`, else the folder beside the project."""
    found = Path(os.environ.get("TFCOURSE_DATA") or course.parent / "shared" / "data")
    if not found.is_dir():
        pytest.skip("needs real files: set TFCOURSE_DATA to a folder that has them")
    return found


@pytest.fixture
def load(folder, monkeypatch):
    """`data.load`; a corpus that the folder does not have skips its test."""
    monkeypatch.setenv("TFCOURSE_DATA", str(folder))

    def loaded(*arguments, **options):
        try:
            return data.load(*arguments, **options)
        except FileNotFoundError as error:
            pytest.skip(str(error).splitlines()[0])

    return loaded


@pytest.mark.parametrize("name", FILES)
def test_as_many_as_the_card_says(load, name):
    card = data.info(name)
    for split, count in card.splits.items():
        if count is not None:
            assert len(load(name, split)) == count


def test_tinyshakespeare(load):
    train, validation = (load("tinyshakespeare", split) for split in ("train", "validation"))
    whole = train.text + validation.text
    assert len(whole) == 1_115_394 and len(set(whole)) == 65
    assert len(train.text) == 1_003_854 and len(validation.text) == 111_540
    assert whole.startswith("First Citizen:\nBefore we proceed any further, hear me speak.")


def test_wikitext2(load):
    words = {}
    for split, count in (("train", 2_051_910), ("validation", 213_886), ("test", 241_211)):
        words[split] = load("wikitext-2", split).text.split()
        assert len(words[split]) == count
    assert len(set(words["train"])) == 33_277
    assert set(words["validation"]) <= set(words["train"])


def test_multi30k_in_each_pair_of_languages(load):
    for split, count in data.info("multi30k").splits.items():
        for source, target in (("de", "en"), ("en", "de"), ("en", "fr"), ("fr", "de")):
            pairs = load("multi30k", split, source=source, target=target)
            assert len(pairs) == count
            assert all(pair.source.strip() and pair.target.strip() for pair in pairs)
    assert load("multi30k")[0] == data.Pair(
        "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
        "Two young, White males are outside near many bushes.",
    )


def test_multi30k_tokenised(load):
    pairs = load("multi30k", form="tokenised")
    assert len(pairs) == 29_000
    assert sum(len(pair.source.split()) for pair in pairs) == 360_706
    assert sum(len(pair.target.split()) for pair in pairs) == 377_534
    assert pairs[0].target == "two young , white males are outside near many bushes ."


@pytest.mark.parametrize(
    ("name", "split", "options", "counts"),
    [
        ("sentence-polarity", "all", {}, (5_331, 5_331)),
        ("sentence-polarity", "test", {"fold": 0}, (534, 534)),
        ("sentence-polarity", "test", {"fold": 9}, (533, 533)),
        ("movie-reviews", "test", {"fold": 5}, (100, 100)),
        ("imdb", "train", {"part": "tenth"}, (1_250, 1_250)),
        ("imdb", "test", {"part": "tenth"}, (1_250, 1_250)),
        ("imdb", "train", {}, (12_500, 12_500)),
        ("sst-2", "train", {}, (3_310, 3_610)),
        ("sst-2", "validation", {}, (428, 444)),
        ("sst-2", "test", {}, (912, 909)),
        ("sst-2", "train", {"phrases": True}, (29_780, 37_569)),
    ],
    ids=str,
)
def test_opinions(load, name, split, options, counts):
    corpus = load(name, split, **options)
    assert Counter(example.label for example in corpus) == dict(enumerate(counts))
    assert all(example.text.strip() == example.text for example in corpus if name != "imdb")
    assert not any("\r" in example.text for example in corpus)


def test_texts_are_decoded_rightly(load):
    snippets = [example.text for example in load("sentence-polarity", "all")]
    assert any("el ladrón de orquídeas" in text for text in snippets)
    assert not any("Ã" in text or "\ufffd" in text for text in snippets)


def test_linzen(load):
    corpus = load("linzen", "test")
    assert len(corpus) == 7_489 - 4 - 4
    assert all(one.words[one.verb] == one.right != one.wrong for one in corpus)
    assert {one.attractors for one in corpus} == {0, 1, 2, 3, 4}
    assert not any("<eos>" in one.words for one in corpus)
    by_number = Counter(one.attractors for one in corpus)
    for number, all_rows in enumerate((1_972, 1_957, 1_943, 1_287, 330)):
        assert 0 <= all_rows - by_number[number] <= 8


def test_words(load):
    assert load("wordsim-353", "test")[0] == data.Similarity("love", "sex", 6.77)
    assert load("simlex-999", "test")[0] == data.Similarity("old", "new", 1.58)
    for name in ("wordsim-353", "simlex-999"):
        assert all(0 <= pair.score <= 10 for pair in load(name, "test"))


def test_mnist(load):
    """The mean and deviation of the training pixels that everybody normalises by."""
    train, test = (load("mnist", split).tensors() for split in ("train", "test"))
    pixels = train[0].double() / 255
    assert round(pixels.mean().item(), 4) == 0.1307
    assert round(pixels.std(correction=0).item(), 4) == 0.3081
    expected = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert train[1].bincount().tolist() == expected
    expected = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert test[1].bincount().tolist() == expected
    assert train[1][:5].tolist() == [5, 0, 4, 1, 9]


def test_the_hashes_are_those_that_came_with_the_files(folder):
    """The folder's own list, where it has one, says of each file what this course says."""
    listing = folder / "MANIFEST.tsv"
    if not listing.is_file():
        pytest.skip("the folder has no list of its files")
    with listing.open(newline="") as text:
        rows = csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
        listed = {row["path"]: row for row in rows}
    compared = 0
    for those in FILES.values():
        for file in those.values():
            row = listed.get(file.path) or listed.get(file.path + ".gz")
            if row:
                hashes = {"sha256:" + row[key] for key in row if key.startswith("sha256")}
                assert {file.known, file.unpacked, *file.also} & hashes
                if row["url"]:
                    assert file.urls[0] == row["url"]
                    assert file.known == "sha256:" + row["sha256_at_url"]
                compared += 1
    assert compared >= 40
