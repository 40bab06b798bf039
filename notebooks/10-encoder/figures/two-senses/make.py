"""Train the small encoder that predicts hidden words, and write it to ``gaps.json``.

Three live figures read it. It learns from the sentences of ``heads/make.py``, in which *note* has
three senses, but is never told a sense. Weights are stored as whole multiples of ``step``, so that
the file is small. The figures compute with these rounded numbers, and so do the tests that compare
them with ``tfcourse``. About a minute on one thread::

    python notebooks/10-encoder/figures/two-senses/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import torch
import torch.nn.functional as F

from coursebook import live
from tfcourse import data
from tfcourse.batching import Batches, mask_words, pad
from tfcourse.models.bert import BERT
from tfcourse.tokenizers import WordTokenizer

reader = live.maker("reader")

STEPS, BATCH, RATE = 2000, 64, 5e-3
#: The weights of the encoder, and of the head that predicts words.
NAMES = reader.NAMES | {
    "W_head": "words.transform.W", "b_head": "words.transform.b",
    "gain_head": "words.norm.gain", "shift_head": "words.norm.shift", "b_words": "words.b_V",
}  # fmt: skip


def new_model(vocabulary: int) -> BERT:
    """The encoder of the other figures, with a head that predicts words."""
    config, _ = reader.new_reader(vocabulary)
    return BERT(replace(config.config, predicts=("words",)))


def train(rows: list[list[int]], words: int, seed: int) -> BERT:
    """Masked words, with Adam; the rate warms up for a tenth of the steps and decays to zero."""
    torch.manual_seed(seed)
    model = new_model(words)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE, total_steps=STEPS, pct_start=0.1
    )
    known = torch.arange(len(reader.SPECIAL), words)
    generator = torch.Generator().manual_seed(seed)
    batches = Batches(rows, BATCH, collate=lambda ids: pad(ids, reader.PAD), seed=seed)
    done = 0
    while done < STEPS:
        for ids, lengths in batches:
            real = torch.arange(ids.shape[1]) < lengths[:, None]
            read, asked = mask_words(ids, real, mask=reader.MASK, words=known, generator=generator)
            logits = model(read, lengths=lengths, places=asked).logits
            loss = F.cross_entropy(logits, ids[asked])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if done == STEPS:
                break
    return model.eval()


def load(stored: dict) -> BERT:
    """The model as stored in the file: what the figures compute with."""
    model = new_model(len(stored["words"]))
    weights = {name: torch.tensor(w) * stored["step"] for name, w in stored["weights"].items()}
    model.load_state_dict(reader.state_of(weights, NAMES))
    return model.eval()


@torch.no_grad()
def right(model: BERT, rows: list[list[int]]) -> float:
    """The fraction of words predicted correctly, each hidden in turn."""
    found = []
    for ids in rows:
        read = torch.tensor(ids).repeat(len(ids), 1)
        read.fill_diagonal_(reader.MASK)
        logits = model(read, places=torch.eye(len(ids)).bool()).logits
        found.append(logits.argmax(-1) == torch.tensor(ids))
    return torch.cat(found).double().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.set_num_threads(1)
    tests = [" ".join(s.words) for s in data.load("senses", "test")]
    texts = {"train": [text for text, *_ in reader.training_texts(seed)], "test": tests}
    words = WordTokenizer.train(texts["train"], special=reader.SPECIAL)
    rows = {split: [words.encode(text) for text in found] for split, found in texts.items()}
    model = train(rows["train"], len(words), seed)
    stored = {
        "about": "A small encoder for the live figures, trained by two-senses/make.py",
        "seed": seed,
        "words": [words.token(i) for i in range(len(words))],
        "sizes": {
            "heads": reader.SIZES["num_heads"],
            "longest": reader.SIZES["context_length"],
            "eps": 1e-5,
        },
        "step": reader.STEP,
        "weights": reader.in_steps(model, NAMES),
    }
    told = [right(one, rows["test"][:300]) for one in (model, load(stored))]
    print(f"hidden words {told[0]:.3f} right, rounded {told[1]:.3f}")
    live.store("gaps", stored)
    print(f"{len(words)} words")


if __name__ == "__main__":
    main()
