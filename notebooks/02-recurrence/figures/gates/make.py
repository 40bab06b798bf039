"""Train the small GRU of the figure *gates*, and write its weights to ``gates.json``.

It reads a sentence of the corpus *agreement* up to its verb and is asked, at the subject and after
each word that follows it, whether the verb must be plural. Weights are stored as whole multiples of
``step``, so that the file is small. The figure computes with these rounded numbers, and so do the
tests that compare them with ``tfcourse``. About ten seconds on one thread::

    python notebooks/02-recurrence/figures/gates/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
from operator import attrgetter

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook import live
from tfcourse import data
from tfcourse.batching import Batches, pad
from tfcourse.data import Agreement
from tfcourse.recurrent import GRUCell, Recurrent
from tfcourse.tokenizers import WordTokenizer

SPECIAL = ("<pad>", "<unk>")
PAD, UNKNOWN = range(2)
WIDTH, HIDDEN = 8, 6
#: The resolution of stored weights, and the rate of words made unknown in training.
STEP, MADE_UNKNOWN = 1 / 128, 0.02
EXAMPLES, STEPS, BATCH, RATE = 10_000, 600, 64, 2e-2

#: The name of each weight in the file, and in the model.
NAMES = {
    "E": "embedding.weight",
    "W": "recurrent.cells.0.W", "U": "recurrent.cells.0.U",
    "b": "recurrent.cells.0.b", "b_hn": "recurrent.cells.0.b_hn",
    "w": "w", "b_w": "b",
}  # fmt: skip


class NumberReader(nn.Module):
    """A GRU that predicts after each word how likely the verb is to be plural."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.recurrent = Recurrent(GRUCell, WIDTH, HIDDEN)
        self.w = nn.Parameter(torch.randn(HIDDEN) * HIDDEN**-0.5)
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, ids: Tensor) -> Tensor:
        """``(B, T)`` ids to ``(B, T)`` logits of *plural*."""
        states, _ = self.recurrent(self.embedding(ids), fused=True)
        return states @ self.w + self.b


def is_plural(sentence: Agreement) -> bool:
    """Whether the correct form of the verb is the plural, the one of the two without an s."""
    return not sentence.right.endswith("s")


def collate(rows: list[tuple[list[int], int, bool]]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids up to the verb, the positions of the question, and whether the verb is plural."""
    ids, lengths = pad([ids for ids, _, _ in rows], PAD)
    place, subjects = torch.arange(ids.shape[1]), torch.tensor([subject for _, subject, _ in rows])
    asked = (place >= subjects[:, None]) & (place < lengths[:, None])
    plural = torch.tensor([float(plural) for _, _, plural in rows])
    return ids, asked, plural[:, None].expand(ids.shape)


def train(rows: list[tuple[list[int], int, bool]], words: int, seed: int) -> NumberReader:
    """With Adam; the rate decays to zero."""
    torch.manual_seed(seed)
    model = NumberReader(words)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=STEPS)
    generator = torch.Generator().manual_seed(seed)
    batches = Batches(rows, BATCH, collate=collate, seed=seed)
    done = 0
    while done < STEPS:
        for ids, asked, plural in batches:
            unknown = torch.rand(ids.shape, generator=generator) < MADE_UNKNOWN
            ids = ids.masked_fill(unknown & (ids != PAD), UNKNOWN)
            loss = F.binary_cross_entropy_with_logits(model(ids)[asked], plural[asked])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if done == STEPS:
                break
    return model.eval()


def load(stored: dict) -> NumberReader:
    """The model as stored in the file: what the figure computes with."""
    model = NumberReader(len(stored["words"]))
    model.load_state_dict(
        {NAMES[name]: torch.tensor(w) * stored["step"] for name, w in stored["weights"].items()}
    )
    return model.eval()


@torch.no_grad()
def right(model: NumberReader, rows: list[tuple[list[int], int, bool]]) -> float:
    """The fraction of sentences with the correct number after the last word before the verb."""
    ids, asked, plural = collate(rows)
    last = asked.cumsum(1).argmax(1)
    said = model(ids)[torch.arange(len(ids)), last] > 0
    return (said == plural[:, 0].bool()).double().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.set_num_threads(1)
    found = {
        "train": data.load("agreement", "train", examples=EXAMPLES),
        "test": data.load("agreement", "test"),
    }
    texts = [" ".join(s.words) for s in found["train"]]
    words = WordTokenizer.train(texts, special=SPECIAL)
    rows = {
        split: [
            (words.encode(" ".join(s.words[: s.verb])), s.verb - s.distance, is_plural(s))
            for s in sentences
        ]
        for split, sentences in found.items()
    }
    model = train(rows["train"], len(words), seed)
    stored = {
        "about": "A small GRU for a live figure, trained by gates/make.py",
        "seed": seed,
        "words": [words.token(i) for i in range(len(words))],
        "step": STEP,
        "weights": {
            name: (attrgetter(theirs)(model).detach() / STEP).round().int().tolist()
            for name, theirs in NAMES.items()
        },
    }
    told = [right(one, rows["test"]) for one in (model, load(stored))]
    print(f"verbs right {told[0]:.3f}, rounded {told[1]:.3f}")
    live.store("gates", stored)
    print(f"{len(words)} words")


if __name__ == "__main__":
    main()
