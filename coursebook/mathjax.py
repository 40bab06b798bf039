"""Where MathJax is: formulas are typeset with the installed package, without a network."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def folder() -> Path:
    """The folder of MathJax's scripts.

    Raises
    ------
    FileNotFoundError
        If it is not installed; the message says how to install it.
    """
    # The package's name has hyphens, so it cannot be imported by a statement.
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("MathJax is missing: pip install sphinx-mathjax-offline")
    return Path(spec.submodule_search_locations[0]) / "static" / "mathjax"
