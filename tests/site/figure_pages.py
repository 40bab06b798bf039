"""A reader at a live figure, by keyboard or by finger, and what its tests compare it with."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from live_site import begin, own_page, stored_model
from torch import Tensor

from tfcourse.attention import scaled_dot_product_attention

#: As near as a figure's numbers must be to the package's.
NEAR = 1e-4
SENTENCE = "the singer played a sad note on the violin"
NUMBER = re.compile(r"[-−]?\d*\.?\d+")

#: Opens the map's fold without what else a press would do: it ends the opening motion.
MORE = """() => {
    const button = document.querySelector(".map-tries .map-fold[aria-expanded=false]");
    if (button && innerWidth >= 768) button.click();
}"""

browser = pytest.mark.browser


class Keys:
    """One figure, reached and driven by the keyboard alone."""

    def __init__(self, page, name: str, more: bool = True) -> None:
        self.page, self.figure = page, page.locator(f"#figure-{name}")
        if not self.figure.count():
            page.goto(own_page(page.folder, name).as_uri())
        begin(self.figure)
        if more and name == "map":  # a wide page folds what a first look does not need
            page.evaluate(MORE)
        # As a link does: the Tab key goes on from here.
        page.evaluate("name => { location.hash = ''; location.hash = `figure-${name}`; }", name)

    def reach(self, label: str, role: str | None = None) -> None:
        """Press Tab until the focus is on what has this label."""
        found = (
            self.figure.get_by_role(role, name=label)
            if role
            else (self.figure.get_by_label(label, exact=True))
        )
        for _ in range(60):
            if found.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not lead to {label!r}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def said(self) -> str:
        return self.figure.locator(".live-status").inner_text()

    def drawn(self, number: int = 0) -> str:
        """What the picture says to those who cannot see it, in which its numbers are."""
        return self.figure.locator("svg.live-picture").nth(number).get_attribute("aria-label")

    def texts(self, number: int = 0) -> list[str]:
        """The words and numbers in a picture."""
        return (
            self.figure.locator("svg.live-picture").nth(number).locator("text").all_text_contents()
        )


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in NUMBER.findall(text)]


def typed(keys: Keys, text: str, label: str = "Sentence") -> None:
    keys.reach(label)
    keys.press("Control+a")
    keys.page.keyboard.type(text)


class Finger:
    """One finger on the glass, as the browser itself gets it."""

    def __init__(self, page) -> None:
        self.page, self.session = page, page.context.new_cdp_session(page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def along(self, start: tuple[float, float], *places: tuple[float, float]) -> None:
        """Down at ``start``, from place to place, and up."""
        self.touch("touchStart", start)
        for (x, y), (to_x, to_y) in pairwise((start, *places)):
            for n in range(1, 11):
                self.touch("touchMove", (x + (to_x - x) * n / 10, y + (to_y - y) * n / 10))
                self.page.wait_for_timeout(16)
        self.touch("touchEnd")

    def drag(self, start: tuple[float, float], by: tuple[float, float]) -> None:
        self.along(start, (start[0] + by[0], start[1] + by[1]))


def attention(q, k, v=None, **options) -> tuple[torch.Tensor, torch.Tensor]:
    """The package's attention on plain lists, in double precision."""
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (q, k, k if v is None else v))
    return scaled_dot_product_attention(q, k, v, **options)


def stored_sentence(course: Path, sentence: str) -> dict:
    """What the record of the real encoder has of a sentence."""
    (found,) = (
        one
        for one in stored_model(course, "encoder")["sentences"]
        if " ".join(one["words"][1:-1]) == sentence
    )
    return found


def scaled(stored: dict, images: Tensor) -> Tensor:
    return (images.float() / 255 - stored["scale"]["mean"]) / stored["scale"]["deviation"]
