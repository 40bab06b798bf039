"""The hub that `make hub` starts: two learners and an instructor do a whole problem set on it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

TREE = Path(__file__).resolve().parents[2]
sys.path.append(str(TREE / "tests/nbjudge"))

from small_set import NAME, SANDBOXED, make_course, source_notebook, with_first_lines  # noqa: E402

HUB = TREE / "deploy/hub"
PROXY = TREE / "node_modules/configurable-http-proxy"
RIGHT = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return x * x\n"

pytestmark = pytest.mark.skipif(not PROXY.is_dir(), reason="needs: make node_modules/.ready")


def small_clone(folder: Path) -> Path:
    """A repository that holds a course with the small set."""
    course = make_course(folder, with_first_lines(source_notebook()))
    shutil.copy(TREE / "course.toml", course)
    (course / "notebooks").mkdir(exist_ok=True)
    (course / "notebooks" / "README.md").touch()  # git keeps no empty folder
    words = ["-c", "user.name=t", "-c", "user.email=t", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "A course"]):
        subprocess.run(["git", *words, *command], cwd=course, check=True)
    return course


def set_up(course: Path, folder: Path, home: Path, *more: str) -> None:
    words = [sys.executable, HUB / "set_up.py", folder, home, "--source", course, *more]
    subprocess.run(words, check=True)


def free_ports() -> int:
    """The first of three ports that nobody listens at."""
    for first in range(20000 + 3 * (os.getpid() % 2000), 30000, 3):
        with socket.socket() as one, socket.socket() as two, socket.socket() as three:
            try:
                for place, held in enumerate((one, two, three)):
                    held.bind(("127.0.0.1", first + place))
            except OSError:
                continue
            return first
    raise OSError("no free ports")


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The hub, running: its ``address``, ``password`` and ``folder``, and the ``people`` in it."""
    base = tmp_path_factory.mktemp("hub")
    folder, people = base / "hub", base / "hub/users"
    set_up(small_clone(base / "source"), folder, people / "teacher")
    port, log = free_ports(), base / "log"
    address = f"http://127.0.0.1:{port}"
    known = {name: text for name, text in os.environ.items() if not name.startswith("JUPYTER")}
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", HUB / "try_out_config.py"],
            env={**known, "COURSE_HUB": str(folder), "COURSE_HUB_PORT": str(port)},
            cwd=base,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/hub/health", timeout=20)
                break
            except (OSError, ConnectionError):
                assert process.poll() is None, log.read_text()
                time.sleep(0.5)
        said = re.search(r"Log in as ada, ben, teacher with the password (\S+)", log.read_text())
        yield SimpleNamespace(address=address, password=said[1], folder=folder, people=people)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        print(log.read_text())


def until(path: Path, pattern: str = "*", seconds: float = 120) -> Path:
    """The first file that matches, as soon as there is one."""
    for _ in range(int(seconds * 5)):
        if found := next(iter(path.glob(pattern)), None):
            return found
        time.sleep(0.2)
    raise AssertionError(f"no {pattern} in {path} after {seconds} s")


class Person:
    """Somebody's browser, logged in, with JupyterLab open."""

    def __init__(self, page, hub, name: str):
        self.page, self.hub, self.home = page, hub, hub.people / name
        page.context.set_default_timeout(30000)
        page.goto(f"{hub.address}/hub/login")
        page.fill("#username_input", name)
        page.fill("#password_input", hub.password)
        page.click("#login_submit")
        page.locator(".lm-MenuBar-itemLabel", has_text="File").wait_for()

    def menu(self, *names: str) -> None:
        first, *more = names
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{first}$")).click()
        for name in more:
            item = self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{name}"))
            item.first.click()

    def terminal(self, *lines: str) -> None:
        """Open a terminal and type lines; waits until the last one has ended well."""
        done = self.home / f"done-{time.monotonic_ns()}"
        self.menu("File", "New", "Terminal")
        screen = self.page.locator(".jp-Terminal .xterm-helper-textarea").last
        screen.wait_for(state="attached")
        screen.focus()
        line = f"({' && '.join(lines)}) > {done}.log 2>&1; echo $? > {done}.part; mv {done}.part {done}"
        self.page.keyboard.type(line + "\n")
        until(done.parent, done.name)
        assert done.read_text().strip() == "0", Path(f"{done}.log").read_text()

    def assignments(self):
        """The list of assignments, up to date."""
        self.menu("Nbgrader", "Assignment List")
        return self.page.locator("#nbgrader-assignment-list, .jp-nbgrader, .assignment-list").last


@contextmanager
def browser_of(chromium, hub, name: str):
    context = chromium.new_context()
    try:
        yield Person(context.new_page(), hub, name)
    finally:
        context.close()


@pytest.mark.thorough("problem set on a hub, in a browser")
def test_explore(hub, chromium):
    with browser_of(chromium, hub, "teacher") as teacher, browser_of(chromium, hub, "ada") as ada:
        try:
            teacher.terminal(f"tfcourse release {NAME}", f"nbgrader release_assignment {NAME}")
            ada.page.screenshot(path="/tmp/a0.png")
            ada.menu("Nbgrader", "Assignment List")
            time.sleep(5)
            ada.page.screenshot(path="/tmp/a1.png")
            open("/tmp/a1.html", "w").write(ada.page.content())
        finally:
            teacher.page.screenshot(path="/tmp/t.png")
            ada.page.screenshot(path="/tmp/a.png")
