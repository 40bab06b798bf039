"""A file is downloaded whole and right, or not at all, whatever the server does."""

import hashlib
import random
import re
import subprocess
import sys
import threading

import pytest
import requests
from download_server import Server

from tfcourse.data import download
from tfcourse.data.download import ChecksumError, DownloadError, fetch

CONTENT = random.Random(0).randbytes(300_000)
KNOWN = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    with Server() as running:
        yield running


@pytest.fixture
def get(tmp_path):
    """Download into a folder of the test's own, without pauses."""

    def run(*urls, **options):
        options = {"known": KNOWN, "size": len(CONTENT), "pause": 0.0, "timeout": 5.0} | options
        return fetch(urls, tmp_path / "folder" / "file.bin", **options)

    return run


def left(tmp_path):
    """What lies in the folder, the lock aside."""
    found = (tmp_path / "folder").glob("*")
    return sorted(path.name for path in found if path.suffix != ".lock")


def test_a_file_is_downloaded_once(server, get, tmp_path):
    url = server.add("/file", CONTENT)
    told = []
    path = get(url, progress=lambda done, size: told.append((done, size)))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert get(url) == path and len(server.asked) == 1
    assert left(tmp_path) == ["file.bin"]


@pytest.mark.parametrize(
    ("plan", "requests"),
    [
        ([("cut", 100_000)], 2),
        ([("cut", 50_000)] * 5, 6),
        (["unsized"], 2),
        ([("status", 503), ("status", 500), ("status", 429)], 4),
        ([("cut", 100_000), ("status", 503), ("cut", 1)], 4),
        ([("cut", 100_000), "whole"], 2),
        ([("cut", 100_000), "askew"], 3),
        ([("to", "/file")], 2),
        (["shorter"], 2),
    ],
    ids=str,
)
def test_what_passes_is_tried_again(server, get, plan, requests, tmp_path):
    assert get(server.add("/file", CONTENT, *plan)).read_bytes() == CONTENT
    assert len(server.asked) == requests
    assert left(tmp_path) == ["file.bin"]


def test_a_cut_off_download_goes_on_where_it_stopped(server, get):
    get(server.add("/file", CONTENT, ("cut", 100_000), ("cut", 70_000)))
    assert server.ranges == [None, "bytes=100000-", "bytes=170000-"]


def test_a_server_that_never_comes_back_is_left(server, get, tmp_path):
    url = server.add("/file", CONTENT, ("cut", 100_000), *[("status", 503)] * 10)
    with pytest.raises(DownloadError, match="503 Service Unavailable") as caught:
        get(url)
    assert len(server.asked) == 5
    assert left(tmp_path) == ["file.bin.part"]
    for needed in (url, str(tmp_path / "folder" / "file.bin"), KNOWN[7:], "By hand"):
        assert needed in str(caught.value)
    server.plans["/file"] = []
    get(url)
    assert server.ranges[-1] == "bytes=100000-"


@pytest.mark.parametrize("status", [404, 403, 410])
def test_what_does_not_pass_is_not_tried_again(server, get, status, tmp_path):
    with pytest.raises(DownloadError, match=f"the server says {status}"):
        get(server.add("/file", CONTENT, ("status", status)))
    assert len(server.asked) == 1 and left(tmp_path) == []


def test_a_file_that_is_shorter_there_than_it_should_be(server, get, tmp_path):
    with pytest.raises(DownloadError, match="fewer bytes|ended after 299,000"):
        get(server.add("/file", CONTENT, *["shorter"] * 20))
    assert len(server.asked) < 20
    assert "file.bin" not in left(tmp_path)


def test_the_next_address_is_tried(server, get):
    gone = server.url("/gone")
    wrong = server.add("/wrong", CONTENT, *["other"] * 3)
    assert get(gone, wrong, server.add("/file", CONTENT)).read_bytes() == CONTENT
    assert [path for path, _ in server.asked] == ["/gone", "/wrong", "/file"]


def test_other_bytes_never_get_the_name(server, get, tmp_path):
    with pytest.raises(ChecksumError) as caught:
        get(server.add("/file", CONTENT, "other"))
    got = hashlib.sha256(bytes(len(CONTENT))).hexdigest()
    assert f"expected {KNOWN.replace(':', ' ')}, got {got}" in str(caught.value)
    assert left(tmp_path) == []


def test_more_bytes_than_the_file_has_are_not_read(server, get, tmp_path):
    with pytest.raises(ChecksumError, match="more than the 300,000 bytes"):
        get(server.add("/file", CONTENT, "longer"))
    assert left(tmp_path) == []


def test_what_was_joined_of_two_versions_is_fetched_anew(server, get):
    """The file changed on the server between the two halves."""
    url = server.add("/file", bytes(len(CONTENT)), ("cut", 100_000), ("status", 404))
    with pytest.raises(DownloadError):
        get(url)
    server.files["/file"] = CONTENT
    assert get(url).read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-", "bytes=100000-", None]


@pytest.mark.parametrize("there", [0, 1, len(CONTENT), len(CONTENT) + 1])
def test_whatever_an_earlier_process_left(server, get, tmp_path, there):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.bin.part").write_bytes((CONTENT + b"more")[:there])
    assert get(server.add("/file", CONTENT)).read_bytes() == CONTENT
    assert len(server.asked) == (0 if there == len(CONTENT) else 1)


def test_a_damaged_file_under_the_name_is_replaced(server, get, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.bin").write_bytes(CONTENT[:-1])
    assert get(server.add("/file", CONTENT)).read_bytes() == CONTENT


def test_a_server_that_hangs_is_left(server, get, tmp_path):
    with pytest.raises(DownloadError, match="no answer in time"):
        get(server.add("/file", CONTENT, "hang", "hang"), timeout=0.2, attempts=2)
    assert left(tmp_path) == []


def test_redirects_without_end(server, get):
    with pytest.raises(DownloadError, match="redirects"):
        get(server.add("/file", CONTENT, *[("to", "/file")] * 50))


def test_without_a_network(get, tmp_path):
    with pytest.raises(DownloadError, match=r"is there a network(.|\n)*By hand") as caught:
        get("http://nowhere.invalid/file", attempts=1)
    caught.match(re.escape(str(tmp_path / "folder" / "file.bin")))
    with Server() as server:
        url = server.url("/file")
    with pytest.raises(DownloadError, match="connection failed"):
        get(url, attempts=1)


def test_pauses_double(get, monkeypatch):
    slept = []
    monkeypatch.setattr(download.time, "sleep", slept.append)
    with Server() as gone:
        url = gone.url("/file")
    slept.clear()
    with pytest.raises(DownloadError):
        get(url, pause=1.0)
    assert slept == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("known", ["", "sha256:abc", "crc32:00000000", KNOWN.upper(), KNOWN[7:]])
def test_a_hash_that_is_none_is_refused(get, known):
    with pytest.raises(ValueError, match="known must be a hash"):
        get("http://127.0.0.1/", known=known)


def test_addresses_are_a_list(tmp_path):
    for urls in ("http://127.0.0.1/", []):
        with pytest.raises(ValueError, match="urls must be a list of at least one"):
            fetch(urls, tmp_path / "file", known=KNOWN, size=1)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(DownloadError, match="folder.* cannot be written"):
        fetch(["http://127.0.0.1/"], tmp_path / "folder" / "file", known=KNOWN, size=1)


def test_a_file_that_cannot_fit_is_not_begun(server, get, monkeypatch, tmp_path):
    usage = type("Usage", (), {"free": len(CONTENT) - 1})
    monkeypatch.setattr(download.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(DownloadError, match="the disk is full"):
        get(server.add("/file", CONTENT))
    assert server.asked == [] and left(tmp_path) == []


def test_two_at_once_download_once(server, get):
    url = server.add("/file", CONTENT, ("slow", 0.005))
    found = []
    threads = [threading.Thread(target=lambda: found.append(get(url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(server.asked) == 1


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
