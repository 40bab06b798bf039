"""Train the model of the figures *alignment* and *aligning*, and write their data.

A recurrent translator with Bahdanau's attention turns German number words, in pieces, into English
ones. The figure *alignment* computes with its weights, stored as whole multiples of ``step``;
*aligning* shows where it attended for one number during training. Under a minute on one thread::

    python notebooks/04-alignment/figures/alignment/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
from statistics import mean

import torch

from coursebook import live
from coursebook.live.weights import fill, in_steps
from tfcourse import data
from tfcourse.batching import Batches, pad_pairs
from tfcourse.data.number_pieces import gold_alignment, number_pieces
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.runs import translate
from tfcourse.tokenizers import WordTokenizer
from tfcourse.tokenizers.base import ROLES
from tfcourse.training import Translation, cosine, fit

WIDTH, HIDDEN = 32, 40
STEPS, BATCH, RATE = 800, 64, 0.01
#: The resolution at which weights are stored.
STEP = 1 / 64
#: The number to watch, and the steps at which to watch it.
WATCHED = 345_627
MOMENTS = (*range(10, 101, 10), 120, 140, 160, 200, 250, 300, 400, 600, 800)


def pairs_of(split: str, **options) -> list[tuple[str, str]]:
    """German numbers in pieces, with their English words."""
    return list(data.load("number-words", split, form="pieces", **options))


def new_model(read: int, write: int) -> Seq2Seq:
    """A bidirectional encoder, a decoder, and additive attention between them."""
    return Seq2Seq(Seq2SeqConfig(read, write, d_model=WIDTH, d_hidden=HIDDEN, attention="additive"))


def load(stored: dict) -> tuple[Seq2Seq, WordTokenizer, WordTokenizer]:
    """The model as stored in the file, which is what the figure computes with, and its words."""
    model = fill(new_model(len(stored["read"]), len(stored["write"])), stored)
    special = tuple(ROLES.values())
    read, write = (WordTokenizer(stored[side], special=special) for side in ("read", "write"))
    return model, read, write


@torch.no_grad()
def look(
    model: Seq2Seq, read: WordTokenizer, write: WordTokenizer, source: str, target: str
) -> torch.Tensor:
    """The attention weights (T, S) before each word of a target, and before its end."""
    pair = read.encode(source, end=True), write.encode(target, start=True, end=True)
    ids, words, lengths = pad_pairs([pair])
    return model(ids, words[:, :-1], lengths, return_weights=True).maps["cross"][0][0, 0]


def frame(model: Seq2Seq, read: WordTokenizer, write: WordTokenizer, step: int) -> dict:
    """What the model now writes for the watched number, and its attention, in hundredths.

    The correct words are fed in to compute the weights, so that all frames have the same rows.
    """
    source, target = (" ".join(number_pieces(WATCHED, language)) for language in ("de", "en"))
    (said,) = translate(model.eval(), read, write, [source], max_new_tokens=16)
    weights = look(model, read, write, source, target)
    model.train()
    return {
        "step": step,
        "said": write.tokenize(said),
        "weights": (weights * 100).round().int().tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    seed, steps = vars(parser.parse_args()).values()
    torch.set_num_threads(1)
    pairs = pairs_of("train", examples=8000)
    read = WordTokenizer.train([source for source, _ in pairs])
    write = WordTokenizer.train([target for _, target in pairs])
    torch.manual_seed(seed)
    model = new_model(len(read), len(write))
    frames = [frame(model, read, write, 0)]

    def watch(step, model, _):
        if step in MOMENTS:
            frames.append(frame(model, read, write, step))

    encoded = [(read.encode(s, end=True), write.encode(t, start=True, end=True)) for s, t in pairs]
    fit(
        model,
        Batches(
            encoded, BATCH, collate=pad_pairs, seed=seed, lengths=lambda pair: len(pair[0])
        ),
        steps=steps, lr=cosine(RATE, steps, warmup=steps // 10), loss=Translation(write.pad),
        seed=seed, device="cpu", on_step=watch,
    )  # fmt: skip
    model.eval()
    about = "A recurrent translator with attention, trained by alignment/make.py"
    stored = {
        "about": about,
        "seed": seed,
        "sizes": {"width": WIDTH, "hidden": HIDDEN},
        "step": STEP,
        "read": list(read.tokens),
        "write": list(write.tokens),
        "weights": in_steps(model, STEP),
    }
    live.store("alignment", stored)
    watched = {
        "about": about,
        "seed": seed,
        "source": number_pieces(WATCHED, "de"),
        "target": number_pieces(WATCHED, "en"),
        "partners": gold_alignment(WATCHED),
        "frames": frames,
    }
    live.store("aligning", watched)
    tests = pairs_of("test")
    for name, one in (("trained", model), ("rounded", load(stored)[0])):
        said = translate(one, read, write, [s for s, _ in tests], max_new_tokens=16, batch=500)
        right = mean(a == t for a, (_, t) in zip(said, tests, strict=True))
        print(f"{name}: {right:.3f} of {len(tests)} translated exactly")


if __name__ == "__main__":
    main()
