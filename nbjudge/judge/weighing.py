"""Which tests' points depend on a test of values; workers share which tests they find hollow.

:mod:`nbjudge.judge.lies` finds the tests passed by an answer that computes nothing.
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
    """The functions of a hollow test that have tests of values, none of which passes.

    Parameters
    ----------
    name:
        The hollow test's name.
    uses:
        The learner's functions used by each test of the exercise.
    hollow, passed:
        The hollow tests, and those that pass.
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
    """Share this process's results with others through this folder."""
    global _shared
    _shared = folder


def known(steps: list[dict[str, Any]], ask: Callable[[], dict[str, str] | None]) -> dict[str, str]:
    """The result of :func:`nbjudge.judge.lies.hollow` for these cells, computed only once.

    Empty if ``ask`` returns ``None``.
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
