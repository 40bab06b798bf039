"""Mistakes in looking back at a source and in training a translator, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. ``s`` are
states of the decoder ``(B, Ds)``, ``H`` those of the source ``(B, S, Dh)``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others

Seen = tuple[Tensor | None, Tensor | None]
Step = tuple[Tensor | None, Tensor | None, Tensor | None]


@later
def additive_mistakes(
    s: Tensor, H: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor
) -> dict[str, Tensor]:
    r"""What known mistakes make of :math:`v_a^\top \tanh(s W_a + h_j U_a)`: message → scores."""
    asked, memory = (s @ W_a)[:, None], H @ U_a  # (B, 1, A), (B, S, A)
    found = {
        "The tanh is missing. Without it the query adds the same number to all of its scores, "
        "which the softmax cancels.": (asked + memory) @ v_a,
        "Your tanh comes after v_a, around the whole score. Take the tanh of the sum of the two "
        "products, then multiply by v_a.": ((asked + memory) @ v_a).tanh(),
        "You take a tanh of each part and add the two. Take one tanh, of their sum.": (
            (asked.tanh() + memory.tanh()) @ v_a
        ),
        "Your code multiplies the two parts. The score is called additive because they "
        "are added.": (asked * memory).tanh() @ v_a,
        "v_a is missing: your code adds up the hidden numbers with equal weights.": (
            (asked + memory).tanh().sum(-1)
        ),
        "The query is missing from your scores: they do not depend on the decoder's state.": (
            memory.tanh() @ v_a
        ),
        "The states of the source are missing from your scores: all of them get the same score.": (
            (asked.tanh() @ v_a).expand(H.shape[:2])
        ),
        "Your scores have been through a softmax. Return the scores themselves.": (
            ((asked + memory).tanh() @ v_a).softmax(-1)
        ),
        "Your scores are divided by the root of a width. These scores are not scaled.": (
            (asked + memory).tanh() @ v_a * len(v_a) ** -0.5
        ),
        "The two matrices are swapped: W_a belongs to the query, U_a to the source.": (
            ((s @ U_a)[:, None] + H @ W_a).tanh() @ v_a if W_a.shape == U_a.shape else None
        ),
        _SPREAD: (
            ((s @ W_a) + memory).tanh() @ v_a if len(s) in (1, H.shape[1]) and len(s) > 1 else None
        ),
    }
    return others(found, (asked + memory).tanh() @ v_a)


@later
def general_mistakes(s: Tensor, H: Tensor, W: Tensor) -> dict[str, Tensor]:
    r"""What known mistakes make of :math:`s\, W \cdot h_j`: message → scores."""
    asked = s @ W  # (B, Dh)
    right = (asked[:, None] * H).sum(-1)
    found = {
        "W is missing from your scores: this is s · h, the score called dot.": (
            (s[:, None] * H).sum(-1) if s.shape[-1] == H.shape[-1] else None
        ),
        "W is transposed: states are rows, so it is s W and not s Wᵀ.": (
            ((s @ W.mT)[:, None] * H).sum(-1) if W.shape[0] == W.shape[1] else None
        ),
        "There is no tanh here. It belongs to the additive score.": right.tanh(),
        "Your scores have been through a softmax. Return the scores themselves.": right.softmax(-1),
        "Your scores are divided by the root of a width. These scores are not scaled.": (
            right * H.shape[-1] ** -0.5
        ),
        "The products are not summed: a score is a dot product, one number.": asked[:, None] * H,
        "Each query meets the states of all sentences. The query of sentence b must meet only "
        "the states of sentence b.": torch.einsum("bd,csd->bcs", asked, H),
        _SPREAD: (asked * H).sum(-1) if len(s) == H.shape[1] and len(s) > 1 else None,
    }
    return others(found, right)


_SPREAD = (
    "Your queries run along the positions of the source: position j of every sentence gets the "
    "query of sentence j. Give the query an axis for the source, (B, 1, ...), so that query b "
    "meets all states of sentence b."
)


@later
def look_back_mistakes(scores: Tensor, H: Tensor, lengths: Tensor) -> dict[str, Seen]:
    """What known mistakes make of a look at the real states: message → (context, weights)."""
    S = scores.shape[1]
    place, length = torch.arange(S), lengths[:, None]
    real = place < length
    plain, right = scores.softmax(-1), _masked(scores, real)
    padded = bool((~real).any())
    found: dict[str, Seen] = {}
    if padded:
        found = {
            "Your code gives weight to padding, where nothing was read. Set its scores to "
            "-∞ before the softmax.": _seen(plain, H),
            "The padding is taken out after the softmax, so the weights that are left no longer "
            "sum to 1. Mask its scores before the softmax.": (_seen(plain * real, H)),
            "Your code sets the scores of the padding to 0, and exp(0) = 1 is not a small "
            "weight. Set them to -∞.": _seen((scores * real).softmax(-1), H),
            "The mask is the wrong way round: the padding is seen and the real states are "
            "hidden.": (_seen(_masked(scores, ~real), H)),
            "Your code puts the padding first. The real states come first.": (
                _seen(_masked(scores, place >= S - length), H)
            ),
            "One position too many is seen: a source of n words fills positions 0 to n - 1.": (
                _seen(_masked(scores, place <= length), H)
            ),
            "You set the states of the padding to zero, but they still take their share of the "
            "weight. Mask their scores instead.": ((_mix(plain, H * real[..., None]), plain)),
            "Your code cuts all sources to the shortest of the batch.": (
                _seen(_masked(scores, place < lengths.min()), H)
            ),
        }
    found |= {
        "One position too few is seen: a source of n words fills positions 0 to n - 1.": (
            _seen(_masked(scores, place < (length - 1).clamp(min=1)), H)
        ),
        "Your weights sum to 1 over the sentences of the batch, not over the source: which "
        "dimension does your softmax run over?": _seen(
            scores.masked_fill(~real, -torch.inf).softmax(0).nan_to_num(), H
        ),
        "The softmax is missing: the scores themselves weigh the states.": (
            _seen(scores.masked_fill(~real, 0.0), H)
        ),
        "The weights are not applied: your context is the plain mean of the real states.": (
            (_mix(real / length, H), None)
        ),
        "The weights are not applied: your context is the plain mean of all positions.": (
            (H.mean(1), None)
        ),
        "The weights are not applied: your context is the plain sum of the states.": (
            (H.sum(1), None)
        ),
        "Your context is the state with the largest weight. It must be the weighted average of "
        "all states.": (H[torch.arange(len(H)), right.argmax(-1)], None),
        "Your context is divided by the number of states: the weights already sum to 1.": (
            (_mix(right, H) / length, None)
        ),
        "Your context is not summed over the source: it must be one vector for each sentence.": (
            (right[..., None] * H, None)
        ),
        "You return the scores as the weights.": (None, scores),
    }
    return others(found, (_mix(right, H), right))


@later
def step_mistakes(
    y: Tensor,
    s: Tensor,
    H: Tensor,
    W_y: Tensor,
    W_s: Tensor,
    b: Tensor,
    W_a: Tensor,
    W_t: Tensor,
    W_U: Tensor,
) -> dict[str, Step]:
    """What known mistakes make of a step of the decoder: message → (logits, new state, weights)."""

    def step(
        new: Tensor | None = None,
        asks: Tensor | None = None,
        weights: Tensor | None = None,
        turned: bool = False,
        squash: bool = True,
    ) -> tuple[Tensor, Tensor, Tensor]:
        new = torch.tanh(y @ W_y + s @ W_s + b) if new is None else new
        asks = new if asks is None else asks
        if weights is None:
            weights = ((asks @ W_a)[:, None] * H).sum(-1).softmax(-1)
        c = _mix(weights, H)
        t = torch.cat([new, c] if turned else [c, new], dim=-1) @ W_t
        return (t.tanh() if squash else t) @ W_U, new, weights

    logits, new, weights = right = step()
    t = torch.cat([_mix(weights, H), new], dim=-1) @ W_t
    scores = ((new @ W_a)[:, None] * H).sum(-1)
    S = H.shape[1]
    found: dict[str, Step] = {
        "Your query is the old state, as in Bahdanau's order. In this step the new state s', "
        "which the cell returns, is the query.": step(asks=s),
        "Your cell has no tanh around its sum.": step(new=y @ W_y + s @ W_s + b),
        "The bias b is missing from your cell.": step(new=torch.tanh(y @ W_y + s @ W_s)),
        "The old state is missing from your cell: the step forgets what was written before.": (
            step(new=torch.tanh(y @ W_y + b))
        ),
        "The word just read is missing from your cell.": step(new=torch.tanh(s @ W_s + b)),
        "Your cell does not compute a new state: you return the old one.": step(new=s),
        "You return t, the state joined with the context, as the new state. The next step "
        "starts from s'.": (logits, t.tanh() if t.shape == new.shape else None, weights),
        "Context and state are in the wrong order: it is [c; s'], the context first.": (
            step(turned=True)
        ),
        "The tanh around [c; s'] W_t is missing.": step(squash=False),
        "Your logits have been through a softmax. Return the logits themselves.": (
            (logits.softmax(-1), new, weights)
        ),
        "Your logits have been through a log-softmax. Return the logits themselves.": (
            (logits.log_softmax(-1), new, weights)
        ),
        "You return the scores, before the softmax, as the weights.": (logits, new, scores),
        "The softmax is missing: the scores themselves weigh the states.": step(weights=scores),
        "Your code gives every state of the source the same weight. Where does the query come "
        "in?": (step(weights=torch.full_like(scores, 1 / S))),
        "Your weights sum to 1 over the sentences of the batch, not over the source: which "
        "dimension does your softmax run over?": step(weights=scores.softmax(0)),
        "The scores are divided by the root of a width. These scores are not scaled.": (
            step(weights=(scores * H.shape[-1] ** -0.5).softmax(-1))
        ),
    }
    if W_s.shape[0] == H.shape[-1]:
        found["W_a is missing from your scores: this is s' · h, the score called dot."] = step(
            weights=(new[:, None] * H).sum(-1).softmax(-1)
        )
    return others(found, right)


@later
def loss_mistakes(logits: Tensor, target: Tensor, pad: int) -> dict[str, Tensor]:
    """What known mistakes make of the mean of -log P over the real words: message → loss.

    Parameters
    ----------
    logits, target:
        ``(B, T, V)`` and ids ``(B, T + 1)``.
    pad:
        The id of padding in ``target``.
    """
    log_p = logits.log_softmax(-1)

    def of(words: Tensor, by: Tensor = log_p) -> Tensor:
        return -by.gather(-1, words[..., None])[..., 0]  # (B, T)

    says, reads = target[:, 1:], target[:, :-1]
    real = says != pad
    each = of(says).where(real, 0.0)
    sums, counts = each.sum(1), real.sum(1)
    right = sums.sum() / counts.sum()
    last = real & ~torch.nn.functional.pad(real, (0, 1))[:, 1:]  # where </s> is said
    found = {
        "Your code counts the padding. It is not a word, so leave it out of the sum and out of "
        "the number that you divide by.": of(says).mean(),
        "The padding is out of your sum, but you divide by all positions: divide by the number of "
        "real words.": each.mean(),
        "This is the mean over sentences of each sentence's own mean, so a word of a "
        "short sentence counts more. Every real word must count the same.": (sums / counts).mean(),
        "This is the sum over each sentence, averaged over the sentences: divide by the number "
        "of real words.": sums.mean(),
        "Your loss is the sum over the words. Return their mean.": sums.sum(),
        "You compare each prediction with the word just read, so the model would learn to "
        "repeat it. The prediction at position t is for word t + 1 of the target.": of(reads)[
            reads != pad
        ].mean(),
        "You compare each prediction with the word just read, and leave padding out by the next "
        "word. Shift the target by one: target[:, 1:].": of(reads)[real].mean(),
        "The sign is wrong: this grows as the model gets better.": -right,
        "The softmax is missing: these are the logits themselves, not log-probabilities.": (
            of(says, logits)[real].mean()
        ),
        "The logarithm is missing: these are the probabilities themselves.": (
            of(says, log_p.exp())[real].mean()
        ),
        "Your softmax runs over the positions. It must run over the words.": of(
            says, logits.log_softmax(1)
        )[real].mean(),
        "You take e to the power of the loss: that is the perplexity.": right.exp(),
        "Your loss is in bits: take the natural logarithm.": right / torch.tensor(2.0).log(),
        "The end of a sentence is left out. </s> must be predicted, too, or the model never "
        "learns to stop.": of(says)[real & ~last].mean(),
        "You return one loss for each sentence. Return one for the whole batch.": sums / counts,
        "You return one loss for each word. Return their mean.": each,
        "Padding has the id `pad`, which is not always 0.": of(says)[says != 0].mean(),
    }
    return others(found, right)


@later
def padding_mistakes(
    X: Tensor, lengths: Tensor, W_x: Tensor, W_h: Tensor, b: Tensor
) -> dict[str, Step]:
    """What known mistakes make of the start of a translation: message → (state, context, weights).

    ``X`` are the words' vectors ``(B, S, D)``, those after the first ``lengths`` padding; the last
    state asks all states by their dot product with it.
    """
    h, states = X.new_zeros(len(X), W_h.shape[0]), []
    for x in X.unbind(1):
        h = torch.tanh(x @ W_x + h @ W_h + b)
        states.append(h)
    H = torch.stack(states, dim=1)  # (B, S, Dh)
    B, S, _ = H.shape
    real = torch.arange(S) < lengths[:, None]
    blank = H * real[..., None]
    last = H[torch.arange(B), lengths - 1]

    def ask(s: Tensor, memory: Tensor, seen: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        scores = (s[:, None] * memory).sum(-1)
        weights = scores.softmax(-1) if seen is None else _masked(scores, seen)
        return s, _mix(weights, memory), weights

    found: dict[str, Step] = {
        "Nothing has changed: you return the state after the padding, and padding still gets "
        "weight.": ask(h, blank, None),
        "The weights leave out the padding now, but you still return, or ask with, the state "
        "after the padding. Take the state after the last real word.": ask(h, H, real),
        "The state is right now, but padding still gets weight: a state of zeros has the score "
        "0, and exp(0) = 1.": ask(last, blank, None),
        "The state is right now, but padding still gets weight, as if it were words.": (
            ask(last, H, None)
        ),
        "You take the state at the last position of the batch after setting padding to zero, so a "
        "short source starts with zeros. Take the state after its last real word.": ask(
            blank[:, -1], H, real
        ),
        "The state is the one before the last word: the last of n words is at position n - 1.": (
            ask(H[torch.arange(B), (lengths - 2).clamp(min=0)], H, real)
        ),
        "The state has already read one padding token: the last of n words is at position n - 1.": (
            ask(H[torch.arange(B), lengths.clamp(max=S - 1)], H, real)
        ),
        "You average the states. The decoder starts from the state after the last real word.": (
            ask(blank.sum(1) / lengths[:, None], H, real)
        ),
        "The padding is taken out after the softmax, so the weights that are left no longer sum "
        "to 1. Mask its scores before the softmax.": _unshared(last, H, real),
    }
    return others(found, ask(last, H, real))


def _unshared(s: Tensor, H: Tensor, real: Tensor) -> Step:
    weights = (s[:, None] * H).sum(-1).softmax(-1) * real
    return s, _mix(weights, H), weights


def _masked(scores: Tensor, seen: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~seen, lowest).softmax(-1).masked_fill(~seen, 0.0)


def _mix(weights: Tensor, H: Tensor) -> Tensor:
    return (weights[..., None] * H).sum(1)


def _seen(weights: Tensor, H: Tensor) -> Seen:
    return _mix(weights, H), weights
