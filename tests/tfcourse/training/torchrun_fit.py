"""The program for ``torchrun``: the same call of fit in each process, in each parallel mode."""

import json
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from small_run import LOSS, T, V, held_out, small_model

from tfcourse.batching import Batches, pad_pairs
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.training import Translation, adamw, fit, mean_loss, save
from tfcourse.training.distributed import Shared, Team

STEPS = 6
#: There may be fewer GPUs than processes.
DEVICE = "cpu"


def texts():
    """Sequences of which each process's share counts another number of tokens."""
    generator = torch.Generator().manual_seed(5)
    tokens = torch.randint(0, V, (40, T + 1), generator=generator)
    following = tokens[:, 1:].clone()
    for i in range(0, 40, 3):
        following[i, i % T + 1 :] = -1
    return Batches((tokens[:, :-1], following), 6, seed=1)


def train_texts(way, folder=None, stop=STEPS):
    # In float64: Adam makes steps of one size of gradients that are rounding alone.
    model = small_model(dropout=0.0, dtype=torch.float64)
    history = fit(
        model, texts(), loss=LOSS, steps=stop, lr=1e-2, clip=0.5, accumulate=2, parallel=way,
        optimiser=adamw(0.1), validate=mean_loss(LOSS, held_out()), validate_every=2,
        checkpoint=folder, checkpoint_every=2, device=DEVICE, log=folder and folder / "run.csv",
    )  # fmt: skip
    return model, history


def train_pairs(way):
    """An encoder-decoder, whose three embeddings are one."""
    torch.manual_seed(2)
    sizes = {
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "num_heads": 2,
        "d_model": 8,
        "padding": 0,
    }
    model = Transformer(TransformerConfig(9, **sizes, dropout=0.0)).double()
    pairs = [([i % 8 + 1] * (i % 3 + 1), [1, *([i % 7 + 2] * (i % 4 + 1)), 2]) for i in range(20)]
    batches = Batches(pairs, 6, collate=pad_pairs, drop_last=True)
    history = fit(
        model, batches, loss=Translation(0), steps=4, lr=1e-2, parallel=way, device=DEVICE
    )
    return model, history


def save_wrapped(into):
    """The same model in what each way wraps it in, and alone."""
    team = Team.found(DEVICE)
    for way in ("ddp", "fsdp"):
        shared = Shared(small_model(), team, way, compile=True)
        save(into / f"saved-{way}", shared.run)
        for given in {shared.run, shared.ddp or shared.model}:
            try:
                Shared(given, team, way, compile=False)
            except ValueError as error:
                assert "model must not be distributed yet" in str(error)
            else:
                raise AssertionError("a distributed model was distributed again")
    save(into / "saved-alone", small_model())


def main(into):
    torch.set_num_threads(1)
    save_wrapped(into)
    found = {}
    for way in ("ddp", "fsdp"):
        model, history = train_texts(way, into / way)
        train_texts(way, into / f"{way}-stopped", stop=4)
        again, gone_on = train_texts(way, into / f"{way}-stopped")
        pairs, pairs_history = train_pairs(way)
        found[way] = {
            "loss": history.loss, "norm": history.norm, "tokens": history.tokens,
            "validation": history.validation, "gone_on": gone_on.loss,
            "weights": _flat(model), "again": _flat(again),
            "pairs": pairs_history.loss, "pairs_weights": _flat(pairs),
            "kind": type(model).__name__,
        }  # fmt: skip
    (into / f"process-{dist.get_rank()}.json").write_text(json.dumps(found))


def _flat(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()]).tolist()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
