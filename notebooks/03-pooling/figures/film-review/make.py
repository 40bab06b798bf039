"""Train the model of the figure *film review*, and write it to ``reviews.json``.

One learned query pools the words of a review, and a linear layer predicts whether it is good. The
reviews are the snippets of *sentence polarity* (Pang and Lee 2005, CC BY 4.0); those of fold 0 are
for testing. The model is *selective*: few words get most of the weight. Training does not ask for
that by itself, since a loud vote does the same as a large weight. So the training reviews are up to
``MOST`` snippets of one class joined, and weight decay keeps everything small except the query. For
the same model trained without both, ``usual``, the file has the test accuracy, what it says of one
review, the weight and the vote of the word that judges there, and how large its votes are; so it
has for ``mean``, trained as usual with equal weights. ``equal weights`` is the selective model
whose words get the same weight only after training: how many test reviews are right only so, and
only with its own weights. Weights are whole multiples of ``step``, so that the file is small. The
figure computes with these rounded numbers, and so do the tests that compare it with ``tfcourse``.
Half a minute on one thread, with the corpus available::

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
#: The review at the beginning of lesson 03, with bars around the word that judges the film.
OPENING = "it's a | solid | movie about people whose lives are anything but"


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


@torch.no_grad()
def as_a_mean(model: PoolingClassifier) -> PoolingClassifier:
    """The model with a query of zeros that does not learn: every word has the same weight."""
    model.pool.v.requires_grad_(False).zero_()
    return model


@torch.no_grad()
def with_and_without(stored: dict, examples: list[tuple[list[int], int]]) -> dict[str, float]:
    """How many reviews are right with the query's weights, with equal ones, and only with one."""
    tokens, lengths, labels = pad_labelled(examples)
    own, equal = (
        model(tokens, lengths).logits.argmax(-1) == labels
        for model in (load(stored), as_a_mean(load(stored)))
    )
    return {
        "reviews": len(labels),
        "right": round(equal.double().mean().item(), 3),
        "only so": int((equal & ~own).sum()),
        "only with its own": int((own & ~equal).sum()),
    }


def train(
    examples: list, vocabulary: int, seed: int, *, selective: bool, mean: bool = False
) -> PoolingClassifier:
    """The figure's model; if not ``selective``, one trained on single snippets as usual."""
    if selective:
        examples = joined(examples, torch.Generator().manual_seed(seed))
    torch.manual_seed(seed)
    model = new_model(vocabulary, DROPOUT)
    if mean:
        as_a_mean(model)
    batches = Batches(examples, BATCH, collate=pad_labelled, seed=seed)
    steps = EPOCHS * len(batches)
    fit(
        model, batches, loss=Classification(), lr=linear(RATE, steps), seed=seed, device="cpu",
        steps=steps, optimiser=decay_all_but_the_query if selective else adamw(weight_decay=0.01),
    )  # fmt: skip
    return model.eval()


@torch.no_grad()
def of_the_verdict(model: PoolingClassifier, tokenizer: WordTokenizer) -> dict[str, float]:
    """How good :data:`OPENING` is, and the weight and vote of the word between its bars."""
    before, (verdict,), after = (words_of(part) for part in OPENING.split("|"))
    ids = tokenizer.encode(" ".join([*before, verdict, *after]))
    output = model(torch.tensor([ids]), torch.tensor([len(ids)]), return_weights=True)
    weights, votes = output.maps["words"][0][0, 0, 0], votes_of(model)
    return {
        "good": round(output.logits[0].softmax(-1)[1].item(), 3),
        "weight of the verdict": round(weights[len(before)].item(), 5),
        "vote of the verdict": round(votes[ids[len(before)]].item(), 2),
    }


def votes_of(model: PoolingClassifier) -> torch.Tensor:
    """What each word of the vocabulary says for good, less what it says for bad."""
    own = weights_of(model)
    return own["E"] @ (own["W"][:, 1] - own["W"][:, 0])


@torch.no_grad()
def sizes_of_votes(model: PoolingClassifier) -> dict[str, float]:
    """The median and the largest size of a vote, over the words of the vocabulary."""
    sizes = votes_of(model).abs()
    return {
        "median vote": round(sizes.median().item(), 2),
        "largest vote": round(sizes.max().item(), 2),
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
    arms = {"selective": True}, {"selective": False}, {"selective": False, "mean": True}
    model, usual, mean = (train(examples["train"], len(tokenizer), seed, **arm) for arm in arms)
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
    for name, one in (("selective", load(stored)), ("usual", usual), ("mean", mean)):
        stored[name] = {
            "right": round(right(one, examples["test"]), 3),
            **of_the_verdict(one, tokenizer),
            **sizes_of_votes(one),
        }
        print(name, stored[name])
    stored["equal weights"] = with_and_without(stored, examples["test"])
    print("equal weights", stored["equal weights"])
    live.store("reviews", stored)
    print(f"test reviews: {told[0]:.3f} right, rounded {told[1]:.3f}")
    print(f"{len(tokenizer)} words")


if __name__ == "__main__":
    main()
