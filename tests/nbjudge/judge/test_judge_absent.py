"""A process that is made without attention has it in no spelling, and has all else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from nbjudge.inside.testing import absent

PROGRAM = Path(__file__).parents[1] / "absent_program.py"

PRODUCTS = {
    *("matmul", "matmul, graded", "mm", "mm, out", "bmm", "einsum", "linear", "addmm", "baddbmm"),
    *("tensordot", "convolution", "disabled product", "scripted product"),
}
ALLOWED = {
    *("vector", "vector, graded", "row", "dot", "softmax", "linear layer", "layer norm"),
    "our records",
    # What is as it was where a kernel is shut.
    *("row of a matrix", "compiled", "optimised", "vmap of a formula", "jacobian"),
}
#: Allowed where no gradient is to be written by hand.
GRADIENTS = {"engine", "node", "gradients"}
#: Allowed where products of matrices are.
NUMPYS = {"numpy", "numpy, dot", "numpy, function", "numpy, einsum", "numpy in a function"}
#: What no kernel has from which anything is taken away.
SHUT = {
    *("mkldnn", "prims", "refs", "refs, held", "decompositions", "by address", "pattern file"),
    *("by address, held", "sklearn", "scipy"),
}


def said(*kinds: str) -> dict[str, str]:
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), json.dumps(kinds)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def without_attention():
    return said("attention")


def test_attention_is_there_in_no_spelling(without_attention):
    refused = {
        name: text
        for name, text in without_attention.items()
        if "does the whole of this exercise" not in text
        and not (name in ("jvp", "flex operator", "onnx") and "is not available where" in text)
    }
    for name in SHUT:
        said_of_it = refused.pop(name)
        assert "not available" in said_of_it or "cannot create" in said_of_it, name
    assert "no attribute" in refused.pop("scripted from text")
    assert refused.pop("vector products are right") == "True"
    assert set(refused) == {*PRODUCTS, *ALLOWED, *GRADIENTS, *NUMPYS, "lstm"}
    assert set(refused.values()) == {"done"}


def test_products_of_matrices_are_not_there_and_those_with_vectors_are():
    found = said("attention", "matrix products")
    assert found["vector products are right"] == "True"
    for name in PRODUCTS:
        assert "multiplies two matrices" in found[name], name
    for name in NUMPYS:
        assert re.search("multiplies two matrices|unsupported|no attribute", found[name]), name
    for name in ALLOWED | GRADIENTS:
        assert found[name] == "done", name


def test_where_gradients_are_written_by_hand_nothing_takes_them():
    found = said("recurrent nets", "autograd")
    for name in ("engine", "node", "scripted from text"):
        assert "Error" in found[name], name
    assert "lets PyTorch find the gradient" in found["gradients"]
    for name in ("softmax", "vector, graded", "jacobian"):
        assert found[name] != "done", name
    for name in ("matmul", "row of a matrix", "compiled", "linear layer"):
        assert found[name] == "done", name


def test_where_nothing_is_forbidden_all_is_there():
    found = said()
    assert found["functional"] == found["multi-head"] == found["vmap"] == found["matmul"] == "done"
    assert found["ours"] == found["flex"] == "done"


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="what must be among"):
        absent.remove("thinking")
    assert absent.removed() == () and torch.ones(2, 2) @ torch.ones(2, 2) is not None


def test_a_sandbox_is_told_which_files_hold_it():
    found = {path.name for path in absent.files(["attention"])}
    assert {"attention.py", "alignment.py", "models", "kernels", "layers.py"} <= found
    products = {path.name for path in absent.files(["matrix products"])}
    assert {"torch", "numpy", "sklearn", "scipy", "ctypes"} <= products
    assert not {"attention.py", "matplotlib", "IPython"} & products
    assert absent.files([]) == []
