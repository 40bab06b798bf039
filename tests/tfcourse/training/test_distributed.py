"""Two processes started by torchrun give the same results as one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from small_run import held_out, same_bits, small_fit
from torchrun_fit import _flat, train_pairs, train_texts

from tfcourse.training import checkpoints
from tfcourse.training.distributed import Team

pytestmark = pytest.mark.thorough("test of a training that is stopped or shared")


@pytest.fixture(scope="module")
def alone():
    model, history = train_texts("ddp")
    pairs, pairs_history = train_pairs("ddp")
    return model, history, pairs, pairs_history


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """What each of two processes found, and the folder they wrote to."""
    folder = tmp_path_factory.mktemp("together")
    script = Path(__file__).with_name("torchrun_fit.py")
    run = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         script, folder],
        capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return folder, [json.loads((folder / f"process-{i}.json").read_text()) for i in range(2)]


def close(got, expected):
    """Losses to 1e-5 is what is asked; in float64 the same sums agree far beyond."""
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("process", [0, 1])
@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_equal_to_one_process(way, process, alone, together):
    """Losses and weights; each batch's share counts another number of tokens in each process."""
    model, history, pairs, pairs_history = alone
    found = together[1][process][way]
    assert found["tokens"] == history.tokens and len(set(history.tokens)) > 1
    for name in ("loss", "norm"):
        close(found[name], getattr(history, name))
    close(found["validation"]["loss"], history.validation["loss"])
    close(found["weights"], _flat(model))
    close(found["pairs"], pairs_history.loss)
    close(found["pairs_weights"], _flat(pairs))
    assert found["kind"] == "GPT"


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_gone_on_with_to_the_last_bit(way, together):
    for found in together[1]:
        assert found[way]["gone_on"] == found[way]["loss"]
        assert found[way]["again"] == found[way]["weights"]
    assert together[1][0][way]["weights"] == together[1][1][way]["weights"]


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_checkpoints_hold_the_whole_model(way, alone, together):
    folder, found = together
    kept = checkpoints.read(checkpoints.newest(folder / way))
    assert kept.path.name == "step-00000006" and kept.settings["processes"] == f"2, {way}"
    model = alone[0]
    model.load_state_dict(kept.weights)
    close(_flat(model), found[0][way]["weights"])
    shapes = [tuple(p.shape) for p in model.parameters()]
    held = kept.state["optimiser"]["state"]
    assert sorted(tuple(s["exp_avg"].shape) for s in held.values()) == sorted(shapes)
    assert (folder / way / "best.safetensors").is_file()
    assert len((folder / way / "run.csv").read_text().splitlines()) == 7


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_a_distributed_model_is_saved_as_the_model_itself(way, together):
    alone, saved = (together[0] / f"saved-{name}" for name in ("alone", way))
    files = sorted(path.name for path in alone.iterdir())
    assert files == ["config.json", "model.safetensors"]
    assert all((alone / name).read_bytes() == (saved / name).read_bytes() for name in files)


def test_batches_that_cannot_be_shared_are_refused(monkeypatch):
    two = Team(0, 2, torch.device("cpu"))
    monkeypatch.setattr(Team, "found", classmethod(lambda cls, device: two))
    monkeypatch.setattr("torch.distributed.broadcast", lambda *args, **choices: None)
    monkeypatch.setattr(
        "tfcourse.training.distributed.DistributedDataParallel", lambda model: model
    )
    with pytest.raises(ValueError, match=r"batches must have shard\(rank, world\).*2 processes"):
        small_fit(batches=held_out())


def test_one_process_of_torchrun_is_one_process(monkeypatch):
    expected = small_fit()
    for name, value in (("WORLD_SIZE", "1"), ("RANK", "0"), ("LOCAL_RANK", "0")):
        monkeypatch.setenv(name, value)
    assert same_bits(expected[0], small_fit()[0])
