"""Train the model of the figure *film review*, and write it to ``reviews.json``.

One learned query pools the words of a review, and a linear layer predicts whether it is good. The
reviews are the snippets of *sentence polarity* (Pang and Lee 2005, CC BY 4.0); those of fold 0 are
for testing. The model is *selective*: few words get most of the weight. Training does not ask for
that by itself, since a loud vote does the same as a large weight. So the training reviews are up to
``MOST`` snippets of one class joined, and weight decay keeps everything small except the query. For
the same model trained without both, ``usual``, the file has the test accuracy, the weight of the
words that judge, and how large its votes are. Weights are whole multiples of ``step``, so that the
file is small. The figure computes with these rounded numbers, and so do the tests that compare it
with ``tfcourse``. Half a minute on one thread, with the corpus available::

    python notebooks/03-pooling/figures/film-review/make.py
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
from tfcourse.training import Classification, adamw, fit, linear

WIDTH, DROPOUT = 8, 0.3
EPOCHS, BATCH, RATE, DECAY = 8, 64, 2e-2, 0.8
#: Each training review is 1 to ``MOST`` snippets; each snippet is in ``COPIES`` reviews.
MOST, COPIES = 4, 2
#: Words that occur less often become one unknown word.
AT_LEAST = 10
#: The resolution at which weights are stored.
STEP = 1 / 64
UNKNOWN = "<unk>"
#: The review at the beginning of lesson 03, with bars around the words that judge the film.
OPENING = (
    "after 15 minutes watching the movie i was asking myself what to do leave the theater sleep or "
    "try to keep watching the movie to see if there was anything worth i finally watched the movie "
    "| what a waste of time | maybe i am not a 5 years old kid anymore"
)


def words_of(text: str) -> list[str]:
    """The words of a review in the figure: letters and apostrophes."""
    return re.findall(r"[a-z']*[a-z][a-z']*", text.lower())


def new_model(vocabulary: int, dropout: float = 0.0) -> PoolingClassifier:
    """One query directly over the word embeddings."""
    return PoolingClassifier(PoolingConfig(vocabulary, 2, d_model=WIDTH, dropout=dropout))


def weights_of(model: PoolingClassifier) -> dict[str, torch.Tensor]:
    """The parameters by their names in the file."""
    return {"E": model.embedding.weight, "v": model.pool.v, "W": model.W, "b": model.b}


def joined(
    examples: list[tuple[list[int], int]], generator: torch.Generator
) -> list[tuple[list[int], int]]:
    """Reviews of 1 to ``MOST`` snippets of one class; each snippet is in ``COPIES`` of them."""
    reviews = []
    for label in (0, 1):
        own = [ids for ids, found in examples if found == label]
        for _ in range(COPIES):
            order = torch.randperm(len(own), generator=generator).tolist()
            while order:
                several = int(torch.randint(1, MOST + 1, (), generator=generator))
                reviews.append((sum((own[i] for i in order[:several]), []), label))
                order = order[several:]
    return reviews


def decay_all_but_the_query(model: torch.nn.Module) -> torch.optim.Optimizer:
    """AdamW whose weight decay leaves the query alone, so that only its scores can grow."""
    groups: dict[bool, list] = {True: [], False: []}
    for name, own in model.named_parameters():
        groups[name == "pool.v"].append(own)
    return torch.optim.AdamW(
        [
            {"params": groups[False], "weight_decay": DECAY},
            {"params": groups[True], "weight_decay": 0.0},
        ]
    )


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


def train(examples: list, vocabulary: int, seed: int, *, selective: bool) -> PoolingClassifier:
    """The figure's model; if not ``selective``, one trained on single snippets as usual."""
    if selective:
        examples = joined(examples, torch.Generator().manual_seed(seed))
    torch.manual_seed(seed)
    model = new_model(vocabulary, DROPOUT)
    batches = Batches(examples, BATCH, collate=pad_labelled, seed=seed)
    steps = EPOCHS * len(batches)
    fit(
        model, batches, loss=Classification(), lr=linear(RATE, steps), seed=seed, device="cpu",
        steps=steps, optimiser=decay_all_but_the_query if selective else adamw(weight_decay=0.01),
    )  # fmt: skip
    return model.eval()


@torch.no_grad()
def weight_of_the_verdict(model: PoolingClassifier, tokenizer: WordTokenizer) -> float:
    """The weight that the words between the bars of :data:`OPENING` get together."""
    before, verdict, after = (words_of(part) for part in OPENING.split("|"))
    ids = tokenizer.encode(" ".join([*before, *verdict, *after]))
    output = model(torch.tensor([ids]), torch.tensor([len(ids)]), return_weights=True)
    weights = output.maps["words"][0][0, 0, 0]
    return weights[len(before) : len(before) + len(verdict)].sum().item()


@torch.no_grad()
def sizes_of_votes(model: PoolingClassifier) -> dict[str, float]:
    """The median and the largest size of a vote, over the words of the vocabulary."""
    own = weights_of(model)
    votes = (own["E"] @ (own["W"][:, 1] - own["W"][:, 0])).abs()
    return {
        "median vote": round(votes.median().item(), 2),
        "largest vote": round(votes.max().item(), 2),
    }


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
    model, usual = (
        train(examples["train"], len(tokenizer), seed, selective=one) for one in (True, False)
    )
    stored = {
        "about": "One query over words of film reviews, trained by film-review/make.py "
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
    for name, one in (("selective", load(stored)), ("usual", usual)):
        stored[name] = {
            "right": round(right(one, examples["test"]), 3),
            "weight of the verdict": round(weight_of_the_verdict(one, tokenizer), 3),
            **sizes_of_votes(one),
        }
        print(name, stored[name])
    live.store("reviews", stored)
    print(f"test reviews: {told[0]:.3f} right, rounded {told[1]:.3f}")
    print(f"{len(tokenizer)} words")


if __name__ == "__main__":
    main()
