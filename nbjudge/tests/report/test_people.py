"""What people read: the overview, exports, why a grade is what it is, work that is alike."""

import csv
import re
import shutil
import time

import pytest
from small_set import NAME, RIGHT, answered, release_of

from nbjudge.answers import Variant
from nbjudge.likeness.sources import ADDED
from nbjudge.report import exports, overview
from nbjudge.report.likeness import as_page, likeness
from nbjudge.report.outputs import harmless, harmless_markdown
from nbjudge.report.why import why
from nbjudge.store.digests import fingerprints, normalised
from nbjudge.store.results import Report, StudentResult, TestResult, as_cell


@pytest.fixture(scope="module")
def page(graded):
    return (graded.into / "overview" / f"{NAME}.html").read_text("utf-8")


def test_the_overview_has_everybody_and_everything(page, graded):
    text = re.sub(r"<[^>]+>", " ", page)
    run = [s for s in graded.report.students.values() if s.seed is not None]
    assert f"{len(graded.report.students)} learners, {len(run)} notebooks run" in text
    for expected in (
        "double(…) should be …, but it is …",
        "double: function-after, split-answer",
        "cut-off: ps99-small.ipynb is not a notebook",
        "stubborn: ran out of time in double--values",
        "Left out of the submissions",
    ):
        assert expected in text, expected
    assert "Work that could not be run, or was never handed in, counts here as 0." in text
    assert "Means over the notebooks that were run, without answers that still await" in text
    waiting = sum(student.waiting > 0 for student in graded.report.students.values())
    assert f"Points of {waiting} learners still await marking" in text
    slowest = re.search(r"Slowest notebooks.*", text, re.DOTALL).group()
    assert re.search(r"(stubborn|prints)", slowest)


def test_nothing_on_the_overview_can_run(page):
    assert "default-src 'none'" in page
    for harm in ("<script", "<svg onload", "onerror=", "javascript:", "<iframe"):
        assert harm not in page


def student(prints=None, **tests):
    results = {f"scaling--{name}": TestResult(0.0, 1.0, message) for name, message in tests.items()}
    results |= {"scaling--right": TestResult(1.0, 1.0)}
    return StudentResult(results, seed=1, prints=prints or {"scaling": "x"})


VARIANTS = [
    Variant("scaling", "right-other", True, "another way", ""),
    Variant("scaling", "wrong-root", False, "no root", "", ("scaling--a", "scaling--b"), "scaled"),
    Variant(
        *("scaling", "wrong-unscaled", False, "not scaled", ""),
        *(("scaling--a", "scaling--b"), "not scaled: divide"),
    ),
    Variant("scaling", "wrong-mean", False, "a mean", "", ("scaling--a",), "not scaled"),
]


def test_mistakes_are_known_by_the_variant_that_fits_best():
    messages = {"a": "Your scores are not scaled: divide by 2.", "b": "Variance 4.4."}
    run = {
        "ada": student(**messages),
        "bob": student(**messages),
        "eve": student(a="A shape (2, 3) came."),
        "fay": student(a="A shape (4, 5) came."),
        "gil": student(prints={"other": "y"}, **messages),
    }
    assert overview.commonest(run, {"scaling": VARIANTS}) == [
        ("scaling", "", "A shape (…, …) came.", ["eve", "fay"]),
        ("scaling", "scaling/wrong-unscaled", "not scaled", ["ada", "bob"]),
    ], "and who wrote nothing made no mistake"


def test_a_mistake_keeps_its_name_when_a_test_of_it_is_void():
    lost = {"scaling--b": "Your scores are not scaled: divide by 2."}
    assert overview.match(lost, VARIANTS) is None
    assert overview.match(lost, VARIANTS, {"scaling--a"}).name == "wrong-unscaled"


def test_scores_fall_into_tenths():
    students = {str(n): StudentResult({"a--b": TestResult(n, 20.0)}) for n in (0, 1, 2, 19, 20)}
    counts = [count for _, count in overview.distribution(students)]
    assert counts == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    waits = {"a--b": TestResult(9, 10.0), "a--written": TestResult(None, 10.0)}
    assert overview.distribution({"one": StudentResult(waits)})[-1][1] == 1
    nothing = {"a--written": TestResult(None, 10.0)}
    assert overview.distribution({"one": StudentResult(nothing)})[0][1] == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(x):\n    return 2*x", "def f(y) :\n  # twice\n  'doc'\n  return 2 * y", True),
        ("def f(x: int) -> int:\n    return x", "def f(x):\n    return x", True),
        ("def f(x):\n    a = x\n    return a", "def f(q):\n    zz = q\n    return zz", True),
        ("def f(x):\n    return 2 * x", "def f(x):\n    return x * 2", False),
        ("def f(x):\n    return x.sum(0)", "def f(x):\n    return x.sum(1)", False),
        ("def f(:", "def f( :", False),
        ("x = " + "(" * 5000, "x = 1", False),
        ("x = " + "-" * 100_000 + "1", "x = 1", False),
        ("x" + ".a" * 50_000, "x = 1", False),
        ("x = " + "1 + " * 50_000 + "1", "x = 1", False),
        ("\n".join("  " * n + "if x:" for n in range(90)), "x = 1", False),
    ],
)
def test_a_copy_is_a_copy_under_other_names(one, other, same):
    assert (normalised(one) == normalised(other)) == same


def test_what_was_left_as_it_came_has_no_fingerprint(small_course):
    release = release_of(small_course)
    assert fingerprints(release, release) == {}
    assert set(fingerprints(answered(small_course), release)) == set(RIGHT)


def of(*code, words):
    """A student with these fingerprints."""
    named = {f"exercise-{number}": one for number, one in enumerate(code)}
    return StudentResult({}, prints={**named, "text--written": words})


def test_a_copy_with_words_of_its_own_is_listed():
    students = {
        "jane": of("1", "2", "3", "4", words="a"),
        "copycat": of("1", "2", "3", "4", words="b"),
        "eve": of("5", "6", "7", "8", words="c"),
        "nobody": StudentResult({}),
    }
    assert overview.identical(students) == [("every code answer", ["jane", "copycat"])]


def test_the_same_answer_is_listed_unless_many_have_it():
    students = {f"s{n}": of("obvious" if n < 40 else f"{n}", words=f"{n}") for n in range(60)}
    students["s50"] = of("rare", words="the same words")
    students["s51"] = of("rare", words="the same words")
    assert overview.identical(students) == [
        ("exercise-0", ["s50", "s51"]),
        ("text--written", ["s50", "s51"]),
    ], "and two code answers are alike by chance"


def test_a_graded_class_is_compared_with_itself_as_it_was_handed_in(graded, tmp_path):
    into = tmp_path / "graded"
    for part in ("submitted", "source", "release", "ledger.db"):
        copy = shutil.copy if part == "ledger.db" else shutil.copytree
        into.mkdir(exist_ok=True)
        copy(graded.into / part, into / part)
    alike = likeness(NAME, into, [graded.submitted], course=graded.course)
    assert list(alike.exercises) == ["double", "sum-squares", "explain--written", ADDED]
    (pair,) = (
        pair
        for pair in alike.exercises["double"].pairs
        if pair.one.name == "stubborn" and pair.other.student == "stubborn"
    )
    assert pair.alike.form == pair.alike.as_written == 1
    assert "alert(&#39;written&#39;)" not in as_page(alike), "nobody else wrote it"


# -- exports ---------------------------------------------------------------------------------------


def small_report():
    """Two whose marks are complete, one whose answer waits, one whom the judge failed on."""
    tests = {"a--x": TestResult(2.0, 3.0), "b--written": TestResult(1.0, 4.0)}
    waits = {**tests, "b--written": TestResult(None, 4.0)}
    students = {"ada": StudentResult(tests), "=cmd()": StudentResult(tests, penalty=0.5)}
    students |= {"waits": StudentResult(waits), "failed": StudentResult(tests)}
    return Report(NAME, students, unfinished=["failed"])


PEOPLE = {
    "ada": {
        "student": "ada",
        "Student": "Lovelace, Ada",
        "ID": "17",
        "Section": "A",
        "Email address": "ada@example.org",
        "Username": "alove",
    },
    **{name: {"student": name} for name in ("=cmd()", "waits", "failed")},
}


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_canvas(tmp_path):
    rows = read(exports.write_export("canvas", small_report(), PEOPLE, tmp_path))
    assert list(rows[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", NAME]
    assert (rows[0]["Student"], rows[0][NAME]) == ("    Points Possible", "7")
    assert list(rows[1].values()) == ["Lovelace, Ada", "17", "", "ada", "A", "3"]
    assert (rows[2]["SIS Login ID"], rows[2][NAME]) == ("'=cmd()", "2.5")
    assert len(rows) == 3


def test_moodle(tmp_path):
    rows = read(exports.write_export("moodle", small_report(), PEOPLE, tmp_path))
    columns = ["Email address", "Username", "ID number", NAME, f"{NAME} (feedback)"]
    assert list(rows[0]) == columns
    assert list(rows[0].values()) == ["ada@example.org", "alove", "", "3", "a: 2 of 3; b: 1 of 4"]
    assert len(rows) == 2


def test_marks_that_are_not_complete_are_exported_only_if_told(tmp_path):
    report = small_report()
    assert report.provisional == ["waits", "failed"]
    rows = read(exports.write_export("moodle", report, PEOPLE, tmp_path, provisional=True))
    assert [row["Username"] for row in rows] == ["alove", "'=cmd()", "waits", "failed"]
    assert rows[2][f"{NAME} (feedback)"] == "a: 2 of 3; b: – of 4"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_cell_is_a_formula(text):
    assert as_cell(text) == f"'{text}"
    assert as_cell("a" + text) == "a" + text


@pytest.mark.parametrize("sign", [";", "\n", "|", ";  ", ';"', '; "" '])
@pytest.mark.parametrize("formula", ["=1+1", "@SUM(1)", "-1", "＝1"])
def test_no_formula_behind_a_sign_that_ends_a_cell_elsewhere(sign, formula):
    assert as_cell(f"a{sign}{formula}") == f"a{sign}'{formula}"
    assert as_cell(f"a{sign}b{formula}; c; d - e") == f"a{sign}b{formula}; c; d - e"


# -- why -------------------------------------------------------------------------------------------


def test_why_explains_a_grade_with_all_that_an_instructor_needs(graded, small_course):
    explained = why(NAME, graded.submitted, graded.into, "wrong", "double", course=small_course)
    assert explained.answer == "def double(x):\n    return x * x"
    assert [(test.name, test.mark.score, test.points) for test in explained.tests] == [
        ("double--values", 0, 2),
        ("double--hidden", 0, 3),
    ]
    assert explained.tests[0].message == "double(3) should be 6, but it is 9"
    assert "secret_number" in explained.tests[1].source
    assert explained.seed == graded.report.students["wrong"].seed
    assert f"--again wrong --seed {explained.seed}" in explained.replay
    for student_, exercise, message in (
        ("nobody", "double", "none of their work"),
        ("wrong", "treble", "one of: double, sum-squares, explain"),
    ):
        with pytest.raises(ValueError, match=message):
            why(NAME, graded.submitted, graded.into, student_, exercise, course=small_course)


def test_why_in_a_terminal(graded, small_course):
    import io

    from rich.console import Console

    from nbjudge.report.show import show_why

    console = Console(file=io.StringIO(), width=100)
    for name, exercise in (("wrong", "double"), ("cut-off", "double"), ("right", "explain")):
        show_why(
            why(NAME, graded.submitted, graded.into, name, exercise, course=small_course), console
        )
    text = console.file.getvalue()
    for expected in (
        "wrong, double: 0 of 5 points",
        "should be 6, but it is 9",
        "secret_number",
        "return x * x",
        "cut-off, double: 0 of 5 points",
        "is cut off",
        "right, explain: – of 3 points",
    ):
        assert expected in text, expected


# -- what could run in somebody's browser ----------------------------------------------------------


def test_of_outputs_only_what_cannot_run_is_kept():
    import base64

    import nbformat

    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 9).decode()
    outputs = [
        {
            "output_type": "display_data",
            "data": {"text/html": "<script>", "image/svg+xml": "<svg>"},
        },
        {"output_type": "display_data", "data": {"image/png": '"><script>'}, "metadata": {"x": 1}},
        {"output_type": "display_data", "data": {"image/png": base64.b64encode(b"GIF").decode()}},
        {"output_type": "display_data", "data": {"image/png": png[:4] + "\n" + png[4:]}},
        {"output_type": "stream", "name": "javascript", "text": "x" * 10**6},
        {"output_type": "execute_result", "data": {"text/plain": "1", "text/latex": "$"}},
        {"output_type": "update_display_data", "data": {"text/plain": "1"}},
        {"output_type": "error", "ename": 3, "evalue": None, "traceback": 7},
    ]
    kept = harmless([nbformat.from_dict(out) for out in outputs])
    assert [out.output_type for out in kept] == [
        "display_data",
        "stream",
        "execute_result",
        "error",
    ]
    assert kept[0].data == {"image/png": png}
    assert kept[1].name == "stdout" and len(kept[1].text) < 60_000
    assert set(kept[2].data) == {"text/plain"}


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick='alert(1)'>b</b>",
        "[x](javascript:alert(1))",
        "[x](JaVa&#115;cript:alert(1))",
        "[x][y]\n\n[y]: javascript:alert(1)",
        "![x](https://example.org/track.png)",
        "<javascript:alert(1)>",
        "$\\href{javascript:alert(1)}{x}$",
        "<!-- --><svg/onload=alert(1)>",
        "&lt;script>alert(1)&lt;/script>",
        "&ltscript>alert(1)</script>",
        "&#36;&#92;href{javascript:alert(1)}{x}&#36;",
        "$&#x5c;href{javascript:alert(1)}{x}$",
        "&dollar;&bsol;href{javascript:alert(1)}{x}&dollar;",
        "\\$\\\\href{javascript:alert(1)}{x}\\$",
        "\\\\\\href{javascript:alert(1)}{x}",
        '$\\mmlToken{mi}[href="javascript:alert(1)"]{x}$',
        "$\\def\\x#1{\\href{#1}{x}}$",
        "```mermaid\n<script>alert(1)</script>\n```",
        "- ~~~mermaid\n  &lt;img src=x onerror=alert(1)>\n  ~~~",
    ],
)
def test_markdown_of_a_learner_shows_but_does_nothing(source):
    from nbconvert.filters import markdown2html

    html = markdown2html(harmless_markdown(source))
    harmless_tags = (
        r"<(?!/?p>|/?span|/?em>|/?pre>|/?code|/?ul>|/?li>|br|a href=\"https://|/a>)[a-z!/]"
    )
    assert not re.search(harmless_tags, html, re.IGNORECASE), html
    assert not re.search(r"\\(href|mmlToken|def)", html), html
    assert harmless_markdown(harmless_markdown(source)) == harmless_markdown(source)


def test_markdown_keeps_words_and_formulas():
    source = """Because $a < b$, and $x<3$: **divide** by `sqrt(d_k)` & Q&A.

$$\\begin{aligned} z &= \\frac{q^\\top k}{\\sqrt{d_k}} \\\\ \\hat y &\\approx w\\end{aligned}$$

```
x = 1
```
"""
    assert harmless_markdown(source) == source


@pytest.mark.parametrize("opener", [r"\\(", r"\\[", r"\begin{x}", "$", "$$", "$ "])
def test_formulas_that_never_end_take_no_longer_than_others(opener):
    from nbconvert.filters import markdown2html

    def seconds(text: str) -> float:
        start = time.process_time()
        markdown2html(harmless_markdown(text))
        return time.process_time() - start

    # Quadratic time would take 16 times as long.
    few, many = (seconds(f"{opener}x " * n + r"\end{)}") for n in (5_000, 20_000))
    assert many < 10 * max(few, 0.05)


def test_rows_of_an_array_keep_their_space():
    source = r"$$\begin{aligned} a &= b \\[6pt] c &= d \\[6pt] e &= f\end{aligned}$$"
    assert harmless_markdown(source) == source
