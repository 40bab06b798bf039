"""Captions, German to English: encoder-decoder against a decoder-only model of equal size.

Multi30k with 2,000 tokens, two encoder and two decoder blocks against four decoder blocks; the same
batches, steps and optimiser, each at its best learning rate by the validation loss. A third model
is the decoder in which the source words may all see each other. Evaluated by the loss on the target
words, and by BLEU of greedy translations. Runs already in the record are not repeated; ``--kinds``
does some of them. Chapter 11 shows the record.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import torch  # noqa: E402
from torch import nn  # noqa: E402
from translators import Prefix, one_sided, two_sided  # noqa: E402

from coursebook import records
from tfcourse import data, training  # noqa: E402
from tfcourse.batching import Batches, pad, pad_pairs  # noqa: E402
from tfcourse.evaluation import bleu  # noqa: E402
from tfcourse.flops import count_parameters, forward_flops
from tfcourse.generation import greedy  # noqa: E402
from tfcourse.models.gpt import GPT, GPTConfig  # noqa: E402
from tfcourse.models.transformer import Transformer, TransformerConfig  # noqa: E402
from tfcourse.runs import translate  # noqa: E402
from tfcourse.tokenizers import BPETokenizer  # noqa: E402

RECORD = "decoder-alone"
STEPS, BATCH_TOKENS, VOCABULARY = 600, 1024, 2000
RATES, SEEDS = (1e-3, 3e-3, 6e-3, 1e-2, 3e-2, 1e-1), (0, 1, 2)
D, D_FF, LONGEST, NEW_TOKENS = 96, 256, 320, 60


def encoder_decoder(size: int, dropout: float = 0.0) -> nn.Module:
    """Two encoder and two decoder blocks; one vocabulary."""
    return Transformer(TransformerConfig(
        size, context_length=LONGEST, num_encoder_layers=2, num_decoder_layers=2, num_heads=4,
        d_model=D, d_ff=D_FF, norm="pre", dropout=dropout,
        attention_dropout=dropout, padding=0,
    ))  # fmt: skip


def decoder(size: int, kind: type[GPT] = GPT, layers: int = 4, dropout: float = 0.0) -> nn.Module:
    """No cross-attention, so a wider feed-forward layer. Initial weights as above."""
    model = kind(GPTConfig(
        size, context_length=LONGEST, num_layers=layers, num_heads=4, d_model=D, d_ff=D_FF + D,
        positions="sinusoidal", ffn="relu", scale_embeddings=True, dropout=dropout,
    ))  # fmt: skip
    for block in model.blocks:
        block.attention.reset_parameters()
        block.ffn.reset_parameters()
    nn.init.normal_(model.embedding.weight, std=D**-0.5)
    return model


KINDS = {
    "encoder and decoder": (encoder_decoder, two_sided),
    "decoder alone": (decoder, one_sided),
    "decoder alone, source seen whole": (lambda size: decoder(size, Prefix), one_sided),
}


def splits(quick: bool) -> tuple[BPETokenizer, dict[str, list], dict[str, list]]:
    """The pieces, the pairs, and the pairs in ids."""
    names = ["test2017-mscoco"] * 3 if quick else ["train", "validation", "test2016"]
    parts = zip(("train", "validation", "test"), names, strict=True)
    pairs = {part: list(data.load("multi30k", n, source="de", target="en")) for part, n in parts}
    if quick:
        pairs = {part: some[: 8 if part == "test" else 80] for part, some in pairs.items()}
    texts = [text for pair in pairs["train"] for text in pair]
    tokens = BPETokenizer.train(
        texts, 300 if quick else VOCABULARY, special=("<pad>", "<s>", "</s>", "<unk>")
    )
    ids = {
        part: [
            (tokens.encode(source, end=True), tokens.encode(target, start=True, end=True))
            for source, target in some
        ]
        for part, some in pairs.items()
    }
    return tokens, pairs, ids


def batches_of(ids: list, seed: int) -> Batches:
    """Batches of pairs of similar length, each side of at most :data:`BATCH_TOKENS` tokens."""
    return Batches(
        ids, collate=pad_pairs, seed=seed, lengths=lambda p: max(map(len, p)),
        max_tokens=BATCH_TOKENS,
    )  # fmt: skip


@torch.no_grad()
def loss_on(says: Callable, model: nn.Module, ids: list) -> float:
    """Nats per target word."""
    total, count = 0.0, 0
    for batch in Batches(ids, 100, collate=pad_pairs, shuffle=False, lengths=lambda p: len(p[0])):
        mean, n = training.label_smoothed_loss(*says(model, batch), ignore=0)
        total, count = total + float(mean * n), count + int(n)
    return total / count


def written(model: nn.Module, tokens: BPETokenizer, sources: list[str]) -> list[str]:
    """Greedy translations."""
    if isinstance(model, Transformer):
        return translate(model, tokens, tokens, sources, max_new_tokens=NEW_TOKENS)
    prompts = [[*tokens.encode(text, end=True), tokens.start] for text in sources]
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    found = [""] * len(prompts)
    for begin in range(0, len(order), 100):
        places = order[begin : begin + 100]
        prompt, lengths = pad([prompts[i] for i in places])
        got = greedy(
            model, prompt, prompt_lengths=lengths, max_new_tokens=NEW_TOKENS, eos_id=tokens.end
        )  # fmt: skip
        for i, row in zip(places, got.rows(), strict=True):
            found[i] = tokens.decode(row)
    return found


def train(kind: str, rate: float, seed: int, quick: bool, corpus: Any) -> dict[str, Any]:
    """One run."""
    tokens, pairs, ids = corpus
    steps = 2 if quick else STEPS
    make, says = KINDS[kind]
    torch.manual_seed(seed)
    model = make(len(tokens))
    history = training.fit(
        model, batches_of(ids["train"], seed), steps=steps, seed=seed, device="cpu",
        loss=lambda model, batch: training.label_smoothed_loss(*says(model, batch), ignore=0),
        lr=training.cosine(rate, steps, warmup=max(1, steps // 10)),
        validate=lambda model: loss_on(says, model, ids["validation"]),
        validate_every=max(1, steps // 5),
    )  # fmt: skip
    found = {
        "rate": rate, "seed": seed, "validation": history.validation,
        "test loss": loss_on(says, model.eval(), ids["test"]),
    }  # fmt: skip
    if not isinstance(model, Prefix):  # greedy search cannot give it a prefix
        texts = written(model, tokens, [pair.source for pair in pairs["test"]])
        score = bleu(texts, [pair.target for pair in pairs["test"]])
        found |= {"BLEU": round(score.value, 2), "BLEU signature": score.signature}
    return found


def next_run(runs: list[dict[str, Any]]) -> tuple[float, int] | None:
    """Rate and seed: rising rates until the last is not the best, then other seeds at the best."""
    done = {(run["rate"], run["seed"]) for run in runs}
    highest = max((rate for rate, seed in done if seed == SEEDS[0]), default=0)
    best = best_rate(runs) if highest else 0
    if best == highest < RATES[-1]:
        return next(rate for rate in RATES if rate > highest), SEEDS[0]
    return next(((best, seed) for seed in SEEDS if (best, seed) not in done), None)


def best_rate(runs: list[dict[str, Any]]) -> float:
    """The rate with the lowest final validation loss, with the first seed."""
    firsts = [run for run in runs if run["seed"] == SEEDS[0]]
    return min(firsts, key=lambda run: run["validation"]["loss"][-1])["rate"]


def begun(corpus: Any) -> dict[str, Any]:
    """A record without runs."""
    kinds = {}
    for kind, (make, _) in KINDS.items():
        model = make(len(corpus[0]))
        sizes = (20, 20) if isinstance(model, Transformer) else (40,)
        kinds[kind] = {
            "parameters": count_parameters(model),
            "operations of 20 pieces to 20": forward_flops(model, 1, *sizes),
            "runs": [],
        }
    return {"steps": STEPS, "tokens of a batch": BATCH_TOKENS, "kinds": kinds}


def kept(corpus: Any) -> dict[str, Any]:
    """The content of the record, if it was made with the same number of steps."""
    with suppress(FileNotFoundError):
        results = records.load(RECORD)["results"]
        if results["steps"] == STEPS:
            return results
    return begun(corpus)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    corpus = splits(choice.quick)
    if choice.quick:
        print([train(kind, RATES[0], SEEDS[0], True, corpus) for kind in choice.kinds])
        return
    for kind in choice.kinds:
        while wanted := next_run(kept(corpus)["kinds"][kind]["runs"]):
            found = train(kind, *wanted, False, corpus)
            results = kept(corpus)  # other kinds may have run in the meantime
            one = results["kinds"][kind]
            one["runs"].append(found)
            one["rate"] = best_rate(one["runs"])
            print(kind, *wanted, records.write(RECORD, results, seed=SEEDS[0]).name, flush=True)


if __name__ == "__main__":
    main()
