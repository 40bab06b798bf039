r"""A notebook of an old format, just below the largest size, that takes gigabytes to upgrade.

kind: exhaustion
honest: 0
once: got through
seen: more than \d+ (s of processor time|MiB of memory)|cannot be (read|upgraded)
"""

import json


def hand_in(notebook, folder):
    cell = {"cell_type": "code", "input": "x", "outputs": [], "language": "python", "metadata": {}}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}}
    old["worksheets"] = [{"cells": [cell] * 230_000, "metadata": {}}]
    (folder / "ps98-target.ipynb").write_text(json.dumps(old))
