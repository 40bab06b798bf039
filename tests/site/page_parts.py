"""What the tests of each page measure of its pictures and of its verdicts."""

from __future__ import annotations

import math
import re
from pathlib import Path

from PIL import Image

from coursebook import course

ROOT = course.root(Path(__file__).parent)
#: The notebook of each page that is one of a lesson or of its evidence.
NOTEBOOKS = {
    f"{page}.html": path
    for one in course.lessons(ROOT)
    for path, page in ((one.notebook, one.page), (one.evidence, one.evidence_page))
    if path.is_file()
}

#: What a picture shows, its file, and how wide it is drawn.
SHOWN = """() => [...document.querySelectorAll('.cell_output img, .live img')]
    .filter((image) => image.getClientRects().length)
    .map((image) => [
        image.alt, image.getAttribute('src').split('?')[0], image.getBoundingClientRect().width])"""

#: Of each drawing: the widths of itself and of its frame, the widest that it may be, its own.
DRAWN = """() => [...document.querySelectorAll('.picture')]
    .filter((frame) => frame.querySelector('img[src$=".svg"]'))
    .map((frame) => [frame.querySelector('img').alt,
        ...[frame.querySelector('img'), frame].map((one) => one.getBoundingClientRect().width),
        parseFloat(frame.style.getPropertyValue('--most')),
        Number(frame.querySelector('img').getAttribute('width'))])"""

#: The boxes of the verdicts, of the text, and of the window.
BESIDE = """() => ({
    notes: [...document.querySelectorAll('.tested')].map((one) => {
        const {left, right, top, bottom} = one.getBoundingClientRect();
        return {left, right, top, bottom};
    }),
    column: document.querySelector('.bd-article h1').getBoundingClientRect().right,
    window: document.documentElement.clientWidth,
})"""


def smallest(picture: Path, points: int) -> tuple[float, float, float]:
    """The sizes of a picture's smallest words and subscripts, and its width, in its own units."""
    if picture.suffix == ".png":
        with Image.open(picture) as image:
            return points * image.info["dpi"][0] / 72, math.inf, image.width
    text = picture.read_text("utf-8")
    width = float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', text)[1])
    outlines = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -0", text)]
    named = [float(size) for size in re.findall(r"font-size: ?([\d.]+)px", text)]
    words = min(outlines + named, default=width)
    inner = [float(scale) for scale in re.findall(r"scale\((0\.7|0\.49)\)", text)]
    return words, min(inner, default=math.inf) * words, width
