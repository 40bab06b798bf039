"""Mistakes in hiding words and in judging who guesses them, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others

#: What the model reads, and where it is judged; ``None`` for a part that the mistake leaves right.
Hidden = tuple[Tensor | None, Tensor | None]

#: The loss of the words, and that of the next text.
Losses = tuple[Tensor | None, Tensor | None]


@later
def corrupt_mistakes(
    ids: Tensor,
    candidates: Tensor,
    choice: Tensor,
    kind: Tensor,
    words: Tensor,
    mask: int,
    share: float,
) -> dict[str, Hidden]:
    """What known mistakes make of words to be guessed: message → (what is read, chosen).

    Parameters
    ----------
    ids, candidates:
        ``(B, T)``, and which of them may be chosen.
    choice, kind, words:
        A draw from [0, 1) for each position, by which it is chosen; one by which it is replaced;
        and a random word.
    mask, share:
        The id of [MASK], and the share to choose.
    """

    def hide(chosen: Tensor, below: float = 0.8, above: float = 0.9, by: Tensor = kind) -> Tensor:
        read = ids.where(~(chosen & (by >= below) & (by < above)), words)
        return read.masked_fill(chosen & (by < below), mask)

    def nudged(*bounds: tuple[float, float]) -> Tensor:
        """As if each draw that is just a bound lay elsewhere."""
        by = kind
        for at, to in bounds:
            by = by.where(kind != at, to)
        return hide(chosen, by=by)

    chosen = candidates & (choice < share)
    read = hide(chosen)
    everywhere = torch.ones_like(chosen)
    masked = chosen & (kind < 0.8)
    found: dict[str, Hidden] = {
        "You choose special tokens or padding, too. Only candidates may be chosen.": (
            (hide(choice < share), choice < share)
        ),
        "You choose only special tokens and padding. candidates is True where a token may be "
        "chosen.": ((hide(~candidates & (choice < share)), ~candidates & (choice < share))),
        "A draw equal to the share does not count: c < share.": (
            (hide(candidates & (choice <= share)), candidates & (choice <= share))
        ),
        "You choose all candidates. Choose only those whose draw is below the share.": (
            (hide(candidates), candidates)
        ),
        "You choose the wrong ones: choose a position if its draw is below the share.": (
            (hide(candidates & (choice >= share)), candidates & (choice >= share))
        ),
        "Your share is a fixed 0.15. Use the argument.": (
            (hide(candidates & (choice < 0.15)), candidates & (choice < 0.15))
        ),
        "You replace words wherever k says so, chosen or not. Replace only chosen ones.": (
            (hide(everywhere), None)
        ),
        "Every chosen word becomes [MASK]. If 0.8 ≤ k, it must not.": (hide(chosen, 1.0), None),
        "No chosen word stays unchanged. If 0.9 ≤ k, it must.": (hide(chosen, 0.8, 1.0), None),
        "No chosen word becomes a random one. If 0.8 ≤ k < 0.9, it must.": (
            (hide(chosen, 0.8, 0.8), None)
        ),
        "A k of exactly 0.8 does not give [MASK]: [MASK] if k < 0.8.": (nudged((0.8, 0.0)), None),
        "A k of exactly 0.9 does not give a random word: a random word if 0.8 ≤ k < 0.9.": (
            (nudged((0.9, 0.85)), None)
        ),
        "The limits 0.8 and 0.9 belong to the next case: [MASK] if k < 0.8, a random word if "
        "0.8 ≤ k < 0.9.": (nudged((0.8, 0.0), (0.9, 0.85)), None),
        "A k of exactly 0.8 gives a random word: 0.8 ≤ k < 0.9.": ((nudged((0.8, 0.95)), None)),
        "Random words and unchanged words are swapped: random if 0.8 ≤ k < 0.9.": (
            (ids.where(~(chosen & (kind >= 0.9)), words).masked_fill(masked, mask), None)
        ),
        "Your code turns a tenth into [MASK] and leaves eight tenths as they are. Swap "
        "the two shares.": ((hide(chosen, 0.1, 0.2), None)),
        "Your code turns eight tenths into random words. They become [MASK].": (
            (
                ids.where(~masked, words).masked_fill(chosen & (kind >= 0.8) & (kind < 0.9), mask),
                None,
            )
        ),
        "You use one draw for both. c says whether a word is chosen, k what becomes of it.": (
            (hide(chosen, by=choice / share if share else choice), None)
        ),
        "A chosen word that stays unchanged is still chosen: the model must predict it.": (
            (None, read != ids)
        ),
        "You return only the words that became [MASK] as chosen. The other chosen words count, "
        "too.": ((None, masked)),
        "You return the positions that are not chosen.": (None, ~chosen),
        "You return the ids unchanged.": (ids, None),
    }
    return others(found, (read, chosen))


@later
def loss_mistakes(logits: Tensor, ids: Tensor, chosen: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the mean of -log P over the chosen positions: message → loss.

    Parameters
    ----------
    logits, ids, chosen:
        ``(B, T, V)``, the words that stood there ``(B, T)``, and where the model is asked.
    """

    def of(by: Tensor) -> Tensor:
        return -by.gather(-1, ids[..., None])[..., 0]

    log_p = logits.log_softmax(-1)
    each = of(log_p)
    some, n = chosen.any(), chosen.sum().clamp(min=1)
    rows = chosen.any(1)
    right = (each * chosen).sum() / n
    found = {
        "Your sum leaves out the other positions, but you divide by all of them. Divide by the "
        "number of chosen positions.": (each * chosen).mean(),
        "All positions are in your sum, though you divide by the number of chosen "
        "positions.": each.sum() / n,
        "Your loss is the sum over the chosen positions. Return their mean.": (
            (each * chosen).sum()
        ),
        "This is the sum over each text, averaged over the texts. Divide by the number of "
        "chosen positions.": (each * chosen).sum() / len(ids),
        "The sign is wrong: this grows as the model gets better.": -right,
        "The softmax is missing: these are the logits themselves, not log-probabilities.": (
            (of(logits) * chosen).sum() / n
        ),
        "The logarithm is missing: these are the probabilities themselves.": (
            (of(log_p.exp()) * chosen).sum() / n
        ),
        "Your softmax runs over the positions. It must run over the words.": (
            of(logits.log_softmax(1)) * chosen
        ).sum()
        / n,
        "Your loss is in bits: take the natural logarithm.": right / torch.tensor(2.0).log(),
        "You return e to the power of the loss, the perplexity.": right.exp(),
        "You return one loss for each position. Return their mean.": each * chosen,
    }
    if some:
        share = (each * chosen).sum(1)[rows] / chosen.sum(1)[rows]
        found |= {
            "Your code counts all positions. At a position that is not chosen, the model sees the "
            "word that it would have to predict.": each.mean(),
            "You count the positions that are not chosen, and leave out the chosen ones.": (
                (each * ~chosen).sum() / (~chosen).sum().clamp(min=1)
            ),
            "This is the mean over texts of each text's own mean, so a position in a text "
            "with few chosen ones counts more. Every chosen position must count the same.": (
                share.mean()
            ),
            "You return one loss for each text. Return one for the whole batch.": share,
        }
        if not rows.all():
            found[
                "This is the mean over texts of each text's own mean, with 0 for a text without "
                "a chosen position. Every chosen position must count the same."
            ] = share.sum() / len(ids)
    else:
        found[
            (
                "Your code counts positions that were not chosen. Here no position is chosen, so "
                "the loss is 0."
            )
        ] = each.mean()
    return others(found, right)


@later
def pretraining_mistakes(
    logits: Tensor, words: Tensor, weights: Tensor, follows: Tensor, truth: Tensor
) -> dict[str, Losses]:
    """What known mistakes make of the two losses of pre-training: message → (words, next).

    Parameters
    ----------
    logits, words, weights:
        Guesses ``(B, P, V)`` at the slots, the words that stood there, and 1 for a slot in use.
    follows, truth:
        Logits ``(B, 2)``, and whether the second text follows the first.
    """
    each = -logits.log_softmax(-1).gather(-1, words[..., None])[..., 0]
    used, n = each * weights, weights.sum().clamp(min=1)
    of_next = -follows.log_softmax(-1).gather(-1, truth[:, None])[:, 0]
    yes, no = truth == 1, truth == 0
    rows = weights.sum(1) > 0
    right = used.sum() / n, of_next.mean()
    found: dict[str, Losses] = {
        "What is the shape of your product? N losses (N,) times weights (N, 1) broadcast to (N, "
        "N), so every loss meets every weight. Give both the same shape.": ((each.sum(), None)),
        "Your sum leaves out the empty slots, but you divide by all slots. Divide by the number "
        "of slots in use.": (used.mean(), None),
        "Your loss of the words is the sum. Divide by the number of slots in use.": (
            (used.sum(), None)
        ),
        "This is the sum over each text, averaged over the texts. Divide by the number of slots "
        "in use.": (used.sum() / len(words), None),
        "This is the mean over texts of each text's own mean. Every slot in use must count the "
        "same.": ((used.sum(1)[rows] / weights.sum(1)[rows]).mean() if rows.any() else None, None),
        "The loss of the next text is the sum over the batch. Return its mean.": (
            (None, of_next.sum())
        ),
        "You leave the answer 0, that the second text does not follow, out of the sum, but "
        "divide by all texts.": (None, (of_next * yes).mean()),
        "The answer 1 is left out now. Both answers count.": (
            (None, of_next[no].mean() if no.any() else None)
        ),
        "The answers are the wrong way round: 1 = the second text follows the first.": (
            (None, -follows.log_softmax(-1).gather(-1, 1 - truth[:, None]).mean())
        ),
        "The two losses are swapped: words first.": (right[1], right[0]),
    }
    if rows.any():
        found |= {
            "That is what `published_loss` returns. Once the mean over all slots is taken, no "
            "factor can remove the empty slots. Leave them out before you take the mean.": (
                each.mean(),
                None,
            ),
            "You count the empty slots, and leave out those in use.": (
                ((each * (1 - weights)).sum() / (1 - weights).sum().clamp(min=1), None)
            ),
        }
    else:
        found[
            ("Your code counts empty slots. Here no slot is in use, so the loss of the words is 0.")
        ] = (
            each.mean(),
            None,
        )
    if yes.any():
        found |= {
            "You still ignore the answer 0, as `published_loss` does. 0 means padding among the "
            "words, but among the answers it means that the second text does not follow.": (
                (None, of_next[yes].mean())
            )
        }
    return others(found, right)
