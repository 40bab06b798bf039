"""Run a chapter so that two runs give the same bytes.

The environment is fixed (one thread, one hash seed, no progress bars), nothing that changes from
run to run is stored (no times, no kernel's patch version), and outputs come out in one piece.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from tfcourse.files import write_whole

#: What a chapter's kernel sees, here and when its outputs are checked.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # The same instructions on every x86 processor: a training run adds up what they round apart.
    "MKL_CBWR": "COMPATIBLE",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "PYTHONHASHSEED": "0",
    "TQDM_DISABLE": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}

#: Seconds of CPU that a chapter may take unless its metadata says otherwise.
BUDGET_SECONDS = 60

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "name": "python",
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "pygments_lexer": "ipython3",
    },
}


def budget_seconds(notebook: NotebookNode) -> float:
    """Seconds of CPU that the chapter may take: its metadata's ``tfcourse.budget_seconds``."""
    return float(notebook.metadata.get("tfcourse", {}).get("budget_seconds", BUDGET_SECONDS))


@contextmanager
def fixed_environment() -> Iterator[None]:
    """:data:`ENVIRONMENT` for every kernel started meanwhile."""
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    os.environ.update(ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def execute(path: Path, *, timeout: float | None = None) -> tuple[NotebookNode, float]:
    """Run the notebook at ``path`` from the top and return it with its outputs.

    Parameters
    ----------
    path:
        The notebook. It is read, not written.
    timeout:
        Seconds that one cell may take; three times the chapter's budget unless given.

    Returns
    -------
    notebook, seconds
        The notebook with new outputs and normal metadata, and the processor time that it took:
        not the clock's, for the machine may have other work.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        Where a cell fails that is not tagged ``raises-exception``.
    """
    notebook = nbformat.read(path, as_version=4)
    normalise(notebook)
    client = NotebookClient(
        notebook,
        timeout=timeout or 3 * budget_seconds(notebook),
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    start = seconds_of_children()
    # Every kernel warns on its own stderr that it listens on loopback: not a chapter's output.
    with fixed_environment(), open(os.devnull, "w") as nowhere:
        client.execute(stderr=nowhere)
    seconds = seconds_of_children() - start
    notebook.metadata = NotebookNode(_METADATA | _own(notebook))
    return notebook, seconds


def seconds_of_children() -> float:
    """Processor time of all processes that were started from here, and theirs, and have ended."""
    used = os.times()
    return used.children_user + used.children_system


def normalise(notebook: NotebookNode) -> None:
    """Drop outputs and whatever differs from one editor or machine to another, in place."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        cell.metadata.pop("collapsed", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata = NotebookNode(_METADATA | _own(notebook))
    notebook.nbformat, notebook.nbformat_minor = 4, 5


def _own(notebook: NotebookNode) -> dict:
    """What the course itself keeps in a notebook's metadata."""
    return {"tfcourse": notebook.metadata["tfcourse"]} if "tfcourse" in notebook.metadata else {}


def write(notebook: NotebookNode, path: Path) -> None:
    """Write the notebook in one step, so that a stopped run leaves the old one whole."""
    write_whole(path, nbformat.writes(notebook) + "\n")
