"""The cost of a training step of recurrent translators and of the Transformer.

First the small ones of ``translators.py`` on their own batches of number words; chapter 11 combines
these times with their losses. Then larger ones with 0.7 million parameters each, with source and
target of 8 to 512 tokens and the same number of tokens in every batch. A step is forward, backward
and the optimiser's update. The kinds alternate step by step, so that a busy moment affects all
equally; every turn is kept, and the medians. ``wall`` is wall-clock time; ``processor`` is the
processor time of the one thread, the same on an idle machine, and the basis of tokens per second.
On a CPU the memory allocator is set to keep freed memory. ``--device cuda`` writes a record of its
own, in wall-clock time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import torch  # noqa: E402
from torch import nn  # noqa: E402
from translators import batches_of, corpus, loss_of, made  # noqa: E402

from coursebook import records
from coursebook.measuring.passes import keep_memory  # noqa: E402
from tfcourse import training  # noqa: E402
from tfcourse.flops import count_parameters, forward_flops
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig  # noqa: E402
from tfcourse.models.transformer import Transformer, TransformerConfig  # noqa: E402
from tfcourse.training.batches import moved  # noqa: E402

SEED = 0
SMALL = ("no attention", "additive attention", "general attention", "Transformer", "decoder alone")
LENGTHS = (8, 32, 128, 512)
TOKENS = 4096  # of a batch, on either side
VOCABULARY = 320


def recurrent(attention: str, d_hidden: int) -> nn.Module:
    """GRUs; the encoder reads in both directions."""
    return Seq2Seq(Seq2SeqConfig(VOCABULARY, d_model=96, d_hidden=d_hidden, attention=attention))


#: Sizes as in the presets numbers-de-en; all within one in a hundred.
LARGER: dict[str, Callable[[], nn.Module]] = {
    "no attention": lambda: recurrent("none", 192),
    "additive attention": lambda: recurrent("additive", 140),
    "general attention": lambda: recurrent("general", 166),
    "Transformer": lambda: Transformer(
        TransformerConfig(
            VOCABULARY, context_length=max(LENGTHS), num_encoder_layers=2, num_decoder_layers=2,
            num_heads=4, d_model=128, d_ff=256, norm="pre", dropout=0.0,
        )
    ),
}  # fmt: skip


def step_of(model: nn.Module, loss: Any, device: str) -> Callable[[Any], None]:
    """One step of training on a batch."""
    model.to(device).train()
    optimiser = training.adamw()(model)
    for group in optimiser.param_groups:
        group["lr"] = 1e-3

    def step(batch: Any) -> None:
        mean, _ = loss(model, batch)
        mean.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if device == "cuda":  # a GPU works asynchronously: wait until it is done
            torch.cuda.synchronize()

    return step


def milliseconds(
    steps: dict[str, Callable[[Any], None]], batches: dict[str, list[Any]]
) -> dict[str, dict[str, Any]]:
    """Medians of each, and each turn's time; they take turns."""
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in steps}
    for turn in range(len(next(iter(batches.values())))):
        for name, step in steps.items():
            batch = batches[name][turn]
            clock, processor = time.perf_counter(), time.process_time()
            step(batch)
            took = time.perf_counter() - clock, time.process_time() - processor
            if turn:  # the first turn warms up
                seen[name].append(took)
    found: dict[str, dict[str, Any]] = {}
    for name, times in seen.items():
        kinds = zip(("wall", "processor"), zip(*times, strict=True), strict=True)
        each = {kind: [round(1000 * t, 3) for t in some] for kind, some in kinds}
        middle = {kind: round(statistics.median(some), 3) for kind, some in each.items()}
        found[name] = {**middle, "each turn": each}
    return found


def small(device: str, turns: int, examples: int) -> dict[str, Any]:
    """A step of number words, 64 pairs."""
    pairs = corpus(examples)
    steps, batches = {}, {}
    for kind in SMALL:
        steps[kind] = step_of(made(kind, pairs, SEED), loss_of(kind), device)
        stream = iter(batches_of(kind, pairs, SEED))
        batches[kind] = [moved(next(stream), device) for _ in range(turns)]
    return milliseconds(steps, batches)


def larger(device: str, n: int, turns: int) -> dict[str, Any]:
    """A step with n tokens to read and n to write."""
    torch.manual_seed(SEED)
    B, loss = TOKENS // n, training.Translation()
    source = torch.randint(VOCABULARY, (B, n), device=device)
    target = torch.randint(VOCABULARY, (B, n + 1), device=device)
    batch = source, target, torch.full((B,), n, device=device)
    models = {name: make() for name, make in LARGER.items()}
    steps = {name: step_of(model, loss, device) for name, model in models.items()}
    found = milliseconds(steps, {name: [batch] * turns for name in models})
    for name, model in models.items():
        clock = "processor" if device == "cpu" else "wall"
        found[name]["tokens / s"] = round(1000 * TOKENS / found[name][clock])
        # of forward and backward: three times the forward pass
        found[name]["operations"] = 3 * forward_flops(model, B, n, n)
        found[name]["parameters"] = count_parameters(model)
    return found


def measured(device: str, quick: bool) -> dict[str, Any]:
    """The small ones and the larger ones."""
    torch.set_num_threads(1)
    return {
        "tokens of a batch": TOKENS,
        "number words": small(device, *((2, 200) if quick else (60, 8000))),
        "lengths": {
            n: larger(device, n, 2 if quick else 8) for n in (LENGTHS[:1] if quick else LENGTHS)
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    choice = parser.parse_args()
    if choice.device == "cpu":
        keep_memory()
    results = measured(choice.device, choice.quick)
    if choice.quick:
        print(results)
        return
    name = "translation-speed" if choice.device == "cpu" else "translation-speed-gpu"
    print(records.write(name, results, seed=SEED, device=choice.device).name)


if __name__ == "__main__":
    main()
