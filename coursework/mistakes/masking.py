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
        A draw from [0, 1) for each place, by which it is chosen; one by which it is replaced; and
        a random word.
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
        "Special tokens or padding are chosen, too: only candidates may be.": (
            (hide(choice < share), choice < share)
        ),
        "Only special tokens and padding are chosen: True = may be chosen.": (
            (hide(~candidates & (choice < share)), ~candidates & (choice < share))
        ),
        "A draw that is just the share is not below it: c < share.": (
            (hide(candidates & (choice <= share)), candidates & (choice <= share))
        ),
        "All candidates are chosen: only those whose draw is below the share are.": (
            (hide(candidates), candidates)
        ),
        "The others are chosen: a place is chosen where its draw is below the share.": (
            (hide(candidates & (choice >= share)), candidates & (choice >= share))
        ),
        "The share is a fixed 0.15: it is an argument.": (
            (hide(candidates & (choice < 0.15)), candidates & (choice < 0.15))
        ),
        "Words are replaced wherever k says so, chosen or not: only the chosen ones are.": (
            (hide(everywhere), None)
        ),
        "Every chosen word becomes [MASK]: where 0.8 ≤ k it does not.": (hide(chosen, 1.0), None),
        "No chosen word stays as it is: where 0.9 ≤ k it does.": (hide(chosen, 0.8, 1.0), None),
        "No chosen word becomes a random one: where 0.8 ≤ k < 0.9 it does.": (
            (hide(chosen, 0.8, 0.8), None)
        ),
        "A k that is just 0.8 is not below it: [MASK] where k < 0.8.": (nudged((0.8, 0.0)), None),
        "A k that is just 0.9 is not below it: a random word where 0.8 ≤ k < 0.9.": (
            (nudged((0.9, 0.85)), None)
        ),
        "A k that is just 0.8 or just 0.9 is not below it: [MASK] where k < 0.8, a random word "
        "where 0.8 ≤ k < 0.9.": (nudged((0.8, 0.0), (0.9, 0.85)), None),
        "A k that is just 0.8 gets a random word, too: 0.8 ≤ k < 0.9.": (
            (nudged((0.8, 0.95)), None)
        ),
        "Random words and words that stay have changed places: random where 0.8 ≤ k < 0.9.": (
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
        "One draw decides both: c says whether a word is chosen, k what becomes of it.": (
            (hide(chosen, by=choice / share if share else choice), None)
        ),
        "A chosen word that stays as it is is chosen all the same: the model is asked for it.": (
            (None, read != ids)
        ),
        "What you return as chosen are the words that became [MASK]: the others are chosen, too.": (
            (None, masked)
        ),
        "What you return as chosen are the places that are not.": (None, ~chosen),
        "What comes back is not changed at all.": (ids, None),
    }
    return others(found, (read, chosen))


@later
def loss_mistakes(logits: Tensor, ids: Tensor, chosen: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the mean of -log P over the chosen places: message → loss.

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
        "The other places are out of your sum, but you divide by all of them: divide by the number "
        "of chosen places.": (each * chosen).mean(),
        "All places are in your sum: it is divided by the number of chosen places.": each.sum() / n,
        "Your loss is the sum over the chosen places: their mean is asked for.": (
            (each * chosen).sum()
        ),
        "This is the sum over a text, averaged over the texts: divide by the number of chosen "
        "places.": (each * chosen).sum() / len(ids),
        "The sign is wrong: this grows as the model gets better.": -right,
        "The softmax is missing: these are the logits themselves, not log-probabilities.": (
            (of(logits) * chosen).sum() / n
        ),
        "The logarithm is missing: these are the probabilities themselves.": (
            (of(log_p.exp()) * chosen).sum() / n
        ),
        "The softmax runs along the wrong axis: it shares out 1 among the places, not among the "
        "words.": (of(logits.log_softmax(1)) * chosen).sum() / n,
        "Your loss is in bits: the logarithm is the natural one.": right / torch.tensor(2.0).log(),
        "You take e to the power of the loss.": right.exp(),
        "You return one loss for each place: their mean is asked for.": each * chosen,
    }
    if some:
        share = (each * chosen).sum(1)[rows] / chosen.sum(1)[rows]
        found |= {
            "Your code counts all places. At those that are not chosen, the model sees "
            "the word that it is asked for.": each.mean(),
            "The places that are not chosen count, and the chosen ones do not.": (
                (each * ~chosen).sum() / (~chosen).sum().clamp(min=1)
            ),
            "This is the mean over texts of each text's own mean, so a place in a text "
            "with few chosen ones counts more. Every chosen place must count the same.": (
                share.mean()
            ),
            "You return one loss for each text: one for the batch is asked for.": share,
        }
        if not rows.all():
            found[
                "This is the mean over texts of each text's own mean, and a text without a chosen "
                "place is in it as 0. Every chosen place counts the same."
            ] = share.sum() / len(ids)
    else:
        found[("Your code counts places that were not chosen. None was, so the loss is 0.")] = (
            each.mean()
        )
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
        "Of what shape is your product? N losses in a row, (N,), times a column of N weights, "
        "(N, 1), is a table (N, N): every loss meets every weight. Both must be of one shape.": (
            (each.sum(), None)
        ),
        "The empty slots are out of your sum, but you divide by all slots: divide by the number of "
        "those in use.": (used.mean(), None),
        "Your loss of the words is the sum: divide by the number of slots in use.": (
            (used.sum(), None)
        ),
        "This is the sum over a text, averaged over the texts: divide by the number of slots in "
        "use.": (used.sum() / len(words), None),
        "This is the mean over texts of each text's own mean: every slot in use counts the same.": (
            ((used.sum(1)[rows] / weights.sum(1)[rows]).mean() if rows.any() else None, None)
        ),
        "The loss of the next text is the sum over the batch: its mean is asked for.": (
            (None, of_next.sum())
        ),
        "The answer 0, that the second text does not follow, is left out of the sum, but you "
        "divide by all texts.": (None, (of_next * yes).mean()),
        "The answer 1 is left out now: both answers count.": (
            (None, of_next[no].mean() if no.any() else None)
        ),
        "The answers are the wrong way round: 1 = the second text follows the first.": (
            (None, -follows.log_softmax(-1).gather(-1, 1 - truth[:, None]).mean())
        ),
        "The two losses have changed places: words first.": (right[1], right[0]),
    }
    if rows.any():
        found |= {
            "That is what `published_loss` gives: a mean over all slots has lost which slot is "
            "which, and what it is multiplied by afterwards only cancels. The empty slots must be "
            "out before the mean is taken.": (each.mean(), None),
            "The empty slots count, and those in use do not.": (
                ((each * (1 - weights)).sum() / (1 - weights).sum().clamp(min=1), None)
            ),
        }
    else:
        found[("Your code counts empty slots. None is in use, so the loss of the words is 0.")] = (
            each.mean(),
            None,
        )
    if yes.any():
        found |= {
            "The answer 0 is still ignored, as in `published_loss`: 0 is padding among the words, "
            "but among the answers it means that the second text does not follow.": (
                (None, of_next[yes].mean())
            )
        }
    return others(found, right)
