"""Train the model of the figure *take a head out*, and write it to ``filler.json``.

It is the model of ``heads_roles.py``, trained longer. Weights are stored as whole multiples of
``step``, so that the file is small. The figure and lesson 06 compute with these rounded numbers,
and so do the tests that compare them with ``tfcourse``. A few seconds on one thread::

    python notebooks/06-multi-head/figures/ablation/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
import sys

import torch

from coursebook import course, live

sys.path.insert(0, str(course.Lesson(course.root(), "06-multi-head").measure))
import heads_roles  # noqa: E402

STEPS, RATE = 1000, 1.2e-2
#: The resolution at which weights are stored.
STEP = 1 / 128
#: Number of test sentences for the loss, and their lengths.
TAKEN, FEWEST, MOST = 60, 5, 12
#: Parameters by their names in the file, a head's matrices side by side.
NAMES = ("W_Q", "W_K", "W_V", "W_O")


def train(
    sentences: heads_roles.Sentences, start: int, order: int, rate: float, steps: int
) -> heads_roles.FillIn:
    """Adam; the rate warms up for a tenth of the steps and decays to zero."""
    torch.manual_seed(start)
    model = heads_roles.FillIn(len(sentences.words))
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps, pct_start=0.1
    )
    generator = torch.Generator().manual_seed(order)
    for _, ids in zip(range(steps), sentences.endless(order), strict=False):
        loss = heads_roles.fill_in_loss(model, ids, heads_roles.hide(ids, generator))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return model.eval()


def stored_weights(model: heads_roles.FillIn) -> dict[str, list]:
    """Each weight as whole multiples of :data:`STEP`."""
    weights = {"word": model.word.weight, "place": model.place.P}
    weights |= {"read": model.read.weight, "bias": model.read.bias}
    for i, layer in enumerate(model.layers):
        weights |= {f"{name}_{i}": getattr(layer, name) for name in NAMES}
    return {name: (w.detach() / STEP).round().int().tolist() for name, w in weights.items()}


@torch.no_grad()
def load(stored: dict) -> heads_roles.FillIn:
    """The model as stored in the file: what the figure computes with."""
    weights = {name: torch.tensor(w) * stored["step"] for name, w in stored["weights"].items()}
    model = heads_roles.FillIn(len(stored["words"]))
    model.word.weight.copy_(weights["word"])
    model.place.P.copy_(weights["place"])
    model.read.weight.copy_(weights["read"])
    model.read.bias.copy_(weights["bias"])
    for i, layer in enumerate(model.layers):
        for name in NAMES:
            getattr(layer, name).copy_(weights[f"{name}_{i}"])
    return model.eval()


def asked(sentences: heads_roles.Sentences) -> list[dict]:
    """Short test sentences as ids, and the positions of their hidden words."""
    generator = torch.Generator().manual_seed(3)
    found = []
    for example in sentences.examples["test"]:
        ids = sentences.ids(example)
        hidden = heads_roles.hide(ids, generator)
        if FEWEST <= len(ids) <= MOST and hidden.any():
            found.append({"ids": ids.tolist(), "hidden": hidden.nonzero()[:, 0].tolist()})
    return found[:TAKEN]


@torch.no_grad()
def loss(model: heads_roles.FillIn, tests: list[dict]) -> float:
    """The mean loss over all hidden words of these sentences."""
    losses = []
    for test in tests:
        ids = torch.tensor(test["ids"])
        read = ids.clone()
        read[test["hidden"]] = heads_roles.HIDDEN
        x, _ = model(read[None], fused=False)
        shares = model.read(x[0, test["hidden"]]).log_softmax(-1)
        losses.append(-shares.gather(1, ids[test["hidden"], None])[:, 0])
    return torch.cat(losses).mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.set_num_threads(1)
    sentences = heads_roles.Sentences()
    model = train(sentences, seed, seed, RATE, STEPS)
    stored = {
        "about": "Two layers of four heads, trained by ablation/make.py",
        "seed": seed,
        "words": sentences.words,
        "sizes": {
            "layers": heads_roles.LAYERS,
            "heads": heads_roles.HEADS,
            "width": heads_roles.WIDTH,
        },
        "step": STEP,
        "tests": asked(sentences),
        "weights": stored_weights(model),
    }
    live.store("filler", stored)
    both = loss(model, stored["tests"]), loss(load(stored), stored["tests"])
    print(f"loss {both[0]:.3f}, rounded {both[1]:.3f}")
    print(f"{len(stored['tests'])} sentences")


if __name__ == "__main__":
    main()
