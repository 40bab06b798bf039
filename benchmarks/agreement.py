"""Subject-verb agreement: a simple recurrent net, an LSTM and a Transformer of like size.

All learn the same sentences of the grammar, as language models, with the same batches and steps,
and each with three seeds. They are judged by whether the right form of the verb is likelier than
the wrong one: on sentences of the grammar never seen, by the number of attractors; on Linzen's
sentences from Wikipedia where the vocabulary covers all words up to the verb; and on Marvin and
Linzen's pairs that it covers.
"""

from __future__ import annotations

from _measuring import keep_record, measure, short

MODELS = ("agreement-rnn", "agreement-lstm", "agreement-transformer")
SEEDS = (0, 1, 2)


def measured(quick: bool) -> dict[str, list]:
    """Each model's runs, one for each seed."""
    few = short(**{"data.options.examples": 300, "data.options.held_out": 40}) if quick else {}
    seeds = SEEDS[:1] if quick else SEEDS
    return {
        name: [measure(name, few | {"training.seed": seed}, device="cpu") for seed in seeds]
        for name in MODELS
    }


if __name__ == "__main__":
    keep_record("agreement", __doc__, measured, seed=SEEDS[0])
