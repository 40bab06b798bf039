"""Write the sizes of a model's gradients, for the figure *number-formats*, to ``book/figures``.

A small GPT is trained briefly on the embedded prose. Then the gradients of the loss with respect to
the states between its blocks are counted by power of two: a number from 2^e up to 2^(e+1) counts
for e. These are the gradients that pass from block to block, and that a 16-bit format must
represent. Half a minute on one thread::

    python notebooks/14-training-at-scale/figures/number-formats/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from coursebook import live
from tfcourse import data
from tfcourse.batching import Batches, Windows
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.tokenizers import CharTokenizer
from tfcourse.training import NextToken, cosine, fit

SEED, STEPS, WINDOW, BATCH, JUDGED = 0, 300, 64, 8, 64


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    text = data.load("prose").text
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    model = GPT(GPTConfig(len(tokens), WINDOW, 4, 4, 64))
    windows = Windows(ids, WINDOW, 1)
    batches = Batches(windows, BATCH, seed=SEED, drop_last=True)
    fit(model, batches, loss=NextToken(), steps=STEPS, lr=cosine(3e-3, STEPS, 20), device="cpu")
    starts = torch.linspace(0, len(windows) - 1, JUDGED).long()
    x, y = windows.batch(starts)
    output = model(x, return_states=True)
    states = output.states["self"]
    for state in states:
        state.retain_grad()
    F.cross_entropy(output.logits.flatten(0, 1), y.flatten()).backward()
    sizes = torch.cat([state.grad.flatten() for state in states]).abs()
    powers = sizes[sizes > 0].log2().floor().int()
    counts = {int(e): int((powers == e).sum()) for e in range(powers.min(), powers.max() + 1)}
    stored = {
        "about": "Gradients by power of two, written by number-formats/make.py",
        "seed": SEED,
        "tokens": JUDGED * WINDOW,
        "lowest": min(counts),
        "counts": list(counts.values()),
    }
    live.store("underflow", stored)
    below = sum(n for e, n in counts.items() if e < -25) / sum(counts.values())
    print(f"{below:.1%} would be 0 in float16")


if __name__ == "__main__":
    main()
