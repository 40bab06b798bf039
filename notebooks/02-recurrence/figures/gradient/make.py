"""Write the small recurrent network of the figure *gradient* to ``gradient.json``.

It is not trained: its weights are the initial ones of the package's plain cell, and the words are
random vectors. The numbers are rounded to whole multiples of ``step``; the figure computes with
these, and so do the tests that compare it with ``tfcourse``. A second on one thread::

    python notebooks/02-recurrence/figures/gradient/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor

from coursebook import live
from tfcourse.recurrent import RNNCell

WIDTH, LONGEST, STEP = 16, 64, 1 / 256


def load(stored: dict, gain: float = 1.0) -> tuple[RNNCell, Tensor]:
    """The cell with ``U`` multiplied by the gain, and the words ``(T, D)``, in double precision."""
    cell = RNNCell(WIDTH, WIDTH).double()
    W, U, x = (torch.tensor(stored[name]).double() * stored["step"] for name in "WUx")
    with torch.no_grad():
        cell.W.copy_(W)
        cell.U.copy_(gain * U)
    return cell, x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.manual_seed(seed)
    cell = RNNCell(WIDTH, WIDTH)
    made = {"W": cell.W.detach(), "U": cell.U.detach(), "x": torch.randn(LONGEST, WIDTH)}
    stored = {
        "about": "An untrained recurrent net, written by gradient/make.py",
        "seed": seed,
        "step": STEP,
        **{name: (tensor / STEP).round().int().tolist() for name, tensor in made.items()},
    }
    live.store("gradient", stored)


if __name__ == "__main__":
    main()
