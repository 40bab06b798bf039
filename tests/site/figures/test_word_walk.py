"""Sums of word vectors, and a walk from neighbour to neighbour."""

import re
from pathlib import Path

import pytest
import torch
from figure_pages import Keys, browser
from live_site import stored_model
from torch import Tensor

from coursebook.live.catalogue import FIGURES


@pytest.fixture(scope="module")
def word_rows(course: Path) -> tuple[list[str], Tensor]:
    stored = stored_model(course, "vectors")
    rows = torch.tensor(stored["vectors"], dtype=torch.float64)
    return stored["words"], rows / rows.norm(dim=1, keepdim=True)


def nearest(word_rows: tuple[list[str], Tensor], typed: str, most: int = 8) -> str:
    """What the figure should say: the nearest words and their cosines."""
    words, rows = word_rows
    terms = re.findall(r"([+-]?) ?([a-z]+)", typed)
    wanted = sum((-1 if sign == "-" else 1) * rows[words.index(word)] for sign, word in terms)
    cosines = torch.nn.functional.cosine_similarity(rows, wanted[None])
    cosines[[words.index(word) for _, word in terms]] = -2
    top = cosines.topk(most)
    return ", ".join(
        f"{words[i]} {value:.4f}"
        for value, i in zip(top.values.tolist(), top.indices.tolist(), strict=True)
    )


@browser
def test_word_walk(shown, word_rows) -> None:
    keys, data = Keys(shown, "word-walk"), FIGURES["word-walk"].data

    def write(text: str) -> None:
        keys.reach("Words")
        keys.press("Control+a")
        keys.page.keyboard.type(text)

    begun = keys.drawn(1)
    assert begun.count(",") == 1 + data["steps"] and f": {data['start']}, " in begun
    for text in ("king - man + woman", "paris - france + italy", "king", "King queen"):
        write(text)
        listed = keys.drawn(0).partition("cosines: ")[2].replace("−", "-")
        assert listed == nearest(word_rows, text.lower()) + "."
    write("blick")
    note = keys.figure.locator(".live-note").inner_text()
    assert note == f"Not among the {len(word_rows[0])} words: blick."
    write("king")
    keys.reach("Walk to the nearest", "button")
    visited = ["king"]
    for _ in range(3):
        keys.press("Enter")
        near = nearest(word_rows, visited[-1], len(visited) + 1).split(", ")
        visited.append(next(word for word, _ in map(str.split, near) if word not in visited))
        assert keys.drawn(1).endswith(f"nearest word: {', '.join(visited)}.")
        assert keys.figure.get_by_label("Words", exact=True).input_value() == visited[-1]
    keys.reach("Start again", "button")
    keys.press("Enter")
    assert keys.drawn(1).endswith("nearest word: king."), "from the reader's own word"
    assert keys.figure.get_by_label("Words", exact=True).input_value() == "king"
