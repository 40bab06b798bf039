"""A progress bar for a training loop that is written by hand in a notebook."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, TypeVar

T = TypeVar("T")

#: Seconds before the bar appears, and between two drawings of it.
WAIT, EVERY = 2.0, 0.25


def progress_bar(steps: Iterable[T]) -> Iterator[T]:
    """Iterate over ``steps``; in a notebook, show the progress of a loop that takes long.

    The bar appears after about 2 seconds and shows the number of steps and the time left. It is
    emptied at the end of the loop or at a ``break``; after an error it stays. A notebook has no way
    to take an output back, so that a learner who saves it keeps an empty one below the cell.

    Nothing is drawn outside a notebook, or if the environment variable ``TQDM_DISABLE`` is set, as
    it is wherever outputs are stored.

    Parameters
    ----------
    steps:
        What to iterate over, such as ``range(800)``. Without a length, the bar counts only.
    """
    display = None if os.environ.get("TQDM_DISABLE") else _notebook_display()
    if display is None:
        yield from steps
        return
    total = len(steps) if isinstance(steps, Sized) else None
    began = time.monotonic()
    due, handle = began + WAIT, None
    try:
        for done, step in enumerate(steps):
            now = time.monotonic()
            if now >= due:
                due, drawn = now + EVERY, _drawn(done, total, now - began)
                if handle is None:
                    handle = display(drawn, raw=True, display_id=True)
                else:
                    handle.update(drawn, raw=True)
            yield step
    finally:
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)


def _notebook_display() -> Callable[..., Any] | None:
    """IPython's ``display`` if this process is a notebook's kernel."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    return display if hasattr(get_ipython(), "kernel") else None


def _drawn(done: int, total: int | None, seconds: float) -> dict[str, str]:
    """The bar as a notebook's output: HTML, and text for where that is not shown."""
    if not total:
        return {"text/plain": f"{done} steps"}
    said = f"{done} of {total} steps"
    if done:
        said += f", {seconds / done * (total - done):.0f} s left"
    bar = f'<progress value="{done}" max="{total}" aria-label="steps done"></progress>'
    return {"text/html": f"{bar} {said}", "text/plain": said}
