"""A lesson's *Your turn* on the site: a box, and in it a field or where the code can be run."""

import json
import re
from html import unescape
from pathlib import Path

import nbformat
import pytest
from live_site import offline
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tiny_site import build

from coursebook import course
from coursebook.sphinx import turn
from coursebook.turn import INVITATION

ROOT = course.root(Path(__file__).parent)
NUMBER = 'check(goal, 0.5 + 0.32, said="Right.", hints=[(0.8, "Nearly."), (x, "No.")])'
CODE = 'check(code, X @ W, said="Right.")'
FOLDED = {"tags": ["hide-input"]}


def page(folder: Path, checked: str, **metadata) -> str:
    """One turn, as a lesson stores it."""
    said = [new_output("stream", text=INVITATION + "\n")]
    cells = [
        new_markdown_cell("# Page\n\nBefore.\n\n**Your turn.** What is it?"),
        new_code_cell("goal = ..."),
        new_code_cell(checked, outputs=said, metadata=metadata),
        new_markdown_cell(
            "<details>\n<summary>Show the answer</summary>\n\nIt.\n\n</details>\n\nAfter."
        ),
    ]
    about = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    nbformat.write(new_notebook(metadata=about, cells=cells), folder / "index.ipynb")
    html, warnings = build(folder, "", ("coursebook.sphinx.turn",))
    assert not warnings
    return html


def test_a_turn_is_a_box_from_its_question_to_its_answer(tmp_path):
    html = page(tmp_path, CODE, **FOLDED)
    start, end = html.index('class="turn'), html.index("</details>")
    assert html.index("Before.") < start < html.index("What is it?") < end < html.index("After.")


def test_code_is_not_judged_on_the_site_but_the_way_is_said(tmp_path):
    html = page(tmp_path, CODE, **FOLDED)
    assert "open this lesson in JupyterLab" in html and "turn-field" not in html
    assert INVITATION not in html and "X @ W" not in html.replace("</span>", "")
    assert "goal" in html, "what is to be filled in stays"


def test_a_cell_that_calls_its_check_keeps_what_is_to_be_filled_in(tmp_path):
    html = page(tmp_path, CODE)
    assert "open this lesson in JupyterLab" in html and INVITATION not in html
    assert re.search("check", html)


def test_a_number_has_a_field_that_knows_what_the_check_knows(tmp_path):
    html = page(tmp_path, NUMBER, **FOLDED)
    data = json.loads(unescape(re.search(r'data-turn="([^"]*)"', html)[1]))
    assert data["right"] == pytest.approx([0.82]) and data["said"] == "Right."
    assert data["hints"] == [[[0.8], "Nearly."]] and data["hint"].startswith("Not yet.")
    assert re.search(r'<label for="(.*?)">.*<input id="\1"', html)


@pytest.mark.parametrize(
    ("said", "numbers"),
    [("-4", [-4]), ("(4, 5)", [4, 5]), ("0.5**2", [0.25]), ("torch.tensor([1, 2.5])", [1, 2.5]),
     ("math.log(2)", None), ("[[1], [2]]", [1, 2]), ("'1'", None), ("True", None), ("x", None)],
)  # fmt: skip
def test_only_numbers_that_stand_there_are_read(said, numbers):
    import ast

    assert turn.numbers(ast.parse(said, mode="eval").body) == numbers


def test_a_typed_function_is_not_asked_for_as_a_number(tmp_path):
    """Its check calls it: a field for the number that it returns would ask another question."""
    html = page(tmp_path, 'check(rate(60), 0.5, said="Right.")', **FOLDED)
    assert "turn-field" not in html and "open this lesson in JupyterLab" in html
    for converted in ("w if w is ... else float(w)", "(a, b)", "torch.tensor(row)"):
        assert turn.judged(f'check({converted}, 0.5, said="Right.")'), converted


def test_every_turn_of_every_lesson_becomes_a_box():
    """What the boxes rely on: a turn's words begin a paragraph, and its answer folds below it."""
    for path in course.chapter_paths(ROOT):
        cells = nbformat.read(path, as_version=4).cells
        asked = [cell.source for cell in cells if cell.cell_type == "markdown"]
        text = "\n\n".join(asked)
        turns = re.findall(r"(?ms)^\*\*Your turn\.\*\*(.*?)^</details>", text)
        assert turns and len(turns) == text.count("**Your turn.**"), path.stem
        assert not any("\n## " in inside or "\n### " in inside for inside in turns), path.stem
        printed = "".join(o.get("text", "") for c in cells for o in c.get("outputs", []))
        assert printed.count(turn.UNANSWERED) == len(turns), path.stem
        assert "Nothing to check" not in printed


def test_the_field_answers(tmp_path, chromium):
    html = page(tmp_path, NUMBER, **FOLDED)
    script = (ROOT / "coursebook" / "static" / "turn.js").read_text("utf-8")
    (tmp_path / "page.html").write_text(
        html.replace("</head>", f"<script>{script}</script></head>")
    )
    with offline(chromium) as tab:
        tab.goto((tmp_path / "page.html").as_uri())
        for typed, said in (
            ("0.8", "Nearly."),
            ("", "Type a number"),
            ("1", "Not yet."),
            ("0.82", "Right."),
            ("0.5 + 0.32", "Right."),
            ("41/50", "Right."),
            ("0.9**2 + 2**-1/50", "Right."),
            ("[0.82]", "Right."),
            ("0.8.2", "Type a number"),
            ("2 ** (", "Type a number"),
        ):
            tab.get_by_label("Your answer").fill(typed)
            tab.keyboard.press("Enter")
            assert tab.get_by_role("status").inner_text().startswith(said)


SEVERAL = 'check(goal, (0.5**10, 1.5**10), said="Right.", hints=[((1, 57.7), "One.")])'


def test_the_field_takes_formulas_and_rounded_numbers(tmp_path, chromium):
    """As a learner writes them: the page's own words for the answer are "about 58"."""
    data = json.dumps(turn.judged(SEVERAL))
    script = (ROOT / "coursebook" / "static" / "turn.js").read_text("utf-8")
    right = ["0.5**10, 1.5^10", "(0.001, 58)", "0.000977, 57.67", "1/1024, 57.7", "0.001, 57.665,",
             "0.001 57.67"]  # fmt: skip
    wrong = {"0.001, 60": "Not", "0.001, 57": "Not", "0.001, 6·10": "Not", "0.001": "Not",
             "1 - 57": "Not", "1, 57.7": "One."}  # fmt: skip
    with offline(chromium) as tab:
        tab.set_content(f"<script>{script}</script>")
        said = tab.evaluate(
            "([texts, judged]) => texts.map((text) => turnVerdict(text, JSON.parse(judged)))",
            [[*right, *wrong], data],
        )
    assert said[: len(right)] == ["Right."] * len(right)
    for told, start in zip(said[len(right) :], wrong.values(), strict=True):
        assert told.startswith(start)


@pytest.mark.browser
def test_a_box_keeps_its_text_away_from_its_border(page, address: str) -> None:
    """The theme takes the padding from every container."""
    page.goto(f"{address}/notebooks/05-self-attention/05-self-attention.html")
    box, text = page.locator(".turn").first, page.locator(".turn p").first
    assert text.bounding_box()["x"] - box.bounding_box()["x"] >= 16
