"""Prose from docstrings: whole sentences stay; code, tables, formulas and markup go."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Sections of numpydoc and of Google's style whose text is not prose.
_NO_PROSE = {"examples", "example", "references", "see also", "methods", "shape", "usage"}
_TERMS = {
    "parameters", "other parameters", "returns", "yields", "attributes", "raises", "warns",
    "receives", "arguments", "args", "keyword arguments", "keyword args",
}  # fmt: skip

_UNDERLINE = re.compile(r"^([=\-~^#*`'\"+:.])\1{2,}$")
_DIRECTIVE = re.compile(r"^\.\. ")
_BODY_IS_PROSE = re.compile(r"^\.\. (note|warning|tip|important|hint|admonition)::")
_ITEM = re.compile(r"^([-*+•]|\(?[0-9a-z]{1,2}[.)]|:[a-z]+[^:]*:)\s+")
_ROLE = re.compile(r":[a-z][a-z:]*:`(?:[^`<]*<)?[~!]?([^`>]*)>?`")
_CODE = re.compile(r"``([^`]*)``")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_{0,2}")
_TICK = re.compile(r"`([^`]*)`_?")
_STAR = re.compile(r"\*\*?([^*\s](?:[^*]*[^*\s])?)\*\*?")
_NOTE_MARK = re.compile(r"\s*\[(?:[0-9]+|#?[A-Za-z]+[0-9]*)\]_")
_WORD = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u00a0": " "}
)

_GONE = "\0"  # in place of code

#: A sentence ends here, unless one of these comes before the full stop.
_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]?[A-Z])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|resp|no|nos|vol|pp|ed|eds|fig|figs|eq|eqs|sec|ch|dr"
    r"|mr|prof|st|inc|ref|refs|dept|univ|jr|w\.r\.t|a\.k\.a)|\b(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)

#: The most common words of English.
_HELD_BY = (
    "the of and to a in is that for it as be with by this on are or not an at from which can if "
    "will one all when has have but its they more than no other there their may these was were "
    "been use used using only also into then we you such so each any some two must should do does "
    "how what where same most between both first out up over about would could because while "
    "after before without within"
)
_COMMON = frozenset(_HELD_BY.split())

#: No sentence ends with one of these: something was cut off.
_OPEN = frozenset(["the", "of", "and", "a", "an", "or", "by"])

#: Names with a capital letter inside; any other such word is a class in some code.
_NAMES = frozenset(
    ["NumPy", "SciPy", "PyTorch", "SymPy", "NetworkX", "SQLAlchemy", "LaTeX", "TeX", "JavaScript",
     "MySQL", "PostgreSQL", "SQLite", "GitHub", "OpenGL", "BibTeX", "McGraw", "PyPI", "MathML",
     "PostScript", "TrueType", "NaNs", "PDFs", "IDs", "URLs", "CPUs", "GPUs", "SVMs", "ROCm"]
)  # fmt: skip


def sentences(docstring: str) -> list[str]:
    """The sentences of English prose in a docstring, in their order.

    Parameters
    ----------
    docstring:
        The text, without its indentation, in reStructuredText, numpydoc or Google's style.

    Returns
    -------
    sentences
        Each of 5 to 50 words, beginning with a capital and ending with a full stop, question or
        exclamation mark, in ASCII and without markup.
    """
    found = []
    for paragraph in _paragraphs(docstring.split("\n")):
        found += [s for s in _split(_plain(paragraph)) if _is_prose(s)]
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _prose_lines(lines: list[str]) -> Iterator[tuple[int, str] | None]:
    """Each line that may be prose, as its indentation and its text; ``None`` for a break."""
    section, margin = "", 0  # the section's name and the indentation of its title
    deeper_than: int | None = None  # lines that are indented deeper go: code, or a formula
    doctest = False  # lines go until one is empty
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        text, indent = line.strip(), _indent(line)
        if not text:
            doctest = False
            yield None
            continue
        if doctest or (deeper_than is not None and indent > deeper_than):
            continue
        deeper_than = indent if text.endswith("::") or text.startswith(".. ") else None
        name = text.rstrip(":").lower()
        if _UNDERLINE.match(following.strip()) or (
            text.endswith(":") and name in _NO_PROSE | _TERMS
        ):
            section, margin = name, indent
            yield None
        elif text.startswith(">>>"):
            doctest = True
            yield None
        elif text.startswith(".. "):
            if _BODY_IS_PROSE.match(text):
                deeper_than = None
            yield None
        elif _UNDERLINE.match(text) or text.startswith(("|", "+-", "$ ")):
            yield None
        elif section in _NO_PROSE and indent >= margin:
            continue
        elif section in _TERMS and indent == margin:
            yield None  # "x : array of shape (n,)": the term, not what explains it
        else:
            if indent < margin:
                section, margin = "", 0
            yield indent, text


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Runs of prose lines; an item of a list is a paragraph, and so is each sub-item."""
    held: list[str] = []
    margin, hanging = 0, False
    for line in [*_prose_lines(lines), None]:
        indent, text = line or (0, "")
        item = _ITEM.match(text)
        goes_on = line and not item and (indent == margin or (hanging and indent > margin))
        if held and not goes_on:
            yield " ".join(held)
            held = []
        if line:
            # Only the second line of an item is indented anew.
            hanging = bool(item) if not held else False
            margin = indent
            held.append(text if item is None else text[item.end() :])


def _plain(text: str) -> str:
    """A paragraph without markup. A mark replaces code, so that its sentence goes."""

    def word(match: re.Match) -> str:
        inner = match.group(1).strip().rpartition(".")[2].removesuffix("()")
        return inner if inner.isalpha() else _GONE

    text = text.translate(_PLAIN)
    for pattern in (_ROLE, _CODE):
        text = pattern.sub(word, text)
    text = _LINK.sub(r"\1", text)
    text = _TICK.sub(word, text)
    text = _NOTE_MARK.sub("", text)
    text = _STAR.sub(r"\1", text)
    return re.sub(r"\s+", " ", text.replace(" -- ", " - ")).strip()


def _split(text: str) -> Iterator[str]:
    """The sentences of a paragraph."""
    start = 0
    for match in _END.finditer(text):
        if _ABBREVIATED.search(text[start : match.start()].rstrip("\"')")):
            continue
        yield text[start : match.end()].strip()
        start = match.end()
    if start < len(text):
        yield text[start:].strip()


def _is_prose(sentence: str) -> bool:
    """Whether this is a whole English sentence and nothing but words."""
    if not re.fullmatch(r"[\"'(]?[A-Z][A-Za-z0-9 ,;:.'\"()?!-]*[.?!][\"')]*", sentence):
        return False
    if sentence.count("(") != sentence.count(")") or sentence.count('"') % 2:
        return False
    if re.search(
        r"\.\.|\b[a-zA-Z]\w*\.[a-zA-Z]|[a-z]\(|\(\)|::|--|,,|\s[,.;:!?]| - [0-9]", sentence
    ):
        return False
    words = sentence.split()
    if not 5 <= len(words) <= 50:
        return False
    plain = [w.strip("\"'().,;:?!") for w in words]
    letters = [w for w in plain if _WORD.fullmatch(w)]
    if len(letters) < 0.85 * len(words):
        return False
    if any(re.search(r"[a-z][A-Z]", w) and w not in _NAMES for w in letters):
        return False
    if sum(len(w) == 1 and w not in "aAI" for w in letters) > 1:
        return False
    if sum(w.isupper() and len(w) > 1 for w in letters) > 2 or letters[-1].lower() in _OPEN:
        return False
    return sum(w.lower() in _COMMON for w in letters) >= 0.25 * len(letters)
