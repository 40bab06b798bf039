"""The scripts that measure: each runs through in a few steps; those for a GPU say so."""

import os
import subprocess
import sys

import pytest
import torch

from tfcourse import data


def run(course, script, *flags):
    return subprocess.run(
        [sys.executable, f"benchmarks/{script}.py", *flags],
        cwd=course, capture_output=True, text=True, timeout=300, env=os.environ | {"COLUMNS": "99"},
    )  # fmt: skip


def written(course, record):
    """When the record was written, if it was."""
    path = course / "benchmarks" / "records" / f"{record}.json"
    return path.stat().st_mtime_ns if path.is_file() else None


@pytest.mark.case_of("measurement")
@pytest.mark.parametrize(
    ("script", "record", "corpora"),
    [
        ("number_words", "number-words", []),
        ("agreement", "agreement", []),
        ("heads_cost", "heads-cost", []),
        ("heads_roles", "heads-roles", []),
        ("positions_lengths", "positions-lengths", []),
        ("block_parts", "block-parts", []),
        ("block_longer", "block-longer", []),
        ("generation_speed", "generation-speed", []),
        ("package_speed", "package-speed", []),
        ("import_time", "import-time", []),
        ("tinyshakespeare", "tinyshakespeare-cpu", ["tinyshakespeare"]),
        ("multi30k", "multi30k-de-en-cpu", ["multi30k"]),
        ("multi30k_recurrent", "multi30k-recurrent", ["multi30k"]),
        ("wordsim", "wordsim", ["wikitext-2", "wordsim-353", "simlex-999"]),
        ("tying", "tying", []),
        ("tying_longer", "tying-longer", []),
        ("prose_recurrent", "prose-recurrent", []),
        ("induction", "induction", []),
        ("masked_words", "masked-words", ["movie-reviews", "sst-2"]),
        ("encoder_documents", "encoder-documents", []),
        ("translators", "translators", []),
        ("translation_speed", "translation-speed", []),
        ("decoder_alone", "decoder-alone", ["multi30k"]),
        ("mnist", "mnist-vit-cpu", ["mnist"]),
        ("vision_digits", "vision-digits", []),
        ("vision_parts", "vision-parts", []),
    ],
)
def test_a_quick_run_goes_through_and_writes_no_record(
    course, script, record, corpora, monkeypatch
):
    beside = course.parent / "shared" / "data"
    if "TFCOURSE_DATA" not in os.environ and beside.is_dir():
        monkeypatch.setenv("TFCOURSE_DATA", str(beside))
    for name in corpora:
        try:
            data.load(name, list(data.info(name).splits)[0])
        except FileNotFoundError:
            pytest.skip(f"needs {name}, which is not on this machine")
    before = written(course, record)
    done = run(course, script, "--quick")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout
    assert written(course, record) == before


@pytest.mark.parametrize(
    ("script", "flags"), [("on_gpu", []), ("multi30k", ["--preset", "multi30k-en-de"])]
)
def test_without_a_gpu_those_that_want_one_say_so(course, script, flags):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without a GPU")
    done = run(course, script, *flags)
    assert done.returncode != 0 and "PyTorch finds none here" in done.stderr
    assert "Traceback" not in done.stderr
