@right("loops", "pair by pair, with a sigmoid of its own")
def negative_sampling_gradients(w, v, negatives):
    B, N, _ = negatives.shape
    dw, dv, dn = torch.zeros_like(w), torch.zeros_like(v), torch.zeros_like(negatives)

    def sigmoid(s):
        return 1 / (1 + torch.exp(-s))

    for b in range(B):
        pull = -sigmoid(-(w[b] @ v[b])) / B
        dw[b] += pull * v[b]
        dv[b] = pull * w[b]
        for k in range(N):
            push = sigmoid(w[b] @ negatives[b, k]) / B
            dw[b] += push * negatives[b, k]
            dn[b, k] = push * w[b]
    return [dw, dv, dn]


@right("together", "true word and negatives in one tensor, minus the truth")
def negative_sampling_gradients(w, v, negatives):
    words = torch.cat([v[:, None], negatives], dim=1)
    error = torch.sigmoid(torch.einsum("bnd,bd->bn", words, w))
    error[:, 0] -= 1
    error /= len(w)
    dwords = error[:, :, None] * w[:, None, :]
    return torch.einsum("bn,bnd->bd", error, words), dwords[:, 0], dwords[:, 1:]


@right("plain", "the steps that the wrong answers below change", edited=True)
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B


@wrong("autograd", "backward of the loss", match="`grad` lets PyTorch find")
def negative_sampling_gradients(w, v, negatives):
    w, v, negatives = (x.clone().requires_grad_() for x in (w, v, negatives))
    true = (w * v).sum(-1)
    drawn = (negatives * w[:, None]).sum(-1)
    loss = -(torch.sigmoid(true).log() + torch.sigmoid(-drawn).log().sum(-1)).mean()
    return torch.autograd.grad(loss, [w, v, negatives])


wrong(
    "downhill",
    "the step instead of the gradient",
    says=(
        "The sign is wrong: your gradients point downhill. A gradient points in the direction "
        "in which the loss grows; the step goes the opposite way."
    ),
    edit=("dw / B, true * w / B, drawn", "-dw / B, -true * w / B, -drawn"),
)


wrong(
    "float32",
    "a table of 32 bits",
    match="float32, it must be float64",
    loses=["precision"],
    edit=(
        "B = len(w)",
        ("B = len(w)\n    w, v, negatives = w.float(), v.float(), negatives.float()"),
    ),
)


@wrong("functional", "autograd by another name", match="lets PyTorch find")
def negative_sampling_gradients(w, v, negatives):
    def loss(w, v, negatives):
        true = (w * v).sum(-1)
        drawn = (negatives * w[:, None]).sum(-1)
        return -(torch.sigmoid(true).log() + torch.sigmoid(-drawn).log().sum(-1)).mean()

    return torch.func.grad(loss, argnums=(0, 1, 2))(w, v, negatives)


@wrong("in-place", "works in the inputs' own memory", match="changes its input v", loses=["inputs"])
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = (torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1) / B
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True)) / B
    dv, dn = true * w, drawn * w[:, None]
    dw = v.mul_(true) + negatives.mul_(drawn).sum(1)
    return dw, dv, dn


wrong(
    "mean-push",
    "the mean over the negatives",
    says="In the gradient of w you take the mean over the negatives. Add them up instead.",
    edit=("+ (drawn * negatives).sum", "+ (drawn * negatives).mean"),
)

wrong(
    "negative-itself",
    "negatives move along themselves",
    says=(
        "The gradient with respect to a negative is a multiple of w. Yours is a multiple "
        "of the negative itself."
    ),
    edit=("drawn * w[:, None]", "drawn * negatives"),
)

wrong(
    "negatives-added",
    "one gradient for all negatives of a pair",
    says="You add up the gradients of a pair's negatives. Return one gradient for each negative.",
    edit=("drawn * w[:, None]", "(drawn * w[:, None]).sum(1)"),
)

wrong(
    "no-pull",
    "w is not pulled by the true word",
    says="In the gradient of w the true word is missing. It pulls, and the negatives push.",
    edit=("true * v + (drawn * negatives).sum", "(drawn * negatives).sum"),
)

wrong(
    "no-push",
    "w is not pushed by the noise",
    says="In the gradient of w there is only the true word. The negatives push w too.",
    edit=("v + (drawn * negatives).sum(1)", "v"),
)

wrong(
    "no-truth",
    "forgets the -1",
    says="The derivative of -log σ(s) is σ(s) - 1. You left out the -1 of the true word.",
    edit=(
        "torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1",
        "torch.sigmoid((w * v).sum(-1, keepdim=True))",
    ),
)

wrong(
    "other-order",
    "v's gradient first",
    says=(
        "Your gradients are in the wrong order. Return that of w first, then that of v, then "
        "that of the negatives."
    ),
    edit=("dw / B, true * w / B, drawn * w[:, None]", "true * w / B, drawn * w[:, None] / B, dw"),
)


@wrong("overflow", "e^s / (1 + e^s)", match="does not survive a large score", loses=["large"])
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    e_true = torch.exp((w * v).sum(-1, keepdim=True))
    e_drawn = torch.exp((negatives * w[:, None]).sum(-1, keepdim=True))
    true, drawn = e_true / (1 + e_true) - 1, e_drawn / (1 + e_drawn)
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B


wrong(
    "own-vector",
    "v moves along itself",
    says=(
        "The gradient with respect to v is a multiple of w, since the score is w · v. "
        "Yours is a multiple of v."
    ),
    edit=("true * w", "true * v"),
)


@wrong(
    "scores",
    "no sigmoid",
    says="Your factors are the raw scores. Apply the sigmoid to the scores first.",
)
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = ((w * v).sum(-1, keepdim=True)) - 1
    drawn = (negatives * w[:, None]).sum(-1, keepdim=True)
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B


@wrong(
    "sigmoid-slope",
    "the slope of the sigmoid, not of its logarithm",
    says=(
        "Your factors are σ'(s) = σ(s) (1 - σ(s)), the slope of the sigmoid. The loss takes the "
        "logarithm of a sigmoid, whose derivative cancels one of the two."
    ),
)
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True))
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    true, drawn = -true * (1 - true), drawn * (1 - drawn)
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B


wrong(
    "sum",
    "gradients of the sum over the pairs",
    says=(
        "Your gradients are those of the sum over the pairs. The loss is their mean, so "
        "divide by B."
    ),
    edit=("dw / B, true * w / B, drawn * w[:, None] / B", "dw, true * w, drawn * w[:, None]"),
)

wrong(
    "truth-everywhere",
    "takes 1 off the negatives too",
    says="The derivative of -log σ(-s) is σ(s). You subtract 1 from it, as for the true word.",
    edit=(
        "torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))",
        "torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True)) - 1",
    ),
)

broken("torch.sigmoid((w * v).sum(dim=-1)) - 1", "torch.tanh((w * v).sum(dim=-1)) - 1")
broken("pull = true[:, None] * v", "pull = true[:, None] * w")
broken("B = w.shape[0]", "B = w.shape[1]")
broken("dn = drawn[:, :, None] * w", "dn = drawn.mean(1)[:, None, None] * w")
