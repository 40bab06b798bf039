"""How the loss falls with the size of the model: five small GPTs on the embedded prose.

All read the same number of characters. Each size has its own learning rate: the best of three, by
the loss on the validation split with a seed used for nothing else. If it lies at the edge of the
three, the next one beyond is tried too. Five seeds are then trained at that rate, and the reported
loss is that on the test split, in nats per character. About five minutes of one core.

The lesson fits the power law. What it asks of the fit was written down before the run: fit the four
smaller sizes, and see whether the loss of the largest lies in the interval that is predicted.
"""

from __future__ import annotations

import statistics

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook.measuring import keep_record
from tfcourse import data
from tfcourse.batching import Batches, Windows
from tfcourse.flops import count_parameters, forward_flops
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.tokenizers import CharTokenizer
from tfcourse.training import NextToken, cosine, fit

SEARCHED, SEEDS = 100, (0, 1, 2, 3, 4)
RATES, FIRST = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (1, 2, 3)
WIDTHS, LAYERS, HEADS = (12, 20, 32, 52, 84), 2, 4
WINDOW, BATCH, STEPS, WARMUP, JUDGED = 32, 16, 500, 25, 512


def model(width: int, vocabulary: int) -> GPT:
    """A GPT; narrow ones start larger than GPT-2's, so that products keep their size."""
    net = GPT(GPTConfig(vocabulary, WINDOW, LAYERS, HEADS, width))
    for p in net.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02 * (768 / width) ** 0.5)
    return net


def in_blocks(net: GPT) -> int:
    """Number of parameters without the token and position embeddings."""
    return sum(p.numel() for p in net.blocks.parameters())


@torch.no_grad()
def judged(net: GPT, ids: Tensor) -> float:
    """Nats per character, over windows spread over the whole split."""
    starts = torch.linspace(0, len(ids) - WINDOW - 1, JUDGED).long()
    windows = ids[starts[:, None] + torch.arange(WINDOW + 1)]
    logits = net.eval()(windows[:, :-1]).logits
    return F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()).item()


def trained(width: int, ids: Tensor, vocabulary: int, rate: float, seed: int, steps: int) -> GPT:
    torch.manual_seed(seed)
    net = model(width, vocabulary)
    batches = Batches(Windows(ids, WINDOW, 1), BATCH, seed=seed, drop_last=True)
    schedule = cosine(rate, steps, min(WARMUP, steps - 1), 0.1 * rate)
    fit(net, batches, loss=NextToken(), steps=steps, lr=schedule, device="cpu", seed=seed)
    return net


def measured(quick: bool) -> dict[str, object]:
    torch.set_num_threads(1)  # these networks are too small to share
    texts = {split: data.load("prose", split).text for split in ("train", "validation", "test")}
    tokens = CharTokenizer.train([texts["train"]])
    ids = {split: torch.tensor(tokens.encode(text)) for split, text in texts.items()}
    steps, seeds, first = (2, SEEDS[:1], FIRST[:1]) if quick else (STEPS, SEEDS, FIRST)
    found = {}
    for width in WIDTHS[:2] if quick else WIDTHS:
        tried: dict[int, float] = {}
        wanted = set(first)
        while wanted:
            for i in wanted:
                net = trained(width, ids["train"], len(tokens), RATES[i], SEARCHED, steps)
                tried[i] = judged(net, ids["validation"])
            best = min(tried, key=tried.__getitem__)
            beside = set() if quick else {best - 1, best + 1} & set(range(len(RATES)))
            wanted = beside - set(tried)
        losses = [
            judged(trained(width, ids["train"], len(tokens), RATES[best], seed, steps), ids["test"])
            for seed in seeds
        ]
        net = model(width, len(tokens))
        found[width] = {
            "parameters": count_parameters(net),
            "parameters in blocks": in_blocks(net),
            "operations of a forward pass per character": forward_flops(net, 1, WINDOW) // WINDOW,
            "search": {f"{RATES[i]:g}": round(loss, 4) for i, loss in sorted(tried.items())},
            "rate": RATES[best],
            "test": [round(loss, 4) for loss in losses],
        }
        print(width, found[width]["rate"], round(statistics.mean(losses), 4), flush=True)
    return {
        "settings": {
            "layers": LAYERS, "heads": HEADS, "window": WINDOW, "batch": BATCH, "steps": STEPS,
            "warmup": WARMUP, "characters read": STEPS * BATCH * WINDOW,
            "vocabulary": len(tokens), "seed searched": SEARCHED, "seeds": SEEDS,
        },
        "unit": "nats / character",
        "widths": found,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("scaling-sweep", __doc__, measured, seed=SEEDS[0])
