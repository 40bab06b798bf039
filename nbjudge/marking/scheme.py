"""Read the mark scheme of a written answer: its text, and the items that carry points."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

BEGIN, END = "BEGIN MARK SCHEME", "END MARK SCHEME"

_WORDS = {"half": 0.5, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_AMOUNT = rf"(?P<amount>\d+(?:\.\d+)?|½|{'|'.join(_WORDS)})"

#: What an item is worth, at its beginning: "2 points: ...", "Half a point for ...".
_WORTH = re.compile(rf"{_AMOUNT}(?: an?)? (?:points?|marks?)\b", re.IGNORECASE)

#: What each of them is worth, said once before the list.
_EACH = re.compile(rf"{_AMOUNT}(?: an?)? (?:points?|marks?) (?:each|per item)\b", re.IGNORECASE)

#: The beginning of an item: "1. ", "2) ", "- ", "* ", or its points at the left margin.
_ITEM = re.compile(rf"(?:\d+[.)]|[-*+]) +|(?={_WORTH.pattern}(?! each))", re.IGNORECASE)


@dataclass(frozen=True)
class SchemeItem:
    """One item of a mark scheme: its Markdown text, and its points."""

    text: str
    points: float


@dataclass(frozen=True)
class Scheme:
    """A mark scheme.

    Attributes
    ----------
    remarks:
        What it says besides its items, as Markdown.
    items:
        Its items, in order. A scheme without a list, or no scheme at all, is one item.
    model:
        The instructor's own answer, which precedes the scheme.
    """

    remarks: str = ""
    items: list[SchemeItem] = field(default_factory=list)
    model: str = ""


def read_scheme(source: str, most: float) -> Scheme:
    """The mark scheme in the source of an instructor's cell.

    Parameters
    ----------
    source:
        The cell's source, with nbgrader's markers around the scheme.
    most:
        The points of the cell. Items whose points the scheme does not say share what is left.
    """
    parts: dict[bool, list[str]] = {True: [], False: []}
    inside = False
    for line in source.splitlines():
        if BEGIN in line or END in line:
            inside = BEGIN in line
        else:
            parts[inside].append(line.rstrip())
    model, text = ("\n".join(parts[which]).strip() for which in (False, True))
    before, texts, after = _split(text)
    if not texts:
        return Scheme("", [SchemeItem(text or "Right and complete.", most)], model)
    each = _EACH.search(before)
    worths = [_points(each) if each else _points(_WORTH.match(item)) for item in texts]
    known = [worth for worth in worths if worth is not None]
    unknown = len(worths) - len(known)
    share = max(0.0, most - sum(known)) / unknown if unknown else 0.0
    items = [
        SchemeItem(item, share if worth is None else worth)
        for item, worth in zip(texts, worths, strict=True)
    ]
    return Scheme(f"{before}\n\n{after}".strip(), items, model)


def _split(text: str) -> tuple[str, list[str], str]:
    """The text before the first item, the items without their numbers, and the text after them."""
    before: list[str] = []
    items: list[list[str]] = []
    after: list[str] = []
    ended = False
    for line in text.splitlines():
        if begins := _ITEM.match(line):
            items.append([line[begins.end() :]])
            ended = False
        elif not items:
            before.append(line)
        elif not line.strip():
            ended = True
            after.append("")
        elif ended and not line.startswith(" "):
            after.append(line)
        else:
            items[-1].append(line.strip())
    return (
        "\n".join(before).strip(),
        ["\n".join(item).strip() for item in items],
        "\n".join(after).strip(),
    )


def _points(match: re.Match | None) -> float | None:
    if match is None:
        return None
    amount = match["amount"].lower()
    if amount == "½":
        return 0.5
    return float(_WORDS.get(amount) or amount)
