"""Subject-verb agreement: a plain recurrent network, an LSTM and a Transformer of similar size.

All three are trained as language models on the grammar of the corpus *agreement* with a small
lexicon, with the same batches and steps, long enough to master sentences without attractors (nouns
of the other number between subject and verb). They are evaluated by whether the correct form of the
verb is more likely than the wrong one, by the number of attractors, on unseen sentences. Two
mixtures: *natural*, in which nine sentences in ten have no attractor, and *even*, in which each
number from none to four is equally frequent; only the plain network is trained on that one, for
three times the steps. Each model's rate is searched on the natural mixture, on two seeds used for
nothing else, by the loss on held-out sentences, until the best has a worse one on each side. Every
seed is kept. About a quarter of an hour on one thread.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook import records
from coursebook.measuring import bracketed, mean_end
from tfcourse import data
from tfcourse.batching import Batches, pad
from tfcourse.data import Agreement
from tfcourse.data.grammars import lexicon
from tfcourse.flops import count_parameters
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.tokenizers import WordTokenizer

SEARCHED, SEEDS = (110, 111), tuple(range(31, 51))
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
#: The number of seeds for the even mixture, whose runs are longer.
EVEN_SEEDS = 5
STEPS, BATCH, WARMUP = {"natural": 1500, "even": 4500}, 64, 0.1
#: Number of training sentences by number of attractors.
MIXTURES = {
    "natural": {0: 27_000, 1: 2_400, 2: 600},
    "even": dict.fromkeys(range(5), 6_000),
}
#: The models to train on each mixture, in this order.
ARMS = (("natural", "RNN"), ("natural", "LSTM"), ("natural", "Transformer"), ("even", "RNN"))
MODELS = ("RNN", "LSTM", "Transformer")
#: One sentence in this many is held out to choose the rate.
APART = 30
TEST, WATCHED = 2_000, 150
#: The lexicon's nouns become these, so that the verb's number is a larger part of what a language
#: model has to learn.
KEPT = {
    "person": ("student", "teacher", "doctor", "friend"),
    "work": ("book", "novel", "poem", "song"),
    "thing": ("key", "door", "phone", "alarm"),
    "place": ("exam", "school", "house", "hospital"),
}
#: The sentence of UBC's lecture, up to its verb.
LECTURE = "the students in the exam where the fire alarm is ringing"


def fewer_nouns() -> dict[str, str]:
    """The replacement of each noun of the lexicon, of the same number."""
    become = {}
    for kind, nouns in lexicon.NOUNS.items():
        kept = [n for n in nouns if n.singular in KEPT[kind]]
        plain = [n for n in kept if not n.compound]
        for i, noun in enumerate(nouns):
            to = noun if noun in kept else plain[i % len(plain)]
            become |= {noun.singular: to.singular, noun.plural: to.plural}
    return become


NOUNS = fewer_nouns()
#: Words that precede nouns that were replaced.
DROPPED = {
    n.compound for nouns in lexicon.NOUNS.values() for n in nouns if n.compound
} - {"fire"}  # fmt: skip


def simpler(sentence: Agreement) -> tuple[tuple[str, ...], int]:
    """The sentence with fewer nouns, and the position of its verb."""
    kept = [(i, NOUNS.get(w, w)) for i, w in enumerate(sentence.words) if w not in DROPPED]
    words = tuple(word for _, word in kept)
    return words, [i for i, _ in kept].index(sentence.verb)


class Corpus:
    """The sentences of one mixture as ids, and the test sentences."""

    def __init__(self, mixture: dict[int, int], test: int) -> None:
        texts = [
            simpler(s)[0]
            for attractors, count in mixture.items()
            for s in data.load("agreement", attractors=(attractors,), examples=count)
        ]
        self.tokens = WordTokenizer.train([" ".join(t) for t in texts])
        rows = [self.encode(t) for t in texts]
        self.apart = rows[::APART]
        self.rows = [row for i, row in enumerate(rows) if i % APART]
        seen = set(texts)
        judged = [
            (*simpler(s), s)
            for s in data.load("agreement", "test", held_out=test)
            if simpler(s)[0] not in seen
        ]
        self.ids, _ = pad([self.encode(t) for t, _, _ in judged], self.tokens.pad)
        self.verb = torch.tensor([verb for _, verb, _ in judged])
        self.attractors = torch.tensor([s.attractors for _, _, s in judged])
        self.right, self.wrong = (
            torch.tensor([self.tokens.id(getattr(s, form)) for _, _, s in judged])
            for form in ("right", "wrong")
        )

    def encode(self, words: tuple[str, ...]) -> list[int]:
        """Ids, with a start and an end."""
        return self.tokens.encode(" ".join(words), start=True, end=True)

    def batch(self, rows: list[list[int]]) -> tuple[Tensor, Tensor]:
        """Inputs and next tokens, ``(B, T)`` each."""
        ids, _ = pad(rows, self.tokens.pad)
        return ids[:, :-1], ids[:, 1:]

    def loss(self, model: nn.Module, ids: Tensor, following: Tensor) -> Tensor:
        """Nats per word."""
        logits = model(ids).logits
        return F.cross_entropy(
            logits.flatten(0, 1), following.flatten(), ignore_index=self.tokens.pad
        )

    @torch.no_grad()
    def judge(self, model: nn.Module) -> dict[str, float]:
        """The fraction of verbs whose correct form is more likely, by the number of attractors."""
        model.eval()
        logits = model(self.ids).logits[torch.arange(len(self.ids)), self.verb]
        model.train()
        better = logits.gather(1, self.right[:, None]) > logits.gather(1, self.wrong[:, None])
        return {
            str(k): better[self.attractors == k].double().mean().item()
            for k in self.attractors.unique().tolist()
        }

    @torch.no_grad()
    def lecture(self, model: nn.Module) -> list[float]:
        """How likely *are* is, compared with *is*, after each word of the lecture's sentence."""
        model.eval()
        ids = torch.tensor([self.tokens.encode(LECTURE, start=True)])
        pair = [self.tokens.id("is"), self.tokens.id("are")]
        chances = model(ids).logits[0, 1:, pair].softmax(-1)[:, 1]
        model.train()
        return [round(p, 4) for p in chances.tolist()]


def new_model(name: str, vocabulary: int, seed: int) -> nn.Module:
    """A model of about 40,000 parameters."""
    torch.manual_seed(seed)
    if name == "Transformer":
        return GPT(GPTConfig(vocabulary, context_length=64, num_layers=2, num_heads=4, d_model=36))
    width = {"RNN": 110, "LSTM": 64}[name]
    return RecurrentLM(RecurrentLMConfig(vocabulary, 32, width, cell=name.lower()))


def trained(name: str, corpus: Corpus, seed: int, rate: float, steps: int) -> dict:
    """Train one model with Adam; the rate warms up for a tenth of the steps and decays to zero."""
    began = time.process_time()
    model = new_model(name, len(corpus.tokens), seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps, pct_start=WARMUP
    )
    batches = Batches(corpus.rows, BATCH, collate=corpus.batch, lengths=len, seed=seed)
    watched, done = {}, 0
    while done < steps:
        for batch in batches:
            loss = corpus.loss(model, *batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if done % WATCHED == 0 or done == steps:
                watched[str(done)] = corpus.judge(model)
            if done == steps:
                break
    with torch.no_grad():
        apart = corpus.loss(model.eval(), *corpus.batch(corpus.apart)).item()
    found = {
        "seed": seed,
        "rate": rate,
        "parameters": count_parameters(model),
        "loss": round(apart, 4) if math.isfinite(apart) else None,
        "accuracy": watched[str(done)],
        "by step": watched,
        "lecture": corpus.lecture(model),
        "seconds": round(time.process_time() - began, 1),
    }
    print(name, seed, rate, {k: round(v, 2) for k, v in found["accuracy"].items()}, found["loss"],
          found["seconds"], flush=True)  # fmt: skip
    return found


def measured(quick: bool, keep: Path | None, names: list[str]) -> dict | None:
    """Every run of the models on the mixtures; ``None`` unless all models are included."""
    seeds, searched, rates = (SEEDS[:1], SEARCHED[:1], FIRST) if quick else (SEEDS, SEARCHED, RATES)
    results: dict = {
        "settings": {"steps": STEPS, "batch": BATCH, "sentence": LECTURE, "seeds": SEEDS,
                     "mixtures": MIXTURES, "vocabulary": {}, "judged": {}},
        "chosen": {}, "runs": {mixture: {} for mixture in MIXTURES},
    }  # fmt: skip
    corpora = {}
    for mixture, counts in MIXTURES.items():
        corpora[mixture] = corpus = Corpus(
            dict.fromkeys(counts, 200) if quick else counts, 40 if quick else TEST
        )
        results["settings"]["vocabulary"][mixture] = len(corpus.tokens)
        results["settings"]["judged"][mixture] = corpus.attractors.bincount().tolist()

    def run(mixture: str, name: str, seed: int, rate: float) -> dict:
        """One run, unless already stored."""
        kept = keep and keep / f"{mixture}-{name}-{seed}-{rate}.json"
        if kept and kept.exists():
            return json.loads(kept.read_text("utf-8"))
        steps = 4 if quick else STEPS[mixture]
        found = trained(name, corpora[mixture], seed, rate, steps)
        if kept:
            kept.write_text(json.dumps(found), "utf-8")
        return found

    for mixture, name in ARMS:
        if name not in names:
            continue
        if name not in results["chosen"]:

            def end(rate: float, seed: int, name: str = name) -> float | None:
                return run("natural", name, seed, rate)["loss"]

            best, search = bracketed(rates, FIRST, mean_end(end, searched))
            results["chosen"][name] = {"search": search, "rate": best}
        rate = results["chosen"][name]["rate"]
        few = seeds if mixture == "natural" else seeds[:EVEN_SEEDS]
        results["runs"][mixture][name] = [run(mixture, name, seed, rate) for seed in few]
    return results if set(names) == set(MODELS) else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    parser.add_argument(
        "--keep", type=Path, help="a folder for finished runs, which are not done again"
    )
    parser.add_argument(
        "--models", nargs="+", choices=MODELS, default=MODELS, help="with --keep: some of them"
    )
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    if chosen.keep:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    stated = None if chosen.quick else records.conditions("rnn-agree")
    results = measured(chosen.quick, chosen.keep, chosen.models)
    sys.argv[1:] = []  # how it was split into runs is not part of the record
    if chosen.quick or results is None:
        print(results or "not all models: no record")
    else:
        print(records.write("agreement", results, seed=SEEDS[0], stated=stated).name)
