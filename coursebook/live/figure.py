"""A live figure: its entry in the catalogue, and its HTML on a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from coursebook.course import Lesson

#: Data files larger than this, in bytes, are loaded only when the reader starts the figure.
LIGHT = 20_000


@dataclass(frozen=True)
class Figure:
    """A live figure: its name, its caption, and what its script is given.

    Attributes
    ----------
    name:
        Lower-case words joined by hyphens; the folder with its script is named like it.
    title:
        The question that the figure answers, in a few words.
    caption:
        What to do and what to see, in a sentence or two that also suit the still picture.
    shown:
        The lesson that shows it, or another page of the site.
    data:
        What the script is given. Tests read it too.
    stored:
        Names of JSON files in figures' folders that the script also reads.
    scripts:
        The scripts of the models that it runs; ``layers.js`` is loaded with them.
    at_once:
        Whether it starts as the reader comes near it, however heavy its data.
    later:
        Those names of ``stored`` that a page loads only once the figure's script asks for them.
    """

    name: str
    title: str
    caption: str
    shown: str
    data: dict = field(default_factory=dict)
    stored: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    at_once: bool = False
    later: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The figure's anchor on its page."""
        return f"figure-{self.name}"

    def page(self, root: Path) -> str:
        """The page of the site that shows it, without the file extension."""
        return Lesson(root, self.shown).page if self.shown[:2].isdigit() else self.shown

    def files(self) -> list[str]:
        """The scripts that a page with this figure loads, in order."""
        shared = ("kit", "layers") if self.scripts else ("kit",)
        return [f"{name}.js" for name in (*shared, *self.scripts, self.name)]

    def needs(self) -> list[str]:
        """The data files that it needs.

        Small ones are loaded when the reader scrolls near the figure; a trained model (more than
        :data:`LIGHT` bytes) is loaded when the reader starts it, unless it is to start at once.
        """
        return [f"data-{name}.js" for name in self.stored]

    def html(
        self,
        pictures: str = "",
        caption: str | None = None,
        needs: Sequence[str] = (),
        weight: int = 0,
        asked: Sequence[str] = (),
    ) -> str:
        """The figure's HTML: still pictures and the caption, which the script takes over.

        Parameters
        ----------
        pictures:
            HTML to show until the script has drawn.
        caption:
            The caption as HTML; by default the plain text.
        needs:
            Addresses of the files of :meth:`needs`, unless the page loads them at once.
        weight:
            Their total size in bytes.
        asked:
            Addresses of the files of ``later``.
        """
        data = json.dumps(self.data).replace("<", "\\u003c")
        later = f' data-needs="{escape(" ".join(needs))}"' if needs else ""
        later += f' data-later="{escape(" ".join(asked))}"' if asked else ""
        size = f"{weight / 1e6:.1f} MB" if weight >= 1e6 else f"{round(weight / 1000)} KB"
        later += f' data-weighs="{size}"' if weight > LIGHT and not self.at_once else ""
        said = f"<p>{escape(self.caption)}</p>" if caption is None else caption
        return (
            f'<figure class="live" id="{self.id}" data-figure="{self.name}"{later}>'
            f'<p class="live-title">{escape(self.title)}</p>'
            f'<div class="live-stage"><div class="live-panels">{pictures}</div></div>'
            f'<script type="application/json">{data}</script>'
            f"<figcaption>{said}</figcaption></figure>"
        )
