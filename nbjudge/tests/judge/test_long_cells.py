"""A cell that IPython would take the square of its length to read is given up."""

import re

import pytest
from IPython.core import inputtransformer2
from IPython.core.inputtransformer2 import TransformerManager

from nbjudge.inside import kernel


@pytest.fixture
def read(monkeypatch):
    """Reads a cell as a kernel does; gives the lines that were looked at on the way."""
    for holder, name in (
        (inputtransformer2, "TRANSFORM_LOOP_LIMIT"),
        (TransformerManager, "do_token_transforms"),
    ):
        monkeypatch.setattr(holder, name, getattr(holder, name))  # as before, afterwards
    monkeypatch.setattr(kernel, "LINES_READ", 5_000)
    kernel.bound_transforms.__wrapped__()
    looked_at = []
    once = TransformerManager.do_one_token_transform

    def counted(self, lines):
        looked_at.append(len(lines))
        return once(self, lines)

    monkeypatch.setattr(TransformerManager, "do_one_token_transform", counted)

    def transformed(cell):
        looked_at.clear()
        return TransformerManager().transform_cell(cell), sum(looked_at)

    transformed.looked_at = looked_at
    return transformed


@pytest.mark.parametrize("line", ["a?\n", "b = !a\n"])
def test_a_cell_full_of_magics_is_given_up(read, line):
    with pytest.raises(RuntimeError, match="still changing"):
        read(line * 500)
    assert sum(read.looked_at) <= kernel.LINES_READ + 500


def test_a_long_cell_with_many_magics_is_read_whole(read):
    cell, _ = read("!ls\n" * 40 + "x = 1\n" * 85)
    assert cell.count("system") == 40
    # What one cell took is not the next one's limit.
    cell, _ = read("!ls\n" * 60)
    assert cell.count("system") == 60


@pytest.mark.parametrize(
    "cell", ["x = 1\nif x:\n    y = [\n  1]\n", "s = '''a\nb''' ; t = 2 / 3, x\n"]
)
def test_a_cell_without_magics_is_not_read_token_by_token(read, cell):
    assert read(cell) == (cell, 0)


@pytest.mark.parametrize(
    "cell",
    [
        "%time x",
        "  !ls",
        "x = %who",
        "x?",
        "f(\n)\n\t;f a b",
        ",f a b",
        "/f a",
        "a \\\n/f",
        "x = 1; !ls",
    ],
)
def test_whatever_could_be_a_magic_is_read_as_ipython_does(read, monkeypatch, cell):
    is_magic, looked_at = read(cell)
    assert looked_at
    monkeypatch.setattr(kernel, "MAGIC", re.compile(""))
    assert read(cell)[0] == is_magic
