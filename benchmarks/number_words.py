"""Number words, German to English and back, exact on numbers never seen in training.

A small Transformer beside recurrent nets with and without attention, of like size, with the same
data, tokens, batches and steps. Exactness is also told by the length of the source: without
attention one vector must hold all of it.
"""

from __future__ import annotations

import argparse

import torch

from tfcourse import presets, records
from tfcourse.runs.measuring import measure, short

MODELS = ("numbers-de-en", "numbers-de-en-attention", "numbers-de-en-recurrent")
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(THREADS)
    fewer = {"data.options.examples": 300, "data.options.held_out": 20}
    results: dict[str, dict] = {}
    for source, target in (("de", "en"), ("en", "de")):
        for name in MODELS:
            changes = short(**fewer) if quick else {}
            if source == "en":
                changes |= {"data.options.source": source, "data.options.target": target}
            kind = name.removeprefix("numbers-de-en").removeprefix("-") or "Transformer"
            results[f"{source} to {target}, {kind}"] = measure(name, changes, device="cpu")
    if quick:
        print(results)
        return
    seed = presets.load(MODELS[0]).training.seed
    print(records.write("number-words", results, seed=seed).name)


if __name__ == "__main__":
    main()
