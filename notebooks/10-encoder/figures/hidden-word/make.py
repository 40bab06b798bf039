"""Train the two models of the figure *hidden-word*, and write them to ``masked.json``.

They are the small BERTs that read film reviews in the presets of :data:`SIDES`; one sees both sides
of a gap, the other only the left side. They are trained as in ``measure/few_labels.py``, with its
first seed. Weights are rounded as in ``coursebook.live.weights``; the file says how many of the
test reviews' hidden words the rounded models guess right. The reviews are those of *movie-reviews*
(Pang and Lee 2004, CC BY 4.0). Ten minutes for each model on one thread; where a run stopped, the
next one with the same folder goes on::

    python notebooks/10-encoder/figures/hidden-word/make.py --folder run
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from coursebook import live
from coursebook.live.weights import fill, rounded
from tfcourse import presets
from tfcourse.models.bert import BERT
from tfcourse.presets import Preset
from tfcourse.runs import prepare, run
from tfcourse.tokenizers import Tokenizer
from tfcourse.training import open_saved

#: Which model sees what: its preset, by its name in the file.
SIDES = {"both": "reviews-bert-cpu", "left": "reviews-bert-cpu-left"}
STEPS, SEED = 12_000, 40


def preset_of(side: str) -> Preset:
    """What one of the models is trained by."""
    changes = {"steps": STEPS, "validate_every": STEPS // 5, "seed": SEED}
    return presets.load(SIDES[side], {f"training.{name}": value for name, value in changes.items()})


def load(stored: dict, side: str) -> BERT:
    """A model as stored in the file: what the figure computes with."""
    words = stored["words"]
    model = preset_of(side).model.make(vocab_size=len(words), padding=words.index("<pad>"))
    return fill(model, stored["sides"][side])


def stored_of(models: dict[str, BERT], words: Tokenizer) -> dict:
    """The content of the file, without what the models were tested on."""
    config, window = models["both"].config, preset_of("both").training.window
    return {
        "about": "Two BERTs of film reviews (CC BY 4.0), trained by hidden-word/make.py",
        "seed": SEED,
        "words": [words.token(i) for i in range(len(words))],
        "special": len(words.special),
        "sizes": {
            "layers": config.num_layers,
            "heads": config.num_heads,
            "longest": window - 2,  # without [CLS] and [SEP]
            "eps": config.eps,
        },
        "sides": {side: {"weights": rounded(model)} for side, model in models.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="where the models are kept")
    folder = parser.parse_args().folder
    torch.set_num_threads(1)
    models, tasks = {}, {}
    for side, name in SIDES.items():
        preset, kept = preset_of(side), folder / f"{name}-{SEED}"
        tasks[side] = prepare(preset)
        if not (kept / "results.json").is_file():
            run(preset, kept, task=tasks[side], device="cpu", resume=True)
        models[side], extra = open_saved(kept)
    stored = stored_of(models, extra["tokenizer"])
    for side, task in tasks.items():
        told = [task.judge(model) for model in (models[side], load(stored, side))]
        print(f"{side}: " + ", rounded ".join(f"{one['accuracy']:.4f}" for one in told))
        stored["sides"][side]["right"] = round(told[1]["accuracy"], 4)
        stored["tested"] = told[1]["n"]
        stored["commonest"] = round(told[1]["accuracy of always the commonest word"], 4)
    live.store("masked", stored)


if __name__ == "__main__":
    main()
