"""Words of several senses in prose, before and after an encoder learns to guess hidden words.

The encoder of chapter 10, one block of width 64, predicts hidden words of the docstrings' prose.
Some words mean one thing in one package and another in a second: is the word's vector more similar
in two sentences of one package than in two of different ones? A package is not a sense, so the same
is measured for words that mean the same in all of them. Three seeds.
"""

from __future__ import annotations

import argparse
import time

import torch
import torch.nn.functional as F
from torch import Tensor

from coursebook import records
from tfcourse import data
from tfcourse.attention import padding_mask
from tfcourse.batching import Batches, mask_words, pad, pad_labelled
from tfcourse.data.docstrings import masked, parted
from tfcourse.flops import count_parameters
from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import adamw, cosine, fit, label_smoothed_loss

SEEDS, THREADS = (0, 1, 2), 1
LONGEST, VOCABULARY = 40, 2000
STEPS, BATCH, RATE = 700, 64, 5e-3
#: BERT's standard deviation of 0.02 is for width 768; a narrow model learns faster with a larger
#: one.
STD = 0.1
SPECIAL = ["<pad>", "[CLS]", "[SEP]", "<unk>", "[MASK]"]


#: Words, and two groups of packages in which they occur, each with its own sense.
SENSES = {
    "tree": (("networkx",), ("sklearn",)),
    "root": (("networkx",), ("sympy",)),
    "group": (("sympy",), ("sklearn", "dask")),
    "class": (("sklearn",), ("sqlalchemy", "matplotlib")),
    "table": (("sqlalchemy",), ("scipy",)),
    "key": (("sqlalchemy",), ("sympy", "networkx")),
}
#: The same for words that mean the same in both groups: the effect of subject alone.
ONE_SENSE = {
    "number": (("networkx", "sympy"), ("sklearn", "scipy")),
    "value": (("sqlalchemy", "matplotlib"), ("sklearn", "scipy")),
    "example": (("networkx", "sympy"), ("sqlalchemy", "scipy")),
}


#: The effects of the right context and of the masking fractions for BERT base, from the paper.
PUBLISHED = {
    "source": "Devlin et al. 2019, tables 5 and 8: development sets, accuracy; F1 of SQuAD and NER",
    "setting": (
        "110 million parameters, pre-trained on 3.3 billion words and fine-tuned; table 5 without "
        "next-sentence prediction, left only as a language model on every word"
    ),
    "both sides and left only": {
        "MNLI": (83.9, 82.1), "QNLI": (84.9, 84.3), "MRPC": (86.5, 77.5), "SST-2": (92.6, 92.1),
        "SQuAD": (87.9, 77.8),
    },
    "80, 10, 10 and [MASK] alone": {
        "MNLI, fine-tuned": (84.2, 84.3), "NER, fine-tuned": (95.4, 94.9),
        "NER, frozen": (94.9, 94.0),
    },
}  # fmt: skip


def dressed(tokens: WordTokenizer, text: str) -> list[int]:
    """The text's first words between [CLS] and [SEP]."""
    first, last = tokens.id("[CLS]"), tokens.id("[SEP]")
    return [first, *tokens.encode(text)[: LONGEST - 2], last]


def hide(tokens: WordTokenizer, ids: Tensor, generator: torch.Generator, **shares: float) -> tuple:
    """The model's input, and where it must predict."""
    real = torch.arange(len(SPECIAL), len(tokens))
    return mask_words(
        ids, ids >= len(SPECIAL), mask=tokens.id("[MASK]"), words=real, generator=generator,
        **shares,
    )  # fmt: skip


def pretrained(tokens: WordTokenizer, prose: list[str], seed: int, steps: int) -> BERT:
    """A BERT pre-trained on hidden words of single sentences."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = BERT(BERTConfig(
        len(tokens), context_length=LONGEST, num_layers=1, num_heads=4, d_model=64, dropout=0.0,
        padding=tokens.pad, std=STD,
    ))  # fmt: skip

    def loss(model: BERT, batch: tuple) -> tuple:
        ids, lengths = batch
        read, chosen = hide(tokens, ids, generator)
        logits = model(read, lengths=lengths, places=chosen).logits
        return label_smoothed_loss(logits, ids[chosen])

    rows = [dressed(tokens, sentence) for sentence in prose]
    fit(
        model, Batches(rows, BATCH, collate=pad, seed=seed, lengths=len), loss=loss, steps=steps,
        lr=cosine(RATE, steps, max(1, steps // 20)), optimiser=adamw(weight_decay=0.01), seed=seed,
        device="cpu",
    )  # fmt: skip
    return model.eval()


@torch.no_grad()
def hidden_right(model: BERT, tokens: WordTokenizer, held_out: list[str]) -> float:
    """The fraction of hidden words predicted correctly, in unseen sentences."""
    generator, right, count = torch.Generator().manual_seed(0), 0, 0
    rows = [dressed(tokens, sentence) for sentence in held_out]
    for ids, lengths in Batches(rows, 200, collate=pad, shuffle=False, lengths=len):
        read, chosen = hide(tokens, ids, generator, masked=1.0, random=0.0)
        said = model(read, lengths=lengths, places=chosen).logits.argmax(-1)
        right, count = right + int((said == ids[chosen]).sum()), count + len(said)
    return right / count


@torch.no_grad()
def states(model: BERT, ids: Tensor, lengths: Tensor) -> dict[str, Tensor]:
    """The tokens' vectors from the table, at the input, and after each block; ``(B, T, D)``."""
    x = model.embedding(ids)
    found = {"table": x}
    x = model.embedding_norm(model.positions.embed(x) + model.segments.weight[0])
    found["put in"] = x
    for i, block in enumerate(model.blocks, 1):
        x, _ = block(x, padding_mask(lengths, ids.shape[1]), fused=True)
        found[f"after block {i}"] = x
    return found


def alike_within(vectors: Tensor, sides: Tensor) -> dict[str, float]:
    """Mean cosine within one group and across, and how often a pair within is more similar."""
    unit = F.normalize(vectors, dim=1)
    first, second = torch.triu_indices(len(unit), len(unit), 1)
    cosines, same = (unit @ unit.T)[first, second], sides[first] == sides[second]
    within, across = cosines[same], cosines[~same].sort().values
    below = torch.searchsorted(across, within) + torch.searchsorted(across, within, right=True)
    return {
        "within": float(within.mean()),
        "across": float(across.mean()),
        "more alike within": float(below.double().mean() / 2 / len(across)),
    }


def words_apart(model: BERT, tokens: WordTokenizer) -> dict[str, dict]:
    """For each word with several senses or one: its vectors in unseen sentences."""
    model.eval()
    held_out = [
        (document.package, dressed(tokens, masked(s)))
        for split in ("validation", "test")
        for document in parted()[split]
        for s in document.sentences
    ]
    found = {}
    for word, packages in (SENSES | ONE_SENSE).items():
        some = [
            (row, side)
            for side, names in enumerate(packages)
            for package, row in held_out
            if package in names and tokens.id(word) in row
        ]
        ids, lengths, sides = pad_labelled(some)
        place = (ids == tokens.id(word)).int().argmax(dim=1)  # its first occurrence
        found[word] = {
            "sentences": torch.bincount(sides).tolist(),
            **{
                name: alike_within(x[torch.arange(len(x)), place].double(), sides)
                for name, x in states(model, ids, lengths).items()
            },
        }
    return found


def measured(quick: bool) -> dict:
    """How many hidden words each seed predicts, and its words' vectors."""
    start = time.process_time()
    prose, held_out = (
        [masked(sentence) for sentence in data.load("prose", split)] for split in ("train", "test")
    )
    tokens = WordTokenizer.train(prose, VOCABULARY, special=SPECIAL, punctuation=True, lower=True)
    hidden, apart = [], []
    for seed in SEEDS[: 1 if quick else None]:
        base = pretrained(tokens, prose, seed, 2 if quick else STEPS)
        hidden.append(hidden_right(base, tokens, held_out))
        torch.manual_seed(seed)
        untrained = words_apart(BERT(base.config), tokens)
        apart.append({"trained": words_apart(base, tokens), "untrained": untrained})
    return {
        "settings": {
            "steps of pre-training": STEPS, "longest": LONGEST,
            "vocabulary": VOCABULARY, "seeds": list(SEEDS),
        },
        "parameters": count_parameters(base),
        "hidden words right, each seed": hidden,
        "words of several senses": list(SENSES),
        "words of one sense": list(ONE_SENSE),
        "words apart, each seed": apart,
        "published": PUBLISHED,
        "cpu seconds": round(time.process_time() - start),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    quick = parser.parse_args().quick
    torch.set_num_threads(THREADS)
    results = measured(quick)
    print(results if quick else records.write("encoder-documents", results, seed=SEEDS[0]).name)


if __name__ == "__main__":
    main()
