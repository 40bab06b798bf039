"""The cost of tying the unembedding to the embedding: small GPTs on the embedded prose.

Three models: tied; untied, which has a second matrix of `V x D`; and tied but wider, with as many
parameters as the untied one or fewer. All read the same windows for the same number of steps, with
three seeds. For each model the best of five learning rates is chosen by the first seed's loss on
the validation split; the reported loss is that on the test split, in nats per byte.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import torch
from torch import Tensor, nn

from coursebook.measuring import keep_record
from tfcourse import data
from tfcourse.batching import Batches, Windows
from tfcourse.evaluation import language_model_nll
from tfcourse.flops import count_parameters
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.tokenizers import BPETokenizer
from tfcourse.training import NextToken, cosine, fit

SEEDS, RATES, STEPS = (0, 1, 2), (1.5e-3, 3e-3, 6e-3, 1.2e-2, 2.4e-2), 400
V, WINDOW, BATCH, LAYERS, HEADS = 1024, 64, 8, 2, 4
#: Number of characters of the validation and test splits to score.
JUDGED = 150_000
MODELS = {
    "tied": {"d_model": 64},
    "untied": {"d_model": 64, "tied": False},
    "tied, wider": {"d_model": 76, "d_ff": 342},
}


class Splits:
    """The three splits of a corpus as tokens; the last two are cut to ``judged`` characters."""

    def __init__(self, corpus: str, vocabulary: int, judged: int, window: int) -> None:
        texts = {split: data.load(corpus, split).text for split in ("train", "validation", "test")}
        tokens = BPETokenizer.train([texts["train"]], vocabulary, special=())
        self.window = window
        self.texts = {"train": texts["train"]} | {
            split: texts[split][:judged] for split in ("validation", "test")
        }
        self.ids = {s: torch.tensor(tokens.encode(text)) for s, text in self.texts.items()}

    def losses(self, model: nn.Module) -> dict[str, float]:
        """On the validation and the test split, in nats per byte."""
        found = {}
        for split in ("validation", "test"):
            likely = language_model_nll(model, self.ids[split], self.window).of(self.texts[split])
            found[split] = round(likely.nll / likely.bytes, 4)
        return found


def trained(
    make: Callable[[], nn.Module],
    ids: Tensor,
    rate: float,
    seed: int,
    steps: int,
    *,
    window: int = WINDOW,
    batch: int = BATCH,
    device: str = "cpu",
):
    """A model that has read ``steps`` batches."""
    torch.manual_seed(seed)
    model = make()
    batches = Batches(Windows(ids, window, 1), batch, seed=seed, drop_last=True)
    schedule = cosine(rate, steps, max(1, steps // 20))
    fit(model, batches, loss=NextToken(), steps=steps, lr=schedule, device=device, seed=seed)
    return model


def compared(
    makers: dict[str, Callable[[], nn.Module]],
    quick: bool,
    chosen_by: tuple[int, ...] = SEEDS[:1],
    rates: tuple[float, ...] = RATES,
    steps: int = STEPS,
    seeds: tuple[int, ...] = SEEDS,
    once: Callable[[str, Callable[[], dict]], dict] = lambda _, work: work(),
) -> dict:
    """Each model at its best rate, chosen with the seeds ``chosen_by``.

    ``once`` may store the losses of a run, by its name.
    """
    torch.set_num_threads(1)  # these networks are too small to share
    prose = Splits("prose", V, 2000 if quick else JUDGED, WINDOW)
    if quick:
        steps, seeds, chosen_by, rates = 2, seeds[:1], chosen_by[:1], rates[:1]
    results: dict = {
        "steps": steps, "tokens in a step": BATCH * WINDOW, "window": WINDOW, "vocabulary": V,
        "unit": "nats / byte",
    }  # fmt: skip
    for name, make in makers.items():
        by_rate: dict[float, dict[int, dict[str, float]]] = {rate: {} for rate in rates}

        def losses(rate: float, seed: int, make=make) -> dict[str, float]:
            return prose.losses(trained(make, prose.ids["train"], rate, seed, steps))

        def add(rate: float, seed: int, name=name, work=losses, by_rate=by_rate) -> None:
            by_rate[rate][seed] = once(f"{name}-{rate:g}-{seed}", lambda: work(rate, seed))

        for rate in rates:
            for seed in chosen_by:
                add(rate, seed)
        best = min(
            by_rate,
            key=lambda r, f=by_rate: statistics.mean(x["validation"] for x in f[r].values()),
        )
        for seed in seeds:
            if seed not in by_rate[best]:
                add(best, seed)
        results.setdefault("models", {})[name] = {
            "parameters": count_parameters(make()), "rate": best,
            "test": [by_rate[best][seed]["test"] for seed in seeds],
            "by rate and seed": {
                f"{rate:g}": {str(seed): losses for seed, losses in found.items()}
                for rate, found in by_rate.items()
            },
        }  # fmt: skip
    return results


def gpt(**choices: object) -> GPT:
    """A GPT with these options, and otherwise the sizes that all share.

    GPT-2 initialises matrices with a standard deviation of 0.02 at width 768; narrower ones start
    larger here, so that their products keep their size.
    """
    shared = {"vocab_size": V, "context_length": WINDOW, "num_layers": LAYERS, "num_heads": HEADS}
    model = GPT(GPTConfig(**shared | choices))
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02 * (768 / model.config.d_model) ** 0.5)
    return model


MAKERS = {name: lambda c=choices: gpt(**c) for name, choices in MODELS.items()}


if __name__ == "__main__":
    keep_record("tying", __doc__, lambda quick: compared(MAKERS, quick), seed=SEEDS[0])
