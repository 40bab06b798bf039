"""Runs of every kind from their presets: what they leave, and that they can be resumed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from small_presets import LINES, SMALL

from tfcourse import presets, runs
from tfcourse.generation import greedy
from tfcourse.runs import running
from tfcourse.training import Interrupted, open_saved

NAMES = list(SMALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_leaves_what_is_needed_to_use_and_to_repeat_it(name, small, tmp_path):
    preset = small(name)
    results = runs.run(preset, tmp_path)
    assert results == json.loads((tmp_path / "results.json").read_text())
    assert results["steps"] == 6 and results["parameters"] > 0
    assert presets.load(tmp_path / "preset.toml") == preset
    assert (tmp_path / "history.csv").read_text().count("\n") == 7
    model, extra = open_saved(tmp_path)
    assert extra["preset"] == presets.to_mapping(preset)
    again = runs.run(presets.load(tmp_path / "preset.toml"), tmp_path / "again")
    timeless = [
        {k: v for k, v in r.items() if k not in ("training seconds", "tokens / s")}
        for r in (results, again)
    ]
    assert timeless[0] == timeless[1]
    other, _ = open_saved(tmp_path / "again")
    for key, weight in model.state_dict().items():
        assert torch.equal(weight, other.state_dict()[key]), key


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_was_stopped_goes_on_to_the_same_end(name, small, tmp_path, monkeypatch):
    preset = small(name)
    whole = runs.run(preset, tmp_path / "whole")
    fit = running.training.fit

    def stopped(*args, **choices):
        def stop(step, model, history):
            if step == 4:
                raise Interrupted("stopped", history)

        return fit(*args, **choices, on_step=stop)

    monkeypatch.setattr(running.training, "fit", stopped)
    with pytest.raises(Interrupted):
        runs.run(preset, tmp_path / "parts")
    monkeypatch.setattr(running.training, "fit", fit)
    with pytest.raises(ValueError, match="without checkpoints if resume is False"):
        runs.run(preset, tmp_path / "parts")
    parts = runs.run(preset, tmp_path / "parts", resume=True)
    assert parts["validation"] == whole["validation"]
    assert parts["evaluation"] == whole["evaluation"]
    one, two = (open_saved(tmp_path / part)[0].state_dict() for part in ("whole", "parts"))
    assert all(torch.equal(one[key], two[key]) for key in one)


def test_the_seed_decides_the_run(small, tmp_path):
    weights = []
    for seed in (0, 0, 1):
        torch.rand(1)  # what was drawn before does not matter
        task = runs.prepare(small("dates", **{"training.seed": seed}))
        weights.append(torch.cat([p.flatten() for p in task.model.parameters()]))
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])


def test_the_mean_of_the_last_checkpoints_and_the_best_weights(small, tmp_path):
    every = {"training.checkpoint_every": 1, "training.validate_every": 1}
    mean = small("dates", **every, **{"training.average": 3, "training.keep": 3})
    runs.run(mean, tmp_path / "mean")
    steps = sorted((tmp_path / "mean" / "checkpoints").glob("step-*"))
    assert [int(step.name[5:]) for step in steps] == [4, 5, 6]
    from safetensors.torch import load_file

    last = [load_file(step / "model.safetensors") for step in steps]
    model, _ = open_saved(tmp_path / "mean")
    for key in last[0]:  # what is tied stands there once
        weight = model.state_dict()[key]
        expected = sum(each[key].double() for each in last) / 3
        torch.testing.assert_close(weight.double(), expected, rtol=0, atol=1e-6)

    # A rate that ruins the model after its first steps: the last weights are not the best.
    ruin = {"training.best": True, "training.lr": 1.0, "training.schedule": "cosine"}
    results = runs.run(small("dates", **every, **ruin), tmp_path / "best")
    losses = results["validation"]["loss"]
    best = load_file(tmp_path / "best" / "checkpoints" / "best.safetensors")
    model, _ = open_saved(tmp_path / "best")
    assert min(losses) < losses[-1]
    assert all(torch.equal(model.state_dict()[key], best[key]) for key in best)


def test_translations_come_in_the_order_of_their_sources(small, tmp_path):
    task = runs.prepare(small("dates"))
    read, written = task.extra["source_tokenizer"], task.extra["target_tokenizer"]
    texts = ["March 7, 2019", "May 1, 1999", "Thursday, March 7, 2019"]
    together = runs.translate(task.model, read, written, texts, max_new_tokens=9, batch=2)
    for text, got in zip(texts, together, strict=True):
        source = torch.tensor([read.encode(text, end=True)])
        alone = greedy(
            task.model, written.start, source=source, max_new_tokens=9, eos_id=written.end
        )
        assert written.decode(alone.rows()[0]) == got


def test_a_perfect_translator_is_judged_as_such(small, monkeypatch):
    """Judged is what was asked: with the right answers every measure is at its top."""
    preset = small("dates", **{"evaluation.measures": ["exact", "bleu", "chrf"]})
    task = runs.prepare(preset)
    from tfcourse import data
    from tfcourse.runs import translation

    answers = {p.source: p.target for p in data.load("dates", "test", **preset.data.options)}
    monkeypatch.setattr(
        translation,
        "translate",
        lambda model, read, written, texts, **_: [answers[t] for t in texts],
    )
    found = task.judge(task.model)["greedy"]
    assert found["exact"] == 1.0 and found["n"] == 30
    assert found["BLEU"] == pytest.approx(100) or found["BLEU"] == 0  # one word has no 4-grams
    assert found["chrF"] == pytest.approx(100)
    assert "version:" in found["BLEU signature"]


def test_a_loss_in_windows_is_that_of_the_text(small):
    """The judged loss against a loop over the windows, each on its own."""
    task = runs.prepare(small("tinyshakespeare-cpu"))
    task.model.requires_grad_(False)
    found = task.judge(task.model)
    ids = torch.tensor(task.extra["tokenizer"].encode("\n".join(LINES[:9])))
    total = 0.0
    for start in range(0, len(ids) - 1, 16):
        window = ids[start : start + 17]
        logits = task.model(window[None, :-1]).logits[0]
        total += float(torch.nn.functional.cross_entropy(logits, window[1:], reduction="sum"))
    assert found["tokens"] == len(ids) - 1
    assert found["loss"] == pytest.approx(total / (len(ids) - 1), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("dates", {"tokenizer.special": ["<pad>"]}, "tokenizer.special must have '<s>'"),
        (
            "wikitext-2-skipgram",
            {"tokenizer.special": ["<unk>"]},
            r"special must be \[\]",
        ),
        (
            "digits-vit",
            {"data.validation": "train", "data.held_out": 9999},
            "must be below",
        ),
    ],
)
def test_what_does_not_fit_the_data_is_refused(name, changes, told, small):
    with pytest.raises(ValueError, match=told):
        runs.prepare(small(name, **changes))


@pytest.mark.thorough("two-process training run")
def test_two_processes_train_and_the_first_alone_writes(flags, tmp_path):
    """Under torchrun, as the command's help says."""
    call = (
        "import typer; from tfcourse.runs import commands; app = typer.Typer();"
        "commands.register(app); app()"
    )
    # On a GPU each of two processes would need one of its own.
    command = [sys.executable, "-c", call, "train", "dates", *flags("dates"), "--device", "cpu"]
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2",
         "--standalone", "--no-python", *command, "--into", str(tmp_path / "run")],
        capture_output=True, text=True, cwd=Path(__file__).parents[3], timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    two = json.loads((tmp_path / "run" / "results.json").read_text())
    assert two["steps"] == 6
    assert done.stdout.count("results.json") == 1
    alone = subprocess.run(
        [*command, "--into", str(tmp_path / "alone")],
        capture_output=True, text=True, cwd=Path(__file__).parents[3], timeout=240,
    )  # fmt: skip
    assert alone.returncode == 0, alone.stderr[-3000:]
    one = json.loads((tmp_path / "alone" / "results.json").read_text())
    assert two["validation"]["loss"] == pytest.approx(one["validation"]["loss"], abs=1e-5)
