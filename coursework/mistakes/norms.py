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
        "ε is outside the root. Add it to the variance, √(σ² + ε), not to σ.": (
            out(centred / (variance.sqrt() + eps))
        ),
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() and "
        ".std() divide by D - 1 by default.": out(centred / (unbiased + eps).sqrt()),
        "The given ε is not used. Add it to the variance, inside the root.": (
            out(centred / variance.sqrt())
        ),
        "You average the distances from the mean. The variance is the mean of their squares.": out(
            centred / (distance + eps).sqrt()
        ),
        "You take the root of σ + ε, as one of the lectures writes it. σ is already a root: it "
        "is σ² + ε that belongs under it.": (out(centred / (variance.sqrt() + eps).sqrt())),
        "The root is missing: you divide by the variance.": out(centred / (variance + eps)),
        "You multiply by the root. Divide by it.": out(centred * root),
        "You add ε² under the root. Add ε.": out(centred / (variance + eps**2).sqrt()),
        "The mean is not subtracted from the numbers.": out(x / root),
        "You only subtract the mean. Divide by the deviation, too.": out(centred),
        "This is RMSNorm. Layer norm subtracts the mean first.": (
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
        "Gain and bias are swapped.": centred / root * bias + gain,
    }
    if eps > 0:
        found[
            "Two mistakes at once: you divide the squares by D - 1 instead of D, and you add ε "
            "to the deviation instead of to the variance, inside the root."
        ] = out(centred / (unbiased.sqrt() + eps))
    for axis, told in ((-2, "over the tokens"), (0, "over the first axis")):
        if x.dim() >= (2 if axis else 3):
            other, spread = _moments(x, axis)
            found[
                f"Mean and variance are taken {told}. Take them for each token, over its D "
                "numbers, the last axis."
            ] = out(other / (spread + eps).sqrt())
    if x.dim() == 2 and len(x) == d:
        row = x - x.mean(-1)
        found |= {
            f"keepdim=True is missing for {which}. Without it, the tokens' numbers run along the "
            "last axis, so each is applied to a column instead of to its token.": out(wrong)
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
            "One mean and one variance are taken over all tokens together. Each token has its own."
        ] = out(whole / (spread + eps).sqrt())
    return told_once(others(found, out(centred / root)))


@later
def rms_norm_mistakes(x: Tensor, gain: Tensor, eps: float) -> dict[str, Tensor]:
    """What known mistakes make of RMSNorm: message → output."""
    d = x.shape[-1]
    square = x.square().mean(-1, keepdim=True)
    centred, variance = _moments(x, -1)
    found = {
        "This is layer norm without its bias. RMSNorm does not subtract the mean.": (
            centred / (variance + eps).sqrt() * gain
        ),
        "You subtract the mean before you square. RMSNorm takes the mean of the squares "
        "themselves, not the variance.": x / (variance + eps).sqrt() * gain,
        "The root is missing: you divide by the mean square.": x / (square + eps) * gain,
        "ε is outside the root. Add it to the mean square.": (x / (square.sqrt() + eps) * gain),
        "The given ε is not used. Add it to the mean square, inside the root.": (
            x / square.sqrt() * gain
        ),
        "Your code adds up the squares, so it divides by the length of the token. Divide by the "
        "root of their mean.": x / (square * d + eps).sqrt() * gain,
        "The gain is missing.": x / (square + eps).sqrt(),
        "You multiply by the root. Divide by it.": x * (square + eps).sqrt() * gain,
        "You take the mean of the absolute values. Take the root of the mean of the squares.": (
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
            "keepdim=True is missing. Without it, the tokens' mean squares run along the last "
            "axis, so each is applied to a column instead of to its token."
        ] = x / (square[:, 0] + eps).sqrt() * gain
    if x.dim() >= 2:
        over_tokens = x.square().mean(-2, keepdim=True)
        whole = x.square().mean()
        found |= {
            "You take the mean square over the tokens. Take it for each token, over its D "
            "numbers, the last axis.": x / (over_tokens + eps).sqrt() * gain,
            "You take one mean square over all tokens together. Each token has its own.": (
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
        "You treat the mean as a constant. Each x_j changes μ, and so every output of its "
        "token: what is ∂μ/∂x_j?": of_x((g - normal * mean(g * normal)) / root),
        "You treat the deviation as a constant, or your term for it is 0. Each x_j changes s, "
        "and so every output of its token: what is ∂s/∂x_j?": of_x((g - mean(g)) / root),
        "You treat mean and deviation as constants. Each x_j changes μ and s, and so every "
        "output of its token: what are ∂μ/∂x_j and ∂s/∂x_j?": of_x(g / root),
        "The gain is missing from the gradient of x: the gradient at x̂ is G ⊙ γ.": of_x(back(G)),
        "Your code applies the gain after the means. Multiply G by it first: g = G ⊙ γ.": (
            of_x(gain * back(G))
        ),
        "You sum over the D numbers where a mean is needed: mean and variance both divide by D.": (
            of_x(back(over=d))
        ),
        "The part through the deviation has the wrong sign.": of_x(
            (g - mean(g) + normal * mean(g * normal)) / root
        ),
        "The part through the mean has the wrong sign.": of_x(
            (g + mean(g) - normal * mean(g * normal)) / root
        ),
        "The division by √(σ² + ε) is missing from the gradient of x.": of_x(dx * root),
        "You divide by σ² + ε. Divide by its root.": of_x(dx / root),
        "In the part through the deviation you use x - μ instead of x̂.": of_x(
            (g - mean(g) - centred * mean(g * centred)) / root
        ),
        "In the part through the deviation you use x - μ for one of the two x̂.": of_x(
            (g - mean(g) - centred * mean(g * normal)) / root
        ),
        "In the part through the deviation you use x instead of x̂.": of_x(
            (g - mean(g) - x * mean(g * x)) / root
        ),
        "In the part through the deviation, one of the two x̂ is missing.": of_x(
            (g - mean(g) - mean(g * normal)) / root
        ),
        "Your part through the deviation is half as large as it should be: the 2 of the "
        "square and the 1/2 of the root cancel.": of_x(back(through_s=1 / 2)),
        "Your part through the deviation is twice as large as it should be: the 2 of the "
        "square and the 1/2 of the root cancel.": of_x(back(through_s=2.0)),
        "In the part through the deviation you divide by D - 1. Take a mean, over D.": of_x(
            back(through_s=d / max(d - 1, 1))
        ),
        "In the part through the deviation you take a sum. Take a mean.": of_x(back(through_s=d)),
        "In the part through the mean you take a sum. Take a mean.": of_x(
            (g - d * mean(g) - normal * mean(g * normal)) / root
        ),
        "The gain is missing from the part through the mean. Use g = G ⊙ γ.": of_x(
            (g - mean(G) - normal * mean(g * normal)) / root
        ),
        "The gain is missing from the part through the deviation. Use g = G ⊙ γ.": of_x(
            (g - mean(g) - normal * mean(G * normal)) / root
        ),
        "ε is missing: the root is √(σ² + ε) in the gradient, too.": (
            *(back(root=plain, normal=centred / plain), added(G * centred / plain)),
            None,
        ),
        "Your code divides the sum of the squares by D - 1. Divide by D.": (
            *(back(root=wide, normal=centred / wide), added(G * centred / wide)),
            None,
        ),
        "Your variance divides by D - 1. Divide by D.": (
            *_unbiased(centred, variance, eps, g, G, added),
            None,
        ),
        "For γ and β you use G after multiplying it by the gain. Use G itself. Do you multiply "
        "it in place?": (None, added(g * normal), added(g)),
        "You compute the gradient of the gain from x. The gain multiplies x̂.": of_gain(
            added(G * x)
        ),
        "You compute the gradient of the gain from x - μ. The gain multiplies x̂.": of_gain(
            added(G * centred)
        ),
        "The gradient of the gain contains the gain. As y = γ x̂ + β, it is G x̂.": of_gain(
            added(g * normal)
        ),
        "The gradient of the bias contains the gain. The bias is added after it.": (
            None,
            None,
            added(g),
        ),
        "The gradients of gain and bias are swapped.": (None, dbias, dgain),
        "You return the gradients of the gain, the bias and x. The order is x, the gain, the "
        "bias.": (dgain, dbias, dx),
        "You return the gradients of the bias, the gain and x. The order is x, the gain, the "
        "bias.": (dbias, dgain, dx),
    }
    if leading:
        count = x[..., 0].numel()
        found |= {
            "Your gradients of gain and bias have a row for each token. All tokens share one "
            "gain and one bias: sum over all axes but the last.": (*(None, G * normal, G),),
            "Your gradients of gain and bias are means over the tokens. Take sums.": (
                None,
                dgain / count,
                dbias / count,
            ),
            "In the gradient of x, your means run over the tokens. They must run over a token's "
            "own D numbers.": of_x(
                (g - g.mean(-2, keepdim=True) - normal * (g * normal).mean(-2, keepdim=True)) / root
            ),
            "You sum the gradients of gain and bias over the numbers of a token. Sum over the "
            "tokens.": (None, (G * normal).sum(-1), G.sum(-1)),
        }
    if len(leading) > 1:
        found[
            "You sum the gradients of gain and bias over the first axis only. Sum over all axes "
            "but the last."
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
