"""Where a real corpus's files are found, how they are checked, and no unrequested downloads."""

import gzip
import hashlib
import random
from pathlib import Path
from types import SimpleNamespace

import pooch.core
import pytest
import typer
from download_server import Server
from typer.testing import CliRunner

from tfcourse import data
from tfcourse.data import commands, download, real
from tfcourse.data.download import DownloadError
from tfcourse.data.real import files
from tfcourse.data.real.files import NotHere
from tfcourse.data.real.registry import FILES, RealFile

TEXT = "".join(random.Random(0).choices("abcdefgh \n", k=20_000)).encode()
PACKED = gzip.compress(TEXT, mtime=0)


def sha256(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


PLAIN = RealFile("shakes/input.txt", len(TEXT), sha256(TEXT))
ZIPPED = RealFile("shakes/input.txt.gz", len(PACKED), sha256(PACKED), unpacked=sha256(TEXT))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder and a cache of the test's own, both empty."""
    for variable, name in (("TFCOURSE_DATA", "data"), ("TFCOURSE_CACHE", "cache")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch.core, "time", SimpleNamespace(sleep=lambda seconds: None))
    return tmp_path


@pytest.fixture
def shakespeare(monkeypatch):
    """Tiny Shakespeare, from a server on this machine, and another text."""
    with Server() as server:
        url = server.add("/input.txt", TEXT)
        file = RealFile("shakes/input.txt", len(TEXT), sha256(TEXT), (url,))
        monkeypatch.setitem(FILES, "tinyshakespeare", {"input": file})
        yield server


def place(folder, path, content):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(content)
    return folder / path


def test_the_named_folder_comes_before_the_cache(here):
    in_cache = place(here / "cache", PLAIN.path, TEXT)
    assert files.find(PLAIN) == in_cache
    in_folder = place(here / "data", PLAIN.path, TEXT)
    assert files.find(PLAIN) == in_folder and files.read(PLAIN) == TEXT


@pytest.mark.parametrize("file", [PLAIN, ZIPPED], ids=["plain", "packed"])
@pytest.mark.parametrize("content", [TEXT, PACKED, gzip.compress(TEXT, 1, mtime=5)], ids=len)
def test_packed_or_not_the_content_counts(here, file, content):
    place(here / "data", "shakes/input.txt" + (".gz" if content != TEXT else ""), content)
    assert files.read(file) == TEXT


def test_another_content_that_does_as_well(here):
    place(here / "data", PLAIN.path, b"other")
    file = RealFile(PLAIN.path, 5, PLAIN.known, also=(sha256(b"other"),))
    assert files.read(file) == b"other"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("shakes/input.txt", TEXT[:-1]),
        ("shakes/input.txt", b""),
        ("shakes/input.txt.gz", PACKED[:-1]),
        ("shakes/input.txt.gz", gzip.compress(TEXT[:-1])),
        ("shakes/input.txt.gz", gzip.compress(bytes(1_000_000))),
        ("shakes/input.txt.gz", b"no gzip file"),
    ],
)
def test_another_file_in_its_place_is_refused(here, path, content):
    placed = place(here / "data", path, content)
    with pytest.raises(ValueError, match=f"must be the file with {PLAIN.known[:6]}") as caught:
        files.read(PLAIN)
    assert str(placed) in str(caught.value) and PLAIN.known[7:] in str(caught.value)
    assert placed.read_bytes() == content, "what a person placed is not touched"


def test_an_archive_is_compared_too(here):
    file = RealFile("a.zip", 3, sha256(b"zip"))
    placed = place(here / "data", "a.zip", b"zap")
    with pytest.raises(ValueError, match=rf"a.zip must be the file with.*got {sha256(b'zap')[7:]}"):
        files.find(file)
    placed.write_bytes(b"zip")
    assert files.find(file) == placed


def test_a_folder_that_is_none(here, monkeypatch):
    monkeypatch.setenv("TFCOURSE_DATA", str(here / "none"))
    with pytest.raises(ValueError, match="TFCOURSE_DATA must name a folder that exists, got"):
        data.load("tinyshakespeare")
    monkeypatch.delenv("TFCOURSE_DATA")
    assert files.folders() == [here / "cache"]
    monkeypatch.delenv("TFCOURSE_CACHE")
    assert files.cache().name == "tfcourse"


@pytest.mark.parametrize("name", FILES)
def test_a_corpus_that_is_not_here_says_what_to_do_and_fetches_nothing(name, monkeypatch, capfd):
    def refuse(*_, **__):
        raise AssertionError("a download was begun")

    monkeypatch.setattr(download, "fetch", refuse)
    card = data.info(name)
    for split in card.splits:
        with pytest.raises(NotHere) as caught:
            data.load(name, split)
        said = str(caught.value)
        assert said.startswith(f"{name} is not here: ") and card.licence in said
        assert "TFCOURSE_DATA" in said
        assert f"`tfcourse data get {name}`" in said
    with pytest.raises(ValueError, match="accept must be True"):
        real.get(name)
    assert real.state(name) == "not here"
    assert capfd.readouterr() == ("", "")


def test_download_and_load(shakespeare, here):
    with pytest.raises(ValueError, match="accept must be True for tinyshakespeare(.|\n)*public"):
        real.get("tinyshakespeare", accept="no")
    assert not shakespeare.asked
    told = []
    paths = real.get("tinyshakespeare", accept=True, progress=lambda *now: told.append(now))
    assert paths == [here / "cache" / "shakes" / "input.txt"]
    assert told[-1] == ("shakes/input.txt", len(TEXT), len(TEXT))
    corpus = data.load("tinyshakespeare")
    assert corpus.text + data.load("tinyshakespeare", "validation").text == TEXT.decode()
    assert len(corpus.text) == int(0.9 * len(TEXT))
    assert real.get("tinyshakespeare") == paths, "what is here needs no licence accepted"
    assert len(shakespeare.asked) == 1


def test_a_download_that_was_damaged_later_is_replaced(shakespeare, here):
    placed = place(here / "cache", "shakes/input.txt", TEXT[:-1])
    with pytest.raises(ValueError, match="`tfcourse data get` replaces it"):
        data.load("tinyshakespeare")
    real.get("tinyshakespeare", accept=True)
    assert placed.read_bytes() == TEXT


def test_a_download_that_fails_says_how_to_place_the_file(shakespeare, here):
    del shakespeare.files["/input.txt"]
    with pytest.raises(DownloadError, match="By hand") as caught:
        real.get("tinyshakespeare", accept=True)
    assert str(here / "cache" / "shakes" / "input.txt") in str(caught.value)
    place(here / "cache", "shakes/input.txt", TEXT)
    assert len(data.load("tinyshakespeare"))


def test_embedded_corpora_need_nothing():
    for name in data.names():
        if data.info(name).kind == "embedded":
            assert real.get(name) == [] and real.state(name) == "embedded"
    with pytest.raises(ValueError, match="name must be one of"):
        real.get("none")


def test_the_list_of_files_is_sound():
    kinds = {name for name in data.names() if data.info(name).kind == "real"}
    assert kinds == set(FILES)
    paths = [file.path for those in FILES.values() for file in those.values()]
    assert len(paths) == len(set(paths))
    for those in FILES.values():
        for file in those.values():
            download.algorithm(file.known)
            assert file.size > 0
            for known in filter(None, (file.unpacked, *file.also)):
                assert known.startswith("sha256:") and download.algorithm(known)
            for url in file.urls:
                assert url.startswith("https://"), url
    weak = {name for name, those in FILES.items()
            for file in those.values() if not file.known.startswith("sha256:")}  # fmt: skip
    assert weak == {"wikitext-2", "imdb"}, "only where no sha256 is published"


@pytest.fixture
def run():
    app = typer.Typer()
    commands.register(app)

    def invoke(*arguments, **options):
        return CliRunner().invoke(app, ["data", *arguments], env={"COLUMNS": "200"}, **options)

    return invoke


def test_the_list_shows_every_corpus(run, here):
    place(here / "data", FILES["wordsim-353"]["pairs"].path, b"")
    said = run("list").stdout
    for name in data.names():
        row = next(line for line in said.splitlines() if line.startswith(name + " "))
        card = data.info(name)
        assert card.task in row
        expected = {"wordsim-353": "yes"}.get(name, "no")
        assert row.rstrip().endswith("yes" if card.kind == "embedded" else expected)
    assert str(here / "cache") in said.replace("\n", "")


@pytest.mark.parametrize("name", ["multi30k", "imdb", "digits"])
def test_what_is_known_of_one(run, name):
    said, card = run("info", name).stdout, data.info(name)
    for part in (card.title, card.licence, card.citation, *card.splits, *card.options):
        assert part in said
    for file in FILES.get(name, {}).values():
        assert file.path in said and file.known.replace(":", " ") in said
    wrong = run("info", "none")
    assert wrong.exit_code == 1 and "name must be one of" in wrong.output


def test_the_licence_is_shown_and_asked_for(run, shakespeare):
    refused = run("get", "tinyshakespeare", input="n\n")
    assert refused.exit_code == 1 and not shakespeare.asked
    assert "Licence: Text in the public domain" in refused.output
    silent = run("get", "tinyshakespeare", input="")
    assert silent.exit_code == 1 and not shakespeare.asked
    accepted = run("get", "tinyshakespeare", input="y\n")
    assert accepted.exit_code == 0, accepted.output
    assert Path(accepted.stdout.strip().splitlines()[-1]).read_bytes() == TEXT
    again = run("get", "tinyshakespeare")
    assert again.exit_code == 0 and "Licence" not in again.output


def test_the_licence_can_be_accepted_beforehand(run, shakespeare):
    assert run("get", "tinyshakespeare", "--yes").exit_code == 0
    assert len(shakespeare.asked) == 1
    assert "nothing to download" in run("get", "digits").output


def test_a_corpus_that_there_is_not_is_not_got(run):
    answer = run("get", "none", "--yes")
    assert answer.exit_code == 1 and "name must be one of" in answer.output
    assert "Traceback" not in answer.output
