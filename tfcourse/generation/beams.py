"""Beam search: several hypotheses, so that a good sentence may begin with an unlikely word."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, check_numbers, one_of
from tfcourse.generation.decoders import Decoder
from tfcourse.generation.prompts import Generated, check_end, writing

#: The length penalties :func:`beam_search` offers: GNMT's, and a plain power of the length.
PENALTIES = ("gnmt", "power")


def length_penalty(length: int, alpha: float, penalty: str = "gnmt") -> float:
    r"""The divisor of a log-probability that gives long hypotheses a chance.

    .. math:: lp_{gnmt}(Y) = \left(\frac{5 + |Y|}{5 + 1}\right)^{\alpha} \qquad
              lp_{power}(Y) = |Y|^{\alpha}

    With ``alpha=0`` log-probabilities are unchanged. With ``alpha=1`` the second form gives the
    mean over tokens, and the first is close to it. The end token counts.

    Notes
    -----
    ``"gnmt"``: Wu et al. 2016, equation (14). ``"power"``: ``length_penalty`` of Hugging Face's
    ``generate``, and fairseq's ``--lenpen``.
    """
    return length**alpha if penalty == "power" else ((5 + length) / 6) ** alpha


def beam_search(
    model: nn.Module | Decoder,
    prompt: Int[Tensor, "B T"] | int,
    *,
    max_new_tokens: int,
    eos_id: int | None = None,
    beams: int = 5,
    alpha: float = 1.0,
    penalty: str = "gnmt",
    num_return_sequences: int = 1,
    early: bool = False,
    source: Int[Tensor, "B S"] | None = None,
    source_lengths: Int[Tensor, " B"] | None = None,
    beyond: str = "refuse",
    cached: bool = True,
) -> Generated:
    r"""Keep the best few hypotheses at each step, and return the best finished one.

    .. math:: s(Y) = \log P(Y \mid X) / lp(Y)

    At each step all continuations of a sequence's running hypotheses are ranked by log-probability.
    Those among the best ``beams`` that end are set aside with their scores; the best ``beams`` of
    those that do not end continue. One that is still running after ``max_new_tokens`` counts as it
    is. A sequence is done when no running hypothesis can still score better than the
    ``num_return_sequences`` best set aside, even if it could be continued with certainty up to
    ``max_new_tokens``; with ``early``, also when ``beams`` hypotheses have been set aside.

    Everything else is as for :func:`~tfcourse.generation.greedy`; all prompts have the same length.
    Without an end token every hypothesis has ``max_new_tokens`` tokens.

    Parameters
    ----------
    beams:
        Number of hypotheses, ``K``; 1, with ``early``, is greedy search.
    alpha, penalty:
        Exponent and form of :func:`length_penalty`: ``alpha`` is 0 or above, ``penalty`` one of
        ``"gnmt"`` and ``"power"``, which is Hugging Face's.
    num_return_sequences:
        How many hypotheses to return for each sequence, at most ``beams``: rows of the result,
        those of a sequence together and the best first. If fewer were found, the missing ones have
        a score of minus infinity.
    early:
        See above. ``True`` is faster and may miss the best; ``False`` never returns a worse score.

    Notes
    -----
    Wu et al. 2016, section 7; only counting endings among the best ``beams``, and stopping early,
    as in fairseq (Ott et al. 2019).
    """
    at_least_one(beams=beams, num_return_sequences=num_return_sequences)
    if num_return_sequences > beams:
        raise ValueError(
            f"num_return_sequences must be at most beams={beams}, got {num_return_sequences}"
        )
    one_of(PENALTIES, penalty=penalty)
    check_numbers(alpha=alpha)
    if alpha < 0:
        raise ValueError(f"alpha must be at least 0, got {alpha}")
    asked = model, prompt, max_new_tokens, source, source_lengths, beyond, cached
    with writing(*asked) as (ids, decoder):
        logits = decoder.read(ids)
        check_end(eos_id, logits)
        search = _Beams(logits, beams, max_new_tokens, eos_id, alpha, penalty)
        rows = torch.arange(len(ids), device=ids.device).repeat_interleave(beams)
        for t in range(max_new_tokens):
            # The first step starts from one row per sequence, since all its hypotheses are equal.
            log_p = logits.log_softmax(dim=-1)
            chosen, came_from = search.step(log_p if t else log_p[rows], t)
            if t + 1 == max_new_tokens or search.done(t, num_return_sequences, early):
                break
            decoder.reorder(rows[came_from] if t == 0 else came_from)
            logits = decoder.read(chosen[:, None])
        found = search.best(num_return_sequences)
    return found.copied()


class _Beams:
    """The running hypotheses and those set aside, for ``B`` sequences at once."""

    def __init__(
        self, logits: Tensor, K: int, N: int, eos_id: int | None, alpha: float, penalty: str
    ) -> None:
        B, self.V = logits.shape
        self.B, self.K, self.N = B, K, N
        self.eos_id, self.alpha, self.penalty = eos_id, alpha, penalty
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
        score = log_p / length_penalty(t + 1, self.alpha, self.penalty)
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

    def done(self, t: int, num_return_sequences: int, early: bool) -> bool:
        """Whether every sequence is done."""
        # A log-probability only falls, and the longest text has the largest divisor.
        bound = self.log_p.amax(dim=1) / length_penalty(self.N, self.alpha, self.penalty)
        done = self.aside_score[:, num_return_sequences - 1] >= bound
        if early:
            done = done | self.aside_score.isfinite().all(dim=1)
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
