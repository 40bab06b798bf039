"""What an answer's fingerprints ignore, and what they always find."""

import time

import pytest

from nbjudge.likeness.prints import FORM, RUN, WINDOW, prints, tokens, without_comments

ONE = """\
def scaled(values, limit):
    '''Scale them.'''
    kept = [value for value in values if value < limit]  # the small ones
    return [value / max(kept) for value in kept if value > 0.5]
"""


def marks(source, how=FORM, code=True):
    return {one.mark for one in prints(source, code) if one.how == how}


def test_form_has_no_names_comments_docstrings_or_layout():
    other = (
        "def f( a,b ) :\n\n  # another\n  c = [ d for d in a if d < b ]\n"
        "  return [ d / g(c) for d in c\n           if d > 0.5 ]"
    )
    assert tokens(ONE, FORM) == tokens(other, FORM)
    assert marks(ONE) == marks(other)
    assert marks(ONE, "as written").isdisjoint(marks(other, "as written"))
    assert marks(ONE) != marks(ONE.replace("value < limit", "value < 7")), "a number is not a name"
    assert marks(ONE) != marks(ONE.replace("if value <", "if not value <"))


def test_comments_are_found_where_they_are_and_nowhere_else():
    source = "x = '# no' # yes\n'''also\nyes'''\ny = f('''no''')\nz = \"it's\" # '\n"
    assert without_comments(source).split() == ["x", "=", "'#", "no'", "y", "=", "f('''no''')"] + [
        *("z", "=", '"it\'s"')
    ]
    assert len(without_comments(source)) == len(source)


def test_every_long_enough_run_in_common_is_found():
    """Whatever stands around it, as winnowing guarantees."""
    shared = " ".join(f"x + {number} *" for number in range(20))
    every = tokens(shared, FORM)
    for length in range(RUN + WINDOW - 1, len(every)):
        for before, after in (("if", "else"), ("while not a:", "[0]"), ("a = b;" * 9, "; c == d")):
            part = " ".join(every[:length]).replace("name", "x")
            assert marks(f"{before} {part} {after}") & marks(part), (length, before)


def test_a_fingerprint_knows_its_place():
    for one in prints(ONE, code=True):
        place = ONE[one.begin : one.end]
        assert marks(place, one.how) == {one.mark} and place == place.strip()
    text = "The mean of many draws is much less far off than a single one."
    for one in prints(text, code=False):
        assert len(text[one.begin : one.end].split()) == 5


def test_words_have_neither_case_nor_punctuation():
    assert marks("The mean of MANY draws, less far off.", "words", code=False) == marks(
        "the mean of many draws (less far off)", "words", code=False
    )


def test_what_is_no_python_has_fingerprints_too():
    broken = "def scaled(values, limit:\n    return [value / for value in values if (limit > 3"
    assert marks(broken) & marks(broken + "\n  y = )")
    assert prints("", code=True) == [] and len(marks("x = 1")) == 1


@pytest.mark.parametrize("piece", ["'\\", "\"\"\"'''", "\\", "'", '"', '"x"\n', "'' ", "f'{", "#"])
def test_no_text_takes_long(piece):
    def seconds(length):
        start = time.process_time()
        prints(piece * (length // len(piece)), code=True)
        return time.process_time() - start

    # Quadratic time would take 16 times as long.
    few, many = (min(seconds(length) for _ in range(3)) for length in (5_000, 20_000))
    assert many < 10 * max(few, 0.05)
