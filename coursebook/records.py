"""Measurements that a page quotes: written by a script that anyone can rerun, read by chapters.

A record is a JSON file in its lesson's ``records/``, or in ``benchmarks/records/``: what was
measured, on which device, with which versions, threads and seed, when, and by which command. A
record that supports a verdict also holds the conditions that were committed before the run; a test
compares them with the current ones.
"""

from __future__ import annotations

import ast
import datetime
import json
import platform
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from coursebook import course
from coursebook.claims import condition, read_claims
from coursebook.yaml_files import parse_yaml

#: Maximum number of columns in a record's lines.
WIDTH = 100


def _paths() -> dict[str, Path]:
    return course.record_paths(course.root())


def _folder() -> Path:
    """Where a new record goes: to the lesson whose script is running, if one is."""
    beside = Path(sys.argv[0]).resolve().parent
    lesson = course.Lesson(course.root(), beside.parent.name)
    return lesson.records if beside == lesson.measure else course.root() / "benchmarks" / "records"


def _processor() -> str:
    """The processor's model name, if the system reports it."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, flags=re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def _without_place(argument: str) -> str:
    """An argument of the command; an absolute path is cut to its last part."""
    path = Path(argument)
    return path.name if path.is_absolute() else path.as_posix()


def archived_commit() -> str | None:
    """The commit of the archive that the course was unpacked from; ``None`` in a repository."""
    path = course.root() / ".git_archival.txt"
    text = path.read_text("utf-8") if path.is_file() else ""
    found = re.search(r"^node: ([0-9a-f]{40})$", text, flags=re.MULTILINE)
    return found.group(1) if found else None


def conditions(*claims: str) -> dict[str, Any]:
    """What would refute each of ``claims``, as committed, and the commit. Call it before the run.

    An unpacked archive has no repository to ask: it names its commit, and a test of the course
    compares that commit's conditions with those of the record.

    Returns
    -------
    stated
        ``{"commit": hash, "refuted": {claim: text}}``, the ``stated`` argument of :func:`write`.

    Raises
    ------
    ValueError
        If a condition in a lesson's ``claims.yml`` is not committed, or there is no such claim.
        Commit the condition first, then measure.
    """
    root = course.root()

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=root, capture_output=True, text=True, check=True
        ).stdout

    today, archived = read_claims(root), archived_commit()
    for claim in claims:
        if claim not in today:
            raise ValueError(f"no lesson's claims.yml has a claim {claim!r}")
        if archived:
            continue
        path = course.Lesson(root, today[claim]["chapter"]).claims.relative_to(root).as_posix()
        listed = git("ls-tree", "--name-only", "HEAD", path).strip()
        committed = (
            parse_yaml(git("show", f"HEAD:{path}"), f"the committed {path}") if listed else {}
        )
        if claim not in committed or condition(committed[claim]) != condition(today[claim]):
            raise ValueError(
                f"the condition of {claim} in {path} is not committed. Commit it first, "
                "then measure: a condition must not be newer than its run"
            )
    return {
        "commit": archived or git("rev-parse", "HEAD").strip(),
        "refuted": {claim: condition(today[claim]) for claim in claims},
    }


def write(
    name: str,
    results: Any,
    *,
    seed: int,
    device: str = "cpu",
    stated: dict[str, Any] | None = None,
    finished: bool = True,
) -> Path:
    """Write the record ``name``, with everything needed to judge and repeat the measurement.

    Parameters
    ----------
    name:
        The record's name, such as ``"self-attention-cost"``.
    results:
        What was measured, as JSON values. Keys include their units.
    seed:
        The seed that the run started from.
    device:
        ``"cpu"`` or ``"cuda"``.
    stated:
        What :func:`conditions` returned before the run, if a verdict relies on the record.
    finished:
        Whether it replaces an earlier record of this name; if not, it is written beside that.

    Returns
    -------
    path
        The file written.
    """
    import torch

    cuda, archived = device == "cuda", archived_commit()
    record = {
        "name": name,
        "date": datetime.date.today().isoformat(),
        "command": " ".join(["python", *map(_without_place, sys.argv)]),
        "device": torch.cuda.get_device_name() if cuda else _processor(),
        "threads": torch.get_num_threads(),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        **({"commit": archived[:8]} if archived else {}),
        "seed": seed,
        **({"stated": stated} if stated else {}),
        "results": results,
    }
    path = _paths().get(name, _folder() / f"{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.partial")
    beside.write_text(_laid_out(json.loads(json.dumps(record))) + "\n")  # JSON makes keys strings
    return beside.replace(path) if finished else beside


def rounded(value: Any) -> Any:
    """``value`` with the floats in its lists and dictionaries rounded to four decimals."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return round(value, 4) if isinstance(value, float) else value


def _laid_out(value: Any, column: int = 0, indent: int = 1) -> str:
    """JSON with everything that fits on one line on one line, to keep lists of losses short."""
    flat = json.dumps(value)
    if column + len(flat) < WIDTH or not value or not isinstance(value, dict | list):
        return flat
    space = "\n" + " " * indent
    if isinstance(value, dict):
        keys = {json.dumps(key): inner for key, inner in value.items()}
        rows = [
            f"{key}: {_laid_out(inner, indent + len(key) + 2, indent + 1)}"
            for key, inner in keys.items()
        ]
        return "{" + space + f",{space}".join(rows) + space[:-1] + "}"
    rows = [_laid_out(inner, indent, indent + 1) for inner in value]
    if all(isinstance(inner, int | float) for inner in value):
        between = space.join(textwrap.wrap(", ".join(rows), WIDTH - indent))
    else:
        between = f",{space}".join(rows)
    return "[" + space + between + space[:-1] + "]"


class NoGPURecord(FileNotFoundError):
    """There is no record of a GPU, which not everybody has. A notebook's cell then ends there."""


def load(name: str) -> dict[str, Any]:
    """Read the record ``name``.

    Raises
    ------
    FileNotFoundError
        If there is none; the message says how to make it, and lists those that exist. It is a
        :class:`NoGPURecord` if the name ends in ``-gpu``: a notebook shows nothing of it.
    """
    paths = _paths()
    if name not in paths:
        there = ", ".join(sorted(paths)) or "none"
        kind = NoGPURecord if name.endswith("-gpu") else FileNotFoundError
        raise kind(f"no record {name!r} in the course (there: {there}). `make bench` makes them.")
    return json.loads(paths[name].read_text())


class UntilAbsent(ast.NodeTransformer):
    """A cell with ``records.load("…-gpu")`` ends without an output if there is no such record."""

    def visit_Module(self, cell: ast.Module) -> ast.Module:
        """The cell, in a ``try`` if it reads a GPU's record."""
        if re.search(r"\brecords\.load\('[\w-]+-gpu'\)", ast.unparse(cell)):
            tried = ast.parse("try: ...\nexcept records.NoGPURecord: pass")
            assert isinstance(tried.body[0], ast.Try)
            tried.body[0].body = cell.body
            return tried
        return cell


def _in_notebooks() -> None:
    """Have the notebook that imports this module, if one does, pass over absent GPU records."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell and not any(isinstance(one, UntilAbsent) for one in shell.ast_transformers):
        shell.ast_transformers.append(UntilAbsent())


def by_device(name: str) -> list[dict[str, Any]]:
    """The record ``name`` and, if it was measured on a GPU too, that record, ``name-gpu``."""
    gpu = f"{name}-gpu"
    return [load(name), *([load(gpu)] if gpu in _paths() else [])]


def describe(record: dict[str, Any]) -> str:
    """Lines to go below a figure, wrapped: device, threads, torch and date; the command."""
    texts = where_and_when(record), record["command"]
    return "\n".join(textwrap.fill(text, 80, subsequent_indent="    ") for text in texts)


def where_and_when(record: dict[str, Any]) -> str:
    """A line about a record: device, threads, torch, date, and the commit if it is another."""
    commit = f", commit {record['commit']}" if "commit" in record else ""
    return (
        f"{record['device']}, {record['threads']} thread(s), "
        f"torch {record['versions']['torch']}, {record['date']}{commit}"
    )


if sys.modules.get("IPython"):
    _in_notebooks()
