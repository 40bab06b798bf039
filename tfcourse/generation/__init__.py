"""Text generation: the most likely token, a sampled one, or several hypotheses at once.

:func:`greedy`, :func:`sample` and :func:`beam_search` take any model that generates left to right:
a :class:`~tfcourse.models.gpt.GPT` or a :class:`~tfcourse.models.recurrent_lm.RecurrentLM`
continues a prompt, a :class:`~tfcourse.models.transformer.Transformer` or a
:class:`~tfcourse.models.seq2seq.Seq2Seq` generates a target from a source. All they need from a
model is a :class:`Decoder`; :func:`decoder_of` makes one, and any object with its two methods will
do.
"""

from tfcourse.generation.beams import beam_search, length_penalty
from tfcourse.generation.decoders import Decoder, decoder_of
from tfcourse.generation.filters import keep_top_k, keep_top_p
from tfcourse.generation.one_by_one import greedy, sample
from tfcourse.generation.prompts import Generated

__all__ = [
    "Decoder",
    "Generated",
    "beam_search",
    "decoder_of",
    "greedy",
    "keep_top_k",
    "keep_top_p",
    "length_penalty",
    "sample",
]
