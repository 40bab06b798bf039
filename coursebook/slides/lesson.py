"""What of a lesson goes onto its slides.

Every drawing, plot, live figure and question gets a slide of its own under its section's heading.
It says the section's key sentences up to there: those with a term in bold, display formulas, and
lists. If there are none, it says the sentence right before the picture. A live figure's slide also
asks the figure's own question. What is left of a section follows on slides without a picture. A
section that has nothing of this shows its first cell of code, if it is short, or its first
sentence. Paragraphs that begin with a label (``**Time:**``, ``**Your turn.**``), quotes, folded
answers and the sources stay out.

A cell with the tag ``no-slide`` stays out; one with the tag ``slide`` is shown whole.
"""

from __future__ import annotations

import math
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import nbformat

from coursebook import live, quizzes
from coursebook.course import Lesson

#: Lines of text that a slide has room for without a picture, above one, and above a live figure.
LINES, ABOVE, ABOVE_LIVE = 12.5, 6.5, 4.0
#: Lines of smaller text, for a list that would go on for a few lines on another slide.
DENSE = 14.5
#: Characters in a line of text, of smaller text, and of text beside a picture.
WIDE, WIDER, NARROW = 76, 88, 34
#: Lines of a cell of code that a slide shows.
CODE = 15
#: The room below a heading and a line of text, in pixels.
ROOM, BESIDE, LINE = (1160, 540), 660, 42

#: What a live figure looks like on a slide.
STYLE = Path(__file__).with_name("figure.css")

#: Sections that are for readers alone.
LEFT_OUT = {"Sources"}

#: The last section of a deck.
END = "What to take away"

_FOLDED = re.compile(r"<details>.*?</details>|^(`{3,}|:{3,}).*?^\1$", re.DOTALL | re.MULTILINE)
_LABEL = re.compile(r"\*\*([^*]+:|Your turn\.)\*\*")
_BOLD = re.compile(r"\*\*[^*]+\*\*")
_DISPLAY = re.compile(r"(\$\$.+?\$\$|\\begin\{.+?\\end\{\w+\*?\})", re.DOTALL)
_ENDS = re.compile(r"(?<=[.?!])\s+(?=[A-Z*$`])|(?<=[.?!]\*\*)\s+|(?<=[.?!]\))\s+")
_LIST = re.compile(r"(-|\d+\.) ")
_ITEMS = re.compile(r"\n(?=(?:-|\d+\.) )")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_SHOWN = re.compile(r'^(live\.figure|quiz)\("([\w-]+)"\)', re.MULTILINE)
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


@dataclass
class Slide:
    """One slide.

    Attributes
    ----------
    title:
        The heading of its section, in Markdown.
    said:
        Blocks of Markdown.
    shown:
        The HTML of a drawing, a plot, a live figure or code.
    shape:
        Width by height of a drawing or a plot; zero for anything else.
    figure:
        The live figure's name.
    kind:
        ``text``, ``picture``, ``live``, ``question`` or ``code``.
    """

    title: str
    said: list[str] = field(default_factory=list)
    shown: str = ""
    shape: float = 0.0
    figure: str = ""
    kind: str = "text"

    @property
    def room(self) -> float:
        """How many lines of text its picture leaves room for."""
        return ABOVE_LIVE if self.figure else ABOVE if self.shown else 0

    @property
    def beside(self) -> bool:
        """Whether the picture is larger beside the text than below it."""
        if not (self.shape and self.said) or any(map(_DISPLAY.match, self.said)):
            return False
        (width, height), above = ROOM, lines(self.said) * LINE
        if lines(self.said, NARROW) * LINE > height:
            return False
        return min(BESIDE / self.shape, height) > min(width / self.shape, height - above)


def lines(said: list[str], width: int = WIDE) -> float:
    """How many lines blocks of Markdown take on a slide, about, with the space between them."""
    total = 0.3 * len(said)
    for block in said:
        if _DISPLAY.match(block):
            total += 2 + ("frac" in block) + block.count(r"\\")
            continue
        plain = re.sub(r"\\[a-zA-Z]+|[*`${}_^]", "", block)
        total += math.ceil(len(plain) / width)
    return total


def blocks(source: str) -> Iterator[str]:
    """The paragraphs, lists, headings and formulas of a cell; what is folded stays out."""
    for part in re.split(r"\n\s*\n", _FOLDED.sub("", source)):
        yield from filter(None, map(str.strip, _DISPLAY.split(part)))


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph."""
    return _ENDS.split(" ".join(paragraph.split()))


def key_sentences(paragraph: str) -> list[str]:
    """The sentences with a term in bold. One that is bold as a whole brings the next along."""
    found: list[str] = []
    for one in sentences(paragraph):
        if found and _BOLD.fullmatch(found[-1]):
            found[-1] += f" {one}"
        elif _BOLD.search(one):
            found.append(one)
    return found


def slides(lesson: Lesson) -> list[Slide]:
    """The slides of a lesson, in order; what follows :data:`END` is optional, and has none."""
    maker = _Maker(quizzes.parse(lesson.quiz.read_text("utf-8")) if lesson.quiz.is_file() else {})
    for cell in nbformat.read(lesson.notebook, as_version=4).cells:
        maker.take(cell)
    maker.end()
    kept = [one for one in maker.made if one.title not in LEFT_OUT]
    ends = [number for number, one in enumerate(kept, 1) if one.title == END]
    return kept[: ends[-1]] if ends else kept


class _Maker:
    """Goes through a lesson, cell by cell, and makes slides of what it meets."""

    def __init__(self, questions: dict[str, quizzes.Quiz]) -> None:
        self.questions = questions
        self.made: list[Slide] = []
        self.title, self.begun = "", 0  # the section, and how many slides there were before it
        self.said: list[str] = []  # what no slide has said yet
        self.forget()

    def forget(self) -> None:
        """Begin a section: none of its sentences and code is known yet."""
        self.first = self.last = self.lead = ""
        self.code: Slide | None = None

    def take(self, cell: nbformat.NotebookNode) -> None:
        tags = cell.metadata.get("tags", [])
        if "no-slide" in tags:
            return
        if cell.cell_type == "markdown":
            for block in blocks(cell.source):
                self.say(block, whole="slide" in tags)
        elif found := _SHOWN.search(cell.source):
            self.show(self.named(*found.groups()))
        elif picture := _picture(cell):
            self.show(picture)
        elif "slide" in tags:
            self.show(_code(self.title, cell.source))
        elif not tags and not self.code and cell.source.count("\n") < CODE:
            self.code = _code(self.title, cell.source)
            self.code.said = list(filter(None, [self.lead or self.last]))

    def say(self, block: str, whole: bool) -> None:
        if heading := re.fullmatch(r"#{1,6} (.+)", block):
            self.end()
            self.title, self.begun = heading[1], len(self.made)
            self.forget()
            return
        block = _LINK.sub(r"\1", block)
        if block.startswith((">", "|", "![", "<")) or (_LABEL.match(block) and not whole):
            return
        if _DISPLAY.match(block) or whole:
            self.said.append(block)
        elif _LIST.match(block):
            if self.lead and self.lead not in self.said:
                self.said.append(self.lead)
            self.said += _ITEMS.split(block)
        else:
            self.said += key_sentences(block)
            every = sentences(block)
            self.lead = every[-1] if every[-1].endswith(":") else ""
            whole_ones = [one for one in every if not one.endswith(":")]
            self.last = whole_ones[-1] if whole_ones else ""
            self.first = self.first or every[0]

    def named(self, kind: str, name: str) -> Slide:
        """The slide of a live figure or a question."""
        if kind == "quiz":
            asked = self.questions[name]
            choices = [f"1. {one.text}" for one in asked.choices]
            return Slide("", [asked.question, *choices, f"*{asked.hint}*"], kind="question")
        shown = live.figure(name)
        frame = shown.frame(STYLE.read_text("utf-8"))
        return Slide("", [f"**{shown.figure.title}**"], frame, figure=name, kind="live")

    def show(self, slide: Slide) -> None:
        """Add the slide of a picture, with what leads to it."""
        slide.title = self.title
        if slide.kind == "question":
            self.leave()
        elif len(self.last.split()) > 3 and not self.said and not slide.figure:
            self.said = [self.last]
        while self.said and lines([self.said[-1], *slide.said]) <= slide.room:
            slide.said.insert(0, self.said.pop())
        while self.said and slide.said and all(map(_LIST.match, (self.said[-1], slide.said[0]))):
            self.said.append(slide.said.pop(0))  # a list stays whole
        self.tell()
        self.last = ""
        self.made.append(slide)

    def leave(self) -> None:
        """Say what is left: on the slide before if it has room, else on slides of their own."""
        *_, before = self.made[self.begun :] or [Slide("")]
        if before.shape and lines([*before.said, *self.said]) <= before.room:
            before.said += self.said
            self.said = []
        self.tell()

    def tell(self) -> None:
        """Add slides without a picture for all that is to be said."""
        total, room = lines(self.said), LINES
        if total > room and lines(self.said, WIDER) <= DENSE:
            room = total
        elif total > room:  # about the same on each
            room = min(room, total / math.ceil(total / room) + 1.5)
        page = Slide(self.title)
        for block in self.said:
            if page.said and lines([*page.said, block]) > room:
                self.made.append(page)
                page = Slide(self.title)
            page.said.append(block)
        if page.said:
            self.made.append(page)
        self.said = []

    def end(self) -> None:
        """End a section."""
        self.leave()
        if len(self.made) == self.begun and self.code:
            self.made.append(self.code)
        elif len(self.made) == self.begun and self.first:
            self.said = [self.first]
            self.tell()


def _code(title: str, source: str) -> Slide:
    return Slide(title, shown=f"<pre><code>{escape(source)}</code></pre>", kind="code")


def _picture(cell: nbformat.NotebookNode) -> Slide | None:
    """The slide of a cell's drawing or plot, if its output has one."""
    alt = escape(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
    for output in cell.outputs:
        data = output.get("data", {})
        if svg := data.get("image/svg+xml"):
            found = _SIZE.search(svg)
            width, height = map(float, found.groups()) if found else (1.0, 1.0)
            kind, code = "svg+xml", b64encode(svg.encode()).decode()
        elif code := "".join(data.get("image/png", "").split()):
            kind = "png"
            width, height = struct.unpack(">II", b64decode(code)[16:24])
        else:
            continue
        shown = f'<img src="data:image/{kind};base64,{code}" alt="{alt}">'
        return Slide("", shown=shown, shape=width / height, kind="picture")
    return None
