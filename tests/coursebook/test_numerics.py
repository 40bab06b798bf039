"""Bands: what may differ between two runs of a notebook, and what may not."""

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from coursebook.drawn import content
from coursebook.numerics import (
    ARITHMETICS,
    Band,
    differences,
    drawn_difference,
    printed_difference,
)

TABLE = "model    loss  steps\nRNN      1.25  1,000\nLSTM    -0.98  1,000\n"


@pytest.mark.parametrize(
    ("old", "new", "band", "told"),
    [
        ("", "", 0.0, None),
        ("1.25", "1.26", 0.0, "1.25 became 1.26 in 'RNN      1.25  1,000'"),
        ("1.25", "1.26", 0.01, None),
        ("1.25", "1.27", 0.01, "1.25 became 1.27"),
        ("1.25", "1.30", 0.05, None),
        ("-0.98", "-1.02", 0.05, None),
        ("-0.98", " 0.98", 0.05, "-0.98 became 0.98"),
        ("LSTM    -0.98", "LSTM   -10.98", "10%", "-0.98 became -10.98"),
        ("RNN      1.25", "RNN     11.25", 10, None),
        ("RNN      1.25", "RNN     11.25", 0.0, "the words changed"),
        ("RNN", "GRU", 10, "the words changed"),
        ("1,000", "1,001", 0.5, "1,000 became 1,001"),
        ("1,000", "1,050", "10%", "1,000 became 1,050"),
        ("RNN      1.25", "RNN      1.31", "10%", None),
        ("1.25", "nan", 10, "the words changed"),
        ("1,000\n", "1,000\n2,000\n", 5000, "words changed"),
        ("-0.98  1,000\n", "-0.98  1,000\n7", 5000, "became"),
    ],
)
def test_printed_numbers_move_within_the_band_and_words_never(old, new, band, told):
    found = printed_difference(TABLE, TABLE.replace(old, new, 1), Band(text=band))
    assert found is None if told is None else told in found


def test_an_integer_moves_only_if_it_is_said_to_be_about():
    stored = "8 heads, about 300 steps, about 10^12 times"
    band = Band(text="10%")
    assert printed_difference(stored, stored.replace("300", "310"), band) is None
    assert printed_difference(stored, stored.replace("12", "11"), band) is None
    assert "300 became 400" in printed_difference(stored, stored.replace("300", "400"), band)
    assert "8 became 7" in printed_difference(stored, stored.replace("8", "7"), Band(text=5))


def test_a_verdict_may_not_change_within_a_band():
    stored = "claim self-scale: holds\nmeasured: 0.96 against 0.95\n"
    assert printed_difference(stored, stored.replace("0.96", "0.94"), Band(text=0.05)) is None
    for word in ("holds, with a limit (small width)", "does not hold as stated"):
        assert printed_difference(stored, stored.replace("holds", word), Band(text=0.05))


@pytest.mark.parametrize("band", [-0.1, "much", "5", {"number": 3}, [0.1], True])
def test_a_band_that_makes_no_sense_is_named(band):
    cell = nbformat.v4.new_code_cell("1", id="here", metadata={"tfcourse": {"band": band}})
    with pytest.raises(ValueError, match="cell here: band must be a number such as 0.05"):
        Band.of(cell)


def drawn(shift=0.0, title="Loss by step", points=40, ticks=None, size=(4, 3)):
    figure, (left, right) = plt.subplots(1, 2, figsize=size)
    left.plot(np.linspace(2, 1, points) + shift, label="RNN")
    left.set(title=title, xlabel="step", ylabel="loss", ylim=(0.5, 2.5))
    left.legend()
    right.imshow(np.eye(8))
    right.bar([0, 1], [3, 2 + shift])
    right.scatter([1, 2], [1, 2 + shift])
    found = content(figure)
    plt.close(figure)
    return found


def test_figures_are_compared_by_what_they_show():
    stored = drawn()
    assert drawn_difference(stored, drawn(), Band()) is None
    assert drawn_difference(stored, drawn(size=(5, 4)), Band()) is None, "size is no content"
    assert drawn_difference(stored, drawn(shift=0.01), Band()) is None, "less than a line's width"
    assert "line 0 moved from 2 to 2.2" in drawn_difference(stored, drawn(shift=0.2), Band())
    assert drawn_difference(stored, drawn(shift=0.2), Band(figure=0.15)) is None
    assert "words changed" in drawn_difference(stored, drawn(title="Loss"), Band(figure=1))
    assert "line" in drawn_difference(stored, drawn(points=39), Band(figure=1))


def test_what_is_stored_of_a_figure_is_small():
    import json

    assert len(json.dumps(drawn())) < 2000


def test_differences_name_the_cell_and_leave_loose_cells_out():
    def notebook(text):
        cells = [
            nbformat.v4.new_markdown_cell("# Title", id="title"),
            nbformat.v4.new_code_cell("x", id="strict"),
            nbformat.v4.new_code_cell("x", id="loose", metadata={"tags": ["nbval-ignore-output"]}),
        ]
        for cell in cells[1:]:
            cell.outputs = [nbformat.v4.new_output("stream", text=text)]
        return nbformat.v4.new_notebook(cells=cells)

    found = differences(notebook("loss 0.5"), notebook("loss 0.6"))
    assert found == ["cell strict: 0.5 became 0.6 in 'loss 0.5'"]


def test_there_are_enough_arithmetics():
    """The stored one and at least four others that change what a processor does."""
    assert list(ARITHMETICS)[0] == "stored"
    changed = [tuple(sorted(change.items())) for change in ARITHMETICS.values()]
    assert len(set(changed)) == len(changed) >= 5
