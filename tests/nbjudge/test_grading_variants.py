"""Reading variants and filling notebooks with them."""

import pytest
from small_set import answered, cell, release_of

from nbjudge.variants import fill, load_variants

WRONG = """\
# wrong: squares instead of doubling
# loses: double--values double--hidden
# told: should be 6
# a comment of the answer's own
def double(x):
    return x * x
"""


def write(folder, piece, name, text):
    path = folder / "variants" / piece / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_variant_is_its_heading_and_the_answers_source(tmp_path):
    write(tmp_path, "double", "squares", WRONG)
    write(tmp_path, "double", "adds", "# right: adds\n\ndef double(x):\n    return x + x\n")
    right, wrong = load_variants(tmp_path)["double"]
    assert (right.name, right.right, right.about) == ("adds", True, "adds")
    assert right.source == "def double(x):\n    return x + x"
    assert (wrong.piece, wrong.name, wrong.right) == ("double", "squares", False)
    assert wrong.loses == ("double--values", "double--hidden")
    assert wrong.told == "should be 6"
    assert wrong.source.startswith("# a comment of the answer's own\ndef double")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def double(x): ...", "must begin with either"),
        ("# right: a\n# wrong: b\n", "must begin with either"),
        ("# right: a\n# loses: double--values\n", "must not say"),
        ("# wrong: a\n# loses: double--values\n", "must say"),
        ("# wrong: a\n# loses: double--values\n# told: (\n", "regular expression"),
    ],
)
def test_a_heading_that_is_not_complete_is_refused(tmp_path, text, said):
    write(tmp_path, "double", "odd", text)
    with pytest.raises(ValueError, match=said) as raised:
        load_variants(tmp_path)
    assert "odd.py" in str(raised.value)


def test_fill_leaves_the_notebook_as_it_was(small_course):
    release = release_of(small_course)
    filled = fill(release, {"double": "double = abs"})
    assert cell(filled, "double").source == "double = abs"
    assert cell(release, "double").source != "double = abs"
    assert len(filled.cells) == len(answered(small_course).cells)


def test_fill_refuses_what_is_no_answer(small_course):
    with pytest.raises(ValueError, match="'tripled'.*answer cells are: double, sum-squares"):
        fill(release_of(small_course), {"tripled": ""})
