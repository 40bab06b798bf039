"""What a small vision transformer reads wrongly on MNIST: chapter 12 shows some of the digits.

The model has the size of the chapter's own, and the chapter's learning rate; the rest is the preset
``mnist-vit``. All 10,000 test digits are judged. The mistakes shown are spread evenly over the
order of the test, so that none is picked by its looks. A minute on one thread.
"""

from __future__ import annotations

from typing import Any

import torch

from coursebook.measuring import keep_record, short
from tfcourse import data, presets, training
from tfcourse.flops import count_parameters
from tfcourse.runs import prepare
from tfcourse.runs.images import Scale
from tfcourse.runs.running import schedule

#: What is changed in the preset: the size, and a training of a minute.
CHANGES = {
    "model.num_layers": 2, "model.d_model": 64, "model.d_ff": 128, "training.steps": 2000,
    "training.batch": 64, "training.lr": 2e-3, "training.warmup": 50,
}  # fmt: skip
SEED = 20
#: How many of the mistakes are stored.
SHOWN = 8


def trained(preset: presets.Preset) -> torch.nn.Module:
    """The preset's model at the end of its training."""
    task, t = prepare(preset), preset.training
    torch.manual_seed(t.seed)
    training.fit(
        task.model, task.batches, loss=task.loss, steps=t.steps, lr=schedule(preset),
        optimiser=training.adamw(t.weight_decay, t.betas, t.eps), clip=t.clip or None,
        device="cpu", seed=t.seed, validate=task.validate, validate_every=t.steps,
    )  # fmt: skip
    return task.model.eval()


def measured(quick: bool) -> dict[str, Any]:
    """The number of mistakes on the test digits, and some of these with the model's guess."""
    torch.set_num_threads(1)
    few = {"data.train": "test", "data.validation": "test", "data.held_out": 500}
    changes = CHANGES | {"training.seed": SEED}
    preset = presets.load("mnist-vit", changes | (short(**few) if quick else {}))
    model = trained(preset)
    pixels, labels = data.load("mnist", "test").tensors()
    scale = Scale(data.load("mnist", preset.data.train).tensors()[0][: -preset.data.held_out])
    with torch.no_grad():
        chances = torch.cat([model(scale(x)).logits.softmax(-1) for x in pixels.split(500)])
    wrong = (chances.argmax(-1) != labels).nonzero().flatten()
    shown = wrong[torch.arange(SHOWN) * len(wrong) // SHOWN].tolist()
    return {
        "digits": len(labels), "mistakes": len(wrong), "steps": preset.training.steps,
        "parameters": count_parameters(model),
        "source": "MNIST, LeCun, Cortes and Burges, CC BY-SA 3.0",
        "shown": [
            {
                "number": i, "label": int(labels[i]), "guess": int(chances[i].argmax()),
                "probability": round(float(chances[i].max()), 3),
                "of the label": round(float(chances[i, labels[i]]), 3),
                "pixels": [bytes(row).hex() for row in pixels[i, 0].tolist()],
            }
            for i in shown
        ],
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("mnist-mistakes", __doc__, measured, seed=SEED)
