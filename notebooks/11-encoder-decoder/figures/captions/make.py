"""Store the translator of the figure *captions*: ``captions.json``.

It is the model of the record ``multi30k-captions``, which says how it was trained. Each tensor has
a step of its own, and a weight is one character, which stands for a whole multiple of the step. The
figure and lesson 11 show what the model with these rounded numbers writes for the first captions of
the test; the file also has its BLEU on all of them, by greedy search. Needs the run's folder;
without a run in it, the model is trained first, in an hour or more on two cores::

    python notebooks/11-encoder-decoder/figures/captions/make.py --folder run/seed-1
    python -m coursebook.live captions   # then draw the still picture again
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from coursebook import live, records
from coursebook.live.weights import fill, rounded
from tfcourse import data, presets
from tfcourse.evaluation import bleu
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.runs import run, translate
from tfcourse.tokenizers import BPETokenizer
from tfcourse.tokenizers.bpe import BYTES
from tfcourse.training import open_saved

RECORD = "multi30k-captions"
#: The search whose texts are shown beside greedy ones, as in the record.
SEARCH = {"num_beams": 5, "length_penalty": 1.0, "penalty_form": "gnmt"}
#: Number of captions shown, and the maximum number of pieces that the figure reads or writes.
SHOWN, LONGEST = 10, 60


def load(stored: dict) -> tuple[Transformer, BPETokenizer]:
    """The model as stored in the file, which is what the figure computes with, and its pieces."""
    sizes, merges = stored["sizes"], [tuple(pair) for pair in stored["merges"]]
    tokens = [*stored["special"], *sorted(BYTES), *("".join(pair) for pair in merges)]
    model = Transformer(
        TransformerConfig(
            len(tokens), context_length=sizes["longest"], num_encoder_layers=sizes["layers"],
            num_decoder_layers=sizes["layers"], num_heads=sizes["heads"], d_model=sizes["width"],
            d_ff=sizes["hidden"], norm=sizes["norm"], dropout=0.0,
        )
    )  # fmt: skip
    return fill(model, stored), BPETokenizer(tokens, merges, stored["special"])


def trained(folder: Path) -> tuple[Transformer, BPETokenizer]:
    """The model of the run in the folder; without one, of a new run with the same settings."""
    if not (folder / "model.safetensors").is_file():
        quoted = records.load(RECORD)["results"]["runs"][0]
        run(presets.load(quoted["preset"], quoted["changes"]), folder, device="cpu", resume=True)
    model, extra = open_saved(folder)
    return model, extra["target_tokenizer"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="the run's, as of multi30k.py")
    model, tokens = trained(parser.parse_args().folder)
    torch.set_num_threads(1)
    c = model.config
    stored = {
        "about": f"A translator trained on Multi30k (Elliott et al. 2016): the record {RECORD}",
        "sizes": {"layers": c.num_encoder_layers, "heads": c.num_heads, "width": c.d_model,
                  "hidden": c.d_ff, "longest": LONGEST, "norm": c.norm},
        "special": list(tokens.special),
        "merges": [list(pair) for pair in tokens.merges],
        "weights": rounded(model),
    }  # fmt: skip
    sources, references = zip(
        *data.load("multi30k", "test2016", source="de", target="en"), strict=True
    )
    kept, asked = load(stored)[0], {"max_new_tokens": LONGEST - 1}
    greedy = translate(kept, tokens, tokens, sources, **asked)
    beam = translate(kept, tokens, tokens, sources[:SHOWN], **asked, **SEARCH)
    score = bleu(greedy, references)
    print(f"rounded, greedy: BLEU {score.value:.2f}, {score.signature}")
    stored["BLEU, greedy"] = round(score.value, 2)
    stored["run"] = records.load(RECORD)["results"]["runs"][0]
    stored["search"] = {"beams": SEARCH["num_beams"], "alpha": SEARCH["length_penalty"]}
    stored["captions"] = [
        dict(zip(("source", "reference", "greedy", "beam"), row, strict=True))
        for row in zip(sources[:SHOWN], references, greedy, beam, strict=False)
    ]
    live.store("captions", stored)


if __name__ == "__main__":
    main()
