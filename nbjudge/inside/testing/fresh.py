"""Random inputs that nobody knows before the work is submitted, and that can be redrawn."""

from __future__ import annotations

import hashlib
import os
import random
from typing import Any

from nbjudge.inside.values import torch

#: The variable that the grader sets for each student; its value is in the report.
SEED_VARIABLE = "NBJUDGE_SEED"


def fresh(test: str) -> Any:
    """A random number generator for the inputs of one hidden test.

    Parameters
    ----------
    test:
        The test's id, such as ``"scaling--values"``; each test draws its own numbers.

    Returns
    -------
    generator
        A ``torch.Generator`` if the course's values are tensors, else a ``random.Random``. It is
        seeded from the environment variable ``NBJUDGE_SEED`` and the test's id, so that a run can
        be repeated exactly; if the variable is not set, from the operating system.
    """
    seed = os.environ.get(SEED_VARIABLE)
    drawn = None
    if seed:
        digest = hashlib.sha256(f"{seed}/{test}".encode()).digest()
        drawn = int.from_bytes(digest[:7], "big")
    if torch is None:
        return random.Random(drawn)
    generator = torch.Generator()
    if drawn is None:
        generator.seed()
    else:
        generator.manual_seed(drawn)
    return generator
