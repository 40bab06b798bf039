"""``{positions-figure}`` and ``{rotary-figure}``: pictures that a reader moves.

Written as a fenced block with a sentence in it::

    ```{positions-figure}
    :id: figure-positions

    Near positions have codes that are alike.
    ```

The picture is drawn here, from the package's own codes, and stands with its sentence where there is
no script; ``figures.js`` moves what is drawn. Each group of a picture maps the units of the formula
to pixels, so the script needs no size. The inputs hold the state; the script shows them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from tfcourse.positions import RotaryPositions, SinusoidalPositions

#: Of the sinusoidal picture: width of a code, number of positions, the two shown at first.
D_MODEL, COUNT, POSITION, OTHER = 32, 128, 20, 21
#: Of the rotary picture: width of a head, last position, the pair shown at first, m and n.
D_K, LAST, PAIR, M, N = 8, 63, 1, 12, 5
#: Direction in degrees and length of each arrow before it is turned.
ARROWS = {"q": (20, 1.6), "k": (40, 1.3)}


class interactive_figure(nodes.General, nodes.Element):
    """One figure: which it is, its id, and the sentence below it."""


class FigureDirective(SphinxDirective):
    """See the module's own text."""

    has_content = True
    option_spec = {"id": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        kind = self.name.removesuffix("-figure")
        if not any(line.strip() for line in self.content):
            raise self.error(
                f"{self.name}: the sentence is missing: say what the picture shows, for those who "
                "cannot move it"
            )
        name = nodes.make_id(self.options.get("id") or f"figure-{kind}")
        known = self.env.temp_data.setdefault("figure_names", set())
        if name in known:
            raise self.error(f"{self.name}: there are two with the id {name!r} on this page")
        known.add(name)
        figure = interactive_figure("", ids=[name], kind=kind)
        self.state.nested_parse(self.content, self.content_offset, figure)
        return [figure]


def number(value: float, digits: int = 3) -> str:
    """As a reader sees it: a true minus, and no minus before zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−")


def shown(name: str, text: object) -> str:
    """A number in the text, which the script renews."""
    return f'<span data-show="{name}">{text}</span>'


def slider(
    figure: str, name: str, label: str, value: float, low: float, high: float, step: float = 1
) -> str:
    """A native range with its label and its number."""
    return (
        f'<div class="interactive-slider"><label for="{figure}-{name}">{label}</label>'
        f'<input type="range" id="{figure}-{name}" data-input="{name}" autocomplete="off" '
        f'min="{low}" max="{high}" step="{step}" value="{value}">'
        f'<span aria-hidden="true">{shown(name, f"{value:g}")}</span></div>'
    )


def picture(height: int, label: str, *body: str) -> str:
    """A drawing, one image to those who cannot see it."""
    box = f'viewBox="0 0 360 {height}"'
    return f'<svg {box} role="img" aria-label="{label}">{"".join(body)}</svg>'


def axes(to_x, to_y, x: Iterable[int], y: Iterable[int], name: str) -> str:
    """Thin lines and numbers: horizontal lines at ``y``, numbers below at ``x``."""
    x, y = list(x), list(y)
    lines = [f'<path class="grid" d="M{to_x(x[0])},{to_y(v)}H352"/>' for v in y]
    left = [f'<text x="32" y="{to_y(v) + 4}" class="end">{number(v, 0)}</text>' for v in y]
    below = [f'<text x="{to_x(v)}" y="172" class="middle">{v}</text>' for v in x]
    title = f'<text x="352" y="190" class="end">{name}</text>'
    return "".join([*lines, *left, *below, title])


def positions_body(name: str) -> str:
    """The codes of two positions, and the products of the first's with every other."""
    table = SinusoidalPositions(D_MODEL).table(torch.arange(COUNT), torch.float64)
    code, other = table[POSITION].tolist(), table[OTHER].tolist()
    alike = (table @ table[POSITION]).tolist()

    bars = "".join(
        f'<rect class="{("sine", "cosine")[i % 2]}" x="{i + 0.1:g}" width="0.8" '
        f'y="{min(value, 0):.4f}" height="{abs(value):.4f}"/>'
        for i, value in enumerate(code)
    )
    marks = "".join(f"M{i + 0.5:g},{value:.4f}h0" for i, value in enumerate(other))
    codes = picture(
        200,
        f"{D_MODEL} bars between −1 and 1, the code of the position; "
        "a dot at each bar, the code of the position it is compared with",
        axes(lambda x: 40 + 9.75 * (x + 0.5), lambda y: 82 - 72 * y,
             (0, 8, 16, 24, 31), (-1, 0, 1), "coordinate"),
        f'<g transform="translate(40 82) scale(9.75 -72)">{bars}'
        f'<path class="dots second" data-part="other-code" d="{marks}"/></g>',
    )  # fmt: skip
    curve = "L".join(f"{j},{value:.4f}" for j, value in enumerate(alike))
    similarity = picture(
        200,
        "A curve over all positions, highest at the position itself: the product of its code with "
        "each code; a dot where the position it is compared with stands",
        axes(lambda x: 40 + 2.4 * x, lambda y: 154 - 9 * y,
             (0, 32, 64, 96, 127), (0, 8, 16), "position"),
        '<g transform="translate(40 154) scale(2.4 -9)" data-part="plane">'
        f'<path class="line" data-part="curve" d="M{curve}"/>'
        f'<g class="first" data-part="here" transform="translate({POSITION} 0)">'
        '<path class="line" d="M0,0V16"/><path class="knob" d="M0,0h0"/></g>'
        f'<g class="second" data-part="there" transform="translate({OTHER} {alike[OTHER]:.4f})">'
        '<path class="knob" d="M0,0h0"/><path class="grip" d="M0,0h0"/></g></g>',
    )  # fmt: skip

    here, there = shown("position", POSITION), shown("other", OTHER)
    return (
        '<div class="interactive-panels"><div><p class="interactive-title">'
        f'Codes of positions {here} (<span class="key first">bars</span>) and {there} '
        f'(<span class="key second">dots</span>)</p>{codes}'
        '<p class="interactive-hint">Even coordinates are sines, full; odd ones cosines, pale.</p>'
        '</div><div class="drag-across"><p class="interactive-title">'
        f"Similarity of {here} to each position</p>{similarity}"
        f'<p class="interactive-hint" role="status">Dot product of codes {here} and {there}: '
        f"<strong>{shown('similarity', number(alike[OTHER]))}</strong>; of {here} with itself: "
        f"{shown('itself', number(alike[POSITION]))}.</p></div></div>"
        + controls(
            '<p class="interactive-hint">Drag the line or the dot, or use the sliders.</p>',
            slider(name, "position", "Position", POSITION, 0, COUNT - 1),
            slider(name, "other", "Compared with", OTHER, 0, COUNT - 1),
        )
    )


def turned(vector: tuple[float, float], position: int) -> tuple[float, float]:
    """The vector as the pair's coordinates at a position."""
    x = torch.zeros(1, D_K, dtype=torch.float64)
    x[0, 2 * PAIR : 2 * PAIR + 2] = torch.tensor(vector, dtype=torch.float64)
    a, b = RotaryPositions(D_K).rotate(x, start=position)[0, 2 * PAIR : 2 * PAIR + 2].tolist()
    return a, b


def arrow(name: str, kind: str, tip: tuple[float, float], ghost: tuple[float, float]) -> str:
    """An arrow from the middle, its name at the tip, and where it points at position 0."""
    length, angle = math.hypot(*tip), math.degrees(math.atan2(tip[1], tip[0]))
    beyond = 1 + 0.2 / length
    return (
        f'<path class="ghost {kind}" data-part="{name}-ghost" '
        f'd="M0,0L{ghost[0]:.4f},{ghost[1]:.4f}"/>'
        f'<g class="{kind}" data-part="{name}" transform="rotate({angle:.4f})">'
        f'<path class="shaft" d="M0,0H{length - 0.1:.4f}"/>'
        f'<path class="head" transform="translate({length:.4f} 0)" d="M0,0l-.2,.08v-.16z"/>'
        f'<path class="grip" d="M{length:.4f},0h0"/></g>'
        f'<g data-part="{name}-name" '
        f'transform="translate({tip[0] * beyond:.4f} {tip[1] * beyond:.4f})">'
        f'<text class="middle name" y="5" transform="scale(.0125 -.0125)">{name}</text></g>'
    )


def rotary_body(name: str) -> str:
    """Two arrows, each turned by its position, and the score that is left of both turns."""
    start = {
        key: (length * math.cos(math.radians(degrees)), length * math.sin(math.radians(degrees)))
        for key, (degrees, length) in ARROWS.items()
    }
    tip = {"q": turned(start["q"], M), "k": turned(start["k"], N)}
    score = tip["q"][0] * tip["k"][0] + tip["q"][1] * tip["k"][1]
    between = [(0.45 * x / math.hypot(x, y), 0.45 * y / math.hypot(x, y)) for x, y in tip.values()]
    (ax, ay), (bx, by) = between
    plane = picture(
        360,
        "Two arrows from one point, q and k, each turned by its position; dashed, where each "
        "points at position 0; an arc, the angle between them",
        '<g transform="translate(180 180) scale(80 -80)" data-part="plane">'
        '<path class="grid" d="M-2.2,0H2.2M0,-2.2V2.2"/>'
        '<circle class="grid" r="1"/><circle class="grid" r="2"/>'
        f'<path class="line" data-part="between" d="M{ax:.4f},{ay:.4f}A.45,.45,0,0,'
        f'{int(ax * by > ay * bx)},{bx:.4f},{by:.4f}"/>',
        arrow("q", "first", tip["q"], start["q"]),
        arrow("k", "second", tip["k"], start["k"]),
        "</g>",
    )
    theta = RotaryPositions(D_K).angles(torch.tensor([1]))[0].tolist()
    pairs = "".join(
        f'<option value="{i}"{" selected" if i == PAIR else ""}>'
        f"Coordinates {2 * i} and {2 * i + 1}, θ = {value:g}</option>"
        for i, value in enumerate(theta)
    )
    at = {key: f"({number(x)}, {number(y)})" for key, (x, y) in tip.items()}
    rows = {
        "<i>m</i> − <i>n</i>": shown("distance", number(M - N, 0)),
        "<i>q</i> at <i>m</i>": shown("q-turned", at["q"]),
        "<i>k</i> at <i>n</i>": shown("k-turned", at["k"]),
        "score, their product": f"<strong>{shown('score', number(score))}</strong>",
    }
    table = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in rows.items())
    shape = [
        slider(name, f"{key}-{part.split()[0]}", f"<i>{key}</i>, {part}", value, *limits)
        for key, values in ARROWS.items()
        for part, value, limits in zip(
            ("direction in degrees", "length"), values, ((0, 359), (0.2, 2, 0.05)), strict=True
        )
    ]
    return (
        f'<div class="interactive-panels"><div>{plane}<p class="interactive-hint">'
        "Dashed: <i>q</i> and <i>k</i> at position 0.</p></div><div>"
        f'<dl class="interactive-numbers">{table}</dl>'
        + controls(
            '<p class="interactive-status" role="status">Drag the tips of the arrows, or use the '
            "sliders.</p>",
            slider(name, "m", "<i>m</i>, position of <i>q</i>", M, 0, LAST),
            slider(name, "n", "<i>n</i>, position of <i>k</i>", N, 0, LAST),
            slider(name, "both", "Both together", min(M, N), 0, LAST - abs(M - N)),
            f'<div class="interactive-choice"><label for="{name}-pair">Pair</label>'
            f'<select id="{name}-pair" data-input="pair" data-width="{D_K}" autocomplete="off">'
            f"{pairs}</select></div>",
            f"<details><summary>The arrows at position 0</summary>{''.join(shape)}</details>",
        )
        + "</div></div>"
    )


def controls(*parts: str) -> str:
    """What only the script makes work; it shows them."""
    return f'<div class="interactive-controls" hidden>{"".join(parts)}</div>'


BODIES = {"positions": positions_body, "rotary": rotary_body}


def visit_figure(self: HTML5Translator, node: interactive_figure) -> None:
    name, kind = node["ids"][0], node["kind"]
    self.body.append(
        f'<figure class="interactive" id="{name}" data-figure="{kind}">{BODIES[kind](name)}'
        "<figcaption>"
    )


def depart_figure(self: HTML5Translator, node: interactive_figure) -> None:
    self.body.append("</figcaption></figure>")


def _plain(self, node: nodes.Node) -> None:
    """Other builders print the sentence."""


def setup(app: Sphinx) -> dict:
    html, plain = (visit_figure, depart_figure), (_plain, _plain)
    app.add_node(interactive_figure, html=html, latex=plain, text=plain)
    for kind in BODIES:
        app.add_directive(f"{kind}-figure", FigureDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
