"""What a learner's notebook put out, and what it says, made fit to be shown in somebody else's
browser: nothing in it can run there."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Pictures that are kept, each with how its bytes begin. Any other kind can carry a script.
PICTURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}

#: Of one cell so many characters of text, and of pictures, are kept.
MAX_TEXT, MAX_PICTURES = 50_000, 4_000_000

#: What tells a terminal to change its colour, and the like.
_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")

LEFT_OUT = "\n[the rest is left out]\n"


def harmless(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs of one cell without anything that can run: plain text and pictures, bounded."""
    from nbformat.v4 import new_output  # takes seconds, and `--help` does without it

    kept, text, pictures = [], MAX_TEXT, MAX_PICTURES
    for out in outputs:
        kind = out.get("output_type")
        if kind == "stream":
            name = "stderr" if out.get("name") == "stderr" else "stdout"
            found = new_output("stream", name=name, text=_bounded(out.get("text"), text))
            text -= len(found.text)
        elif kind == "error":
            lines = out.get("traceback")
            shown = _bounded("\n".join(map(str, lines)) if isinstance(lines, list) else "", text)
            text -= len(shown)
            name, value = _bounded(out.get("ename"), 200), _bounded(out.get("evalue"), 5_000)
            found = new_output("error", ename=name, evalue=value, traceback=shown.split("\n"))
        elif kind in ("display_data", "execute_result"):
            data = out.get("data") or {}
            found = new_output(kind, data={})
            if isinstance(data.get("text/plain"), str):
                found.data["text/plain"] = _bounded(data["text/plain"], text)
                text -= len(found.data["text/plain"])
            for picture in PICTURES:
                if _is_picture(picture, data.get(picture), pictures):
                    found.data[picture] = "".join(data[picture].split())
                    pictures -= len(data[picture])
            if kind == "execute_result":
                found.execution_count = None
            if not found.data:
                continue
        else:
            continue
        kept.append(found)
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
    return content.startswith(PICTURES[kind])


def harmless_markdown(source: str) -> str:
    """A learner's Markdown with its HTML shown as text, and its links and pictures as they were
    typed; words and formulas stay.

    nbgrader's formgrader renders the Markdown of a submission, HTML and all, in the browser of
    whoever marks it.
    """
    # A blank there makes no difference to a formula, and is the end of a tag.
    source = re.sub(r"<(?=[a-zA-Z/!?])", "< ", source)
    # A character of no width: what stands apart is neither a link nor a command.
    source = re.sub(r"\](?=[(:])", "]\u200b", source)
    return re.sub(r"\\(?=(?:href|style|class|cssId|data|require|unicode)\b)", "\\\\\u200b", source)


def plain(text: str) -> str:
    """Text without the codes that colour a terminal and without other control characters."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", _CODES.sub("", text))
