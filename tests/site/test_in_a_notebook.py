"""Live figures in a notebook's output: alive without a network, in the notebook's light or dark."""

from __future__ import annotations

import pytest
from live_site import new_page

from coursebook import live
from coursebook.live.catalogue import FIGURES

pytestmark = pytest.mark.case_of("live figure")


@pytest.fixture
def outputs(chromium, tmp_path, monkeypatch):
    """A page that shows figures as JupyterLab does, each in an output of a dark notebook."""
    monkeypatch.delenv(live.STILL, raising=False)
    with new_page(chromium) as page:
        page.context.set_offline(True)

        def opened(*names):
            shown = "".join(
                f'<div id="{name}" style="width: 800px">{live.figure(name)._repr_html_()}</div>'
                for name in names
            )
            path = tmp_path / "notebook.html"
            path.write_text(
                f'<!doctype html><meta charset="utf-8"><body data-jp-theme-light="false">{shown}',
                "utf-8",
            )
            page.goto(path.as_uri())
            return page

        yield opened


def test_every_figure_lives_in_a_notebook(outputs):
    page = outputs(*FIGURES)
    for name in FIGURES:
        inside = page.frame_locator(f"#{name} iframe")
        inside.locator("figure.is-live .live-picture").first.wait_for()
        page.wait_for_function(
            """name => {
              const frame = document.querySelector(`#${name} iframe`);
              const { scrollHeight, scrollWidth, clientWidth } = frame.contentDocument.body;
              return Math.abs(frame.clientHeight - scrollHeight) < 4 && scrollWidth <= clientWidth;
            }""",
            arg=name,
        )
    assert not page.faults


def test_it_answers_and_follows_the_notebooks_theme(outputs):
    page = outputs("temperature")
    inside = page.frame_locator("iframe")
    assert inside.locator("html").get_attribute("data-theme") == "dark"
    status = inside.locator(".live-status")
    before = status.text_content()
    inside.locator("input[type=range]").first.press("End")
    assert status.text_content() != before
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    inside.locator("html[data-theme=light]").wait_for(state="attached")


def test_what_a_notebook_saves_of_it_stays_small(monkeypatch):
    monkeypatch.delenv(live.STILL, raising=False)
    root = live.course.root()
    for name, figure in FIGURES.items():
        models = sum(live.course.figure_numbers(root, one).stat().st_size for one in figure.stored)
        around = len(live.figure(name)._repr_html_().encode()) - models
        assert around < 200_000, f"{name}: {around} bytes around {models} of its models"
