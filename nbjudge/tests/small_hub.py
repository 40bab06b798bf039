"""A hub as `make hub` starts it, for a course of the small set, and people who use it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from around import the_course
from small_set import make_course, source_notebook, with_first_lines

COURSE = the_course()
HUB = COURSE / "deploy/hub"
PROXY = COURSE / "node_modules/configurable-http-proxy"


def small_clone(folder: Path) -> Path:
    """A repository that holds a course with the small set."""
    course = make_course(folder, with_first_lines(source_notebook()))
    shutil.copy(COURSE / "course.toml", course)
    for private in ("tests", "examples"):  # as in the course's own repository
        (course / private).mkdir()
        (course / private / "README.md").write_text("private")
    words = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "A course"]):
        subprocess.run(["git", *words, *command], cwd=course, check=True)
    return course


def set_up(course: Path, folder: Path, home: Path, *more: str) -> None:
    """Lay out the folders as the hub's own script does."""
    words = [sys.executable, HUB / "set_up.py", folder, home, "--source", course, *more]
    subprocess.run(words, check=True)


def free_ports() -> int:
    """The first of three ports in a row that nobody listens at."""
    for first in range(20000 + 3 * (os.getpid() % 2000), 30000, 3):
        with socket.socket() as one, socket.socket() as two, socket.socket() as three:
            try:
                for place, held in enumerate((one, two, three)):
                    held.bind(("127.0.0.1", first + place))
            except OSError:
                continue
            return first
    raise OSError("no free ports")


def wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    """Wait for a server's first answer, as long as its process runs."""
    for _ in range(600):
        try:
            urllib.request.urlopen(address, timeout=30)
            return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.2)
    raise TimeoutError(log.read_text())


@dataclass
class Hub:
    """A running hub: its address and password, its folder, and where people have their homes."""

    address: str
    password: str
    folder: Path
    people: Path


@contextmanager
def running_hub(base: Path) -> Iterator[Hub]:
    """The hub for trying out, in a new folder; what it logs is printed in the end."""
    folder, people, log = base / "hub", base / "hub/users", base / "log"
    set_up(small_clone(base / "source"), folder, people / "teacher")
    port = free_ports()
    address = f"http://127.0.0.1:{port}"
    mine = {name: text for name, text in os.environ.items() if not name.startswith("JUPYTER")}
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", HUB / "try_out_config.py"],
            env={**mine, "COURSE_HUB": str(folder), "COURSE_HUB_PORT": str(port)},
            cwd=base,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for(f"{address}/hub/health", process, log)
        login = re.search(r"Log in as ada, ben, teacher with the password (\S+)", log.read_text())
        yield Hub(address, login[1], folder, people)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        finally:
            print(log.read_text())


class Person:
    """Somebody's browser: logged in, in JupyterLab."""

    def __init__(self, chromium, hub: Hub, name: str):
        self.home = hub.people / name
        self.page = page = chromium.new_context().new_page()
        self.terminals: list[str] = []  # the addresses of those that have shown a prompt
        page.on("websocket", self._watch)
        page.goto(f"{hub.address}/hub/login")
        page.fill("#username_input", name)
        page.fill("#password_input", hub.password)
        page.click("#login_submit")

    def menu(self, first: str, *more: str) -> None:
        """Choose an entry of a menu."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{first}$")).click()
        for name in more:
            entry = self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{name}"))
            entry.first.click()

    def type(self, *lines: str, into: str) -> str:
        """Type lines into a new terminal, until one fails; returns what they print."""
        log, ended = self.home / f"{into}.log", self.home / f"{into}.ended"
        before = len(self.terminals)
        self.menu("File", "New", "Terminal")
        for _ in range(1200):
            if len(self.terminals) > before:
                break
            self.page.wait_for_timeout(100)
        self.page.locator(".jp-Terminal .xterm-helper-textarea").nth(before).focus()
        whole = f"({' && '.join(lines)}) >'{log}' 2>&1; echo $? >'{ended}'"
        self.page.keyboard.type(f"{whole}\n")
        for _ in range(3000):
            if ended.is_file() and (code := ended.read_text().strip()):
                assert code == "0", log.read_text()
                return log.read_text()
            time.sleep(0.1)
        raise TimeoutError(log.read_text() if log.is_file() else "nothing was typed")

    def _watch(self, websocket) -> None:
        def heard(frame: str | bytes) -> None:
            if "stdout" in str(frame) and websocket.url not in self.terminals:
                self.terminals.append(websocket.url)

        if "/terminals/websocket/" in websocket.url:
            websocket.on("framereceived", heard)

    def assignments(self, which: str):
        """A part of nbgrader's list: ``released``, ``fetched`` or ``submitted`` assignments."""
        self.menu("Nbgrader", "Assignment List")
        return self.page.locator(f"#{which}_assignments_list")

    def answer(self, beginning: str, text: str) -> None:
        """Write an answer in place of the first cell that holds ``beginning``."""
        cells = self.page.locator(".jp-NotebookPanel .cm-content", has_text=beginning)
        cells.first.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+S")

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.context.close()
