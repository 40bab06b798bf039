"""A file is downloaded completely and correctly, or not at all, whatever the server does."""

import errno
import hashlib
import random
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pooch.core
import pytest
import requests
from download_server import Server

from tfcourse.data.download import DownloadError, fetch

CONTENT = random.Random(0).randbytes(300_000)
KNOWN = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def no_proxy_and_no_pauses(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch.core, "time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def server():
    with Server() as running:
        yield running


@pytest.fixture
def get(tmp_path):
    """Download into a folder of the test's own."""

    def run(*urls, **options):
        options = {"known": KNOWN, "size": len(CONTENT), "timeout": 5.0} | options
        return fetch(urls, tmp_path / "folder" / "file.bin", **options)

    return run


def left(tmp_path):
    return sorted(path.name for path in (tmp_path / "folder").glob("*"))


def test_a_file_is_downloaded_once(server, get, tmp_path):
    url = server.add("/file", CONTENT)
    told = []
    path = get(url, progress=lambda done, size: told.append((done, size)))
    assert path.read_bytes() == CONTENT
    assert path.stat().st_mode & 0o444 == 0o444, "a shared folder's other users can read it"
    assert told[-1] == (len(CONTENT), len(CONTENT)) and told == sorted(told)
    assert get(url) == path and len(server.asked) == 1
    assert left(tmp_path) == ["file.bin"]


@pytest.mark.parametrize(
    ("plan", "requests"),
    [
        ([("cut", 100_000)], 2),
        ([("status", 503), ("status", 500), ("status", 429)], 4),
        ([("cut", 100_000), ("status", 503), "other"], 4),
        ([("to", "/file")], 2),
    ],
    ids=str,
)
def test_what_may_pass_is_tried_again(server, get, plan, requests, tmp_path):
    assert get(server.add("/file", CONTENT, *plan)).read_bytes() == CONTENT
    assert len(server.asked) == requests
    assert left(tmp_path) == ["file.bin"]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (("status", 404), "404"),
        (("cut", 100_000), "broken|100000 bytes|IncompleteRead"),
        (("stall", 100_000), "timed out"),
        ("other", f"expected {KNOWN} but got {hashlib.sha256(bytes(300_000)).hexdigest()}"),
    ],
    ids=str,
)
def test_what_does_not_pass_leaves_nothing_and_says_what_to_do(server, get, tmp_path, step, told):
    url = server.add("/file", CONTENT, *[step] * 4)
    with pytest.raises(DownloadError, match=told) as caught:
        get(url, timeout=0.3)
    assert len(server.asked) == 4 and left(tmp_path) == []
    for needed in (url, str(tmp_path / "folder" / "file.bin"), KNOWN[7:], "By hand"):
        assert needed in str(caught.value)
    assert get(url).read_bytes() == CONTENT


def test_the_next_address_is_tried(server, get):
    gone = server.url("/gone")
    wrong = server.add("/wrong", CONTENT, *["other"] * 3)
    assert get(gone, wrong, server.add("/file", CONTENT), retries=1).read_bytes() == CONTENT
    assert server.asked == ["/gone"] * 2 + ["/wrong"] * 2 + ["/file"]


def test_a_damaged_file_under_the_name_is_replaced(server, get, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.bin").write_bytes(CONTENT[:-1])
    assert get(server.add("/file", CONTENT)).read_bytes() == CONTENT


def test_without_a_network(get, tmp_path):
    with pytest.raises(DownloadError, match=r"nowhere.invalid(.|\n)*By hand") as caught:
        get("http://nowhere.invalid/file", retries=0)
    caught.match(re.escape(str(tmp_path / "folder" / "file.bin")))


@pytest.mark.parametrize("known", ["", "sha256:abc", "crc32:00000000", KNOWN.upper(), KNOWN[7:]])
def test_a_hash_that_is_none_is_refused(get, known):
    with pytest.raises(ValueError, match="known must be a hash"):
        get("http://127.0.0.1/", known=known)


@pytest.mark.parametrize("name", ["md5", "sha1"])
def test_a_weaker_hash_if_no_better_one_is_published(server, get, name):
    known = f"{name}:{hashlib.new(name, CONTENT).hexdigest()}"
    assert get(server.add("/file", CONTENT), known=known).read_bytes() == CONTENT


def test_addresses_are_a_list(tmp_path):
    for urls in ("http://127.0.0.1/", []):
        with pytest.raises(ValueError, match="urls must be a list of at least one"):
            fetch(urls, tmp_path / "file", known=KNOWN, size=1)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(DownloadError, match="By hand"):
        fetch(["http://127.0.0.1/"], tmp_path / "folder" / "file", known=KNOWN, size=1)


def test_a_full_disk(server, get, monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", full)
    with pytest.raises(DownloadError, match="the disk is full.* needs 300,000 bytes"):
        get(server.add("/file", CONTENT))
    assert left(tmp_path) == []


def test_a_killed_download_has_not_got_the_name(server, get, tmp_path):
    url, path = server.add("/file", CONTENT, ("stall", 200_000)), tmp_path / "folder" / "file.bin"
    code = (
        "import pathlib, sys; from tfcourse.data.download import fetch;"
        f"fetch([{url!r}], pathlib.Path({str(path)!r}), known={KNOWN!r}, size={len(CONTENT)})"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while not any(file.stat().st_size for file in path.parent.glob("*")):
            time.sleep(0.01)
        process.kill()
    assert not path.exists()
    assert get(url).read_bytes() == CONTENT


def test_nothing_is_said(server, get, capfd):
    get(server.add("/file", CONTENT, ("cut", 10)))
    assert capfd.readouterr() == ("", "")


def test_bytes_are_asked_for_as_they_lie(server, get, monkeypatch):
    """Unpacked on the way, a .gz file would not have its hash."""
    asked = []
    plain = requests.get

    def noted(url, **options):
        asked.append(options["headers"]["Accept-Encoding"])
        return plain(url, **options)

    monkeypatch.setattr(requests, "get", noted)
    get(server.add("/file", CONTENT))
    assert asked == ["identity"]


def test_importing_the_corpora_loads_neither_network_nor_torch():
    code = (
        "import sys, tfcourse.data, tfcourse.data.download;"
        "print([name for name in ('torch', 'requests', 'pooch') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
