"""Print the numbers that the capstone's model report quotes.

    python examples/translators/report.py

Trains the good translator for 30 seconds with its German pieces and with letters in their place,
three seeds each, and looks at the good checkpoint. Takes about four minutes.
"""

from __future__ import annotations

import time

import torch
from make import CHECKPOINTS, answers, names_for
from safetensors.torch import load_file

SECONDS, SEEDS = 30, (0, 1, 2)

#: What makes letters of the pieces: the source is longer, and so is its table of positions.
LETTERS = {
    "    found = []\n    while text:": "    return list(text)\n    found = []\n    while text:",
    "PIECES = (": 'PIECES = sorted("abcdefghilnorstuvwzßüöä")\nUNUSED = (',
    "LONGEST = 24": "LONGEST = 72",
}

#: What the good translator was not made for.
ODD = ("Siebenundzwanzig", "zwei hundert sechs", "hundertundsechs", "null", "einemillion")


def main() -> None:
    """Print them."""
    solution, letters = answers()["good"], answers()["good"]
    for old, new in LETTERS.items():
        letters = letters.replace(old, new)
    for kind, source in (("pieces", solution), ("letters", letters)):
        for seed in SEEDS:
            names = names_for(source, seed)
            model = names["load"](names["train"](SECONDS / 60))
            pairs = names["draw_pairs"](300, torch.Generator().manual_seed(99), tests=True)
            size = sum(p.numel() for p in model.parameters())
            print(f"{kind}, seed {seed}: {size:,} parameters, BLEU", end=" ")
            print(f"{names['rated'](model, pairs)[0]:.1f}", flush=True)
    names = names_for(solution)
    model = names["load"](load_file(CHECKPOINTS["good"]))
    pairs = names["draw_pairs"](1000, torch.Generator().manual_seed(5), tests=True)
    found = names["translate"](model, [german for german, _ in pairs])
    print("wrong of 1000:", sum(a != b for a, (_, b) in zip(found, pairs, strict=True)))
    for cached in (True, False):
        begun = time.process_time()
        for german, _ in pairs[:200]:
            names["translate"](model, [german], cached)
        print(f"200 texts, cached={cached}: {time.process_time() - begun:.2f} s")
    for german in ODD:
        print(german, "→", *names["translate"](model, [german]))


if __name__ == "__main__":
    main()
