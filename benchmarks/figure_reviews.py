"""Train the model of the figure *film review*, and write it to ``book/figures/reviews.json``.

One learned query pools the words of a review, and a linear layer predicts whether it is good. The
reviews are the snippets of *sentence polarity* (Pang and Lee 2005, CC BY 4.0); those of fold 0 are
for testing. Weights are stored as whole multiples of ``step``, so that the file is small. The
figure computes with these rounded numbers, and so do the tests that compare it with ``tfcourse``. A
few seconds on one thread, with the corpus available::

    python benchmarks/figure_reviews.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
import re

import torch

from coursebook import live
from tfcourse import data
from tfcourse.batching import Batches, pad_labelled
from tfcourse.models.classifiers import PoolingClassifier, PoolingConfig
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import Classification, adamw, fit

WIDTH, DROPOUT = 8, 0.3
EPOCHS, BATCH, RATE, DECAY = 6, 32, 1e-2, 0.01
#: Words that occur less often become one unknown word.
AT_LEAST = 10
#: The resolution at which weights are stored.
STEP = 1 / 64
UNKNOWN = "<unk>"


def words_of(text: str) -> list[str]:
    """The words of a review in the figure: letters and apostrophes."""
    return re.findall(r"[a-z']*[a-z][a-z']*", text.lower())


def new_model(vocabulary: int, dropout: float = 0.0) -> PoolingClassifier:
    """One query directly over the word embeddings."""
    return PoolingClassifier(PoolingConfig(vocabulary, 2, d_model=WIDTH, dropout=dropout))


def weights_of(model: PoolingClassifier) -> dict[str, torch.Tensor]:
    """The parameters by their names in the file."""
    return {"E": model.embedding.weight, "v": model.pool.v, "W": model.W, "b": model.b}


@torch.no_grad()
def load(stored: dict) -> PoolingClassifier:
    """The model as stored in the file: what the figure computes with."""
    model = new_model(len(stored["words"]))
    for name, own in weights_of(model).items():
        own.copy_(torch.tensor(stored["weights"][name]) * stored["step"])
    return model.eval()


@torch.no_grad()
def right(model: PoolingClassifier, examples: list[tuple[list[int], int]]) -> float:
    """The fraction of reviews that the model classifies correctly."""
    tokens, lengths, labels = pad_labelled(examples)
    return (model(tokens, lengths).logits.argmax(-1) == labels).double().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.set_num_threads(1)
    reviews = {split: data.load("sentence-polarity", split=split) for split in ("train", "test")}
    texts = [" ".join(words_of(review.text)) for review in reviews["train"]]
    tokenizer = WordTokenizer.train(texts, at_least=AT_LEAST, special=[UNKNOWN])
    examples = {
        split: [
            (tokenizer.encode(" ".join(words)), review.label)
            for review in corpus
            if (words := words_of(review.text))
        ]
        for split, corpus in reviews.items()
    }
    torch.manual_seed(seed)
    model = new_model(len(tokenizer), DROPOUT)
    batches = Batches(examples["train"], BATCH, collate=pad_labelled, seed=seed)
    fit(
        model, batches, loss=Classification(), lr=RATE, seed=seed, device="cpu",
        steps=EPOCHS * len(batches), optimiser=adamw(weight_decay=DECAY),
    )  # fmt: skip
    model.eval()
    stored = {
        "about": "One query over words of film reviews, trained by benchmarks/figure_reviews.py "
        "on sentence polarity (Pang and Lee 2005, CC BY 4.0)",
        "seed": seed,
        "words": [tokenizer.token(i) for i in range(len(tokenizer))],
        "step": STEP,
        "weights": {
            name: (own.detach() / STEP).round().int().tolist()
            for name, own in weights_of(model).items()
        },
    }
    told = right(model, examples["test"]), right(load(stored), examples["test"])
    stored["right"] = round(told[1], 3)
    live.store("reviews", stored)
    print(f"test reviews: {told[0]:.3f} right, rounded {told[1]:.3f}")
    print(f"{len(tokenizer)} words")


if __name__ == "__main__":
    main()
