"""Ours beside peers: what a row of a record holds, and what a card can do at most."""

import json
import sys

import pytest
import torch

from coursebook import records


@pytest.fixture(scope="module")
def beside(scripts):
    import _beside

    return _beside


def test_ways_take_turns_after_each_has_warmed_up(beside):
    order = []
    ways = {name: lambda name=name: order.append(name) for name in ("tfcourse", "peer")}
    seen = beside.alternating(ways, 20, warm=2)
    assert order[:4] == ["tfcourse"] * 2 + ["peer"] * 2
    rounds = list(zip(order[4::2], order[5::2], strict=True))
    assert set(rounds) == {("tfcourse", "peer"), ("peer", "tfcourse")}, "neither is always first"
    assert {name: len(times) for name, times in seen.items()} == {"tfcourse": 20, "peer": 20}


def test_a_timed_run_may_follow_one_of_its_own(beside):
    order = []
    ways = {name: lambda name=name: order.append(name) for name in ("tfcourse", "peer")}
    seen = beside.alternating(ways, 2, warm=0, after_itself=True)
    assert order[::2] == order[1::2] and len(order) == 8
    assert {name: len(times) for name, times in seen.items()} == {"tfcourse": 2, "peer": 2}


def test_a_ratio_is_the_median_over_neighbouring_runs(beside):
    """Not the ratio of the medians, which would be 3."""
    seen = {"tfcourse": [1.0, 10.0, 1.0], "peer": [3.0, 15.0, 2.0]}
    row = beside.row("a step", "small", seen, goal={"peer": 1.5}, unit="tokens / s", amount=6)
    assert row["peer / ours in time, median of neighbouring runs"] == {"peer": 2.0}
    assert row["ways"]["tfcourse"] == {"ms": 1.0, "tokens / s": 6000}
    assert row["ways"]["peer"] == {"ms": 3.0, "tokens / s": 2000}
    assert row["goal"] == {"peer": 1.5}


@pytest.mark.parametrize(
    ("name", "bandwidth"),
    [
        ("NVIDIA H200", 4.8e12),
        ("NVIDIA H100 80GB HBM3", 3.35e12),
        ("NVIDIA H100 PCIe", 2.0e12),
        ("NVIDIA A100-SXM4-80GB", 2.0e12),
    ],
)
def test_a_known_card_has_the_numbers_of_its_data_sheet(beside, name, bandwidth, monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: name)
    most = beside.roof("cuda")
    assert most["bytes / s"] == bandwidth and most["from"] == "data sheet"


def test_a_profile_names_the_longest_operators(beside):
    a = torch.randn(600, 600)
    shares = beside.profile(lambda: (a @ a).relu_())
    assert "aten::mm" in shares and len(shares) <= 5
    assert sum(shares.values()) < 1.003, "five shares, each rounded to 0.001"


def test_a_stopped_run_leaves_the_record_and_is_resumed(beside, monkeypatch, tmp_path):
    monkeypatch.setattr(records, "_paths", dict)
    monkeypatch.setattr(records, "_folder", lambda: tmp_path)
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    monkeypatch.setattr(sys, "argv", ["speed.py"])
    record, beside_it = tmp_path / "speed.json", tmp_path / "speed.json.partial"
    ran = []

    def rows(device, quick, repeats):
        for name in ("one", "two, three"):
            yield name, lambda name=name: ran.append(name) or {"work": name, "runs": repeats}

    def stopped(device, quick, repeats):
        yield from list(rows(device, quick, repeats))[:1]
        raise KeyboardInterrupt

    def run(some, *flags):
        sys.argv[1:] = ["--keep", str(tmp_path / "kept"), *flags]
        beside.keep("speed", "", some, seed=0)

    record.write_text("the complete one")
    with pytest.raises(KeyboardInterrupt):
        run(stopped, "--repeats", "3")
    assert record.read_text() == "the complete one"
    assert [row["work"] for row in json.loads(beside_it.read_text())["results"]["rows"]] == ["one"]
    run(rows, "--repeats", "3")
    assert ran == ["one", "two, three"] and not beside_it.exists()
    written = json.loads(record.read_text())
    assert [row["work"] for row in written["results"]["rows"]] == ran
    assert written["command"].endswith("speed.py --repeats 3")
    run(rows, "--quick")
    assert ran[2:] == ["one", "two, three"], "a quick run neither reads nor writes what is kept"
    assert json.loads(record.read_text()) == written


def test_warming_runs_each_way_and_neither_times_nor_writes(beside, monkeypatch, tmp_path):
    monkeypatch.setattr(records, "_folder", lambda: tmp_path)
    monkeypatch.setattr(sys, "argv", ["speed.py", "--warm", "--keep", str(tmp_path / "kept")])
    ran = []

    def measured(name, repeats):
        seen = beside.alternating({name: lambda: ran.append(name)}, repeats, warm=1)
        pytest.fail(f"it was timed: {seen}")

    def rows(device, quick, repeats):
        for name in ("tfcourse", "peer"):
            yield name, lambda name=name: measured(name, repeats)

    beside.keep("speed", "", rows, seed=0)
    assert ran == ["tfcourse", "peer"] and not list(tmp_path.iterdir())
