"""The commands: train, translate, generate, as a user types them."""

import pytest
import torch
import typer
from typer.testing import CliRunner

from tfcourse import presets
from tfcourse.runs import commands


@pytest.fixture
def tfcourse():
    """The command line with these commands alone."""
    app = typer.Typer()
    commands.register(app)

    def call(*words, input=None):
        return CliRunner().invoke(app, [str(word) for word in words], input=input)

    return call


@pytest.fixture
def trained(tfcourse, flags, tmp_path):
    """A folder with a model that was trained by the command."""

    def train(name):
        done = tfcourse("train", name, *flags(name), "--into", tmp_path / name)
        assert done.exit_code == 0, done.output
        return tmp_path / name, done.output

    return train


def test_it_lists_and_shows_presets(tfcourse):
    listed = tfcourse("train")
    assert listed.exit_code == 0
    assert all(name in listed.output for name in presets.names())
    shown = tfcourse("train", "dates", "--show")
    assert shown.output == presets.text("dates")


@pytest.mark.parametrize("command", ["train", "translate", "generate"])
def test_help_has_an_example(tfcourse, command):
    said = tfcourse(command, "--help").output
    assert f"tfcourse {command} " in said


def test_a_translator_translates(tfcourse, trained):
    folder, said = trained("dates")
    assert "6 steps of 8 examples" in said and "exact" in said
    assert f"tfcourse translate {folder}" in said.replace("\n", "")
    one = tfcourse("translate", folder, "May 1, 1999", "June 3, 2001")
    assert one.exit_code == 0 and one.output.count("\n") == 2
    lines = tfcourse("translate", folder, input="May 1, 1999\nJune 3, 2001\n")
    assert lines.output == one.output
    beam = tfcourse("translate", folder, "May 1, 1999", "--num-beams", 3, "--length-penalty", 0.5,
                    "--tokens", 5)  # fmt: skip
    assert beam.exit_code == 0 and len(beam.output.strip()) <= 5
    wrong = tfcourse("generate", folder)
    assert wrong.exit_code == 2 and "got one of translation" in wrong.output


def test_a_language_model_writes_on_past_its_window(tfcourse, trained):
    folder, _ = trained("tinyshakespeare-cpu")
    asked = ("generate", folder, "--prompt", "the cat", "--tokens", 40)
    first = tfcourse(*asked)
    assert first.exit_code == 0, first.output
    assert first.output.startswith("the cat") and len(first.output) == len("the cat") + 40 + 1
    assert tfcourse(*asked).output == first.output
    assert tfcourse(*asked, "--seed", 1).output != first.output
    likeliest = tfcourse(*asked, "--temperature", 0).output
    assert tfcourse(*asked, "--top-k", 1).output == likeliest
    assert tfcourse(*asked, "--top-p", 1e-6).output == likeliest
    assert tfcourse("generate", folder, "--tokens", 5).exit_code == 0
    wrong = tfcourse("translate", folder, "x")
    assert wrong.exit_code == 2 and "got one of language model" in wrong.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train", "nope"], "preset must be one of"),
        (["train", "dates", "--set", "training.stepz=3"], "must have no 'stepz'"),
        (["train", "dates", "--set", "training"], "a change must be KEY=VALUE"),
        (["translate", "nowhere", "x"], "folder must hold a model that was saved by tfcourse"),
        (["generate", "nowhere"], "folder must hold a model that was saved by tfcourse"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(tfcourse, words, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = tfcourse(*words)
    assert done.exit_code == 2
    assert told in " ".join(done.output.split()) and "Traceback" not in done.output


def test_without_its_corpus_a_run_says_how_to_get_it(tfcourse, tmp_path, monkeypatch):
    monkeypatch.setenv("TFCOURSE_CACHE", str(tmp_path / "empty"))
    monkeypatch.delenv("TFCOURSE_DATA", raising=False)
    done = tfcourse("train", "tinyshakespeare-cpu", "--into", tmp_path / "run")
    assert done.exit_code == 2 and "tfcourse data get tinyshakespeare" in done.output
    assert not (tmp_path / "run").exists()


def test_it_goes_on_only_where_it_is_told_to(tfcourse, flags, tmp_path):
    asked = ["train", "dates", *flags("dates"), "--into", tmp_path / "run"]
    assert tfcourse(*asked, "--steps", 6).exit_code == 0
    again = tfcourse(*asked)
    assert again.exit_code == 2 and "resume is False" in " ".join(again.output.split())
    assert tfcourse(*asked, "--resume").exit_code == 0
    other = tfcourse(*asked, "--resume", "--seed", 5)
    assert other.exit_code == 2 and "seed was 0, is now 5" in " ".join(other.output.split())


def test_ctrl_c_says_how_to_go_on(tfcourse, flags, tmp_path, monkeypatch):
    from tfcourse import runs
    from tfcourse.training import History, Interrupted

    def stopped(*_, **__):
        raise Interrupted("training was stopped by Ctrl-C after step 3", History())

    monkeypatch.setattr(runs, "run", stopped)
    done = tfcourse("train", "dates", *flags("dates"), "--into", tmp_path / "run")
    assert done.exit_code == 130 and "--resume" in done.output


def test_device_that_is_not_there_is_said(tfcourse, flags, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without a GPU")
    done = tfcourse("train", "dates", *flags("dates"), "--into", tmp_path / "r", "--device", "gpu")
    assert done.exit_code == 2 and "device must be available" in done.output
