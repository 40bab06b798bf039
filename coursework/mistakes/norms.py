"""Mistakes in normalising a token, forward and backward, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. ``x`` are
tokens ``(..., D)``, ``gain`` and ``bias`` are ``(D,)``. Mistakes whose numbers are the same are
told together.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once


@later
def layer_norm_mistakes(x: Tensor, gain: Tensor, bias: Tensor, eps: float) -> dict[str, Tensor]:
    """What known mistakes make of layer norm: message → output."""
    d = x.shape[-1]
    centred, variance = _moments(x, -1)
    unbiased = variance * d / max(d - 1, 1)
    root, distance = (variance + eps).sqrt(), centred.abs().mean(-1, keepdim=True)

    def out(normal: Tensor) -> Tensor:
        return normal * gain + bias

    found = {
        "ε stands outside the root: it is added to the variance, √(σ² + ε), not to σ.": (
            out(centred / (variance.sqrt() + eps))
        ),
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() "
        "and .std() take D - 1 unless told otherwise.": out(centred / (unbiased + eps).sqrt()),
        "The given ε is not added: it is added to the variance, inside the root.": (
            out(centred / variance.sqrt())
        ),
        "The distances from the mean are averaged as they are: the variance is the mean of their "
        "squares.": out(centred / (distance + eps).sqrt()),
        "You take the root of the deviation plus ε, as one of the lectures has it: σ is a root "
        "already. It is the variance σ² that belongs under it.": (
            out(centred / (variance.sqrt() + eps).sqrt())
        ),
        "The root is missing: you divide by the variance.": out(centred / (variance + eps)),
        "You multiply by the root: it divides.": out(centred * root),
        "ε² stands under the root: it is ε itself.": out(centred / (variance + eps**2).sqrt()),
        "The mean is still in it: it is taken away from the numbers, too.": out(x / root),
        "The deviation is missing: only the mean is taken away.": out(centred),
        "This is RMSNorm: layer norm takes the mean away first.": (
            out(x / (x.square().mean(-1, keepdim=True) + eps).sqrt())
        ),
        "Your code adds the squares up. The variance is their mean.": (
            out(centred / (variance * d + eps).sqrt())
        ),
        "The gain is missing.": centred / root + bias,
        "The bias is missing.": centred / root * gain,
        "Gain and bias are missing.": centred / root,
        "Your code multiplies the bias by the gain. Apply the gain first, then add the bias.": (
            (centred / root + bias) * gain
        ),
        "Gain and bias have changed places.": centred / root * bias + gain,
    }
    if eps > 0:
        found[
            "Two slips at once: the squares are divided by D - 1 where it is D, and ε is added to "
            "the deviation where it belongs to the variance, inside the root."
        ] = out(centred / (unbiased.sqrt() + eps))
    for axis, told in ((-2, "over the tokens"), (0, "over the first axis")):
        if x.dim() >= (2 if axis else 3):
            other, spread = _moments(x, axis)
            found[
                f"Mean and variance are taken {told}: each token has its own, over its D numbers, "
                "the last axis."
            ] = out(other / (spread + eps).sqrt())
    if x.dim() == 2 and len(x) == d:
        row = x - x.mean(-1)
        found |= {
            f"keepdim=True is missing with {which}: without it the tokens' numbers lie along the "
            "last axis, and each meets a column where it should meet its token.": out(wrong)
            for which, wrong in (
                ("the mean and the variance", row / (row.square().mean(-1) + eps).sqrt()),
                ("the mean and PyTorch's own variance", row / (variance[:, 0] + eps).sqrt()),
                ("the mean", row / (row.square().mean(-1, keepdim=True) + eps).sqrt()),
                ("the variance", centred / (variance[:, 0] + eps).sqrt()),
            )
        }
    if x.dim() >= 2:
        everything = tuple(range(x.dim()))
        whole, spread = _moments(x, everything)
        found[
            "One mean and one variance are taken over all tokens together: each token has its own."
        ] = out(whole / (spread + eps).sqrt())
    return told_once(others(found, out(centred / root)))


@later
def rms_norm_mistakes(x: Tensor, gain: Tensor, eps: float) -> dict[str, Tensor]:
    """What known mistakes make of RMSNorm: message → output."""
    d = x.shape[-1]
    square = x.square().mean(-1, keepdim=True)
    centred, variance = _moments(x, -1)
    found = {
        "This is layer norm without its bias: RMSNorm leaves the mean where it is.": (
            centred / (variance + eps).sqrt() * gain
        ),
        "The mean is taken out of the squares: RMSNorm takes the mean of the squares themselves, "
        "not the variance.": x / (variance + eps).sqrt() * gain,
        "The root is missing: you divide by the mean square.": x / (square + eps) * gain,
        "ε stands outside the root: it is added to the mean square.": (
            x / (square.sqrt() + eps) * gain
        ),
        "The given ε is not added: it is added to the mean square, inside the root.": (
            x / square.sqrt() * gain
        ),
        "Your code adds the squares up, so it divides by the length of the token. Divide "
        "by the root of their mean.": x / (square * d + eps).sqrt() * gain,
        "The gain is missing.": x / (square + eps).sqrt(),
        "You multiply by the root: it divides.": x * (square + eps).sqrt() * gain,
        "The mean of the absolute values is taken: it is the root of the mean of the squares.": (
            x / (x.abs().mean(-1, keepdim=True) + eps) * gain
        ),
        "Your code squares the mean. Square first, then take the mean.": (
            x / (x.mean(-1, keepdim=True).square() + eps).sqrt() * gain
        ),
        "Your code divides the sum of the squares by D - 1. Divide by D.": (
            x / (square * d / max(d - 1, 1) + eps).sqrt() * gain
        ),
    }
    if x.dim() == 2 and len(x) == d:
        found[
            "keepdim=True is missing: without it the tokens' mean squares lie along the last axis, "
            "and each meets a column where it should meet its token."
        ] = x / (square[:, 0] + eps).sqrt() * gain
    if x.dim() >= 2:
        over_tokens = x.square().mean(-2, keepdim=True)
        whole = x.square().mean()
        found |= {
            "The mean square is taken over the tokens: each token has its own, over its D numbers, "
            "the last axis.": x / (over_tokens + eps).sqrt() * gain,
            "One mean square is taken over all tokens together: each token has its own.": (
                x / (whole + eps).sqrt() * gain
            ),
        }
    return told_once(others(found, x / (square + eps).sqrt() * gain))


Gradients = tuple[Tensor | None, Tensor | None, Tensor | None]
Added = Callable[[Tensor], Tensor]


@later
def backward_mistakes(x: Tensor, gain: Tensor, eps: float, G: Tensor) -> dict[str, Gradients]:
    """What known mistakes make of layer norm's gradients: message → those of x, gain and bias.

    ``None`` where that part tells nothing. ``G`` is the gradient of the output, of x's shape.
    """
    d, leading = x.shape[-1], tuple(range(x.dim() - 1))
    centred, variance = _moments(x, -1)
    root = (variance + eps).sqrt()
    normal, g = centred / root, G * gain

    def mean(values: Tensor) -> Tensor:
        return values.mean(-1, keepdim=True)

    def back(
        g: Tensor = g,
        root: Tensor = root,
        over: float = 1.0,
        normal: Tensor = normal,
        through_s: float = 1.0,
    ) -> Tensor:
        return (g - over * mean(g) - normal * over * through_s * mean(g * normal)) / root

    def added(values: Tensor) -> Tensor:
        return values.sum(leading) if leading else values

    def of_x(dx: Tensor) -> Gradients:
        return dx, None, None

    def of_gain(dgain: Tensor) -> Gradients:
        return None, dgain, None

    right = dx, dgain, dbias = back(), added(G * normal), added(G)
    plain, wide = variance.sqrt(), (variance * d / max(d - 1, 1) + eps).sqrt()
    found: dict[str, Gradients] = {
        "The sign is wrong: these point to where the loss falls.": (-dx, -dgain, -dbias),
        "The mean is taken for a constant: each number moves it a little, and so all others' "
        "outputs.": of_x((g - normal * mean(g * normal)) / root),
        "The deviation is taken for a constant, or its part comes to 0: each number moves it a "
        "little, and so all others' outputs.": of_x((g - mean(g)) / root),
        "Mean and deviation are taken for constants: each number moves both, and so all others' "
        "outputs.": of_x(g / root),
        "The gain is missing on the way back to x: what arrives at x̂ is G ⊙ γ.": of_x(back(G)),
        "Your code applies the gain after the means. It belongs to G from the start, "
        "inside them.": (of_x(gain * back(G))),
        "You add up over the D numbers where a mean is to be taken: one number's part in mean and "
        "variance is 1/D.": of_x(back(over=d)),
        "The part through the deviation has its sign turned round.": of_x(
            (g - mean(g) + normal * mean(g * normal)) / root
        ),
        "The part through the mean has its sign turned round.": of_x(
            (g + mean(g) - normal * mean(g * normal)) / root
        ),
        "The division by √(σ² + ε) is missing on the way back to x.": of_x(dx * root),
        "You divide by σ² + ε: it is its root.": of_x(dx / root),
        "In the part through the deviation x - μ stands where x̂ belongs.": of_x(
            (g - mean(g) - centred * mean(g * centred)) / root
        ),
        "In the part through the deviation x - μ stands for one of the two x̂.": of_x(
            (g - mean(g) - centred * mean(g * normal)) / root
        ),
        "In the part through the deviation x stands where x̂ belongs.": of_x(
            (g - mean(g) - x * mean(g * x)) / root
        ),
        "In the part through the deviation one of the two x̂ is missing.": of_x(
            (g - mean(g) - mean(g * normal)) / root
        ),
        "Your part through the deviation is half as large as it should be: the 2 of the "
        "square and the 1/2 of the root cancel.": of_x(back(through_s=1 / 2)),
        "Your part through the deviation is twice as large as it should be: the 2 of the "
        "square and the 1/2 of the root cancel.": of_x(back(through_s=2.0)),
        "In the part through the deviation you divide by D - 1: a mean is taken, over D.": of_x(
            back(through_s=d / max(d - 1, 1))
        ),
        "In the part through the deviation you add up where a mean is to be taken.": of_x(
            back(through_s=d)
        ),
        "In the part through the mean you add up where a mean is to be taken.": of_x(
            (g - d * mean(g) - normal * mean(g * normal)) / root
        ),
        "In the part through the mean the gain is missing: it takes g = G ⊙ γ.": of_x(
            (g - mean(G) - normal * mean(g * normal)) / root
        ),
        "In the part through the deviation the gain is missing: it takes g = G ⊙ γ.": of_x(
            (g - mean(g) - normal * mean(G * normal)) / root
        ),
        "ε is missing: the root is that of σ² + ε, on the way back too.": (
            *(back(root=plain, normal=centred / plain), added(G * centred / plain)),
            None,
        ),
        "Your code divides the variance by D - 1. Divide by D.": (
            *(back(root=wide, normal=centred / wide), added(G * centred / wide)),
            None,
        ),
        "D - 1 stands where D belongs in the variance.": (
            *_unbiased(centred, variance, eps, g, G, added),
            None,
        ),
        "G itself has the gain in it for γ and β: they take G as it came. Is it multiplied in "
        "place?": (None, added(g * normal), added(g)),
        "The gradient of the gain is made of x: it is x̂ that the gain multiplies.": of_gain(
            added(G * x)
        ),
        "The gradient of the gain is made of x - μ: it is x̂ that the gain multiplies.": of_gain(
            added(G * centred)
        ),
        "The gradient of the gain has the gain in it: y = γ x̂ + β, so it is G x̂.": of_gain(
            added(g * normal)
        ),
        "The gradient of the bias has the gain in it: the bias is added after it.": (
            None,
            None,
            added(g),
        ),
        "The gradients of gain and bias have changed places.": (None, dbias, dgain),
        "Your three gradients are those of the gain, the bias and x: asked for are those of x, the "
        "gain and the bias.": (dgain, dbias, dx),
        "Your three gradients are those of the bias, the gain and x: asked for are those of x, the "
        "gain and the bias.": (dbias, dgain, dx),
    }
    if leading:
        count = x[..., 0].numel()
        found |= {
            "The gradients of gain and bias have a row for each token: all tokens share one gain "
            "and one bias, so their parts are added up, over all axes but the last.": (
                *(None, G * normal, G),
            ),
            "Your gradients of gain and bias are means over the tokens. The tokens' parts "
            "add up.": (None, dgain / count, dbias / count),
            "The means on the way back to x run over the tokens: they run over a token's own D "
            "numbers.": of_x(
                (g - g.mean(-2, keepdim=True) - normal * (g * normal).mean(-2, keepdim=True)) / root
            ),
            "The gradients of gain and bias are added up over the numbers of a token: they are "
            "added up over the tokens.": (None, (G * normal).sum(-1), G.sum(-1)),
        }
    if len(leading) > 1:
        found[
            "Of the gradients of gain and bias only the first axis is added up: add up over all "
            "axes but the last."
        ] = (None, (G * normal).sum(0), G.sum(0))
    return others(found, right)


def _unbiased(
    centred: Tensor, variance: Tensor, eps: float, g: Tensor, G: Tensor, added: Added
) -> tuple[Tensor, Tensor]:
    """The gradients of x and the gain where the variance is divided by D - 1."""
    d = centred.shape[-1]
    root = (variance * d / max(d - 1, 1) + eps).sqrt()
    normal = centred / root
    through = normal * (g * normal).sum(-1, keepdim=True) / max(d - 1, 1)
    return (g - g.mean(-1, keepdim=True) - through) / root, added(G * normal)


def _moments(x: Tensor, axis: int | tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The numbers without their mean, and their variance, along some axes that are kept."""
    centred = x - x.mean(axis, keepdim=True)
    return centred, centred.square().mean(axis, keepdim=True)
