"""Stopped anywhere and resumed: the same losses and weights, to the last bit."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from small_run import LOSS, Shuffled, held_out, same_bits, small_fit, small_model
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

from tfcourse.files import digest_of
from tfcourse.training import Interrupted, checkpoints, constant, load_best, sgd
from tfcourse.wrapped import unwrapped, weights_of


@pytest.fixture(autouse=True)
def ctrl_c():
    """Ctrl-C interrupts, also where a script runs these tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Stop(Exception):
    pass


def stop_at(when):
    def on_step(step, model, history):
        if step == when:
            raise Stop

    return on_step


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run that is never stopped."""
    return small_fit(tmp_path_factory.mktemp("whole"))


@pytest.mark.thorough("test of a training that is stopped or shared")
@pytest.mark.parametrize("when", range(1, 15))
def test_stopped_after_any_step(when, whole, tmp_path):
    with pytest.raises(Stop):
        small_fit(tmp_path, on_step=stop_at(when))
    torch.manual_seed(77)  # whatever else was drawn in between
    # Until the first checkpoint, after step 4, it begins anew with what it is given.
    again = small_fit(tmp_path, model=small_model(seed=0 if when <= 4 else 8))
    assert same_bits(whole[0], again[0])
    assert same_bits(whole[1], again[1])
    assert len(whole[1]) == 14 and whole[1].validation["step"] == [3, 6, 9, 12, 14]


def test_without_checkpoints_it_is_the_same_run(whole):
    assert same_bits(whole[0], small_fit()[0])


def test_a_wrapped_model_resumes_the_run_of_the_model_itself(whole, tmp_path):
    with pytest.raises(Stop):
        small_fit(tmp_path, on_step=stop_at(6))
    wrapped, history = small_fit(tmp_path, model=checkpoint_wrapper(small_model(seed=8).eval()))
    assert same_bits(weights_of(wrapped), whole[0].state_dict()) and same_bits(history, whole[1])
    assert not any(part.training for part in unwrapped(wrapped).modules())
    assert load_best(tmp_path, wrapped) == load_best(tmp_path, model := small_model())
    assert same_bits(weights_of(wrapped), model.state_dict())


def test_a_run_that_is_over_is_read(whole, tmp_path):
    small_fit(tmp_path)
    model, history = small_fit(tmp_path, model=small_model(8), on_step=stop_at(15))
    assert same_bits(model, whole[0]) and same_bits(history, whole[1])


def test_python_and_numpy_are_gone_on_with(tmp_path):
    seen = {}

    def draw(step, model, history):
        seen.setdefault(step, []).append((random.random(), np.random.rand()))
        if step == 6 and len(seen[6]) == 1:
            raise Stop

    with pytest.raises(Stop):
        small_fit(tmp_path, on_step=draw)
    small_fit(tmp_path, on_step=draw)
    assert [len(seen[s]) for s in (4, 5, 6, 7)] == [1, 2, 2, 1]
    assert seen[5][0] == seen[5][1] and seen[6][0] == seen[6][1]
    assert len({v for values in seen.values() for v in values}) == 14


def test_a_list_is_gone_on_with_in_the_middle(tmp_path):
    batches = held_out(5)
    expected = small_fit(batches=batches)
    with pytest.raises(Stop):
        small_fit(tmp_path, batches=batches, on_step=stop_at(9))
    assert same_bits(expected[0], small_fit(tmp_path, batches=batches)[0])


def test_what_cannot_be_gone_on_with_is_refused(tmp_path):
    with pytest.raises(ValueError, match="batches must be a list or have state_dict"):
        small_fit(tmp_path, batches=iter(held_out()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lr": constant(1e-3)}, r"lr was cosine\(peak=0.01.*is now constant\(peak=0.001"),
        ({"accumulate": 1}, "accumulate was 2, is now 1"),
        ({"optimiser": sgd()}, r"optimiser was adamw\(.*is now sgd"),
        ({"seed": 4, "clip": None}, "clip was 1.0, is now None; seed was 3, is now 4"),
        ({"model": small_model(dropout=0.2)}, "model was GPT: .*dropout=0.1.*dropout=0.2"),
        ({"model": small_model(dtype=torch.float64)}, "parameters was"),
        ({"batches": held_out()}, "batches was Shuffled, is now list"),
        ({"steps": 12}, "steps must be at least 14"),
        ({"resume": False}, "checkpoint must be a folder without checkpoints"),
    ],
)
def test_a_run_goes_on_as_it_began(change, said, tmp_path):
    small_fit(tmp_path)
    with pytest.raises(ValueError, match=said):
        small_fit(tmp_path, **change)


def with_another_field(path):
    manifest = path / checkpoints.MANIFEST
    manifest.write_text(manifest.read_text().replace("num_layers=", "layers="))


def with_another_tensor(path):
    weights, says = checkpoints.unpack(path)
    weights["embedding.W"] = weights.pop("embedding.weight").clone()
    path.write_bytes(checkpoints.pack(weights, **says))


def test_a_checkpoint_of_another_version_is_refused_in_one_sentence(tmp_path):
    small_fit(tmp_path)
    with_another_tensor(tmp_path / checkpoints.BEST)
    said = r"best\.safetensors was written for another model, or by another version of tfcourse, "
    with pytest.raises(ValueError, match=said + "and cannot .*lacks embedding.weight, it has emb"):
        load_best(tmp_path, small_model())
    newest = checkpoints.newest(tmp_path)
    manifest = json.loads((newest / checkpoints.MANIFEST).read_text())
    with_another_tensor(newest / checkpoints.WEIGHTS)
    manifest["sha256"][checkpoints.WEIGHTS] = digest_of(newest / checkpoints.WEIGHTS)
    (newest / checkpoints.MANIFEST).write_text(json.dumps(manifest))
    said = f"{newest.name} was written by another version of tfcourse and cannot be read: it lacks "
    with pytest.raises(ValueError, match=said + "embedding.weight, it has embedding.W$"):
        small_fit(tmp_path)
    with_another_field(newest)
    with pytest.raises(ValueError, match=said + "num_layers, it has layers$"):
        small_fit(tmp_path)


def test_rates_of_ones_own_are_compared_too(tmp_path):
    def by(factor):
        def rate(step):
            return factor / step

        return rate

    small_fit(tmp_path, lr=by(1e-3))
    with pytest.raises(ValueError, match="lr must give the rates"):
        small_fit(tmp_path, steps=20, lr=by(1e-2))
    assert len(small_fit(tmp_path, steps=20, lr=by(1e-3))[1]) == 20


@pytest.mark.thorough("test of a training that is stopped or shared")
@pytest.mark.parametrize("name", ["model.safetensors", "training.pt", "manifest.json"])
@pytest.mark.parametrize("how", ["cut", "changed", "gone"])
def test_a_damaged_checkpoint_is_noticed(name, how, whole, tmp_path):
    with pytest.raises(Stop):
        small_fit(tmp_path, on_step=stop_at(13))
    newest, before = sorted(p.name for p in tmp_path.glob("step-*"))[::-1]
    path = tmp_path / newest / name
    data = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        middle = len(data) // 2
        other = bytes([data[middle] ^ 1])
        path.write_bytes(data[:middle] + (b"" if how == "cut" else other + data[middle + 1 :]))
    if (name, how) == ("manifest.json", "changed"):
        path.write_bytes(data.replace(b"sha256", b"sha255"))
    with pytest.warns(UserWarning, match=rf"{newest} is damaged \({name} is"):
        assert checkpoints.newest(tmp_path).name == before
    with pytest.warns(UserWarning, match=newest):
        assert same_bits(whole[0], small_fit(tmp_path)[0])


def test_where_all_are_damaged_it_does_not_begin_anew(tmp_path):
    small_fit(tmp_path)
    for path in tmp_path.glob("step-*"):
        (path / "training.pt").unlink()
    with (
        pytest.warns(UserWarning, match="training.pt is missing"),
        pytest.raises(ValueError, match="all 2 in .* are damaged; remove them"),
    ):
        small_fit(tmp_path)


def test_nothing_in_a_checkpoint_is_run(tmp_path):
    """Even where its sums were made to fit: the state is read with weights_only."""
    small_fit(tmp_path)
    newest = checkpoints.newest(tmp_path)
    torch.save({"history": Shuffled()}, newest / "training.pt")
    manifest = json.loads((newest / "manifest.json").read_text())
    manifest["sha256"]["training.pt"] = checkpoints.digest_of(newest / "training.pt")
    (newest / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Exception, match="[Ww]eights.only"):
        small_fit(tmp_path)


def test_the_last_good_one_survives_a_full_disk(whole, tmp_path):
    """A limit on the size of files stands for the disk: writing ends in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(step, model, history):
        if step == 7:
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))

    try:
        with pytest.raises(OSError, match="step 8 could not be.*last good one is step-00000004"):
            small_fit(tmp_path, on_step=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]
    assert checkpoints.newest(tmp_path).name == "step-00000004"
    assert same_bits(whole[0], small_fit(tmp_path)[0])


def test_ctrl_c_finishes_the_step_and_keeps_it(whole, tmp_path):
    def press(step, model, history):
        if step == 5:
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match="after step 6.*step-00000006") as error:
        small_fit(tmp_path, on_step=press)
    assert isinstance(error.value, Interrupted) and len(error.value.history) == 6
    assert signal.getsignal(signal.SIGINT) is handler
    assert same_bits(whole[0], small_fit(tmp_path)[0])


def test_ctrl_c_at_the_last_step_is_not_lost(tmp_path):
    def press(step, model, history):
        if step == 14:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match="after step 14"):
        small_fit(tmp_path, on_step=press)


def test_a_second_ctrl_c_stops_at_once(tmp_path):
    def press(step, model, history):
        if step == 5:
            # In this thread: of two that are pending for the process, Python handles one.
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as error:
        small_fit(tmp_path, on_step=press)
    assert not isinstance(error.value, Interrupted)
    assert checkpoints.newest(tmp_path).name == "step-00000004"


def test_where_ctrl_c_is_ignored_it_stays_so(tmp_path):
    def press(step, model, history):
        if step == 5:
            os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    small_fit(tmp_path, on_step=press)
    assert checkpoints.newest(tmp_path).name == "step-00000014"


def test_keep_and_the_best(tmp_path):
    values = iter([3.0, 1.0, float("nan"), 1.0, 2.0])
    at = {}
    small_fit(
        tmp_path, keep=3, validate=lambda model: next(values),
        on_step=lambda step, model, history: at.update(
            {step: {k: v.clone() for k, v in model.state_dict().items()}}
        ),
    )  # fmt: skip
    assert [p.name[-2:] for p in checkpoints.found(tmp_path)] == ["08", "12", "14"]
    model = small_model(5)
    assert load_best(tmp_path, model) == 6
    assert all(torch.equal(v, at[6][k]) for k, v in model.state_dict().items())
    with pytest.raises(ValueError, match="must hold best.safetensors"):
        load_best(tmp_path / "none", model)


def test_the_best_is_the_same_after_going_on(tmp_path):
    for name in ("whole", "stopped"):
        if name == "stopped":
            with pytest.raises(Stop):
                small_fit(tmp_path / name, on_step=stop_at(7))
        small_fit(tmp_path / name)
    one, other = ((tmp_path / n / "best.safetensors").read_bytes() for n in ("whole", "stopped"))
    assert one == other


@pytest.mark.thorough("test of kills")
def test_killed_at_twenty_random_moments(tmp_path):
    found = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed_run.py"), tmp_path, "20"],
        capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    found = json.loads(found.stdout)
    assert found["killed"] == 20
    assert found["models"] and found["histories"] and found["lengths"] == [80, 80]
    assert found["best"][0] == found["best"][1]
    assert not found["left"]
    steps = found["steps"]
    assert len(set(steps)) > 5, "the kills fell on few moments"
    for earlier, later in zip(steps, steps[1:], strict=False):
        assert later >= earlier or earlier == 80  # 80 was the end, and another run began


def test_loss_and_data_are_what_they_say():
    """The run of these tests has what it is there for: dropout, passes, and uneven batches."""
    _, history = small_fit()
    assert len(set(history.tokens)) > 3
    assert history.loss[-1] < history.loss[0]
    assert LOSS.ignore == -1
