"""How much of an answer matches the course's own code or PyTorch's verbatim.

Nothing stops a learner from copying a library's source. A match costs no points by itself: it is
only shown to the instructor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from nbjudge.inside.program import program
from nbjudge.likeness.prints import AS_WRITTEN, MOST_CHARACTERS, tokens, without_comments

#: Number of consecutive tokens that cannot match by chance: a formula's few lines are shorter.
RUN = 24

#: An answer is flagged if at least this share of it matches.
MUCH = 0.75

#: Patterns that are suspicious in any cell → what they do.
SIGNS = (
    (
        r"__array_interface__|__array_struct__|/proc/\w+/mem\b|\bctypes\b",
        "reaches into its own process's memory: does it change what watches its calls?",
    ),
    (
        r"\bnbjudge\.(inside|judge)\b|\bsys\.(meta_path|setprofile|settrace)\b",
        "reaches into the judge: does it change what watches its calls?",
    ),
)

#: Patterns that are suspicious where anything is to be written by hand → what they do.
DETOURS = (
    (
        r"\b(subprocess|threading|_thread|multiprocessing|concurrent)\b|\bos\.(fork|system|popen)\b",
        "starts a thread or a program, in which no call is watched",
    ),
    (
        r"(?<![.\w])(exec|eval)\(|\bgetsource\b|\.__code__\b|\bgc\.get_\w+",
        "runs code that does not stand in the answer: where does it come from?",
    ),
    (
        r"\btorch\.(_(?!_)\w+|ops|library)\b|\bCompilationUnit\b|\bredispatch\b",
        "calls PyTorch's inner functions: do they do what is to be written by hand?",
    ),
)


def likeness(answer: str, forbidden: Iterable[str]) -> tuple[float, str]:
    """The largest share of an answer that matches a single file of those that are forbidden.

    Parameters
    ----------
    answer:
        The learner's cell.
    forbidden:
        Names of what is to be written by hand: the course's ``forbidden``.

    Returns
    -------
    part, file
        The share, between 0 and 1, and the file's usual name, such as ``torch/nn/functional.py``.
    """
    own = _runs(without_comments(answer[:MOST_CHARACTERS]))
    length = len(own) + RUN - 1
    best = (0.0, "")
    for path, known in _known(frozenset(forbidden)):
        if known.isdisjoint(own):
            continue
        covered = {
            token for at, run in enumerate(own) if run in known for token in range(at, at + RUN)
        }
        best = max(best, (len(covered) / length, _usual_name(path)))
    return best


def warm() -> None:
    """Read every file that an answer can match, in the process that workers are forked from."""
    _known(frozenset(program().forbidden))


def signs(source: str, forbidden: Iterable[str]) -> list[str]:
    """What a cell does that proves nothing, but is worth a look where these are forbidden."""
    code = without_comments(source[:MOST_CHARACTERS])
    entries = program().to_be_written(sorted(forbidden))
    own = [sign for entry in entries for sign in entry.signs.items()]
    known = dict.fromkeys([*SIGNS, *(DETOURS if entries else ()), *own])
    return [does for pattern, does in known if re.search(pattern, code)]


def _runs(code: str) -> list[int]:
    words = tokens(code, AS_WRITTEN)
    # These are kept only as long as the process, so Python's own hash will do, and is fast.
    return list(map(hash, zip(*(words[i:] for i in range(RUN)), strict=False)))


@cache
def _known(forbidden: frozenset[str]) -> list[tuple[Path, frozenset[int]]]:
    """The files that these forbid, each with the runs of tokens in it."""
    return [(path, _runs_of(path)) for _, path in forbidden_files(forbidden)]


@cache
def _runs_of(path: Path) -> frozenset[int]:
    text = path.read_text(encoding="utf-8", errors="replace")
    # A docstring can contain the formula in Python, so count runs both with and without docstrings.
    return frozenset(_runs(text) + _runs(without_comments(text)))


def forbidden_files(forbidden: Iterable[str]) -> list[tuple[str, Path]]:
    """The files that an answer can match, each with its usual name."""
    files = {path for name in forbidden for path in _files(name)}
    return [(_usual_name(path), path) for path in sorted(files)]


@cache
def _files(forbidden: str) -> tuple[Path, ...]:
    """The files of the modules that one name forbids, without importing them."""
    (entry,) = program().to_be_written([forbidden])
    return tuple(
        dict.fromkeys(file for path in entry.python + entry.modules for file in _file(path))
    )


def _file(dotted: str) -> list[Path]:
    top, *rest = dotted.split(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        return []
    place = Path(next(iter(spec.submodule_search_locations)))
    for part in rest:
        if (file := place / f"{part}.py").is_file():
            return [file]
        if not (place / part).is_dir():
            return []
        place /= part
    return sorted(place.glob("*.py")) if len(rest) else []


def _usual_name(path: Path) -> str:
    parts = path.parts
    tops = [i for i, part in enumerate(parts[:-1]) if part in _tops()]
    return "/".join(parts[tops[-1] :]) if tops else path.name


@cache
def _tops() -> frozenset[str]:
    """The packages from which anything is forbidden."""
    entries = program().forbidden.values()
    named = (path for entry in entries for path in entry.python + entry.modules)
    return frozenset(path.partition(".")[0] for path in named)
