"""Train the checkpoints of the capstone's example submissions again.

    python examples/translators/make.py good 2

Writes the good one beside the instructor's notebook, the weak and the peeking one beside this file.
The number is for how many minutes to train. Trained numbers differ between machines: run the tests
of the capstone afterwards.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from safetensors.torch import save_file

from nbjudge import cells
from nbjudge.answers import load_variants

HERE = Path(__file__).resolve().parent
SET = HERE.parents[1] / "solutions" / "ps14-translator"

#: Where each checkpoint is.
CHECKPOINTS = {
    "good": SET / "translator.safetensors",
    "weak": HERE / "weak.safetensors",
    "peeks": HERE / "peeks.safetensors",
}


def answers() -> dict[str, str]:
    """The answer's source of each submission."""
    notebook = nbformat.read(SET / f"{SET.name}.ipynb", as_version=4)
    [solution] = [cell.source for cell in notebook.cells if cell.id == "translator"]
    variants = {variant.name: variant.source for variant in load_variants(SET)["translator"]}
    return {
        "good": cells.learners_own(solution),
        "weak": (HERE / "weak.py").read_text("utf-8"),
        "peeks": variants["wrong-peeks"],
    }


def train(name: str, minutes: float) -> Path:
    """Train a submission's model with its own code; gives the checkpoint's path."""
    notebook = nbformat.read(SET / f"{SET.name}.ipynb", as_version=4)
    source = {cell.id: cells.learners_own(cell.source) for cell in notebook.cells}
    names: dict = {"__name__": "__main__"}
    for cell in ("setup", "setup-data", "baseline", "batches", "baseline-bleu"):
        exec(source[cell].partition("\n\n\nif TRAIN:")[0], names)
    exec(source["training"], names)
    exec(answers()[name], names)
    save_file(names["train"](minutes), CHECKPOINTS[name])
    return CHECKPOINTS[name]


if __name__ == "__main__":
    print(train(sys.argv[1], float(sys.argv[2])))
