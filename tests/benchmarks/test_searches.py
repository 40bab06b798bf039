"""Searches, most of a learning rate: outwards from the first values, no best one at an end."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from coursebook.course import record_paths, root
from coursebook.measuring import bracketed

RECORDS = list(record_paths(root(Path(__file__).parent)).values())


def searches(found: object, name: str = "") -> Iterator[tuple[str, float, list[float]]]:
    """Each search of a record: whose it is, what was taken, and what was tried.

    Of learning rates, of how widely an embedding is drawn at the start (``"init"``), or of a
    regression's ``C``.
    """
    if isinstance(found, list):
        for one in found:
            yield from searches(one, name)
    if not isinstance(found, dict):
        return
    searched_by_runs = "rate" in found and "search" not in found
    if searched_by_runs and all("rate" in run for run in found.get("runs", [{}])):
        yield name, found["rate"], sorted({run["rate"] for run in found["runs"]})
    if "inits tried" in found:
        yield f"{name}, init", found["init"], sorted(map(float, found["inits tried"]))
    for key, value in found.items():
        if isinstance(value, dict) and key.startswith(("search", "validation", "by rate")):
            value = value.get("losses", value)
            if all(rate.replace(".", "").isdigit() for rate in value):
                yield name, found.get("rate", found.get("C")), sorted(map(float, value))
                continue
            if set(value) == set(found.get("rates", ())):  # a search for each kind of run
                for kind, tried in value.items():
                    yield kind, found["rates"][kind], sorted(map(float, tried))
                continue
        yield from searches(value, name if key in ("search", "searched") else key)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_no_best_value_lies_at_the_end_of_its_search(path):
    results = json.loads(path.read_text("utf-8"))["results"]
    at_an_end = {
        name
        for name, rate, tried in searches(results)
        # One rate is no search: it is that of an earlier record, which is judged as its own.
        if len(tried) > 1 and not tried[0] < rate < tried[-1]
    }
    assert not at_an_end


def test_the_records_have_searches_to_judge():
    some = [json.loads(path.read_text("utf-8"))["results"] for path in RECORDS]
    assert sum(1 for results in some for _ in searches(results)) >= 40


def test_a_search_goes_on_until_the_best_has_a_worse_one_on_each_side():
    tried = []

    def cost(rate):
        tried.append(rate)
        return abs(math.log(rate / 0.1))

    grid = (1e-3, 1e-2, 1e-1, 1, 10, 100)
    best, told = bracketed(grid, (1e-3, 1e-2), cost)
    assert best == 0.1 and tried == [1e-3, 1e-2, 0.1, 1]
    assert list(told) == ["0.001", "0.01", "0.1", "1"]


def test_a_lost_run_is_the_worst_and_the_grid_may_end():
    best, told = bracketed((1, 2, 3), (2, 3), lambda rate: math.inf if rate == 3 else rate)
    assert best == 1 and told == {"1": 1, "2": 2, "3": None}
