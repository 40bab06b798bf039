"""Mistakes in recurrent nets, in backpropagation through time and in clipping, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

import torch
from torch import Tensor

from coursework.mistakes.later import later

Step = Callable[[Tensor, Tensor], Tensor]


@later
def state_mistakes(x: Tensor, h: Tensor, W: Tensor, U: Tensor, b: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of a plain net's states ``(B, T, Dh)``: message → states.

    Parameters
    ----------
    x, h:
        Tokens ``(B, T, d)`` and the states ``(B, Dh)`` to start from.
    W, U, b:
        ``(d, Dh)``, ``(Dh, Dh)`` and ``(Dh,)``.
    """

    def run(step: Step, start: Tensor = h, x: Tensor = x) -> Tensor:
        return torch.stack(_along(step, x.unbind(1), start), dim=1)

    def right(x_t: Tensor, state: Tensor) -> Tensor:
        return torch.tanh(x_t @ W + state @ U + b)

    states = run(right)
    backwards = run(right, x=x.flip(1))
    found = {
        "The tanh is missing: these are the sums themselves.": run(
            lambda x_t, state: x_t @ W + state @ U + b
        ),
        "This is a sigmoid: the state goes through a tanh, which lies between -1 and 1.": run(
            lambda x_t, state: torch.sigmoid(x_t @ W + state @ U + b)
        ),
        "This is a ReLU: the state goes through a tanh.": run(
            lambda x_t, state: torch.relu(x_t @ W + state @ U + b)
        ),
        "The state of the step before is missing: without h U each token is on its own.": run(
            lambda x_t, state: torch.tanh(x_t @ W + b)
        ),
        "The token is missing: where does x W come in?": run(
            lambda x_t, state: torch.tanh(state @ U + b)
        ),
        "Your code starts every step from the first state. A step starts from what the "
        "step before it left.": run(lambda x_t, state: torch.tanh(x_t @ W + h @ U + b)),
        "You start from zeros: the state to start from is an input.": run(
            right, torch.zeros_like(h)
        ),
        "The bias is missing.": run(lambda x_t, state: torch.tanh(x_t @ W + state @ U)),
        "The bias counts twice: PyTorch's own cells have two, the formula has one.": run(
            lambda x_t, state: torch.tanh(x_t @ W + state @ U + 2 * b)
        ),
        "U is turned round: states are rows here, so it is h U.": run(
            lambda x_t, state: torch.tanh(x_t @ W + state @ U.mT + b)
        ),
        "The tanh goes round the whole sum; yours leaves h U outside.": run(
            lambda x_t, state: torch.tanh(x_t @ W + b) + state @ U
        ),
        "The old state is kept and the new one added to it: the formula writes over it.": run(
            lambda x_t, state: state + right(x_t, state)
        ),
        "This is the last state alone: the states after all tokens are asked for.": states[:, -1],
        "Your states are one step early: the first must have read the first token.": torch.cat(
            [h[:, None], states[:, :-1]], dim=1
        ),
        "T + 1 states come back: the one you start from is not among those asked for.": torch.cat(
            [h[:, None], states], dim=1
        ),
        "All your states are the last one: a tensor that is changed in place changes in your list "
        "too.": states[:, -1:].expand_as(states),
        "You read from the last token to the first.": backwards,
        "You read from the last token to the first, and put the states in order again.": (
            backwards.flip(1)
        ),
        "Your axes are (T, B, Dh): the batch stands first, (B, T, Dh).": states.transpose(0, 1),
    }
    if W.shape == U.shape:
        found["W and U have changed places: W meets the token, U the state."] = run(
            lambda x_t, state: torch.tanh(x_t @ U + state @ W + b)
        )
    return {message: wrong for message, wrong in found.items() if not torch.equal(wrong, states)}


State = tuple[Tensor, Tensor]


@later
def lstm_mistakes(
    x_t: Tensor, h: Tensor, c: Tensor, W: Tensor, U: Tensor, b: Tensor
) -> dict[str, State]:
    """What known mistakes make of one step of an LSTM: message → ``(h, c)``, ``(B, Dh)`` each.

    Parameters
    ----------
    x_t, h, c:
        A token ``(B, d)``, and the state and the cell ``(B, Dh)`` before it.
    W, U, b:
        ``(d, 4 Dh)``, ``(Dh, 4 Dh)`` and ``(4 Dh,)``, in the order i, f, g, o.
    """
    sums = x_t @ W + h @ U + b
    i, f, g, o = sums.chunk(4, dim=-1)
    sigma, tanh = torch.sigmoid, torch.tanh

    def step(i: Tensor, f: Tensor, g: Tensor, o: Tensor) -> State:
        cell = sigma(f) * c + sigma(i) * tanh(g)
        return sigma(o) * tanh(cell), cell

    def of(sums: Tensor) -> State:
        return step(*sums.chunk(4, dim=-1))

    def shown(cell: Tensor) -> State:
        return sigma(o) * tanh(cell), cell

    new_h, new_c = step(i, f, g, o)
    found: dict[str, State] = {
        "The cell before is forgotten altogether: f ⊙ c is missing from the new cell.": shown(
            sigma(i) * tanh(g)
        ),
        "The forget gate is missing: it is f ⊙ c, not c.": shown(c + sigma(i) * tanh(g)),
        "The input gate is missing: it is i ⊙ g, not g.": shown(sigma(f) * c + tanh(g)),
        "You take 1 - f for the input gate, as a GRU would: i is a gate of its own.": shown(
            sigma(f) * c + (1 - sigma(f)) * tanh(g)
        ),
        "You take 1 - i for the forget gate: f is a gate of its own.": shown(
            (1 - sigma(i)) * c + sigma(i) * tanh(g)
        ),
        "The forget gate is turned round: where f is 1 the cell stays.": shown(
            (1 - sigma(f)) * c + sigma(i) * tanh(g)
        ),
        "The cell and the new content are multiplied: they are added.": shown(
            sigma(f) * c * sigma(i) * tanh(g)
        ),
        "The new content g goes through a tanh, not through a sigmoid: a cell must be able to go "
        "down as well.": shown(sigma(f) * c + sigma(i) * sigma(g)),
        "Your new content has no tanh.": shown(sigma(f) * c + sigma(i) * g),
        "Sigmoid and tanh have changed places: gates lie between 0 and 1, the new content between "
        "-1 and 1.": (
            tanh(o) * sigma(tanh(f) * c + tanh(i) * sigma(g)),
            tanh(f) * c + tanh(i) * sigma(g),
        ),
        "Your gates go through a tanh: a gate lies between 0 and 1.": (
            tanh(o) * tanh(tanh(f) * c + tanh(i) * tanh(g)),
            tanh(f) * c + tanh(i) * tanh(g),
        ),
        "The state shows the cell without its tanh: h = o ⊙ tanh(c).": (sigma(o) * new_c, new_c),
        "The state goes through a sigmoid: h = o ⊙ tanh(c).": (sigma(o) * sigma(new_c), new_c),
        "The output gate is missing: h = o ⊙ tanh(c).": (tanh(new_c), new_c),
        "The output gate stands inside the tanh: h = o ⊙ tanh(c).": (tanh(sigma(o) * new_c), new_c),
        "The state shows the cell of the step before: it is the new one that is shown.": (
            sigma(o) * tanh(c),
            new_c,
        ),
        "The cell comes back through the output gate: what is gated is the state alone.": (
            new_h,
            new_h,
        ),
        "State and cell come back in the other order: (h, c) is asked for.": (new_c, new_h),
        "The cell that comes back is the old one.": (new_h, c),
        "The gates do not look at the state: h U is missing.": of(x_t @ W + b),
        "The gates do not look at the token: x W is missing.": of(h @ U + b),
        "The bias is missing.": of(x_t @ W + h @ U),
        "The bias counts twice: PyTorch's own cells have two, the formula has one.": of(sums + b),
        "The gates look at the cell: it is the state h that U meets.": of(x_t @ W + c @ U + b),
        "A 1 is added to the forget gate's sum: how its bias starts is the weights' affair.": step(
            i, f + 1, g, o
        ),
        "Your blocks are interleaved: each gate's numbers stand side by side, Dh of them, and then "
        "come those of the next.": step(*sums.unflatten(-1, (-1, 4)).unbind(-1)),
    }
    gates = {"i": i, "f": f, "g": g, "o": o}
    for order in permutations("ifgo"):
        if order != tuple("ifgo"):
            read_as = dict(zip(order, gates.values(), strict=True))
            message = f"You read the blocks as {', '.join(order)}: they stand in the order "
            found[message + "i, f, g, o."] = step(*(read_as[name] for name in "ifgo"))
    return {
        message: wrong
        for message, wrong in found.items()
        if not (torch.equal(wrong[0], new_h) and torch.equal(wrong[1], new_c))
    }


Gradients = tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None]


@later
def through_time_mistakes(
    x: Tensor, W: Tensor, U: Tensor, b: Tensor, G: Tensor
) -> dict[str, Gradients]:
    """What known mistakes make of a plain net's gradients: message → those of x, W, U and b.

    ``None`` where that part tells nothing.

    Parameters
    ----------
    x:
        The tokens ``(T, d)`` of one sequence; the net starts from zeros.
    W, U, b:
        ``(d, Dh)``, ``(Dh, Dh)`` and ``(Dh,)``.
    G:
        ``(T, Dh)``, what the loss of each step says of that step's state directly.
    """
    T, zeros = len(x), x.new_zeros(len(U))
    h = torch.stack(_along(lambda x_t, h: torch.tanh(x_t @ W + h @ U + b), x, zeros))
    before, after = torch.cat([zeros[None], h[:-1]]), torch.cat([h[1:], zeros[None]])
    last = torch.zeros_like(G)
    last[-1] = G[-1]

    def deltas(
        slope: Tensor = 1 - h**2,
        way: Tensor = U.mT,
        G: Tensor = G,
        sent: Callable[[Tensor, Tensor], Tensor] = lambda delta, dh: delta,
    ) -> Tensor:
        found, later = [], zeros
        for t in reversed(range(T)):
            dh = G[t] + later
            found.append(dh * slope[t])
            later = sent(found[-1], dh) @ way
        return torch.stack(found[::-1])

    def of(delta: Tensor, met: Tensor = before) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return delta @ W.mT, x.mT @ delta, met.mT @ delta, delta.sum(0)

    def weights_of(t: int) -> Gradients:
        only = torch.zeros_like(right)
        only[t] = right[t]
        return (dx, *of(only)[1:])

    right = deltas()
    dx, dW, dU, db = of(right)
    found: dict[str, Gradients] = {
        "The sign is wrong: these point to where the loss falls.": (-dx, -dW, -dU, -db),
        "The tanh is left out on the way back: its slope is 1 - h².": of(
            deltas(slope=torch.ones_like(h))
        ),
        "The slope of the tanh is 1 - h²; you take 1 - h.": of(deltas(slope=1 - h)),
        "You take the slope of a sigmoid, h (1 - h): that of the tanh is 1 - h².": of(
            deltas(slope=h * (1 - h))
        ),
        "The slope of the tanh is 1 - h², as h is a tanh already; you take the tanh again.": of(
            deltas(slope=1 - h.tanh() ** 2)
        ),
        "You take the tanh's slope at the state before the step: it is taken at the step's own, "
        "1 - h_t².": of(deltas(slope=1 - before**2)),
        "On the way back U must be turned round: the gradient of the state before is δ Uᵀ.": of(
            deltas(way=U)
        ),
        "From step to step it is δ that goes back through Uᵀ: you send on what arrived at the "
        "state, before the slope of the tanh.": of(deltas(sent=lambda delta, dh: dh)),
        "No step hears of what comes after it: the way back through Uᵀ is missing.": of(
            deltas(sent=lambda delta, dh: torch.zeros_like(delta))
        ),
        "Only the last row of G is used: every step has its own part in the loss, and adds its row "
        "to what comes back from the next step.": of(deltas(G=last)),
        "The gradient of x is δ itself: a token meets W, so it is δ Wᵀ.": (right, None, None, None),
        "U meets the state before the step: its gradient is made of h_{t-1} and δ_t, yours of h_t "
        "and δ_t.": (None, None, of(right, h)[2], None),
        "U meets the state before the step: its gradient is made of h_{t-1} and δ_t, yours of "
        "h_{t+1} and δ_t.": (None, None, of(right, after)[2], None),
        "Your gradients of W, U and b are means over the steps. The steps add up.": (
            dx,
            dW / T,
            dU / T,
            db / T,
        ),
        "Of the gradients of W, U and b the first step's part alone is left, the last that you "
        "came to: the steps add up, += and not =.": weights_of(0),
        "Of the gradients of W, U and b the last step's part alone is there: the steps add up.": (
            weights_of(T - 1)
        ),
        "The gradients of W and U are turned round: they have the shapes of W and U.": (
            None,
            dW.mT,
            dU.mT,
            None,
        ),
        "The gradient of b is one row: yours has one for each step, and they are to be added.": (
            None,
            None,
            None,
            right,
        ),
    }
    return found


@later
def clipping_mistakes(gradients: Sequence[Tensor], c: float) -> dict[str, tuple[Tensor, ...]]:
    """What known mistakes make of gradients clipped by their global norm: message → gradients."""
    norms = torch.stack([g.norm() for g in gradients])
    norm = norms.square().sum().sqrt()
    everything = torch.cat([g.flatten() for g in gradients])

    def scaled(norm: Tensor) -> tuple[Tensor, ...]:
        return tuple(g * min(1.0, c / norm.item()) if norm > 0 else g for g in gradients)

    def each(factor: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        return tuple(factor(g) for g in gradients)

    found = {
        "Each gradient is clipped by its own norm: one norm is taken over all of them together, "
        "and one factor, so that the direction stays.": tuple(
            scaled(own)[k] for k, own in enumerate(norms)
        ),
        "Each number is clipped at ±c, which turns the direction: one factor shortens them all.": (
            each(lambda g: g.clamp(-c, c))
        ),
        "Gradients that are short enough are made longer: the factor is never above 1.": each(
            lambda g: g * (c / norm) if norm > 0 else g
        ),
        "Nothing is shortened: where the norm is above c the factor is c / norm.": tuple(gradients),
        "You add the gradients' norms up. The norm of all of them together is the root of the sum "
        "of all squares.": scaled(norms.sum()),
        "You take the largest of the gradients' norms: all of them count together.": scaled(
            norms.max()
        ),
        "The root is missing: you compare c with the sum of the squares.": scaled(norm.square()),
        "You take the largest number for the norm: the norm is the root of the sum of the "
        "squares.": scaled(everything.abs().max()),
        "You add up absolute values: the norm is the root of the sum of the squares.": scaled(
            everything.abs().sum()
        ),
        "You take the mean of the squares: the norm is the root of their sum.": scaled(
            everything.square().mean().sqrt()
        ),
        "What is too long comes out with norm 1: its norm is to be c.": each(
            lambda g: g / norm if norm > c else g
        ),
        "What is too long is dropped: it is to be shortened, to norm c.": each(
            lambda g: torch.zeros_like(g) if norm > c else g
        ),
        **{
            f"You divide by the norm plus {small:g}, so what comes out is a little shorter than c. "
            "Only a norm of 0 needs care, and there the factor is 1.": scaled(norm + small)
            for small in (1e-6, 1e-8)
        },
    }
    right = scaled(norm)
    return {
        message: wrong
        for message, wrong in found.items()
        if not all(map(torch.equal, wrong, right))
    }


def _along(step: Step, x: Iterable[Tensor], state: Tensor) -> list[Tensor]:
    """The states after each token."""
    states = []
    for x_t in x:
        state = step(x_t, state)
        states.append(state)
    return states
