"""The site, built once from clean, and pages of a browser to look at it with."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from live_site import build_figures, new_page

from coursebook.site import build_site, server

#: Pages of a kind that axe judges at every change.
JUDGED = (
    "book/api/attention.html",
    "book/api/index.html",
    "notebooks/assignments/ps05-self-attention/ps05-self-attention.html",
    "notebooks/assignments/ps14-translator/ps14-translator.html",
    "notebooks/02-recurrence/evidence.html",
    "notebooks/11-encoder-decoder/evidence.html",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What looks at the built site depends on all its sources, and on nothing else."""
    for item in items:
        if "site" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("case_of"):
            item.add_marker(pytest.mark.case_of("site"))
            item.add_marker(pytest.mark.thorough("test of the built site"))
        if _is_like_another(item):
            item.add_marker(pytest.mark.release("test of a page like others"))


def _is_like_another(item: pytest.Item) -> bool:
    """Whether axe judges the page at a release: of the API, a problem set or evidence, but for two.

    Their headings, links, buttons and colours come from the same templates as their like, and
    evidence's also from those of lessons, all of which are judged.
    """
    if getattr(item, "originalname", "") != "test_axe_finds_nothing_serious":
        return False
    name = item.callspec.params["name"]
    alike = name.startswith(("book/api/", "notebooks/assignments/")) or "/evidence" in name
    return alike and name not in JUDGED


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], Path]], Path]:
    """A function of a name and of what builds a file or folder: it is built by one process."""
    of_this_run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        of_this_run = of_this_run.parent

    def built(name: str, build: Callable[[], Path]) -> Path:
        done = of_this_run / f"{name}.built"
        with FileLock(of_this_run / f"{name}.lock"):
            if not done.is_file():
                try:
                    done.write_text(str(build()), "utf-8")
                except Exception as error:
                    done.write_text("", "utf-8")
                    raise error
        if not done.read_text("utf-8"):
            pytest.fail(f"{name} could not be built: see the first failure")
        return Path(done.read_text("utf-8"))

    return built


@pytest.fixture(scope="session")
def site(course: Path, once: Callable) -> Path:
    """The folder of the built site, the same for all processes; a warning of Sphinx fails it."""
    return once("site", lambda: build_site(course, clean=True).parent)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    running = server(site)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory, course: Path, once: Callable) -> Path:
    """A small site's page with all live figures; beside it is a page for each."""
    return once("figures", lambda: build_figures(tmp_path_factory.mktemp("figures"), course))


@pytest.fixture(scope="session")
def axe(course: Path) -> str:
    """The source of axe-core, which judges a page's accessibility."""
    script = course / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.skip("needs axe-core: make node_modules/.ready")
    return script.read_text("utf-8")


@pytest.fixture
def page(chromium) -> Iterator:
    """A fresh page, 1280 wide, that remembers its errors and the requests that failed."""
    with new_page(chromium) as opened:
        yield opened
