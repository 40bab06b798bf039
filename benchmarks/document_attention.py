"""Document classification by attention on real opinions: sentence polarity and movie reviews.

Four classifiers of similar size learn the same documents and are evaluated on unseen folds: the
plain mean of the words; one learned query; a bidirectional GRU under one query; and words, then
sentences. A snippet of sentence polarity is one sentence, so the last is left out there. All
settings are those of chapter 03, fixed on its own corpus: nothing is chosen on these folds. The
vocabulary comes from the training folds. Embeddings of the recurrent models start from those that
the mean has learned in the same fold.

There are ten folds; `--folds 2` takes the first two, and the record says how many were used.
"""

from __future__ import annotations

import argparse
import time

import torch
from torch import Tensor, nn

from coursebook import records
from tfcourse import data
from tfcourse.batching import Batches, pad_labelled
from tfcourse.evaluation import wilson
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
)
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import Classification, adamw, fit

SEED = 0
THREADS = 1
FOLDS = 10
CORPORA = ("sentence-polarity", "movie-reviews")
#: Epochs, rate and batch size of the models without and with a GRU.
PLAIN, RECURRENT = (6, 1e-2, 32), (2, 1e-2, 64)
WIDTH, HIDDEN, GRU, DROPOUT = 32, 32, 16, 0.3
#: A longer sentence is split, to limit padding; nothing of it is lost.
LONGEST = 50


def flat(examples: list) -> tuple[Tensor, Tensor, Tensor]:
    """The documents as rows of words."""
    return pad_labelled([([i for s in sentences for i in s], y) for sentences, y in examples])


def nested(examples: list) -> tuple[Tensor, Tensor, Tensor]:
    """The documents as sentences of words: ids ``(B, N, S)``, lengths ``(B, N)``, labels."""
    cut = [
        [s[i : i + LONGEST] for s in sentences for i in range(0, len(s), LONGEST)]
        for sentences, _ in examples
    ]
    most, longest = max(map(len, cut)), max(len(s) for sentences in cut for s in sentences)
    tokens = torch.zeros(len(cut), most, longest, dtype=torch.long)
    lengths = torch.zeros(len(cut), most, dtype=torch.long)
    for b, sentences in enumerate(cut):
        for n, sentence in enumerate(sentences):
            tokens[b, n, : len(sentence)] = torch.tensor(sentence)
            lengths[b, n] = len(sentence)
    return tokens, lengths, torch.tensor([y for _, y in examples])


def words(example: tuple) -> int:
    return sum(map(len, example[0]))


def models(vocabulary: int, corpus: str) -> dict[str, nn.Module]:
    """The classifiers by name, the mean first."""
    sizes = {"d_model": WIDTH, "dropout": DROPOUT}
    one = sizes | {"queries": 1, "hidden": HIDDEN}
    made = {
        "mean": PoolingClassifier(PoolingConfig(vocabulary, **sizes, queries=0)),
        "attention": PoolingClassifier(PoolingConfig(vocabulary, **one)),
        "recurrent": PoolingClassifier(PoolingConfig(vocabulary, **one, d_hidden=GRU)),
    }
    if corpus != "sentence-polarity":
        config = HierarchicalConfig(vocabulary, **sizes, hidden=HIDDEN, d_hidden=GRU)
        made["hierarchical"] = HierarchicalClassifier(config)
    return made


def train(model: nn.Module, examples: list, settings: tuple, collate, quick: bool) -> float:
    """Train, and return the processor time in seconds."""
    epochs, lr, size = settings
    batches = Batches(examples, size, collate=collate, seed=SEED, lengths=words)
    steps = 2 if quick else epochs * len(batches)
    start = time.process_time()
    decay = adamw(weight_decay=0.01)
    fit(model, batches, loss=Classification(), steps=steps, lr=lr, optimiser=decay, seed=SEED)
    return time.process_time() - start


@torch.no_grad()
def answers(model: nn.Module, examples: list, collate) -> str:
    """1 for each correctly classified document, else 0; same order for all models."""
    model.eval()
    batches = Batches(examples, 64, collate=collate, shuffle=False, lengths=words)
    return "".join(
        str(int(right))
        for tokens, lengths, labels in batches
        for right in model(tokens, lengths).logits.argmax(dim=-1) == labels
    )


def one_fold(corpus: str, fold: int, quick: bool) -> dict[str, dict]:
    """Each model's accuracy on one fold, after training on the others."""
    torch.manual_seed(SEED)
    parts = {s: data.load(corpus, split=s, fold=fold) for s in ("train", "test")}
    if quick:
        parts = {name: part[:40] for name, part in parts.items()}
    texts = [text for text, _ in parts["train"]]
    tokenizer = WordTokenizer.train(texts, at_least=2, punctuation=True, lower=True)
    train_set, test_set = (
        [([tokenizer.encode(s) for s in example.sentences], example.label) for example in part]
        for part in parts.values()
    )
    results, start = {}, None
    for name, model in models(len(tokenizer), corpus).items():
        recurrent = name in ("recurrent", "hierarchical")
        if recurrent:
            with torch.no_grad():
                model.embedding.weight.copy_(start)
        collate = nested if name == "hierarchical" else flat
        settings = RECURRENT if recurrent else PLAIN
        seconds = train(model, train_set, settings, collate, quick)
        if name == "mean":
            start = model.embedding.weight.detach().clone()
        results[name] = {
            "answers": answers(model, test_set, collate),
            "parameters": model.count_parameters(),
            "training_cpu_seconds": round(seconds, 1),
        }
    return results


def summary(folds: list[dict]) -> dict[str, dict]:
    """The folds together: each document is evaluated once, by a model not trained on it."""
    together = {}
    for name in folds[0]:
        all_answers = "".join(fold[name]["answers"] for fold in folds)
        share = wilson(all_answers.count("1"), len(all_answers))
        together[name] = {"accuracy": share.value, "low": share.low, "high": share.high}
    return together


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=FOLDS, help="how many of the ten, from 0 on")
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    count, quick = vars(parser.parse_args()).values()
    torch.set_num_threads(THREADS)
    results = {}
    for corpus in CORPORA:
        folds = [one_fold(corpus, fold, quick) for fold in range(1 if quick else count)]
        results[corpus] = {"folds": folds, "together": summary(folds)}
    if quick:
        print(results)
        return
    print(records.write("document-attention", results, seed=SEED).name)


if __name__ == "__main__":
    main()
