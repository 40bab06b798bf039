r"""Multi30k: BLEU and chrF of a trained translator, greedy and with five beams.

On a CPU the preset ``multi30k-de-en-cpu`` trains for at most 15 minutes on two cores. The
translator of lesson 11 trains longer, until its validation loss is flat::

    python benchmarks/multi30k.py --record multi30k-captions --folder run \
        --set training.steps=4000 training.max_seconds=0 training.validate_every=400 \
        model.dropout=0.2

The other two presets need a GPU; they are run with several seeds, and the record has each run.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import torch

from coursebook import records
from coursebook.measuring import measure, need_cuda, short
from tfcourse import presets

PRESETS = ("multi30k-de-en-cpu", "multi30k-de-en", "multi30k-en-de")
THREADS = 2


def several(
    name: str, seeds: list[int], device: str, changes: dict, folder: Path | None = None
) -> dict:
    """A preset with each of these seeds, and mean and standard deviation of BLEU over them.

    With a folder, each run is kept in it and resumed if it was stopped.
    """
    runs = [
        measure(
            name, changes | {"training.seed": seed}, device=device,
            folder=folder and folder / f"seed-{seed}",
        )
        for seed in seeds
    ]  # fmt: skip
    found: dict = {"runs": runs}
    for way in runs[0]["evaluation"]:
        scores = [run["evaluation"][way]["BLEU"] for run in runs]
        found[f"BLEU, {way}"] = {
            "mean": statistics.mean(scores),
            "standard deviation": statistics.stdev(scores) if len(scores) > 1 else None,
            "seeds": seeds,
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--preset", choices=PRESETS, default=PRESETS[0])
    parser.add_argument("--seeds", type=int, nargs="+", help="default on a GPU: 1 2 3")
    parser.add_argument(
        "--set", nargs="+", default=[], metavar="KEY=VALUE", type=presets.change_of,
        help="changes to the preset",
    )  # fmt: skip
    parser.add_argument("--record", help="the record's name; default the preset's")
    parser.add_argument("--folder", type=Path, help="keep the runs here, and resume stopped ones")
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    choice = parser.parse_args()
    on_gpu = choice.preset != PRESETS[0] and not choice.quick
    if on_gpu:
        need_cuda()
    else:
        torch.set_num_threads(THREADS)
    seeds = choice.seeds or ([1, 2, 3] if on_gpu else [presets.load(choice.preset).training.seed])
    few = {
        "evaluation.num_beams": 2, "evaluation.max_new_tokens": 3, "data.train": "test2017-mscoco",
        "data.validation": "test2017-mscoco", "data.held_out": 61, "data.test": "test2017-mscoco",
        "model.d_model": 16, "model.d_ff": 16, "tokenizer.vocab_size": 400,
    }  # fmt: skip
    device = "cuda" if on_gpu else "cpu"
    changes = dict(choice.set) | (short(**few) if choice.quick else {})
    results = several(choice.preset, seeds, device, changes, choice.folder)
    if choice.quick:
        print(results)
        return
    print(records.write(choice.record or choice.preset, results, seed=seeds[0], device=device).name)


if __name__ == "__main__":
    main()
