"""Multi30k, German to English: recurrent networks with and without attention, and a Transformer.

All have about as many parameters, the same tokens, batches, steps and optimiser: the presets
multi30k-de-en-cpu, ...-recurrent and ...-attention, with the same number of steps for each. BLEU is
reported for the whole test set and by source length. ``--models`` runs some models: the record
keeps the results of the others, if they took as many steps. Chapter 04 shows the record.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import suppress
from typing import Any

import torch
from _measuring import short

from coursebook import records
from tfcourse import data, presets
from tfcourse.evaluation import bleu
from tfcourse.runs import prepare, run, translate

MODELS = {
    "no attention": "multi30k-de-en-cpu-recurrent",
    "additive attention": "multi30k-de-en-cpu-attention",
    "Transformer": "multi30k-de-en-cpu",
}
THREADS = 2
RECORD = "multi30k-recurrent"

#: Maximum number of source words in each class; the last class has all longer ones.
EDGES = (9, 12, 15)

#: Published BLEU on the same test set: bentrevett/pytorch-seq2seq, notebooks 1 to 3 (2024), ten
#: epochs on a GPU, words as tokens, greedy.
PUBLISHED = {
    "LSTM, no attention": 13.8,
    "GRU, no attention (Cho et al.)": 20.6,
    "GRU, additive attention": 28.3,
}


def length_class(source: str) -> str:
    """The class of a source by its number of words, such as ``"10 to 12"``."""
    words, lowest = len(source.split()), 1
    for highest in EDGES:
        if words <= highest:
            return f"{lowest} to {highest}"
        lowest = highest + 1
    return f"{lowest} or more"


def by_length(written: list[str], pairs: Any) -> dict[str, Any]:
    """BLEU and the number of sentences of each class of lengths, the shortest first."""
    classes: dict[str, list[tuple[str, str]]] = {}
    for text, (source, target) in zip(written, pairs, strict=True):
        classes.setdefault(length_class(source), []).append((text, target))
    return {
        name: {"BLEU": round(bleu(*map(list, zip(*some, strict=True))).value, 2), "n": len(some)}
        for name, some in sorted(classes.items(), key=lambda item: int(item[0].split()[0]))
    }


def measure(name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Train one model, and translate the test set greedily."""
    preset = presets.load(name, changes)
    began = time.process_time()
    task = prepare(preset)
    with tempfile.TemporaryDirectory() as folder:
        results = run(preset, folder, task=task, device="cpu")
    seconds = time.process_time() - began
    pairs = data.load(preset.data.name, preset.data.test, **preset.data.options)
    read, written = task.extra["source_tokenizer"], task.extra["target_tokenizer"]
    texts = translate(
        task.model, read, written, [source for source, _ in pairs],
        max_new_tokens=preset.evaluation.max_new_tokens, batch=preset.evaluation.batch,
    )  # fmt: skip
    return {
        "preset": name, "changes": changes, **results,
        "greedy, by words of the source": by_length(texts, pairs),
        "CPU seconds in all": round(seconds, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2600, help="of each model")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    choice = parser.parse_args()
    torch.set_num_threads(THREADS)
    # No time limit: a slow machine must not give one model fewer steps than another.
    changes = {
        "training.steps": choice.steps, "training.max_seconds": 0.0,
        "training.validate_every": choice.steps, "training.checkpoint_every": choice.steps,
        "training.warmup": max(1, choice.steps // 10),
    }  # fmt: skip
    if choice.quick:
        changes |= short(**{
            "evaluation.beams": 2, "evaluation.max_new_tokens": 3, "data.train": "test2017-mscoco",
            "data.validation": "test2017-mscoco", "data.held_out": 61,
            "data.test": "test2017-mscoco", "model.d_model": 16, "tokenizer.vocab_size": 400,
        })  # fmt: skip
    results = {"steps": choice.steps, "models": {}, "published": PUBLISHED}
    if not choice.quick:
        with suppress(FileNotFoundError):
            kept = records.load(RECORD)["results"]
            if kept["steps"] == choice.steps:
                results["models"] |= kept["models"]
    seed = presets.load(MODELS["no attention"]).training.seed
    for name in choice.models:
        narrow = {"model.d_hidden": 16} if choice.quick and name != "Transformer" else {}
        results["models"][name] = measure(MODELS[name], changes | narrow)
        if not choice.quick:
            print(name, records.write(RECORD, results, seed=seed).name, flush=True)
    if choice.quick:
        print(results)


if __name__ == "__main__":
    main()
