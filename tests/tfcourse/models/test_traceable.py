"""Every model as one graph: compiled, exported with free sizes, and run by onnxruntime."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from traced import TESTS

CASES = [f"{test.__name__}: {name}" for test, names in TESTS.items() for name in names]

#: Tracing all of them takes a minute.
pytestmark = pytest.mark.thorough("traced model")


@pytest.fixture(scope="module")
def traced():
    """What ``traced.py`` prints: all cases in one process."""
    program = Path(__file__).with_name("traced.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("case", CASES)
def test_as_one_graph(case, traced):
    assert not traced["found"][case], traced["found"][case]


def test_in_onnxruntime(traced):
    """The exported cases ran there too, or nothing could."""
    if not traced["onnx"]:
        pytest.skip("onnx, onnxscript and onnxruntime are not all installed")
