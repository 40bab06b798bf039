"""What of a lesson goes onto its slides, and what the commands say if something is missing."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from typer.testing import CliRunner

from coursebook import browser
from coursebook.course import Lesson, lessons, named
from coursebook.slides import deck
from coursebook.slides.lesson import lines, slides
from tfcourse.cli import app

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50"></svg>'


def drawing(**metadata):
    output = new_output("display_data", {"image/svg+xml": DRAWING})
    return new_code_cell("draw()", outputs=[output], metadata=metadata)


def made(folder: Path, *cells) -> list[tuple[str, list[str], str]]:
    lesson = Lesson(folder, "01-try")
    lesson.folder.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[new_markdown_cell("# 1 · Try"), *cells]), lesson.notebook)
    return [(one.title, one.said, one.kind) for one in slides(lesson)]


def test_a_picture_comes_with_the_key_sentences_before_it(tmp_path: Path) -> None:
    text = "## A head\n\nA **head** reads [them](a.md). So.\n\n**Time:** an **hour**.\n\n$$ a $$"
    assert made(
        tmp_path, new_markdown_cell(text), drawing(), new_markdown_cell("See. Now look:")
    ) == [("A head", ["A **head** reads them.", "$$ a $$"], "picture")]


def test_without_one_it_comes_with_the_sentence_before_it(tmp_path: Path) -> None:
    found = made(
        tmp_path, new_markdown_cell("One. And now the weights move. So:"), drawing(), drawing()
    )
    assert found == [
        ("1 · Try", ["And now the weights move."], "picture"),
        ("1 · Try", [], "picture"),
    ]


def test_a_section_of_code_alone_shows_it_and_one_of_words_its_first(tmp_path: Path) -> None:
    code = new_code_cell("x = 1\nprint(x)", outputs=[new_output("stream", text="1\n")])
    texts = map(
        new_markdown_cell, ("## Code\n\nRun it:", "## Words\n\nOne. Two.", "## Sources\n\n- **A**")
    )
    first, *rest = texts
    assert made(tmp_path, first, code, *rest) == [
        ("Code", ["Run it:"], "code"),
        ("Words", ["One."], "text"),
    ]


def test_a_cells_tag_takes_it_out_or_in(tmp_path: Path) -> None:
    whole = new_markdown_cell("## Whole\n\nNothing bold. All of it.", metadata={"tags": ["slide"]})
    found = made(tmp_path, whole, drawing(tags=["no-slide"]), drawing(tags=["hide-input"]))
    assert found == [("Whole", ["Nothing bold. All of it."], "picture")]


def test_a_list_stays_whole_and_what_is_long_goes_on(tmp_path: Path) -> None:
    items = [f"- Item {n} is **long** {'and longer ' * 12}." for n in range(9)]
    found = made(tmp_path, new_markdown_cell("## A list\n\n" + "\n".join(items)), drawing())
    assert [len(said) for _, said, _ in found] == [5, 4, 0]
    assert all(lines(said) < 13 for _, said, _ in found)


@pytest.mark.parametrize("lesson", lessons(Path(__file__).parents[2]), ids=lambda one: one.name)
def test_every_lesson_has_a_deck_that_ends_with_what_to_take_away(lesson: Lesson) -> None:
    found = slides(lesson)
    assert found[-1].title == "What to take away"
    core, *optional = lesson.notebook.read_text("utf-8").split('"## Going further')
    assert optional, "a lesson's last section is optional, and has no slides"
    assert sum(one.kind == "live" for one in found) == core.count("live.figure(")
    assert all(one.said or one.shown for one in found)


def without_solutions(folder: Path, course: Path) -> Lesson:
    for name in ("_config.yml", "_toc.yml", "nbgrader_config.py", "book", "notebooks"):
        (folder / name).symlink_to(course / name)
    return Lesson(folder, "05-self-attention")


def test_notes_are_the_instructors_alone(course: Path, tmp_path: Path) -> None:
    assert list(deck.demonstrations(named(course, "5")[0])) == ["causal-mask"]
    html = deck.deck(without_solutions(tmp_path, course))
    assert 'class="notes"' not in html and "Demonstration" not in html
    shown = re.findall("<section.*?</section>", deck.deck(named(course, "5")[0]), re.S)
    noted = [n for n, one in enumerate(shown, 1) if 'class="notes"' in one]
    assert len(noted) == 2 and noted[0] == 1 and "causal-mask" in shown[noted[1] - 1]


def test_the_command_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["slides", "77"])
    assert (
        run.exit_code == 1 and "no lesson '77'" in run.output and "05-self-attention" in run.output
    )
    monkeypatch.setattr(browser, "BROWSERS", ())
    run = CliRunner().invoke(app, ["slides", "5", "--pdf", "--into", str(tmp_path)])
    assert run.exit_code == 1 and "needs Chromium: apt-get install chromium" in run.output
    assert (tmp_path / "05-self-attention.html").is_file()


def test_the_command_writes_the_file_that_the_page_names(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_solutions(tmp_path, course)
    monkeypatch.setattr("coursebook.course.root", lambda: tmp_path)
    text = (course / "book" / "teach.md").read_text("utf-8").partition("\n## Slides\n")[2]
    program, *words = re.search(r"^tfcourse slides \d+", text, re.MULTILINE)[0].split()
    assert program == "tfcourse" and CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / re.search(r"writes `(\S+)`", text)[1]).is_file()
