"""The scripts that measure: each runs through in a few steps; those for a GPU say so."""

import os
import sys
from importlib.metadata import packages_distributions

import pytest
import torch
from forked_scripts import Scripts

from coursebook.course import record_paths, script_paths
from tfcourse import data


def test_no_script_has_the_name_of_a_package(course):
    """A script's folder comes first where Python looks: it would be imported in its place."""
    from pandas.compat._optional import VERSIONS  # what pandas tries to import

    others = {*VERSIONS, *packages_distributions(), *sys.stdlib_module_names}
    assert not others & {*script_paths(course)}


@pytest.fixture(scope="module")
def forks():
    scripts = Scripts()
    yield scripts
    scripts.close()


def run(forks, course, folder, script, *flags):
    """What the script says and how it ends."""
    environment = dict(os.environ) | {"COLUMNS": "99"}
    return forks.run(script_paths(course)[script], course, folder, environment, *flags)


def written(course, record):
    """When the record was written, if it was."""
    path = record_paths(course).get(record)
    return path.stat().st_mtime_ns if path else None


#: Script, record and corpora of each measurement.
MEASUREMENTS = [
    ("number_words", "number-words", []),
    ("agreement", "agreement", []),
    ("recall_gaps", "recall-gaps", []),
    ("fast_attention", "fast-attention", []),
    ("attention_lengths", "attention-lengths", []),
    ("heads_cost", "heads-cost", []),
    ("heads_roles", "heads-roles", []),
    ("self_attention_cost", "self-attention-cost", []),
    ("positions_lengths", "positions-lengths", []),
    ("positions_searched", "positions-searched", []),
    ("positions_added", "positions-added", []),
    ("rotary_longer", "rotary-longer", []),
    ("tree_positions", "tree-positions", []),
    ("scaled_scores", "scaled-scores", []),
    ("review_pooling", "review-pooling", ["sentence-polarity"]),
    ("review_sentences", "review-sentences", ["imdb"]),
    ("block_depth", "block-depth", []),
    ("block_longer", "block-longer", []),
    ("block_norm", "block-norm", []),
    ("block_training", "block-training", []),
    ("block_wider", "block-wider", []),
    ("generation_speed", "generation-speed", []),
    ("package_speed", "package-speed", []),
    ("attention_speed", "attention-speed", []),
    ("import_time", "import-time", []),
    ("tinyshakespeare", "tinyshakespeare-cpu", ["tinyshakespeare"]),
    ("multi30k", "multi30k-de-en-cpu", ["multi30k"]),
    ("multi30k_recurrent", "multi30k-recurrent", ["multi30k"]),
    ("word_vectors", "word-vectors", ["wikitext-2", "wordsim-353"]),
    ("gpt_longer", "gpt-longer", []),
    ("tying", "tying", []),
    ("tying_longer", "tying-longer", []),
    ("tying_vocabulary", "tying-vocabulary", ["wikitext-2"]),
    ("prose_recurrent", "prose-recurrent", []),
    ("induction", "induction", []),
    ("masked_words", "masked-words", ["movie-reviews", "sst-2"]),
    ("few_labels", "few-labels", ["movie-reviews", "sst-2"]),
    ("own_rates", "own-rates", []),
    ("encoder_documents", "encoder-documents", []),
    ("class_vector", "class-vector", []),
    ("translators", "translators", []),
    ("source_bottleneck", "bottleneck", []),
    ("source_steps", "bottleneck-steps", []),
    ("source_widths", "source-widths", []),
    ("source_sizes", "source-sizes", []),
    ("cross_weights", "cross-weights", []),
    ("translation_speed", "translation-speed", []),
    ("parallel_text", "parallel-text", ["tinyshakespeare"]),
    ("decoder_alone", "decoder-alone", ["multi30k"]),
    ("encoder_or_decoder", "encoder-or-decoder", ["multi30k"]),
    ("mnist", "mnist-vit-cpu", ["mnist"]),
    ("mnist_mistakes", "mnist-mistakes", ["mnist"]),
    ("image_captions", "image-captions", []),
    ("photograph", "photograph", []),
    ("vision_digits", "vision-digits", []),
    ("vision_parts", "vision-parts", []),
    ("vision_arrows", "vision-arrows", []),
    ("training_ladder", "training-ladder", []),
    ("scaling_sweep", "scaling-sweep", []),
    ("block_today", "block-today", []),
]

#: Those that take ten seconds or more even so: a release runs them. That each call of ours fits is
#: found at every change by tests/house/test_calls.py.
LONGEST = {
    "attention_lengths",
    "class_vector",
    "cross_weights",
    "encoder_or_decoder",
    "fast_attention",
    "few_labels",
    "generation_speed",
    "masked_words",
    "mnist",
    "mnist_mistakes",
    "multi30k_recurrent",
    "number_words",
    "own_rates",
    "parallel_text",
    "positions_searched",
    "recall_gaps",
    "self_attention_cost",
    "training_ladder",
    "translation_speed",
    "translators",
    "tying_vocabulary",
}


@pytest.mark.case_of("measurement")
@pytest.mark.parametrize(
    ("script", "record", "corpora"),
    [
        pytest.param(*row, marks=pytest.mark.release("long measurement"))
        if row[0] in LONGEST
        else row
        for row in MEASUREMENTS
    ],
)
def test_a_quick_run_goes_through_and_writes_no_record(
    forks, course, script, record, corpora, monkeypatch, tmp_path
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
    done = run(forks, course, tmp_path, script, "--quick")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout
    assert written(course, record) == before


@pytest.mark.parametrize(
    ("script", "flags"),
    [
        ("on_gpu", []),
        ("multi30k", ["--preset", "multi30k-en-de"]),
        ("package_speed", ["--device", "cuda"]),
        ("generation_speed", ["--device", "cuda"]),
        ("attention_speed", ["--device", "cuda"]),
        ("parallel_text", ["--device", "cuda"]),
        ("rotary_longer", ["--device", "cuda"]),
        ("block_training", ["--device", "cuda"]),
        ("tying_vocabulary", ["--device", "cuda"]),
        ("vision_arrows", ["--device", "cuda"]),
    ],
)
def test_without_a_gpu_those_that_want_one_say_so(forks, course, script, flags, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without a GPU")
    done = run(forks, course, tmp_path, script, *flags)
    assert done.returncode != 0 and "PyTorch finds none here" in done.stderr
    assert "Traceback" not in done.stderr
