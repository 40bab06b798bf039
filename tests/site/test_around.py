"""What surrounds a page: its title, what it loads, what it keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from site_pages import toc_pages

from coursebook import course
from coursebook.sphinx import map, tree
from coursebook.sphinx.weight import smaller, without_unused_rules

SAMPLE = ("index.html", "book/claims.html", "notebooks/05-self-attention/05-self-attention.html")


def head(site: Path, page: str) -> str:
    return (site / page).read_text("utf-8").split("</head>")[0]


def test_the_home_page_names_the_course_once(site: Path) -> None:
    title = re.search(r"<title>(.*?)</title>", head(site, "index.html"))
    assert title and title[1] == "Attention to Transformers"


@pytest.mark.parametrize("page", ["index.html", "book/preface.html"])
def test_the_root_and_its_old_address_are_whole_pages(site: Path, page: str) -> None:
    text = head(site, page)
    assert '<html lang="en"' in text and "favicon.svg" in text and "<title>Attention to" in text
    assert 'rel="canonical"' in text and ("http-equiv=" in text) == (page != "index.html")


@pytest.mark.parametrize("page", SAMPLE)
def test_a_page_has_a_description(site: Path, page: str) -> None:
    found = re.search(r'<meta name="description" content="([^"]+)"', head(site, page))
    assert found and 40 < len(found[1]) < 400
    assert 'property="og:title"' in head(site, page)


def test_only_pages_with_formulas_load_the_engine_for_them(site: Path) -> None:
    with_formulas = 0
    for page in toc_pages():
        text = (site / page).read_text("utf-8")
        has = 'class="math' in text.split("</head>")[1]
        assert ("tex-chtml.js" in head(site, page)) == has, page
        with_formulas += has
    assert 12 <= with_formulas < len(toc_pages())


@pytest.mark.browser
def test_a_lesson_read_to_its_end_is_marked_and_can_be_forgotten(page, address) -> None:
    page.goto(f"{address}/notebooks/01-words/01-words.html")
    assert not page.locator(".read-mark").count()
    mark = page.locator(".bd-sidebar-primary .read-mark").first
    for _ in range(30):  # pictures load as the reader comes near them, and move the end
        page.keyboard.press("End")
        page.wait_for_timeout(200)
        if mark.count():
            break
    mark.wait_for(state="attached")
    page.goto(f"{address}/index.html")
    assert page.locator(".card-title .read-mark").count() == 1
    page.locator(".forget-read").click()
    assert not page.locator(".read-mark").count()


@pytest.mark.browser
def test_the_word_that_is_searched_for_begins_beside_the_lens(page, address) -> None:
    page.goto(f"{address}/search.html")
    field = page.locator("form.bd-search:visible input")
    lens = page.locator("form.bd-search:visible i").bounding_box()
    begins = field.bounding_box()["x"] + float(
        field.evaluate("one => parseFloat(getComputedStyle(one).paddingLeft)")
    )
    assert begins >= lens["x"] + lens["width"], "the word begins under the lens"


def test_every_lesson_has_a_card_with_its_time(site: Path) -> None:
    home = (site / "index.html").read_text("utf-8")
    for path in course.chapter_paths(course.root(Path(__file__).parent)):
        card = re.search(rf'data-page="{course.lesson_of(path).page}">(.*?)</li>', home, re.DOTALL)
        assert card and f"{tree.minutes(path)} min" in card[1], path.stem
        assert (site / "_static" / "cards" / f"{path.stem}.png").stat().st_size < 60_000


def test_the_models_are_one_step_away(site: Path) -> None:
    """Linked from home, from each lesson and from How to take, and first in the contents."""
    lessons = [page for page in toc_pages() if re.match(r"notebooks/(\d[\w-]+)/\1\.html", page)]
    for page in ("index.html", "book/take.html", *lessons):
        article = (site / page).read_text("utf-8").split("<article", 1)[1].split("</article>")[0]
        assert re.search(r'href="[^"]*explore\.html"', article), page
    assert toc_pages()[:3] == ["index.html", "book/explore.html", "book/take.html"]


def test_a_lesson_that_says_its_time_has_no_other(site: Path) -> None:
    root = course.root(Path(__file__).parent)
    lesson = course.Lesson(root, "05-self-attention").notebook
    assert "about 65 minutes" in lesson.read_text("utf-8")
    assert tree.minutes(lesson) == 65
    assert "About 65 minutes" in (
        site / "notebooks/05-self-attention/05-self-attention.html"
    ).read_text("utf-8")


def test_a_page_that_does_not_exist_leads_on(site: Path) -> None:
    text = (site / "404.html").read_text("utf-8")
    assert '<base href="/"/>' in text.split("<link", 1)[0], "before anything is loaded"
    assert "This page does not exist" in text
    assert 'href="search.html"' in text and 'href="index.html"' in text


@pytest.mark.browser
def test_the_page_for_none_works_at_any_address(page, address: str, site: Path) -> None:
    page.route("**/no/such/page.html", lambda route: route.fulfill(path=site / "404.html"))
    page.goto(f"{address}/no/such/page.html")
    page.get_by_role("link", name="Home: all lessons and problem sets").click()
    assert page.url == f"{address}/index.html" and not page.faults


@pytest.mark.parametrize(
    ("said", "hours"), [("3½ h", 3.5), ("3 h", 3), ("40 min", 2 / 3), ("⅔ h", 2 / 3), ("soon", 0)]
)
def test_times_in_hours(said: str, hours: float) -> None:
    assert map.in_hours(said) == pytest.approx(hours)


def test_no_page_leads_to_a_repository_that_is_not_the_courses(site: Path) -> None:
    """Jupyter Book names its own where none is configured."""
    assert "executablebooks/jupyter-book" not in (site / "index.html").read_text("utf-8")


SQUARE = (
    '<g><path d="M {x} 2.0 L {y} 2.0 L {y} 9.5 L {x} 9.5 z " '
    'style="fill: #a{colour}a9ac; stroke: #43474c; stroke-width: 0.8"/></g>'
)


@pytest.mark.browser
def test_a_picture_in_fewer_bytes_is_the_same_picture(page) -> None:
    """A row of squares, as matplotlib writes it and as the site shows it."""
    squares = "".join(SQUARE.format(x=x, y=x + 7.5, colour=1 + x // 4) for x in range(1, 9))
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="12">{squares}</svg>'
    small = smaller(picture)
    assert len(small) < 0.7 * len(picture) and smaller(small) == small
    shots = []
    for text in (picture, small):
        page.set_content(text)
        shots.append(page.screenshot())
    assert shots[0] == shots[1]


def test_a_sheet_keeps_the_rules_that_something_can_match() -> None:
    sheet = (
        '@charset "UTF-8";/*! Licence: a.com */:root{--a:1}/* said */.kept,.gone a{x:1}.gone{x:2}'
        "@media print{.gone{x:3}}@media print{p:not(.gone,.b){x:4}}.made-up{x:5}@font-face{x:6}"
    )
    found = without_unused_rules(sheet, {"kept", "made-"})
    assert found == (
        '@charset "UTF-8";/*! Licence: a.com */:root{--a:1}.kept{x:1}'
        "@media print{p:not(.gone,.b){x:4}}.made-up{x:5}@font-face{x:6}"
    )
    assert without_unused_rules(found, {"kept", "made-"}) == found
