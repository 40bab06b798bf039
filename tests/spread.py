"""Among several processes: what shares a costly fixture stays together, and the longest is first.

The tests of a scope go to one process, in their order. A file is a scope; so is each chapter's run,
each problem set's class, and the site with all tests of it.
"""

from __future__ import annotations

import re

import pytest

#: Seconds that a scope takes, where it takes long: the first that its name matches. They are rough:
#: they decide what is begun first, so that all processes end at about the same time.
SECONDS = (
    ("tests/site", 300),
    (r"tests/chapters/.*\[04", 100),
    (r"tests/chapters/.*\[(09|1[01])", 70),
    (r"tests/chapters/.*\[", 50),
    (r"tests/grading/hostile/", 100),
    (r"tests/problem_sets/test_variants.py\[", 25),
    (r"tests/(grading|runs|training)/", 20),
)


def scope(nodeid: str) -> str:
    """Which tests go together: the name of their scope."""
    path, _, name = nodeid.partition("::")
    if path.startswith("tests/site/"):
        return "tests/site"
    if path.startswith("tests/chapters/"):
        return nodeid
    if found := re.search(r"\[(ps\d\d)", name):
        return f"{path}[{found.group(1)}]"
    return path


def seconds(scope: str) -> float:
    """About how long a scope takes; 0 if that is not long."""
    return next((value for pattern, value in SECONDS if re.match(pattern, scope)), 0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if getattr(config.option, "numprocesses", None) or hasattr(config, "workerinput"):
        items.sort(key=lambda item: -seconds(scope(item.nodeid)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadScopeScheduling

    class ByScope(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope(nodeid)

    config.option.loadscopereorder = False  # it would put the files with most tests first
    return ByScope(config, log)
