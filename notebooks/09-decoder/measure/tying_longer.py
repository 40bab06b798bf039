"""The cost of tying the unembedding after four times the steps of `tying.py`.

The same three models and text, for 1600 steps: as many tokens as three quarters of the training
text. Five paired seeds, and rates searched on a seed used for nothing else.

A quarter of an hour on one thread; finished parts are kept in ``--keep FOLDER``.
"""

from __future__ import annotations

from tying import MAKERS, compared

from coursebook.measuring import keep_record

SEARCHED, SEEDS = (110,), (10, 11, 12, 13, 14)
RATES, STEPS = (1.5e-3, 3e-3, 6e-3, 1.2e-2), 1600

if __name__ == "__main__":
    keep_record(
        "tying-longer",
        __doc__,
        lambda quick, once: compared(MAKERS, quick, SEARCHED, RATES, STEPS, SEEDS, once),
        seed=SEEDS[0],
        resumed=True,
    )
