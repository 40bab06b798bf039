"""``{beside-peers}``: our speed compared with other libraries, from the CPU and GPU records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from coursebook import course, records
from coursebook.sphinx.map import MarkdownTable

OURS = "tfcourse"
RATIO = "peer / ours in time, median of neighbouring runs"
#: Further figures of an implementation beside its time and speed, and their formats.
MORE = {
    "MFU": "{:.0%} of the peak",
    "share of the bandwidth": "{:.0%} of the bandwidth",
    "peak MiB": "{:,.0f} MiB",
}


def own(name: str) -> bool:
    """Whether an implementation is ours: plain, or with a variant after the comma."""
    return name.split(",")[0] == OURS


def beside(row: dict[str, Any]) -> Iterator[tuple[str, float, float | None]]:
    """Each peer in a row, how many times as fast our best is, and the goal if there is one.

    Our best is the fastest implementation whose name begins with ours.
    """
    ratios = row[RATIO]
    ours = min([1.0, *(ratio for name, ratio in ratios.items() if own(name))])
    for name, ratio in ratios.items():
        if not own(name):
            yield name, ratio / ours, row["goal"].get(name)


def missed(row: dict[str, Any]) -> list[str]:
    """The peers against which a row's goal is missed."""
    return [name for name, ratio, goal in beside(row) if goal and round(ratio, 2) < goal]


def summary(rows: list[dict[str, Any]]) -> str:
    """How many comparisons ours wins or ties, and in how many it meets its goal."""
    pairs = [pair for row in rows for pair in beside(row)]
    faster = sum(round(ratio, 2) >= 1 for _, ratio, _ in pairs)
    with_goal = sum(bool(goal) for *_, goal in pairs)
    met = with_goal - sum(len(missed(row)) for row in rows)
    return (
        f"Ours is at least as fast in {faster} of {len(pairs)} comparisons, and reaches the goal "
        f"in {met} of the {with_goal} that have one."
    )


def table(row: dict[str, Any]) -> str:
    """One row of a record as a table: each implementation, its bar and figures, and the ratio."""
    unit, ways = row["unit"], row["ways"]
    shortest = min(way["ms"] for way in ways.values())
    peers = {name: (ratio, goal) for name, ratio, goal in beside(row)}
    body = []
    for name, way in ways.items():
        length = 100 * shortest / way["ms"]
        more = [how.format(way[key]) for key, how in MORE.items() if key in way]
        figures = f"{way[unit]:,g} {escape(unit)}" if unit == "ms" else f"{way[unit]:,} {unit}"
        small = f"<small>{escape(', '.join(more))}</small>" if more else ""
        ratio, goal = peers.get(name, (None, None))
        told = "" if ratio is None else f"{ratio:.2f}×"
        if not row.get("same text", {}).get(name, True):
            told += "<small>another text</small>"
        if goal:
            sign = "met" if name not in missed(row) else "not met"
            told += f"<small>goal {goal:g}×, {sign}</small>"
        kind = "ours" if own(name) else "peer"
        body.append(
            f'<tr class="{kind}"><th scope="row">{escape(name)}'
            f'<span class="peers-bar" style="width: {length:.1f}%"></span></th>'
            f"<td>{figures}{small}</td><td>{told}</td></tr>"
        )
    return (
        f'<table class="peers"><caption>{escape(row["work"])}<small>{escape(row["size"])}</small>'
        '</caption><thead><tr><th scope="col">bar: speed</th><th scope="col">measured</th>'
        f'<th scope="col">time beside ours</th></tr></thead><tbody>{"".join(body)}</tbody></table>'
    )


def why(row: dict[str, Any]) -> str:
    """Where the time goes, if a goal is missed and the record has a profile; else empty."""
    shares = row.get("share of the time", {})
    slow = [name for name in missed(row) if name in shares]
    if not slow:
        return ""

    def told(name: str) -> str:
        return ", ".join(f"`{what}` {share:.0%}" for what, share in shares[name].items())

    lines = [f"of ours {told(OURS)}", *(f"of {name} {told(name)}" for name in slow)]
    return f"Where a step's time goes: {'; '.join(lines)}."


def memory(row: dict[str, Any]) -> str:
    """How much more memory ours needs than the most frugal peer, if more than 5 %; else empty."""
    needs = {name: way["peak MiB"] for name, way in row["ways"].items() if "peak MiB" in way}
    ours = [need for name, need in needs.items() if own(name)]
    least = min((need for name, need in needs.items() if not own(name)), default=0)
    if not ours or not least or min(ours) <= 1.05 * least:
        return ""
    return f"Ours takes {min(ours) / least - 1:.0%} more memory than the most frugal peer."


class BesidePeers(MarkdownTable):
    """The rows of one script's records, on a CPU and on a GPU; a device without one is left out."""

    required_arguments = 1
    classes = ["beside-peers"]

    def run(self) -> list[nodes.Node]:
        paths, found = course.record_paths(Path(self.env.srcdir)), []
        for title, ending in (("On a CPU", ""), ("On a GPU", "-gpu")):
            path = paths.get(self.arguments[0] + ending)
            if path is not None:
                self.env.note_dependency(str(path))
                found += self._drawn(title, json.loads(path.read_text("utf-8")))
        return found

    def _drawn(self, title: str, record: dict[str, Any]) -> list[nodes.Node]:
        rows = record["results"]["rows"]
        about, command = records.where_and_when(record), record["command"]
        found = self.markdown(["", f"**{title}:** {about}, `{command}`. {summary(rows)}", ""])
        for row in rows:
            found.append(nodes.raw("", table(row), format="html"))
            told = " ".join(filter(None, [why(row), memory(row)]))
            found += self.markdown([told, ""]) if told else []
        return found


def setup(app: Sphinx) -> dict:
    app.add_directive("beside-peers", BesidePeers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
