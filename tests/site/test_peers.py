"""Ours beside peers: drawn from the records, with the goals that are missed."""

import json
import re
from pathlib import Path

import pytest
from tiny_site import build

from coursebook.course import record_paths
from coursebook.sphinx.peers import RATIO, beside, memory, missed, own

ABOUT = {
    "date": "2026-11-25", "command": "python benchmarks/pace.py", "device": "A processor",
    "threads": 2, "versions": {"python": "3.11", "torch": "2.13.0"}, "seed": 0,
}  # fmt: skip
TEXT = "```{beside-peers} pace\n```"


def row(**more) -> dict:
    return {
        "work": "a step", "size": "3 layers", "unit": "tokens / s",
        "ways": {
            "tfcourse": {"ms": 10.0, "tokens / s": 12000, "peak MiB": 100.4, "MFU": 0.25},
            "tfcourse, compiled": {"ms": 8.0, "tokens / s": 15000},
            "slow peer": {"ms": 16.0, "tokens / s": 7500},
            "fast peer": {"ms": 8.0, "tokens / s": 15000},
        },
        RATIO: {"tfcourse, compiled": 0.8, "slow peer": 1.6, "fast peer": 0.8},
        "goal": {"slow peer": 1.5, "fast peer": 1.05},
    } | more  # fmt: skip


def page(folder: Path, **devices: str) -> str:
    place = folder / "benchmarks" / "records"
    place.mkdir(parents=True)
    for name, (device, rows) in devices.items():
        record = ABOUT | {"device": device, "results": {"rows": rows}}
        (place / f"{name.replace('_', '-')}.json").write_text(json.dumps(record))
    html, warnings = build(folder, TEXT, ("coursebook.sphinx.peers",))
    assert warnings == ""
    return html


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html))


def test_the_ratio_is_that_of_the_faster_of_ours():
    assert {name: ratio for name, ratio, _ in beside(row())} == pytest.approx(
        {"slow peer": 2.0, "fast peer": 1.0}
    )
    assert missed(row()) == ["fast peer"]
    slower = {"tfcourse, compiled": 2.0, "slow peer": 1.6, "fast peer": 1.05}
    assert missed(row(**{RATIO: slower})) == []


def test_memory_is_told_if_ours_takes_more_than_a_twentieth_above_the_best():
    def needs(ours: float) -> dict:
        mib = {"tfcourse": ours, "slow peer": 200.0, "fast peer": 100.0}
        return row(ways={name: {"ms": 1.0, "peak MiB": need} for name, need in mib.items()})

    assert memory(needs(105.0)) == "" and memory(row()) == ""
    assert memory(needs(112.0)) == "Ours takes 12% more memory than the most frugal peer."


def test_a_device_without_a_record_is_absent(tmp_path):
    shown = words(page(tmp_path))
    assert "On a CPU" not in shown and "On a GPU" not in shown and "measured" not in shown


def test_a_record_is_summed_up(tmp_path):
    shown = words(page(tmp_path, pace=("A processor", [row()])))
    assert "A processor, 2 thread(s), torch 2.13.0, 2026-11-25" in shown
    assert "at least as fast in 2 of 2 comparisons" in shown
    assert "reaches the goal in 1 of the 2 that have one" in shown
    assert "On a GPU" not in shown


def test_a_table_has_bars_figures_ratios_and_goals(tmp_path):
    html = page(tmp_path, pace=("A processor", [row()]))
    bars = dict(
        re.findall(r'scope="row">([^<]+)<span class="peers-bar" style="width: ([\d.]+)%', html)
    )
    assert {name: float(width) for name, width in bars.items()} == {
        "tfcourse": 80.0, "tfcourse, compiled": 100.0, "slow peer": 50.0, "fast peer": 100.0
    }  # fmt: skip
    shown = words(html)
    assert "12,000 tokens / s 25% of the peak, 100 MiB" in shown
    assert "2.00× goal 1.5×, met" in shown and "1.00× goal 1.05×, not met" in shown


def test_a_peer_that_writes_another_text_is_marked(tmp_path):
    same = {"tfcourse": True, "slow peer": False, "fast peer": True}
    shown = words(page(tmp_path, pace=("A processor", [row(**{"same text": same})])))
    assert shown.count("another text") == 1 and "2.00× another text" in shown


def test_a_goal_that_is_missed_is_explained_by_the_profile(tmp_path):
    shares = {name: {"aten::mm": 0.52} for name in ("tfcourse", "slow peer", "fast peer")}
    shown = words(page(tmp_path, pace=("A processor", [row(**{"share of the time": shares})])))
    assert re.search("of ours aten::mm +52%; of fast peer aten::mm +52%", shown)
    assert "of slow peer" not in shown


def test_a_record_of_a_gpu_is_drawn_under_the_cards_name(tmp_path):
    both = {"pace": ("A processor", [row()]), "pace_gpu": ("A card", [row(work="a kernel")])}
    shown = words(page(tmp_path, **both))
    assert shown.index("On a CPU: A processor") < shown.index("On a GPU: A card")
    assert "a kernel" in shown[shown.index("A card") :]


def test_the_stored_records_are_drawn(course, tmp_path):
    """Whatever the scripts wrote last, the page can draw."""
    for path in (path for name, path in record_paths(course).items() if "-speed" in name):
        results = json.loads(path.read_text())["results"]
        for found in results.get("rows", []) if isinstance(results, dict) else []:
            assert found["ways"]["tfcourse"]["ms"] > 0
            assert set(found[RATIO]) == set(found["ways"]) - {"tfcourse"}
            assert set(found["goal"]) <= set(found[RATIO])
            same = found.get("same text", {})
            # In 16 bits two scores may round to the same number, and the first of them is written.
            strict = [name for name in same if own(name) or "float32" in found["size"]]
            assert all(same[name] for name in strict)
