"""The preview image for links to the course: the title above a drawing from lesson 5."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from sphinx.application import Sphinx

#: The size in pixels that messengers and social networks expect.
SIZE = (1200, 630)

#: Its path in the built site.
PLACE = "_static/card.png"

#: The sentence used in the lessons on attention, and the attention weights of its last word.
SENTENCE = "The guitar strings hummed one last melancholic note"
WEIGHTS = (0.01, 0.38, 0.38, 0.14, 0.01, 0.02, 0.05, 0.01)


def card(title: str, about: str) -> bytes:
    """The image as PNG bytes: a title, a subtitle, and a sentence with attention arrows."""
    # Imported here because they load Matplotlib and PyTorch, which the rest of a build avoids.
    import matplotlib as mpl
    import torch

    from coursebook.drawings import draw, looks
    from coursebook.drawings.colours import CARD, COLOURS, INK

    picture = Image.new("RGB", SIZE, CARD)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, SIZE[0], 14), fill=COLOURS["q"])
    fonts = Path(mpl.get_data_path(), "fonts", "ttf")
    pen.text((60, 70), title, INK, ImageFont.truetype(fonts / "DejaVuSans-Bold.ttf", 60))
    pen.text(
        (60, 160), about, COLOURS["residual"], ImageFont.truetype(fonts / "DejaVuSans.ttf", 29)
    )
    drawn = draw(looks(SENTENCE.split(), torch.tensor(WEIGHTS), query=7), alt="Who looks at whom.")
    with Image.open(io.BytesIO(drawn.png())) as stored:
        image = stored.convert("RGB")
        scale = min(1080 / image.width, 360 / image.height)
        image = image.resize(
            (round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS
        )
    picture.paste(image, ((SIZE[0] - image.width) // 2, 590 - image.height))
    target = io.BytesIO()
    picture.quantize(64, dither=Image.Dither.NONE).save(target, "PNG", optimize=True)
    return target.getvalue()


def write_card(app: Sphinx, error: Exception | None) -> None:
    """Write the image, if the site has an address at which a link preview can find it."""
    if error is None and app.builder.format == "html" and app.config.html_baseurl:
        target = Path(app.outdir, PLACE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(
            card(app.config.project, "Word vectors to the full encoder-decoder, on a laptop")
        )


def setup(app: Sphinx) -> dict:
    app.connect("build-finished", write_card)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
