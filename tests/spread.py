"""Among several processes: what shares a costly fixture stays together, and the longest is first.

The tests of a scope go to one process, in their order. A file is a scope; so is each run of a
chapter, all that judges one problem set, the pages of the site and the files of its figures in
parts, and the files that :data:`TOGETHER` names.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
import zlib
from collections import Counter
from collections.abc import Generator
from typing import NamedTuple

import pytest

#: Seconds that a scope takes, where it takes long: the first that its name matches. They are rough,
#: and count on a machine that has not measured its own yet.
SECONDS = (
    (r"tests/site$", 400),  # the first: it builds the site, and the others would wait for it
    (r"nbjudge/tests/test_hub\.py", 300),  # it waits, more than it computes
    (r"nbjudge/tests/(run/test_cluster|hostile/test_hostile)\.py", 200),
    (r"tests/site, ", 130),
    (r"tests/site/test_live_models", 130),
    (r"tests/notebooks/.*\[1[01]", 130),
    (r"tests/coursebook/test_new", 130),
    (r"tests/benchmarks/test_record_scripts", 120),
    (r"tests/solutions\[", 100),
    (r"nbjudge/tests/collect/test_class_of_30\.py", 100),
    (r"nbjudge/tests, one class", 100),
    (r"tests/notebooks/.*\[(04|09|12)", 75),
    (r"nbjudge/tests/(judge/test_(judge|breaking)|test_(quickstart|heights_course))\.py", 75),
    (r"tests/tfcourse/models/test_traceable", 60),
    (r"tests/house/test_types", 60),
    (r"tests/notebooks/.*\[", 35),
    (r"(nbjudge/tests|tests/tfcourse/(runs|training))/", 20),
)

#: The tests that each run the code of one chapter.
CHAPTER_RUNS = r"test_(stored_outputs|outputs_survive|a_notebooks_own_training)_"

#: Where pytest's cache keeps how long each scope took when it was last run.
KEPT = "tfcourse/seconds"

#: So many of the longest scopes are shown.
SHOWN = 24


#: In so many parts the site's pages and its figures' files go. Each part has a browser's page of
#: its own; in one, they would be the last to end.
PAGES, FIGURES = 4, 3

#: Files that share what is costly: whose names match, and their scope's. It is a fixture, or what
#: is found out once in a process, such as which tests of a problem set believe a lie.
TOGETHER = (
    (r"tests/site/(?!test_(pages|live_models)\.py|figures/)", "tests/site"),
    (r"tests/site/figures/test_map", "tests/site, map"),
    (r"tests/solutions/", "tests/solutions"),
    (
        r"nbjudge/tests/(run/test_(class|again)|report/test_(feedback|people)|intake/test_rules)\.py",
        "nbjudge/tests, one class",
    ),
)


def scope(nodeid: str) -> str:
    """Which tests go together: the name of their scope."""
    path, _, name = nodeid.partition("::")
    if path.startswith("tests/notebooks/") and re.match(CHAPTER_RUNS, name):
        return nodeid
    path = next((together for pattern, together in TOGETHER if re.match(pattern, path)), path)
    if path == "tests/site/test_pages.py":
        return f"tests/site, pages {_part(name.partition('[')[2], PAGES)}"
    if path.startswith("tests/site/figures/"):
        return f"tests/site, figures {_part(path, FIGURES)}"
    if found := re.search(r"\[(ps\d\d)", name):
        return f"{path}[{found.group(1)}]"
    return path


def _part(name: str, parts: int) -> int:
    """In which of so many parts something of this name is, the same in all processes."""
    return zlib.crc32(name.encode()) % parts


def seconds(scope: str) -> float:
    """About how long a scope takes; 0 if that is not long."""
    return next((value for pattern, value in SECONDS if re.match(pattern, scope)), 0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest first, so that all processes end at about the same time."""
    if getattr(config.option, "numprocesses", None) or hasattr(config, "workerinput"):
        took = config.cache.get(KEPT, {}) if hasattr(config, "cache") else {}
        items.sort(key=lambda item: -took.get(s := scope(item.nodeid), seconds(s)))


# Not xdist's own groups (`--dist loadgroup`): xdist 3.8 writes their names into an attribute that
# pytest 9.2 no longer reads, so that each test would go to any process.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadScopeScheduling

    class ByScope(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope(nodeid)

    config.option.loadscopereorder = False  # it would put the files with most tests first
    return ByScope(config, log)


class Process(NamedTuple):
    """Processor seconds of a process: its own, and those of the children that it waited for."""

    parent: int
    own: float
    waited: float


#: Processes by number and start: a number may be given again.
Processes = dict[tuple[int, int], Process]

# Some tests take away functions that read files.
_open, _listdir = open, os.listdir


def _read(pid: int) -> tuple[tuple[int, int], Process] | None:
    """What Linux says of a process, unless it has ended."""
    try:
        with _open(f"/proc/{pid}/stat") as stat:
            # A program's name stands in brackets and may hold anything.
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return None
    took = [int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in fields[11:15]]
    return (pid, int(fields[19])), Process(int(fields[1]), sum(took[:2]), sum(took[2:]))


def _children(pid: int) -> list[int]:
    """Read for each process: to go through all that a machine runs takes twenty times as long."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it may end meanwhile
        for thread in _listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), _open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def living(known: Processes) -> Processes:
    """This process and all that came from it: those known, and what can be found from there.

    When a process ends, what it started belongs to another one, which may not come from here.
    """
    found: Processes = {}
    todo = [os.getpid(), *(key[0] for key in known if (now := _read(key[0])) and now[0] == key)]
    while todo:
        pid = todo.pop()
        if (now := _read(pid)) and now[0] not in found:
            found[now[0]] = now[1]
            todo += _children(pid)
    return found


def used(before: Processes, now: Processes) -> float:
    """Processor seconds from one reading to the next, each counted once.

    A process that is waited for leaves its time to the one that waits, where all but what was seen
    of it is new. What was seen of one that nobody waited for has been counted.
    """
    numbers = {key[0]: key for key in before}
    left: Counter[tuple[int, int] | None] = Counter()
    for key in before.keys() - now.keys():
        heir = key
        while heir in before and heir not in now:
            heir = numbers.get(before[heir].parent)
        left[heir] += before[key].own + before[key].waited
    took = 0.0
    for key, process in now.items():
        earlier = before.get(key, Process(0, 0.0, 0.0))
        waited = process.waited - earlier.waited
        took += process.own - earlier.own + waited - min(waited, left[key])
    return took


#: Seconds from one reading to the next, at least. One of ten processes takes a millisecond, and
#: most tests take a few.
APART = 0.1


class Meter:
    """Writes to a report the processor's time since the one before in its process.

    Servers that fork, sandboxes and browsers are waited for at the end or never: so they are read
    while they live. What one uses after its last reading is lost if nobody waits for it. What short
    tests use counts for the report that is made next :data:`APART` seconds after the last reading.
    """

    def __init__(self) -> None:
        self.last, self.read = living({}), time.monotonic()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        report.processor = 0.0
        if time.monotonic() - self.read > APART:
            now = living(self.last)
            report.processor = used(self.last, now)
            self.last, self.read = now, time.monotonic()
        return report


class Clock:
    """Where the time goes: by folder and by scope, in the process that hears of all tests.

    The clock's time depends on what else the machine does; the processor's does not.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.several = bool(getattr(config.option, "numprocesses", None))
        #: Seconds of the clock and of the processor. A folder and a scope may have the same name.
        self.folders, self.scopes = (Counter(), Counter()), (Counter(), Counter())
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = "/".join(report.nodeid.partition("::")[0].split("/")[:-1][:3])
        self.tests[folder] += report.when == "call"
        took = report.duration, getattr(report, "processor", 0)  # what crashed has no processor
        for seconds, of_folder, of_scope in zip(took, self.folders, self.scopes, strict=True):
            of_folder[folder] += seconds
            of_scope[scope(report.nodeid)] += seconds

    def pytest_sessionfinish(self) -> None:
        if hasattr(self.config, "cache") and self.several:
            kept = self.config.cache.get(KEPT, {})
            took = {name: round(seconds, 1) for name, seconds in self.scopes[0].items()}
            self.config.cache.set(KEPT, kept | took)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.several:
            return
        terminalreporter.section("where the time went, in seconds: clock, processor")
        clock, processor = self.folders
        for folder, took in clock.most_common():
            terminalreporter.write_line(
                f"{took:6.0f} {processor[folder]:6.0f} {self.tests[folder]:6} tests  {folder}"
            )
        all_of_it = f"{clock.total():6.0f} {processor.total():6.0f} {self.tests.total():6} tests"
        terminalreporter.write_line(f"{all_of_it}  in all")
        terminalreporter.write_line("longest of those that stay together:")
        clock, processor = self.scopes
        for name, took in clock.most_common(SHOWN):
            terminalreporter.write_line(f"{took:6.0f} {processor[name]:6.0f} {name}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Meter())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Clock(config))
