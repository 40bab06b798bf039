"""Which pages the site has, known before it is built."""

from __future__ import annotations

from pathlib import Path

import yaml

from coursebook import course


def toc_pages() -> list[str]:
    """Every page that ``_toc.yml`` names, as the site's addresses name them."""
    toc = yaml.safe_load((course.root(Path(__file__).parent) / "_toc.yml").read_text("utf-8"))
    files = [toc["root"]]
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            files += [entry["file"] for entry in (chapter, *chapter.get("sections", []))]
    return [f"{file.removesuffix('.ipynb').removesuffix('.md')}.html" for file in files]
