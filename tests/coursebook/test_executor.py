"""The executor's kernels, and those of nbval with the course's plugin."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from coursebook import executor

TRANSPORT = """
import json
from ipykernel import get_connection_file
print(json.load(open(get_connection_file()))["transport"])
"""


@pytest.fixture
def notebook(tmp_path):
    cells = [nbformat.v4.new_code_cell(TRANSPORT)]
    path = tmp_path / "transport.ipynb"
    executor.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.skipif(os.name != "posix", reason="on other systems nothing is limited")
def test_a_notebook_is_stopped_by_what_it_uses_and_not_by_the_clock(tmp_path):
    path = tmp_path / "long.ipynb"
    cells = ["import time; time.sleep(3)", "while True: pass"]
    executor.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path
    )
    with pytest.raises(CellExecutionError, match="used more than 2 seconds of the processor") as at:
        executor.execute(path, limit=2)
    assert "while True" in str(at.value) and "sleep" not in str(at.value)


@pytest.mark.skipif(os.name != "posix", reason="on other systems a kernel listens on ports")
def test_no_other_process_can_take_a_kernels_port(notebook):
    ran, _ = executor.execute(notebook)
    assert ran.cells[0].outputs[0].text == "ipc\n"
    executor.write(ran, notebook)
    command = ["--nbval", "--nbval-current-env", "-p", "coursebook.nbval_bands", "-q"]
    where = ["-c", os.devnull, f"--rootdir={notebook.parent}"]
    again = subprocess.run(
        [sys.executable, "-m", "pytest", str(notebook), *command, *where],
        capture_output=True,
        text=True,
    )
    assert again.returncode == 0, again.stdout
