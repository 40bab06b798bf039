"""The history, and where it is reported."""

import csv

import pytest
import torch
from small_run import V, held_out, same_bits, small_fit, small_model

from tfcourse.files import write_whole
from tfcourse.training import History, average_checkpoints, checkpoints
from tfcourse.training.batches import Stream, moved
from tfcourse.training.checkpoints import pack, unpack


def test_csv_gives_the_same_numbers_back(tmp_path):
    _, history = small_fit()
    with history.to_csv(tmp_path / "new" / "run.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(history.steps)
    for name in ("loss", "lr", "norm", "tokens", "seconds"):
        assert [float(row[name]) for row in rows] == getattr(history, name)
    found = {int(r["step"]): float(r["validation_loss"]) for r in rows if r["validation_loss"]}
    steps, losses = history.validation.values()
    assert found == dict(zip(steps, losses, strict=True))


def test_logs_say_what_the_history_says_after_going_on_too(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    table, folder = tmp_path / "run.csv", tmp_path / "board"

    def stop(step, model, history):
        if step == 7:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        small_fit(tmp_path / "kept", on_step=stop, log=[table, folder])
    assert len(table.read_text().splitlines()) == 8
    _, history = small_fit(tmp_path / "kept", log=[table, folder])
    assert table.read_bytes() == history.to_csv(tmp_path / "again.csv").read_bytes()
    events = EventAccumulator(str(folder)).Reload()
    losses = {e.step: e.value for e in events.Scalars("training/loss")}
    assert list(losses) == list(history.steps)
    assert list(losses.values()) == pytest.approx(history.loss)
    assert [e.step for e in events.Scalars("validation/loss")] == history.validation["step"]


def test_a_history_is_kept_to_the_last_bit():
    _, history = small_fit()
    other = History()
    other.load_state_dict(history.state_dict())
    assert same_bits(history, other) and other.seconds == history.seconds
    assert "14 steps" in repr(history) and repr(History()) == "History(0 steps)"
    assert History().best() is None and History().tokens_per_second == 0


def test_the_best_is_the_first_of_the_best_and_never_nan():
    history = History()
    for value in (float("nan"), 2.0, 1.0, 1.0, 3.0):
        history.add(loss=0, lr=0, norm=0, tokens=1, seconds=1)
        history.add_validation({"loss": value})
    assert history.best() == (3, 1.0) and history.best(higher=True) == (5, 3.0)
    with pytest.raises(ValueError, match=r"validate must return the same names .*\['loss'\]"):
        history.add_validation({"bleu": 1.0})


def test_the_average_is_the_mean(tmp_path):
    small_fit(tmp_path, keep=3)
    kept = [checkpoints.read(path).weights for path in checkpoints.found(tmp_path)]
    mean = average_checkpoints(tmp_path, last=3)
    for name, value in mean.items():
        exact = torch.stack([w[name].double() for w in kept]).mean(dim=0)
        torch.testing.assert_close(value.double(), exact, rtol=1e-6, atol=1e-7)
    small_model().load_state_dict(mean)
    last = average_checkpoints(tmp_path, last=1)
    assert all(torch.equal(v, kept[-1][k]) for k, v in last.items())
    for last in (4, 0):
        with pytest.raises(ValueError, match="last must be at"):
            average_checkpoints(tmp_path, last=last)


def test_files_are_whole_or_as_they_were(tmp_path):
    path = tmp_path / "a"
    write_whole(path, b"first")
    with pytest.raises(TypeError):
        write_whole(path, ["not bytes"])
    assert path.read_bytes() == b"first" and list(tmp_path.iterdir()) == [path]


def test_weights_come_back_with_what_is_shared_and_what_is_a_view(tmp_path):
    base = torch.arange(12.0)
    weights = {"a": base, "b": base, "half": base[:6], "turned": base.view(3, 4).T}
    weights |= {"none": torch.zeros(0), "other": torch.zeros(0), "count": torch.tensor(3)}
    data = pack(weights, step="4")
    assert data == pack(weights, step="4")
    write_whole(tmp_path / "w", data)
    found, says = unpack(tmp_path / "w")
    assert says == {"step": "4"} and set(found) == set(weights)
    assert all(torch.equal(found[k], v) for k, v in weights.items())


def test_a_stream_stands_where_it_stood():
    batches = [torch.tensor(i) for i in range(3)]
    stream = Stream(batches)
    seen = [int(next(stream)) for _ in range(7)]
    assert seen == [0, 1, 2, 0, 1, 2, 0]
    for taken in range(8):
        one, other = Stream(batches), Stream(batches)
        for _ in range(taken):
            next(one)
        other.load_state_dict(one.state_dict())
        assert [int(next(one)) for _ in range(5)] == [int(next(other)) for _ in range(5)]
        assert (one.epoch, one.index) == (other.epoch, other.index)


def test_batches_are_moved_as_they_are():
    Pair = type(held_out(1)[0])
    batch = {"x": (torch.zeros(V), [torch.ones(1)]), "y": "text", "z": Pair((1, 2))}
    there = moved(batch, torch.device("meta"))
    assert there["x"][0].device.type == there["x"][1][0].device.type == "meta"
    assert (there["y"], there["z"]) == ("text", (1, 2)) and isinstance(there["x"], tuple)
