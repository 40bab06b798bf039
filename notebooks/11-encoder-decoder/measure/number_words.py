"""Number words, German to English and back, exact on numbers never seen in training.

A small Transformer compared with recurrent networks with and without attention, of similar size,
with the same data, tokens, batches and steps. Exact matches are also reported by source length:
without attention, one vector must hold the whole source.
"""

from __future__ import annotations

from coursebook.measuring import keep_record, measure, short
from tfcourse import presets

MODELS = ("numbers-de-en", "numbers-de-en-attention", "numbers-de-en-recurrent")


def measured(quick: bool) -> dict[str, dict]:
    """Each model's run, in both directions."""
    few = short(**{"data.options.examples": 300, "data.options.held_out": 20}) if quick else {}
    results = {}
    for source, target in (("de", "en"), ("en", "de")):
        way = {"data.options.source": source, "data.options.target": target}
        for name in MODELS:
            changes = few | (way if source == "en" else {})
            kind = name.removeprefix("numbers-de-en").removeprefix("-") or "Transformer"
            results[f"{source} to {target}, {kind}"] = measure(name, changes, device="cpu")
    return results


if __name__ == "__main__":
    keep_record("number-words", __doc__, measured, seed=presets.load(MODELS[0]).training.seed)
