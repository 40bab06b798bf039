"""Questions: how they are written, and that a notebook shows them without giving the answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import coursebook
from coursebook.course import Lesson
from coursebook.quizzes import QuizError, parse, pick, read

CHOICES = "- [x] A\n  : Why.\n- [ ] B\n  : Why.\n"
GOOD = (
    """## first

What is $y_i$ if $a < b$, and what does `$HOME` say?

- [x] A *vector* of $d_v$ numbers,
  and no <b>more</b>.
  : It sums value rows,
    $y_i = \\sum_j \\alpha_{ij} v_j$.
- [ ] A scalar.
  : A weight is.

## second

Which?

"""
    + CHOICES
)

BAD = {
    "## a\nWhich?\n- [x] A\n  : Why.\n- [ ] B": "a: the choice 'B' has no explanation",
    "## a\nWhich?\n- [ ] A\n  : Why.\n- [ ] B\n  : Why.": "no choice is marked right",
    "## a\nWhich?\n- [x] A\n  : Why.": "two choices or more, this one has 1",
    "## a\nWhich?\n- [x] A\n  : Why.\n  : Why.\n- [ ] B\n  : Why.": "two explanations",
    "## a\nWhich?\n- [x] A\n  : Why.\n* [ ] B\n  : Why.": "neither a choice",
    f"## a\n\n{CHOICES}": "a: the question is missing",
    f"## a\nWhich?\n{CHOICES}\n## a\nWhich?\n{CHOICES}": "two questions are named 'a'",
    f"## A b\nWhich?\n{CHOICES}": "'A b' must be lower-case words joined by hyphens",
}


@pytest.mark.parametrize("text, said", BAD.items())
def test_what_is_written_wrongly_is_refused(text: str, said: str) -> None:
    with pytest.raises(QuizError, match=re.escape(said)):
        parse(text)


def test_what_is_written_is_read() -> None:
    first, second = parse(GOOD).values()
    assert first.choices[0].text == "A *vector* of $d_v$ numbers,\nand no <b>more</b>."
    assert first.choices[0].why.endswith("v_j$.")
    assert [choice.right for choice in first.choices] == [True, False]
    assert not first.several and first.hint == "Choose one."
    assert first.version != second.version


def test_a_name_is_the_courses_own(tmp_path: Path) -> None:
    lessons = [Lesson(tmp_path, name) for name in ("01-a", "02-b")]
    for lesson in lessons:
        lesson.folder.mkdir(parents=True)
        lesson.notebook.touch()
        lesson.quiz.write_text(GOOD, "utf-8")
    with pytest.raises(QuizError, match="02-b/quiz.md and 01-a/quiz.md both have 'first'"):
        read(tmp_path)
    lessons[1].quiz.unlink()
    with pytest.raises(QuizError, match="no question named 'secnd'; did you mean 'second'"):
        pick(read(tmp_path), "secnd")


def test_a_notebook_unfolds_the_answers_and_text_has_none() -> None:
    one = parse(GOOD)["first"]
    html = one._repr_html_()
    assert html.count("<details><summary>") == 2
    hidden = re.findall(r"<details><summary>(.*?)</summary>(.*?)</details>", html, re.DOTALL)
    assert ["Right." in why and "Not right." not in why for _, why in hidden] == [True, False]
    seen = re.sub(r"</summary>.*?</details>", "", html, flags=re.DOTALL)
    for answer in ("Right", "Not right", "sums value rows", "[x]"):
        assert answer not in seen and answer not in repr(one)
    # Jupyter finds formulas between dollars; the rest is HTML that says what was written.
    assert "$y_i$ if $a &lt; b$" in html and "<code>$HOME</code>" in html
    assert "$y_i = \\sum_j \\alpha_{ij} v_j$" in html
    assert "<em>vector</em>" in html
    assert repr(one).startswith("What is $y_i$") and "\n  B. A scalar.\n" in repr(one)


def test_quiz_finds_the_courses_questions(course: Path) -> None:
    assert coursebook.quiz("example").question == "Which choices of a quiz need an explanation?"


def test_no_notebook_shows_which_choice_is_right(course: Path) -> None:
    """Neither a lesson nor a problem set, as they are opened or downloaded."""
    asked = set()
    for path in sorted(course.glob("notebooks/**/*.ipynb")):
        text = path.read_text("utf-8")
        assert not re.search(r"- \[[xX]\]|\{quiz\}", text), path.name
        for cell in json.loads(text)["cells"]:
            source = "".join(cell["source"])
            if found := re.fullmatch(r'quiz\("([\w-]+)"\)', source):
                (output,) = cell["outputs"]
                stored = {kind: "".join(lines) for kind, lines in output["data"].items()}
                one = coursebook.quiz(found[1])
                assert stored == {"text/html": one._repr_html_(), "text/plain": repr(one)}, found[1]
                asked.add(found[1])
    lessons = {name for name, (file, _) in read(course).items() if file.parent.name != "book"}
    assert asked == lessons, "each question is asked in its lesson"
