"""The course as one PDF: the site's pages in their order, printed by a browser and joined.

Links between pages lead to pages of the file, and the outline has the parts and the pages.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from coursebook.yaml_files import read_yaml

if TYPE_CHECKING:
    from playwright.sync_api import Browser, PdfMargins
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import IndirectObject

#: Loads what a page would load as a reader comes near it, and waits for pictures and formulas.
COMPLETE = """async () => {
  const images = [...document.images];
  images.forEach((image) => { image.loading = "eager"; });
  await Promise.all(images.map((image) => image.decode().catch(() => {})));
  await document.fonts.ready;
  await window.MathJax?.startup?.promise;
}"""
#: Space around a sheet's content.
MARGIN = "16mm"

#: Where a link leads: to a page of the site by its address, or to a sheet and a height on it.
Target = str | tuple[int, float]
#: A link: the sheet on which it is, the part of the sheet, and its target.
Place = tuple[int, tuple[float, float, float, float], Target]


@dataclass(frozen=True)
class Page:
    """A page of the site: its file, and the part of the course that it belongs to."""

    path: Path
    part: str


@dataclass(frozen=True)
class Printed:
    """A page as a PDF."""

    page: Page
    title: str
    content: bytes


def pages(root: Path) -> list[Page]:
    """The pages of the built site, in the order of ``_toc.yml``.

    Raises
    ------
    FileNotFoundError
        If one of them is not built.
    """
    toc = read_yaml(root / "_toc.yml")
    found = [Page(_built(root, toc["root"]), "")]
    for part in toc.get("parts", []):
        for name in _files(part["chapters"]):
            found.append(Page(_built(root, name), part["caption"]))
    return found


def _files(entries: list[dict]) -> Iterator[str]:
    for entry in entries:
        yield entry["file"]
        yield from _files(entry.get("sections", []))


def _built(root: Path, name: str) -> Path:
    path = root / "_build" / "html" / f"{name}.html"
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no {path.relative_to(root)}. Build the site by `tfcourse book`."
        )
    return path.resolve()


def print_pages(browser: Browser, wanted: Iterable[Page]) -> Iterator[Printed]:
    """Print pages one by one, in light colours."""
    around: PdfMargins = {"top": MARGIN, "bottom": MARGIN, "left": MARGIN, "right": MARGIN}
    context = browser.new_context(color_scheme="light", offline=True)
    for one in wanted:
        page = context.new_page()
        page.goto(one.path.as_uri())
        page.evaluate(COMPLETE)
        title = page.locator("h1").first.evaluate("one => one.firstChild.textContent.trim()")
        yield Printed(one, title, page.pdf(format="A4", print_background=True, margin=around))
        page.close()
    context.close()


def join(printed: Iterable[Printed], target: Path, title: str) -> int:
    """Join the pages in a file of this title, and return how many sheets it has."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    parts: dict[str, IndirectObject | None] = {"": None}
    starts: dict[str, int] = {}
    links: list[Place] = []
    for one in printed:
        reader, start = PdfReader(io.BytesIO(one.content)), len(writer.pages)
        starts[one.page.path.as_uri()] = start
        links += _links(reader, start)
        writer.append(reader, import_outline=False)
        part = one.page.part
        if part not in parts:
            parts[part] = writer.add_outline_item(title=part, page_number=start)
        writer.add_outline_item(title=one.title, page_number=start, parent=parts[part])
    _lead(writer, links, starts)
    writer.add_metadata({"/Title": title})
    target.parent.mkdir(parents=True, exist_ok=True)
    writer.write(target)
    return len(writer.pages)


def _links(reader: PdfReader, start: int) -> Iterator[Place]:
    """Take the links inside the course out of a PDF whose first sheet has the number ``start``."""
    places = reader.named_destinations
    for number, sheet in enumerate(reader.pages, start):
        kept = sheet.get("/Annots", [])
        for link in list(kept):
            content = link.get_object()
            address = content["/A"].get("/URI", "") if "/A" in content else ""
            if not (place := places.get(content.get("/Dest"))) and not address.startswith("file:"):
                continue
            kept.remove(link)
            left, bottom, right, top = map(float, content["/Rect"])
            area = (left, bottom, right, top)
            if place is None:
                yield number, area, urldefrag(address).url
            elif (on := reader.get_destination_page_number(place)) is not None:
                yield number, area, (start + on, float(place.top or 0))


def _lead(writer: PdfWriter, links: list[Place], starts: dict[str, int]) -> None:
    """Put the links back; those to what is not in the file are gone."""
    from pypdf.annotations import Link
    from pypdf.generic import ArrayObject, Fit, NumberObject

    for number, area, to in links:
        if isinstance(to, str):
            if to not in starts:
                continue
            sheet, fit = starts[to], Fit.fit()
        else:
            sheet, fit = to[0], Fit.xyz(top=to[1])
        link = Link(
            rect=area,
            target_page_index=sheet,
            fit=fit,
            border=ArrayObject(map(NumberObject, (0, 0, 0))),
        )
        writer.add_annotation(number, link)
