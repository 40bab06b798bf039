"""Translation: training on pairs of texts, and translating with the trained model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from torch import nn

from tfcourse.batching import Batches, pad, pad_pairs
from tfcourse.evaluation import bleu, chrf, exact_match
from tfcourse.generation import beam_search, greedy
from tfcourse.presets import Preset
from tfcourse.runs.task import Task, corpora, grouped, id_of, needs, tokenizer
from tfcourse.tokenizers import Tokenizer
from tfcourse.training import Translation, mean_loss


def translation(preset: Preset) -> Task:
    """The task of translating sources into targets."""
    train, validation, test = corpora(preset)
    sources, targets = ([pair[side] for pair in train] for side in (0, 1))
    if preset.tokenizer.shared:
        read = written = tokenizer(preset, [*sources, *targets])
    else:
        read, written = tokenizer(preset, sources), tokenizer(preset, targets)
    for tokens in (read, written):
        needs(tokens, "pad", "start", "end")
    from_data: dict[str, Any] = {"vocab_size": len(read)}
    if read is not written:
        from_data["target_vocab_size"] = len(written)
    if preset.model.kind == "Transformer":
        from_data["padding"] = written.pad
    model = preset.model.make(**from_data)
    padding = id_of(written, "pad")
    collate = partial(pad_pairs, value=padding)

    def encoded(corpus: Any) -> list[tuple[list[int], list[int]]]:
        return [
            (read.encode(source, end=True), written.encode(target, start=True, end=True))
            for source, target in corpus
        ]

    pairs, held_out = encoded(train), encoded(validation)
    choice = preset.training
    batches = Batches(
        pairs, choice.batch or None, collate=collate, seed=choice.seed, lengths=_longer,
        max_tokens=choice.batch_tokens or None,
    )  # fmt: skip
    validation_batches = Batches(
        held_out, preset.evaluation.batch, collate=collate, shuffle=False, lengths=_longer
    )

    def judge(model: nn.Module) -> dict[str, Any]:
        e = preset.evaluation
        found: dict[str, Any] = {}
        # In Wu et al.'s form the exponent is called alpha.
        exponent = "alpha" if e.penalty_form == "gnmt" else "length penalty"
        for num_beams in dict.fromkeys((1, e.num_beams)):
            written_texts = translate(
                model, read, written, [source for source, _ in test], num_beams=num_beams,
                length_penalty=e.length_penalty, penalty_form=e.penalty_form,
                max_new_tokens=e.max_new_tokens, batch=e.batch,
            )  # fmt: skip
            name = f"beam {num_beams}, {exponent} {e.length_penalty:g}"
            name = "greedy" if num_beams == 1 else name
            found[name] = _measured(preset, written_texts, [target for _, target in test])
            if "exact" in e.measures:
                found[name]["exact by tokens of the source"] = _by_length(read, written_texts, test)
        return found

    return Task(
        model,
        batches,
        Translation(padding, choice.smoothing),
        mean_loss(Translation(padding), validation_batches),
        judge,
        {"source_tokenizer": read, "target_tokenizer": written},
        {"training pairs": len(train), "test pairs": len(test), "vocabulary": len(written)},
    )


def translate(
    model: nn.Module,
    read: Tokenizer,
    written: Tokenizer,
    texts: Sequence[str],
    *,
    num_beams: int = 1,
    length_penalty: float = 1.0,
    penalty_form: str = "power",
    max_new_tokens: int = 64,
    batch: int = 100,
) -> list[str]:
    """Translate texts with a trained model; the translations are in the same order.

    ``read`` and ``written`` are the tokenizers of source and target. ``num_beams``,
    ``length_penalty``, ``penalty_form`` and ``max_new_tokens`` are as for
    :func:`~tfcourse.generation.beam_search`; 1 beam is greedy search. ``batch`` texts are
    translated at once.
    """
    found = [""] * len(texts)
    for rows, places in grouped([read.encode(text, end=True) for text in texts], batch):
        source, lengths = pad(rows, id_of(read, "pad"))
        asked: dict[str, Any] = {
            "prompt": written.start, "max_new_tokens": max_new_tokens, "eos_id": written.end,
            "source": source, "source_lengths": lengths,
        }  # fmt: skip
        if num_beams == 1:
            got = greedy(model, **asked)
        else:
            got = beam_search(
                model, **asked, num_beams=num_beams, length_penalty=length_penalty,
                penalty_form=penalty_form,
            )  # fmt: skip
        for i, row in zip(places, got.rows(), strict=True):
            found[i] = written.decode(row)
    return found


def _longer(pair: tuple[list[int], list[int]]) -> int:
    return max(map(len, pair))


def _measured(preset: Preset, written: list[str], right: list[str]) -> dict[str, Any]:
    """The measures that the preset asks for, with everything needed to interpret them."""
    e = preset.evaluation
    found: dict[str, Any] = {}
    for measure in e.measures:
        if measure == "exact":
            found |= interval("exact", exact_match(written, right))
        elif measure == "bleu":
            score = bleu(written, right, tokenize=e.tokenize, lowercase=e.lowercase)
            found |= {"BLEU": score.value, "BLEU signature": score.signature}
        elif measure == "chrf":
            score = chrf(written, right, lowercase=e.lowercase)
            found |= {"chrF": score.value, "chrF signature": score.signature}
    return found


def _by_length(read: Tokenizer, written: list[str], test: Any, step: int = 5) -> dict[str, Any]:
    """The fraction of exact answers for sources of 1 to 5 tokens, 6 to 10, and so on."""
    hits: dict[int, list[bool]] = {}
    for text, (source, target) in zip(written, test, strict=True):
        hits.setdefault((len(read.encode(source)) - 1) // step, []).append(text == target)
    return {
        f"{place * step + 1} to {(place + 1) * step}": {
            "exact": sum(some) / len(some), "n": len(some),
        }
        for place, some in sorted(hits.items())
    }  # fmt: skip


def interval(name: str, found: Any) -> dict[str, Any]:
    """A proportion with its confidence interval, for JSON."""
    return {name: found.value, f"{name}, 95 % interval": [found.low, found.high], "n": found.n}
