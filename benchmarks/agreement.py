"""Subject-verb agreement: a simple recurrent net, an LSTM and a Transformer of like size.

All learn the same sentences of the grammar, as language models, with the same batches and steps,
and each with three seeds. They are judged by whether the right form of the verb is likelier than
the wrong one: on sentences of the grammar never seen, by the number of attractors; on Linzen's
sentences from Wikipedia where the vocabulary covers all words up to the verb; and on Marvin and
Linzen's pairs that it covers.
"""

from __future__ import annotations

import argparse

import torch

from tfcourse import records
from tfcourse.runs.measuring import measure, short

MODELS = ("agreement-rnn", "agreement-lstm", "agreement-transformer")
SEEDS = (0, 1, 2)
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(THREADS)
    few = {"data.options.examples": 300, "data.options.held_out": 40}
    results: dict[str, list] = {}
    for name in MODELS:
        for seed in SEEDS[:1] if quick else SEEDS:
            changes = {"training.seed": seed} | (short(**few) if quick else {})
            results.setdefault(name, []).append(measure(name, changes, device="cpu"))
    if quick:
        print(results)
        return
    print(records.write("agreement", results, seed=SEEDS[0]).name)


if __name__ == "__main__":
    main()
