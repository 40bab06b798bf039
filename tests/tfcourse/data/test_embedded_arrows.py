"""Four letters and an arrow: each image read back from its pixels."""

import pytest
import torch

from tfcourse import data
from tfcourse.data.arrows import ARROW, CORNERS, GLYPH, LETTERS, STROKES, TURNS, stamp, stamps


@pytest.fixture(scope="module")
def clean():
    """Images without dashes, so that what is drawn can be read back."""
    return data.load("arrows", "test", held_out=60, clutter=0)


def best(drawings: torch.Tensor, window: torch.Tensor) -> int:
    """Which of the drawings (N, turns, 9, 9) fits best somewhere in the window."""
    fields = window.float().unfold(0, GLYPH, 1).unfold(1, GLYPH, 1).reshape(-1, GLYPH**2)
    apart = torch.cdist(drawings.float().flatten(2), fields[None].expand(len(drawings), -1, -1))
    return int(apart.flatten(1).min(1).values.argmin())


def test_the_arrow_points_at_the_letter_that_the_label_names(clean):
    letters, arrows, _ = stamps()
    for image, place in zip(clean, clean.examples.places.tolist(), strict=True):
        ink = torch.nn.functional.pad(image.pixels[0], (1, 1, 1, 1))
        corners = [ink[:11, :11], ink[:11, -11:], ink[-11:, :11], ink[-11:, -11:]]
        read = [best(letters, corner) for corner in corners]
        assert len(set(read)) == 4, "no letter stands twice"
        assert best(arrows, ink[10:20, 10:20]) == place
        assert read[place] == image.label


def test_what_is_drawn():
    letters, arrows, dashes = stamps()
    assert letters.shape == (len(LETTERS), len(TURNS), GLYPH, GLYPH) and letters.amax() == 255
    assert arrows.shape == (4, len(TURNS), GLYPH, GLYPH) and dashes.shape == (4, GLYPH, GLYPH)
    # A quarter turn clockwise of a drawing is the drawing turned by a quarter.
    assert torch.equal(stamp(STROKES["L"], 90), stamp(STROKES["L"], 0).rot90(-1))
    right = stamp(ARROW, 0)
    assert right[:, 5:].int().sum() > right[:, :4].int().sum(), "the head has more ink"
    assert list(CORNERS) == ["top left", "top right", "bottom left", "bottom right"]


def test_splits_and_seeds_differ_and_dashes_only_add_ink():
    def load(split="train", **options):
        return data.load("arrows", split, examples=50, held_out=50, **options)

    corpora = [load(), load("validation"), load("test"), load(seed=1)]
    assert len({corpus.sha256() for corpus in corpora}) == 4
    assert load().sha256() == corpora[0].sha256()
    pixels, labels = corpora[0].tensors()
    assert pixels.dtype == torch.uint8 and pixels.shape == (50, 1, 28, 28)
    assert labels.min() >= 0 and labels.max() < len(LETTERS)
    one, other = (load(clutter=n).tensors()[0][:1] for n in (0, 16))
    assert (other >= one).all() and (other > one).any()


def test_classes_and_corners_are_about_as_frequent():
    corpus = data.load("arrows", "train", examples=3000)
    for values, kinds in ((corpus.tensors()[1], len(LETTERS)), (corpus.examples.places, 4)):
        counts = values.bincount(minlength=kinds)
        assert (counts - 3000 / kinds).abs().max() < 5 * (3000 / kinds) ** 0.5
