"""A live figure on a page: its scripts and pictures, its model, and what is written wrongly."""

import re
from pathlib import Path

import pytest
from live_site import offline, with_figures
from tiny_site import build

from coursebook.course import figure_numbers
from coursebook.live import packed
from coursebook.live.catalogue import FIGURES

ALONE = ("coursebook.sphinx.figures",)


def test_what_a_figure_becomes(tmp_path: Path, course: Path) -> None:
    with_figures(tmp_path, course)
    html, warnings = build(tmp_path, "```{live} heads\n```", ALONE)
    assert not warnings
    needs = re.search(r'id="figure-heads" data-figure="heads" data-needs="([^"]+)"', html)
    address = r"_static/live/data-{}\.js\?v=[0-9a-f]{{8}}"
    wanted = " ".join(address.format(name) for name in ("reader", "encoder"))
    assert needs and re.fullmatch(wanted, needs[1])
    assert html.count('<img class="live-picture" src="_static/live/heads.') == 4
    scripts = re.findall(r'src="_static/live/([\w-]+)\.js', html)
    assert scripts == ["kit", "layers", "reader-model", "encoder-model", "heads"]


@pytest.mark.browser
def test_a_model_is_loaded_when_the_reader_starts_it(chromium, tmp_path, course: Path) -> None:
    with_figures(tmp_path, course)
    far = "\n\n".join(["A line."] * 300)
    text = (
        f"```{{live}} heads\n```\n\n```{{live}} causal-mask\n```\n\n{far}\n\n```{{live}} film\n```"
    )
    build(tmp_path, text, ALONE)
    with offline(chromium) as page:
        page.goto((tmp_path / "out" / "index.html").as_uri())
        heads = page.locator("#figure-heads")
        button = heads.get_by_role("button", name="Start the model")
        button.wait_for()
        texts = [figure_numbers(course, n).read_text("utf-8") for n in FIGURES["heads"].stored]
        weight = sum(len(packed(text).encode()) for text in texts)
        assert page.locator(".live-start span").first.inner_text() == f"{round(weight / 1000)} KB"
        assert heads.locator("img").count() == 4
        assert not [url for url in page.asked if "data-" in url], "the page weighs no more before"
        page.locator("#figure-film").scroll_into_view_if_needed()
        page.locator("#figure-film.is-live").wait_for()  # a few numbers come by themselves
        assert [url for url in page.asked if "data-" in url] == [
            url for url in page.asked if "data-film" in url
        ]
        button.focus()
        page.keyboard.press("Enter")
        page.locator("#figure-heads.is-live").wait_for()
        page.locator("#figure-causal-mask.is-live").wait_for()  # its model is there now
        assert len([url for url in page.asked if "data-reader" in url]) == 1
        assert heads.get_by_label("Sentence").evaluate("one => one === document.activeElement")
        assert not page.faults


def test_a_page_without_a_figure_loads_none_of_it(tmp_path: Path, course: Path) -> None:
    with_figures(tmp_path, course)
    html, _ = build(tmp_path, "Nothing here moves.", ALONE)
    assert "_static/live" not in html


@pytest.mark.parametrize(
    "text, said",
    [
        ("```{live} heats\n```", "there is no live figure 'heats'; there are "),
        ("```{live} arrows\n```\n\n```{live} arrows\n```", "'arrows' is on this page twice"),
    ],
)
def test_what_is_written_wrongly_fails_the_build(tmp_path, course, text: str, said: str) -> None:
    with_figures(tmp_path, course)
    _, warnings = build(tmp_path, text, ALONE)
    assert said in warnings
