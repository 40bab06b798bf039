"""A learner's own folder: made once, never written over, and JupyterLab opened in it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest
from around import the_course
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from small_set import NAME, hand_in

from nbjudge.course import problem_set_names, root
from nbjudge.desk import lab
from nbjudge.desk.progress import OURS, START

pytestmark = pytest.mark.thorough("use of another environment")

SET = f"assignments/{NAME}/{NAME}.ipynb"


@pytest.fixture
def course(small_course, tmp_path):
    """A course with a chapter and the small set."""
    folder = tmp_path / "course"
    shutil.copytree(small_course, folder)
    cells = [new_markdown_cell("# Words"), new_code_cell("1")]
    write(new_notebook(cells=cells), folder / "notebooks" / "01-words.ipynb")
    return folder


def test_it_holds_chapters_and_problem_sets_and_no_solution(course, tmp_path):
    work = tmp_path / "work"
    assert lab.furnish(work, course).new == ["01-words.ipynb", SET]
    for name in ("01-words.ipynb", SET):
        assert (work / name).read_bytes() == (course / "notebooks" / name).read_bytes()
    assert "the instructor's way" not in (work / SET).read_text()
    assert lab.furnish(work, course) == lab.Furnished(), "a second time there is nothing to do"


def test_a_chapter_may_be_a_folder(course, tmp_path):
    folder = course / "notebooks" / "02-more"
    (folder / "measure").mkdir(parents=True)
    for name in ("02-more.ipynb", "evidence.ipynb"):
        write(new_notebook(), folder / name)
    (folder / "claims.yml").touch()
    given = lab.furnish(tmp_path / "work", course).new
    assert given == ["01-words.ipynb", "02-more/02-more.ipynb", "02-more/evidence.ipynb", SET]


def test_a_copy_without_solutions_is_a_course_too(course, tmp_path, monkeypatch):
    """What a class gets: its lab opens, and its checks find the released tests."""
    shutil.rmtree(course / "solutions")
    monkeypatch.delenv("TFCOURSE_ROOT", raising=False)
    assert root(course / "notebooks") == course
    assert problem_set_names(course) == []
    assert lab.furnish(tmp_path / "work", course).new == ["01-words.ipynb", SET]


def test_work_is_never_written_over(course, tmp_path):
    work = tmp_path / "work"
    lab.furnish(work, course)
    (work / SET).write_text("my answers")
    assert lab.furnish(work, course) == lab.Furnished()
    released = course / "notebooks" / SET
    released.write_bytes(released.read_bytes() + b"\n")
    chapter = course / "notebooks" / "01-words.ipynb"
    chapter.write_bytes(chapter.read_bytes() + b"\n")
    for _ in range(2):  # it is said each time, and the chapter, which nobody touched, is renewed
        given = lab.furnish(work, course)
        assert given.kept == [SET]
        assert (work / SET).read_text() == "my answers"
    assert (work / "01-words.ipynb").read_bytes() == chapter.read_bytes()
    (work / lab.GIVEN).write_text("{")  # what it knew is lost: nothing else is
    lab.furnish(work, course)
    assert (work / SET).read_text() == "my answers"


def test_a_folder_that_was_there_before_is_left_as_it_is(course, tmp_path):
    work = tmp_path / "work"
    hand_in(work, "assignments", "mine")
    (work / SET).parent.mkdir(parents=True, exist_ok=True)
    (work / SET).write_text("mine")
    assert lab.furnish(work, course).new == ["01-words.ipynb"]
    assert (work / SET).read_text() == "mine"


def test_the_start_page_is_written_each_time_and_is_no_given_file(course, tmp_path):
    work = tmp_path / "work"
    lab.furnish(work, course)
    page = work / START
    assert "do [A small set](assignments/ps99-small/ps99-small.ipynb)" in page.read_text()
    assert START not in json.loads((work / lab.GIVEN).read_text())
    page.write_text(f"{OURS}\n\n# Another")
    assert lab.furnish(work, course) == lab.Furnished()
    assert "# Start here" in page.read_text()
    page.write_text("# My notes")
    lab.furnish(work, course)
    assert page.read_text() == "# My notes", "a learner's own file is left as it is"


ends_with_a_signal = pytest.mark.skipif(os.name != "posix", reason="ends JupyterLab with a signal")


class Opened:
    """JupyterLab as ``tfcourse lab`` opens it, on a port of its own."""

    def __init__(self, course: Path, folder: Path):
        self.port = 18000 + os.getpid() % 2000
        self.log = folder / "log"
        home = folder / "home"  # a user's own kernel of the same name is not taken
        other = home / ".local/share/jupyter/kernels/python3/kernel.json"
        other.parent.mkdir(parents=True)
        wrong = {"argv": ["/nowhere"], "display_name": "Wrong", "language": "r"}
        other.write_text(json.dumps(wrong))
        words = ["lab", "--no-browser", f"--port={self.port}", "--IdentityProvider.token=t"]
        program = [sys.executable, "-c", "from tfcourse.cli import app; app()"]
        own = {"TFCOURSE_ROOT": str(course), "HOME": str(home), "PYTHONPATH": str(the_course())}
        with self.log.open("w") as out:
            self.process = subprocess.Popen(
                [*program, *words, "--allow-root"],
                env={**os.environ, **own},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self) -> None:
        for _ in range(240):
            try:
                self.asked("api/contents")
                return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.5)
        raise TimeoutError(self.log.read_text())

    def read(self, what: str, data: object = None) -> str:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{what}",
            data=None if data is None else json.dumps(data).encode(),
            headers={"Authorization": "token t"},
        )
        return urllib.request.urlopen(request, timeout=20).read().decode()

    def asked(self, what: str, data: object = None) -> dict:
        return json.loads(self.read(what, data))

    def end(self) -> None:
        """End it. On a busy machine JupyterLab once took more than a minute."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def opened(course, tmp_path):
    jupyterlab = Opened(course, tmp_path)
    try:
        jupyterlab.wait()
        yield jupyterlab
    finally:
        jupyterlab.end()


@ends_with_a_signal
def test_jupyterlab_opens_there_with_the_kernel_of_this_environment(course, opened):
    there = opened.asked("api/contents")["content"]
    assert {entry["name"] for entry in there} == {"01-words.ipynb", "assignments", START}
    kernels = opened.asked("api/kernelspecs")["kernelspecs"]
    assert kernels["python3"]["spec"]["display_name"] == "Python 3 (ipykernel)"
    started = opened.asked("api/kernels", {"name": "python3"})
    running = subprocess.run(
        ["ps", "--ppid", str(opened.process.pid), "-o", "args="], capture_output=True, text=True
    ).stdout
    assert started["name"] == "python3"
    assert psutil.Process(opened.process.pid).cwd() == str(course / "work"), "terminals open there"
    assert f"{sys.executable} -m ipykernel_launcher" in running, running
    page = opened.read("lab")
    config = json.loads(page.partition('type="application/json">')[2].partition("</script>")[0])
    assert "@jupyter/nbgrader" in config["disabledExtensions"], "no teacher's menus"
    news = opened.asked("lab/api/settings/@jupyterlab/apputils-extension:notification")
    wanted = {"fetchNews": "false", "checkForUpdates": False}
    assert (
        wanted.items()
        <= {key: value["default"] for key, value in news["schema"]["properties"].items()}.items()
    )
    opened.end()
    log = opened.log.read_text()
    assert f"Your folder: {course / 'work'}" in log and "Copied there: 2 notebooks." in log


@ends_with_a_signal
@pytest.mark.thorough("JupyterLab in a browser")
def test_it_opens_on_the_start_page_without_menus_for_teachers_or_news(opened, chromium):
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{opened.port}/?token=t")
        page.locator(".jp-MarkdownViewer h1").wait_for()
        assert page.locator(".jp-MarkdownViewer h1").inner_text().startswith("Start here")
        link = page.locator(".jp-MarkdownViewer a", has_text="A small set").first
        menus = page.locator(".lm-MenuBar-itemLabel").all_inner_texts()
        assert "File" in menus and "Nbgrader" not in menus
        assert page.locator(".Toastify__toast").count() == 0
        link.click()
        page.get_by_text("| Idle").wait_for()  # a kernel that is starting delays the end
    finally:
        context.close()


def test_without_jupyterlab_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install"):
        lab.open_lab(tmp_path, tmp_path, [])


def test_make_lab_passes_options_on_and_needs_neither_site_nor_class():
    output = subprocess.run(
        ["make", "-n", "lab", "LAB=--no-browser"], cwd=the_course(), capture_output=True, text=True
    ).stdout
    assert "tfcourse lab --no-browser" in output
    assert "demo" not in output and "book" not in output


def test_what_make_installs_is_seen_coming_in():
    """It takes minutes: whoever waits is shown by pip what it downloads."""
    lines = (the_course() / "Makefile").read_text("utf-8").splitlines()
    (install,) = [line for line in lines if "pip install" in line]
    assert "--quiet" not in install and " -q" not in install
