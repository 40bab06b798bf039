"""The course's figures: one look, labels that fit."""

import matplotlib.pyplot as plt
import pytest
import torch

from coursebook import plots


@pytest.fixture(autouse=True)
def closed():
    with plt.rc_context():
        plots.style()
        yield
    plt.close("all")


def test_an_attention_map_has_a_row_for_each_query():
    ax = plots.attention_map(
        torch.tensor([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]), ["a", "b"], ["x", "y", "z"], numbers=True
    )
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]
    assert [t.get_text() for t in ax.texts] == ["0.90", "0.10", "0.00", "0.20", "0.30", "0.50"]


def test_maps_without_numbers_share_one_scale():
    figure, axes = plt.subplots(1, 2)
    for ax in axes:
        plots.attention_map(torch.tensor([[0.1, 0.9]]), ["a"], ["x", "y"], ax=ax)
    (bar,) = set(figure.axes) - set(axes)
    assert bar.get_ylabel() == "weight" and bar.get_ylim() == (0, 1)
    ax = plots.attention_map(torch.eye(2), ["a", "b"], numbers=True)
    assert ax.figure.axes == [ax]


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"weights must be \(2, 2\).*got \(2, 3\)"):
        plots.attention_map(torch.zeros(2, 3), ["a", "b"])


def test_plain_ticks_are_plain():
    _, ax = plt.subplots()
    ax.loglog([8, 128], [0.01, 100])
    plots.plain_ticks(ax.xaxis, [8, 32, 128])
    ax.figure.canvas.draw()
    assert [t.get_text() for t in ax.get_xticklabels()] == ["8", "32", "128"]
    assert ax.xaxis.get_minorticklocs().size == 0
