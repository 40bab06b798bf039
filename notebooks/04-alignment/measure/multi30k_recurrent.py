"""Multi30k, German to English: recurrent networks with and without attention, and a Transformer.

All have about as many parameters, the same tokens, batches, steps and optimiser: the presets
multi30k-de-en-cpu, ...-recurrent and ...-attention, with the same number of steps for each. The
Transformer is trained a second time with a longer warm-up. BLEU is reported for the whole test set
and by source length, with three seeds. Chapters 04 and 11 show the record.

An hour on one thread; finished parts are kept in ``--keep FOLDER``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from coursebook.measuring import keep_record, short
from tfcourse import data, presets
from tfcourse.evaluation import bleu
from tfcourse.runs import prepare, run, translate

SEEDS, STEPS = (1, 2, 3), 600
#: The preset and the warm-up of each model, in steps.
MODELS = {
    "no attention": ("multi30k-de-en-cpu-recurrent", 60),
    "additive attention": ("multi30k-de-en-cpu-attention", 60),
    "Transformer": ("multi30k-de-en-cpu", 60),
    "Transformer, slower rise": ("multi30k-de-en-cpu", 200),
}

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
        **results,
        "greedy, by words of the source": by_length(texts, pairs),
        "CPU seconds in all": round(seconds, 1),
    }


def compared(quick: bool, once: Callable[[str, Callable[[], dict]], dict]) -> dict[str, Any]:
    """Every model with every seed."""
    torch.set_num_threads(1)
    # No time limit: a slow machine must not give one model fewer steps than another.
    changes = {
        "training.steps": STEPS, "training.max_seconds": 0.0, "training.validate_every": STEPS,
        "training.checkpoint_every": STEPS,
    }  # fmt: skip
    if quick:
        changes |= short(**{
            "evaluation.num_beams": 2, "evaluation.max_new_tokens": 3,
            "data.train": "test2017-mscoco", "data.validation": "test2017-mscoco",
            "data.held_out": 61, "data.test": "test2017-mscoco", "model.d_model": 16,
            "tokenizer.vocab_size": 400,
        })  # fmt: skip
    models = {}
    for name, (preset, warmup) in MODELS.items():
        own = changes | {"training.warmup": 1 if quick else warmup}
        if quick and "Transformer" not in name:
            own |= {"model.d_hidden": 16}
        runs = [
            once(f"{name}-{seed}", partial(measure, preset, own | {"training.seed": seed}))
            for seed in (SEEDS[:1] if quick else SEEDS)
        ]
        models[name] = {
            "preset": preset, "changes": own, "parameters": runs[0]["parameters"], "runs": runs,
        }  # fmt: skip
    return {"steps": STEPS, "seeds": list(SEEDS), "models": models, "published": PUBLISHED}


if __name__ == "__main__":
    keep_record("multi30k-recurrent", __doc__, compared, seed=SEEDS[0], resumed=True)
