"""A notebook in which JSON's numbers, keys and strings are as odd as they can be.

kind: notebook file
honest: 0
"""

import target_set


def hand_in(notebook, folder):
    text = (
        '{"cells": [{"cell_type": "code", "cell_type": "code", "metadata": {"nbgrader": '
        '{"grade_id": "double--values", "points": 1e999, "grade": true}}, '
        '"source": ["x = ", 1, null, "\\ud800\\u0000"], "outputs": NaN, "id": -Infinity}], '
        '"metadata": {"kernelspec": [[[]]]}, "nbformat": ' + "9" * 4000 + ', "nbformat_minor": {}}'
    )
    (folder / f"{target_set.NAME}.ipynb").write_text(text)
