"""Run a chapter so that two runs on one machine give the same bytes.

The environment is fixed (one thread, one hash seed, no progress bars), nothing that changes from
run to run is stored (no times, no patch version of the kernel), and each stream is one output.
Another processor may round differently: :mod:`coursebook.numerics` says how far that may
move a printed number.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

from coursebook import limited, numerics
from coursebook.numerics import ARITHMETICS

#: The environment of a chapter's kernel, here and when its outputs are checked.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Instructions that most x86 processors have. Even so, results may round differently, because
    # each library also chooses among its kernels by the processor's vendor.
    "MKL_CBWR": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    "PYTHONHASHSEED": "0",
    "TQDM_DISABLE": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # A figure's content is stored with its image, so that two figures can be compared.
    "TFCOURSE_FIGURE_CONTENT": "1",
    # Stored outputs keep a live figure's still pictures.
    "TFCOURSE_STILL_FIGURES": "1",
}

#: CPU seconds that a chapter may take unless its metadata says otherwise.
BUDGET_SECONDS = 60
#: Seconds by the clock after which a cell waits for something that does not come.
HUNG = 3600

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
    """CPU seconds that the chapter may take: its metadata's ``tfcourse.budget_seconds``."""
    return float(notebook.metadata.get("tfcourse", {}).get("budget_seconds", BUDGET_SECONDS))


def environment(arithmetic: str = "stored") -> dict[str, str]:
    """:data:`ENVIRONMENT` with the changes of one of :data:`numerics.ARITHMETICS`."""
    return {**ENVIRONMENT, **ARITHMETICS[arithmetic]}


@contextmanager
def environment_with(values: dict[str, str]) -> Iterator[None]:
    """Set these variables for every kernel started inside the ``with`` block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def fixed_environment(arithmetic: str = "stored") -> AbstractContextManager[None]:
    """Set :func:`environment` for every kernel started inside the ``with`` block."""
    return environment_with(environment(arithmetic))


def address(folder: str) -> dict[str, str]:
    """Where a kernel listens: on sockets in ``folder``, a new one, if the system has them.

    A free port is looked for before the kernel starts; another process may take it meanwhile,
    and then the kernel dies. Nobody else opens sockets in a folder of one's own.
    """
    return {"transport": "ipc", "ip": f"{folder}/kernel"} if os.name == "posix" else {}


def execute(
    path: Path, *, limit: float | None = None, arithmetic: str = "stored"
) -> tuple[NotebookNode, float]:
    """Run the notebook at ``path`` from the top and return it with its outputs.

    Parameters
    ----------
    path:
        The notebook. It is read, not modified.
    limit:
        CPU seconds after which the notebook is stopped; by default five times its budget, since
        processors differ. A cell is stopped by the clock only if it takes :data:`HUNG` seconds.
    arithmetic:
        One of :data:`numerics.ARITHMETICS`: how the processor should round.

    Returns
    -------
    notebook, seconds
        The notebook with new outputs and normalised metadata, and the CPU seconds it took: not
        wall-clock time, because the machine may have other work.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails that is not tagged ``raises-exception``, or meets the limit.
    """
    notebook = nbformat.read(path, as_version=4)
    normalise(notebook)
    start = seconds_of_children()
    most = {limited.VARIABLE: str(limit or 5 * budget_seconds(notebook))}
    with (
        tempfile.TemporaryDirectory() as sockets,
        fixed_environment(arithmetic),
        environment_with(most),
    ):
        client = NotebookClient(
            notebook,
            timeout=HUNG,
            extra_arguments=[f"--IPKernelApp.extra_extensions={limited.__name__}"],
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(path.parent)}},
            config=Config(KernelManager=address(sockets)),
        )
        # A kernel may warn on its own stderr of how it listens. That is no output of ours.
        with open(os.devnull, "w") as nowhere:
            client.execute(stderr=nowhere)
    seconds = seconds_of_children() - start
    describe(notebook)
    notebook.metadata = NotebookNode(_METADATA | _own(notebook))
    return notebook, seconds


def execute_in_all(
    path: Path, *, jobs: int = 2
) -> tuple[NotebookNode, float, dict[str, list[str]]]:
    """Run the notebook under every arithmetic that this processor supports, and compare.

    Parameters
    ----------
    path:
        The notebook. It is read, not modified.
    jobs:
        Number of runs at a time.

    Returns
    -------
    notebook, seconds, differences
        The notebook and CPU seconds of the stored arithmetic, as from :func:`execute`, and for
        each other arithmetic the cells that disagree beyond their bands, one line each.
    """
    names = numerics.available()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        runs = [pool.submit(_execute_one, path, name) for name in names]
        (notebook, seconds), *others = [run.result() for run in runs]
    return (
        notebook,
        seconds,
        {
            name: numerics.differences(notebook, other)
            for name, (other, _) in zip(names[1:], others, strict=True)
        },
    )


def _execute_one(path: Path, arithmetic: str) -> tuple[NotebookNode, float]:
    return execute(path, arithmetic=arithmetic)


def seconds_of_children() -> float:
    """CPU seconds of all child processes that have ended, and of their children."""
    used = os.times()
    return used.children_user + used.children_system


def normalise(notebook: NotebookNode) -> None:
    """Drop outputs and whatever depends on the editor or the machine, in place."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        cell.metadata.pop("collapsed", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata = NotebookNode(_METADATA | _own(notebook))
    notebook.nbformat, notebook.nbformat_minor = 4, 5


def describe(notebook: NotebookNode) -> None:
    """Copy each drawing's description to its cell's metadata, where the site looks for it."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if alt := output.get("metadata", {}).get("image/png", {}).get("alt"):
                image = cell.metadata.setdefault("mystnb", {}).setdefault("image", {})
                image["alt"] = alt


def _own(notebook: NotebookNode) -> dict:
    """What the course itself keeps in a notebook's metadata."""
    return {"tfcourse": notebook.metadata["tfcourse"]} if "tfcourse" in notebook.metadata else {}


def write(notebook: NotebookNode, path: Path) -> None:
    """Write the notebook in one step, so that a stopped run leaves the old one intact."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(nbformat.writes(notebook) + "\n", "utf-8")
    new.replace(path)
