"""What a mark scheme's text says: its items and their points."""

import pytest

from nbjudge.marking.scheme import read_scheme


def scheme(text, most=4):
    source = f"My own answer.\n\n=== BEGIN MARK SCHEME ===\n{text}\n=== END MARK SCHEME ===\n"
    return read_scheme(source, most)


def points(parsed):
    return [item.points for item in parsed.items]


def test_points_said_once_for_all_items():
    parsed = scheme(
        "One point each; half a point if the reason is missing.\n\n"
        "1. The first,\n   on two lines.\n"
        "2. The $x^2$.\n\nNo marks are taken off for language."
    )
    assert points(parsed) == [1, 1]
    assert [item.text for item in parsed.items] == ["The first,\non two lines.", "The $x^2$."]
    assert parsed.remarks.startswith("One point each") and parsed.remarks.endswith("for language.")
    assert parsed.model == "My own answer."


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("1. Two points: a.\n2. Half a point for b.\n3. 1.5 marks: c.", 4, [2, 0.5, 1.5]),
        ("3 points: says why.", 3, [3]),
        ("2 points: a.\n1 point: b.", 3, [2, 1]),
        ("- 2 points: a.\n- b\n- c", 4, [2, 1, 1]),
        ("- a\n- b", 5, [2.5, 2.5]),
        ("Anything sensible.", 5, [5]),
    ],
)
def test_points_of_each_item(text, most, expected):
    assert points(scheme(text, most)) == expected


def test_without_a_scheme_the_whole_answer_is_one_item():
    assert points(read_scheme("My own answer.", 4)) == [4]


def test_the_course_s_own_schemes_add_up(course):
    import nbformat

    from nbjudge.intake import cells

    remarks = {}
    for path in sorted((course / "solutions").glob("*/ps*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cells.is_answer(cell) and cells.is_graded(cell):
                parsed = read_scheme(cell.source, cells.points(cell))
                assert len(parsed.items) > 2 and sum(points(parsed)) == cells.points(cell), (
                    path.name
                )
                remarks[path.stem] = parsed.remarks
    remark = remarks["ps14-translator"]
    assert "`load`" in remark and "`translate`" in remark, "what no test sees of them, a marker can"
