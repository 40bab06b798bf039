"""What lessons say to a class that a learner typed, and what they say of the numbers they print."""

import re
import textwrap
from pathlib import Path

import nbformat
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from coursebook import course
from coursebook.turn import check

LESSONS = course.root(Path(__file__).parent) / "notebooks"


def cells(name: str) -> dict:
    return {cell.id: cell for cell in nbformat.read(LESSONS / f"{name}.ipynb", as_version=4).cells}


# ---- 09: a GPT from an empty class -------------------------------------------------------------

ADDED, THROUGH = "self.embedding(ids) + self.positions(places)", "self.norm(self.blocks(x))"
SCORES = "x @ self.embedding.weight.T"


def typed(forward: str = "") -> dict:
    """What lesson 9 knows once this forward pass stands in its empty cell."""
    decoder = cells("09-decoder")
    empty = decoder["your-turn-gpt"].source
    assert empty.count("return ...") == 1
    head, rest = empty.split("    def forward")
    written = head + textwrap.indent(forward, "    ") if forward else empty
    known = {"torch": torch, "nn": nn, "F": F, "check": check}
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for source in (decoder["attention"].source, decoder["block"].source, written,
                       decoder["check-gpt"].source, decoder["gpt"].source):  # fmt: skip
            exec(source, known)
    finally:
        torch.set_default_dtype(before)
    return known


def answer() -> str:
    return re.findall(r"```python\n(.*?)```", cells("09-decoder")["answer-gpt"].source, re.S)[0]


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("", "", "Right! Your model gives these logits"),
        (" + self.positions(places)", "", "The positions are missing."),
        ("positions(places)", "positions(ids % 6)", "You look the positions up by the ids."),
        (THROUGH, "self.norm(x)", "The blocks are missing."),
        (THROUGH, "self.blocks(x)", "The last norm is missing."),
        (THROUGH, "self.blocks(self.norm(x))", "The norm comes after the blocks."),
        (SCORES, "x", "These are the last vectors."),
        (SCORES, f"({SCORES}).softmax(-1)", "Give back the logits, without a softmax."),
        (ADDED, "self.embedding(ids)", "The positions are missing."),
        (ADDED, f"2 * ({ADDED})", "Not yet: tokens plus positions"),
    ],
)
def test_the_check_of_a_gpt_names_the_wrong_line(right, wrong, told, capsys):
    assert right in answer()
    known = typed(answer().replace(right, wrong, 1))
    assert capsys.readouterr().out.startswith(told)
    assert known["GPT"] is known["MyGPT"], "what the learner wrote is what the lesson trains"


def test_the_lesson_runs_on_with_an_empty_cell(capsys):
    known = typed()
    assert capsys.readouterr().out.startswith("Nothing to check yet.")
    model, ids = known["GPT"](20, d=8, context_length=6), torch.tensor([[1, 2, 3]])
    assert model(ids).shape == (1, 3, 20) and known["GPT"] is not known["MyGPT"]


def test_an_empty_cell_is_promised_and_is_there():
    decoder = cells("09-decoder")
    assert "You write the model's forward pass yourself" in decoder["what-you-will-build"].source
    assert "return ..." in decoder["your-turn-gpt"].source


# ---- 08: a gradient's size and its direction ---------------------------------------------------


def test_a_gradients_size_and_direction_are_two_numbers_and_the_text_has_both():
    block = cells("08-block")
    (output,) = block["arriving"].outputs
    found = {}
    for line in output.text.splitlines():
        depth, path, size, along = re.fullmatch(
            r" *(\d+) layers, path: (True|False) +size (.*?) +along g (.*)", line
        ).groups()
        found[int(depth), path] = size.split(), [float(x) for x in along.split()]
    text = block["your-turn-ten"].source
    sizes, along = found[32, "False"]
    assert f"{sizes[0]}, {sizes[1]} or {sizes[2]}" in text and "does not vanish here" in text
    assert min(along) < 0, "a sign is printed"
    for depth in (1, 32):
        assert max(map(abs, found[depth, "False"][1])) < 0.25
        assert all(0.75 < share < 1.25 for share in found[depth, "True"][1])
    assert all(7 < float(size) < 11.5 for size in found[32, "True"][0])
    assert "seven to eleven times as large" in text
    assert "abs(" not in block["arriving"].source + block["through"].source
