@right("loops", "number by number")
def clipped(gradients, c):
    total = 0.0
    for g in gradients:
        for number in g.flatten().tolist():
            total += number * number
    length = total**0.5
    factor = min(1.0, c / length) if length else 1.0
    return tuple(torch.mul(g, factor) for g in gradients)


@right("norm-of-norms", "the norm of the norms")
def clipped(gradients, c):
    norm = torch.stack([torch.linalg.vector_norm(g) for g in gradients]).norm().item()
    if norm <= c:
        return [g.clone() for g in gradients]
    return [g / norm * c for g in gradients]


@right("one-vector", "all in one vector, split again")
def clipped(gradients, c):
    everything = torch.cat([g.reshape(-1) for g in gradients])
    norm = everything.norm()
    everything = everything * torch.where(norm > c, c / norm, 1.0)
    parts = everything.split([g.numel() for g in gradients])
    return [part.reshape(g.shape) for part, g in zip(parts, gradients)]


@wrong(
    "absolute",
    "the sum of absolute values",
    says="You add up absolute values. The norm is the root of the sum of the squares.",
)
def clipped(gradients, c):
    norm = sum(g.abs().sum() for g in gradients).item()
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "always",
    "makes short ones longer",
    says="You lengthen gradients that are short enough. The factor is never above 1.",
    loses=["short"],
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g * (c / norm) if norm else g for g in gradients]


@wrong(
    "by-value",
    "each number at ±c",
    says="You clip each number at ±c, which changes the direction. Use one factor for all.",
)
def clipped(gradients, c):
    norm = None
    return [g.clamp(-c, c) for g in gradients]


@wrong(
    "dropped",
    "drops what is too long",
    says="Gradients that are too long are dropped. Shorten them to norm c.",
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [torch.zeros_like(g) if norm > c else g for g in gradients]


@wrong(
    "each-alone",
    "each gradient by its own norm",
    says=(
        "You clip each gradient by its own norm. Take one norm over all of them together, "
        "and one factor, so that the direction stays."
    ),
    loses=["by-hand", "values", "precision"],
)
def clipped(gradients, c):
    found = []
    for g in gradients:
        norm = g.norm().item()
        found.append(g * (c / norm) if norm > c else g)
    return found


@wrong(
    "epsilon",
    "adds 1e-6, as PyTorch does",
    says=(
        "You divide by the norm plus a small number, so the result is a little shorter than c. "
        "Only a norm of 0 needs care, and there the factor is 1."
    ),
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients)) + 1e-6
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong("float32", "in 32 bits", match="float32, it must be float64")
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [(g * min(1.0, c / norm) if norm else g).float() for g in gradients]


@wrong(
    "in-place", "scales the gradients themselves", match="changes the gradients", loses=["inputs"]
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    if norm > c:
        for g in gradients:
            g *= c / norm
    return gradients


@wrong(
    "larger",
    "max instead of min",
    says=(
        "Your code shortens nothing and lengthens what is short. If the norm is above c, the "
        "factor is c / norm, otherwise 1."
    ),
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g * max(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "largest-norm",
    "the largest of the norms",
    says="You take the largest of the gradients' norms. Take the norm of all of them together.",
    loses=["by-hand", "values", "precision"],
)
def clipped(gradients, c):
    norm = max(g.norm().item() for g in gradients)
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "largest-number",
    "the largest number",
    says=(
        "You use the largest absolute value as the norm. The norm is the root of the sum of the "
        "squares."
    ),
)
def clipped(gradients, c):
    norm = max(g.abs().max().item() for g in gradients)
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong("library", "PyTorch's clipping", match="clips for you")
def clipped(gradients, c):
    parameters = [torch.nn.Parameter(g.clone()) for g in gradients]
    for p in parameters:
        p.grad = p.detach().clone()
    torch.nn.utils.clip_grad_norm_(parameters, c)
    return [p.grad for p in parameters]


@wrong("no-return", "forgets to return", match="expected 2 results.*got nothing")
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "no-root",
    "the sum of squares",
    says="The root is missing: you compare c with the sum of the squares.",
)
def clipped(gradients, c):
    norm = sum((g**2).sum() for g in gradients).item()
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "nothing",
    "gives them as they came",
    says="Nothing is shortened. If the norm is above c, the factor is c / norm.",
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return list(gradients)


@wrong("one-tensor", "gives one long vector", match="expected 2 results")
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return torch.cat([g.flatten() * (min(1.0, c / norm) if norm else 1.0) for g in gradients])


@wrong(
    "replaced",
    "puts new ones into the list it was given",
    match="changes the gradients",
    loses=["inputs"],
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    for k in range(len(gradients)):
        if norm > c:
            gradients[k] = gradients[k] * (c / norm)
    return gradients


@wrong(
    "root-mean",
    "the mean of squares",
    says="You take the root of the mean of the squares. The norm is the root of their sum.",
)
def clipped(gradients, c):
    norm = torch.cat([g.flatten() for g in gradients]).square().mean().sqrt().item()
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "sum-of-norms",
    "adds norms",
    says=(
        "You add up the gradients' norms. The norm of all of them together is the root of "
        "the sum of all squares."
    ),
    spares=["zeros", "inputs"],
)
def clipped(gradients, c):
    norm = sum(g.norm().item() for g in gradients)
    return [g * min(1.0, c / norm) if norm else g for g in gradients]


@wrong(
    "to-one",
    "to norm 1",
    says="Gradients that are too long come out with norm 1. Their norm must be c.",
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g / norm if norm > c else g for g in gradients]


@wrong(
    "zero-division",
    "a division by a norm of 0",
    match="float division by zero",
    loses=["zeros"],
)
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g * min(1.0, c / norm) for g in gradients]


@wrong(
    "zeros-nan",
    "always divides",
    says="You lengthen gradients that are short enough. The factor is never above 1.",
    loses=["short", "zeros"],
)
def clipped(gradients, c):
    norm = torch.sqrt(sum((g**2).sum() for g in gradients))
    return [g * (c / norm) for g in gradients]


broken("(g**2).sum() for g in gradients", "(g**2).mean() for g in gradients")
broken("norm = math.sqrt(square)", "norm = math.cbrt(square)")
broken("c / norm if norm > c", "c / norm if norm > 2 * c")
broken("[g * factor for g in gradients]", "[g.abs() * factor for g in gradients]")
