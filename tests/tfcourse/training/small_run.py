"""A run that takes a second: a tiny GPT with dropout on batches that know their position."""

import torch

from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.training import NextToken, cosine, fit, mean_loss

V, T = 13, 8


class Shuffled:
    """Batches of several sizes in an order of their own for each pass, which can be gone on with.

    Their order is drawn from PyTorch's global generator too, so that it must be kept as well.
    """

    def __init__(self, seed=0, size=6, batches=5):
        self.tokens = torch.randint(0, V, (size * batches, T + 1), generator=_drawn(seed))
        self.size, self.epoch, self.place = size, 0, 0
        self.rank, self.world = 0, 1

    def __iter__(self):
        order = torch.randperm(len(self.tokens), generator=_drawn(self.epoch))
        while self.place < len(order):
            rows = order[self.place : self.place + self.size][self.rank :: self.world]
            self.place += self.size
            x = self.tokens[rows].clone()
            y = x[:, 1:].clone()
            y[:, 1:][torch.rand(len(x), T - 1) < 0.2] = -1  # not all batches count as many tokens
            yield x[:, :-1], y
        self.epoch, self.place = self.epoch + 1, 0

    def state_dict(self):
        return {"epoch": self.epoch, "place": self.place}

    def load_state_dict(self, state):
        self.epoch, self.place = state["epoch"], state["place"]


def _drawn(seed):
    return torch.Generator().manual_seed(seed)


def small_model(seed=0, dropout=0.1, dtype=torch.float32):
    torch.manual_seed(seed)
    return GPT(GPTConfig(V, T, num_layers=2, num_heads=2, d_model=16, dropout=dropout)).to(dtype)


LOSS = NextToken(ignore=-1)


def held_out(count=2):
    """Batches that stay the same."""
    tokens = torch.randint(0, V, (count, 4, T + 1), generator=_drawn(99))
    return [(t[:, :-1], t[:, 1:]) for t in tokens]


def small_fit(folder=None, steps=14, model=None, batches=None, **changes):
    """Train; gives the model and the history."""
    model = small_model() if model is None else model
    choices = {
        "loss": LOSS, "steps": steps, "lr": cosine(1e-2, 14, 3), "accumulate": 2, "seed": 3,
        "validate": mean_loss(LOSS, held_out()), "validate_every": 3, "checkpoint": folder,
        "checkpoint_every": 4, "device": "cpu",  # where a run is the same to the last bit
    } | changes  # fmt: skip
    return model, fit(model, Shuffled() if batches is None else batches, **choices)


def same_bits(one, other):
    """Whether two models, their weights or two histories are the same to the last bit.

    Seconds are left out.
    """
    if isinstance(one, torch.nn.Module):
        one, other = one.state_dict(), other.state_dict()
    if isinstance(one, dict):
        return list(one) == list(other) and all(torch.equal(one[k], other[k]) for k in one)
    names = ("loss", "lr", "norm", "tokens", "validation")
    return all(getattr(one, n) == getattr(other, n) for n in names)
