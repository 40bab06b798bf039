"""Importing is quick: what is not used is not loaded."""

import json
import subprocess
import sys

import pytest

#: What may be loaded beside the package and PyTorch with all that PyTorch loads itself.
ALLOWED = {"tfcourse", "jaxtyping", "regex", "safetensors"}
PROGRAM = """
import json, sys
import numpy, torch
before = set(sys.modules)
for name in sys.argv[1:]:
    __import__(name)
tops = {name.partition(".")[0] for name in before} | set(sys.stdlib_module_names)
more = {name.partition(".")[0] for name in set(sys.modules) - before} - tops
print(json.dumps(sorted(more)))
"""


def loaded(course, *names, program=PROGRAM):
    run = subprocess.run(
        [sys.executable, "-c", program, *names], cwd=course, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


def test_the_models_and_training_load_little(course):
    more = loaded(
        course, "tfcourse.models.gpt", "tfcourse.models.transformer", "tfcourse.generation",
        "tfcourse.training",
    )  # fmt: skip
    unwanted = {m for m in more if not m.startswith("_")} - ALLOWED
    assert not unwanted, f"{sorted(unwanted)} are loaded, too"


def test_the_package_alone_loads_not_even_torch(course):
    program = (
        "import json, sys, tfcourse; print(json.dumps([n for n in sys.modules if n == 'torch']))"
    )
    assert not loaded(course, program=program)


def test_parts_and_models_are_found_by_name(course):
    import tfcourse
    from tfcourse.models import GPT, TransformerConfig

    assert tfcourse.attention.MultiHeadAttention and tfcourse.layers.Block
    assert GPT is tfcourse.models.gpt.GPT and TransformerConfig(5).vocab_size == 5
    assert {"attention", "training"} <= set(dir(tfcourse)) and "GPT" in dir(tfcourse.models)
    names = [name for name in dir(tfcourse) if not name.startswith("_")]
    assert "MultiHeadAttention" in names and all(getattr(tfcourse, name) for name in names)
    assert tfcourse.GPT is GPT and tfcourse.greedy is tfcourse.generation.greedy
    with pytest.raises(AttributeError, match="'tfcourse' has no attribute 'nothing'"):
        _ = tfcourse.nothing
    with pytest.raises(ImportError, match="Nothing"):
        from tfcourse.models import Nothing  # noqa: F401
