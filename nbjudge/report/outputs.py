"""Make a learner's outputs and text safe for someone else's browser."""

from __future__ import annotations

import base64
import binascii
import html
import re
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode, from_dict

#: Image types that are kept, with their leading bytes. Other types can carry a script.
PICTURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}

#: Maximum number of pixels: a few kilobytes can encode more than a browser can show.
MAX_POINTS = 40_000_000

#: Limits for one cell: characters of text, characters of images, and outputs.
MAX_TEXT, MAX_PICTURES, MAX_OUTPUTS = 50_000, 4_000_000, 300

#: The same for all cells of a submission together.
ALL_TEXT, ALL_PICTURES, ALL_OUTPUTS = 1_000_000, 12_000_000, 3_000

#: A zero-width space.
APART = "\u200b"

#: TeX commands that only typeset: no links, styles, macros or files.
_TYPESETTING = """
Alpha Beta Chi Delta Epsilon Eta Gamma Iota Kappa Lambda Mu Nu Omega Omicron Phi Pi Psi Rho
Sigma Tau Theta Upsilon Xi Zeta alpha beta chi delta epsilon eta gamma iota kappa lambda mu nu
omega omicron phi pi psi rho sigma tau theta upsilon varepsilon varkappa varphi varpi varrho
varsigma vartheta xi zeta aleph ell hbar imath jmath partial infty nabla emptyset varnothing
Im Re wp forall exists nexists neg lnot top bot angle degree prime backprime

arccos arcsin arctan arg argmax argmin cos cosh cot coth csc deg det dim exp gcd hom inf ker lg
lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh bmod mod pmod pod operatorname

sum prod coprod int iint iiint oint bigcap bigcup bigodot bigoplus bigotimes biguplus bigvee
bigwedge sqrt frac dfrac tfrac cfrac binom dbinom tbinom over choose atop root of stackrel
overset underset overbrace underbrace overline underline overleftarrow overrightarrow
xleftarrow xrightarrow limits nolimits displaylimits substack sideset

amalg ast bigcirc bullet cap cdot circ cup dagger ddagger diamond div land lor mp odot ominus
oplus oslash otimes pm setminus smallsetminus sqcap sqcup star times uplus vee wedge boxplus
boxminus boxtimes boxdot ltimes rtimes triangle square blacksquare lozenge

approx asymp cong doteq equiv ge geq geqq geqslant gg ggg gt gtrsim in le leq leqq leqslant ll
lll lt lesssim mid models ne neq ni notin not nmid parallel nparallel perp prec preceq propto
sim simeq subset subseteq subsetneq succ succeq supset supseteq supsetneq triangleq vdash dashv
vDash colon because therefore

to gets iff implies impliedby leftarrow rightarrow leftrightarrow uparrow downarrow updownarrow
Leftarrow Rightarrow Leftrightarrow Uparrow Downarrow Updownarrow longleftarrow longrightarrow
longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow mapsto longmapsto nearrow
nwarrow searrow swarrow hookleftarrow hookrightarrow rightharpoonup rightharpoondown
leftharpoonup leftharpoondown rightleftharpoons leadsto rightsquigarrow

left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm biggm
Biggm langle rangle lbrace rbrace lbrack rbrack lceil rceil lfloor rfloor lvert rvert lVert
rVert vert Vert backslash lgroup rgroup ulcorner urcorner llcorner lrcorner

acute bar breve check dot ddot dddot grave hat mathring tilde vec widehat widetilde

bf bm boldsymbol cal it mathbb mathbf mathbin mathcal mathfrak mathit mathnormal mathop mathord
mathrel mathrm mathscr mathsf mathtt rm sf tt text textbf textit textmd textnormal textrm textsc
textsf texttt textup mbox pmb displaystyle scriptscriptstyle scriptstyle textstyle

begin end cr hline hfill newline nonumber notag quad qquad enspace thinspace negthinspace space
cdots ddots dots dotsb dotsc dotsi dotsm dotso ldots vdots boxed phantom hphantom vphantom
smash strut hspace mathstrut
"""
TEX = frozenset(_TYPESETTING.split())

LEFT_OUT = "\n[the rest is left out]\n"


@dataclass
class Room:
    """The remaining allowance for the outputs of a submission's later cells."""

    text: int = ALL_TEXT
    pictures: int = ALL_PICTURES
    outputs: int = ALL_OUTPUTS


def output(kind: str, **fields: Any) -> NotebookNode:
    """An output in nbformat's form.

    The caller is responsible for the fields' types: nbformat's own constructor would validate
    each output, which takes longer than everything else done with it.
    """
    if kind in ("display_data", "execute_result"):
        fields = {"metadata": {}, **fields}
    if kind == "execute_result":
        fields = {"execution_count": None, **fields}
    return from_dict({"output_type": kind, **fields})


def harmless(outputs: list[NotebookNode], room: Room | None = None) -> list[NotebookNode]:
    """The outputs of one cell without anything executable: plain text and images, bounded.

    Parameters
    ----------
    outputs:
        The cell's outputs.
    room:
        The remaining allowance of all cells together, reduced by this cell's; by default a new
        one.
    """
    room = room or Room()
    kept: list[NotebookNode] = []
    most = min(MAX_OUTPUTS, room.outputs)
    text, pictures = min(MAX_TEXT, room.text), min(MAX_PICTURES, room.pictures)
    before = text, pictures
    for out in outputs:
        if len(kept) >= most:
            if most:
                kept.append(output("stream", name="stdout", text=LEFT_OUT))
            break
        kind = out.get("output_type")
        if kind == "stream":
            name = "stderr" if out.get("name") == "stderr" else "stdout"
            cleaned = output("stream", name=name, text=_bounded(out.get("text"), text))
            text -= len(cleaned.text)
        elif kind == "error":
            lines = out.get("traceback")
            shown = _bounded("\n".join(map(str, lines)) if isinstance(lines, list) else "", text)
            name, value = _bounded(out.get("ename"), 200), _bounded(out.get("evalue"), 5_000)
            text -= len(shown) + len(name) + len(value)
            cleaned = output("error", ename=name, evalue=value, traceback=shown.split("\n"))
        elif kind in ("display_data", "execute_result"):
            data = out.get("data") or {}
            cleaned = output(kind, data={})
            if isinstance(data.get("text/plain"), str):
                cleaned.data["text/plain"] = _bounded(data["text/plain"], text)
                text -= len(cleaned.data["text/plain"])
            for picture in PICTURES:
                if _is_picture(picture, data.get(picture), pictures):
                    cleaned.data[picture] = "".join(data[picture].split())
                    pictures -= len(data[picture])
            if not cleaned.data:
                continue
        else:
            continue
        kept.append(cleaned)
    room.outputs -= len(kept)
    room.text -= before[0] - text
    room.pictures -= before[1] - pictures
    return kept


def _bounded(text: object, most: int) -> str:
    text = text if isinstance(text, str) else ""
    most = max(0, most)
    return text if len(text) <= most else text[:most] + LEFT_OUT


def _is_picture(kind: str, text: object, most: int) -> bool:
    if not isinstance(text, str) or len(text) > most:
        return False
    try:
        content = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return content.startswith(PICTURES[kind]) and _points(kind, content) <= MAX_POINTS


def _points(kind: str, content: bytes) -> int:
    """The number of pixels that an image declares; 0 if a browser cannot read it either."""
    if kind == "image/png":
        if content[12:16] != b"IHDR" or len(content) < 24:
            return 0
        return int.from_bytes(content[16:20]) * int.from_bytes(content[20:24])
    at, most = 2, 0
    while 0 <= at < len(content) - 9:
        if content[at] != 0xFF:
            at = content.find(b"\xff", at)
            continue
        # C0 to CF mark frames, except for three values that mean something else.
        if 0xC0 <= content[at + 1] <= 0xCF and content[at + 1] not in (0xC4, 0xC8, 0xCC):
            height, width = content[at + 5 : at + 7], content[at + 7 : at + 9]
            most = max(most, int.from_bytes(height) * int.from_bytes(width))
        at += 1
    return most


def harmless_markdown(source: str) -> str:
    """A learner's Markdown with HTML shown as text, and links and images shown as typed.

    Words and formulas are kept. The function is idempotent.

    nbgrader's formgrader renders a submission's Markdown, including HTML, in the marker's browser,
    and MathJax then executes each TeX command in it.
    """
    # A character reference such as `&#92;` would be decoded after all of the rest.
    source = re.sub(r"&(?:#|[a-zA-Z][a-zA-Z0-9]*;?)", _taken_apart, source)
    # For each formula that begins and has no end the renderer would search to the end of the text.
    source = _with_ends(_BLANKS.sub(" " * MAX_BLANKS, source))
    # A space there makes no difference to a formula, but stops a tag.
    source = re.sub(r"<(?=[a-zA-Z/!?])", "< ", source)
    # Split by APART, nothing is a link, a command, or the name of a language to highlight.
    source = re.sub(r"\](?=[(:])", f"]{APART}", source)
    source = re.sub(rf"(`{{3,}}|~{{3,}})(?=[^\S\n]*[^\s`~{APART}])", rf"\1{APART}", source)
    return re.sub(r"\\([a-zA-Z]+)", _typesets, source)


#: Longer runs of blanks are cut: finding their end takes quadratic time.
MAX_BLANKS = 200
_BLANKS = re.compile(rf"[^\S\n]{{{MAX_BLANKS + 1},}}")


#: How many formulas may begin with two backslashes and a bracket and have no end. (In an array the
#: same characters end a row, and give the space below it.)
MAX_OPEN = 20


def _with_ends(source: str) -> str:
    r"""The text with formulas that begin and have no later end disabled.

    Those are each ``\begin{...}``, and all but the first ``MAX_OPEN`` of ``\\(`` and ``\\[``.
    """
    # The last end of each kind, found once: to search from every beginning takes quadratic time.
    last = {end.groups(): end.start() for end in _END.finditer(source)}
    left = MAX_OPEN

    def begins(match: re.Match) -> str:
        nonlocal left
        ended = last.get((match[1], _CLOSES.get(match[2])), -1) > match.start()
        if not ended and match[2]:
            left -= 1
            ended = left >= 0
        return match.group() if ended else f"\\{APART}{match.group()[1:]}"

    return _BEGIN.sub(begins, source)


_CLOSES = {"(": ")", "[": "]"}
_BEGIN = re.compile(r"\\begin\{([^}\n]{0,40})\}|\\\\([(\[])")
_END = re.compile(r"\\end\{([^}\n]{0,40})\}|(?<!\\)\\\\([)\]])")


def _taken_apart(entity: re.Match) -> str:
    text = entity.group()
    known = text == "&#" or html.unescape(text) != text
    return f"&{APART}{text[1:]}" if known else text


def _typesets(command: re.Match) -> str:
    return command.group() if command[1] in TEX else f"\\{APART}{command[1]}"
