"""Train the model of the figures *translator*, *film* and *search*, and write their data.

One Transformer translates numbers and dates between German, English and French. The figure
*translator* computes with its weights, stored as whole multiples of ``step``; *film* shows what one
of its heads attended to during training; *search* shows what searches of three widths found early
in training. About five minutes on one thread::

    python notebooks/11-encoder-decoder/figures/translator/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from itertools import permutations
from statistics import mean

import torch

from coursebook import live
from coursebook.live.weights import fill, in_steps
from tfcourse import data
from tfcourse.batching import Batches, pad_pairs
from tfcourse.data.draw import Draw
from tfcourse.data.number_pairs import draw_numbers
from tfcourse.data.number_pieces import number_pieces
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.runs import translate
from tfcourse.tokenizers import WordTokenizer
from tfcourse.tokenizers.base import ROLES
from tfcourse.training import Translation, adamw, fit, noam

LANGUAGES = {"de": "deutsch", "en": "english", "fr": "français"}
LAYERS, HEADS, WIDTH, LONGEST = 2, 4, 48, 24
STEPS, BATCH, WARMUP, FACTOR = 4000, 64, 200, 0.5
#: The resolution at which weights are stored.
STEP = 1 / 64
#: The film's sentence and its steps.
WATCHED = "english sieben und dreißig tausend fünf hundert ein und zwanzig"
MOMENTS = (*range(20, 301, 20), 350, 400, 500, 600, 800, 1000, 2000, 4000)
#: The search's step, and its beam widths.
EARLY, WIDTHS = 420, (1, 2, 4)
#: Number of continuations of each kept text in the search figure.
SHOWN = 4


def in_all_directions(numbers: Iterable[int]) -> list[tuple[str, str]]:
    """Each number in all six directions; a source begins with the target language."""
    return [
        (" ".join([LANGUAGES[b], *number_pieces(number, a)]), " ".join(number_pieces(number, b)))
        for a, b in permutations(LANGUAGES, 2)
        for number in numbers
    ]


def held_out() -> list[int]:
    """Numbers of three to six digits, as many of each, that are in no training pair."""
    return draw_numbers("test", largest=999_999, examples=1, held_out=1000, seed=0)


def with_zeros(count: int) -> list[int]:
    """Numbers of which each digit is 0 with probability one half.

    Among numbers drawn evenly one in a thousand is a round thousand: a model that saw no others
    goes on after *zwanzigtausend*.
    """
    draw, kept_out, found = Draw("numbers with zeros"), {*held_out()}, []
    while len(found) < count:
        digits = [draw.chance(0.5) * draw.between(1, 9) for _ in range(6)]
        number = int("".join(map(str, digits)))
        if number not in kept_out:
            found.append(number)
    return found


def counted_in_hundreds() -> list[tuple[str, str]]:
    """1,100 to 1,999 as years are read, *neunzehnhundert* or *nineteen hundred*: sources only."""
    found, kept_out = [], {*held_out()}
    for a, hundred, joint in ("de", "hundert", []), ("en", "hundred", ["and"]):
        for number in {*range(1100, 2000)} - kept_out:
            high, rest = divmod(number, 100)
            more = [*joint, *number_pieces(rest, a)] if rest else []
            for b in LANGUAGES.keys() - {a}:
                source = [LANGUAGES[b], *number_pieces(high, a), hundred, *more]
                found.append((" ".join(source), " ".join(number_pieces(number, b))))
    return sorted(found)


def pairs_of(split: str, **options) -> list[tuple[str, str]]:
    """Numbers and dates in all six directions; a source begins with the target language."""
    found = []
    for a, b in permutations(LANGUAGES, 2):
        for corpus, more in (("number-words", {"form": "pieces"}), ("dates", {})):
            for s, t in data.load(corpus, split, source=a, target=b, **more, **options):
                found.append((f"{LANGUAGES[b]} {s}", t))
    return found


def new_model(vocabulary: int) -> Transformer:
    """A small version of the model of 2017."""
    return Transformer(
        TransformerConfig(
            vocabulary, context_length=LONGEST, num_encoder_layers=LAYERS,
            num_decoder_layers=LAYERS, num_heads=HEADS, d_model=WIDTH, dropout=0.0,
        )
    )  # fmt: skip


def load(stored: dict) -> tuple[Transformer, WordTokenizer]:
    """The model as stored in the file, which is what the figure computes with, and its words."""
    model = fill(new_model(len(stored["words"])), stored)
    words = WordTokenizer(stored["words"], special=tuple(ROLES.values()), punctuation=True)
    return model, words


def as_pair(words: WordTokenizer, source: str, target: str = "") -> tuple[list[int], list[int]]:
    return words.encode(source, end=True), words.encode(target, start=True, end=True)


@torch.no_grad()
def frame(model: Transformer, words: WordTokenizer, step: int) -> dict:
    """What the model now writes for the film's sentence, and the last block's attention."""
    model.eval()
    (said,) = translate(model, words, words, [WATCHED], max_new_tokens=14)
    source, target, lengths = pad_pairs([as_pair(words, WATCHED, said)])
    maps = model(source, target[:, :-1], lengths, return_weights=True).maps["cross"][-1][
        0
    ]  # (h, T, S)
    model.train()
    whole = (maps.mean(0) * 100).round().int().tolist()
    return {"step": step, "said": words.tokenize(said), "weights": whole}


@torch.no_grad()
def search(model: Transformer, words: WordTokenizer, text: str, beams: int) -> list[list[dict]]:
    """Beam search with all that it considered: the candidates of each step, best first.

    A candidate continues the kept text ``parent`` of the step before with ``word``; ``logp`` is
    that of the whole text so far. Candidates that were kept are marked; a finished text is not
    continued.
    """
    source, _, lengths = pad_pairs([as_pair(words, text)])
    memory, _ = model.encode(source, lengths)
    kept, steps = [([words.start], 0.0)], []
    while len(steps) < 16 and not all(ids[-1] == words.end for ids, _ in kept):
        candidates = []
        for parent, (ids, before) in enumerate(kept):
            if ids[-1] == words.end:
                candidates.append((before, parent, None, ids))
                continue
            logits = model.decode(torch.tensor([ids]), memory, lengths)
            logits = logits if isinstance(logits, torch.Tensor) else logits.logits
            likely = logits[0, -1].log_softmax(-1).topk(SHOWN)
            for logp, word in zip(*(one.tolist() for one in likely), strict=True):
                candidates.append((before + logp, parent, word, [*ids, word]))
        candidates.sort(key=lambda one: -one[0])
        steps.append(
            [
                {
                    "parent": parent,
                    "word": None if word is None else words.tokens[word],
                    "logp": round(logp, 2),
                    "kept": place < beams,
                }
                for place, (logp, parent, word, _) in enumerate(candidates)
            ]
        )
        kept = [(ids, logp) for logp, _, _, ids in candidates[:beams]]
    return steps


@torch.no_grad()
def log_probability(model: Transformer, words: WordTokenizer, source: str, target: str) -> float:
    """The log-probability of a whole translation, its end included."""
    read, written, lengths = pad_pairs([as_pair(words, source, target)])
    logits = model(read, written[:, :-1], lengths, return_weights=True).logits
    return float(logits.log_softmax(-1).gather(-1, written[:, 1:, None]).sum())


def searches_that_differ(model: Transformer, words: WordTokenizer) -> dict:
    """The searches for the first test number whose likeliest text found is shorter than greedy's.

    With them, the log-probability of the right text.
    """
    for pair in data.load(
        "number-words", "test", held_out=200, source="en", target="fr", form="pieces"
    ):
        text = f"{LANGUAGES['fr']} {pair.source}"
        found = {str(width): search(model, words, text, width) for width in WIDTHS}
        (greedy, length), *_, (widest, least) = (_best(steps) for steps in found.values())
        if widest > greedy and least < length:
            right = round(log_probability(model, words, text, pair.target), 2)
            return {"source": text, "target": pair.target, "right": right, "widths": found}
    raise RuntimeError("greedy search finds the most likely text for every test number")


def _best(steps: list[list[dict]]) -> tuple[float, int]:
    """The log-probability of a search's best text, and its length."""
    place, length = 0, 0
    for step in reversed(steps):
        one = step[place]
        place, length = one["parent"], length + (one["word"] is not None)
    return steps[-1][0]["logp"], length


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    seed, steps = vars(parser.parse_args()).values()
    torch.set_num_threads(1)
    # 100 of the 6,000 numbers are below 100. Repeated, they come as often as all others together.
    pairs = pairs_of("train", examples=6000) + in_all_directions(range(101)) * 60
    pairs += in_all_directions(with_zeros(6000)) + counted_in_hundreds() * 2
    words = WordTokenizer.train([text for pair in pairs for text in pair], punctuation=True)
    frames, searches = [], {}

    def watch(step, model, _):
        if step in MOMENTS:
            frames.append(frame(model, words, step))
        if step == EARLY:
            model.eval()
            searches.update(searches_that_differ(model, words))
            model.train()

    torch.manual_seed(seed)
    model = new_model(len(words))
    fit(
        model,
        Batches(
            [as_pair(words, *pair) for pair in pairs], BATCH, collate=pad_pairs, seed=seed,
            lengths=lambda pair: len(pair[0]),
        ),
        steps=steps, lr=noam(WIDTH, WARMUP, FACTOR), loss=Translation(words.pad, smoothing=0.1),
        optimiser=adamw(betas=(0.9, 0.98), eps=1e-9), seed=seed, device="cpu", on_step=watch,
    )  # fmt: skip
    model.eval()
    about = "A Transformer trained by translator/make.py on numbers and dates in words"
    stored = {
        "about": about,
        "seed": seed,
        "sizes": {"layers": LAYERS, "heads": HEADS, "width": WIDTH, "longest": LONGEST},
        "step": STEP,
        "words": list(words.tokens),
        "weights": in_steps(model, STEP),
    }
    live.store("translator", stored)
    live.store(
        "film", {"about": about, "seed": seed, "source": words.tokenize(WATCHED), "frames": frames}
    )
    live.store("search", {"about": about, "seed": seed, "after": EARLY, **searches})
    tested = {
        "held-out numbers": in_all_directions(held_out()[:300]),
        "dates": [one for one in pairs_of("test", held_out=200) if re.search(r"\d", one[1])],
        "0 to 100": in_all_directions(range(101)),
        "round thousands": in_all_directions(range(1000, 100_001, 1000)),
        "counted in hundreds": counted_in_hundreds(),
    }
    for which, tests in tested.items():
        for name, one in (("trained", model), ("rounded", load(stored)[0])):
            said = translate(one, words, words, [s for s, _ in tests], max_new_tokens=20, batch=200)
            right = mean(
                a == words.decode(words.encode(t)) for a, (_, t) in zip(said, tests, strict=True)
            )
            print(f"{name}: {right:.3f} of {len(tests)} {which} translated exactly")


if __name__ == "__main__":
    main()
