"""A Chromium on this machine, which draws and prints pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Executable names of Chromium.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class BrowserMissing(RuntimeError):
    """There is no Chromium; the message says how to install one."""


def browser() -> str | None:
    """The path to a Chromium that can be driven, or ``None``."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium without a window, driven by Playwright.

    Raises
    ------
    BrowserMissing
        If there is none.
    ModuleNotFoundError
        If Playwright is not installed; the command line says what to install.
    """
    if browser() is None:
        raise BrowserMissing("This needs Chromium: apt-get install chromium, or your system's way.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser(), args=["--disable-gpu"])
        try:
            yield opened
        finally:
            opened.close()
