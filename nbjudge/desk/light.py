"""Skip an import that the commands do not need, so that they start quickly."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: If this package is installed, jsonschema uses it to build forty grammars on import, which takes
#: a second: they validate internationalised addresses, and a notebook's schema has none.
GRAMMARS = "rfc3987_syntax"


@contextmanager
def without_grammars() -> Iterator[None]:
    """Import nbformat, which imports jsonschema, as if that package were not installed."""
    if GRAMMARS in sys.modules:
        yield
        return
    vars(sys)["modules"][GRAMMARS] = None  # Python's marker for a module that cannot be imported
    try:
        yield
    finally:
        del sys.modules[GRAMMARS]
