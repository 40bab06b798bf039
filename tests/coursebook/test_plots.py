"""The course's figures: one look, labels that fit."""

import ast
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest
import torch

from coursebook import course, plots


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


def test_every_heat_map_of_both_signs_shows_them_and_its_scale():
    """Limits on both sides of 0 mean signed numbers: one map of colours, in the middle of it 0."""
    root, found = course.root(Path(__file__).parent), 0
    for path in [*course.chapter_paths(root), *course.evidence_paths(root)]:
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type != "code" or "imshow" not in cell.source:
                continue
            for call in ast.walk(ast.parse(cell.source)):
                if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith("imshow"):
                    continue
                given = {one.arg: ast.unparse(one.value) for one in call.keywords}
                if float(given.get("vmin", 0)) < 0:
                    where = f"{path.stem}, {cell.id}"
                    assert given["cmap"] == "plots.SIGNED_MAP", where
                    assert given["vmin"] == f"-{given['vmax']}", where
                    assert "colorbar" in cell.source, where
                    found += 1
    assert found >= 2
