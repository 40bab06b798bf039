"""Cells that draw or build what their lesson's formula says, run alone."""

from pathlib import Path

import nbformat
import pytest
import torch

from coursebook import course, drawings
from tfcourse.recurrent import GRUCell, Recurrent

ROOT = course.root(Path(__file__).parent)


def run(lesson: str, *ids: str) -> dict:
    """What these cells of a lesson define, run in this order; ``drawn`` holds what they drew."""
    notebook = nbformat.read(course.Lesson(ROOT, lesson).notebook, 4)
    cells = {cell.id: cell for cell in notebook.cells}
    drawn: list = []
    scope = {name: getattr(drawings, name) for name in drawings.__all__}
    scope |= {"torch": torch, "nn": torch.nn, "drawn": drawn}
    scope |= {"GRUCell": GRUCell, "Recurrent": Recurrent}
    scope["draw"] = lambda *pieces, **_: drawn.append(pieces)
    for one in ids:
        exec(compile(cells[one].source, one, "exec"), scope)
    return scope


def test_the_drawn_gru_copies_and_resets_as_its_formula_does():
    drawn = run("02-recurrence", "drawing-gru")
    [(_, *arrows)] = drawn["drawn"]
    ways = {(one.start, one.end) for one in arrows}
    old, times, plus, state = (drawn[name] for name in ("old", "times", "plus", "state"))
    assert {(old, times), (times, plus), (plus, state)} <= ways, "the way along which it copies"
    assert {(drawn["keep"], times), (drawn["share"], plus), (drawn["look"], drawn["fresh"])} <= ways
    assert r"r \odot (h_{t-1} U_n + b_{hn})" in drawn["fresh"].text.replace("$\n$", " ")


def test_weights_at_three_widths_come_from_queries_and_keys():
    drawn = run("05-self-attention", "drawing-saturation")
    plain, divided = (piece.tensors()[0] for piece in drawn["drawn"][0])
    plain, divided = torch.tensor(plain), torch.tensor(divided)
    for rows in (plain, divided):
        assert len({tuple(row) for row in rows.tolist()}) == 3
    widths = torch.tensor(drawn["widths"])[:, None]
    # Equal up to a constant in each row: divided by the root, and nothing else.
    ratio = (plain.log() - plain.log().amax(1, keepdim=True)) / widths**0.5
    torch.testing.assert_close(ratio.softmax(1), divided, atol=1e-4, rtol=0)
    assert plain[-1].max() > 0.95 > 0.5 > divided.max()


def test_the_masked_picture_has_a_row_that_looks_at_many_words():
    drawn = run(
        "05-self-attention",
        "what-note-looks-at",
        "x",
        "raw-scores",
        "matrices",
        "all-scores",
        "masked-weights",
        "drawing-masked",
    )
    _, weights = drawn["drawn"][-1]
    assert "note" in weights.rows
    assert max(len({round(x, 2) for x in row}) for row in weights.tensors()[0]) > 4


def test_looking_back_is_the_only_difference():
    """Without the context's weights, the translator that looks back is the one that does not."""
    scope = run("04-alignment", "plain", "both-ways", "look", "look-step")
    alone, look = scope["BothWays"](5, 6, 8), scope["Look"](5, 6, 8)
    shared = look.state_dict()
    for name, weight in alone.state_dict().items():
        shared[name].zero_()
        shared[name][..., : weight.shape[-1]] = weight
    look.load_state_dict(shared)
    source, lengths = torch.tensor([[1, 2, 3], [4, 1, 0]]), torch.tensor([3, 2])
    word, real = torch.tensor([1, 2]), torch.arange(3) < lengths[:, None]
    found = []
    for model in (alone, look):
        h, s = model.read(source, lengths)
        found.append(model.step(word, s, h, real)[:2])
    torch.testing.assert_close(*found)


@pytest.mark.parametrize(
    "path",
    [
        "notebooks/04-alignment/04-alignment.ipynb",
        "notebooks/assignments/ps04-alignment/ps04-alignment.ipynb",
        "tfcourse/alignment.py",
    ],
)
def test_the_additive_score_fits_rows(path):
    text = (ROOT / path).read_text("utf-8").replace("\\\\", "\\")
    assert r"v_a^\top" not in text and r"\, v_a" in text
