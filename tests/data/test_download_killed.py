"""Killed at any moment, side by side, on a full disk: the file is never wrong under its name."""

import hashlib
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from download_server import Server

CONTENT = random.Random(1).randbytes(1_500_000)
KNOWN = "sha256:" + hashlib.sha256(CONTENT).hexdigest()

CODE = """
import os, pathlib, sys
from tfcourse.data import download
url, into, known, size, checks = sys.argv[1:]
if checks == "unforeseen":
    download._room = lambda folder, needed: None
print("begun", flush=True)
try:
    download.fetch([url], pathlib.Path(into), known=known, size=int(size), pause=0.0)
except download.DownloadError as error:
    print(error, sorted(os.listdir(pathlib.Path(into).parent)), flush=True)
else:
    print("done", flush=True)
"""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        yield running


def start(url, path, checks="all", prefix=()):
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", CODE, url, str(path), KNOWN, str(len(CONTENT)), checks],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


@pytest.mark.thorough("test of kills")
def test_twenty_kills(server, tmp_path):
    """Ten on a slow line, so that most fall within the transfer; ten at full speed, so that they
    fall before it, in the check, in the renaming, and after it."""
    url, path = server.add("/file", CONTENT), tmp_path / "file.bin"
    moments = random.Random(0)
    killed = 0
    for attempt in range(20):
        slow = attempt < 10
        server.plans["/file"] = [("slow", 0.002)] if slow else []
        process = start(url, path)
        process.stdout.readline()
        time.sleep(moments.uniform(0.1, 0.4) if slow else moments.uniform(0.0, 0.25))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        if path.exists():
            assert path.read_bytes() == CONTENT
            path.unlink()
    assert killed >= 10
    assert any(server.ranges), "no kill fell within the transfer"
    server.plans["/file"] = []
    assert "done" in finish(start(url, path))
    assert path.read_bytes() == CONTENT
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file.bin", "file.bin.lock"]


def test_two_processes_download_once(server, tmp_path):
    url, path = server.add("/file", CONTENT, ("slow", 0.001)), tmp_path / "file.bin"
    both = [start(url, path) for _ in range(2)]
    for process in both:
        assert "done" in finish(process)
    assert path.read_bytes() == CONTENT and len(server.asked) == 1


def test_a_killed_process_holds_nobody_up(server, tmp_path):
    url, path = server.add("/file", CONTENT, "hang"), tmp_path / "file.bin"
    first = start(url, path)
    while not server.asked:
        time.sleep(0.01)
    second = start(url, path)
    second.stdout.readline()
    first.kill()
    first.communicate()
    assert "done" in finish(second) and path.read_bytes() == CONTENT


@pytest.mark.parametrize("checks", ["all", "unforeseen"])
def test_a_full_disk(server, tmp_path, checks):
    """A real one of a million bytes; also where it fills up while the file comes."""
    bwrap = shutil.which("bwrap")
    sandbox = [bwrap, "--dev-bind", "/", "/", "--size", "1000000", "--tmpfs", str(tmp_path)]
    if not bwrap or subprocess.run([*sandbox, "true"], capture_output=True).returncode:
        pytest.skip("needs bubblewrap, to have a small disk")
    url = server.add("/file", CONTENT)
    out = finish(start(url, tmp_path / "file.bin", checks, sandbox))
    assert "file.bin was not downloaded: the disk is full" in out
    assert out.strip().endswith("['file.bin.lock']")
    assert len(server.asked) == (0 if checks == "all" else 1)
