"""What was written."""

from __future__ import annotations

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor


class Generated(NamedTuple):
    """What a model wrote, the prompt left out.

    Attributes
    ----------
    tokens:
        Ids ``(B, N)``, ``N`` those of the longest row. What stands after a row's length is the end
        token, and 0 where there is no end token.
    lengths, ended:
        How many tokens each row wrote, with its end token if it wrote one; the others stopped
        because they were as long as they might become.
    scores:
        In nats: the log-probability of what was written, given the prompt, under the model as it
        is, whatever was done to its probabilities before a token was chosen. From
        :func:`~tfcourse.generation.beam_search`: that divided by the length penalty.
    """

    tokens: Int[Tensor, "B N"]
    lengths: Int[Tensor, " B"]
    scores: Float[Tensor, " B"]
    ended: Bool[Tensor, " B"]

    def copied(self) -> Generated:
        """The same numbers for any use; no gradient may pass what inference mode computed."""
        return Generated(*(part.clone() for part in self))

    def rows(self) -> list[list[int]]:
        """Each row's own tokens, without its end token: what a tokenizer decodes."""
        stops = (self.lengths - self.ended.long()).tolist()
        return [row[:stop] for row, stop in zip(self.tokens.tolist(), stops, strict=True)]
