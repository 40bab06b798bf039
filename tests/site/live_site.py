"""A small site with every live figure, opened from the disk with the network off."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tiny_site import WHOLE, build

from coursebook.course import figure_numbers
from coursebook.live.catalogue import FIGURES


def build_figures(
    folder: Path, course: Path, theme: str = "basic", figures: Iterable[str] = tuple(FIGURES)
) -> Path:
    """A page with these figures, and the stored pictures it shows; beside it, a page for each."""
    with_figures(folder, course)
    written = {name: f"```{{live}} {name}\n```" for name in figures}
    for name, text in written.items():
        own_page(folder, name, ".md").write_text(
            f"---\norphan: true\n---\n\n# Page\n\n{text}", "utf-8"
        )
    _, warnings = build(folder, "\n\n".join(written.values()), WHOLE, theme=theme)
    assert not warnings, warnings
    return folder / "out" / "index.html"


def with_figures(folder: Path, course: Path) -> None:
    """Give a small site the course's figures."""
    (folder / "book").mkdir()
    (folder / "book" / "figures").symlink_to(course / "book" / "figures")
    (folder / "notebooks").symlink_to(course / "notebooks")


def own_page(folder: Path, figure: str, ending: str = ".html") -> Path:
    """The page that has this figure alone; a name of Sphinx's own, such as search, would clash."""
    return folder / f"figure-{figure}{ending}"


@contextmanager
def new_page(chromium) -> Iterator:
    """A page, 1280 wide, that remembers its errors and the requests that failed."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield watched(context.new_page())
    context.close()


def watched(opened):
    """The page; from now on it remembers its errors and the requests that failed."""
    opened.faults = []
    opened.on("pageerror", lambda error: opened.faults.append(f"error on the page: {error}"))
    opened.on("requestfailed", lambda r: _note_failure(opened, r))
    opened.on("response", lambda r: _note_response(opened, r))
    opened.on("console", lambda message: _note_console(opened, message))
    return opened


def _note_response(opened, response) -> None:
    if response.status >= 400:
        opened.faults.append(f"{response.status}: {response.url}")


def _note_failure(opened, request) -> None:
    """A page that is left or loaded again drops what it was still fetching: no fault."""
    if request.failure != "net::ERR_ABORTED":
        opened.faults.append(f"{request.failure}: {request.url}")


def _note_console(opened, message) -> None:
    if message.type in ("error", "warning"):
        opened.faults.append(f"console {message.type}: {message.text}")


@contextmanager
def offline(chromium, **settings) -> Iterator:
    """A page without a network that remembers its faults and what it asked for."""
    context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
    context.set_offline(True)
    page = context.new_page()
    page.faults, page.asked = [], []
    page.on("pageerror", lambda error: page.faults.append(f"error on the page: {error}"))
    page.on("console", lambda m: page.faults.append(m.text) if m.type == "error" else None)
    page.on("requestfailed", lambda request: _note_failure(page, request))
    page.on("request", lambda request: page.asked.append(request.url))
    yield page
    context.close()


def open_all(page, file: Path) -> None:
    """Open the page and have all its figures begin."""
    page.goto(file.as_uri())
    for figure in page.locator("figure.live").all():
        begin(figure)


def begin(figure) -> None:
    """Come near a figure, and start its model if it waits for that."""
    if "is-live" not in figure.get_attribute("class"):
        figure.scroll_into_view_if_needed()
        start = figure.get_by_role("button", name="Start the model")
        if start.count():
            start.click()
        figure.locator(".live-status").wait_for(state="attached")


def computed(page, script: str, given: object = None) -> object:
    """What a function in the page returns. Playwright wraps each number; JSON does not."""
    called = f"async text => JSON.stringify(await ({script})(JSON.parse(text)))"
    return json.loads(page.evaluate(called, json.dumps(given)))


def stored_model(course: Path, name: str) -> dict:
    return json.loads(figure_numbers(course, name).read_text("utf-8"))
