"""Train the model of the figure *writer*, and store it in ``writer.json``.

A GPT of four blocks on *tinyshakespeare*, with the tokens of the figure *merges*; its weights are
rounded as in ``coursebook.live.rounding``. About an hour on two cores with other work beside it;
where a run stopped, the next one with the same folder goes on::

    python notebooks/09-decoder/figures/writer/make.py --folder run
    python -m coursebook.live            # then draw the still pictures again

Of the validations during training the best counts: its weights are stored, and the file says what
the rounded model reaches on the validation text.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from safetensors.torch import load_file

from coursebook import live
from coursebook.live.weights import fill, initialise, rounded
from tfcourse import data
from tfcourse.attention import MultiHeadAttention
from tfcourse.batching import Batches, Windows
from tfcourse.evaluation import language_model_nll
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.training import NextToken, adamw, cosine, fit, mean_loss

VOCABULARY, LONGEST, LAYERS, HEADS, WIDTH = 512, 128, 4, 4, 256
STEPS, BATCH, RATE, WARMUP, DROPOUT, DECAY = 2500, 32, 1e-3, 200, 0.2, 0.1
VALIDATE_EVERY = 250


def new_model() -> GPT:
    """Four blocks of four heads; matrices are initialised for the width, as in lesson 09.

    Dropout is applied everywhere but to attention's weights, where drawing it would take as long as
    all else together.
    """
    model = GPT(GPTConfig(VOCABULARY, LONGEST, LAYERS, HEADS, WIDTH, dropout=DROPOUT))
    initialise(model, WIDTH)
    for layer in model.modules():
        if isinstance(layer, MultiHeadAttention):
            layer.dropout = 0.0
    return model


def load(stored: dict) -> GPT:
    """The model as stored in the file, which is what the figure computes with."""
    return fill(new_model(), stored)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folder", required=True, help="where checkpoints are kept")
    given = parser.parse_args()
    plays = {split: data.load("tinyshakespeare", split).text for split in ("train", "validation")}
    _, tokenizer = live.maker("merges").load(live.stored("merges"))
    ids = {split: torch.tensor(tokenizer.encode(text)) for split, text in plays.items()}
    held_out = list(Batches(Windows(ids["validation"], LONGEST, stride=LONGEST), BATCH))
    torch.manual_seed(given.seed)
    model = new_model()
    fit(
        model,
        Batches(Windows(ids["train"], LONGEST, stride=1), BATCH, seed=given.seed, drop_last=True),
        loss=NextToken(), steps=given.steps, lr=cosine(RATE, given.steps, WARMUP),
        optimiser=adamw(weight_decay=DECAY), autocast="bfloat16", seed=given.seed,
        validate=mean_loss(NextToken(), held_out), validate_every=VALIDATE_EVERY,
        checkpoint=given.folder, checkpoint_every=VALIDATE_EVERY, log=f"{given.folder}/log.csv",
    )  # fmt: skip
    model.load_state_dict(load_file(Path(given.folder) / "best.safetensors"))
    stored = {
        "about": "A GPT trained by writer/make.py on tinyshakespeare (public domain)",
        "seed": given.seed,
        "sizes": {"layers": LAYERS, "heads": HEADS, "width": WIDTH, "longest": LONGEST},
        "weights": rounded(model),
    }
    for name, one in (("trained", model.eval()), ("rounded", load(stored))):
        nll = language_model_nll(one, ids["validation"], LONGEST)
        per_character = nll.of(plays["validation"]).bits_per_byte * math.log(2)
        print(f"{name}: {per_character:.3f} nats per character")
    live.store("writer", {**stored, "nats_per_character": round(per_character, 3)})


if __name__ == "__main__":
    main()
