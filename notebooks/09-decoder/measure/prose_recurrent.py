"""A recurrent language model on the prose that `tying.py` uses for small GPTs.

An LSTM of two layers with a tied unembedding and no more parameters than the tied GPT: the same
tokens in the same windows and the same number of steps. Each of its six learning rates is run with
all three seeds, and the best by the validation split is reported.
"""

from __future__ import annotations

from tying import SEEDS, V, compared

from coursebook.measuring import keep_record
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig

#: An LSTM may need a larger rate.
RATES = (1.2e-2, 2.4e-2, 4.8e-2, 0.1, 0.2, 0.4)


def lstm() -> RecurrentLM:
    """An LSTM with as many parameters as the tied GPT, or slightly fewer."""
    return RecurrentLM(RecurrentLMConfig(V, 75, num_layers=2, cell="lstm", tied=True))


if __name__ == "__main__":
    keep_record(
        "prose-recurrent",
        __doc__,
        lambda quick: compared({"LSTM": lstm}, quick, SEEDS, RATES),
        seed=SEEDS[0],
    )
