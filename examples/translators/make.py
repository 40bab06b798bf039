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

from nbjudge.answers import load_variants
from nbjudge.intake import cells

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


def names_for(answer: str, seed: int = 0) -> dict:
    """The notebook's names, with this answer in it, and ``train`` starting from this seed."""
    notebook = nbformat.read(SET / f"{SET.name}.ipynb", as_version=4)
    source = {cell.id: cells.learners_own(cell.source) for cell in notebook.cells}
    names: dict = {"__name__": "__main__"}
    for cell in ("setup", "setup-data", "baseline", "batches", "baseline-bleu"):
        exec(source[cell].partition("\n\n\nif TRAIN:")[0], names)
    training = source["training"].replace("torch.manual_seed(0)", f"torch.manual_seed({seed})")
    for code in (training, answer, source["setup-tests"]):
        exec(code, names)
    return names


def train(name: str, minutes: float) -> Path:
    """Train a submission's model with its own code; gives the checkpoint's path."""
    weights = names_for(answers()[name])["train"](minutes)
    save_file(weights, CHECKPOINTS[name])
    return CHECKPOINTS[name]


if __name__ == "__main__":
    print(train(sys.argv[1], float(sys.argv[2])))
