"""Which tests each of `make test`, `test-all`, `test-release` and `test-numerics` runs.

They are ``--level quick``, ``all`` (what pytest does unless told), ``release`` and ``numerics``.
The last two run what the others leave to them, and nothing else but, at a release, all cases of
:data:`AT_RELEASE`. A property that Hypothesis tries on examples is tried on more of them at each
level: see :data:`SHARE`. Four markers tell the other tests apart:

``case_of(kind)``
    One case of many alike: the quick level takes those of its kind that :data:`SAMPLE` names.
``thorough(noun)``
    Left to `make test-all`.
``release(noun)``
    Left to `make test-release`: what only a change of versions or a new release can break.
``numerics(noun)``
    Left to `make test-numerics`.

The last line of a run says how many of each noun were left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import pytest

LEVELS = {
    "quick": "make test",
    "all": "make test-all",
    "release": "make test-release",
    "numerics": "make test-numerics",
}

#: The levels that run only the tests with a marker of their name.
ALONE = ("release", "numerics")

#: The part of its examples on which a property is tried. They are drawn anew at each run.
SHARE = {"quick": 0.25, "all": 0.5, "release": 1.0, "numerics": 1.0}

EVIDENCE = "evidence notebook"
FIGURE = "live figure"
#: The kinds of what takes long and few changes reach: :mod:`passed` leaves them to releases till
#: then.
AT_RELEASE = ("chapter", EVIDENCE, "problem set", FIGURE)

#: The cases that the quick level takes of each kind: what runs in seconds, and shows most.
SAMPLE = {
    "chapter": ("05-self-attention",),
    EVIDENCE: ("12-vision",),
    "problem set": ("ps05-self-attention",),
    "page": (),  # they need the whole site, as do the tests that are left with it
    FIGURE: (
        "test_what_a_figure_becomes",
        "test_the_scripts_attention_is_the_packages",
        "test_attention_is_walked_through_step_by_step",
        "test_the_causal_mask_shuts_the_leak",
        "test_without_a_script_the_still_pictures_stand",
    ),
    "measurement": ("heads_cost",),
    "attack": (
        "file_script_in_our_text",
        "file_time_stamp_forged",
        "imports_attention_by_other_names",
        "imports_attention_fused",
        "imports_attention_of_another_library",
        "imports_torch_that_agrees",
        "ipython_results_forged",
        "lies_answers_that_agree",
        "lies_errors_that_tell",
        "peeks_frames",
        "peeks_gradebook",
        "persists_in_neighbours",
        "wire_tensors_that_lie",
    ),
}

#: The parameter of a test that says which chapter, problem set, page or script it is about. Other
#: kinds are told by the name of the test.
PARAMETER = {"chapter": "path", "problem set": "problem_set", "page": "name",
             "measurement": "script", "attack": "attack"}  # fmt: skip


class Left(NamedTuple):
    """A test that a level leaves out: to which, counted as what, and of which case."""

    level: str
    noun: str
    subject: str = ""


def case(item: pytest.Item) -> tuple[str, str]:
    """The kind of a test and the name of its chapter, problem set or page; empty if it has none."""
    marker = item.get_closest_marker("case_of")
    if marker is None:
        return "", ""
    (kind,) = marker.args
    if kind not in PARAMETER:
        return kind, item.originalname if kind in SAMPLE else ""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if PARAMETER[kind] not in params:  # a test of the same file that is about no case
        return "", ""
    value = params[PARAMETER[kind]]
    if isinstance(value, Path) and value.name == "evidence.ipynb":
        return EVIDENCE, value.parent.name
    return kind, value.stem if isinstance(value, Path) else getattr(value, "name", str(value))


def left_out(item: pytest.Item, level: str) -> Left | None:
    """Where a test is left to, or None if it belongs to ``level``."""
    own = next(filter(None, map(item.get_closest_marker, ALONE)), None)
    if level in ALONE:  # it follows `make test-all`: nothing is left to anybody
        wanted = _tries_examples(item) or case(item)[0] in AT_RELEASE
        more = level == "release" and not own and wanted
        return None if more or (own and own.name == level) else Left("", "")
    if own:
        return Left(own.name, *own.args)
    if level == "all":
        return None
    if marker := item.get_closest_marker("thorough"):
        return Left("all", *marker.args)
    kind, subject = case(item)
    if kind in SAMPLE and subject not in SAMPLE[kind]:
        return Left("all", kind, subject)
    return None


def _tries_examples(item: pytest.Item) -> bool:
    """Whether a test is a property that Hypothesis tries on examples."""
    return getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


def draw_fewer(items: Collection[pytest.Item], level: str) -> list[Left]:
    """Have properties be tried on the level's share of their examples; returns what that leaves."""
    tried = [item for item in items if _tries_examples(item)]
    if not tried:
        return []
    from hypothesis import settings

    for test in {item.obj for item in tried}:
        # A decorator cannot change what another one has set.
        whole = test._hypothesis_internal_use_settings
        some = max(1, round(SHARE[level] * whole.max_examples))
        test._hypothesis_internal_use_settings = settings(whole, max_examples=some)
    return [Left("release", "test of a property on all examples")] * len(tried)


def told(left: Collection[Left]) -> list[str]:
    """A line for each level that something was left to: what, and how many tests."""
    lines = []
    for level in LEVELS:
        tests, subjects = Counter(), {}
        for one in left:
            if one.level == level:
                tests[one.noun] += 1
                subjects.setdefault(one.noun, set()).add(one.subject)
        parts = []
        for noun, count in sorted(tests.items(), key=lambda pair: -pair[1]):
            named = len(subjects[noun] - {""})
            parts.append(_counted(named or count, noun))
            parts[-1] += f" ({_counted(count, 'test')})" if named else ""
        if parts:
            lines.append(f"Left to `{LEVELS[level]}`: {', '.join(parts)}.")
    return lines[::-1]  # what the level above runs comes last, where it is seen


def _counted(count: int, noun: str) -> str:
    """2 problem sets; 2 tests of kills; 2 walks through all pages."""
    first, space, rest = re.match(r"(.*?)( of | through |$)(.*)", noun).groups()
    return f"{count:,} {first}{'s' * (count != 1)}{space}{rest}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--level", choices=LEVELS, default="all", help="which of the tests to run")


def pytest_configure(config: pytest.Config) -> None:
    for name, about in (
        ("case_of(kind)", "one case of a kind: tests/levels.py says which of them make test takes"),
        ("thorough(noun)", "left to make test-all, and told as so many of this noun"),
        ("release(noun)", "left to make test-release, and counted under this noun"),
        ("numerics(noun)", "left to make test-numerics, and counted under this noun"),
    ):
        config.addinivalue_line("markers", f"{name}: {about}")


_LEFT = pytest.StashKey[list]()


@pytest.hookimpl(trylast=True)  # after -k and -m: what nobody asked for is not left
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    level = config.getoption("level")
    out = {item: left for item in items if (left := left_out(item, level))}
    if out:
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]
    config.stash[_LEFT] = list(out.values())
    if SHARE[level] < 1:
        config.stash[_LEFT] += draw_fewer(items, level)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # each process collects all: one tells of it
        session.config.workeroutput["left"] = [
            tuple(x) for x in session.config.stash.get(_LEFT, [])
        ]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    if left := getattr(node, "workeroutput", {}).get("left"):
        node.config.stash[_LEFT] = [Left(*one) for one in left]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """After pytest's own last line."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal and not hasattr(config, "workeroutput"):
        for line in told(config.stash.get(_LEFT, [])):
            terminal.write_line(line)
