"""Train the small model of the live figures, and write its weights to ``reader.json``.

The model reads sentences of the corpus *senses* and of ``sentences.toml``: it predicts
hidden words, and from its state at *note* whether a message, a tone or a mood is meant. Weights are
stored as whole multiples of ``step``, so that the file is small. The figures compute with these
rounded numbers, and so do the tests that compare them with ``tfcourse``. About a minute on one
thread::

    python notebooks/06-multi-head/figures/heads/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
import tomllib
from operator import attrgetter
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from coursebook import live
from tfcourse import data
from tfcourse.batching import Batches, mask_words, pad
from tfcourse.data.draw import Draw
from tfcourse.data.grammars.gathering import filled
from tfcourse.data.grammars.senses import LABELS, WORD
from tfcourse.layers import Affine
from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.tokenizers import WordTokenizer

SIZES = {
    "context_length": 24,
    "num_layers": 1,
    "num_heads": 4,
    "d_model": 32,
    "d_ff": 64,
    "segments": 1,
}
SPECIAL = ("<pad>", "<unk>", "<mask>")
PAD, UNKNOWN, MASK = range(3)
#: The resolution of stored weights, and the rate of words made unknown in training.
STEP, MADE_UNKNOWN = 1 / 128, 0.03
STEPS, BATCH, RATE = 2500, 64, 3e-3
#: Sentences beyond the corpus, and how many are drawn from each of their templates.
MORE = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))
DRAWN = 120
#: The label of a sentence that does not have the word: no sense is asked.
NO_SENSE = -100

#: The name of each weight in the file, and in the model. Queries, keys and values have a matrix
#: each in the file.
NAMES = {
    "E": "embedding.weight", "P": "positions.P", "S": "segments.weight",
    "W_O": "blocks.0.attention.W_O", "b_O": "blocks.0.attention.b_O",
    "W_1": "blocks.0.ffn.W_1", "b_1": "blocks.0.ffn.b_1",
    "W_2": "blocks.0.ffn.W_2", "b_2": "blocks.0.ffn.b_2",
    "gain_0": "embedding_norm.gain", "shift_0": "embedding_norm.shift",
    "gain_1": "blocks.0.attention_norm.gain", "shift_1": "blocks.0.attention_norm.shift",
    "gain_2": "blocks.0.ffn_norm.gain", "shift_2": "blocks.0.ffn_norm.shift",
}  # fmt: skip


def more_sentences(seed: int) -> list[tuple[str, int, int]]:
    """Texts from the templates of :data:`MORE`, with the position of *note* and the sense."""
    draw, found = Draw(f"figure sentences {seed}"), []
    slots = {name: tuple(words.split()) for name, words in MORE["slots"].items()}
    kinds = [(MORE["templates"][sense], label) for label, sense in enumerate(LABELS)]
    for templates, label in (*kinds, (MORE["plain"]["texts"], NO_SENSE)):
        for template in templates:
            for _ in range(DRAWN):
                words = list(filled(draw, template, slots))
                place = words.index(WORD) if label != NO_SENSE else 0
                found.append((" ".join(words), place, label))
    return found


def training_texts(seed: int) -> list[tuple[str, int, int]]:
    """All that the figures' encoders learn from."""
    corpus = data.load("senses", "train")
    return [(" ".join(s.words), s.place, s.label) for s in corpus] + more_sentences(seed)


def new_reader(vocabulary: int, dropout: float = 0.0) -> tuple[BERT, Affine]:
    """The encoder, and the layer that reads the sense from its state at *note*."""
    config = BERTConfig(
        vocab_size=vocabulary, **SIZES, activation="relu", eps=1e-5, dropout=dropout,
        padding=PAD, std=0.5 / SIZES["d_model"] ** 0.5,
    )  # fmt: skip
    sense = Affine(SIZES["d_model"], len(LABELS))
    torch.nn.init.normal_(sense.W, std=config.std)
    return BERT(config), sense


def collate(rows: list[tuple[list[int], int, int]]) -> tuple[Tensor, ...]:
    """Ids, lengths, the position of *note*, and the sense."""
    ids, places, senses = zip(*rows, strict=True)
    return *pad(ids, PAD), torch.tensor(places), torch.tensor(senses)


def train(rows: list, words: WordTokenizer, seed: int) -> tuple[BERT, Affine]:
    """Both tasks at once, with Adam; the rate decays to zero."""
    torch.manual_seed(seed)
    model, sense = new_reader(len(words), dropout=0.1)
    parameters = [*model.parameters(), *sense.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=STEPS)
    known = torch.arange(len(SPECIAL), len(words))
    generator = torch.Generator().manual_seed(seed)
    batches = Batches(rows, BATCH, collate=collate, seed=seed)
    done = 0
    while done < STEPS:
        for ids, lengths, place, label in batches:
            real = torch.arange(ids.shape[1]) < lengths[:, None]
            unknown = torch.rand(ids.shape, generator=generator) < MADE_UNKNOWN
            ids = ids.masked_fill(unknown & real, UNKNOWN)
            read, asked = mask_words(ids, real, mask=MASK, words=known, generator=generator)
            x, _ = model.encode(read, lengths=lengths)
            loss = F.cross_entropy(model.head(x, "words", places=asked), ids[asked])
            at_note = x[torch.arange(len(x)), place]
            loss = loss + F.cross_entropy(sense(at_note), label)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if done == STEPS:
                break
    return model.eval(), sense


def in_steps(model: BERT, names: dict[str, str], **others: Tensor) -> dict[str, list]:
    """Each weight as whole multiples of :data:`STEP`, ``others`` too."""
    layer = model.blocks[0].attention
    weights = {name: attrgetter(theirs)(model) for name, theirs in names.items()}
    for name in ("W_QKV", "b_QKV"):
        weights |= layer.separate(name, getattr(layer, name))
    weights |= others
    return {name: (w.detach() / STEP).round().int().tolist() for name, w in weights.items()}


def state_of(weights: dict[str, Tensor], names: dict[str, str]) -> dict[str, Tensor]:
    """The model's tensors by their names in it, from those of a file."""
    found = {theirs: weights[name] for name, theirs in names.items()}
    for kind in ("W", "b"):
        parts = [weights[f"{kind}_{letter}"] for letter in "QKV"]
        found[f"blocks.0.attention.{kind}_QKV"] = torch.cat(parts, dim=-1)
    return found


def stored_weights(model: BERT, sense: Affine) -> dict[str, list]:
    """The weights for the file.

    The head that predicts words was only needed for training; no figure uses it.
    """
    return in_steps(model, NAMES, sense_W=sense.W, sense_b=sense.b)


def load(stored: dict) -> tuple[BERT, Affine]:
    """The model as stored in the file: what the figures compute with."""
    model, sense = new_reader(len(stored["words"]))
    weights = {name: torch.tensor(w) * stored["step"] for name, w in stored["weights"].items()}
    sense.load_state_dict({name: weights.pop(f"sense_{name}") for name in ("W", "b")})
    kept = model.load_state_dict(state_of(weights, NAMES), strict=False)
    assert not kept.unexpected_keys and all(n.startswith("words.") for n in kept.missing_keys)
    return model.eval(), sense.eval()


@torch.no_grad()
def right(model: BERT, sense: Affine, rows: list) -> float:
    """The fraction of sentences whose sense is predicted correctly."""
    ids, lengths, place, label = collate(rows)
    x, _ = model.encode(ids, lengths=lengths)
    said = sense(x[torch.arange(len(x)), place]).argmax(-1)
    return (said == label).double().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.set_num_threads(1)
    tests = [(" ".join(s.words), s.place, s.label) for s in data.load("senses", "test")]
    texts = {"train": training_texts(seed), "test": tests}
    words = WordTokenizer.train((text for text, *_ in texts["train"]), special=SPECIAL)
    rows = {
        split: [(words.encode(text), *asked) for text, *asked in found]
        for split, found in texts.items()
    }
    model, sense = train(rows["train"], words, seed)
    stored = {
        "about": "A small encoder for the live figures, trained by heads/make.py",
        "seed": seed,
        "words": [words.token(i) for i in range(len(words))],
        "senses": {"word": WORD, "labels": LABELS},
        "sizes": {"heads": SIZES["num_heads"], "longest": SIZES["context_length"], "eps": 1e-5},
        "step": STEP,
        "weights": stored_weights(model, sense),
    }
    told = [right(*which, rows["test"]) for which in ((model, sense), load(stored))]
    stored["right"] = round(told[1], 3)
    live.store("reader", stored)
    print(f"the sense of the test sentences: {told[0]:.3f} right, rounded {told[1]:.3f}")
    print(f"{len(words)} words")


if __name__ == "__main__":
    main()
