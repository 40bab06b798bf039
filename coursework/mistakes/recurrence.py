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
        "You use a sigmoid. The state goes through a tanh, which lies between -1 and 1.": run(
            lambda x_t, state: torch.sigmoid(x_t @ W + state @ U + b)
        ),
        "You use a ReLU. The state goes through a tanh.": run(
            lambda x_t, state: torch.relu(x_t @ W + state @ U + b)
        ),
        "The previous state is missing. Without h U each token is on its own.": run(
            lambda x_t, state: torch.tanh(x_t @ W + b)
        ),
        "The token is missing. Where does x W come in?": run(
            lambda x_t, state: torch.tanh(state @ U + b)
        ),
        "Your code starts every step from the first state. Start from the state of the step "
        "before.": run(lambda x_t, state: torch.tanh(x_t @ W + h @ U + b)),
        "You start from zeros. The initial state is an input.": run(right, torch.zeros_like(h)),
        "The bias is missing.": run(lambda x_t, state: torch.tanh(x_t @ W + state @ U)),
        "The bias counts twice. PyTorch's own cells have two biases, the formula has one.": run(
            lambda x_t, state: torch.tanh(x_t @ W + state @ U + 2 * b)
        ),
        "U is transposed: states are rows here, so it is h U.": run(
            lambda x_t, state: torch.tanh(x_t @ W + state @ U.mT + b)
        ),
        "Your tanh leaves out h U. Take the tanh of the whole sum.": run(
            lambda x_t, state: torch.tanh(x_t @ W + b) + state @ U
        ),
        "You add the new state to the old one. The formula replaces it.": run(
            lambda x_t, state: state + right(x_t, state)
        ),
        "You return only the last state. Return the states after all tokens.": states[:, -1],
        "Your states are one step early. The first must have read the first token.": torch.cat(
            [h[:, None], states[:, :-1]], dim=1
        ),
        "You return T + 1 states. Leave out the one that you start from.": torch.cat(
            [h[:, None], states], dim=1
        ),
        "All your states are the last one. A tensor that is changed in place changes in your "
        "list, too.": states[:, -1:].expand_as(states),
        "You read from the last token to the first.": backwards,
        "You read from the last token to the first, then reverse the states.": (backwards.flip(1)),
        "Your axes are (T, B, Dh). The batch comes first: (B, T, Dh).": states.transpose(0, 1),
    }
    if W.shape == U.shape:
        found["W and U are swapped: W multiplies the token, U the state."] = run(
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
        "The new cell does not use the old one: f ⊙ c is missing.": shown(sigma(i) * tanh(g)),
        "The forget gate is missing. It is f ⊙ c, not c.": shown(c + sigma(i) * tanh(g)),
        "The input gate is missing. It is i ⊙ g, not g.": shown(sigma(f) * c + tanh(g)),
        "You use 1 - f as the input gate, as a GRU would. i is a separate gate.": shown(
            sigma(f) * c + (1 - sigma(f)) * tanh(g)
        ),
        "You use 1 - i as the forget gate. f is a separate gate.": shown(
            (1 - sigma(i)) * c + sigma(i) * tanh(g)
        ),
        "The forget gate is inverted: where f is 1, the cell stays.": shown(
            (1 - sigma(f)) * c + sigma(i) * tanh(g)
        ),
        "You multiply the cell by the new content. Add them.": shown(
            sigma(f) * c * sigma(i) * tanh(g)
        ),
        "Your new content g goes through a sigmoid. Use a tanh: a cell must be able to "
        "decrease, too.": shown(sigma(f) * c + sigma(i) * sigma(g)),
        "Your new content has no tanh.": shown(sigma(f) * c + sigma(i) * g),
        "Sigmoid and tanh are swapped: gates lie between 0 and 1, the new content between -1 "
        "and 1.": (
            tanh(o) * sigma(tanh(f) * c + tanh(i) * sigma(g)),
            tanh(f) * c + tanh(i) * sigma(g),
        ),
        "Your gates go through a tanh. A gate lies between 0 and 1: use a sigmoid.": (
            tanh(o) * tanh(tanh(f) * c + tanh(i) * tanh(g)),
            tanh(f) * c + tanh(i) * tanh(g),
        ),
        "Your state uses the cell without its tanh. h = o ⊙ tanh(c).": (sigma(o) * new_c, new_c),
        "Your state uses a sigmoid. h = o ⊙ tanh(c).": (sigma(o) * sigma(new_c), new_c),
        "The output gate is missing. h = o ⊙ tanh(c).": (tanh(new_c), new_c),
        "Your output gate is inside the tanh. h = o ⊙ tanh(c).": (tanh(sigma(o) * new_c), new_c),
        "Your state uses the old cell. Use the new one.": (
            sigma(o) * tanh(c),
            new_c,
        ),
        "You apply the output gate to the returned cell. It applies only to the state.": (
            new_h,
            new_h,
        ),
        "You return the cell and the state in the wrong order. Return (h, c).": (new_c, new_h),
        "You return the old cell.": (new_h, c),
        "Your gates ignore the state: h U is missing.": of(x_t @ W + b),
        "Your gates ignore the token: x W is missing.": of(h @ U + b),
        "The bias is missing.": of(x_t @ W + h @ U),
        "The bias counts twice. PyTorch's own cells have two biases, the formula has one.": of(
            sums + b
        ),
        "Your gates use the cell. U multiplies the state h.": of(x_t @ W + c @ U + b),
        "You add 1 to the forget gate's sum. That belongs to the initial bias, not to the "
        "formula.": step(i, f + 1, g, o),
        "Your blocks are interleaved. Each gate's Dh numbers are side by side, followed by "
        "those of the next gate.": step(*sums.unflatten(-1, (-1, 4)).unbind(-1)),
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
        "The tanh is missing from your backward pass. Its slope is 1 - h².": of(
            deltas(slope=torch.ones_like(h))
        ),
        "The slope of the tanh is 1 - h². You use 1 - h.": of(deltas(slope=1 - h)),
        "You use the slope of a sigmoid, h (1 - h). That of the tanh is 1 - h².": of(
            deltas(slope=h * (1 - h))
        ),
        "The slope of the tanh is 1 - h², where h is already a tanh. You take the tanh again.": of(
            deltas(slope=1 - h.tanh() ** 2)
        ),
        "You take the tanh's slope at the state before the step. Take it at the step's own "
        "state, 1 - h_t².": of(deltas(slope=1 - before**2)),
        "U must be transposed in the backward pass: the gradient of the previous state is δ Uᵀ.": (
            of(deltas(way=U))
        ),
        "δ must go back through Uᵀ from step to step. You pass on the gradient at the state, "
        "before the slope of the tanh.": of(deltas(sent=lambda delta, dh: dh)),
        "No step receives a gradient from later steps: the term δ Uᵀ is missing.": of(
            deltas(sent=lambda delta, dh: torch.zeros_like(delta))
        ),
        "You use only the last row of G. Every step has its own part in the loss: add its row "
        "to the gradient from the next step.": of(deltas(G=last)),
        "You return δ as the gradient of x. W multiplies the token, so it is δ Wᵀ.": (
            right,
            None,
            None,
            None,
        ),
        "U multiplies the previous state, so its gradient comes from h_{t-1} and δ_t. Yours "
        "comes from h_t and δ_t.": (None, None, of(right, h)[2], None),
        "U multiplies the previous state, so its gradient comes from h_{t-1} and δ_t. Yours "
        "comes from h_{t+1} and δ_t.": (None, None, of(right, after)[2], None),
        "Your gradients of W, U and b are means over the steps. Take sums.": (
            dx,
            dW / T,
            dU / T,
            db / T,
        ),
        "Your gradients of W, U and b hold only the first step's part, the last that your loop "
        "computes. Add up the steps: += and not =.": weights_of(0),
        "Your gradients of W, U and b hold only the last step's part. Add up the steps.": (
            weights_of(T - 1)
        ),
        "The gradients of W and U are transposed. They have the shapes of W and U.": (
            None,
            dW.mT,
            dU.mT,
            None,
        ),
        "Your gradient of b has a row for each step. Add them up to one row.": (
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
        "You clip each gradient by its own norm. Take one norm over all of them together, and "
        "one factor, so that the direction stays.": tuple(
            scaled(own)[k] for k, own in enumerate(norms)
        ),
        "You clip each number at ±c, which changes the direction. Use one factor for all.": (
            each(lambda g: g.clamp(-c, c))
        ),
        "You lengthen gradients that are short enough. The factor is never above 1.": each(
            lambda g: g * (c / norm) if norm > 0 else g
        ),
        "Nothing is shortened. If the norm is above c, the factor is c / norm.": tuple(gradients),
        "You add up the gradients' norms. The norm of all of them together is the root of the "
        "sum of all squares.": scaled(norms.sum()),
        "You take the largest of the gradients' norms. Take the norm of all of them together.": (
            scaled(norms.max())
        ),
        "The root is missing: you compare c with the sum of the squares.": scaled(norm.square()),
        "You use the largest number as the norm. The norm is the root of the sum of the "
        "squares.": scaled(everything.abs().max()),
        "You add up absolute values. The norm is the root of the sum of the squares.": scaled(
            everything.abs().sum()
        ),
        "You take the mean of the squares. The norm is the root of their sum.": scaled(
            everything.square().mean().sqrt()
        ),
        "Gradients that are too long come out with norm 1. Their norm must be c.": each(
            lambda g: g / norm if norm > c else g
        ),
        "Gradients that are too long are dropped. Shorten them to norm c.": each(
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
