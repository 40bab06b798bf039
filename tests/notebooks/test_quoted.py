"""Every number that a lesson or an evidence notebook quotes is one that its source holds.

Meant are the numbers with a decimal point or a percent sign in prose. One is held if a cell of its
section prints it, if the verdict prints it that its paragraph links to, or if it belongs to the
condition of a claim that is stated there. Any other is listed in ``book/quoted.yml`` with its
source, which is looked up here.
"""

import json
import math
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from coursebook import records
from coursebook.claims import condition, read_claims
from coursebook.course import chapter_paths, evidence_paths, figure_numbers, root, short_name
from coursebook.yaml_files import read_yaml

ROOT = root(Path(__file__).parent)
NOTEBOOKS = {
    short_name(path): json.loads(path.read_text("utf-8"))["cells"]
    for path in (*chapter_paths(ROOT), *evidence_paths(ROOT))
}
# The page that tells of earlier conditions quotes their runs: it is read as one cell.
PAGE = (ROOT / "book" / "how-we-tested.md").read_text("utf-8")
NOTEBOOKS["how-we-tested"] = [{"cell_type": "markdown", "id": "page", "source": PAGE}]
CLAIMS = read_claims(ROOT)
QUOTED = read_yaml(ROOT / "book" / "quoted.yml")
ENTRIES = [
    (name, cell, number, source)
    for name, cells in QUOTED.items()
    for cell, sources in cells.items()
    for number, source in sources.items()
]

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?:\s?%)?")
#: What is not prose; and numbers that name a place in a source, a licence or a level of confidence.
NOT_QUOTED = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"```.*?```", r"\$\$.*?\$\$", r"\$[^$]*\$", r"`[^`]*`", r"<[^>]+>", r"\]\([^)]*\)",
        r"## Sources.*", r"(?:UBC|224N)(?:\*\*)?,? \(?\d\.\d", r"\*(?:UBC|UW|UCB|224N|KA)\b[^*]*\*",
        r"(?:section|exercise|table)s? \d+(?:\.\d+)*", r"CC BY \d\.\d",
        r"95 % intervals?",
    )
]  # fmt: skip
HEADING = re.compile(r"^(?=##? )", re.MULTILINE)
LINK = re.compile(r"\]\((?:\.\./([\w-]+)/)?evidence\.ipynb#([\w-]+)\)")


class Quote(NamedTuple):
    """A number in the prose of a cell, and the texts that hold it without being named."""

    cell: str
    number: str
    around: str
    held_by: list[str]


def output(cell: dict) -> str:
    """What a cell prints and shows, as text."""
    found = []
    for out in cell.get("outputs", ()):
        data = out.get("data", {})
        found += [out.get("text", ()), data.get("text/plain", ()), data.get("text/html", ())]
    text = " ".join("".join(part) for part in found)
    return re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)


def values(text: str) -> list[tuple[float, int]]:
    """The numbers in a text and how many decimals each has; 56 % is 0.56, with two."""
    found = []
    for number in NUMBER.findall(text):
        digits = number.rstrip("% ").replace(",", "")
        percent = number.endswith("%")
        decimals = len(digits.partition(".")[2].partition("e")[0]) + 2 * percent
        found.append((float(digits) / (100 if percent else 1), decimals))
    return found


def agrees(number: str, value: float) -> bool:
    """Whether ``value`` becomes ``number`` by rounding."""
    ((quoted, decimals),) = values(number)
    return abs(abs(value) - quoted) <= 0.5 * 10**-decimals + 1e-9


def holds(text: str, number: str) -> bool:
    """Whether a number in the text is ``number``, or has more decimals and rounds to it."""
    ((quoted, decimals),) = values(number)
    return any(
        abs(value - quoted) < 1e-9 if places == decimals else agrees(number, value)
        for value, places in values(text)
        if places >= decimals
    )


def cell_of(place: str) -> str:
    """What a cell prints, by its notebook and its id: ``"04-alignment/evidence#table"``."""
    name, _, cell = place.partition("#")
    return next((output(c) for c in NOTEBOOKS.get(name, ()) if c["id"] == cell), "")


def quotes(name: str, cells: list[dict]) -> Iterator[Quote]:
    """The numbers that the prose of a notebook quotes."""
    section = 0
    printed: dict[int, list[str]] = {0: []}
    parts: list[tuple[int, str, str]] = []
    for cell in cells:
        if cell["cell_type"] == "code":
            printed[section].append(output(cell))
            continue
        for i, part in enumerate(HEADING.split("".join(cell["source"]))):
            section += i > 0 or part.startswith("#")
            printed.setdefault(section, [])
            parts.append((section, cell["id"], part))
    for section, cell, part in parts:
        conditions = [condition(CLAIMS[c]) for c in re.findall(r"`([\w-]+)`", part) if c in CLAIMS]
        linked = [
            cell_of(f"{there or name.partition('/')[0]}/evidence#{at}")
            for there, at in LINK.findall(part)
        ]
        prose = part
        for pattern in NOT_QUOTED:
            prose = pattern.sub(" ", prose)
        for found in NUMBER.finditer(prose):
            if "." in found[0] or "%" in found[0]:
                around = prose[max(0, found.start() - 60) : found.end() + 30]
                held_by = printed[section] + linked + conditions
                yield Quote(cell, found[0], " ".join(around.split()), held_by)


def not_held(name: str, cells: list[dict]) -> list[Quote]:
    """The numbers for which a source must be named."""
    return [q for q in quotes(name, cells) if not any(holds(text, q.number) for text in q.held_by)]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_number_has_a_source(name):
    listed = QUOTED.get(name, {})
    missing = [q for q in not_held(name, NOTEBOOKS[name]) if q.number not in listed.get(q.cell, {})]
    told = "\n".join(f"  {q.cell}: {q.number} in “{q.around}”" for q in missing)
    assert not missing, f"no cell nearby prints these; name the source in book/quoted.yml:\n{told}"


def figure(name: str) -> dict:
    """The data of a live figure."""
    return json.loads(figure_numbers(ROOT, name).read_text("utf-8"))


#: What an expression in ``book/quoted.yml`` can use beside :mod:`math`.
KNOWN = {
    "figure": figure,
    "mean": statistics.mean,
    "printed": lambda place: [value for value, _ in values(cell_of(place))],
    "record": lambda name: records.load(name)["results"],
}


def looked_up(source: str, number: str) -> bool:
    """Whether a source in ``book/quoted.yml`` holds the number.

    It is a cell; ``= expression``; or ``given:`` with what gives it.
    """
    if source.startswith("given: "):
        return True
    if source.startswith("= "):
        return agrees(number, eval(source[2:], {**vars(math), **KNOWN}))
    points = f"{number} %"  # a share may be quoted in points
    return holds(cell_of(source), number) or ("%" not in number and holds(cell_of(source), points))


@pytest.mark.parametrize(("name", "cell", "number", "source"), ENTRIES)
def test_the_source_holds_the_number(name, cell, number, source):
    assert any((q.cell, q.number) == (cell, number) for q in quotes(name, NOTEBOOKS[name])), (
        f"{cell} does not quote {number}: remove the entry"
    )
    assert looked_up(source, number), f"{source} does not hold {number}: {cell_of(source)}"


def test_a_number_of_a_superseded_record_is_found():
    """Lesson 04 once quoted three other seeds than the record it pointed to."""
    cells = json.loads(json.dumps(NOTEBOOKS["04-alignment"]))
    cell = next(c for c in cells if c["id"] == "fair-result")
    cell["source"] = "".join(cell["source"]).replace("0.54", "0.65")
    listed = QUOTED["04-alignment"]["fair-result"]
    missing = not_held("04-alignment", cells)
    found = {q.number for q in missing if q.cell == "fair-result"} - set(listed)
    assert found == {"0.65"} and not looked_up(listed["0.54"], "0.65")
