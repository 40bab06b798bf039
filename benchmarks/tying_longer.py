"""What sharing the unembedding costs after four times the steps of `tying.py`.

The same three models, text, rates and seeds, for 1600 steps: as many tokens as three quarters of
the training text has.
"""

from __future__ import annotations

from _measuring import keep_record
from tying import MAKERS, SEEDS, compared

STEPS = 1600

if __name__ == "__main__":
    keep_record(
        "tying-longer", __doc__, lambda quick: compared(MAKERS, quick, steps=STEPS), seed=SEEDS[0]
    )
