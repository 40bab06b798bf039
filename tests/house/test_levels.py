"""What `make test` takes of the tests and what it leaves, and which tests stay together."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import levels
import pytest
import spread
from hypothesis import given, settings
from hypothesis import strategies as st

from coursebook import course

ROOT = course.root(Path(__file__).parent)


@pytest.fixture(scope="module")
def quick() -> str:
    """What pytest says of the tests of chapters, problem sets and pages at the quick level."""
    folders = ["tests/notebooks", "tests/solutions/test_variants.py", "tests/site/test_pages.py",
               "tests/site/figures"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--co", "-q", "--fresh", "--level", "quick", *folders],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def chapters() -> tuple[tuple[str, ...], ...]:
    """The lessons and the evidence that the quick level runs."""
    return levels.SAMPLE["chapter"], levels.SAMPLE["evidence notebook"]


def test_the_quick_level_takes_the_sample_and_nothing_else(quick):
    for kind in ("chapter", "problem set"):
        assert levels.SAMPLE[kind]
        for name in levels.SAMPLE[kind]:
            part = name.partition("-")[0] + "-" if kind == "problem set" else name
            assert f"[{part}" in quick, f"no test of the {kind} {name}"
    for name in levels.SAMPLE["live figure"]:
        assert f"::{name}" in quick
    assert "::test_gates" not in quick and "test_it_loads_without_a_fault" not in quick
    ran = "test_stored_outputs_are_what_the_cells_print["
    assert quick.count(ran) == sum(map(len, chapters()))
    assert "test_hygiene[09-decoder]" in quick, "what takes no time is taken of all"
    assert "[ps09-" not in quick and "a_chapter_gives_the_same_bytes" not in quick


def test_the_last_line_says_what_is_left(quick):
    last = quick.rstrip().splitlines()[-1]
    assert last.startswith("Left to `make test-all`: ")
    every = (course.chapter_paths(ROOT), course.evidence_paths(ROOT))
    for kind, paths, sample in zip(
        ("chapter", "evidence notebook"), every, chapters(), strict=True
    ):
        assert f"{len(paths) - len(sample)} {kind}s (" in last
    sets = len(course.problem_set_names(ROOT)) - len(levels.SAMPLE["problem set"])
    assert f"{sets} problem sets (" in last and " pages (" in last


class Item:
    """A test with markers and parameters, as far as levels look at them."""

    def __init__(
        self, *markers: pytest.MarkDecorator, name: str = "test", **params: object
    ) -> None:
        self.originalname = name
        self.markers = {decorator.mark.name: decorator.mark for decorator in markers}
        self.callspec = SimpleNamespace(params=params)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.markers.get(name)


CHAPTER = pytest.mark.case_of("chapter")
FIGURE = pytest.mark.case_of("live figure")


@pytest.mark.parametrize(
    ("item", "runs_at"),
    [
        (Item(), "quick all"),
        (
            Item(CHAPTER, path=Path("notebooks/05-self-attention/05-self-attention.ipynb")),
            "quick all release",
        ),
        (Item(CHAPTER, path=Path("notebooks/09-decoder/09-decoder.ipynb")), "all release"),
        (Item(CHAPTER, path=Path("notebooks/05-self-attention/evidence.ipynb")), "all release"),
        (Item(pytest.mark.thorough("test of kills")), "all"),
        (Item(pytest.mark.case_of("site")), "quick all"),
        (Item(FIGURE, name="test_what_a_figure_becomes"), "quick all release"),
        (Item(FIGURE, name="test_gates"), "all release"),
        (Item(pytest.mark.release("installation")), "release"),
        (Item(pytest.mark.release("installation"), pytest.mark.thorough("use")), "release"),
        (
            Item(pytest.mark.numerics("run"), CHAPTER, path=Path("05-self-attention.ipynb")),
            "numerics",
        ),
    ],
)
def test_each_level_runs_its_own(item, runs_at):
    assert [x for x in levels.LEVELS if levels.left_out(item, x) is None] == runs_at.split()


@pytest.mark.parametrize(("level", "drawn"), [("quick", 10), ("all", 20), ("release", 40)])
def test_a_property_is_tried_on_more_examples_at_each_level(level, drawn):
    seen = []

    @settings(max_examples=40, database=None)
    @given(st.integers())
    def property_(x):
        seen.append(x)

    item = Item()
    item.obj = property_
    assert levels.left_out(item, "release") is None
    assert len(levels.draw_fewer([item, item, Item()], level)) == 2, "once for each test"
    property_()
    assert len(seen) == drawn


def left(*each: tuple) -> list[str]:
    return levels.told([levels.Left(*one) for one in each])


def test_what_is_left_is_counted():
    assert left() == left(("", "")) == []
    assert left(("all", "test of kills"), ("all", "test of kills"), ("all", "page", "a")) == [
        "Left to `make test-all`: 2 tests of kills, 1 page (1 test)."
    ]
    some = [("all", "page", "a"), ("all", "page", "a"), ("numerics", "run of a chapter")]
    assert left(("release", "installation"), *some) == [
        "Left to `make test-numerics`: 1 run of a chapter.",
        "Left to `make test-release`: 1 installation.",
        "Left to `make test-all`: 1 page (2 tests).",
    ]


def test_what_shares_a_fixture_is_one_scope():
    variants = "tests/solutions/test_variants.py::test_a_right_variant_gets_all_points"
    assert spread.scope(f"{variants}[ps07-rotate-one]") == spread.scope(f"{variants}[ps07-x-y]")
    assert spread.scope(f"{variants}[ps07-rotate-one]") != spread.scope(f"{variants}[ps08-x-y]")
    nothing = "tests/solutions/test_nothing.py::test_nothing_implemented_gets_at_most"
    assert spread.scope(f"{variants}[ps07-x-y]") == spread.scope(f"{nothing}[ps07-positions]")
    chapter = "tests/notebooks/test_chapters.py::test_stored_outputs_are_what_the_cells_print"
    assert spread.scope(f"{chapter}[04-a]") != spread.scope(f"{chapter}[05-a]")
    assert spread.seconds(spread.scope(f"{chapter}[04-a]")) > 0
    gate = {spread.scope(f"tests/notebooks/test_chapters.py::test_the_gate_{x}") for x in "ab"}
    assert len(gate) == 1
    site = {spread.scope(f"tests/site/test_{name}.py::test") for name in ("build", "search")}
    assert len(site) == 1
    one = {spread.scope(f"tests/site/test_pages.py::test_{x}[a.html]") for x in ("axe", "quiz")}
    assert len(one) == 1
    pages = {spread.scope(f"tests/site/test_pages.py::test_axe[{x}.html]") for x in range(30)}
    assert len(pages) == spread.PAGES
    figures = {spread.scope(f"tests/site/figures/test_{x}.py::test") for x in range(30)}
    assert len(figures) == spread.FIGURES and not figures & (site | pages)
    maps = {spread.scope(f"tests/site/figures/test_map{x}.py::test") for x in ("", "_tours")}
    assert len(maps) == 1 and not maps & figures
    first, *others = (spread.seconds(scope) for scope in sorted(site | pages | figures))
    assert first > max(others), "one builds the site, while the others have not begun"
    graded = {
        spread.scope(f"nbjudge/tests/{x}.py::test")
        for x in ("run/test_class", "report/test_people")
    }
    assert (
        len(graded) == 1 < len({*graded, spread.scope("nbjudge/tests/judge/test_judge.py::test")})
    )
