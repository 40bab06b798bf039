"""Which tests' points wait for a test of values; what one worker finds hollow, all of them know.

:mod:`nbjudge.judging.lies` finds the tests that an answer passes which computes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nbjudge.files import write_whole


def waits_for(
    name: str, uses: Mapping[str, frozenset[str]], hollow: Mapping[str, str], passed: set[str]
) -> list[str]:
    """The functions of a hollow test of which no test of values passes, though there is one.

    Parameters
    ----------
    name:
        The test's.
    uses:
        Each test of the exercise with the learner's functions that it is about.
    hollow, passed:
        Those of them that are hollow, and those that pass.
    """
    sound = {test: found for test, found in uses.items() if test not in hollow}
    wanted = uses[name] or frozenset().union(*sound.values())
    return [
        function
        for function in sorted(wanted)
        if any(function in found for found in sound.values())
        and not any(function in found for test, found in sound.items() if test in passed)
    ]


_known: dict[str, dict[str, str]] = {}
_shared: Path | None = None


def share(folder: Path) -> None:
    """Have what this process weighs known to the others that share this folder."""
    global _shared
    _shared = folder


def known(steps: list[dict[str, Any]], ask: Callable[[], dict[str, str] | None]) -> dict[str, str]:
    """What :func:`nbjudge.judging.lies.hollow` says of these cells, asked for once in this process.

    Nothing if ``ask`` gives ``None``.
    """
    key = hashlib.sha256(json.dumps(steps).encode()).hexdigest()
    if key not in _known:
        path = _shared and _shared / f"weighed-{key}.json"
        if path and path.is_file():
            _known[key] = json.loads(path.read_text("utf-8"))
            return _known[key]
        found = ask()
        if found is None:
            return {}
        _known[key] = found
        if path:
            write_whole(path, json.dumps(found))
    return _known[key]
