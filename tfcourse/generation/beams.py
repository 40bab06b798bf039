"""Beam search: several hypotheses, so that a good sentence may begin with an unlikely word."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, check_numbers, one_of
from tfcourse.generation.decoders import Decoder, after_first
from tfcourse.generation.prompts import Generated, check_end, writing

#: The forms of the length penalty: a power of the length, and GNMT's.
FORMS = ("power", "gnmt")
#: When :func:`beam_search` stops; see there.
STOPS = (True, False, "never")


def length_penalty(length: int, exponent: float, form: str = "power") -> float:
    r"""The divisor of a log-probability that gives long hypotheses a chance.

    .. math:: lp_{power}(Y) = |Y|^{\alpha} \qquad
              lp_{gnmt}(Y) = \left(\frac{5 + |Y|}{5 + 1}\right)^{\alpha}

    With an ``exponent`` of 0 log-probabilities are unchanged. With 1 the first form gives the mean
    over tokens, and the second is close to it. Below 0 short hypotheses are preferred. The end
    token counts.

    Notes
    -----
    ``"power"``: ``length_penalty`` of Hugging Face's ``generate``, and fairseq's ``--lenpen``.
    ``"gnmt"``: Wu et al. 2016, equation (14).
    """
    return length**exponent if form == "power" else ((5 + length) / 6) ** exponent


def beam_search(
    model: nn.Module | Decoder,
    prompt: Int[Tensor, "B T"] | int,
    *,
    max_new_tokens: int,
    eos_id: int | None = None,
    num_beams: int = 5,
    length_penalty: float = 1.0,
    penalty_form: str = "power",
    num_return_sequences: int = 1,
    early_stopping: bool | str = "never",
    source: Int[Tensor, "B S"] | None = None,
    source_lengths: Int[Tensor, " B"] | None = None,
    beyond: str = "refuse",
    cached: bool | str = True,
) -> Generated:
    r"""Keep the best few hypotheses at each step, and return the best finished one.

    .. math:: s(Y) = \log P(Y \mid X) / lp(Y)

    At each step all continuations of a sequence's running hypotheses are ranked by log-probability.
    Those among the best ``num_beams`` that end are set aside with their scores; the best
    ``num_beams`` of those that do not end continue. One that is still running after
    ``max_new_tokens`` counts as it is. A sequence is done when no running hypothesis can still
    score better than the ``num_return_sequences`` best set aside, even if it could be continued
    with certainty to the length with the best score, or sooner: see ``early_stopping``.

    Everything else is as for :func:`~tfcourse.generation.greedy`; all prompts have the same length.
    Without an end token every hypothesis has ``max_new_tokens`` tokens.

    Parameters
    ----------
    num_beams:
        Number of hypotheses, ``K``; 1, with ``early_stopping``, is greedy search.
    length_penalty, penalty_form:
        Exponent and form of :func:`~tfcourse.generation.length_penalty`: above 0 favours long
        texts, below 0 short ones. The form is ``"power"``, Hugging Face's, or ``"gnmt"``.
    num_return_sequences:
        How many hypotheses to return for each sequence, at most ``num_beams``: rows of the result,
        those of a sequence together and the best first. If fewer were found, the missing ones have
        a score of minus infinity.
    early_stopping:
        ``True`` also stops when ``num_beams`` hypotheses have been set aside. ``False``, the
        default of Hugging Face, also stops when that many are set aside and the best running one,
        scored at its present length, is no better than the worst of them. ``"never"`` does
        neither, so it never returns a worse score.

    Notes
    -----
    Wu et al. 2016, section 7; only counting endings among the best ``num_beams``, as in fairseq
    (Ott et al. 2019). Names and meanings are those of Hugging Face's ``GenerationConfig``.
    """
    at_least_one(num_beams=num_beams, num_return_sequences=num_return_sequences)
    if num_return_sequences > num_beams:
        raise ValueError(
            f"num_return_sequences must be at most num_beams={num_beams}, "
            f"got {num_return_sequences}"
        )
    one_of(FORMS, penalty_form=penalty_form)
    one_of(STOPS, early_stopping=early_stopping)
    check_numbers(length_penalty=length_penalty)
    asked = model, prompt, max_new_tokens, source, source_lengths, beyond, cached
    with writing(*asked) as (ids, decoder):
        logits = decoder.read(ids)
        check_end(eos_id, logits)
        search = _Beams(logits, num_beams, max_new_tokens, eos_id, length_penalty, penalty_form)
        rows = torch.arange(len(ids), device=ids.device).repeat_interleave(num_beams)
        with after_first(decoder):
            for t in range(max_new_tokens):
                # The first step starts from one row per sequence: all its hypotheses are equal.
                log_p = logits.log_softmax(dim=-1)
                chosen, came_from = search.step(log_p if t else log_p[rows], t)
                if t + 1 == max_new_tokens or search.done(t, num_return_sequences, early_stopping):
                    break
                decoder.reorder(rows[came_from] if t == 0 else came_from)
                logits = decoder.read(chosen[:, None])
        found = search.best(num_return_sequences)
    return found.copied()


class _Beams:
    """The running hypotheses and those set aside, for ``B`` sequences at once."""

    def __init__(
        self, logits: Tensor, K: int, N: int, eos_id: int | None, exponent: float, form: str
    ) -> None:
        B, self.V = logits.shape
        self.B, self.K, self.N, self.eos_id = B, K, N, eos_id
        self.penalties = [length_penalty(length, exponent, form) for length in range(1, N + 1)]
        self.fill = 0 if eos_id is None else eos_id
        self.log_p = logits.new_full((B, K), -torch.inf)
        self.log_p[:, 0] = 0.0  # all are equal at first: only one of them counts
        self.tokens = torch.full((B, K, N), self.fill, device=logits.device)
        self.aside_score = logits.new_full((B, K), -torch.inf)
        self.aside_tokens = self.tokens.clone()
        self.aside_length = torch.full((B, K), N, device=logits.device)
        self.aside_ended = torch.zeros(B, K, dtype=torch.bool, device=logits.device)
        self.closed = torch.zeros(B, dtype=torch.bool, device=logits.device)
        self.first_row = torch.arange(B, device=logits.device)[:, None] * K

    def step(
        self, log_p: Float[Tensor, "BK V"], t: int
    ) -> tuple[Int[Tensor, " BK"], Int[Tensor, " BK"]]:
        """Rank all continuations: the tokens to read next, and which rows they continue."""
        B, K, V = self.B, self.K, self.V
        # Of the best 2K at most K end, one for each hypothesis: that leaves K others to continue.
        reach = min(2 * K, K * V)
        total = (self.log_p[:, :, None] + log_p.view(B, K, V)).flatten(1)  # (B, K V)
        log_p, index = total.topk(reach, dim=1)
        came_from, token = index // V, index % V  # (B, 2K)
        tokens = _take(self.tokens, came_from)
        tokens[:, :, t] = token
        ends = torch.zeros_like(token, dtype=torch.bool)
        if self.eos_id is not None:
            ends = token == self.eos_id
        last = t + 1 == self.N
        # A copy: an end that does not count is still an end, after which nothing continues.
        counts = torch.ones_like(ends) if last else ends.clone()
        counts[:, K:] = False  # what would not have been kept does not count as ended
        counts[self.closed] = False  # the rest of the batch may continue without changing this one
        score = log_p / self.penalties[t]
        self._set_aside(score.masked_fill(~counts, -torch.inf), tokens, t + 1, ends)
        self.log_p, order = log_p.masked_fill(ends, -torch.inf).topk(min(K, reach), dim=1)
        if len(order[0]) < K:  # fewer continuations than hypotheses: a tiny vocabulary
            self.log_p = nn.functional.pad(self.log_p, (0, K - len(order[0])), value=-torch.inf)
            order = nn.functional.pad(order, (0, K - len(order[0])))
        self.tokens = _take(tokens, order)
        rows = self.first_row + came_from.gather(1, order)
        return token.gather(1, order).flatten(), rows.flatten()

    def _set_aside(self, score: Tensor, tokens: Tensor, length: int, ends: Tensor) -> None:
        """Keep the best ``K`` of those set aside and these."""
        both = torch.cat([self.aside_score, score], dim=1)
        self.aside_score, order = both.topk(self.K, dim=1)
        self.aside_tokens = _take(torch.cat([self.aside_tokens, tokens], dim=1), order)
        lengths = torch.full_like(ends, length, dtype=torch.long)
        self.aside_length = torch.cat([self.aside_length, lengths], dim=1).gather(1, order)
        self.aside_ended = torch.cat([self.aside_ended, ends], dim=1).gather(1, order)

    def done(self, t: int, num_return_sequences: int, early_stopping: bool | str) -> bool:
        """Whether every sequence is done."""
        best = self.log_p.amax(dim=1)
        # A log-probability only falls, so the largest divisor to come gives the bound.
        bound = best / max(self.penalties[t + 1 :])
        done = self.aside_score[:, num_return_sequences - 1] >= bound
        full = self.aside_score.isfinite().all(dim=1)
        if early_stopping is True:
            done = done | full
        elif early_stopping is False:
            done = done | (full & (best / self.penalties[t] <= self.aside_score[:, -1]))
        self.closed |= done
        return bool(self.closed.all())

    def best(self, num_return_sequences: int) -> Generated:
        """The best of those set aside, ``(B num_return_sequences, ...)``."""
        scores = self.aside_score[:, :num_return_sequences].flatten()
        missing = scores == -torch.inf  # these entries have no meaning
        lengths = self.aside_length[:, :num_return_sequences].flatten().masked_fill(missing, 0)
        tokens = self.aside_tokens[:, :num_return_sequences, : int(lengths.max())].flatten(0, 1)
        tokens = tokens.masked_fill(missing[:, None], self.fill)
        return Generated(
            tokens, lengths, scores, self.aside_ended[:, :num_return_sequences].flatten() & ~missing
        )


def _take(hypotheses: Tensor, which: Tensor) -> Tensor:
    """For each sequence, the chosen ones of its hypotheses, ``(B, k, N)``."""
    return hypotheses.gather(1, which[:, :, None].expand(-1, -1, hypotheses.shape[2]))
