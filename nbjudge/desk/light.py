"""What commands do without, so that they answer in seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Where it is installed, jsonschema builds forty grammars with it when it is imported, which takes
#: a second: they judge internationalised addresses, and a notebook's schema has none.
GRAMMARS = "rfc3987_syntax"


@contextmanager
def without_grammars() -> Iterator[None]:
    """Import nbformat, which imports jsonschema, as if that package were not installed."""
    if GRAMMARS in sys.modules:
        yield
        return
    vars(sys)["modules"][GRAMMARS] = None  # so Python marks what cannot be imported
    try:
        yield
    finally:
        del sys.modules[GRAMMARS]
