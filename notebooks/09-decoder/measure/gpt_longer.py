"""The lesson's small GPT on all the prose, rare words included, for 20,000 steps.

The sizes, initial weights, batches of 8 windows of 64, AdamW, and learning rate (6e-3 after 100
steps, then in a straight line to zero) are the lesson's; the tokens are 1,024. It is the package's
GPT in single precision. The loss is on 32 windows of unseen text, in nats per token, at the end and
each 1,000 steps; the bits per byte are on 500 windows. Then the model continues the lesson's
beginning, each way of choosing with the same seed.

A quarter of an hour on one thread.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor
from tying import MODELS, WINDOW, gpt

from coursebook.measuring import keep_record
from tfcourse import data
from tfcourse.generation import greedy, sample
from tfcourse.models.gpt import GPT
from tfcourse.tokenizers import BPETokenizer

SEED, STEPS, BATCH, RATE, WARMUP = 0, 20_000, 8, 6e-3, 100
#: How many windows of the test split the loss and the bits per byte are taken on.
UNSEEN, JUDGED = 32, 500
BEGINNING, WRITTEN, WRITING_SEED = "This is", 60, 1
WAYS = {"temperature 0.6": {"temperature": 0.6}, "top-p 0.8": {"top_p": 0.8}}


def drawn(ids: Tensor) -> Tensor:
    """A batch of windows from anywhere in the text, ``(BATCH, WINDOW + 1)``."""
    starts = torch.randint(len(ids) - WINDOW, (BATCH,)).tolist()
    return torch.stack([ids[s : s + WINDOW + 1] for s in starts])


def loss_of(model: GPT, windows: Tensor) -> Tensor:
    """The mean loss, in nats per token, on ``(B, WINDOW + 1)`` tokens."""
    return F.cross_entropy(model(windows[:, :-1]).logits.flatten(0, 1), windows[:, 1:].flatten())


@torch.no_grad()
def mean_loss(model: GPT, ids: Tensor, windows: int) -> float:
    """The loss on the first adjacent windows of the text."""
    rows = torch.stack([ids[s : s + WINDOW + 1] for s in range(0, windows * WINDOW, WINDOW)])
    return sum(loss_of(model, some).item() * len(some) for some in rows.split(100)) / windows


def trained(ids: Tensor, unseen: Tensor, steps: int) -> tuple[GPT, list[list[float]]]:
    """The model, and its loss on the unseen text during training."""
    torch.manual_seed(SEED)
    model, curve = gpt(**MODELS["tied"]), []
    optimizer = torch.optim.AdamW(model.parameters())
    for n in range(steps):
        if n % 1000 == 0:
            curve.append([n, round(mean_loss(model, unseen, UNSEEN), 3)])
            print(*curve[-1], flush=True)
        optimizer.param_groups[0]["lr"] = RATE * min(1, (n + 1) / WARMUP) * (1 - n / steps)
        loss = loss_of(model, drawn(ids))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval(), curve


def texts(model: GPT, tokens: BPETokenizer) -> dict[str, str]:
    """How the model continues the beginning, by each way of choosing."""
    prompt = torch.tensor([tokens.encode(BEGINNING)])
    ends = {"greedy": greedy(model, prompt, max_new_tokens=WRITTEN)}
    for name, way in WAYS.items():
        torch.manual_seed(WRITING_SEED)
        ends[name] = sample(model, prompt, max_new_tokens=WRITTEN, **way)
    return {name: BEGINNING + tokens.decode(end.tokens[0].tolist()) for name, end in ends.items()}


def measured(quick: bool) -> dict:
    """The losses and the texts."""
    torch.set_num_threads(1)  # this network is too small to share
    text = {split: data.load("prose", split).text for split in ("train", "test")}
    tokens = BPETokenizer.train([text["train"]], 1024, special=())
    ids = {split: torch.tensor(tokens.encode(one)) for split, one in text.items()}
    steps, judged = (2, 2) if quick else (STEPS, JUDGED)
    model, curve = trained(ids["train"], ids["test"], steps)
    size = len(tokens.decode(ids["test"][1 : judged * WINDOW + 1].tolist()).encode())
    nats = mean_loss(model, ids["test"], judged) * judged * WINDOW
    return {
        "steps": steps, "tokens in a step": BATCH * WINDOW,
        "parameters": sum(p.numel() for p in model.parameters()),
        "loss on unseen text": round(mean_loss(model, ids["test"], UNSEEN), 3),
        "bits per byte": round(nats / math.log(2) / size, 3),
        "loss by step": curve, "texts": texts(model, tokens),
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("gpt-longer", __doc__, measured, seed=SEED)
