"""The drawing kit: described, true to the tensors, one colour for each role, the same bytes."""

import io
import itertools
import math
import re
import warnings

import matplotlib as mpl
import nbformat
import numpy as np
import pytest
import torch
from matplotlib.patches import FancyArrowPatch
from page_colours import PAGES, on_dark
from PIL import Image

from coursebook import drawings, drawn, numerics, plots
from coursebook.drawings import arrow, beside, draw, mask_grid, matrix, stack, step, tokens
from coursebook.drawings import colours as palette

X = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])


def texts(drawing):
    return [text.get_text() for text in drawing.figure.axes[0].texts]


# ---- a description --------------------------------------------------------------------------


@pytest.mark.parametrize("alt", [{}, {"alt": ""}, {"alt": " \n"}])
def test_a_drawing_without_a_description_is_refused(alt):
    with pytest.raises(ValueError, match="alt is empty: describe the drawing"):
        draw(matrix(X), **alt)


def test_the_description_is_where_viewers_look_for_it():
    data, about = draw(matrix(X), alt="Two\n  rows.")._repr_mimebundle_()
    assert data["text/plain"] == about["image/png"]["alt"] == "Two rows."


# ---- true to what is drawn ------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (1, 1), (2, 5), (8, 3)])
def test_a_matrix_has_a_square_for_each_number_and_says_its_shape(shape):
    tensor = torch.arange(torch.Size(shape).numel()).reshape(shape).float()
    drawing = draw(matrix(tensor, "$X$", numbers=True), alt="x")
    squares = drawing.figure.axes[0].patches
    assert len(squares) == tensor.numel()
    said = texts(drawing)
    assert said[:2] == ["$X$", " × ".join(map(str, shape))]
    assert said[2:] == [str(i) for i in range(tensor.numel())]
    rows, columns = tensor.reshape(-1, shape[-1]).shape
    assert len({round(s.get_y(), 6) for s in squares}) == rows
    assert len({round(s.get_x(), 6) for s in squares}) == columns


def test_a_marked_square_has_a_thick_edge_of_its_own():
    drawing = draw(matrix(torch.zeros(2, 2), marked=[(0, 1)]), alt="x")
    *squares, edge = drawing.figure.axes[0].patches
    assert len(squares) == 4 and not edge.get_fill()
    assert edge.get_xy() == squares[1].get_xy() != squares[0].get_xy()
    assert edge.get_linewidth() > 2 * squares[1].get_linewidth()


def test_a_larger_number_is_darker_and_its_text_is_readable():
    drawing = draw(matrix(torch.tensor([0.0, 1.0, 2.0]), role="q", numbers=True), alt="x")
    fills = [to_hex(s.get_facecolor()) for s in drawing.figure.axes[0].patches]
    dark = [palette.contrast(fill, palette.CARD) for fill in fills]
    assert dark == sorted(dark) and dark[0] < dark[1] < dark[2]
    for share, role in itertools.product([i / 20 for i in range(21)], ["plain", *palette.COLOURS]):
        fill = palette.tint(palette.colour(role), share)
        assert palette.contrast(palette.text_on(fill), fill) >= 4.5, (role, share)


def test_a_mask_marks_each_place_by_more_than_colour():
    drawing = draw(mask_grid(torch.ones(3, 3).tril().bool()), alt="x")
    assert texts(drawing)[0] == "3 × 3"
    assert "".join(texts(drawing)[1:]) == "✓××✓✓×✓✓✓"


def test_bars_and_arcs_follow_the_weights():
    weights = torch.tensor([0.2, 0.7, 0.1])
    drawing = draw(drawings.bars(["a", "b", "c"], weights, query=2), alt="x")
    heights = [p.get_height() for p in drawing.figure.axes[0].patches[3:]]
    assert heights[0] / heights[1] == pytest.approx(2 / 7)
    drawing = draw(drawings.looks(["a", "b", "c"], weights, query=2), alt="x")
    widths = [p.get_linewidth() for p in drawing.figure.axes[0].patches[3:]]
    assert len(widths) == 2 and widths[0] < widths[1]


def test_a_shaded_text_is_darkest_where_it_weighs_most_and_breaks_its_lines():
    sentence, weights = ["what", "a", "waste", "of", "time"], torch.tensor([0.2, 0.1, 0.4, 0, 0.3])
    boxes = shaded_boxes(sentence, weights, width=3)
    dark = [darkness(box) for box in boxes]
    assert sorted(range(5), key=dark.__getitem__) == weights.argsort().tolist()
    assert len({round(box.get_y(), 3) for box in boxes}) > 1
    assert max(box.get_x() + box.get_width() for box in boxes) < 3.6


def test_a_shade_is_a_weight_and_not_a_rank():
    # Weights that are nearly equal look nearly equal, whatever the largest of them is.
    sentence = ["word"] * 50
    near = torch.full((50,), 0.02)
    near[7] = 0.04
    darkest = max(map(darkness, shaded_boxes(sentence, near)))
    sharp = torch.full((50,), 0.1 / 49)
    sharp[7] = 0.9
    assert darkest < 1.5 < 4 < max(map(darkness, shaded_boxes(sentence, sharp)))


def test_a_shaded_text_has_a_key_and_its_heavy_words_their_weight():
    weights = torch.tensor([0.04, 0.04, 0.84, 0.04, 0.04])
    drawing = draw(drawings.shaded(["what", "a", "waste", "of", "time"], weights), alt="x")
    said = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert said.count("0.84") == 1 and "0.04" not in said
    assert said[-6:] == ["weight", "0", "0.2 if all are equal", "0.25", "0.5", "1"]
    (_, equal, *_) = drawing.figure.axes[0].patches[5:]
    (word,) = shaded_boxes(["a"] * 5, torch.full((5,), 0.2))[:1]
    assert equal.get_facecolor() == word.get_facecolor()


def test_the_thickness_of_an_arrow_is_a_weight():
    def arrows(weights):
        drawing = draw(drawings.looks(["a", "b", "c"], weights, query=2), alt="x")
        return drawing.figure.axes[0]

    small, large = arrows([0.1, 0.05, 0.85]), arrows([0.9, 0.05, 0.05])
    thick = [max(p.get_linewidth() for p in axes.patches[3:]) for axes in (small, large)]
    assert thick[0] < 0.4 * thick[1]
    assert [text.get_text() for text in large.texts][-3:] == ["0.90", "0.05", "0.05"]


def shaded_boxes(sentence, weights, **more):
    """The boxes of a shaded text's words."""
    drawing = draw(drawings.shaded(sentence, weights, **more), alt="x")
    return drawing.figure.axes[0].patches[: len(sentence)]


def darkness(box) -> float:
    """The contrast of a box with the card, from 1."""
    return palette.contrast(to_hex(box.get_facecolor()), palette.CARD)


def test_one_scale_may_serve_several_matrices():
    """The darkest square is the largest number, or the number that is named."""
    fills = [
        to_hex(draw(matrix(torch.tensor([2.0]), largest=largest), alt="x").figure.axes[0].patches[0]
               .get_facecolor())
        for largest in (None, 2, 8)
    ]  # fmt: skip
    assert fills[0] == fills[1]
    assert palette.contrast(fills[2], palette.CARD) < palette.contrast(fills[0], palette.CARD)


def test_dependencies_are_arcs_that_do_not_cross_a_word():
    """Each word but the root has an arrow and its label; an arc is above the arcs that it spans."""
    sentence, heads = ["the", "cat", "was", "very", "scared"], [1, 2, None, 4, 2]
    piece = drawings.dependencies(sentence, heads, ["det", "nsubj", "", "advmod", "acomp"])
    drawing = draw(piece, alt="x")
    assert texts(drawing)[5:] == ["det", "nsubj", "advmod", "acomp"]
    tops = [min(line.get_ydata()) for line in drawing.figure.axes[0].lines]
    det, nsubj, advmod, acomp = tops
    assert acomp < advmod == det == nsubj, "y grows downwards"


@pytest.mark.parametrize(("centre", "near"), [(0, [1, 2]), (2, [0, 1, 3, 4]), (5, [3, 4])])
def test_a_window_marks_the_centre_and_what_it_reaches(centre, near):
    axes = draw(drawings.window("abcdef", centre=centre, reach=2), alt="x").figure.axes[0]
    fills = [to_hex(box.get_facecolor()) for box in axes.patches]
    dark = palette.tint(palette.colour("q"), 0.95)
    assert [i for i, fill in enumerate(fills) if fill == dark] == [centre]
    assert [i for i, fill in enumerate(fills) if fill not in (dark, palette.CARD)] == near
    (bracket,) = axes.lines
    inside = [centre, *near]
    for i, box in enumerate(axes.patches):
        middle = box.get_x() + box.get_width() / 2
        assert (bracket.get_xdata().min() < middle < bracket.get_xdata().max()) == (i in inside)


@pytest.mark.parametrize(
    ("angle", "right", "up"),
    [(0, 0, 1), (math.pi / 2, 1, 0), (math.pi, 0, -1), (-math.pi / 2, -1, 0), (7, 0.66, 0.75)],
)
def test_a_hand_points_where_sine_and_cosine_say(angle, right, up):
    """Clockwise from the top: the sine across, the cosine up, as in a sinusoidal code."""
    circle, hand = draw(drawings.dial(angle), alt="x").figure.axes[0].patches
    across, down = np.subtract(hand._posA_posB[1], circle.center)
    assert across == pytest.approx(0.9 * circle.radius * right, abs=0.01)
    assert -down == pytest.approx(0.9 * circle.radius * up, abs=0.01)


@pytest.mark.parametrize("seen, degrees", [(0.0, None), (math.pi, 180), (20.0, 360)])
def test_a_dial_shades_what_was_seen_from_the_top_on(seen, degrees):
    patches = draw(drawings.dial(1.0, seen=seen), alt="x").figure.axes[0].patches
    wedges = [patch for patch in patches if hasattr(patch, "theta1")]
    assert [w.theta2 - w.theta1 for w in wedges] == ([degrees] if degrees else [])
    assert all(w.theta1 == -90 for w in wedges)


def test_everything_stays_on_the_card():
    """Whatever is drawn, text too, lies within the picture."""
    long = ["melancholic", "a", "b"]
    q = matrix(X.T, "a long name above", role="q", rows=long, columns=["guitar", "note"])
    k = matrix(X[0], "$k$", role="k", shape="one for each of the tokens")
    tree = drawings.dependencies(["the", *long], [1, None, 1, 1], ["determiner", "", "x", "object"])
    framed = drawings.frame(stack(k, tokens(long)), "words that are wider than what they frame")
    drawing = draw(beside(q, step("softmax"), framed), arrow(q, k), tree, alt="x")
    drawing.figure.canvas.draw()
    card = drawing.figure.bbox
    for artist in [*drawing.figure.axes[0].texts, *drawing.figure.axes[0].patches]:
        box = artist.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0, artist
        assert box.x1 <= card.x1 and box.y1 <= card.y1, artist


def test_a_frame_holds_its_piece_and_its_words():
    drawing = draw(drawings.frame(matrix(X, "$X$"), "N × block", room=0.3), alt="x")
    drawing.figure.canvas.draw()
    ax = drawing.figure.axes[0]
    frame, *inside = [artist.get_window_extent() for artist in [*ax.patches, *ax.texts]]
    assert len(inside) == X.numel() + 3
    assert all(frame.x0 < box.x0 and box.x1 < frame.x1 for box in inside)
    assert all(frame.y0 < box.y0 and box.y1 < frame.y1 for box in inside)


@pytest.mark.parametrize("curve", [-0.4, 0.0, 0.3])
def test_the_words_of_an_arrow_stand_on_it(curve):
    q, k = matrix(X, role="q"), matrix(X, role="k")
    sides = ("bottom", "bottom")
    drawing = draw(beside(q, k), arrow(q, k, "asks", sides=sides, curve=curve), alt="x")
    drawing.figure.canvas.draw()
    ax = drawing.figure.axes[0]
    (bow,) = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    (said,) = [t for t in ax.texts if t.get_text() == "asks"]
    box = said.get_window_extent()
    start, control, end = ax.transData.transform(bow.get_path().vertices[:3])
    assert np.allclose((start + 2 * control + end) / 4, (box.p0 + box.p1) / 2, atol=2)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: matrix(torch.zeros(2, 3, 4)), r"shape \(2, 3, 4\)"),
        (lambda: matrix(torch.tensor(1.0)), r"shape \(\)"),
        (lambda: matrix(X, rows=["a"]), "rows must hold 2 labels.*got 1"),
        (lambda: matrix(X, role="query"), "role must be plain or one of q, k, v, residual, norm"),
        (lambda: drawings.looks(["a", "b"], [0.5, 0.5], query=2), "one of 2 tokens, got 2"),
        (lambda: drawings.bars(["a", "b"], [1.0]), r"weights must be \(2,\).*got \(1,\)"),
        (lambda: drawings.shaded(["a", "b"], [0.5, -0.5]), "must not be below 0, got -0.5"),
        (lambda: drawings.bars(["a"], [math.nan]), "must not be below 0, got nan"),
        (lambda: drawings.shaded(["a"], [1.5]), "from 0 to 1, got 1.5"),
        (lambda: drawings.looks(["a", "b"], [-0.5, 0.5], query=0), "must not be below 0, got -0.5"),
        (lambda: matrix(X, largest=0), "largest must be above 0, got 0"),
        (lambda: drawings.dependencies(["a"], [], []), "must have 1 entries.*got 0 and 0"),
        (lambda: drawings.dependencies(["a", "b"], [1, 2], ["x", "y"]), "or None, got 2"),
        (lambda: tokens([]), "at least one"),
        (lambda: beside(), "at least one piece"),
        (lambda: stack(matrix(X), align="right"), "align must be left or centre"),
        (lambda: draw(arrow(matrix(X), matrix(X)), alt="x"), "at least one piece"),
        (lambda: draw(matrix(X), arrow(matrix(X), matrix(X)), alt="x"), "among the pieces"),
        (lambda: arrow(matrix(X), matrix(X), sides=("up", "left")), "sides must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(made, told):
    with pytest.raises(ValueError, match=told) as raised:
        made()
    assert "\n" not in str(raised.value)


# ---- colours --------------------------------------------------------------------------------


def to_hex(colour):
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour[:3])


def test_each_role_keeps_its_colour():
    """What is drawn in a role has edges in its colour, and each role has its own colour."""
    edges = {}
    for role, colour in palette.COLOURS.items():
        for tensor in (X, X.T, X[0]):
            drawing = draw(matrix(tensor, role=role), alt="x")
            edges.setdefault(role, set()).update(
                to_hex(s.get_edgecolor()) for s in drawing.figure.axes[0].patches
            )
        assert edges[role] == {palette.tint(colour, 0.85)}
    assert list(palette.COLOURS) == ["q", "k", "v", "residual", "norm"]


@pytest.mark.parametrize("page", PAGES)
def test_each_colour_stands_out_from_the_page(page):
    for role, colour in palette.COLOURS.items():
        assert palette.contrast(colour, PAGES[page]) >= 3, role


def test_text_is_easy_to_read_on_the_card():
    assert palette.contrast(palette.INK, palette.CARD) >= 12


#: Machado, Oliveira and Fernandes (2009), severity 1.0: what is left of linear RGB.
SEEN = {
    "everybody": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def lab(colour, sight):
    parts = torch.tensor([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = torch.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = (torch.tensor(SEEN[sight]) @ linear).clamp(0, 1)
    xyz = torch.tensor(TO_XYZ) @ seen / torch.tensor([0.95047, 1.0, 1.08883])
    f = torch.where(xyz > 0.008856, xyz ** (1 / 3), 7.787 * xyz + 16 / 116)
    return torch.stack([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SEEN)
def test_no_two_roles_look_alike(sight):
    """A distance of 2 in CIELAB is just visible; 15 is distinguished without comparing."""
    for one, other in itertools.combinations(palette.COLOURS, 2):
        apart = lab(palette.COLOURS[one], sight) - lab(palette.COLOURS[other], sight)
        assert apart.norm() > 15, (one, other, apart.norm())


def cells(values, **how):
    """The fill of each square, and its pixels without the edge, in grey."""
    drawing = draw(matrix(torch.tensor(values), **how), alt="x")
    image = np.asarray(Image.open(io.BytesIO(drawing.png())).convert("L"), float)
    squares = drawing.figure.axes[0].patches
    inside = []
    for square in squares:
        box = square.get_window_extent()
        left, right = (round(x * 100 / drawing.figure.dpi) for x in (box.x0, box.x1))
        low, high = (round(len(image) - y * 100 / drawing.figure.dpi) for y in (box.y1, box.y0))
        inside.append(image[low + 3 : high - 3, left + 3 : right - 3])
    return [to_hex(square.get_facecolor()) for square in squares], inside


@pytest.mark.parametrize("role", ["plain", *palette.COLOURS])
@pytest.mark.parametrize("sight", SEEN)
def test_a_sign_is_a_colour_on_light_and_dark_pages(role, sight):
    """A distance of 10 in CIELAB is seen at a glance; half of it is still visible."""
    for least, size in ((10, 2.0), (8, 1.0)):
        (above, below, zero), _ = cells([size, -size, 0.0], role=role, largest=2)
        for one, other in ((above, below), (on_dark(above), on_dark(below))):
            assert (lab(one, sight) - lab(other, sight)).norm() > least, (one, other)
        assert zero == palette.CARD, "zero takes neither side"


@pytest.mark.parametrize("role", ["plain", *palette.COLOURS])
@pytest.mark.parametrize("how", [{}, {"numbers": True, "digits": 1}, {"cell": 0.4}])
def test_a_sign_is_a_mark_in_grey(role, how):
    """In print, what is below zero has a minus of its own, however small it or its square is."""
    values = [2.0, 0.1, 0.0, -0.0, -0.1, -2.0]
    _, inside = cells(values, role=role, **how)
    if how.get("numbers"):
        said = texts(draw(matrix(torch.tensor(values), role=role, **how), alt="x"))
        assert said[1:] == ["2.0", "0.1", "0.0", "0.0", "−0.1", "−2.0"]
    else:
        assert [bool(np.ptp(square) > 60) for square in inside] == [value < 0 for value in values]


def test_equal_numbers_look_equal_and_the_lowest_is_not_the_darkest():
    fills, inside = cells([1.5, -3.0, 0.5, 1.5, -3.0], role="plain")
    assert fills[0] == fills[3] and fills[1] == fills[4]
    assert all(np.array_equal(inside[i], inside[j]) for i, j in ((0, 3), (1, 4)))
    for role in ("plain", *palette.COLOURS):
        fills, _ = cells([3.0, -3.0], role=role)
        dark = [palette.contrast(fill, palette.CARD) for fill in fills]
        assert dark[0] > dark[1], role


def test_a_score_that_is_hidden_has_no_sign():
    drawing = draw(matrix([-math.inf, math.inf, math.nan, -1.0], numbers=True), alt="x")
    assert texts(drawing)[1:] == ["−∞", "∞", "NaN", "−1"]
    fills = [to_hex(square.get_facecolor()) for square in drawing.figure.axes[0].patches]
    assert fills[:3] == [palette.PALE] * 3 and fills[3] != palette.PALE


def test_a_heat_map_of_both_signs_falls_in_lightness_from_end_to_end():
    shades = [to_hex(mpl.colormaps[plots.SIGNED_MAP](share / 20)) for share in range(21)]
    light = [palette.contrast(shade, "#000000") for shade in shades]
    assert light == sorted(light, reverse=True) and light[0] > 10 * light[-1]
    for sight in SEEN:
        first, middle, last = (lab(shades[i], sight) for i in (0, 10, 20))
        assert (first - last).norm() > 60
        assert middle[1:].norm() < min(first[1:].norm(), last[1:].norm()), "zero is grey"


# ---- stored and compared ---------------------------------------------------------------------


def example(weights=X):
    q = matrix(weights, "$Q$", role="q", rows=["a", "b"])
    k = matrix(X[0], "$k$", role="k", numbers=True)
    return draw(beside(q, k, gap=2), arrow(q, k, "$W$"), alt="x")


def test_two_drawings_of_the_same_have_the_same_bytes():
    assert example().svg() == example().svg()
    assert example().png() == example().png()
    assert len(example().svg()) < 15_000


def test_a_thin_line_keeps_its_colour_among_many_shades():
    many = matrix(torch.linspace(0, 1, 400).reshape(20, 20), role="k")
    end = tokens(["end"])
    drawing = draw(beside(many, end, gap=2), arrow(many, end, role="q"), alt="x")
    image = Image.open(io.BytesIO(drawing.png())).convert("RGB")
    found = {color for _, color in image.getcolors(2**24)}
    wanted = tuple(round(255 * part) for part in mpl.colors.to_rgb(palette.colour("q")))
    assert min(sum(abs(a - b) for a, b in zip(wanted, c, strict=True)) for c in found) < 20


def test_the_small_picture_is_whole():
    """What is taken out of the picture for its size is nothing that it needs."""
    from xml.etree import ElementTree

    svg = draw(matrix(torch.arange(8.0), "$x$", numbers=True), alt="x").svg()
    tree = ElementTree.fromstring(svg)
    used = set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg))
    assert used and used <= {element.get("id") for element in tree.iter()}
    paths = [e for e in tree.iter() if e.tag.endswith("}path") and "fill" in e.get("style", "")]
    assert len(paths) >= 1 + 8  # the card and the squares


def test_a_readers_settings_change_nothing():
    before = example().svg()
    with warnings.catch_warnings(), mpl.rc_context({"font.size": 20, "svg.fonttype": "none"}):
        warnings.simplefilter("error")
        plots.style()
        assert example().svg() == before


def test_drawings_are_compared_by_what_they_show(monkeypatch):
    monkeypatch.setenv("TFCOURSE_FIGURE_CONTENT", "1")
    _, about = example()._repr_mimebundle_()
    stored = about[drawn.FIGURE_CONTENT]
    band = numerics.Band()
    assert numerics.drawn_difference(stored, example().content(), band) is None
    assert numerics.drawn_difference(stored, example(X * 1.001).content(), band) is None
    moved = X.clone()
    moved[0, 0] = 3.0
    assert "image 0" in numerics.drawn_difference(stored, example(moved).content(), band)
    wider = example(torch.cat([X, X], 1))
    assert numerics.drawn_difference(stored, wider.content(), band) is not None
    monkeypatch.delenv("TFCOURSE_FIGURE_CONTENT")
    assert drawn.FIGURE_CONTENT not in example()._repr_mimebundle_()[1]


CELL = """
import torch
from coursebook import plots
from coursebook.drawings import draw, matrix
plots.style()
draw(matrix(torch.eye(2), "$I$"), alt="An identity matrix.")
"""


def test_a_notebook_keeps_vectors_and_the_description(tmp_path):
    """What the executor stores is described for the site, and clean; bytes are not compared."""
    from coursebook import executor, hygiene, nbval_bands

    path = tmp_path / "small.ipynb"
    cells = [
        nbformat.v4.new_markdown_cell("# Small", id="title"),
        nbformat.v4.new_code_cell(CELL.strip(), id="drawing"),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    notebook, _ = executor.execute(path)
    (output,) = notebook.cells[1].outputs
    assert set(output.data) == {"image/svg+xml", "image/png", "text/plain"}
    assert notebook.cells[1].metadata["mystnb"]["image"]["alt"] == "An identity matrix."
    problems = [p for p in hygiene.problems(notebook) if "first code cell" not in p]
    assert problems == []

    other = nbformat.from_dict(output)
    other["data"] = {**output.data, "image/svg+xml": "<svg/>"}
    assert numerics.figure_difference(output, other, numerics.Band()) is None
    for _, old, put in nbval_bands._pairs(other, output):
        put(old)
    assert other["data"] == output.data
